import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { ConnectionError } from '../../../src/jsonrpc/errors.ts';
import type { Decoded, RequestId } from '../../../src/jsonrpc/message.ts';
import type { ClientReceiver, ClientTransport } from '../../../src/transport/client-port.ts';
import { stdioTransport } from '../../../src/transport/stdio/index.ts';
import type { StdioTransportOptions } from '../../../src/transport/stdio/index.ts';
import { within } from '../../within.ts';
import { programAt } from '../../program-at.ts';

const programs = { server: programAt('test/transport/stdio/programs/server.js'), stubborn: programAt('test/transport/stdio/programs/stubborn.js') };

interface Bench {
  readonly transport: ClientTransport;
  readonly receiver: ClientReceiver;
  readonly messages: Decoded[];
  readonly failures: [RequestId, Error][];
  readonly lines: string[];
  /** The arguments of each `error` call. */
  readonly faults: string[];
  /** Resolves with the reason passed to `closed`. */
  readonly closed: Promise<string>;
  /** Resolves when `holds` returns true; checked whenever something has arrived. */
  until(holds: () => boolean): Promise<void>;
  ask(id: number, method: string, params?: object): Promise<Record<string, unknown>>;
}

function bench(t: TestContext, command: string, args: readonly string[], options: StdioTransportOptions = {}): Bench {
  const messages: Decoded[] = [];
  const failures: [RequestId, Error][] = [];
  const lines: string[] = [];
  const faults: string[] = [];
  const waiting = new Set<() => void>();
  const arrived = (): void => waiting.forEach((check) => check());
  let tellClosed: (why: string) => void;
  const closed = new Promise<string>((resolve) => (tellClosed = resolve));
  const receiver: ClientReceiver = {
    message(decoded) {
      messages.push(decoded);
      arrived();
    },
    failed: (id, error) => failures.push([id, error]),
    closed: (why) => tellClosed(why),
    error: (error) => faults.push(error.message),
  };
  const transport = stdioTransport(command, args, {
    ...options,
    onStderr(line) {
      lines.push(line);
      options.onStderr?.(line);
      arrived();
    },
  });
  t.after(() => transport.close());
  const until = (holds: () => boolean): Promise<void> => new Promise((resolve) => {
    const check = (): void => {
      if (!holds()) return;
      waiting.delete(check);
      resolve();
    };
    waiting.add(check);
    check();
  });
  return {
    transport, receiver, messages, failures, faults, lines, closed, until,
    async ask(id, method, params) {
      transport.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }), { id });
      let result: Record<string, unknown> | undefined;
      await until(() => messages.some((decoded) => {
        if (decoded.kind === 'success' && decoded.message.id === id) result = decoded.message.result;
        return result !== undefined;
      }));
      return result ?? {};
    },
  };
}

const server = (t: TestContext, settings: object = {}, options: StdioTransportOptions = {}): Bench =>
  bench(t, process.execPath, [programs.server, JSON.stringify(settings)], options);

/** Runs a program whose source is in the test. */
const script = (t: TestContext, source: string, options: StdioTransportOptions = {}): Bench =>
  bench(t, process.execPath, ['--input-type=module', '-e', source], options);

/** A port to which the programs of a test connect, so that the test sees their end. */
async function lifeline(t: TestContext): Promise<{ port: string; alive: Promise<Socket> }> {
  const listening = createServer().listen(0, '127.0.0.1');
  await once(listening, 'listening');
  t.after(() => listening.close());
  const alive = (async () => {
    const [socket] = await once(listening, 'connection') as [Socket];
    socket.on('error', () => undefined);
    // The program writes when its signal handlers are ready.
    await once(socket, 'data');
    return socket;
  })();
  return { port: String((listening.address() as AddressInfo).port), alive };
}

test('stdioTransport: starts a server, and ends it by closing its stdin', async (t) => {
  const { transport, receiver, messages, lines } = server(t);
  assert.equal(transport.kind, 'pipe');
  await transport.open(receiver);
  await transport.close();
  assert.deepEqual(messages, []);
  assert.deepEqual(lines, ['subscriptions end', 'closed']);
});

test('stdioTransport: messages arrive in order, and trace sees them', async (t) => {
  const trace: string[] = [];
  const { transport, receiver, ask, messages } = server(t, {}, {
    trace: ({ direction, text }) => trace.push(`${direction} ${text.length}`),
  });
  await transport.open(receiver);
  const texts = ['', 'é🙂\r\n', 'x'.repeat(300_000), 'y'];
  const answers = await Promise.all(texts.map((text, index) => ask(index, 'echo', { text })));
  assert.deepEqual(answers, texts.map((text) => ({ text })));
  assert.equal(messages.length, 4);
  assert.equal(trace.filter((entry) => entry.startsWith('sent')).length, 4);
  assert.equal(trace.filter((entry) => entry.startsWith('received')).length, 4);
});

test('stdioTransport: thousands of large messages both ways at once, and none is lost', async (t) => {
  const { transport, receiver, messages, until } = server(t);
  await transport.open(receiver);
  // 32 MiB: more than the pipes hold in both directions, so each end must wait for the other.
  const text = 'x'.repeat(16 * 1024);
  for (let id = 0; id < 2000; id++) {
    transport.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'echo', params: { text } }), { id });
  }
  await until(() => messages.length === 2000);
  assert.ok(messages.every((decoded, id) =>
    decoded.kind === 'success' && decoded.message.id === id && decoded.message.result['text'] === text));
});

test('stdioTransport: a server sees the short list of variables and what is given', async (t) => {
  process.env['BAREWIRE_TEST_SECRET'] = 'secret';
  const { TERM } = process.env;
  process.env['TERM'] = '() { echo; }';
  const { transport, receiver, ask } = server(t, {}, { env: { GIVEN: 'yes', MISSING: undefined, PATH: '/given' } });
  await transport.open(receiver);
  delete process.env['BAREWIRE_TEST_SECRET'];
  if (TERM === undefined) delete process.env['TERM'];
  else process.env['TERM'] = TERM;
  const env = (await ask(1, 'environment'))['env'] as Record<string, string>;
  const names = ['GIVEN', 'HOME', 'LOGNAME', 'PATH', 'SHELL', 'USER'];
  assert.deepEqual(Object.keys(env).filter((name) => !names.includes(name)), []);
  assert.equal(env['GIVEN'], 'yes');
  assert.equal(env['PATH'], '/given');
  assert.equal(env['HOME'], process.env['HOME']);
});

test('stdioTransport: arguments pass as they are, through no shell, in the given directory', async (t) => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'barewire-')));
  t.after(() => rm(directory, { recursive: true }));
  const extra = ['$HOME', '*', 'a b', '; exit 1', ''];
  const { transport, receiver, ask } = bench(
    t, process.execPath, [programs.server, '{}', ...extra], { cwd: directory },
  );
  await transport.open(receiver);
  const { cwd, argv } = await ask(1, 'environment');
  assert.equal(cwd, directory);
  assert.deepEqual(argv, ['{}', ...extra]);
});

test('stdioTransport: stderr comes line by line, whole characters, long lines in pieces', async (t) => {
  const { transport, receiver, lines, closed } = script(t, `
    const bytes = Buffer.from('first\\r\\n\\nsecond é🙂\\n' + 'x'.repeat(10000) + '\\nlast');
    for (const byte of bytes.subarray(0, 24)) {
      await new Promise((done) => process.stderr.write(Buffer.from([byte]), done));
    }
    process.stderr.write(bytes.subarray(24));
  `);
  await transport.open(receiver);
  await closed;
  assert.deepEqual(lines.slice(0, 3), ['first', '', 'second é🙂']);
  assert.equal(lines.at(-1), 'last');
  assert.equal(lines.slice(3, -1).join(''), 'x'.repeat(10_000));
  assert.ok(lines.every((line) => line.length <= 4096));
});

// 2026-07-28 basic/transports/stdio: text on stderr is not a sign of failure.
test('stdioTransport: a server that writes to stderr is asked as before', async (t) => {
  const { transport, receiver, lines, until, ask, failures, faults } = script(t, `
    process.stderr.write('Error: no cache\\n');
    process.stdin.once('data', (line) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: { fine: true } }) + '\\n'));
  `, { graceMs: 20_000 });
  await transport.open(receiver);
  await until(() => lines.includes('Error: no cache'));
  assert.deepEqual(await ask(1, 'ping'), { fine: true });
  assert.deepEqual([failures, faults], [[], []]);
});

test('stdioTransport: a server that dies is told with its exit code and its last lines', async (t) => {
  const { transport, receiver, closed, failures } = script(t, `
    for (let i = 0; i < 100; i++) console.error('line ' + i);
    console.error('cannot open the database');
    process.exitCode = 3;
  `);
  await transport.open(receiver);
  const why = await closed;
  assert.match(why, /^the server exited with code 3; its last lines on stderr:\nline 81\n/);
  assert.match(why, /\nline 99\ncannot open the database$/);
  transport.send('{"jsonrpc":"2.0","id":5,"method":"ping"}', { id: 5 });
  transport.send('{"jsonrpc":"2.0","method":"n"}', {});
  assert.equal(failures.length, 1);
  assert.equal(failures[0]?.[0], 5);
  assert.ok(failures[0]?.[1] instanceof ConnectionError);
});

test('stdioTransport: a server that a signal ends', async (t) => {
  const { transport, receiver, closed } = script(t, `process.kill(process.pid, 'SIGKILL');`);
  await transport.open(receiver);
  assert.equal(await closed, 'the server was ended by SIGKILL');
});

test('stdioTransport: an answer that was written before the end still arrives', async (t) => {
  const { transport, receiver, messages, closed } = script(t, `
    process.stdout.write('{"jsonrpc":"2.0","method":"a"}\\n{"jsonrpc":"2.0","method":"b"}');
  `);
  await transport.open(receiver);
  await closed;
  assert.deepEqual(messages.map((decoded) => decoded.kind === 'notification' && decoded.message.method), ['a', 'b']);
});

test('stdioTransport: a line that is no message is shown, and the next line arrives', async (t) => {
  const { transport, receiver, messages, faults, closed } = script(t, `
    console.log('Server started on stdio');
    console.log('{"level":30,"msg":"listening"}');
    console.log('x'.repeat(2000));
    console.log('{"jsonrpc":"2.0","method":"ok"}');
  `, { maxMessageBytes: 1000 });
  await transport.open(receiver);
  await closed;
  assert.deepEqual(messages.map(({ kind }) => kind), ['refusal', 'notification']);
  const shown = `${process.execPath} wrote a line to stdout that is not a message: `;
  assert.deepEqual(faults, [
    `${shown}"Server started on stdio"`, `${shown}"{\\"level\\":30,\\"msg\\":\\"listening\\"}"`,
  ]);
  assert.ok(messages[0]?.kind === 'refusal' && messages[0].error.message.includes('limit of 1000 bytes'));
});

test('stdioTransport: a program that is not there', async (t) => {
  const { transport, receiver } = bench(t, 'barewire-no-such-program', []);
  await assert.rejects(
    transport.open(receiver),
    /^ConnectionError: Could not start "barewire-no-such-program": there is no such program or directory$/,
  );
  await transport.close();
});

test('stdioTransport: a directory that is not there', async (t) => {
  const { transport, receiver } = bench(t, process.execPath, [], { cwd: '/barewire/no/such/directory' });
  await assert.rejects(
    transport.open(receiver),
    /in \/barewire\/no\/such\/directory: there is no such program or directory/,
  );
});

test('stdioTransport: a command that cannot be one', async (t) => {
  const { transport, receiver } = bench(t, 'a\0b', []);
  await assert.rejects(transport.open(receiver), /null bytes/);
});

test('stdioTransport: a server that goes on without stdin gets SIGTERM', async (t) => {
  const { port, alive } = await lifeline(t);
  const { transport, receiver, lines } = bench(t, process.execPath, [programs.stubborn, port, 'deaf'], {
    graceMs: 200,
    termMs: 60_000,
  });
  await transport.open(receiver);
  const socket = await alive;
  const gone = once(socket, 'close');
  await transport.close();
  await gone;
  assert.equal(lines.at(-1), 'SIGTERM');
});

test('stdioTransport: a server that goes on after SIGTERM is killed', async (t) => {
  const { port, alive } = await lifeline(t);
  const { transport, receiver } = bench(t, process.execPath, [programs.stubborn, port, 'stubborn'], {
    graceMs: 200,
    termMs: 200,
  });
  await transport.open(receiver);
  const socket = await alive;
  const gone = once(socket, 'close');
  try {
    await within('the end of the program', Promise.all([transport.close(), transport.close(), gone]));
  } finally {
    // The program exits when its lifeline closes, and so does any process that waits for it.
    socket.destroy();
  }
});

for (const role of ['grandchild', 'holder']) {
  test(`stdioTransport: no grandchild stays (${role})`, async (t) => {
    const { port, alive } = await lifeline(t);
    const { transport, receiver } = bench(t, process.execPath, [programs.stubborn, port, role], {
      graceMs: 60_000,
      termMs: 50,
    });
    await transport.open(receiver);
    const socket = await alive;
    const gone = once(socket, 'close');
    await transport.close();
    await gone;
  });
}

test('stdioTransport: a server that closes its stdout but goes on is ended', async (t) => {
  const { port, alive } = await lifeline(t);
  const { transport, receiver, closed } = bench(t, process.execPath, [programs.stubborn, port, 'mute'], {
    graceMs: 20,
    termMs: 60_000,
  });
  await transport.open(receiver);
  const gone = once(await alive, 'close');
  assert.match(await closed, /^the server closed its streams, kept running, and exited with code 0/);
  await gone;
});

test('stdioTransport: nothing outlives the process that started it', async (t) => {
  const { port, alive } = await lifeline(t);
  const host = spawn(process.execPath, [programs.stubborn, port, 'host'], { stdio: 'inherit' });
  t.after(() => host.kill('SIGKILL'));
  const [socket] = await Promise.all([alive, once(host, 'exit')]);
  if (!socket.closed) await once(socket, 'close');
});

test('stdioTransport: a signal that ends the process ends what it has started', async (t) => {
  const { port, alive } = await lifeline(t);
  const host = spawn(process.execPath, [programs.stubborn, port, 'doomed'], { stdio: 'inherit' });
  t.after(() => host.kill('SIGKILL'));
  const [socket, [, signal]] = await Promise.all([alive, once(host, 'exit')]);
  assert.equal(signal, 'SIGTERM');
  if (!socket.closed) await once(socket, 'close');
});

test('stdioTransport: a server that asks and never reads is not read, and ended when the time is up', async (t) => {
  // Each answer is longer than its request, so answers pile up: the client must not hold them all.
  const { transport, receiver, closed } = script(t, `
    const pings = '{"jsonrpc":"2.0","id":1,"method":"ping"}\\n'.repeat(1000);
    const go = () => { while (process.stdout.write(pings)); };
    process.stdout.on('drain', go);
    process.on('SIGTERM', () => process.exit());
    go();
  `, { stallMs: 300, graceMs: 50 });
  const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(1000) } });
  let sent = 0;
  await transport.open({
    ...receiver,
    message() {
      sent += answer.length;
      transport.send(answer);
    },
  });
  assert.match(await closed, /^the server was ended: it read none of the answers to its own requests within 300 ms/);
  assert.ok(sent < 80 * 1024 * 1024, `${sent} characters of answers`);
});

test('stdioTransport: a server that reads late is read again', async (t) => {
  const { transport, receiver, until, messages } = script(t, `
    const ask = (id) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, method: 'roots/list' }) + '\\n');
    for (let id = 0; id < 200; id++) ask(id);
    let read = 0;
    process.stderr.write('asked\\n');
    setTimeout(() => process.stdin.on('data', (chunk) => {
      for (const byte of chunk) if (byte === 10) read++;
      if (read === 200) { read++; ask(200); }
    }), 100);
  `);
  const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(20_000) } });
  await transport.open({
    ...receiver,
    message(decoded) {
      transport.send(answer);
      receiver.message(decoded);
    },
  });
  await until(() => messages.length === 201);
});

test('stdioTransport: an answer above the limit is refused with its id, at once', async (t) => {
  const { transport, receiver, messages, until } = server(t, {}, { maxMessageBytes: 100_000 });
  await transport.open(receiver);
  transport.send('{"jsonrpc":"2.0","id":"a","method":"big","params":{"size":300000}}', { id: 'a' });
  await until(() => messages.length === 1);
  const [refusal] = messages;
  assert.ok(refusal?.kind === 'refusal');
  assert.deepEqual([refusal.id, refusal.responseFault], ['a', 'Invalid response: the message is over the limit of 100000 bytes']);
});

test('stdioTransport: the hook for the exit of the process goes with the last server', async (t) => {
  const count = (): number[] => ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name));
  const before = count();
  const [a, b] = [server(t), server(t)];
  await Promise.all([a.transport.open(a.receiver), b.transport.open(b.receiver)]);
  assert.deepEqual(count(), before.map((listeners) => listeners + 1));
  await a.transport.close();
  await b.transport.close();
  assert.deepEqual(count(), before);
});

test('stdioTransport: reopen starts a server that has ended again', async (t) => {
  const { transport, receiver, closed, ask } = server(t);
  await transport.open(receiver);
  await ask(1, 'echo');
  transport.send('{"jsonrpc":"2.0","method":"exit"}');
  assert.match(await closed, /^the server exited with code 7/);
  await transport.reopen?.();
  assert.deepEqual(await ask(2, 'echo', { text: 'again' }), { text: 'again' });
});

test('stdioTransport: reopen ends a server that still runs', async (t) => {
  const { transport, receiver, ask, lines } = server(t);
  await transport.open(receiver);
  await transport.reopen?.();
  assert.deepEqual(lines, ['subscriptions end', 'closed']);
  assert.deepEqual(await ask(1, 'echo', { text: 'second run' }), { text: 'second run' });
});

test('stdioTransport: close during the start leaves nothing running', async (t) => {
  const { transport, receiver, lines } = server(t);
  const opening = transport.open(receiver);
  await transport.close();
  await opening;
  assert.deepEqual(lines, ['subscriptions end', 'closed']);
});

test('stdioTransport: it is opened once', async (t) => {
  const { transport, receiver } = server(t);
  await transport.open(receiver);
  await assert.rejects(transport.open(receiver), /has been opened before/);
});
