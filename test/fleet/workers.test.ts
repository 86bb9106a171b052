import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:http';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { serveWorkers } from '../../src/fleet/node/index.ts';
import { httpTransport } from '../../src/transport/http/node/index.ts';
import { everyNth } from '../every-nth.ts';
import { runProgram } from './running-program.ts';
import type { RunningProgram } from './running-program.ts';
import { programAt } from '../program-at.ts';

const program = programAt('test/fleet/workers-program.js');

interface Line {
  readonly url?: string;
  readonly port?: number;
  readonly listening?: number;
  readonly waits?: number;
  readonly did?: string;
  readonly failed?: string;
}

/** Runs the program; `next` returns the next line with this member. */
function run(t: TestContext, ...args: string[]): Pick<RunningProgram<Line>, 'child'> & { next(name: keyof Line): Promise<Line> } {
  const { child, next } = runProgram<Line>(t, program, ...args);
  child.stderr.pipe(process.stderr);
  return { child, next: (name) => next((line) => line[name] !== undefined) };
}

/** A client that opens a connection for each request, so that each worker gets some requests. */
async function connected(t: TestContext, url: string, era: 'legacy' | 'modern'): Promise<McpClient> {
  const client = new McpClient({ name: 'c', version: '1' }, { era, onElicit: () => ({ action: 'accept', content: { sure: true } }) });
  t.after(() => client.close());
  await client.connect(httpTransport(url, { agent: new Agent({ keepAlive: false }) }));
  return client;
}

async function pidsOf(client: McpClient, count: number): Promise<Set<string>> {
  const found = new Set<string>();
  for (;;) {
    found.add(JSON.stringify((await client.callTool('pid')).content));
    if (found.size >= count) return found;
    // Leaves the processor to a worker that starts.
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const answer = async (client: McpClient, tool: string): Promise<string> => JSON.stringify((await client.callTool(tool)).content);

for (const engine of ['node:http', 'http1'].slice(0, 2 / everyNth(2))) {
  test(`workers on ${engine}: shared sessions, questions, one that is killed, a restart, a close that drains`, { timeout: 120_000 }, async (t) => {
    const { child, next } = run(t, engine);
    const { url = '', port, listening } = await next('url');
    assert.equal(listening, 2);
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/healthz`)).text(), 'ready\n');
    const clients = [await connected(t, url, 'legacy'), await connected(t, url, 'modern')] as const;
    const [legacy, modern] = clients;
    const first = await pidsOf(legacy, 2);
    assert.deepEqual(await pidsOf(modern, 2), first);
    for (const client of clients) for (let i = 0; i < 4; i++) assert.match(await answer(client, 'confirm'), /accept/);

    const [victim] = /\d+/.exec([...first][0] ?? '') ?? assert.fail();
    process.kill(Number(victim), 'SIGKILL');
    assert.match((await next('failed')).failed ?? '', /ended with SIGKILL/);
    // The remaining worker serves the session, and soon a second worker does too.
    await pidsOf(legacy, 1);
    const second = await pidsOf(legacy, 2);
    assert.ok(!second.has([...first][0] ?? ''));

    let restarted = false;
    child.stdin.write('restart\n');
    const over = next('did').then((line) => {
      restarted = true;
      return line;
    });
    let calls = 0;
    while (!restarted) {
      for (const client of clients) assert.match(await answer(client, 'pid'), /\d/);
      calls++;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    assert.equal((await over).listening, 2);
    assert.ok(calls > 0);
    const third = await pidsOf(legacy, 2);
    assert.deepEqual([...third].filter((pid) => second.has(pid)), []);

    child.stdin.write('{"drainMS":1}\n');
    assert.match((await next('failed')).failed ?? '', /close: options\.drainMS is unknown, did you mean drainMs/);
    const call = answer(modern, 'until-told');
    await next('waits');
    child.stdin.write('close\n');
    assert.match(await call, /drained/);
    assert.equal((await next('did')).listening, 0);
    if (child.exitCode === null) await once(child, 'exit');
    assert.equal(child.exitCode, 0);
  });
}

test('workers that cannot serve: the promise rejects', async (t) => {
  const { child, next } = run(t, 'fails');
  assert.match((await next('failed')).failed ?? '', /a worker ended with code 7 before it listened/);
  if (child.exitCode === null) await once(child, 'exit');
  assert.equal(child.exitCode, 1);
});

test('workers: what is not a whole number above 0 is refused', () => {
  for (const workers of [0, -1, 1.5, Number.NaN]) assert.throws(() => serveWorkers(() => Promise.reject(new Error('not served')), { workers }), /serveWorkers/);
});
