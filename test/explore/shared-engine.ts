import { memoryEngine, Undeliverable } from '../../src/fleet/index.ts';
import type { BusHandler, FleetEngine, StoringEngine } from '../../src/fleet/index.ts';
import type { Clock } from '../../src/bounds/clock.ts';
import type { Step } from './explorer.ts';

/** An operation that a process has requested from the engine. */
interface Asked {
  readonly what: string;
  /** Operations of the same lane run in order. */
  readonly lane: 'sessions' | 'streams' | 'bus';
  /** The places that it reads or changes. */
  readonly touches: readonly string[];
  /** Whether it changes something. A value that is read also waits on its way back. */
  readonly changes: boolean;
  /** Performs the operation in the engine. */
  act(): Promise<void>;
  /** Delivers the value that was read; undefined before the read, and for operations that read nothing. */
  answer: (() => void) | undefined;
  fail(): void;
}

/** A message on its way to a process. */
interface Told {
  readonly text: string;
  readonly topic: string | undefined;
}

/** The engine's view of a process. */
class Member {
  readonly letter: string;
  /** The name under which it has joined. */
  name = '';
  handler: BusHandler | undefined;
  alive = true;
  leased = true;
  asked: Asked[] = [];
  inbox: Told[] = [];
  told: (Told | 'gap')[] = [];

  constructor(letter: string) {
    this.letter = letter;
  }

  /** True if the process and the engine can reach each other. */
  get reaches(): boolean {
    return this.alive && this.leased;
  }
}

/** The most faults of the engine in one run. One refusal, one loss and one repeat are enough to find most bugs. */
const most = { refused: 1, lost: 1, again: 1 };

/**
 * The engine of a fleet in which nothing happens by itself: requested operations, values that were read and messages to a process all wait.
 * It may refuse an operation, performed or not; lose a broadcast message and report that it may have; deliver a message twice; and treat a
 * live process as dead.
 */
export class SharedEngine {
  readonly members: readonly Member[];
  readonly #hub: StoringEngine;
  readonly #settle: () => Promise<void>;
  readonly #counts = { refused: 0, lost: 0, again: 0 };

  /** The number of operations that it has refused. */
  get refused(): number {
    return this.#counts.refused;
  }

  constructor(letters: readonly string[], clock: Clock, settle: () => Promise<void>) {
    this.members = letters.map((letter) => new Member(letter));
    this.#hub = memoryEngine({ clock });
    this.#settle = settle;
  }

  get hub(): StoringEngine {
    return this.#hub;
  }

  member(letter: string): Member {
    const found = this.members.find((one) => one.letter === letter);
    if (!found) throw new Error(`no process ${letter}`);
    return found;
  }

  /** True if nothing is in transit. */
  get idle(): boolean {
    return this.members.every(({ asked, inbox, told }) => asked.length + inbox.length + told.length === 0);
  }

  /** True if the process may have a message that the engine has not received. */
  mayOwe({ asked, leased }: Member): boolean {
    return !leased || this.refused > 0 || asked.some(({ lane }) => lane === 'bus');
  }

  /** Kills the process: the operations that it requested and the engine has not performed are dropped. Its lease continues. */
  kill(member: Member): void {
    member.alive = false;
    member.asked = [];
    member.inbox = [];
    member.told = [];
  }

  /** Ends the lease of a process. If the process lives, it cannot send or receive until `restore`. */
  lapse(member: Member): void {
    member.leased = false;
  }

  /** Gives the process its lease again. */
  restore(member: Member): void {
    member.leased = true;
    member.handler?.lost();
  }

  /** The engine as one process sees it. */
  open(letter: string): FleetEngine {
    const member = this.member(letter);
    const { sessions, streams, spent } = this.#hub;
    const asks = (changes: boolean) => <A extends unknown[], T>(lane: 'sessions' | 'streams', what: string, call: (...args: A) => T | Promise<T>) => (...args: A): Promise<T> =>
      this.#ask(member, { what, lane, touches: [lane], changes }, async () => call(...args));
    const [writes, reads] = [asks(true), asks(false)];
    return {
      spent,
      sessions: {
        create: writes('sessions', 'creates', sessions.create), load: reads('sessions', 'loads', sessions.load), touch: writes('sessions', 'touches', sessions.touch),
        replace: writes('sessions', 'replaces', sessions.replace), delete: writes('sessions', 'deletes', sessions.delete), of: reads('sessions', 'counts', sessions.of),
      },
      streams: {
        append: writes<Parameters<typeof streams.append>, void>('streams', 'appends', streams.append),
        after: reads('streams', 'reads events', streams.after), drop: writes('streams', 'drops', streams.drop),
      },
      join: async (name) => {
        member.name = name;
        return this.#bus(member);
      },
    };
  }

  #bus(member: Member): Awaited<ReturnType<FleetEngine['join']>> {
    const ask = <T>(what: string, touches: readonly string[], call: () => Promise<T>): Promise<T> => this.#ask(member, { what, lane: 'bus', touches, changes: true }, call);
    return {
      leaseMs: 1000,
      send: (to, text) => {
        const other = this.members.find(({ name }) => name === to);
        return ask('sends', [`inbox ${other?.letter}`, 'leases'], async () => {
          if (!other?.leased) throw new Undeliverable(to);
          if (other.alive) other.inbox.push({ text, topic: undefined });
        });
      },
      tell: (topic, text) => ask('tells', ['told'], async () => {
        for (const { alive, told } of this.members) if (alive) told.push({ text, topic });
      }),
      gone: (names) => ask('asks who has gone', ['leases'], async () =>
        names.filter((name) => !this.members.some((one) => one.name === name && one.leased))),
      receive: (handler) => void (member.handler = handler),
      leave: async () => void (member.leased = false),
    };
  }

  #ask<T>(member: Member, { what, lane, touches, changes }: Pick<Asked, 'what' | 'lane' | 'touches' | 'changes'>, call: () => Promise<T>): Promise<T> {
    if (!member.alive) return new Promise(() => {});
    return new Promise((resolve, reject) => {
      const asked: Asked = {
        what, lane, touches, changes, answer: undefined,
        act: () => call().then((value) => {
          if (changes) resolve(value);
          else asked.answer = () => resolve(value);
        }, reject),
        fail: () => reject(new Error('the engine is away')),
      };
      member.asked.push(asked);
    });
  }

  /** The possible steps. `wrong`: also faults of the engine. */
  steps(wrong: boolean): Step[] {
    return this.members.filter(({ reaches }) => reaches).flatMap((member) => [...this.#asks(member, wrong), ...this.#arrivals(member, wrong)]);
  }

  #asks(member: Member, wrong: boolean): Step[] {
    const { letter } = member;
    const steps: Step[] = [];
    for (const lane of ['sessions', 'streams', 'bus'] as const) {
      const one = member.asked.find((each) => each.lane === lane);
      if (!one) continue;
      const through = (): void => void member.asked.splice(member.asked.indexOf(one), 1);
      const { answer } = one;
      if (answer) {
        steps.push({ name: `${letter} gets what it ${one.what}`, touches: [letter, lane], run: () => (through(), answer(), this.#settle()) });
        continue;
      }
      const act = async (): Promise<void> => {
        await one.act();
        if (one.answer === undefined) through();
        await this.#settle();
      };
      steps.push({ name: `${letter} ${one.what}`, touches: [letter, ...one.touches], run: act });
      if (!wrong || this.#counts.refused >= most.refused) continue;
      const refuse = async (done: boolean): Promise<void> => {
        this.#counts.refused++;
        through();
        one.fail();
        if (done) await one.act();
        await this.#settle();
      };
      steps.push({ name: `${letter} ${one.what}: refused`, touches: [letter, 'wrong'], run: () => refuse(false) });
      // For a read, it makes no difference whether the engine has performed it.
      if (one.changes) steps.push({ name: `${letter} ${one.what}: done, and refused`, touches: [letter, 'wrong', ...one.touches], run: () => refuse(true) });
    }
    return steps;
  }

  #arrivals(member: Member, wrong: boolean): Step[] {
    const { letter, inbox, told, handler } = member;
    const steps: Step[] = [];
    const [message] = inbox;
    if (message) {
      const hand = (): Promise<void> => (handler?.message(message.text), this.#settle());
      steps.push({ name: `${letter} gets a message`, touches: [letter, `inbox ${letter}`], run: () => (inbox.shift(), hand()) });
      if (wrong && this.#counts.again < most.again) steps.push({ name: `${letter} gets a message, and again`, touches: [letter, `inbox ${letter}`, 'wrong'], run: () => (this.#counts.again++, hand()) });
    }
    const [first] = told;
    if (first === 'gap') steps.push({ name: `${letter} may have missed something`, touches: [letter, 'told'], run: () => (told.shift(), handler?.gap(), this.#settle()) });
    else if (first) {
      const hand = (): Promise<void> => (handler?.told(first.topic ?? '', first.text), this.#settle());
      steps.push({ name: `${letter} hears what was told`, touches: [letter, 'told'], run: () => (told.shift(), hand()) });
      if (wrong && this.#counts.again < most.again) steps.push({ name: `${letter} hears what was told, and again`, touches: [letter, 'told', 'wrong'], run: () => (this.#counts.again++, hand()) });
      if (wrong && this.#counts.lost < most.lost) steps.push({ name: `${letter} does not hear what was told`, touches: [letter, 'told', 'wrong'], run: () => (this.#counts.lost++, told.shift(), void told.push('gap'), this.#settle()) });
    }
    return steps;
  }

  /** Takes steps until nothing is in transit. */
  async flush(): Promise<void> {
    for (let rounds = 0; ; rounds++) {
      await this.#settle();
      const [step] = this.steps(false);
      if (step === undefined) return;
      if (rounds > 2000) throw new Error('the engine comes to no rest');
      await step.run();
    }
  }
}
