import { manualClock } from '../../src/bounds/manual-clock.ts';
import type { ManualClock } from '../../src/bounds/manual-clock.ts';
import { clientLifecycle, mayPass, serverLifecycle } from '../../src/protocol/lifecycle.ts';
import type { Lifecycle, LifecycleEvent, LifecycleState } from '../../src/protocol/lifecycle.ts';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import { isLeaseLost, LeaseTime } from '../../src/tasks/store.ts';
import type { Lease, TaskStore } from '../../src/tasks/store.ts';

// Replays runs of the models in test/quint on the real tables and the real store. Each throws if the two differ.

/** A value of a Quint run: numbers are numbers, sets are lists, maps are objects. */
export type ItfValue = boolean | number | string | readonly ItfValue[] | { readonly [key: string]: ItfValue };

/** Reads a value in the Informal Trace Format. */
export function readItf(value: unknown): ItfValue {
  if (typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number') return value;
  if (Array.isArray(value)) return value.map(readItf);
  if (typeof value !== 'object' || value === null) throw new Error(`the trace has the value ${String(value)}`);
  if ('#bigint' in value) return Number(value['#bigint']);
  if ('#set' in value) return readItf(value['#set']);
  if ('#tup' in value) return readItf(value['#tup']);
  if ('#map' in value) return Object.fromEntries((value['#map'] as [string, unknown][]).map(([key, one]) => [key, readItf(one)]));
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== '#meta').map(([key, one]) => [key.replace(/^.*::(?=\w+$)/, ''), readItf(one)]));
}

/** The states of a trace; `actionTaken` of a state is the action that led to it. */
export const statesOf = (itf: { readonly states: readonly unknown[] }): ItfState[] => itf.states.map((state) => readItf(state) as ItfState);

export type ItfState = Readonly<Record<string, ItfValue>> & { readonly actionTaken: string };

interface ModelMessage {
  readonly kind: string;
  readonly id: number;
}

interface LifecycleModel {
  readonly actionTaken: string;
  readonly client: LifecycleState;
  readonly server: LifecycleState;
  readonly up: readonly ModelMessage[];
  readonly down: readonly ModelMessage[];
  readonly handshake: number;
  readonly serverOwes: readonly number[];
}

/** The method for a kind of request. */
const methodOf = (kind: string): string => (kind === 'request' ? 'tools/list' : kind);

function expectState(table: Lifecycle, before: LifecycleState, event: LifecycleEvent, after: LifecycleState, refused?: LifecycleState): void {
  const next = table[before].on[event] ?? refused;
  if (next !== after) throw new Error(`${event} leads from ${before} to ${after} in the model, and to ${next} in the table`);
}

function expectPassage(table: Lifecycle, state: LifecycleState, message: ModelMessage | undefined): void {
  if (message && !mayPass(table[state].send, methodOf(message.kind))) throw new Error(`a request ${message.kind} is sent in the state ${state}, and the table does not allow it`);
}

/** Replays a run of lifecycle.qnt on the tables. Returns its number of steps. */
export function replayLifecycle(states: readonly ItfState[]): number {
  let steps = 0;
  for (const [i, state] of states.entries()) {
    if (i === 0) continue;
    const [before, after] = [states[i - 1], state] as unknown as [LifecycleModel, LifecycleModel];
    const { actionTaken: action } = after;
    steps++;
    if (action === 'clientRequests') {
      const sent = after.up.at(-1);
      expectPassage(clientLifecycle, before.client, sent);
      if (sent?.kind === 'initialize') expectState(clientLifecycle, before.client, 'initialize', after.client);
    } else if (action === 'clientInitialized') expectState(clientLifecycle, before.client, 'initialized', after.client);
    else if (action === 'clientCloses') expectState(clientLifecycle, before.client, 'close', after.client);
    else if (action === 'serverSeesTheEnd') expectState(serverLifecycle, before.server, 'close', after.server);
    else if (action === 'serverRequests') expectPassage(serverLifecycle, before.server, after.down.at(-1));
    else if (action === 'serverGets' && before.up[0]?.kind === 'initialized') expectState(serverLifecycle, before.server, 'initialized', after.server, before.server);
    else if (action === 'serverAnswers' && before.serverOwes.includes(before.handshake) && !after.serverOwes.includes(before.handshake)) {
      expectState(serverLifecycle, before.server, 'initialize', after.server, before.server);
    } else if (before.client !== after.client || before.server !== after.server) throw new Error(`${action} changes a state, and is no event of the tables`);
  }
  return steps;
}

interface Wish {
  readonly worker: string;
  readonly at: number;
  readonly fence?: number;
}

interface LeaseModel {
  readonly actionTaken: string;
  readonly now: number;
  readonly lag: Readonly<Record<string, number>>;
  readonly fence: number;
  readonly ended: boolean;
  readonly waiting: boolean;
  readonly wishes: readonly Wish[];
  readonly renewals: readonly Wish[];
  readonly holds: Readonly<Record<string, { readonly fence: number; readonly until: number }>>;
}

const id = 'task';
const nameOf = ({ worker, at, fence = 0 }: Wish): string => `${worker} ${fence} ${at}`;
/** The items missing in the second list. */
const gone = (before: readonly Wish[], after: readonly Wish[]): Wish[] => before.filter((one) => !after.some((other) => nameOf(other) === nameOf(one)));

/** The store and the workers of one run. */
class LeaseReplay {
  readonly #ms: number;
  readonly #clock: ManualClock = manualClock(0);
  readonly #store: TaskStore = memoryStore({ clock: this.#clock });
  /** The lease time of each request, which begins with the request. */
  readonly #asked = new Map<string, LeaseTime>();
  readonly #held = new Map<string, { readonly lease: Lease; time: LeaseTime }>();
  #lag: Readonly<Record<string, number>> = {};
  #records = 0;
  #questions = 0;

  constructor(ms: number) {
    this.#ms = ms;
  }

  create(): Promise<void> {
    return this.#store.create({ id, owner: '', createdAt: 0, expiresAt: null, head: '{}' });
  }

  /** Replays one step of the model on the store. */
  async step(before: LeaseModel, after: LeaseModel): Promise<void> {
    if (after.now > before.now) this.#clock.tick(after.now);
    this.#lag = after.lag;
    for (const wish of [...gone(after.wishes, before.wishes), ...gone(after.renewals, before.renewals)]) this.#asked.set(nameOf(wish), this.#newTime(wish.worker));
    const [wish] = gone(before.wishes, after.wishes);
    const [renewal] = gone(before.renewals, after.renewals);
    const action = after.actionTaken;
    if (wish) await this.#lease(wish, after.fence > before.fence);
    if (renewal) await this.#renew(renewal, action === 'renewed');
    // A worker that gave up its lease without a release, an end of the task, or a refusal.
    const left = wish || renewal ? undefined : Object.keys(before.holds).find((worker) => before.holds[worker]?.fence !== after.holds[worker]?.fence);
    if (left !== undefined) await this.#leave(left, action, after.waiting);
    if (action === 'write') await this.#judge(() => this.#append({ id, fence: before.fence }), true, 'a write');
    if (action === 'cancel') await this.#cancel();
    if (action === 'answer') await this.#store.answer(id, new Map([[`${this.#questions}`, '{}']]));
    this.#compare(after);
  }

  #newTime(worker: string): LeaseTime {
    const lag = (): number => this.#lag[worker] ?? 0;
    return new LeaseTime(this.#ms, { ...this.#clock, now: () => this.#clock.now() - lag(), monotonic: () => this.#clock.monotonic() - lag() });
  }

  #timeOf(wish: Wish): LeaseTime {
    const time = this.#asked.get(nameOf(wish));
    if (time === undefined) throw new Error(`nothing was asked for as ${nameOf(wish)}`);
    return time;
  }

  async #lease(wish: Wish, granted: boolean): Promise<void> {
    const leased = await this.#store.lease(id, this.#ms);
    if ((leased !== undefined) !== granted) throw new Error(`the store ${leased ? 'grants' : 'refuses'} a lease, and the model does not`);
    if (leased) this.#held.set(wish.worker, { lease: leased.lease, time: this.#timeOf(wish) });
  }

  async #renew(renewal: Wish, renewed: boolean): Promise<void> {
    const { worker, fence = 0 } = renewal;
    await this.#judge(() => this.#store.renew({ id, fence }, this.#ms), renewed, 'a renewal');
    const held = this.#held.get(worker);
    if (held?.lease.fence !== fence) return;
    if (renewed) held.time = this.#timeOf(renewal);
    else this.#held.delete(worker);
  }

  async #leave(worker: string, action: string, waits: boolean): Promise<void> {
    const held = this.#held.get(worker);
    if (held === undefined) throw new Error(`${worker} has no lease in the store`);
    this.#held.delete(worker);
    const { lease } = held;
    if (action === 'release') await this.#judge(() => this.#store.release(lease, this.#records, [], waits ? [`${++this.#questions}`] : []), true, 'a release');
    if (action === 'finish') await this.#judge(async () => void await this.#store.end(id, '{}', lease), true, 'an end');
    if (action === 'refused') await this.#judge(() => this.#append(lease), false, 'a write');
  }

  async #append(lease: Lease): Promise<void> {
    await this.#store.append(lease, this.#records, ['{}']);
    this.#records++;
  }

  async #cancel(): Promise<void> {
    if (!await this.#store.end(id, '{}')) throw new Error('the store has ended the task before the model has');
  }

  async #judge(call: () => Promise<void>, taken: boolean, what: string): Promise<void> {
    const done = await call().then(() => true, (error: unknown) => {
      if (isLeaseLost(error)) return false;
      throw error;
    });
    if (done !== taken) throw new Error(`the store ${done ? 'takes' : 'refuses'} ${what}, and the model does not`);
  }

  /** Compares whether workers consider their leases valid, in the code and in the model. */
  #compare({ holds, now, lag }: LeaseModel): void {
    for (const [worker, { fence, until }] of Object.entries(holds)) {
      const held = this.#held.get(worker);
      if ((held?.lease.fence ?? 0) !== fence) throw new Error(`${worker} has the fence ${held?.lease.fence}, and ${fence} in the model`);
      const believed = fence > 0 && now - (lag[worker] ?? 0) < until;
      if (held && !held.time.isOver !== believed) throw new Error(`${worker} ${held.time.isOver ? 'has given up' : 'believes'} its lease, and not in the model`);
    }
  }
}

/** Replays a run of lease.qnt on the memory store. `ms`: duration of a lease. Returns its number of steps. */
export async function replayLease(states: readonly ItfState[], ms: number): Promise<number> {
  const replay = new LeaseReplay(ms);
  await replay.create();
  const model = states as unknown as readonly LeaseModel[];
  for (let i = 1; i < model.length; i++) await replay.step(model[i - 1] as LeaseModel, model[i] as LeaseModel);
  return model.length - 1;
}
