import assert from 'node:assert/strict';
import test from 'node:test';
import { memoryEngine } from '../../src/fleet/index.ts';
import { cancelsACall, startFleet, versions } from './harness.ts';

const textOf = (result: object): unknown => (result as { content?: { text?: string }[] }).content?.[0]?.text;

for (const version of versions) {
  test(`${version}, stored: calls, progress, questions and cancellation over any process`, async (t) => {
    const bench = await startFleet(t, { version, engine: memoryEngine() });
    const client = await bench.client({
      onElicit: () => ({ action: 'accept', content: { sure: true } }),
      onSample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Done.' } }),
    });
    assert.equal(client.revision?.version, version);
    for (let i = 0; i < 7; i++) assert.equal(textOf(await client.callTool('add', { a: i, b: 1 })), String(i + 1));
    const seen: number[] = [];
    const counted = await client.callTool('count', {}, { onProgress: ({ progress }) => seen.push(progress) });
    assert.deepEqual([textOf(counted), seen], ['counted', [1, 2, 3]]);
    const asks = version >= '2025-06-18' ? 'confirm' : 'think';
    for (let i = 0; i < 4; i++) {
      assert.match(String(textOf(await client.callTool(asks))), asks === 'confirm' ? /^accept true$/ : /Done\./);
    }
    await cancelsACall(bench, client);
    assert.deepEqual(bench.errors, []);
  });
}

test('stored: everything is declared, and what any process changes reaches the client once', async (t) => {
  const bench = await startFleet(t, { version: '2025-11-25', engine: memoryEngine() });
  const heard: string[] = [];
  let wake = (): void => {};
  const hear = (what: string): void => {
    heard.push(what);
    wake();
  };
  const client = await bench.client({ onListChanged: hear, onResourceUpdated: hear });
  const until = async (length: number): Promise<void> => {
    while (heard.length < length) await new Promise<void>((resolve) => (wake = resolve));
  };
  const has = JSON.stringify(client.capabilities);
  for (const name of ['logging', 'listChanged', 'subscribe']) assert.match(has, new RegExp(name));
  await bench.listening(1);

  // Each process registers the tool, as an application does; the client gets one notification.
  for (const { server } of bench.members) server.tool('late', {}, () => 'late');
  await until(1);
  assert.deepEqual(heard, ['tools']);
  assert.ok((await client.listTools()).some(({ name }) => name === 'late'));

  await client.subscribe('note:a');
  for (const [i, { server }] of bench.members.entries()) {
    server.resourceUpdated('note:a');
    await until(2 + i);
  }
  server0(bench).resourceUpdated('note:b');
  await client.unsubscribe('note:a');
  for (const { server } of bench.members) server.resourceUpdated('note:a');
  for (const { server } of bench.members) server.tool('later', {}, () => 'later');
  await until(5);
  assert.deepEqual(heard, ['tools', 'note:a', 'note:a', 'note:a', 'tools']);
  assert.deepEqual(bench.errors, []);
});

const server0 = ({ members }: { members: readonly { server: { resourceUpdated(uri: string): void } }[] }) =>
  (members[0] as { server: { resourceUpdated(uri: string): void } }).server;

test('stored: the log level that one process was told holds in all', async (t) => {
  const bench = await startFleet(t, { version: '2025-11-25', engine: memoryEngine() });
  const levels: string[] = [];
  const client = await bench.client({ onLog: ({ level }) => void levels.push(level) });
  for (let i = 0; i < 3; i++) await client.callTool('speak');
  assert.deepEqual(levels, Array(3).fill(['info', 'error']).flat());
  await client.setLogLevel('error');
  levels.length = 0;
  for (let i = 0; i < 3; i++) await client.callTool('speak');
  assert.deepEqual(levels, ['error', 'error', 'error']);
});

test('stored: DELETE in one process ends the session in all', async (t) => {
  const bench = await startFleet(t, { version: '2025-11-25', engine: memoryEngine() });
  const client = await bench.client();
  for (let i = 0; i < 3; i++) await client.callTool('add', { a: 1, b: 1 });
  const headers = { 'mcp-session-id': bench.session() };
  const call = { jsonrpc: '2.0', id: 1, method: 'ping' };
  assert.equal((await bench.post(2, headers, call)).status, 200);
  const ended = await fetch(bench.members[1]?.http.url ?? '', { method: 'DELETE', headers });
  assert.equal(ended.status, 204);
  for (const member of [0, 1, 2]) assert.equal((await bench.post(member, headers, call)).status, 404);
  assert.deepEqual(bench.errors, []);
});
