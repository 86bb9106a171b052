import assert from 'node:assert/strict';
import test from 'node:test';
import { fleet, memoryEngine } from '../../src/fleet/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { fetchHandler } from '../../src/transport/http/fetch/index.ts';
import { busEngine, cancelsACall, startFleet, versions } from './harness.ts';

const textOf = (result: object): unknown => (result as { content?: { text?: string }[] }).content?.[0]?.text;
const roomy = { era: 'legacy' } as const;

for (const version of versions) {
  test(`${version}: a session made in one process is served by all, without a bus`, async (t) => {
    const bench = await startFleet(t, { version });
    const client = await bench.client();
    assert.equal(client.revision?.version, version);
    for (let i = 0; i < 7; i++) assert.equal(textOf(await client.callTool('add', { a: i, b: 1 })), String(i + 1));
    const seen: number[] = [];
    const counted = await client.callTool('count', {}, { onProgress: ({ progress }) => seen.push(progress) });
    assert.deepEqual([textOf(counted), seen], ['counted', [1, 2, 3]]);
    // Each member has served a call.
    const calls = bench.log.filter(({ body }) => body.includes('tools/call'));
    assert.equal(new Set(calls.map(({ member }) => member)).size, 3);
    assert.deepEqual(new Set(calls.map(({ status }) => status)), new Set([200]));
    assert.deepEqual(bench.errors, []);
  });

  test(`${version}: questions, their answers and cancellations find their process by the bus`, async (t) => {
    const bench = await startFleet(t, { version, engine: busEngine() });
    const client = await bench.client({
      onElicit: () => ({ action: 'accept', content: { sure: true } }),
      onSample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Done.' } }),
    });
    const asks = version >= '2025-06-18' ? 'confirm' : 'think';
    for (let i = 0; i < 4; i++) {
      const said = textOf(await client.callTool(asks));
      assert.match(String(said), asks === 'confirm' ? /^accept true$/ : /Done\./);
    }
    const answers = bench.log.filter(({ body }) => body.includes('"result"'));
    assert.deepEqual(answers.map(({ status }) => status), [202, 202, 202, 202]);
    // An answer goes to the next process in turn, never to the one that received the previous request and asks.
    const asked = bench.log.filter(({ body }) => body.includes('tools/call'));
    answers.forEach(({ member }, i) => assert.notEqual(member, asked[i]?.member));

    await cancelsACall(bench, client);
    assert.deepEqual(bench.errors, []);
  });
}

test('2024-11-05, HTTP+SSE: what is posted elsewhere goes to the process that holds the stream', async (t) => {
  const bench = await startFleet(t, { version: '2024-11-05', engine: busEngine() });
  const client = await bench.client({
    onSample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Done.' } }),
  }, '/sse');
  for (let i = 0; i < 4; i++) assert.equal(textOf(await client.callTool('add', { a: i, b: 1 })), String(i + 1));
  assert.match(String(textOf(await client.callTool('think'))), /Done\./);
  const posted = bench.log.filter(({ status }) => status === 202);
  assert.equal(new Set(posted.map(({ member }) => member)).size, 3);
});

test('without a bus: HTTP+SSE is not served, and a question fails at once and names the bus', async (t) => {
  const bench = await startFleet(t, { version: '2025-11-25' });
  assert.equal((await bench.roundRobin('http://x/sse')).status, 404);
  const client = await bench.client({ ...roomy, onElicit: () => ({ action: 'decline' }) });
  const result = await client.callTool('confirm');
  assert.equal(result['isError'], true);
  assert.match(String(textOf(result)), /no bus/);
});

for (const engine of [undefined, busEngine()]) {
  test(`what a sealed session cannot keep is not declared, and refused (${engine ? 'bus' : 'keys only'})`, async (t) => {
    const bench = await startFleet(t, { version: '2025-11-25', engine });
    const client = await bench.client();
    const has = JSON.stringify(client.capabilities);
    assert.doesNotMatch(has, /logging|listChanged|subscribe/);
    assert.match(has, /tools/);
    for (const [method, params] of [
      ['logging/setLevel', { level: 'debug' }], ['resources/subscribe', { uri: 'a:b' }],
    ] as const) {
      const id = bench.log.length;
      const headers = { 'mcp-session-id': bench.session() };
      const answer = await (await bench.post(0, headers, { jsonrpc: '2.0', id, method, params })).json() as {
        error: { code: number };
      };
      assert.equal(answer.error.code, -32601, method);
    }
    for (const method of ['GET', 'DELETE']) {
      const answer = await fetch(bench.members[0]?.http.url ?? '', {
        method, headers: { accept: 'text/event-stream', 'mcp-session-id': bench.session() },
      });
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST']);
    }
  });
}

test('fleet: each request is served with its own credentials, in whatever order the bodies of two requests of a session end', async () => {
  const fleets = {
    none: async () => undefined,
    sealed: () => fleet({ keys: [new Uint8Array(32)] }),
    stored: () => fleet({ keys: [new Uint8Array(32)], engine: memoryEngine() }),
  };
  for (const [kind, make] of Object.entries(fleets)) {
    const server = new McpServer({ name: 'guarded', version: '1' });
    server.tool('guarded', { scopes: ['admin'] }, (_, { auth }) => String(auth?.['token']));
    const own = await make();
    const handle = fetchHandler(server, {
      fleet: own,
      auth(request) {
        const token = request.header('authorization');
        return { principal: 'ann', token, scopes: token === 'high' ? ['admin'] : [] };
      },
    });
    const post = (body: string | ReadableStream, token: string, more: Record<string, string> = {}): Promise<Response> => handle(new Request('http://localhost/mcp', {
      method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: token, ...more },
    } as RequestInit));
    const rpc = (id: number, method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const opened = await post(rpc(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }), 'low');
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    for (const tokens of [['low', 'high'], ['high', 'low'], ['low', 'low'], ['high', 'high']]) {
      for (const order of [[0, 1], [1, 0]]) {
        const bodies = tokens.map(() => {
          let end = (_text: string): void => {};
          const body = new ReadableStream({
            start(controller) {
              end = (text) => {
                controller.enqueue(new TextEncoder().encode(text));
                controller.close();
              };
            },
          });
          return { body, end };
        });
        const answers = tokens.map((token, at) => post(bodies[at]?.body as ReadableStream, token, headers));
        // Both requests have entered before either body ends.
        await new Promise(setImmediate);
        for (const at of order) {
          bodies[at]?.end(rpc(at + 1, 'tools/call', { name: 'guarded', arguments: {} }));
          const answer = await answers[at] as Response;
          const said = await answer.text();
          const what = `${kind}: ${tokens.join()}, ${order.join()}, request ${at}: ${said}`;
          if (tokens[at] === 'high') assert.ok(answer.status === 200 && said.includes('"text":"high"'), what);
          else assert.equal(answer.status, 403, what);
        }
      }
    }
    await handle.close({ drainMs: 0 });
    await own?.close();
  }
});
