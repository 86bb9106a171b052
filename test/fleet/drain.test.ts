import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { waitingClock } from '../mock-clock.ts';
import { McpClient } from '../../src/client/index.ts';
import { fleet, memoryEngine } from '../../src/fleet/index.ts';
import type { FleetEngine } from '../../src/fleet/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { fetchHandler, httpTransport } from '../../src/transport/http/fetch/index.ts';
import type { Live } from '../transport/http/harness.ts';
import { newKey, startFleet } from './harness.ts';
import type { FleetBench, Member } from './harness.ts';
import { question, read } from './reading.ts';
import { turn } from './scheduled-engine.ts';

const version = '2025-11-25';
const accepted = { action: 'accept', content: { sure: true } };

/** Begins to close a process, and passes the time that it waits for requests that may still be on their way. */
async function beginClosing(t: TestContext, { http }: Member): Promise<{ readonly closed: Promise<void> }> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const closed = http.close({ drainMs: 20_000 });
  t.mock.timers.tick(100);
  for (let turns = 0; turns < 5; turns++) await turn();
  t.mock.timers.reset();
  return { closed };
}

const memberOf = ({ members }: FleetBench, at: number): Member => members[at] as Member;

/** A call to the first process that waits for the answer to its question. `again`: its client has resumed in another process. */
async function asked(bench: FleetBench, again: boolean): Promise<{ headers: Record<string, string>; live: Live; id: string }> {
  const headers = await bench.open(0);
  let live = await bench.call(0, headers, 'confirm');
  const last = (await live.next())?.id;
  const id = await question(live);
  if (again) {
    live.cut();
    live = await bench.get(1, headers, last);
    assert.equal(await question(live), id);
  }
  return { headers, live, id };
}

// A load balancer itself answers 502 while its processes restart.
for (const [what, broken] of [
  ['a balancer that knows no process just then', () => Promise.resolve(new Response('Bad Gateway', { status: 502 }))],
  ['a connection that breaks', () => Promise.reject(new TypeError('fetch failed'))],
] as const) {
  test(`an answer that is lost to ${what} is brought again, and the process that closes meanwhile waits for it`, async (t) => {
    const bench = await startFleet(t, { version, engine: memoryEngine() });
    let lost = 0;
    let closed: Promise<void> | undefined;
    const errors: Error[] = [];
    const client = new McpClient({ name: 'test', version: '1' }, {
      onError: (error) => errors.push(error),
      onElicit() {
        const asking = bench.log.findLast(({ body }) => body.includes('tools/call'));
        closed = memberOf(bench, asking?.member ?? 0).http.close({ drainMs: 20_000 });
        return { action: 'accept', content: { sure: true } };
      },
    });
    t.after(() => client.close());
    await client.connect(httpTransport('http://127.0.0.1:1/mcp', {
      clock: waitingClock(() => new Promise((resolve) => setImmediate(resolve))),
      // Round robin also reaches the process that no longer listens.
      fetch: (input, init) => String(init?.body ?? '').includes('"action"') && lost++ < 2 ? broken() : bench.roundRobin(input, init),
    }));
    const { content } = await client.callTool('confirm');
    assert.deepEqual(content, [{ type: 'text', text: 'accept true' }]);
    assert.ok(lost > 2);
    await closed;
    assert.deepEqual(errors, []);
  });
}

for (const [how, again] of [['goes on', false], ['was cut, and its client came back elsewhere', true]] as const) {
  test(`a process that closes waits for a question whose answer comes by another process: its stream ${how}`, async (t) => {
    const bench = await startFleet(t, { version, engine: memoryEngine() });
    const { headers, live, id } = await asked(bench, again);
    const { closed } = await beginClosing(t, memberOf(bench, 0));
    const answered = await bench.post(2, headers, { jsonrpc: '2.0', id, result: accepted });
    assert.equal(answered.status, 202);
    assert.deepEqual((await read(live)).words, ['result of 1']);
    await closed;
    assert.deepEqual(bench.errors, []);
  });

  test(`a question that nobody answers ends with an error once the time to drain is over: its stream ${how}`, async (t) => {
    const bench = await startFleet(t, { version, engine: memoryEngine() });
    const { headers, live, id } = await asked(bench, again);
    const closed = memberOf(bench, 0).http.close({ drainMs: 300 });
    const { words } = await read(live);
    assert.match(words.join(), /error The process that served this request closed before it answered of 1$/);
    await closed;
  });
}

test('where a process cannot reach the bus, an answer gets 503, and the client may bring it again; where nobody waits, 400', async (t) => {
  const whole = memoryEngine();
  let away = false;
  const engine: FleetEngine = {
    ...whole,
    async join(name) {
      const bus = await whole.join(name);
      return {
        ...bus,
        leaseMs: 200,
        async send(to, message) {
          if (away) throw new Error('no connection');
          return bus.send(to, message);
        },
      };
    },
  };
  const bench = await startFleet(t, { version, engine });
  const headers = await bench.open(0);
  const live = await bench.call(0, headers, 'confirm');
  const id = await question(live);
  const answer = { jsonrpc: '2.0', id, result: accepted };
  away = true;
  const refused = await bench.post(1, headers, answer);
  assert.equal(refused.status, 503);
  const { error } = await refused.json() as { error: { data: unknown } };
  assert.deepEqual(error.data, { code: 'fleet_unreachable' });
  away = false;
  assert.equal((await bench.post(1, headers, answer)).status, 202);
  assert.deepEqual((await read(live)).words, ['result of 1']);
  // For one more lease, nobody can tell whether a process has died or only failed to renew its lease.
  const toNobody = async (): Promise<number> => (await bench.post(1, headers, { ...answer, id: 'nobody-1' })).status;
  assert.equal(await toNobody(), 503);
  while (await toNobody() === 503) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(await toNobody(), 400);
});

test('a GET stream, a modern listen and a session without work do not hold a process that closes', async (t) => {
  const bench = await startFleet(t, { engine: memoryEngine() });
  const headers = await bench.open(0);
  const listening = await bench.get(0, headers);
  await listening.next();
  const carried = await bench.open(1);
  const first = await bench.get(1, carried);
  const known = (await first.next())?.id;
  first.cut();
  const elsewhere = await bench.get(0, carried, known);
  const client = new McpClient({ name: 'test', version: '1' }, { era: 'modern' });
  t.after(() => client.close());
  await client.connect(httpTransport(memberOf(bench, 0).http.url));
  await client.subscribe('note:a');
  // Far less than the drain time.
  const from = performance.now();
  await memberOf(bench, 0).http.close({ drainMs: 60_000 });
  assert.ok(performance.now() - from < 30_000);
  assert.deepEqual((await read(listening)).words.concat((await read(elsewhere)).words), []);
});

test('a process that closes waits for a DELETE whose session the engine is still deleting', async (t) => {
  const whole = memoryEngine();
  let go = (): void => {};
  const allowed = new Promise<void>((resolve) => (go = resolve));
  const engine: FleetEngine = {
    ...whole,
    sessions: {
      ...whole.sessions,
      async delete(id) {
        await allowed;
        return whole.sessions.delete(id);
      },
    },
  };
  const own = await fleet({ keys: [newKey()], engine });
  t.after(() => own.close());
  const handle = fetchHandler(new McpServer({ name: 'test', version: '1' }), { fleet: own });
  const ask = (method: string, headers: Record<string, string>, body?: string): Promise<Response> => handle(new Request('http://localhost/mcp', {
    method, headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }, ...body !== undefined && { body },
  }));
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const opened = await ask('POST', {}, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
  await opened.text();
  const order: string[] = [];
  const answer = ask('DELETE', { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': version })
    .then(({ status }) => order.push(`answered ${status}`));
  for (let turns = 0; turns < 10; turns++) await turn();
  const closed = handle.close({ drainMs: 60_000 }).then(() => order.push('closed'));
  for (let turns = 0; turns < 10; turns++) await turn();
  go();
  await Promise.all([answer, closed]);
  assert.deepEqual(order, ['answered 204', 'closed']);
});
