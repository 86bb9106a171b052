// A peer that sends as fast as it is read, in either role: another peer is still answered, and few faults are reported. Each
// flood is always ready to read, so that a reader that stops only at an empty buffer reads all of it.
import assert from 'node:assert/strict';
import { PassThrough, Readable, Writable } from 'node:stream';
import test from 'node:test';
import { systemClock } from '../src/bounds/clock.ts';
import { McpClient } from '../src/client/index.ts';
import { McpServer } from '../src/server/index.ts';
import { httpTransport } from '../src/transport/http/fetch/index.ts';
import { memoryTransport } from '../src/transport/memory.ts';
import { messagePortTransport, serveMessagePort } from '../src/transport/message-port.ts';
import type { MessagePortLike, PortEvent } from '../src/transport/message-port.ts';
import { serveStdio } from '../src/transport/stdio/index.ts';
import { readMessages } from '../src/transport/stdio/reading.ts';
import { peerBudget, processBudget } from '../src/bounds/budget.ts';
import { decode } from '../src/jsonrpc/message.ts';
import { everyNth } from './every-nth.ts';
import { random } from './hostile/mutations.ts';
import type { Random } from './hostile/mutations.ts';

// In a process of its own: it takes long.

/** Lines that are not messages. */
const lines: Record<string, (by: Random) => string> = {
  'lines of a log': (by) => `2026-11-22 12:00:00 request ${by.int(1e6)} took ${by.int(1000)} ms`,
  'JSON that breaks off': (by) => by.pick(['{', '[', '"', '{"jsonrpc":"2.0","id":', '[{"a":']),
  'single letters': (by) => by.pick(['x', 'null', '1']),
  'no messages': (by) => by.pick(['{}', '[]', '{"jsonrpc":"1.0","id":1,"method":"ping"}', `{"jsonrpc":"2.0","id":${by.int(1e6)}}`]),
  'answers to nothing': (by) => `{"jsonrpc":"2.0","id":${1e6 + by.int(1e6)},"result":{}}`,
  'errors of nothing': (by) => `{"jsonrpc":"2.0","id":${1e6 + by.int(1e6)},"error":{"code":-1,"message":"${'x'.repeat(by.int(300))}"}}`,
  'notifications that nobody knows': (by) => `{"jsonrpc":"2.0","method":"notifications/${by.int(100)}","params":{"data":"${'x'.repeat(by.int(2000))}"}}`,
  'malformed progress': (by) => `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${by.int(5)},"progress":"half"}}`,
  'bytes that are not UTF-8': () => '\xff\xfe',
};
const kinds = Object.keys(lines);
lines['all of them'] = (by) => lines[by.pick(kinds)]?.(by) ?? '';

const chunkBytes = 64 * 1024;

/** A chunk of 64 KiB of such lines; `frame` wraps a line for the transport. */
function chunkOf(kind: string, frame: (line: string) => string): Buffer {
  const by = random(kind.length);
  let text = '';
  while (text.length < chunkBytes) text += frame(lines[kind]?.(by) ?? '');
  return Buffer.from(text, 'latin1');
}

const most = 1500;

/** The same chunk repeatedly, 96 MB in all; `left`: the number of chunks still to come. */
interface Flood {
  left: number;
  next(): Buffer | null;
}

function floodOf(kind: string, frame: (line: string) => string): Flood {
  const chunk = chunkOf(kind, frame);
  return {
    left: most,
    next() {
      return this.left-- > 0 ? chunk : null;
    },
  };
}

/** Allows eleven reports per second from each of two places, and as many at the end. */
function few(told: number, began: number): void {
  const seconds = 2 + (performance.now() - began) / 1000;
  assert.ok(told <= 22 * seconds, `${told} faults were told in ${seconds} s`);
}

/** Sends five requests of another peer, one after the other, during the flood. */
async function askMeanwhile(flood: Flood, ask: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < 5; n++) await ask();
  assert.ok(flood.left > 0, 'the innocent peer was answered only when the flood was over');
  assert.ok(flood.left < most, 'the flood had not begun');
}

/** A port whose runtime delivers all received messages in one turn. */
class FloodedPort implements MessagePortLike {
  readonly said: string[] = [];
  #listener: ((event: PortEvent) => void) | undefined;

  addEventListener(type: string, listener: (event: PortEvent) => void): void {
    if (type === 'message') this.#listener = listener;
  }

  removeEventListener(type: string): void {
    if (type === 'message') this.#listener = undefined;
  }

  postMessage(message: string): void {
    this.said.push(message);
  }

  hand(data: unknown): void {
    this.#listener?.({ type: 'message', data });
  }

  /** Delivers 24 MB of such messages, or 200,000 if they are short; returns their number. */
  flood(kind: string): number {
    const by = random(kind.length);
    const some = Array.from({ length: 100 }, () => lines[kind]?.(by) ?? '');
    const many = Math.min(200_000, Math.round(24e8 / some.join('').length));
    for (let n = 0; n < many; n++) this.hand(some[n % some.length]);
    return many;
  }
}

const onceMore = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

for (const kind of Object.keys(lines).filter((_, at) => at % everyNth(3) === 0)) {
  test(`a flood of ${kind}: a server over a pipe answers its other clients, and tells of few faults`, async () => {
    let told = 0;
    const began = performance.now();
    const server = new McpServer({ name: 'flooded', version: '1.0.0' }, { onError: () => told++ });
    const flood = floodOf(kind, (line) => `${line}\n`);
    const stdin = new Readable({
      read() {
        this.push(flood.next());
      },
    });
    const unread = new Writable({ write: (_chunk, _encoding, done) => done() });
    const flooded = serveStdio(server, { stdin, stdout: unread, maxNoiseBytes: 1e12 });
    const innocent = new McpClient({ name: 'innocent', version: '1.0.0' });
    await innocent.connect(memoryTransport(server));
    await askMeanwhile(flood, async () => {
      await innocent.ping();
      await onceMore();
    });
    await flooded.close();
    await innocent.close();
    few(told, began);
  });

  test(`a flood of ${kind}: a client over HTTP hears its other servers, and tells of few faults`, async () => {
    let told = 0;
    const began = performance.now();
    const flood = floodOf(kind, (line) => `data: ${line}\n\n`);
    const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
      const { id, method } = JSON.parse(String(init?.body)) as { id: number; method: string };
      if (method === 'server/discover') {
        const capabilities = { tools: {} };
        const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities, serverInfo: { name: 'floods', version: '1' }, ttlMs: 0, cacheScope: 'private' };
        return Response.json({ jsonrpc: '2.0', id, result });
      }
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          const chunk = init?.signal?.aborted ? null : flood.next();
          if (chunk) controller.enqueue(chunk);
          else controller.close();
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const flooded = new McpClient({ name: 'flooded', version: '1.0.0' }, { onError: () => told++, era: 'modern' });
    await flooded.connect(httpTransport('http://127.0.0.1:1/mcp', { fetch: fetch as typeof globalThis.fetch, limits: { maxNoiseBytes: 1e12 } }));
    const calling = new AbortController();
    const call = flooded.callTool('anything', {}, { signal: calling.signal }).catch(() => {});
    const innocent = new McpClient({ name: 'innocent', version: '1.0.0' });
    await innocent.connect(memoryTransport(new McpServer({ name: 'innocent', version: '1.0.0' })));
    while (flood.left === most) await onceMore();
    await askMeanwhile(flood, async () => {
      await innocent.ping();
      await onceMore();
    });
    calling.abort();
    await call;
    await Promise.all([flooded.close(), innocent.close()]);
    few(told, began);
  });
}

for (const kind of Object.keys(lines).filter((_, at) => at % everyNth(3) === 0)) {
  for (const role of ['server', 'client']) {
    test(`a flood of ${kind}: a ${role} behind a port hears others, and tells of few faults`, async () => {
      let told = 0;
      let read = 0;
      const began = performance.now();
      const port = new FloodedPort();
      const options = { trace: ({ direction }: { direction: string }) => void (direction === 'received' && read++), maxNoiseBytes: 1e12 };
      const innocent = new McpClient({ name: 'innocent', version: '1.0.0' });
      await innocent.connect(memoryTransport(new McpServer({ name: 'innocent', version: '1.0.0' })));
      let close: () => unknown;
      if (role === 'server') {
        ({ close } = serveMessagePort(new McpServer({ name: 'flooded', version: '1.0.0' }, { onError: () => told++ }), port, options));
      } else {
        const flooded = new McpClient({ name: 'flooded', version: '1.0.0' }, { onError: () => told++, era: 'modern' });
        void flooded.connect(messagePortTransport(port, options)).catch(() => {});
        close = () => flooded.close();
      }
      await onceMore();
      const most = port.flood(kind);
      for (let n = 0; n < 3; n++) await innocent.ping();
      assert.ok(read > 0 && read < most, `${read} messages were read before another peer was heard`);
      await close();
      await innocent.close();
      few(told, began);
    });
  }
}

test('a flood over a port: what waits is charged, is read in its order, and is given back', async () => {
  const port = new FloodedPort();
  const before = processBudget().used;
  const serving = serveMessagePort(new McpServer({ name: 'flooded', version: '1.0.0' }), port);
  const most = 20_000;
  for (let id = 0; id < most; id++) port.hand(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
  assert.ok(processBudget().used - before > 64 * 1024, 'what waits was not charged');
  while (port.said.length < most) await onceMore();
  assert.deepEqual(port.said.map((text) => (JSON.parse(text) as { id: number }).id), Array.from({ length: most }, (_, id) => id));
  for (let id = 0; id < most; id++) port.hand(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
  serving.close();
  assert.equal(processBudget().used, before);
  await onceMore();
  assert.equal(processBudget().used, before);
});

test('maxNoiseBytes: who sends nothing but garbage over a port is not listened to any further', async () => {
  const port = new FloodedPort();
  const serving = serveMessagePort(new McpServer({ name: 'server', version: '1.0.0' }), port, { maxNoiseBytes: 10_000 });
  const some = (count: number): void => {
    for (let n = 0; n < count; n++) port.hand('no message');
  };
  // 45 bad messages, a good one, 45 more: the good one starts the count again.
  some(45);
  port.hand('{"jsonrpc":"2.0","id":"first","method":"ping"}');
  some(45);
  port.hand('{"jsonrpc":"2.0","id":"second","method":"ping"}');
  while (!port.said.join('').includes('"second"')) await onceMore();
  some(100);
  await serving.closed;

  const mute = new FloodedPort();
  const client = new McpClient({ name: 'client', version: '1.0.0' }, { era: 'modern' });
  const connecting = client.connect(messagePortTransport(mute, { maxNoiseBytes: 10_000 }));
  while (mute.said.length === 0) await onceMore();
  for (let n = 0; n < 100; n++) mute.hand('no message');
  await assert.rejects(connecting, /the server was disconnected: it sent 10000 bytes without a message/);
  await client.close();
});

test('maxNoiseBytes: a client that writes nothing but garbage is not served any further, over a pipe', async () => {
  const written: string[] = [];
  const stdin = new PassThrough();
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const serving = serveStdio(new McpServer({ name: 'server', version: '1.0.0' }), { stdin, stdout, maxNoiseBytes: 10_000 });
  // 45 bad lines, a good message, 45 more: the good one starts the count again.
  const half = 'no message\n'.repeat(45);
  stdin.write(`${half}{"jsonrpc":"2.0","id":"first","method":"ping"}\n${half}`);
  while (!written.join('').includes('"first"')) await onceMore();
  stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  stdin.write(half + half + half);
  await serving.closed;
});

test('maxNoiseBytes: a stream of events that carries no message is given up by name', async () => {
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const { id, method } = JSON.parse(String(init?.body)) as { id: number; method: string };
    if (method === 'server/discover') {
      const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, serverInfo: { name: 'noisy', version: '1' }, ttlMs: 0, cacheScope: 'private' };
      return Response.json({ jsonrpc: '2.0', id, result });
    }
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(Buffer.from('data: no message\n\n'.repeat(10))),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const client = new McpClient({ name: 'client', version: '1.0.0' }, { era: 'modern' });
  await client.connect(httpTransport('http://127.0.0.1:1/mcp', { fetch: fetch as typeof globalThis.fetch, limits: { maxNoiseBytes: 100_000 } }));
  await assert.rejects(client.callTool('anything'), /the stream was closed: it sent 100000 bytes without a message/);
  await client.close();
});

test('reading in turns: what is held back comes in order, once it is released, and so does the end', async () => {
  const stream = new PassThrough();
  const heard: unknown[] = [];
  const ended = new Promise<void>((resolve) => {
    const reading = readMessages(stream, {
      trace: undefined, clock: systemClock, budget: peerBudget(), decode, maxMessageBytes: undefined, maxNoiseBytes: undefined,
      message(decoded) {
        if (decoded.kind !== 'request') return;
        heard.push(decoded.message.id);
        if (Number(decoded.message.id) % 100 !== 0) return;
        reading.pause(true);
        setImmediate(() => reading.pause(false));
      },
      end: resolve,
      noisy: () => assert.fail('noisy'),
    });
  });
  const all = Array.from({ length: 5000 }, (_, id) => id);
  const bytes = Buffer.from(all.map((id) => `{"jsonrpc":"2.0","id":${id},"method":"m"}\n`).join(''));
  for (let at = 0; at < bytes.length; at += 7001) stream.write(bytes.subarray(at, at + 7001));
  stream.end();
  await ended;
  assert.deepEqual(heard, all);
});
