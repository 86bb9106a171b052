import assert from 'node:assert/strict';
import test from 'node:test';
import { Budget } from '../../src/bounds/budget.ts';
import { frames, serialTransport } from '../../src/transport/serial/index.ts';
import { frameKinds, linkState, noLink, readFrame, writeFrame } from '../../src/transport/serial/frame.ts';
import type { Frame } from '../../src/transport/serial/frame.ts';
import type { FramesOptions, LinkSide, SerialChannel, ByteLink } from '../../src/transport/serial/index.ts';
import { randomOf } from '../random.ts';
import { Line, noFaults, VirtualTime } from './virtual.ts';
import type { Faults } from './virtual.ts';

/** One end of a link: all received bytes, and the events of the link. */
class End {
  readonly budget = new Budget(1e9);
  readonly events: string[] = [];
  readonly wire: ByteLink;
  came = Buffer.alloc(0);

  constructor(time: VirtualTime, channel: SerialChannel, side: LinkSide, newId: () => number, options: FramesOptions = {}) {
    this.wire = frames({ newId, ...options })({ side, clock: time, budget: this.budget, write: (bytes) => channel.write(bytes) }, {
      opened: () => void this.events.push('opened'),
      bytes: (bytes) => {
        this.came = Buffer.concat([this.came, bytes]);
      },
      lost: (why) => void this.events.push(`lost: ${why}`),
    });
    channel.read((bytes) => this.wire.push(bytes), () => {});
    this.wire.open();
  }
}

interface Pair {
  readonly time: VirtualTime;
  readonly line: Line;
  readonly client: End;
  readonly server: End;
  readonly newId: () => number;
}

function pair(seed: number, faults: Faults = noFaults, options: FramesOptions = {}): Pair {
  const time = new VirtualTime();
  const random = randomOf(seed);
  const line = new Line(time, random, faults);
  let ids = 0;
  const newId = (): number => 0x01020304 + ++ids * 0x1000_0001;
  return { time, line, newId, client: new End(time, line.end(0), 'client', newId, options), server: new End(time, line.end(1), 'server', newId, options) };
}

const opened = ({ client, server }: Pair) => (): boolean => client.events.includes('opened') && server.events.includes('opened');

test('two ends open a link, and bytes go both ways in order', async () => {
  const ends = pair(1);
  const { time, client, server } = ends;
  await time.run(5000, opened(ends));
  const long = Buffer.from(Array.from({ length: 3000 }, (_, i) => i & 255));
  client.wire.send(long);
  server.wire.send(Buffer.from('short'));
  await time.run(60_000, () => server.came.length === 3000 && client.came.length === 5);
  assert.deepEqual(server.came, long);
  assert.equal(client.came.toString(), 'short');
  await time.run(time.monotonic() + 3000);
  assert.equal(client.budget.used + server.budget.used, 0, 'what was acknowledged is no longer charged');
  assert.deepEqual([...client.events, ...server.events], ['opened', 'opened']);
});

test('whatever the line does to frames, bytes arrive once and in order', async (t) => {
  let frames = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const random = randomOf(seed);
    const rate = (): number => random() * 0.05;
    const mtu = 20 + Math.floor(random() * 237);
    const ends = pair(seed, { dropped: rate(), flipped: rate(), repeated: rate(), delayed: rate() }, { mtu, window: 1 + Math.floor(random() * 12) });
    const { time, client, server, line } = ends;
    const sent = { client: Buffer.alloc(0), server: Buffer.alloc(0) };
    await time.run(60_000, opened(ends));
    for (const side of ['client', 'server'] as const) {
      for (let i = 0; i < 8; i++) {
        const part = Buffer.from(Array.from({ length: Math.floor(random() * 200) }, () => Math.floor(random() * 256)));
        sent[side] = Buffer.concat([sent[side], part]);
        ends[side].wire.send(part);
      }
    }
    await time.run(900_000, () => server.came.length >= sent.client.length && client.came.length >= sent.server.length);
    assert.ok(server.came.equals(sent.client) && client.came.equals(sent.server), `seed ${seed}`);
    assert.deepEqual([...client.events, ...server.events], ['opened', 'opened'], `seed ${seed}`);
    frames += line.bytes;
  }
  t.diagnostic(`${frames} bytes on the line`);
});

test('an end that is replaced begins another link, and bytes of the old one are not taken', async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const ends = pair(seed, { ...noFaults, delayed: 0.3, repeated: 0.2 });
    const { time, line, client, server, newId } = ends;
    await time.run(60_000, opened(ends));
    client.wire.send(Buffer.from('old '.repeat(60)));
    server.wire.send(Buffer.from('OLD '.repeat(60)));
    await time.run(time.monotonic() + 10 * seed);
    // A fresh machine replaces the one at the server's end without notice.
    const fresh = new End(time, line.end(1), 'server', newId);
    await time.run(120_000, () => client.events.filter((event) => event === 'opened').length === 2 && fresh.events.length > 0);
    assert.deepEqual(client.events, ['opened', 'lost: the other side was reset', 'opened'], `seed ${seed}`);
    const before = client.came.length;
    client.wire.send(Buffer.from('new'));
    fresh.wire.send(Buffer.from('NEW'));
    await time.run(240_000, () => fresh.came.length >= 3 && client.came.length >= before + 3);
    await time.run(time.monotonic() + 10_000);
    assert.equal(fresh.came.toString(), 'new', `seed ${seed}`);
    assert.equal(client.came.subarray(before).toString(), 'NEW', `seed ${seed}`);
    assert.deepEqual(fresh.events, ['opened'], `seed ${seed}`);
  }
});

test('both ends replaced at once find each other again', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const ends = pair(seed, { ...noFaults, delayed: 0.2 });
    await ends.time.run(60_000, opened(ends));
    const client = new End(ends.time, ends.line.end(0), 'client', ends.newId);
    const server = new End(ends.time, ends.line.end(1), 'server', ends.newId);
    const again = { ...ends, client, server };
    await ends.time.run(120_000, opened(again));
    client.wire.send(Buffer.from('a'));
    await ends.time.run(240_000, () => server.came.length > 0);
    assert.equal(server.came.toString(), 'a', `seed ${seed}`);
  }
});

test('a frame that waited for the port, and was lost then, is sent again after the retry time', async () => {
  const time = new VirtualTime();
  const line = new Line(time, randomOf(1));
  let ids = 0;
  const newId = (): number => ++ids * 0x1000_0001;
  const port = line.end(0);
  let written = 0;
  let busy: Promise<void> | undefined;
  const channel: SerialChannel = {
    read: port.read,
    write(bytes) {
      written++;
      return busy ?? port.write(bytes);
    },
  };
  const client = new End(time, channel, 'client', newId);
  const server = new End(time, line.end(1), 'server', newId);
  await time.run(5000, () => client.events.length > 0 && server.events.length > 0);
  // Both ends measure the round trip; then nothing happens until a keepalive.
  for (let count = 1; count <= 5; count++) {
    client.wire.send(Buffer.from('x'));
    await time.run(time.monotonic() + 3000, () => server.came.length === count);
  }
  await time.run(time.monotonic() + 1000);

  // The port is busy with an acknowledgement when the message arrives.
  let free = (): void => {};
  busy = new Promise((resolve) => {
    free = resolve;
  });
  const before = written;
  server.wire.send(Buffer.from('a'));
  await time.run(time.monotonic() + 5000, () => written > before);
  client.wire.send(Buffer.from('b'));
  busy = Promise.resolve();
  free();
  await time.run(time.monotonic() + 2000, () => written >= before + 3);
  assert.ok(written >= before + 3, `${written - before} frames: the acknowledgement, the message, and it again`);
});

test('silence ends a link; noise and what it said itself open none', async () => {
  const ends = pair(3);
  const { time, line, client, server } = ends;
  await time.run(5000, opened(ends));
  line.faults = { ...noFaults, dropped: 1 };
  await time.run(time.monotonic() + 60_000, () => client.events.length > 1 && server.events.length > 1);
  assert.deepEqual(client.events, ['opened', 'lost: the other side was silent for 20000 ms']);
  assert.deepEqual(server.events, ['opened', 'lost: the other side was silent for 20000 ms']);
  line.faults = noFaults;
  await time.run(time.monotonic() + 5000, () => client.events.length > 2 && server.events.length > 2);
  assert.equal(client.events[2], 'opened');

  const quiet = new VirtualTime();
  const random = randomOf(9);
  const said: Uint8Array[] = [];
  const echo = new End(quiet, { write: (bytes) => void said.push(bytes), read() {} }, 'client', () => 1);
  for (let i = 0; i < 2000; i++) echo.wire.push(Uint8Array.from({ length: 50 }, () => Math.floor(random() * 256)));
  for (const bytes of said.splice(0)) echo.wire.push(bytes);
  await quiet.run(3000);
  assert.deepEqual(echo.events, []);
});

test('a link that nobody uses costs two frames each way in five seconds, and keeps no timer after its end', async () => {
  const ends = pair(4, noFaults, { keepaliveMs: 5000 });
  const { time, line, client, server } = ends;
  await time.run(5000, opened(ends));
  await time.run(10_000);
  const before = line.bytes;
  await time.run(70_000);
  assert.ok(line.bytes - before <= 12 * 4 * 11, `${line.bytes - before} bytes in a minute`);
  client.wire.close();
  await time.run(80_000);
  assert.deepEqual(server.events, ['opened', 'lost: the other side has closed the link']);
  server.wire.close();
  await time.run(Infinity);
  assert.equal(time.pending, 0);
});

test('a side that takes nothing is sent nothing until it takes again', async () => {
  const ends = pair(5);
  const { time, client, server } = ends;
  await time.run(5000, opened(ends));
  server.wire.pause(true);
  await time.run(6000);
  client.wire.send(Buffer.alloc(2000, 1));
  await time.run(16_000);
  assert.equal(server.came.length, 0);
  server.wire.pause(false);
  await time.run(30_000, () => server.came.length === 2000);
  assert.equal(server.came.length, 2000);
});

test('an acknowledgement of what was never sent, and old ones, change nothing', async () => {
  const ends = pair(6, { ...noFaults, delayed: 0.6 }, { window: 32 });
  const { time, client, server } = ends;
  await time.run(30_000, opened(ends));
  const sent = Buffer.from(Array.from({ length: 20_000 }, (_, i) => (i * 7) & 255));
  client.wire.send(sent);
  await time.run(3_000_000, () => server.came.length === sent.length);
  assert.ok(server.came.equals(sent));
});

test('limits that cannot work are refused, and the message names the limit', () => {
  for (const options of [{ mtu: 19 }, { mtu: 257 }, { mtu: 20.5 }, { window: 0 }, { window: 65 }, { helloMs: 0 }, { keepaliveMs: 0 }, { deadMs: 10 }]) {
    assert.throws(() => frames(options), { name: 'RangeError', message: new RegExp(`^frames: ${Object.keys(options)[0]} is `) }, JSON.stringify(options));
  }
  assert.throws(() => frames({ mut: 20 } as FramesOptions), { code: 'unknown_option' });
});

/** One end with a hand-written other side: all frames that the end has sent since the last look. */
function byHand(options: FramesOptions = {}): { time: VirtualTime; end: End; say(frame: Partial<Frame>, linked?: boolean): void; heard(): Frame[]; raw: Uint8Array[] } {
  const time = new VirtualTime();
  const raw: Uint8Array[] = [];
  const end = new End(time, { write: (bytes) => void raw.push(bytes), read() {} }, 'client', () => 1, options);
  const state = linkState(1, 2);
  const heard = (): Frame[] => raw.splice(0).map((bytes) => {
    const frame = readFrame(bytes.slice(bytes[0] === 0 ? 1 : 0, -1), state);
    assert.ok(frame, 'a frame that does not read');
    return frame;
  });
  const say = (frame: Partial<Frame>, linked = true): void =>
    end.wire.push(writeFrame({ kind: frameKinds.ack, side: 'server', number: 0, expected: 0, window: 8, payload: new Uint8Array(0), ...frame }, linked ? state : noLink));
  say({ kind: frameKinds.welcome, payload: Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0) }, false);
  assert.deepEqual(end.events, ['opened']);
  heard();
  return { time, end, say, heard, raw };
}

const kinds = (frames: Frame[]): string[] => frames.map(({ kind }) => Object.keys(frameKinds)[kind] as string);

test('a terminal that echoes: our own frames change nothing in a link, and an own hello is not welcomed', () => {
  const lone: Uint8Array[] = [];
  const opening = new End(new VirtualTime(), { write: (bytes) => void lone.push(bytes), read() {} }, 'client', () => 1);
  const hello = lone.splice(0);
  assert.equal(hello.length, 1);
  for (const bytes of hello) opening.wire.push(bytes);
  assert.deepEqual(lone, [], 'an echoed hello is not answered');

  const { end, heard, raw } = byHand();
  end.wire.send(Buffer.from('first'));
  const said = [...raw];
  assert.deepEqual(kinds(heard()), ['data']);
  for (const bytes of said) end.wire.push(bytes);
  assert.equal(end.came.length, 0, 'echoed data is not taken as data of the other side');
  assert.deepEqual(kinds(heard()), [], 'an echo is not acknowledged');
  assert.equal(end.budget.used, 5, 'an echo acknowledges nothing');
  end.wire.close();
  const bye = raw.splice(0);
  assert.equal(bye.length, 1);
  const other = byHand();
  for (const bytes of bye) other.end.wire.push(bytes);
  assert.deepEqual(other.end.events, ['opened'], 'an echoed bye ends no link');
});

test('data that comes while a side is paused is neither handed over nor acknowledged, and is taken when it comes again', () => {
  const { end, say, heard } = byHand();
  end.wire.pause(true);
  assert.deepEqual(heard().map(({ window }) => window), [0]);
  const data = { kind: frameKinds.data, number: 0, payload: Buffer.from('late') };
  say(data);
  assert.equal(end.came.length, 0);
  assert.deepEqual(heard().map(({ expected, window }) => [expected, window]), [[0, 0]]);
  end.wire.pause(false);
  assert.deepEqual(heard().map(({ expected, window }) => [expected, window]), [[0, 8]]);
  say(data);
  assert.equal(end.came.toString(), 'late');
  assert.deepEqual(heard().map(({ expected }) => expected), [1]);
});

test('when a window of 0 opens, what was dropped meanwhile is sent again at once', () => {
  const { time, end, say, heard } = byHand();
  end.wire.send(Buffer.from('dropped'));
  assert.deepEqual(kinds(heard()), ['data']);
  say({ window: 0 });
  assert.deepEqual(kinds(heard()), [], 'nothing is sent into a closed window');
  say({ window: 8 });
  const again = heard();
  assert.deepEqual(again.map(({ kind, number, payload }) => [kind, number, Buffer.from(payload).toString()]), [[frameKinds.data, 0, 'dropped']]);
  say({ window: 8 });
  assert.deepEqual(kinds(heard()), [], 'a window that was open makes nothing go back');
  assert.equal(time.monotonic(), 0, 'no timer was needed');
});

test('a client that reopens a link that it has used gives that link up, and its own calls hear of no loss', async () => {
  const time = new VirtualTime();
  const line = new Line(time, randomOf(1));
  let ids = 0;
  const options = { newId: () => ++ids };
  const server = new End(time, line.end(1), 'server', options.newId);
  const transport = serialTransport(line.end(0), { clock: time, framing: frames(options), openMs: 5000 });
  const lost: string[] = [];
  const steps: string[] = [];
  const opening = transport.open({ message() {}, failed() {}, error() {}, closed: (why) => void lost.push(why) }).then(() => steps.push('open'));
  await time.run(4000, () => steps.length === 1);
  await opening;
  const reopening = transport.reopen?.().then(() => steps.push('open again'));
  await time.run(time.monotonic() + 6000, () => steps.length === 2);
  await reopening;
  assert.deepEqual(server.events, ['opened', 'lost: the other side has closed the link', 'opened']);
  assert.deepEqual(lost, []);
  await transport.close();
});
