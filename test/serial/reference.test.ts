import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { Budget } from '../../src/bounds/budget.ts';
import { linkState, noLink, writeFrame } from '../../src/transport/serial/frame.ts';
import { frames } from '../../src/transport/serial/index.ts';
import type { SerialChannel, ByteLink } from '../../src/transport/serial/index.ts';
import { randomOf } from '../random.ts';
import { vectors } from './vectors.ts';
import { Line, noFaults, VirtualTime } from './virtual.ts';
import type { Faults } from './virtual.ts';

const source = new URL('../../../test/serial/reference.c', import.meta.url).pathname;
const compiler = spawnSync('cc', ['--version']).status === 0;
const skip = compiler ? false : 'there is no C compiler (cc)';

/** The C program, which answers each command with its actions. */
class Reference {
  readonly #write: (line: string) => void;
  readonly #waiting: ((answers: string[]) => void)[] = [];
  readonly end: () => void;

  constructor(program: string) {
    const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
    let answers: string[] = [];
    createInterface(child.stdout).on('line', (line) => {
      if (line !== '.') answers.push(line);
      else {
        this.#waiting.shift()?.(answers);
        answers = [];
      }
    });
    this.#write = (line) => void child.stdin.write(`${line}\n`);
    this.end = () => void child.stdin.end();
  }

  ask(line: string): Promise<string[]> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#write(line);
    });
  }
}

let built: string | undefined;

/** Compiled once, with the compiler's sanitizers. */
function compile(t: TestContext): Reference {
  if (built === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'barewire-link-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    built = join(folder, 'link');
    const { status, stderr } = spawnSync('cc', ['-std=c99', '-Wall', '-Wextra', '-Werror', '-g', '-fsanitize=address,undefined', '-o', built, source], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  }
  const reference = new Reference(built);
  t.after(() => reference.end());
  return reference;
}

test('the reference in C writes the vectors byte for byte', { skip }, async (t) => {
  const reference = compile(t);
  for (const { what, ids, frame, bytes } of vectors) {
    const state = ids ? linkState(ids[0], ids[1]) : noLink;
    if (ids) assert.deepEqual(await reference.ask(`i ${ids[0]} ${ids[1]}`), [`i ${state >>> 0}`]);
    const first = 16 | (frame.side === 'client' ? 8 : 0) | frame.kind;
    const payload = Buffer.from(frame.payload).toString('hex') || '-';
    assert.deepEqual(await reference.ask(`v ${first} ${frame.number} ${frame.expected} ${frame.window} ${payload} ${state >>> 0}`), [`v ${bytes}`], what);
    assert.equal(Buffer.from(writeFrame(frame, state)).toString('hex'), bytes, what);
  }
});

interface Seen {
  came: string;
  links: number;
  lost: number;
}

/** The C program as one end of the line. */
function deviceAt(channel: SerialChannel, time: VirtualTime, reference: Reference, id: number): { seen: Seen; say: (text: string) => void } {
  const seen: Seen = { came: '', links: 0, lost: 0 };
  const waiting: string[] = [];
  const command = (line: string, refused?: () => void): void => {
    time.hold(reference.ask(line).then((answers) => {
      for (const answer of answers) {
        const bytes = Buffer.from(answer.slice(2), 'hex');
        if (answer[0] === 'w') void channel.write(bytes);
        else if (answer[0] === 'b') seen.came += bytes.toString();
        else if (answer[0] === 'o') seen.links++;
        else if (answer[0] === 'l') seen.lost++;
        else refused?.();
      }
    }));
  };
  const now = (): number => Math.floor(time.monotonic());
  const offer = (): void => {
    const text = waiting.shift();
    if (text !== undefined) command(`s ${Buffer.from(text).toString('hex')} ${now()}`, () => void waiting.unshift(text));
  };
  const tick = (): void => {
    command(`t ${now()}`);
    offer();
    time.after(40, tick);
  };
  channel.read((bytes) => command(`r ${Buffer.from(bytes).toString('hex')} ${now()}`), () => {});
  command(`o 0 ${id} ${now()}`);
  tick();
  return { seen, say: (text) => void waiting.push(text) };
}

test('the reference in C and barewire speak over a line that loses, flips, repeats and delays frames', { skip }, async (t) => {
  for (let seed = 1; seed <= 4; seed++) {
    const time = new VirtualTime();
    const random = randomOf(seed);
    const rate = seed / 100;
    const faults: Faults = seed === 1 ? noFaults : { dropped: rate, flipped: rate, repeated: rate, delayed: rate };
    const line = new Line(time, random, faults);
    const { seen, say } = deviceAt(line.end(1), time, compile(t), 1000 * seed);
    let came = '';
    const events: string[] = [];
    let ids = 0;
    const channel = line.end(0);
    const wire: ByteLink = frames({ newId: () => ++ids + 77 * seed, mtu: 40 })({ side: 'client', clock: time, budget: new Budget(1e9), write: (bytes) => channel.write(bytes) }, {
      opened: () => void events.push('opened'),
      bytes: (bytes) => {
        came += Buffer.from(bytes).toString();
      },
      lost: (why) => void events.push(why),
    });
    channel.read((bytes) => wire.push(bytes), () => {});
    wire.open();
    await time.run(30_000, () => events.length > 0 && seen.links > 0);
    let [up, down] = ['', ''];
    for (let i = 0; i < 12; i++) {
      const text = `${i}:${'x'.repeat(Math.floor(random() * 90))}\n`;
      wire.send(Buffer.from(text));
      say(text.toUpperCase());
      up += text;
      down += text.toUpperCase();
    }
    await time.run(300_000, () => seen.came.length >= up.length && came.length >= down.length);
    assert.equal(seen.came, up, `seed ${seed}`);
    assert.equal(came, down, `seed ${seed}`);
    assert.deepEqual([events, seen.links, seen.lost], [['opened'], 1, 0], `seed ${seed}`);
    if (seed === 1) {
      // Silence ends the link on both sides, and later they reconnect.
      line.faults = { ...noFaults, dropped: 1 };
      await time.run(time.monotonic() + 60_000, () => seen.lost === 1 && events.length === 2);
      line.faults = noFaults;
      await time.run(time.monotonic() + 30_000, () => seen.links === 2 && events.length === 3);
      wire.close();
      await time.run(time.monotonic() + 2000, () => seen.lost === 2);
      assert.deepEqual([seen.links, seen.lost, events.length], [2, 2, 3]);
    }
  }
});
