import { pause as pauseBy, systemClock } from '../bounds/clock.ts';
import type { Timer } from '../bounds/clock.ts';
import { Undeliverable } from './engine.ts';
import type { Bus, FleetEngine } from './engine.ts';

/** An engine to be tested: empty, and used only by the test. */
export interface OpenedEngine {
  readonly engine: FleetEngine;
  /** Reaches the same bus once more, as another process would. */
  again(): Promise<FleetEngine>;
  /** Kills, as SIGKILL would, the process that joined by `again`'s engine, so that it gives nothing back. */
  kill?(engine: FleetEngine): void | Promise<void>;
  /** Milliseconds of a lease: short, because a test waits for its end. Required with `kill`. */
  readonly leaseMs?: number;
  /** Kills the engine's server, as SIGKILL would, and starts it again with its stored data. */
  restart?(): Promise<void>;
  /** Milliseconds in which sent messages must arrive. 10 seconds. */
  readonly waitMs?: number;
}

/** One test that every engine must pass. */
export interface EngineTest {
  readonly name: string;
  /** Rejects with an error that describes the failure. */
  run(open: () => Promise<OpenedEngine>): Promise<void>;
}

let count = 0;
/** Returns an unused name. */
export const newName = (): string => `p${++count}x${Math.trunc(Math.random() * 1e9).toString(36)}`;

/** Throws if the two differ as JSON; the order of members does not count. */
export function same(found: unknown, wanted: unknown, what: string): void {
  const sorted = (_: string, value: unknown): unknown => (
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value
  );
  const [one, other] = [JSON.stringify(found, sorted), JSON.stringify(wanted, sorted)];
  if (one !== other) throw new Error(`${what}: ${one?.slice(0, 500)} in place of ${other?.slice(0, 500)}`);
}

/** A process that has joined, and the messages that it has received. */
class Joined {
  readonly name: string;
  readonly bus: Bus;
  readonly messages: string[] = [];
  readonly told: string[] = [];
  gaps = 0;
  readonly #waitMs: number;
  #wake: (() => void) | undefined;

  constructor(name: string, bus: Bus, waitMs: number) {
    this.#waitMs = waitMs;
    this.name = name;
    this.bus = bus;
  }

  listen(): this {
    this.bus.receive({
      message: (text) => {
        this.messages.push(text);
        this.#wake?.();
      },
      told: (topic, text) => {
        this.told.push(`${topic} ${text}`);
        this.#wake?.();
      },
      gap: () => void this.gaps++,
      lost() {},
    });
    return this;
  }

  /** Resolves when `length` messages have arrived; rejects after `waitMs`. */
  async until(list: 'messages' | 'told', length: number): Promise<readonly string[]> {
    let timer: Timer | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = systemClock.after(this.#waitMs, () => reject(new Error(
        `${this[list].length} of ${length} ${list} have arrived within ${this.#waitMs} ms`,
      )));
    });
    try {
      while (this[list].length < length) {
        await Promise.race([late, new Promise<void>((resolve) => (this.#wake = resolve))]);
      }
    } finally {
      timer?.stop();
    }
    return this[list];
  }
}

type Join = (engine: FleetEngine, name?: string) => Promise<Joined>;

/** Makes the function with which the processes of one test join. */
const joining = ({ waitMs = 10_000 }: OpenedEngine): Join => async (engine, name = newName()) =>
  new Joined(name, await engine.join(name), waitMs);

async function undeliverable(bus: Bus, to: string): Promise<boolean> {
  const error: unknown = await bus.send(to, 'x').then(() => undefined, (thrown: unknown) => thrown);
  if (error !== undefined) same(await bus.gone([to]), [to], 'the processes that have gone, after an undeliverable message');
  if (error === undefined) return false;
  if (error instanceof Undeliverable && error.code === 'undeliverable') return true;
  throw new Error(`a message that cannot be delivered was refused with ${String(error)}, expected Undeliverable`);
}

export const pause = (ms: number): Promise<void> => pauseBy(systemClock, ms);

/** The tests that every engine must pass: `for (const { name, run } of engineTests) test(name, () => run(open))`. */
export const engineTests: readonly EngineTest[] = [
  {
    name: 'messages of one sender arrive once and in order',
    async run(open) {
      const opened = await open();
      const { engine, again } = opened;
      const join = joining(opened);
      const [one, two, reader] = [await join(engine), await join(await again()), await join(await again())];
      reader.listen();
      const numbers = Array.from({ length: 200 }, (_, i) => String(i));
      await Promise.all([one, two].map(async (sender, s) => {
        for (const number of numbers) await sender.bus.send(reader.name, `${s} ${number}`);
      }));
      const all = await reader.until('messages', 400);
      for (const s of [0, 1]) {
        const own = all.filter((text) => text.startsWith(`${s} `)).map((text) => text.slice(2));
        same(own, numbers, `the messages of sender ${s}`);
      }
      for (const each of [one, two, reader]) await each.bus.leave();
      same(reader.messages.length, 400, 'the number of messages');
    },
  },
  {
    name: 'many messages sent at the same time arrive once each',
    async run(open) {
      const opened = await open();
      const { engine, again } = opened;
      const join = joining(opened);
      const [sender, reader] = [await join(engine), (await join(await again())).listen()];
      const texts = Array.from({ length: 300 }, (_, i) => String(i));
      await Promise.all(texts.map((text) => sender.bus.send(reader.name, text)));
      const all = [...await reader.until('messages', 300)];
      same(all.sort((a, b) => Number(a) - Number(b)), texts, 'messages');
      for (const each of [sender, reader]) await each.bus.leave();
    },
  },
  {
    name: 'the inbox holds messages until they are read',
    async run(open) {
      const opened = await open();
      const { engine, again } = opened;
      const join = joining(opened);
      const [sender, reader] = [await join(engine), await join(await again())];
      for (const text of ['a', 'b', 'c']) await sender.bus.send(reader.name, text);
      reader.listen();
      same(await reader.until('messages', 3), ['a', 'b', 'c'], 'messages');
      for (const each of [sender, reader]) await each.bus.leave();
    },
  },
  {
    name: 'any text arrives unchanged, even if a process sends it to itself',
    async run(open) {
      const opened = await open();
      const { engine } = opened;
      const join = joining(opened);
      const self = (await join(engine)).listen();
      const texts = ['', ' ', '\n\r\t', '\0', '"\\', 'ä 語 😀', '{"a":[1]}', '\u2028', 'x'.repeat(1_000_000)];
      for (const text of texts) await self.bus.send(self.name, text);
      same(await self.until('messages', texts.length), texts, 'messages');
      await self.bus.leave();
    },
  },
  {
    name: '`tell` reaches every process that has joined, once',
    async run(open) {
      const opened = await open();
      const { engine, again } = opened;
      const join = joining(opened);
      const all = [await join(engine), await join(engine), await join(await again()), await join(await again())];
      for (const each of all) each.listen();
      await all[0]?.bus.tell('a', '1');
      await all[2]?.bus.tell('b', '2\n');
      for (const each of all) same([...await each.until('told', 2)].sort(), ['a 1', 'b 2\n'], 'told');
      // A duplicate would arrive before this.
      for (const each of all) await each.bus.send(each.name, 'end');
      for (const each of all) {
        await each.until('messages', 1);
        same(each.told.length, 2, 'the number of messages of `tell`');
        await each.bus.leave();
      }
    },
  },
  {
    name: 'a message to an unknown process, or to one that has left, is undeliverable',
    async run(open) {
      const opened = await open();
      const { engine, again } = opened;
      const join = joining(opened);
      const [one, two] = [await join(engine), (await join(await again())).listen()];
      same(await undeliverable(one.bus, newName()), true, 'undeliverable: a name that never existed');
      same(await undeliverable(one.bus, two.name), false, 'undeliverable: a process that has joined');
      same(await one.bus.gone([two.name, one.name]), [], 'gone: two processes that have joined');
      await two.bus.leave();
      same(await undeliverable(one.bus, two.name), true, 'undeliverable: a process that has left');
      await one.bus.leave();
    },
  },
  {
    name: 'a name belongs to one process only, and is free again when it leaves',
    async run(open) {
      const opened = await open();
      const { engine, again } = opened;
      const join = joining(opened);
      const other = await again();
      const one = await join(engine);
      for (const where of [engine, other]) {
        const taken = await where.join(one.name).then(() => false, () => true);
        same(taken, true, 'a name that is taken is refused');
      }
      await one.bus.leave();
      const next = (await join(other, one.name)).listen();
      await next.bus.send(next.name, 'fresh');
      same(await next.until('messages', 1), ['fresh'], 'the inbox of a reused name');
      await next.bus.leave();
    },
  },
  {
    name: 'the lease of a killed process expires, and the lease of a running one does not',
    async run(open) {
      const opened = await open();
      const { engine, again, kill, leaseMs = 0 } = opened;
      const join = joining(opened);
      if (kill === undefined) return;
      const doomed = await again();
      const [idle, watcher, victim] = [(await join(await again())).listen(), await join(engine), await join(doomed)];
      victim.listen();
      await kill(doomed);
      const killed = systemClock.now();
      while (!await undeliverable(watcher.bus, victim.name)) {
        if (systemClock.now() - killed > 3 * leaseMs + 2000) throw new Error('the lease has not expired');
        await pause(leaseMs / 10);
      }
      // Long enough for the idle process's lease to expire if nobody renews it.
      await pause(2 * leaseMs);
      same(await undeliverable(watcher.bus, idle.name), false, 'undeliverable: an idle process');
      same(await idle.until('messages', 1), ['x'], 'the messages of the idle process');
      await watcher.bus.tell('t', 'still here');
      same(await idle.until('told', 1), ['t still here'], 'told');
      for (const each of [idle, watcher]) await each.bus.leave();
    },
  },
  {
    name: 'between many processes each message arrives once, and the messages of one sender in order',
    async run(open) {
      const opened = await open();
      const { again } = opened;
      const join = joining(opened);
      const all = await Promise.all(Array.from({ length: 8 }, async () => (await join(await again())).listen()));
      const numbers = Array.from({ length: 20 }, (_, i) => String(i));
      await Promise.all(all.flatMap((sender) => all.map(async (reader) => {
        for (const number of numbers) await sender.bus.send(reader.name, `${sender.name} ${number}`);
      })));
      for (const reader of all) {
        const found = await reader.until('messages', all.length * numbers.length);
        for (const { name } of all) {
          const own = found.filter((text) => text.startsWith(`${name} `)).map((text) => text.slice(name.length + 1));
          same(own, numbers, 'the messages from one process to another');
        }
      }
      for (const each of all) await each.bus.leave();
    },
  },
  {
    name: 'messages sent without waiting arrive in order',
    async run(open) {
      const opened = await open();
      const { engine, again } = opened;
      const join = joining(opened);
      const [sender, reader] = [await join(engine), (await join(await again())).listen()];
      const texts = Array.from({ length: 100 }, (_, i) => (i === 50 ? 'x'.repeat(400_000) : String(i)));
      await Promise.all(texts.map((text) => sender.bus.send(reader.name, text)));
      same(await reader.until('messages', 100), texts, 'messages');
      for (const each of [sender, reader]) await each.bus.leave();
    },
  },
  {
    name: 'acknowledged messages survive a restart of the engine, and the bus goes on',
    async run(open) {
      const opened = await open();
      const { engine, again, restart, waitMs = 10_000 } = opened;
      const join = joining(opened);
      if (restart === undefined) return;
      const [sender, reader, late] = [
        await join(engine), (await join(await again())).listen(), await join(await again()),
      ];
      const early = ['a', 'b', 'c'];
      for (const text of early) await sender.bus.send(late.name, text);
      /** The messages that the engine has acknowledged. The others may have arrived or not. */
      const kept: string[] = [];
      let restarted: Promise<void> | undefined;
      let after = 0;
      const began = systemClock.now();
      for (let i = 0; after < 20; i++) {
        if (systemClock.now() - began > 2 * waitMs) throw new Error('nothing can be sent after a restart');
        if (i === 20) restarted = restart();
        const done = await sender.bus.send(reader.name, String(i)).then(() => true, () => false);
        if (done) kept.push(String(i));
        if (done && i > 20) after++;
        if (!done) await pause(20);
      }
      await restarted;
      late.listen();
      same(await late.until('messages', early.length), early, 'an inbox that was not read before the restart');
      await sender.bus.send(reader.name, 'end');
      while (reader.messages.at(-1) !== 'end') await reader.until('messages', reader.messages.length + 1);
      same(new Set(reader.messages).size, reader.messages.length, 'the number of different messages');
      same(reader.messages.filter((text) => kept.includes(text)), kept, 'the acknowledged messages');
      for (let i = 0; reader.told.length === 0; i++) {
        if (i === 100) throw new Error('no message of `tell` arrives after a restart');
        await sender.bus.tell('t', 'again').catch(() => {});
        await pause(waitMs / 100);
      }
      same(reader.gaps > 0, true, 'a gap was noticed');
      for (const each of [sender, reader, late]) await each.bus.leave();
    },
  },
];
