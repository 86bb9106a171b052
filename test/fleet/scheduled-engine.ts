import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { memoryEngine, Undeliverable } from '../../src/fleet/index.ts';
import type { BusHandler, FleetEngine, StoringEngine } from '../../src/fleet/index.ts';

/** Waits one turn, in which promises and sockets proceed. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A message on its way between a process and the engine. */
interface Step {
  readonly owner: Process;
  /** Steps in the same lane run in order. */
  readonly lane: string | undefined;
  readonly kind: 'ask' | 'answer' | 'message' | 'told' | 'lease';
  run(): void;
}

/** The engine's view of a process. */
export class Process {
  readonly name: string;
  handler: BusHandler | undefined;
  alive = true;
  leased = true;
  /** The number of its broadcasts that are not yet delivered. */
  telling = 0;
  /** True if a broadcast was refused and none has succeeded since. */
  refused = false;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * An in-memory engine in which nothing happens by itself: `step` runs one of the possible steps, chosen by the given random numbers.
 * Processes can be killed, leases can expire, and the engine can be away.
 */
export class ScheduledEngine {
  readonly processes: Process[] = [];
  /** True: requests are refused, although half of them are performed. */
  away = false;
  readonly #hub: StoringEngine = memoryEngine();
  readonly #random: () => number;
  #steps: Step[] = [];

  constructor(random: () => number) {
    this.#random = random;
  }

  get idle(): boolean {
    return this.#steps.length === 0;
  }

  /** Runs one possible step. */
  step(): void {
    const lanes = new Set<string>();
    const able = this.#steps.filter(({ lane, kind }) => {
      if (this.away && (kind === 'message' || kind === 'told')) return false;
      if (lane === undefined) return true;
      return !lanes.has(lane) && lanes.add(lane);
    });
    const step = able[Math.floor(this.#random() * able.length)];
    if (step === undefined) return;
    this.#steps.splice(this.#steps.indexOf(step), 1);
    step.run();
  }

  /** Runs `count` steps, and lets their effects happen after each. */
  async steps(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      this.step();
      await turn();
    }
  }

  /** Repeats `ticks` times: runs steps until none is left, then advances the timers. */
  async calm({ mock }: TestContext, ticks: number): Promise<void> {
    for (let tick = 0; tick < ticks; tick++) {
      for (let steps = 0; !this.idle; steps++) {
        assert.ok(steps < 3000, 'it comes to rest');
        await this.steps(1);
      }
      mock.timers.tick(300);
      await turn();
      await turn();
    }
  }

  kill(process: Process): void {
    process.alive = false;
    this.#steps = this.#steps.filter(({ owner }) => owner !== process);
    this.#push(process, 'lease', undefined, () => (process.leased = false));
  }

  /** Ends the lease of a live process; a later step restores it. */
  lapse(process: Process): void {
    process.leased = false;
    this.#push(process, 'lease', undefined, () => {
      process.leased = true;
      process.handler?.lost();
    });
  }

  /** Brings the engine back. Broadcasts that have not arrived are lost. */
  back(): void {
    this.away = false;
    this.#steps = this.#steps.filter(({ kind }) => kind !== 'told');
    for (const process of this.processes) {
      if (process.alive) this.#push(process, 'told', `told ${process.name}`, () => process.handler?.gap());
    }
  }

  #push(owner: Process, kind: Step['kind'], lane: string | undefined, run: () => void): void {
    this.#steps.push({ owner, kind, lane, run });
  }

  /** Sends a request to the engine. One step performs it, and a later step delivers the answer. */
  #ask<T>(process: Process, lane: string | undefined, act: () => T | Promise<T>): Promise<T> {
    if (!process.alive) return new Promise(() => {});
    return new Promise((resolve, reject) => {
      this.#push(process, 'ask', lane, () => {
        const refused = this.away;
        const done = refused && this.#random() < 0.5 ? undefined : Promise.resolve().then(act);
        const answer = (): void => {
          if (!done || this.away || refused) return reject(new Error('the engine is away'));
          done.then(resolve, reject);
        };
        done?.catch(() => {});
        if (process.alive) this.#push(process, 'answer', lane && `${lane} answer`, answer);
      });
    });
  }

  /** The engine for a new process. `joined` receives the process. */
  open(joined: (process: Process) => void): FleetEngine {
    let own: Process | undefined;
    const { sessions, streams, spent } = this.#hub;
    const ask = <A extends unknown[], T>(call: (...args: A) => T | Promise<T>) => (...args: A): Promise<T> =>
      this.#ask(own as Process, undefined, () => call(...args));
    return {
      spent,
      sessions: {
        create: ask(sessions.create), load: ask(sessions.load), touch: ask(sessions.touch),
        replace: ask(sessions.replace), delete: ask(sessions.delete), of: ask(sessions.of),
      },
      streams: {
        append: ask<Parameters<typeof streams.append>, void>(streams.append),
        after: ask(streams.after), drop: ask(streams.drop),
      },
      join: async (name) => {
        const process = own = new Process(name);
        this.processes.push(process);
        joined(process);
        return {
          leaseMs: 1000,
          send: (to, message) => this.#ask(process, `${name} to ${to}`, () => {
            const other = this.processes.find((one) => one.name === to);
            if (!other?.leased) throw new Undeliverable(to);
            if (other.alive) this.#push(other, 'message', `inbox ${to}`, () => other.handler?.message(message));
          }),
          tell: async (topic, message) => {
            process.telling++;
            await this.#ask(process, undefined, () => {
              for (const other of this.processes) {
                if (other.alive) this.#push(other, 'told', `told ${other.name}`, () => other.handler?.told(topic, message));
              }
              process.telling--;
            }).then(() => (process.refused = false), (thrown: unknown) => {
              process.refused = true;
              throw thrown;
            });
          },
          gone: (names) => this.#ask(process, undefined, () =>
            names.filter((one) => !this.processes.some((other) => other.name === one && other.leased))),
          receive: (handler) => void (process.handler = handler),
          leave: async () => {},
        };
      },
    };
  }
}
