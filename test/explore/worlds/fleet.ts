import { fleet as joinFleet } from '../../../src/fleet/index.ts';
import type { Fleet } from '../../../src/fleet/index.ts';
import { McpServer } from '../../../src/server/index.ts';
import { createEndpoint } from '../../../src/transport/http/server/endpoint.ts';
import type { Endpoint } from '../../../src/transport/http/server/endpoint.ts';
import type { ManualClock } from '../../../src/bounds/manual-clock.ts';
import { calm, pass, worldClock } from '../explorer.ts';
import type { Kind, Step, World } from '../explorer.ts';
import { eventsOf } from '../event-stream.ts';
import type { EventStream } from '../event-stream.ts';
import { FleetClient } from '../fleet-client.ts';
import { Gate } from '../gate.ts';
import { nothingHeld } from '../invariants.ts';
import { ProcessClock } from '../process-clock.ts';
import { SharedEngine } from '../shared-engine.ts';

const letters = ['A', 'B'];
const keys = [new Uint8Array(32).fill(7)];
/** Timers that are due later do not belong to the fleet: the sweep of idle sessions runs once a minute. */
const soonMs = 2000;
/** Limits of the client's actions and of clock ticks in one run. */
const most = { cuts: 2, resumed: 2, gets: 2, changes: 1, ticks: 3 };

/** Counts of the call's events in all processes. */
interface Done {
  begun: number;
  /** Answers to its question that handlers have received. */
  asked: number;
}

/** One process of the fleet. */
class Place {
  readonly letter: string;
  readonly clock: ProcessClock;
  readonly server: McpServer;
  readonly work: Gate = new Gate();
  readonly #fleet: Promise<Fleet>;
  #endpoint: Endpoint | undefined;

  constructor(letter: string, clock: ManualClock, engine: SharedEngine, done: Done, onError: (error: unknown) => void) {
    this.letter = letter;
    this.clock = new ProcessClock(clock);
    this.server = new McpServer({ name: 's', version: '1.0.0' }, { clock: this.clock, onError });
    this.server.tool('work', {}, async (_args, ctx) => {
      done.begun++;
      ctx.progress(1, 3);
      await this.work.wait();
      const { action } = await ctx.elicit('Go on?', { sure: { type: 'boolean' } });
      done.asked++;
      ctx.progress(2, 3);
      return `worked: ${action}`;
    });
    this.#fleet = joinFleet({ keys, engine: engine.open(letter), clock: this.clock, onError });
    void this.#fleet.then((fleet) => (this.#endpoint = createEndpoint(this.server, { fleet, limits: { keepAliveMs: 0 }, onError })));
  }

  get endpoint(): Endpoint {
    if (!this.#endpoint) throw new Error('the process has not joined');
    return this.#endpoint;
  }

  async close(): Promise<void> {
    await this.endpoint.close({ drainMs: 0 });
    await (await this.#fleet).close();
  }
}

/** Two processes, one engine, and a client that sends each request to either process. */
class FleetWorld implements World {
  readonly #clock = worldClock();
  readonly #settle = (): Promise<void> => calm(this.#clock);
  readonly #engine = new SharedEngine(letters, this.#clock, this.#settle);
  readonly #done: Done = { begun: 0, asked: 0 };
  readonly #errors: string[] = [];
  readonly #places: readonly Place[];
  readonly #client: FleetClient;
  readonly #counts = { cuts: 0, resumed: 0, changes: 0, ticks: 0, lapses: 0 };
  #dead: Place | undefined;
  /** A live process that the engine treats as dead. */
  #stalled: Place | undefined;
  /** True when no more faults may happen. */
  #quiet = false;
  /** Messages received on GET streams before the last change of the list. */
  #heardBefore = 0;
  #changed: Place | undefined;
  /** The process that made this change has died, perhaps before it told the others. */
  #unsaid = false;

  constructor() {
    const onError = (error: unknown): void => void this.#errors.push((error as Error).message);
    this.#places = letters.map((letter) => new Place(letter, this.#clock, this.#engine, this.#done, onError));
    this.#client = new FleetClient((at, request) => this.#place(at).endpoint.handle(request));
  }

  async begin(): Promise<this> {
    const flush = (): Promise<void> => this.#engine.flush();
    await flush();
    await this.#client.open('A', flush);
    this.#client.begin('A');
    await this.#settle();
    return this;
  }

  #place(letter: string): Place {
    return this.#places.find((one) => one.letter === letter) as Place;
  }

  get #alive(): Place[] {
    return this.#places.filter((one) => one !== this.#dead);
  }

  #change(place: Place): Promise<void> {
    this.#heardBefore = this.#client.heard;
    this.#changed = place;
    place.server.tool(`new-${++this.#counts.changes}`, {}, () => '');
    return this.#settle();
  }

  #die(place: Place): Promise<void> {
    this.#dead = place;
    if (this.#changed === place && this.#engine.mayOwe(this.#engine.member(place.letter))) this.#unsaid = true;
    this.#engine.kill(this.#engine.member(place.letter));
    place.clock.die();
    this.#client.lose(place.letter);
    return this.#settle();
  }

  #restore(): Promise<void> {
    if (this.#stalled) this.#engine.restore(this.#engine.member(this.#stalled.letter));
    this.#stalled = undefined;
    return this.#settle();
  }

  steps(): Step[] {
    const { letters: alive } = { letters: this.#alive.map(({ letter }) => letter) };
    const steps = [...this.#engine.steps(!this.#quiet), ...this.#clientSteps(alive), ...this.#fates()];
    for (const place of this.#alive) {
      const { letter, work } = place;
      if (work.waits > 0) steps.push({ name: `the work is done at ${letter}`, touches: [letter], run: () => (work.open(), this.#settle()) });
      if (this.#counts.changes < most.changes) steps.push({ name: `the list changes at ${letter}`, touches: ['*'], run: () => this.#change(place) });
    }
    return steps;
  }

  #clientSteps(alive: readonly string[]): Step[] {
    const client = this.#client;
    const steps: Step[] = [];
    const add = (name: string, touches: readonly string[], act: () => void): void =>
      void steps.push({ name, touches: ['client', ...touches], run: () => (act(), this.#settle()) });
    for (const one of client.streams) {
      if (!this.#quiet && this.#counts.cuts < most.cuts && (one.isOpen || one.waits)) {
        for (const lost of [0, 1]) {
          if (lost <= eventsOf(one.request.text).length) add(`${one.name} is cut, ${lost} events lost`, [one.at, 'wrong'], () => (this.#counts.cuts++, one.cut(lost)));
        }
      }
      if (this.#counts.resumed < most.resumed && this.#mayResume(one)) {
        for (const letter of alive) add(`${one.name} is resumed at ${letter}`, [letter, one.at], () => (this.#counts.resumed++, client.resume(one, letter)));
      }
    }
    for (const letter of alive) {
      if (client.question && client.answers.length < 2) add(`the client answers at ${letter}`, [letter, client.call.at], () => client.answer(letter));
      if (client.gets.length < most.gets) add(`GET ${client.gets.length + 1} to ${letter}`, [letter], () => client.listen(letter));
    }
    return steps;
  }

  #mayResume(one: EventStream): boolean {
    return one === this.#client.call ? this.#client.mayResume : !one.isOpen && !one.waits && one.lastId !== undefined;
  }

  /** Steps that act on processes and on time. */
  #fates(): Step[] {
    const steps: Step[] = [];
    const add = (name: string, run: () => Promise<void> | void): void => void steps.push({ name, touches: ['*'], run });
    if (!this.#quiet) {
      add('nothing goes wrong any more', () => void (this.#quiet = true));
      for (const place of this.#dead ? [] : this.#places) {
        add(`${place.letter} dies`, () => this.#die(place));
        if (this.#counts.lapses < 1) {
          add(`${place.letter} is taken for gone`, () => {
            this.#counts.lapses++;
            this.#stalled = place;
            this.#engine.lapse(this.#engine.member(place.letter));
          });
        }
      }
    }
    if (this.#stalled && this.#stalled !== this.#dead) add(`${this.#stalled.letter} is back`, () => this.#restore());
    const dead = this.#dead && this.#engine.member(this.#dead.letter);
    if (dead?.leased) add(`the lease of ${dead.letter} is out`, () => this.#engine.lapse(dead));
    const { due } = this.#clock;
    if (due !== undefined && due - this.#clock.monotonic() < soonMs && this.#counts.ticks < most.ticks) add(`time passes ${this.#counts.ticks + 1}`, () => (this.#counts.ticks++, pass(this.#clock)));
    return steps;
  }

  check(): void {
    this.#client.check(this.#engine.refused === 0);
    const { begun, asked } = this.#done;
    if (begun > 1) throw new Error(`the call was begun ${begun} times`);
    if (asked > 1) throw new Error(`its question was answered ${asked} times`);
  }

  /** After any faults, the client resumes until it has received everything that it can receive. */
  async #comesToRest(): Promise<void> {
    const client = this.#client;
    this.#quiet = true;
    await this.#restore();
    if (this.#dead) this.#engine.lapse(this.#engine.member(this.#dead.letter));
    for (let [rounds, atRest] = [0, 0]; atRest < 3; rounds++) {
      await this.#engine.flush();
      for (const { work } of this.#alive) if (work.waits > 0) work.open();
      await this.#engine.flush();
      this.check();
      const [letter] = this.#alive.map((one) => one.letter).slice(rounds % 2);
      const at = letter ?? (this.#alive[0] as Place).letter;
      const last = client.gets.at(-1);
      // If there are two GETs, the engine may have received either one later.
      const listens = last === undefined || client.gets.some(({ isOpen }) => isOpen);
      const served = !client.mayResume && !client.call.waits && !(client.call.isOpen && client.results.length === 0);
      // Joins and retries happen a moment later.
      atRest = listens && served && client.question === undefined && this.#engine.idle ? atRest + 1 : 0;
      if (rounds > 30) throw new Error(this.#whyNoRest(listens, served));
      if (client.question) client.answer(at);
      if (client.mayResume) client.resume(client.call, at);
      if (last && !listens && !last.waits) client.resume(last, at);
      await this.#engine.flush();
      const { due } = this.#clock;
      if (due !== undefined && due - this.#clock.monotonic() < soonMs) await pass(this.#clock);
    }
  }

  #whyNoRest(listens: boolean, served: boolean): string {
    if (!served) return 'the call is never answered';
    return listens ? 'it comes to no rest' : 'the client comes back, and gets no GET stream';
  }

  async finish(): Promise<string> {
    const client = this.#client;
    await this.#comesToRest();
    const { results, gets } = client;
    if (client.refused && this.#engine.refused === 0) throw new Error('the stream of the call cannot be resumed, though the engine has all of it');
    const resumable = client.call.lastId !== undefined && !client.refused;
    if (resumable && results.length !== 1) throw new Error(`the client of the call has its answer ${results.length} times`);
    if (gets.filter(({ isOpen }) => isOpen).length > 1) throw new Error('two GET streams of one session are open');
    if (this.#counts.changes > 0 && !this.#unsaid && gets.length > 0 && client.heard === this.#heardBefore) throw new Error('a client that listens has not heard of the last change');
    if (gets.length > 0) await this.#hearsEach();
    const outcome = JSON.stringify([results.map(({ error }) => error?.message ?? 'answer'), client.refused, this.#dead?.letter, this.#counts.lapses, client.answers.map(({ lost, post }) => (lost ? 'lost' : post.status)), gets.length, [...new Set(this.#errors)].length]);
    await this.#end();
    return outcome;
  }

  /** The client must hear of each further change once. */
  async #hearsEach(): Promise<void> {
    for (const place of this.#alive) {
      const before = this.#client.heard;
      await this.#change(place);
      for (let rounds = 0; rounds < 3; rounds++) {
        await this.#engine.flush();
        const { due } = this.#clock;
        if (due !== undefined && due - this.#clock.monotonic() < soonMs) await pass(this.#clock);
      }
      await this.#engine.flush();
      const heard = this.#client.heard - before;
      if (heard !== 1) throw new Error(`the client heard ${heard} times of a change at ${place.letter}`);
    }
  }

  /** Ends the session and closes the processes; nothing may be left. */
  async #end(): Promise<void> {
    const client = this.#client;
    const [place] = this.#alive;
    const ended = client.ask((place as Place).letter, { method: 'DELETE' });
    await this.#engine.flush();
    if (ended.status !== 204) throw new Error(`the end of the session was answered ${ended.status}`);
    for (const { letter } of this.#alive) {
      const late = client.ask(letter, { method: 'GET' });
      await this.#engine.flush();
      if (late.status !== 404) throw new Error(`a session that was ended is served at ${letter}: ${late.status}`);
    }
    for (const one of client.streams) if (one.isOpen || one.waits) throw new Error(`${one.name} is open after the end`);
    const closing = Promise.all(this.#alive.map((one) => one.close()));
    let closed = false;
    void closing.then(() => (closed = true));
    for (let rounds = 0; !closed; rounds++) {
      if (rounds > 20) throw new Error('a process does not close');
      await this.#engine.flush();
      if (!closed && this.#clock.due !== undefined) await pass(this.#clock);
    }
    // The session sweep runs one last time.
    this.#clock.tick(this.#clock.now() + 3_600_000);
    await this.#settle();
    nothingHeld({ clocks: [this.#clock] });
  }
}

export const fleet: Kind = {
  name: 'fleet',
  what: 'two processes and an engine that refuses, loses, repeats, delays and stalls: a call whose stream is cut and resumed elsewhere, a question that is answered elsewhere, GET streams, a changed list, a process that dies',
  make: () => new FleetWorld().begin(),
};
