import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { httpTransport } from '../../src/transport/http/fetch/index.ts';
import { liveAt } from '../transport/http/harness.ts';
import type { Live } from '../transport/http/harness.ts';
import { read } from './reading.ts';
import { runProgram } from './running-program.ts';
import type { RunningProgram } from './running-program.ts';
import { programAt } from '../program-at.ts';

const program = programAt('test/fleet/cluster-program.js');

interface Line {
  readonly port?: number;
  readonly pid?: number;
  readonly waits?: number;
  readonly stopped?: number;
  readonly steps?: number;
  readonly exited?: number;
  readonly code?: number;
}

const run = (t: TestContext, ...args: string[]): RunningProgram<Line> => runProgram(t, program, ...args);

const timeout = 60_000;

test('node:cluster: real processes ask, cancel and are killed', { timeout }, async (t) => {
  const { next } = run(t);
  const workers: Line[] = [];
  for (let i = 0; i < 3; i++) workers.push(await next(({ port }) => port !== undefined));
  let turn = 0;
  let session = '';
  const client = new McpClient({ name: 'c', version: '1' }, {
    era: 'legacy', onElicit: () => ({ action: 'accept', content: { sure: true } }),
  });
  t.after(() => client.close());
  await client.connect(httpTransport('http://127.0.0.1:1/mcp', {
    async fetch(_, init) {
      const response = await fetch(`http://127.0.0.1:${workers[turn++ % workers.length]?.port}/mcp`, init);
      session = response.headers.get('mcp-session-id') ?? session;
      return response;
    },
  }));
  const pids = new Set<string | undefined>();
  for (let i = 0; i < 3; i++) {
    const { content } = await client.callTool('confirm');
    const [, pid] = /accept (\d+)/.exec(JSON.stringify(content)) ?? [];
    pids.add(pid);
  }
  assert.ok(!pids.has(undefined) && pids.size > 1, [...pids].join());

  const abort = new AbortController();
  const call = client.callTool('wait', {}, { signal: abort.signal });
  const { waits } = await next((line) => line.waits !== undefined);
  abort.abort(new Error('enough'));
  await assert.rejects(call, /enough/);
  assert.equal((await next((line) => line.stopped !== undefined)).stopped, waits);

  // Kill the process that runs a call: the call ends at once, and the other processes continue the session.
  const doomed = client.callTool('wait').then(() => undefined, (error: unknown) => error);
  const { waits: victim } = await next((line) => line.waits !== undefined);
  process.kill(victim as number, 'SIGKILL');
  await next(({ exited }) => exited === victim);
  assert.ok(await doomed instanceof Error);
  workers.splice(workers.findIndex(({ pid }) => pid === victim), 1);
  for (let i = 0; i < 2; i++) {
    assert.match(JSON.stringify((await client.callTool('confirm')).content), /accept/);
  }
  assert.match(session, /^[\da-f]{32}$/);
});

test('node:cluster: a stream whose process is killed is read on in another one, and ends with an error', { timeout }, async (t) => {
  const { next } = run(t);
  const workers: Line[] = [];
  for (let i = 0; i < 3; i++) workers.push(await next(({ port }) => port !== undefined));
  const send = (worker: number, headers: Record<string, string>, body?: object): Promise<Live> =>
    liveAt(workers[worker]?.port ?? 0, body ? { headers, body } : { method: 'GET', headers });
  const open = await send(0, {}, {
    jsonrpc: '2.0', id: 0, method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  });
  const headers = { 'mcp-session-id': String(open.headers['mcp-session-id']) };
  const call = await send(1, headers, {
    jsonrpc: '2.0', id: 1, method: 'tools/call',
    params: { name: 'steps', arguments: {}, _meta: { progressToken: 1 } },
  });
  const { last, words } = await read(call, 1);
  assert.deepEqual(words, ['progress 1']);
  const { steps: victim } = await next((line) => line.steps !== undefined);
  assert.equal(victim, workers[1]?.pid);
  call.cut();
  const elsewhere = await send(2, { ...headers, 'last-event-id': last ?? '' });
  process.kill(victim as number, 'SIGKILL');
  assert.deepEqual((await read(elsewhere)).words, ['error The process that served this request has gone of 1']);
});

test('node:cluster: a worker whose primary has no relay has no keys, and does not start', { timeout }, async (t) => {
  const { next, errors } = run(t, 'no-relay');
  for (let i = 0; i < 3; i++) assert.equal((await next(({ exited }) => exited !== undefined)).code, 7);
  assert.match(errors(), /the relay did not answer within 300 ms/);
});
