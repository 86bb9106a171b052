import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { programAt } from '../../program-at.ts';

interface Answer {
  id: number | string | null;
}

const ask = (id: number | string, method: string, params?: object): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

const program = programAt('test/transport/stdio/programs/server.js');

interface Child extends ChildProcessWithoutNullStreams {
  out: string;
  err: string;
}

const run = (t: TestContext, options: object = {}): Child =>
  watch(t, spawn(process.execPath, [program, JSON.stringify(options)]));

function watch(t: TestContext, spawned: ChildProcessWithoutNullStreams): Child {
  const child = Object.assign(spawned, { out: '', err: '' });
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (child.out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (child.err += chunk));
  child.stdin.on('error', () => undefined);
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** Resolves when the child has written this to stderr. */
async function said(child: Child, text: string): Promise<void> {
  while (!child.err.includes(text)) await once(child.stderr, 'data');
}

const ended = async (child: Child): Promise<unknown[]> => {
  const [code, signal] = await once(child, 'close') as unknown[];
  return [code, signal];
};

test('serveStdio: whatever a tool prints goes to stderr', async (t) => {
  const child = run(t);
  child.stdin.end(ask(1, 'talk') + ask(2, 'ping2'));
  assert.deepEqual(await ended(child), [0, null]);
  assert.deepEqual(child.out.trim().split('\n').map((line) => (JSON.parse(line) as Answer).id), [1, 2]);
  for (const way of ['log 1', 'info', 'debug', 'group', 'count', 'write', 'bytes']) {
    assert.ok(child.err.includes(`by ${way}`), `by ${way}: ${child.err}`);
  }
  assert.match(child.err, /by: 'dir'/);
  assert.match(child.err, /'table'/);
});

test('serveStdio: the console can be left alone', async (t) => {
  const child = run(t, { console: false });
  child.stdin.end(ask(1, 'talk'));
  await ended(child);
  assert.match(child.out, /by log 1\n/);
});

test('serveStdio: the console is given back by close', async (t) => {
  const index = new URL('../../../src/transport/stdio/index.js', import.meta.url);
  const child = watch(t, spawn(process.execPath, ['--input-type=module', '-e', `
    import { serveStdio } from ${JSON.stringify(index.href)};
    const peer = { receive() {}, close() {}, idle: async () => {}, inFlight: 0 };
    const serving = serveStdio({ clock: { now: Date.now, after() {} }, revisions: [], connect: () => peer });
    console.log('while serving');
    await serving.close();
    console.log('by log');
    process.stdout.write('by write\\n');
  `]));
  // stdin stays open: unless close released it, the process would not end.
  assert.deepEqual(await ended(child), [0, null]);
  assert.equal(child.err, 'while serving\n');
  assert.equal(child.out, 'by log\nby write\n');
});

test('serveStdio: the process ends by itself once stdin has, with all answers written', async (t) => {
  const child = run(t);
  child.stdin.end(ask(1, 'later') + ask(2, 'big', { size: 3_000_000 }));
  assert.deepEqual(await ended(child), [0, null]);
  assert.equal(child.out.length, 3_000_000 + '{"jsonrpc":"2.0","id":2,"result":{"text":""}}\n'.length
    + '{"jsonrpc":"2.0","id":1,"result":{"later":true}}\n'.length);
  assert.equal(child.err, 'subscriptions end\nclosed\n');
});

test('serveStdio: a process that something keeps alive is ended', async (t) => {
  const child = run(t, { alive: true, exitMs: 1 });
  child.stdin.end(ask(1, 'later'));
  assert.deepEqual(await ended(child), [0, null]);
  assert.match(child.out, /later/);
});

for (const [signal, code] of [['SIGTERM', 143], ['SIGINT', 130]] as const) {
  test(`serveStdio: ${signal} aborts what is in flight and ends the process in order`, async (t) => {
    const child = run(t, { alive: true, exitMs: 1 });
    child.stdin.write(ask(1, 'later') + ask(2, 'hang'));
    await said(child, 'hanging');
    while (!child.out.includes('later')) await once(child.stdout, 'data');
    child.kill(signal);
    assert.deepEqual(await ended(child), [code, null]);
    assert.match(child.err, new RegExp(`aborted: the process received ${signal}\n(.*\n)*closed`));
  });
}

test('serveStdio: a second signal does not wait for a client that reads no more', async (t) => {
  const child = run(t, { drainMs: 60_000 });
  child.stdout.removeAllListeners('data').pause();
  child.stdin.write(ask(1, 'hang') + ask(2, 'big', { size: 10_000_000 }));
  await said(child, 'hanging');
  child.kill('SIGTERM');
  await said(child, 'aborted');
  child.kill('SIGTERM');
  const [, signal] = await once(child, 'exit') as unknown[];
  assert.equal(signal, 'SIGTERM');
});

test('serveStdio: a client that has closed stdout ends the process quietly', async (t) => {
  const child = run(t, { alive: true, exitMs: 1 });
  child.stdin.write(ask(1, 'hang'));
  await said(child, 'hanging');
  child.stdout.destroy();
  child.stdin.write(ask(2, 'later'));
  assert.deepEqual(await ended(child), [0, null]);
  assert.match(child.err, /aborted: a standard stream failed: write EPIPE/);
  assert.doesNotMatch(child.err, /\bat /);
});
