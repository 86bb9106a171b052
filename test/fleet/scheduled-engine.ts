import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { memoryEngine, Undeliverable } from '../../src/fleet/index.ts';
import type { BusHandler, FleetEngine, StoringEngine } from '../../src/fleet/index.ts';

/** Lets promises and sockets have their turn. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Something that is on its way between a process and the engine. */
interface Step {
  readonly owner: Process;
  /** What has the same lane goes in order. */
  readonly lane: string | undefined;
  readonly kind: 'ask' | 'answer' | 'message' | 'told' | 'lease';
  run(): void;
}

/** A process, as the engine knows it. */
export class Process {
  readonly name: string;
  handler: BusHandler | undefined;
  alive = true;
  leased = true;
  /** What it wants to tell and nobody has heard yet. */
  telling = 0;
  /** Something that it told was refused, and it has told nothing since. */
  refused = false;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * An engine in memory in which nothing happens by itself: `step` lets one thing happen, of all that could, as the given
 * random numbers say. Processes can be killed, leases run out, and the engine can be away.
 */
export class ScheduledEngine {
  readonly processes: Process[] = [];
  /** What it is asked is refused; half of it is done all the same. */
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

  /** Lets one thing happen. */
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

  /** Lets some things happen, and others hear of each. */
  async steps(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      this.step();
      await turn();
    }
  }

  /** Lets all happen that can happen by itself, timers included, so many times. */
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

  /** The lease of a process that lives runs out; later it has it again. */
  lapse(process: Process): void {
    process.leased = false;
    this.#push(process, 'lease', undefined, () => {
      process.leased = true;
      process.handler?.lost();
    });
  }

  /** The engine is back: what was told and has not arrived is lost. */
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

  /** Asks the engine: it does it at some time, and answers at some time after that. */
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

  /** The engine as a new process reaches it. `joined` is told who it is. */
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
