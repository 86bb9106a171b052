import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { TraceEntry } from '../../../src/transport/trace.ts';
import { stdioTransport } from '../../../src/transport/stdio/index.ts';
import { pid, scripted, settled, told } from './scripted-child.ts';
import type { How } from './scripted-child.ts';

// In a separate process: it empties the environment and changes `process.platform`.

const KiB = 1024;

/** Stops the timers; `setImmediate` still runs. */
function clock(t: TestContext): (ms: number) => void {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  return (ms) => t.mock.timers.tick(ms);
}

function inEnvironment(t: TestContext, given: Record<string, string | undefined>): void {
  const before = { ...process.env };
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(given)) process.env[name] = value;
  t.after(() => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
  });
}

function onPlatform(t: TestContext, platform: string): void {
  const before = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
  Object.defineProperty(process, 'platform', { ...before, value: platform });
  t.after(() => void Object.defineProperty(process, 'platform', before));
}

const ping = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;

test('a program is started in a group of its own, with the short list of variables and what is given', async (t) => {
  const { started } = scripted(t);
  inEnvironment(t, { HOME: '/home', LOGNAME: 'a', PATH: '/bin', SHELL: '() { :; }', TERM: '', USER: 'b', SECRET: 's', APPDATA: 'no' });
  await stdioTransport('run', ['a b'], { cwd: '/there', env: { GIVEN: '1', PATH: '/given', UNSET: undefined } }).open(told());
  assert.deepEqual(started, [['run', ['a b'], {
    cwd: '/there', detached: true, env: { HOME: '/home', LOGNAME: 'a', PATH: '/given', TERM: '', USER: 'b', GIVEN: '1' },
  }]]);
});

test('messages pass as lines, and trace sees them', async (t) => {
  const { children: [child] = [], ...rest } = await opened(t);
  const { transport, to, seen } = rest;
  assert.equal(transport.kind, 'pipe');
  const note = '{"jsonrpc":"2.0","method":"note","params":{"text":"é🙂"}}';
  transport.send(ping(1), { id: 1, method: 'ping' });
  transport.send(note, { method: 'note' });
  await settled();
  assert.deepEqual(child?.written, [`${ping(1)}\n${note}\n`]);
  child?.stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","id":1.5,"method":"x"}\nlog\n');
  await settled();
  assert.deepEqual(to.messages.map(({ kind }) => kind), ['success']);
  assert.deepEqual(to.errors, [
    'run wrote a line to stdout that is not a message: "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1.5,\\"method\\":\\"x\\"}"',
    'run wrote a line to stdout that is not a message: "log"',
  ]);
  // An invalid message gets no answer.
  assert.deepEqual(child?.written, [`${ping(1)}\n${note}\n`]);
  assert.deepEqual(seen.map(({ direction, text }) => `${direction} ${text}`), [
    `sent ${ping(1)}`, `sent ${note}`, 'received {"jsonrpc":"2.0","id":1,"result":{}}', 'received {"jsonrpc":"2.0","id":1.5,"method":"x"}', 'received log',
  ]);
});

async function opened(t: TestContext, options: Parameters<typeof stdioTransport>[2] = {}, how: How = {}) {
  const play = scripted(t, undefined, how);
  const seen: TraceEntry[] = [];
  const to = told();
  const transport = stdioTransport('run', [], { trace: (entry) => void seen.push(entry), ...options });
  await transport.open(to);
  return { ...play, seen, to, transport };
}

test('the end, step by step: stdin is closed, SIGTERM, SIGKILL, and the pipes are let go', async (t) => {
  const tick = clock(t);
  const { children, kills } = scripted(t);
  // Given times, and the defaults.
  for (const [options, graceMs, termMs] of [[{ graceMs: 20, termMs: 10 }, 20, 10], [{}, 2000, 2000]] as const) {
    kills.length = 0;
    const to = told();
    const transport = stdioTransport('run', [], options);
    await transport.open(to);
    const child = children.at(-1);
    assert.ok(child);
    transport.send(ping(1), { id: 1, method: 'ping' });
    const closed = transport.close();
    let over = false;
    void closed.then(() => (over = true));
    await settled();
    // The last message is written before the end.
    assert.deepEqual([child.written.join(''), child.stdin.writableFinished, kills], [`${ping(1)}\n`, true, []]);
    tick(graceMs - 1);
    await settled();
    assert.deepEqual(kills, []);
    tick(1);
    await settled();
    assert.deepEqual(kills, [[-pid, 'SIGTERM']]);
    tick(termMs - 1);
    await settled();
    assert.deepEqual([kills.length, child.stdout.destroyed, child.stderr.destroyed], [1, false, false]);
    tick(1);
    await settled();
    assert.deepEqual(kills.slice(1), [[-pid, 'SIGKILL']]);
    assert.deepEqual([child.stdout.destroyed, child.stderr.destroyed, over], [true, true, false]);
    child.end(null, 'SIGKILL');
    await closed;
    // `close` by the caller is not reported to the receiver, and the child gets no more signals.
    assert.deepEqual([to.closings, kills.length], [[], 3]);
    transport.send(ping(2), { id: 2, method: 'ping' });
    transport.send('{"jsonrpc":"2.0","method":"n"}', { method: 'n' });
    assert.deepEqual(to.failures, [[2, 'run: the server is not running']]);
  }
});

test('a program that ends in time gets SIGTERM and SIGKILL for its group alone, and no timer is waited for', async (t) => {
  clock(t);
  const { children: [child], kills, transport } = await opened(t);
  const closed = transport.close();
  child?.emit('exit', 0, null);
  await settled();
  // The process itself has exited, but a process that it started holds its pipes.
  assert.deepEqual(kills, [[-pid, 'SIGTERM']]);
  child?.end(0);
  await closed;
  assert.deepEqual(kills, [[-pid, 'SIGTERM'], [-pid, 'SIGKILL']]);
});

test('how a program ended is told, with its last lines', async (t) => {
  const cases: [code: number | null, signal: NodeJS.Signals | null, stderr: string, why: string][] = [
    [0, null, '', 'the server exited with code 0'],
    [3, null, 'one\r\ntwo', 'the server exited with code 3; its last lines on stderr:\none\ntwo'],
    [null, 'SIGSEGV', '\n', 'the server was ended by SIGSEGV'],
  ];
  for (const [code, signal, stderr, why] of cases) {
    const { children, to } = await opened(t);
    const child = children.at(-1);
    child?.stderr.end(stderr);
    await settled();
    child?.end(code, signal);
    await settled();
    assert.deepEqual(to.closings, [why]);
  }
});

test('a program that closes its output, or its input, is ended, and told so where it had to be', async (t) => {
  for (const breaks of ['stdout', 'stdin'] as const) {
    const tick = clock(t);
    const { children, kills, to } = await opened(t, { graceMs: 5 });
    const child = children.at(-1);
    if (breaks === 'stdout') child?.stdout.end();
    else child?.stdin.destroy(new Error('EPIPE'));
    await settled();
    tick(5);
    await settled();
    assert.deepEqual(kills, [[-pid, 'SIGTERM']]);
    child?.end(0);
    await settled();
    assert.deepEqual(to.closings, ['the server closed its streams, kept running, and exited with code 0'], breaks);
    t.mock.timers.reset();
  }
});

test('answers that nobody reads: 1 MiB may wait, and for more the program is not read, and ended', async (t) => {
  const tick = clock(t);
  const { children: [child], to, transport } = await opened(t, { stallMs: 100, graceMs: 5 }, { slow: true });
  assert.ok(child);
  const heard = async (): Promise<number> => {
    child.stdout.write('{"jsonrpc":"2.0","method":"n"}\n');
    await settled();
    return to.messages.length;
  };
  // The client's own requests do not count.
  transport.send(ping(1).padEnd(2000 * KiB), { id: 1, method: 'ping' });
  transport.send('x'.repeat(1024 * KiB));
  assert.equal(await heard(), 1);
  tick(100);
  assert.equal(await heard(), 2);
  transport.send('y');
  assert.equal(await heard(), 2);
  // A second message over the limit does not start a second timer.
  tick(60);
  transport.send('y');
  tick(39);
  await settled();
  assert.equal(child.stdin.writableEnded, false);
  tick(1);
  await settled();
  assert.equal(child.stdin.writableEnded, true);
  child.end(null, 'SIGTERM');
  await settled();
  assert.deepEqual(to.closings, ['the server was ended: it read none of the answers to its own requests within 100 ms']);
});

test('a program that reads late is read again, and its clock is stopped', async (t) => {
  const tick = clock(t);
  const { children: [child], to, transport } = await opened(t, { stallMs: 100 }, { slow: true });
  assert.ok(child);
  for (let round = 1; round <= 2; round++) {
    transport.send('x'.repeat(1024 * KiB + 1));
    child.stdout.write('{"jsonrpc":"2.0","method":"n"}\n');
    await settled();
    assert.equal(to.messages.length, round - 1);
    child.take();
    await settled();
    assert.equal(to.messages.length, round);
    tick(1000);
    // Bytes that the child has read no longer count.
    transport.send('x'.repeat(600 * KiB));
    child.stdout.resume();
    await settled();
    child.take();
    await settled();
  }
  assert.equal(child.stdin.writableEnded, false);
});

test('limits of a client over pipes: maxMessageBytes and maxNoiseBytes, and one byte more', async (t) => {
  const message = '{"jsonrpc":"2.0","id":1,"result":{}}';
  const fits = await opened(t, { maxMessageBytes: message.length, maxNoiseBytes: message.length + 1 });
  fits.children[0]?.stdout.write(`${message}\n`);
  await settled();
  assert.deepEqual([fits.to.messages.map(({ kind }) => kind), fits.to.closings], [['success'], []]);
  const not = await opened(t, { maxMessageBytes: message.length - 1 });
  not.children.at(-1)?.stdout.write(`${message}\n`);
  await settled();
  assert.deepEqual(not.to.messages.map(({ kind }) => kind), ['refusal']);
  const noisy = await opened(t, { maxNoiseBytes: 200 });
  const child = noisy.children.at(-1);
  // Each invalid line counts 100 bytes more.
  child?.stdout.write(`${'x'.repeat(99)}\n`);
  await settled();
  assert.equal(child?.stdin.writableEnded, false);
  child?.stdout.write('x');
  await settled();
  assert.equal(child?.stdin.writableEnded, true);
  child?.end(0);
  await settled();
  assert.deepEqual(noisy.to.closings, ['the server was ended: it sent 200 bytes without a message']);
});

test('a program that cannot be started', async (t) => {
  const cases: [error: NodeJS.ErrnoException, cwd: string | undefined, why: string][] = [
    [Object.assign(new Error('spawn ENOENT'), { code: 'ENOENT' }), undefined, 'Could not start "run": there is no such program or directory'],
    [Object.assign(new Error('spawn EACCES'), { code: 'EACCES' }), '/there', 'Could not start "run" in /there: spawn EACCES'],
  ];
  for (const [error, cwd, message] of cases) {
    scripted(t, (child) => child.emit('error', error));
    const transport = stdioTransport('run', [], { cwd });
    await assert.rejects(transport.open(told()), { name: 'ConnectionError', reason: 'closed', message });
    await transport.close();
  }
});

test('reopen starts it again, and not before it was opened', async (t) => {
  const { started, children: [child], to } = await opened(t);
  const fresh = stdioTransport('run');
  await assert.rejects(async () => fresh.reopen?.(), /has not been opened/);
  assert.equal(started.length, 1);
  child?.end(1);
  await settled();
  assert.equal(to.closings.length, 1);
});

test('reopen ends the run before it, of which nothing is told any more', async (t) => {
  const play = scripted(t);
  const to = told();
  const transport = stdioTransport('run');
  await transport.open(to);
  await assert.rejects(transport.open(to), /has been opened before/);
  const again = transport.reopen?.();
  await settled();
  assert.equal(play.children.length, 1);
  play.children[0]?.end(0);
  await again;
  assert.deepEqual([play.children.length, to.closings], [2, []]);
  transport.send(ping(1), { id: 1, method: 'ping' });
  await settled();
  assert.deepEqual(play.children.map(({ written }) => written.join('')), ['', `${ping(1)}\n`]);
  const closed = transport.close();
  play.children[1]?.end(0);
  await closed;
});

test('a signal that ends this process is passed on, unless somebody else listens; and so is the exit', async (t) => {
  const listeners = (name: string): Function[] => process.rawListeners(name);
  const [exits, hangups] = [listeners('exit'), listeners('SIGHUP')];
  const { children: [child], kills } = await opened(t);
  const exit = listeners('exit').filter((one) => !exits.includes(one));
  const hangup = listeners('SIGHUP').filter((one) => !hangups.includes(one));
  assert.deepEqual([exit.length, hangup.length], [1, 1]);
  exit[0]?.call(process, 0);
  assert.deepEqual(kills.splice(0), [[-pid, 'SIGKILL']]);
  const other = (): void => {};
  process.on('SIGHUP', other);
  hangup[0]?.call(process, 'SIGHUP');
  assert.deepEqual(kills, []);
  process.off('SIGHUP', other);
  hangup[0]?.call(process, 'SIGHUP');
  assert.deepEqual(kills.splice(0), [[-pid, 'SIGTERM'], [process.pid, 'SIGHUP']]);
  assert.deepEqual([listeners('exit'), listeners('SIGHUP')], [exits, hangups]);
  child?.end(0);
  await settled();
});

test('on Windows: a batch file in cmd.exe, the variables of that system, and taskkill for all that was started', async (t) => {
  onPlatform(t, 'win32');
  inEnvironment(t, { PATH: 'C:\\bin', APPDATA: 'C:\\data', HOME: '/no', PATHEXT: '.CMD', SYSTEMROOT: 'C:\\Win', TEMP: '() { :; }' });
  const { statSync } = fs;
  Object.assign(fs, { statSync: (path: string) => (path.startsWith('C:\\bin\\') ? { isFile: () => path === 'C:\\bin\\tool.CMD' } : undefined) });
  t.after(() => {
    Object.assign(fs, { statSync });
    syncBuiltinESMExports();
  });
  const { started, children, kills, transport } = await opened(t);
  assert.equal(started[0]?.[0], 'run');
  const batch = stdioTransport('tool', ['a'], { cwd: 'C:\\there' });
  const to = told();
  await batch.open(to);
  const env = { APPDATA: 'C:\\data', PATH: 'C:\\bin', SYSTEMROOT: 'C:\\Win' };
  assert.deepEqual(started[1], ['C:\\Win\\System32\\cmd.exe', ['/d', '/e:ON', '/v:OFF', '/s', '/c', '""C:\\bin\\tool.CMD" a"'], {
    env, cwd: 'C:\\there', windowsHide: true, windowsVerbatimArguments: true,
  }]);
  const bad = stdioTransport('tool', ['a\nb']);
  await assert.rejects(bad.open(told()), /^ConnectionError: Could not start "tool": "a\\nb" has a line break or U\+0000, which a batch file cannot receive$/);
  const tick = clock(t);
  const closed = batch.close();
  await settled();
  tick(2000);
  await settled();
  // taskkill is found through the environment of this process, not that of the child.
  assert.deepEqual(started.slice(2), [['C:\\Win\\System32\\taskkill.exe', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }]]);
  children[2]?.emit('error', new Error('no taskkill'));
  assert.equal(children[1]?.killed, 1);
  tick(1999);
  await settled();
  assert.equal(started.length, 3);
  children[1]?.end(1);
  await closed;
  // By then another process may have this pid.
  assert.equal(started.length, 3);
  children[0]?.end(null, 'SIGTERM');
  await settled();
  assert.deepEqual([started.length, kills], [3, []]);
  await transport.close();
});

test('a program without a number gets no signal', async (t) => {
  const { children: [child], kills, transport } = await opened(t, {}, { numbered: false });
  const closed = transport.close();
  child?.end(0);
  await closed;
  assert.deepEqual(kills, []);
});
