import type { Timer } from '../bounds/clock.ts';
import { toError } from '../jsonrpc/internal-exports.ts';
import type { Notification } from '../jsonrpc/index.ts';
import type { ServerInternals } from '../server/internal-exports.ts';
import type { Context, ServerCore } from '../server/index.ts';
import type { TaskLimits } from './limits.ts';
import { LeaseTime } from './store.ts';
import type { TaskStore } from './store.ts';
import { TaskRun } from './task-run.ts';

export interface WorkerOptions {
  readonly limits: TaskLimits;
  /** Whether others create the tasks, in this store as it is. */
  readonly others?: boolean;
  /** A notification of a task's handler, for whoever began the task. */
  readonly notify?: ((id: string, notification: Notification) => void) | undefined;
}

/** A task that a worker takes, or has. Removed from the table, it no longer leads to its run: a table that has grown keeps what it had (bench/NOTES.md). */
interface TaskSlot {
  run: TaskRun | undefined;
  working: Promise<void> | undefined;
}

/** Deletes what is over, this often. */
const expireMs = 60_000;

/** Works on the tasks of a store, with the tools of a server: takes what is due, one lease and one run at a time. */
export class Worker {
  readonly #server: ServerInternals;
  readonly #store: TaskStore;
  readonly #options: WorkerOptions;
  readonly #places = new Map<string, TaskSlot>();
  /** Due tasks for which there was no room. */
  readonly #wanted = new Set<string>();
  readonly #unwatch: () => void;
  #timer: Timer | undefined;
  #scanning: Promise<void> = Promise.resolve();
  #expiredAt = -Infinity;
  #closed = false;

  constructor(server: ServerCore<Context>, store: TaskStore, options: WorkerOptions) {
    this.#server = server.internals;
    this.#store = store;
    this.#options = options;
    this.#unwatch = store.watch((id, change) => {
      if (change === 'due') this.wake(id);
      else if (change === 'ended') this.#places.get(id)?.run?.cancel();
    });
    // What is durable may have been left by others. What is not comes with a call; some runtimes have no timers before.
    if (store.durable || options.others) this.#scan();
  }

  /** Tasks that this process works on. */
  get running(): number {
    return this.#places.size;
  }

  /** A task may be due. */
  wake(id: string): void {
    if (this.#timer === undefined && !this.#closed) this.#scan();
    const places = this.#places;
    // One that is here may have become due between the end of its run and the run's last word.
    if (this.#closed || places.has(id) || places.size >= this.#options.limits.maxRunning) {
      this.#wanted.add(id);
      return;
    }
    this.#wanted.delete(id);
    const place: TaskSlot = { run: undefined, working: undefined };
    places.set(id, place);
    place.working = this.#take(id, place).catch((error: unknown) => this.#report(error)).finally(() => {
      place.run = place.working = undefined;
      places.delete(id);
      const [next] = this.#wanted;
      if (next !== undefined) {
        this.#wanted.delete(next);
        this.wake(next);
      }
    });
  }

  /** Takes no more tasks, and gives back those that it has: their handlers are told to stop. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#unwatch();
    this.#timer?.stop();
    this.#wanted.clear();
    await this.#scanning;
    const places = [...this.#places.values()];
    const working = places.map((place) => place.working);
    await Promise.all(places.map(({ run }) => run?.leave()));
    await Promise.all(working);
  }

  async #take(id: string, place: TaskSlot): Promise<void> {
    const { limits, notify } = this.#options;
    const time = new LeaseTime(limits.leaseMs, this.#server.clock);
    const leased = await this.#store.lease(id, limits.leaseMs);
    if (!leased) return;
    const run = new TaskRun(leased, time, {
      store: this.#store,
      clock: this.#server.clock,
      limits,
      call: (params, exchange) => this.#server.dispatch('tools/call', params, exchange),
      notify: (notification) => notify?.(id, notification),
      report: (error) => this.#report(error),
    });
    place.run = run;
    if (this.#closed) await run.leave();
    else await run.play();
  }

  #scan(): void {
    const { scanMs, maxRunning } = this.#options.limits;
    const { clock } = this.#server;
    this.#timer = clock.after(scanMs, () => {
      this.#scanning = (async () => {
        if (clock.monotonic() - this.#expiredAt >= expireMs) {
          this.#expiredAt = clock.monotonic();
          await this.#store.expire(clock.now());
        }
        const room = maxRunning - this.#places.size;
        if (room > 0) for (const id of await this.#store.due(room)) if (!this.#places.has(id)) this.wake(id);
      })().catch((error: unknown) => this.#report(error)).finally(() => {
        if (!this.#closed) this.#scan();
      });
    }, true);
  }

  #report(error: unknown): void {
    this.#server.failures.report(toError(error), { what: 'method', name: 'tasks' });
  }
}
