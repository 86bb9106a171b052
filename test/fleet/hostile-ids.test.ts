import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import test from 'node:test';
import { mockClock } from '../mock-clock.ts';
import { fleet, memoryEngine } from '../../src/fleet/index.ts';
import { requestStateSealer } from '../../src/server/modern/request-state.ts';
import { busEngine, newKey, startFleet } from './harness.ts';
import type { FleetBench } from './harness.ts';

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const byUser = (request: { header(name: string): string | undefined }) => ({
  principal: request.header('authorization') ?? 'nobody',
});

const initialize = (clientInfo: object = { name: 'c', version: '1' }, capabilities: object = {}): object => ({
  jsonrpc: '2.0', id: 0, method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities, clientInfo },
});

async function open(bench: FleetBench, headers: Record<string, string> = {}, member = 0): Promise<string> {
  const answer = await bench.post(member, headers, initialize());
  assert.equal(answer.status, 200);
  const id = answer.headers.get('mcp-session-id') ?? '';
  assert.match(id, /^[\w-]{20,1024}$/);
  return id;
}

const statusOf = async (bench: FleetBench, member: number, headers: Record<string, string>): Promise<number> =>
  (await bench.post(member, headers, ping)).status;

test('an id opens for its principal alone, in every process', async (t) => {
  // Without an engine the session is sealed in the id; with one, the engine stores it.
  for (const engine of [undefined, memoryEngine()]) {
    const bench = await startFleet(t, { http: { auth: byUser }, engine });
    const id = await open(bench, { authorization: 'ann' });
    for (const member of [2, 0, 1]) {
      // Requested by other principals, before this process knows the session and after.
      assert.equal(await statusOf(bench, member, { authorization: 'bob', 'mcp-session-id': id }), 404);
      assert.equal(await statusOf(bench, member, { 'mcp-session-id': id }), 404);
      assert.equal(await statusOf(bench, member, { authorization: 'ann', 'mcp-session-id': id }), 200);
      assert.equal(await statusOf(bench, member, { authorization: 'bob', 'mcp-session-id': id }), 404);
      assert.equal(await statusOf(bench, member, { 'mcp-session-id': id }), 404);
      // Requested again, now that the session is known here.
      assert.equal(await statusOf(bench, member, { authorization: 'ann', 'mcp-session-id': id }), 200);
    }
  }
  const open2 = await startFleet(t, {});
  const anybodys = await open(open2);
  assert.equal(await statusOf(open2, 1, { 'mcp-session-id': anybodys }), 200);
});

test('an id that is cut, changed or made up opens nothing', async (t) => {
  const bench = await startFleet(t, {});
  const id = await open(bench);
  const changed = (at: number): string =>
    id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1);
  const wrong = [id.slice(0, -1), id.slice(1), `${id}A`, '', 'x', '%', 'A'.repeat(1024), 'A'.repeat(1025), `${id}.${id}`,
    ...Array.from({ length: 20 }, (_, i) => changed(Math.floor(i * (id.length - 4) / 20)))];
  for (const one of wrong) assert.ok([400, 404].includes(await statusOf(bench, 1, { 'mcp-session-id': one })), one);
  assert.equal(await statusOf(bench, 1, { 'mcp-session-id': id }), 200);
  assert.deepEqual(bench.errors, []);
});

test('the state of a question opens no session, and a session\'s id is no state', async (t) => {
  const keys = [newKey()];
  const bench = await startFleet(t, { fleet: { keys } });
  const sealer = requestStateSealer({ keys });
  const like = { s: 'name', v: '2025-11-25', n: 'c', w: '1', c: {} };
  for (const bound of ['[null,"tools/call",{"name":"x"}]', '', '[]']) {
    assert.equal(await statusOf(bench, 0, { 'mcp-session-id': await sealer.seal(like, bound) }), 404);
  }
  // The same content under the right label opens, so only the label was refused.
  assert.equal(await statusOf(bench, 0, { 'mcp-session-id': await sealer.seal(like, 'session ') }), 200);
  await assert.rejects(sealer.open(await open(bench), '[null,"tools/call",{}]'));
});

test('a session ends by the clock in each process, opened there or not', async (t) => {
  mockClock(t.mock, { apis: ['Date'], now: 1_800_000_000_000 });
  const bench = await startFleet(t, { fleet: { sessionMaxMs: 60_000 } });
  const id = await open(bench);
  t.mock.timers.tick(59_000);
  assert.equal(await statusOf(bench, 0, { 'mcp-session-id': id }), 200);
  t.mock.timers.tick(2000);
  for (const member of [0, 1]) assert.equal(await statusOf(bench, member, { 'mcp-session-id': id }), 404);
});

test('keys rotate: what the old one sealed opens as long as it is among them', async (t) => {
  const [old, fresh] = [newKey(), newKey()];
  const sealing = async (...keys: Uint8Array[]): Promise<FleetBench> => startFleet(t, { count: 1, fleet: { keys } });
  const [before, both, after] = [await sealing(old), await sealing(fresh, old), await sealing(fresh)];
  const [first, second] = [await open(before), await open(both)];
  const results = [];
  for (const bench of [before, both, after]) {
    for (const id of [first, second]) results.push(await statusOf(bench, 0, { 'mcp-session-id': id }));
  }
  assert.deepEqual(results, [200, 404, 200, 200, 404, 200]);
});

test('an id has at most 1,024 characters; a handshake that would need more is refused by name', async (t) => {
  const bench = await startFleet(t, {});
  let longest = 0;
  for (const length of [0, 100, 300, 500, 550, 600, 620, 640, 660, 700, 2000]) {
    for (const letter of ['x', 'ä', '語', '"']) {
      const answer = await bench.post(0, {}, initialize({ name: letter.repeat(length), version: '1' }));
      const id = answer.headers.get('mcp-session-id');
      const body = await answer.json() as { error?: { code: number; message: string } };
      if (body.error) {
        assert.equal(id, null);
        assert.match(body.error.message, /session id would have \d+ characters, the limit is 1024/);
        assert.equal(body.error.code, -32602);
      } else {
        longest = Math.max(longest, id?.length ?? 0);
        assert.equal(await statusOf(bench, 1, { 'mcp-session-id': id ?? '' }), 200);
      }
    }
  }
  assert.ok(longest > 900 && longest <= 1024, String(longest));
  // Members that are only for display are left out, whatever their length.
  const shown = { name: 'c', version: '1', icons: [{ src: `data:,${'x'.repeat(5000)}` }], description: 'x'.repeat(5000) };
  assert.equal((await bench.post(0, {}, initialize(shown))).status, 200);
});

test('an answer to a process that is gone is refused, and to one that lives is 202', async (t) => {
  const bench = await startFleet(t, { engine: busEngine() });
  const id = { 'mcp-session-id': await open(bench) };
  const answer = (question: string): object => ({ jsonrpc: '2.0', id: question, result: {} });
  const [one, other] = bench.members.map(({ fleet: { process } }) => process);
  assert.equal((await bench.post(0, id, answer(`${other}-1`))).status, 202);
  await bench.members[1]?.fleet.close();
  const refused = await bench.post(0, id, answer(`${other}-1`));
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /cannot be reached/);
  assert.equal((await bench.post(0, id, answer('nobody-1'))).status, 400);
  assert.equal((await bench.post(0, id, answer(`${one}-1`))).status, 202);
  assert.match(bench.errors.map(({ message }) => message).join(), /has left the fleet/);
});

test('an answer reaches the question of its own session alone', async (t) => {
  const bench = await startFleet(t, { engine: busEngine(), http: { auth: byUser } });
  const opened = await bench.post(0, { authorization: 'ann' }, initialize(undefined, { elicitation: {} }));
  const ann = { authorization: 'ann', 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const eve = { authorization: 'eve', 'mcp-session-id': await open(bench, { authorization: 'eve' }) };
  const call = await bench.post(1, ann, { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'confirm' } });
  const reader = call.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(text);
      if (found) return found[1] ?? found[0];
      const { value, done } = await reader?.read() ?? { done: true };
      assert.ok(!done, `${text} has no ${pattern}`);
      text += value;
    }
  };
  const question = await until(/"id":"([^"]+)"/);
  assert.match(question, new RegExp(`^${bench.members[1]?.fleet.process}-`));
  const answer = (sure: boolean): object =>
    ({ jsonrpc: '2.0', id: question, result: { action: 'accept', content: { sure } } });
  // Through other processes and through this one: 202, because the inbox takes the answer, and the answer is ignored.
  for (const member of [0, 1, 2]) assert.equal((await bench.post(member, eve, answer(false))).status, 202);
  assert.equal((await bench.post(2, ann, answer(true))).status, 202);
  assert.equal(await until(/accept (\w+)/), 'true');
});

test('2025-03-26: the answers of a batch go to their processes, and its requests are served here', async (t) => {
  const bench = await startFleet(t, { version: '2025-03-26', engine: busEngine() });
  const id = { 'mcp-session-id': await open(bench) };
  const elsewhere = { jsonrpc: '2.0', id: `${bench.members[1]?.fleet.process}-zz`, result: {} };
  const mixed = await bench.post(0, id, [elsewhere, ping]);
  assert.deepEqual([mixed.status, await mixed.json()], [200, [{ jsonrpc: '2.0', id: 1, result: {} }]]);
  assert.equal((await bench.post(0, id, [elsewhere])).status, 202);
  const gone = await bench.post(0, id, [{ ...elsewhere, id: 'gone-1' }, ping]);
  assert.equal(gone.status, 400);
});

test('open sessions are a bounded cache: leaving it ends nothing', async (t) => {
  const bench = await startFleet(t, { count: 1, http: { limits: { maxSessions: 2 } } });
  const ids = [];
  for (let i = 0; i < 5; i++) ids.push(await open(bench));
  for (let round = 0; round < 2; round++) {
    for (const id of ids) assert.equal(await statusOf(bench, 0, { 'mcp-session-id': id }), 200);
  }
  // If all processes are busy, the next request waits for its turn, and its session is not harmed.
  const calls = ids.slice(0, 2).map((id) => {
    const abort = new AbortController();
    const answered = fetch(bench.members[0]?.http.url ?? '', {
      method: 'POST', signal: abort.signal,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-session-id': id },
      body: JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'wait' } }),
    }).catch(() => undefined);
    return { abort, answered };
  });
  await bench.waiting.begun;
  let status = 200;
  while (status === 200) status = await statusOf(bench, 0, { 'mcp-session-id': ids[2] ?? '' });
  assert.equal(status, 503);
  for (const { abort } of calls) abort.abort();
  await Promise.all(calls.map(({ answered }) => answered));
  while (status === 503) status = await statusOf(bench, 0, { 'mcp-session-id': ids[2] ?? '' });
  assert.equal(status, 200);
});

test('a fleet without keys, or with others than those of 32 bytes, does not start', async () => {
  const none = { keys: undefined } as unknown as { keys: Uint8Array[] };
  await assert.rejects(fleet(none), TypeError);
  await assert.rejects(fleet({ keys: [] }), TypeError);
  await assert.rejects(fleet({ keys: [new Uint8Array(16)] }), RangeError);
  const engine = busEngine();
  const one = await fleet({ keys: [newKey()], engine });
  await assert.rejects(engine.join(one.process), /taken/);
});

test('the process that has sealed an id does not open it; each other opens it once', async (t) => {
  const bench = await startFleet(t, {});
  const opened = t.mock.method(crypto, 'createDecipheriv');
  const id = await open(bench);
  for (const times of [1, 2, 3]) assert.equal(await statusOf(bench, 0, { 'mcp-session-id': id }), 200, `${times}`);
  assert.equal(opened.mock.callCount(), 0);
  for (const times of [1, 2, 3]) assert.equal(await statusOf(bench, 1, { 'mcp-session-id': id }), 200, `${times}`);
  assert.equal(opened.mock.callCount(), 1);
});
