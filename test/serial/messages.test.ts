import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { frames, lines, serialTransport, serveSerial, streamChannel } from '../../src/transport/serial/index.ts';
import type { FramesOptions, SerialOptions, SerialServing } from '../../src/transport/serial/index.ts';
import { randomOf } from '../random.ts';
import { Line, noFaults, VirtualTime } from './virtual.ts';
import type { Faults } from './virtual.ts';

function makeInternals(): McpServer {
  const server = new McpServer({ name: 'sensor', version: '1.0.0' });
  server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text }) => text ?? '');
  server.tool('ask', {}, async (_args, ctx) => {
    ctx.progress(1, 2);
    const answer = await ctx.elicit('Which unit?', { unit: { type: 'string' } });
    return answer.action === 'accept' ? `in ${answer.content.unit}` : 'not said';
  });
  server.tool('never', {}, () => new Promise<string>(() => {}));
  return server;
}

interface Bench {
  readonly time: VirtualTime;
  readonly line: Line;
  readonly client: McpClient;
  readonly options: SerialOptions;
  serving: SerialServing;
}

const eras = ['2025-11-25', '2026-07-28'] as const;

function bench(era: string, { seed = 1, faults = noFaults, framed = {}, baud = 9600 }: {
  seed?: number; faults?: Faults; framed?: FramesOptions | undefined; baud?: number;
} = {}): Bench {
  const time = new VirtualTime();
  const random = randomOf(seed);
  const line = new Line(time, random, faults, baud);
  let ids = 0;
  const options: SerialOptions = { clock: time, framing: frames({ newId: () => ++ids * 977 + seed, ...framed }) };
  const serving = serveSerial(makeInternals(), line.end(1), options);
  const client = new McpClient({ name: 'test', version: '1.0.0' }, {
    revisions: [era], onElicit: () => ({ action: 'accept', content: { unit: 'K' } }),
  });
  return { time, line, client, options, serving };
}

/** Advances time until the promise settles. */
async function during<T>(time: VirtualTime, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = (): void => {
    settled = true;
  };
  promise.then(done, done);
  await time.run(Infinity, () => settled);
  assert.ok(settled, 'nothing is left that could settle it');
  return promise;
}

for (const era of eras) {
  test(`${era}: calls, progress and questions over a serial line that loses, flips, repeats and delays frames`, async () => {
    for (let seed = 1; seed <= 6; seed++) {
      const rate = seed / 120;
      const { time, client, line, options, serving } = bench(era, { seed, faults: { dropped: rate, flipped: rate, repeated: rate, delayed: rate }, framed: { mtu: seed % 2 ? 20 : 64 } });
      await during(time, client.connect(serialTransport(line.end(0), options)));
      const reports: number[] = [];
      const calls = await during(time, Promise.all([
        client.callTool('echo', { text: 'ä'.repeat(300) }),
        client.callTool('ask', {}, { onProgress: ({ progress }) => void reports.push(progress) }),
        client.callTool('echo', { text: 'two' }),
      ]));
      assert.deepEqual(calls.map(({ content }) => content), [
        [{ type: 'text', text: 'ä'.repeat(300) }], [{ type: 'text', text: 'in K' }], [{ type: 'text', text: 'two' }],
      ]);
      assert.deepEqual(reports, era === '2025-11-25' ? [1] : [1, 1]);
      // `_meta` passes both ways: a modern request is refused without it.
      assert.equal('_meta' in await during(time, client.request('tools/list')), era === '2026-07-28');
      await during(time, client.close());
      await during(time, serving.close());
    }
  });

  test(`${era}: a call fails when the other side is reset, and the next one is answered by the new one`, async () => {
    const made = bench(era);
    const { time, client, line, options } = made;
    await during(time, client.connect(serialTransport(line.end(0), options)));
    const lost = client.callTool('never');
    const failed = assert.rejects(lost, /the other side was reset/);
    await time.run(time.monotonic() + 2000);
    // The device restarts; its old program sends nothing more.
    made.serving = serveSerial(makeInternals(), line.end(1), options);
    await during(time, failed);
    const { content } = await during(time, client.callTool('echo', { text: 'again' }));
    assert.deepEqual(content, [{ type: 'text', text: 'again' }]);
    await during(time, client.close());
  });

  test(`${era}: a client that was reset begins anew, and a second session of one client too`, async () => {
    const made = bench(era);
    const { time, client, line, options, serving } = made;
    await during(time, client.connect(serialTransport(line.end(0), options)));
    await during(time, client.callTool('echo', { text: 'one' }));
    const second = new McpClient({ name: 'second', version: '1.0.0' }, { revisions: [era] });
    await during(time, second.connect(serialTransport(line.end(0), options)));
    assert.deepEqual((await during(time, second.callTool('echo', { text: 'two' }))).content, [{ type: 'text', text: 'two' }]);
    await during(time, second.close());
    await during(time, serving.close());
    assert.equal(await serving.closed, 'the server was closed');
  });

  test(`${era}: lines over a socket`, async (t) => {
    const listener = createServer((socket) => void serveSerial(makeInternals(), streamChannel(socket), { framing: lines }));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    t.after(() => listener.close());
    const socket = connect((listener.address() as AddressInfo).port, '127.0.0.1');
    const client = new McpClient({ name: 'test', version: '1.0.0' }, {
      revisions: [era], onElicit: () => ({ action: 'accept', content: { unit: 'lx' } }),
    });
    await client.connect(serialTransport(streamChannel(socket)));
    assert.deepEqual((await client.callTool('ask')).content, [{ type: 'text', text: 'in lx' }]);
    await client.close();
  });
}

test('a result longer than what may wait becomes an error, and the link stays', async () => {
  const { time, client, line, options } = bench('2026-07-28', { baud: 115_200 });
  const small = { ...options, maxWaitingBytes: 2000 };
  const server = makeInternals();
  server.tool('large', {}, () => 'x'.repeat(5000));
  serveSerial(server, line.end(1), small);
  await during(time, client.connect(serialTransport(line.end(0), options)));
  await assert.rejects(during(time, client.callTool('large')));
  assert.deepEqual((await during(time, client.callTool('echo', { text: 'still here' }))).content, [{ type: 'text', text: 'still here' }]);
});

test('a message above the limit is refused by name, and the next one is read', async () => {
  const { time, client, line, options } = bench('2026-07-28', { baud: 115_200 });
  serveSerial(makeInternals(), line.end(1), { ...options, maxMessageBytes: 1000 });
  await during(time, client.connect(serialTransport(line.end(0), options)));
  await assert.rejects(during(time, client.callTool('echo', { text: 'x'.repeat(2000) })), /1000 bytes/);
  assert.deepEqual((await during(time, client.callTool('echo', { text: 'short' }))).content, [{ type: 'text', text: 'short' }]);
});

test('without another side opening ends after openMs', async () => {
  const time = new VirtualTime();
  const line = new Line(time, randomOf(1));
  const client = new McpClient({ name: 'test', version: '1.0.0' });
  const failed = assert.rejects(client.connect(serialTransport(line.end(0), { clock: time, framing: frames(), openMs: 5000 })), /did not answer within 5000 ms/);
  await during(time, failed);
  assert.ok(time.monotonic() < 6000);
});

for (const [kind, framing] of [['lines', lines], ['frames', frames()]] as const) {
  test(`${kind}: a channel whose last write fails: close ends, and the process lives`, async () => {
    const time = new VirtualTime();
    for (const fail of [() => Promise.reject(new Error('unplugged')), () => { throw new Error('unplugged'); }]) {
      const line = new Line(time, randomOf(1));
      let fails = false;
      const end = line.end(1);
      const broken = { ...end, write: (bytes: Uint8Array) => (fails ? fail() : end.write(bytes)) };
      const serving = serveSerial(makeInternals(), broken, { clock: time, framing });
      const client = new McpClient({ name: 'test', version: '1.0.0' }, { clock: time });
      await during(time, client.connect(serialTransport(line.end(0), { clock: time, framing })));
      fails = true;
      client.callTool('echo', { text: 'x' }).catch(() => {});
      await time.run(time.monotonic() + 100);
      await serving.close();
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
}
