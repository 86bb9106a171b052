// The process's own streams, signals and exit are scripted: nothing starts, and the process does not exit.
import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import nodeTest from 'node:test';
import type { TestContext } from 'node:test';
import { serveStdio } from '../../../src/transport/stdio/index.ts';
import type { ServeStdioOptions, StdioServing } from '../../../src/transport/stdio/index.ts';
import { fakeServer } from '../http/fake-server.ts';
import type { FakeServer } from '../http/fake-server.ts';
import { settled } from './scripted-child.ts';

interface Own {
  readonly server: FakeServer;
  readonly serving: StdioServing;
  readonly stdin: PassThrough;
  /** The text written to each stream of the process. */
  readonly out: string[];
  readonly err: string[];
  /** The exit codes with which `process.exit` was called. */
  readonly exits: unknown[];
  tick(ms: number): void;
  signal(name: 'SIGINT' | 'SIGTERM'): void;
}

// In a separate process: it replaces the process's own streams.

const signals = ['SIGINT', 'SIGTERM'] as const;
const listening = (): number[] => signals.map((name) => process.listenerCount(name));

const restores: (() => Promise<void>)[] = [];

/** A test that restores the process before it reports a failure, because the test runner needs the real streams. */
function test(title: string, body: (t: TestContext) => Promise<void>): void {
  nodeTest(title, async (t) => {
    try {
      await body(t);
    } finally {
      for (const restore of restores.splice(0).reverse()) await restore();
    }
  });
}

function collecting(into: string[]): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, callback) {
      into.push(chunk.toString());
      callback();
    },
  });
}

function own(t: TestContext, options: ServeStdioOptions = {}, server: FakeServer = fakeServer()): Own {
  const [stdin, out, err, exits]: [PassThrough, string[], string[], unknown[]] = [new PassThrough(), [], [], []];
  const { log, info, debug } = console;
  const { exit, exitCode } = process;
  const real = (['stdin', 'stdout', 'stderr'] as const).map((name) => [name, Object.getOwnPropertyDescriptor(process, name) ?? {}] as const);
  const [stdout, stderr] = [collecting(out), collecting(err)];
  for (const [name, value] of Object.entries({ stdin, stdout, stderr })) Object.defineProperty(process, name, { value, configurable: true });
  process.exit = (code) => void exits.push(code) as never;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const before = signals.map((name) => process.rawListeners(name));
  const serving = serveStdio(server, options);
  restores.push(async () => {
    await serving.close();
    for (const [name, descriptor] of real) Object.defineProperty(process, name, descriptor);
    Object.assign(console, { log, info, debug });
    Object.assign(process, { exit, exitCode });
  });
  return {
    server, serving, stdin, out, err, exits,
    tick: (ms) => t.mock.timers.tick(ms),
    signal(name) {
      const now = process.rawListeners(name).filter((one) => !before[signals.indexOf(name)]?.includes(one));
      for (const one of now) one.call(process, name);
    },
  };
}

const ask = (id: number, method: string, params: object = {}): string => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const pong = '{"jsonrpc":"2.0","id":1,"result":{}}\n';

test('what a program prints goes to stderr while its own stdout is served, and not after close', async (t) => {
  const { log, info, debug } = console;
  const { stdin, serving, out, err } = own(t);
  stdin.write(ask(1, 'ping'));
  await settled();
  assert.deepEqual([console.log, console.info, console.debug], [console.error, console.error, console.error]);
  // `write` must return true, so that a stream piped into stdout never waits.
  assert.equal(process.stdout.write('printed'), true);
  // Node writes its own warnings there too.
  assert.deepEqual([out, err.at(-1)], [[pong], 'printed']);
  await serving.close();
  assert.deepEqual([console.log, console.info, console.debug], [log, info, debug]);
  process.stdout.write('after');
  assert.deepEqual([out.join(''), err.at(-1)], [`${pong}after`, 'printed']);
});

for (const [what, options] of [['it is to be left', { console: false }], ['stdout is another', { stdout: collecting([]) }]] as const) {
  test(`the console is left alone where ${what}`, async (t) => {
    const { log } = console;
    const { out, err } = own(t, options);
    assert.equal(console.log, log);
    process.stdout.write('printed');
    assert.deepEqual([out, err.includes('printed')], [['printed'], false]);
  });
}

test('once stdin has ended, the process has exitMs to end by itself', async (t) => {
  const { stdin, serving, exits, out, tick } = own(t, { exitMs: 50 });
  stdin.end(ask(1, 'ping'));
  await serving.closed;
  // The client may still read output after the last message.
  process.stdout.write('late');
  console.log('late');
  assert.deepEqual(out.join(''), pong);
  tick(49);
  assert.deepEqual(exits, []);
  tick(1);
  assert.deepEqual(exits, [undefined]);
});

test('exitMs is a second where none is given, and 0 is never', async (t) => {
  const { stdin, serving, exits, tick } = own(t);
  stdin.end();
  await serving.closed;
  tick(999);
  assert.equal(exits.length, 0);
  tick(1);
  assert.equal(exits.length, 1);
  t.mock.timers.reset();
  const never = own(t, { exitMs: 0 });
  never.stdin.end();
  await never.serving.closed;
  never.tick(1e9);
  assert.deepEqual(never.exits, []);
});

test('a process ends neither after close nor where its own stdin is not served', async (t) => {
  const closed = own(t);
  await closed.serving.close();
  closed.tick(1e9);
  assert.deepEqual(closed.exits, []);
  t.mock.timers.reset();
  const stdin = new PassThrough();
  const before = listening();
  const other = own(t, { stdin });
  assert.deepEqual(listening(), before);
  stdin.end();
  await other.serving.closed;
  other.tick(1e9);
  assert.deepEqual(other.exits, []);
});

for (const [name, code] of [['SIGTERM', 143], ['SIGINT', 130]] as const) {
  test(`${name} aborts what is in flight, says its exit code, and is not listened to any more`, async (t) => {
    const before = listening();
    const { server, serving, stdin, signal, exits, tick } = own(t, { exitMs: 10, drainMs: 60_000 });
    assert.deepEqual(listening(), before.map((count) => count + 1));
    stdin.write(ask(1, 'wait', { key: 'a' }));
    await server.arrived('a');
    process.exitCode = undefined;
    signal(name);
    assert.equal(process.exitCode, code);
    process.exitCode = undefined;
    const { signal: { aborted, reason } } = server.waiting.get('a')?.inbound ?? assert.fail();
    assert.deepEqual([aborted, (reason as Error).message], [true, `the process received ${name}`]);
    // No listener is left, so a second signal ends the process.
    assert.deepEqual(listening(), before);
    await serving.closed;
    tick(10);
    assert.deepEqual(exits, [undefined]);
  });
}

test('an exit code that somebody has set stays', async (t) => {
  const { signal, serving } = own(t);
  process.exitCode = 3;
  signal('SIGTERM');
  assert.equal(process.exitCode, 3);
  process.exitCode = undefined;
  await serving.closed;
});

test('what is in flight at the end of stdin has drainMs, and is then aborted by that name', async (t) => {
  for (const [options, ms] of [[{ drainMs: 30 }, 30], [{}, 5000]] as const) {
    const { server, serving, stdin, tick } = own(t, options);
    stdin.end(ask(1, 'wait', { key: 'a' }));
    await server.arrived('a');
    await settled();
    const { signal } = server.waiting.get('a')?.inbound ?? assert.fail();
    tick(ms - 1);
    await settled();
    assert.equal(signal.aborted, false);
    tick(1);
    await serving.closed;
    assert.equal((signal.reason as Error).message, 'the client closed stdin');
    t.mock.timers.reset();
  }
});

test('a stream of the process that breaks ends serving by that name', async (t) => {
  const { server, serving, stdin } = own(t);
  stdin.write(ask(1, 'wait', { key: 'a' }));
  await server.arrived('a');
  stdin.destroy(new Error('read EIO'));
  await serving.closed;
  assert.equal((server.waiting.get('a')?.inbound.signal.reason as Error).message, 'a standard stream failed: read EIO');
});

test('limits of serving over pipes: maxNoiseBytes, and a client that sends one byte more is given up', async (t) => {
  const { server, serving, stdin, out } = own(t, { maxNoiseBytes: 300 });
  stdin.write(ask(1, 'wait', { key: 'a' }));
  await server.arrived('a');
  // Each invalid line counts 100 bytes more.
  stdin.write(`${'x'.repeat(199)}\n`);
  await settled();
  assert.match(out.join(''), /-32700/);
  assert.equal(server.waiting.get('a')?.inbound.signal.aborted, false);
  stdin.write('x');
  await serving.closed;
  assert.equal((server.waiting.get('a')?.inbound.signal.reason as Error).message,
    'the client was disconnected: it sent 300 bytes without a message');
});

test('an answer of 10 MiB is told of to nobody, one of a character more to who listens', async (t) => {
  const reported: string[] = [];
  const frame = '{"jsonrpc":"2.0","id":1,"result":{"text":""}}'.length;
  const stdout = new Writable({ decodeStrings: false, write: (_chunk, _encoding, callback) => callback() });
  const server = fakeServer();
  for (const error of [({ message }: Error) => void reported.push(message), undefined]) {
    const stdin = new PassThrough();
    const serving = serveStdio({
      ...server,
      connect: (...peer) => Object.assign(server.connect(...peer), error && { error }),
    }, { stdin, stdout });
    stdin.end(ask(1, 'big', { size: 10 * 1024 * 1024 - frame }) + ask(1, 'big', { size: 10 * 1024 * 1024 - frame + 1 }));
    await serving.closed;
  }
  assert.deepEqual(reported, ['a message of 10485761 characters: the official clients close the pipe above 10 MiB']);
});
