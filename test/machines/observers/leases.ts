import type { ManualClock } from '../../../src/bounds/manual-clock.ts';
import { readTask, viewOf } from '../../../src/tasks/journal.ts';
import { isLeaseLost } from '../../../src/tasks/store.ts';
import type { Lease, TaskStore } from '../../../src/tasks/store.ts';
import type { TaskWatch } from '../../explore/worlds/task.ts';
import type { Trace } from '../trace.ts';

/** A lease that the store has granted. */
interface Granted {
  readonly fence: number;
  /** When it ends, by the steady clock. */
  until: number;
}

/** An action of a worker, or the outcome of its request. */
export interface LeaseEvent {
  readonly action: 'request' | 'grant' | 'deny' | 'askRenewal' | 'renewed' | 'notRenewed' | 'write' | 'release' | 'finish' | 'refused' | 'failed' | 'begin' | 'cancel' | 'answer';
  /** Empty: a client without a lease. */
  readonly worker: string;
  /** Time of the event, by the steady clock. */
  readonly now: number;
  /** The lease's fence; 0: no lease. */
  readonly fence: number;
  /** When it was requested, if earlier. */
  readonly asked: number;
  /** For `release` and `answer`: whether the task now waits for answers. */
  readonly waits: boolean;
}

/**
 * Observes the world of a task: reports the store's view of each lease and of the task to a trace, and records the workers'
 * actions.
 */
export class LeaseWatch implements TaskWatch {
  readonly events: LeaseEvent[] = [];
  readonly #trace: Trace;
  readonly #leases = new Map<number, Granted>();
  #inner: TaskStore | undefined;
  #clock: ManualClock | undefined;

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  /** Starts a new run. */
  begin(): void {
    this.events.length = 0;
    this.#leases.clear();
  }

  begins(worker: string): void {
    this.#event('begin', worker);
  }

  store(inner: TaskStore, clock: ManualClock): TaskStore {
    this.#inner = inner;
    this.#clock = clock;
    const held = async (lease: Lease, event: string, call: () => Promise<void>): Promise<void> => {
      this.#expire();
      await call().catch((error: unknown) => {
        if (isLeaseLost(error)) this.#lease(lease.fence, 'refuse');
        throw error;
      });
      this.#lease(lease.fence, event);
      await this.#look(lease.id);
    };
    return {
      ...inner,
      lease: async (id, ms) => {
        this.#expire();
        const leased = await inner.lease(id, ms);
        if (leased) this.#granted(leased.lease.fence, clock.monotonic() + ms);
        await this.#look(id);
        return leased;
      },
      renew: (lease, ms) => held(lease, 'renew', async () => {
        await inner.renew(lease, ms);
        this.#leases.set(lease.fence, { fence: lease.fence, until: clock.monotonic() + ms });
      }),
      append: (lease, ...rest) => held(lease, 'write', () => inner.append(lease, ...rest)),
      release: (lease, ...rest) => held(lease, 'release', () => inner.release(lease, ...rest)),
      end: async (id, end, lease) => {
        let done = false;
        if (lease) {
          await held(lease, 'end', async () => void (done = await inner.end(id, end, lease)));
          return done;
        }
        this.#expire();
        done = await inner.end(id, end);
        if (done) this.#cancelled();
        await this.#look(id);
        return done;
      },
      answer: async (id, answers) => {
        const taken = await inner.answer(id, answers);
        await this.#look(id);
        if (taken.length > 0) this.#event('answer', '', { waits: this.#trace.stateOf('task', id) === 'input_required' });
        return taken;
      },
    };
  }

  worker(worker: string, store: TaskStore): TaskStore {
    const now = (): number => this.#clock?.monotonic() ?? 0;
    /** Calls the store under a lease, and records its answer. */
    const told = async <T>(action: LeaseEvent['action'], refused: LeaseEvent['action'], { fence }: Lease, call: () => Promise<T>, waits: () => boolean = () => false): Promise<T> => {
      const asked = now();
      try {
        const value = await call();
        this.#event(action, worker, { fence, asked, waits: waits() });
        return value;
      } catch (error) {
        this.#event(isLeaseLost(error) ? refused : 'failed', worker, { fence, asked });
        throw error;
      }
    };
    const isWaiting = (id: string): boolean => this.#trace.stateOf('task', id) === 'input_required';
    return {
      ...store,
      lease: async (id, ms) => {
        const asked = now();
        this.#event('request', worker);
        const leased = await store.lease(id, ms);
        this.#event(leased ? 'grant' : 'deny', worker, { asked, fence: leased?.lease.fence ?? 0 });
        return leased;
      },
      renew: (lease, ms) => {
        this.#event('askRenewal', worker, { fence: lease.fence });
        return told('renewed', 'notRenewed', lease, () => store.renew(lease, ms));
      },
      append: (lease, ...rest) => told('write', 'refused', lease, () => store.append(lease, ...rest)),
      release: (lease, ...rest) => told('release', 'refused', lease, () => store.release(lease, ...rest), () => isWaiting(lease.id)),
      end: (id, end, lease) => (lease ? told('finish', 'refused', lease, () => store.end(id, end, lease)) : store.end(id, end)),
    };
  }

  #event(action: LeaseEvent['action'], worker: string, rest: Partial<LeaseEvent> = {}): void {
    const now = this.#clock?.monotonic() ?? 0;
    this.events.push({ action, worker, now, fence: 0, asked: now, waits: false, ...rest });
  }

  /** A lease is identified by its fence. */
  #lease(fence: number, event: string): void {
    this.#trace.see('lease', fence, event);
  }

  /** Expires leases whose time is over. */
  #expire(): void {
    for (const { fence, until } of this.#leases.values()) {
      if (this.#trace.stateOf('lease', fence) === 'held' && until <= (this.#clock?.monotonic() ?? 0)) this.#lease(fence, 'expire');
    }
  }

  #granted(fence: number, until: number): void {
    for (const before of this.#leases.keys()) if (this.#trace.stateOf('lease', before) !== 'superseded') this.#lease(before, 'succeed');
    this.#leases.set(fence, { fence, until });
    this.#lease(fence, 'grant');
  }

  #cancelled(): void {
    this.#event('cancel', '');
    for (const fence of this.#leases.keys()) if (['held', 'over'].includes(this.#trace.stateOf('lease', fence))) this.#lease(fence, 'cancel');
  }

  /** Reads the task's status from its journal. */
  async #look(id: string): Promise<void> {
    const stored = await this.#inner?.load(id);
    if (stored === undefined) return;
    const { status } = viewOf(readTask(stored));
    if (status !== this.#trace.stateOf('task', id)) this.#trace.move('task', id, status);
  }
}
