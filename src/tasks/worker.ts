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
  /** Whether other processes create the tasks: if so, the worker scans at once, even if the store is not durable. */
  readonly others?: boolean;
  /** Sends a notification of a task's handler to the client that began the task. */
  readonly notify?: ((id: string, notification: Notification) => void) | undefined;
}

/**
 * A task that this worker takes or runs. It is cleared when it is removed from the map, because a map that has grown
 * keeps removed values in memory (bench/NOTES.md).
 */
interface TaskSlot {
  run: TaskRun | undefined;
  working: Promise<void> | undefined;
}

/** How often expired tasks are deleted, in milliseconds. */
const expireMs = 60_000;

/** Runs the tasks of a store with the tools of a server: takes due tasks, each with one lease for one run. */
export class Worker {
  readonly #server: ServerInternals;
  readonly #store: TaskStore;
  readonly #options: WorkerOptions;
  readonly #places = new Map<string, TaskSlot>();
  /** Tasks to be taken when there is room. */
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
    // A durable store may have tasks of other processes. Other stores get tasks only from calls of this process, and
    // some runtimes have no timers before the first call.
    if (store.durable || options.others) this.#scan();
  }

  /** The number of tasks that this process runs. */
  get running(): number {
    return this.#places.size;
  }

  /** Takes a task that may be due, or remembers it for later. */
  wake(id: string): void {
    if (this.#timer === undefined && !this.#closed) this.#scan();
    const places = this.#places;
    // A task in the map may have become due again after its run ended, but before the map entry is removed.
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

  /** Takes no more tasks, stops the running handlers, and gives their tasks back. */
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
