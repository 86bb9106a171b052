import type { Timer } from '../bounds/clock.ts';
import { toError } from '../jsonrpc/door.ts';
import type { Notification } from '../jsonrpc/index.ts';
import type { ServerInside } from '../server/door.ts';
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

/** Deletes what is over, this often. */
const expireMs = 60_000;

/** Works on the tasks of a store, with the tools of a server: takes what is due, one lease and one run at a time. */
export class Worker {
  readonly #server: ServerInside;
  readonly #store: TaskStore;
  readonly #options: WorkerOptions;
  readonly #runs = new Map<string, TaskRun>();
  /** Due tasks for which there was no room. */
  readonly #wanted = new Set<string>();
  readonly #taking = new Set<string>();
  readonly #working = new Set<Promise<void>>();
  readonly #unwatch: () => void;
  #timer: Timer | undefined;
  #scanning: Promise<void> = Promise.resolve();
  #expiredAt = -Infinity;
  #closed = false;

  constructor(server: ServerCore<Context>, store: TaskStore, options: WorkerOptions) {
    this.#server = server.inside;
    this.#store = store;
    this.#options = options;
    this.#unwatch = store.watch((id, change) => {
      if (change === 'due') this.wake(id);
      else if (change === 'ended') this.#runs.get(id)?.cancel();
    });
    // What is durable may have been left by others. What is not comes with a call; some runtimes have no timers before.
    if (store.durable || options.others) this.#scan();
  }

  /** Tasks that this process works on. */
  get running(): number {
    return this.#runs.size;
  }

  /** A task may be due. */
  wake(id: string): void {
    if (this.#timer === undefined && !this.#closed) this.#scan();
    if (this.#closed || this.#runs.has(id) || this.#taking.has(id)) {
      // It may have become due between the end of a run and its last word.
      this.#wanted.add(id);
      return;
    }
    if (this.#runs.size + this.#taking.size >= this.#options.limits.maxRunning) {
      this.#wanted.add(id);
      return;
    }
    this.#wanted.delete(id);
    this.#taking.add(id);
    const working = this.#take(id).catch((error: unknown) => this.#report(error)).finally(() => {
      this.#working.delete(working);
      this.#taking.delete(id);
      const [next] = this.#wanted;
      if (next !== undefined) {
        this.#wanted.delete(next);
        this.wake(next);
      }
    });
    this.#working.add(working);
  }

  /** Takes no more tasks, and gives back those that it has: their handlers are told to stop. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#unwatch();
    this.#timer?.stop();
    this.#wanted.clear();
    await this.#scanning;
    await Promise.all(Array.from(this.#runs.values(), (run) => run.leave()));
    await Promise.all(this.#working);
  }

  async #take(id: string): Promise<void> {
    const { limits, notify } = this.#options;
    const time = new LeaseTime(limits.leaseMs, this.#server.clock);
    const leased = await this.#store.lease(id, limits.leaseMs);
    if (!leased) return;
    const run = new TaskRun(leased, time, {
      store: this.#store,
      clock: this.#server.clock,
      limits,
      call: (params, exchange) => this.#server.handle('tools/call', params, exchange),
      notify: (notification) => notify?.(id, notification),
      report: (error) => this.#report(error),
    });
    this.#runs.set(id, run);
    this.#taking.delete(id);
    try {
      if (this.#closed) await run.leave();
      else await run.play();
    } finally {
      this.#runs.delete(id);
    }
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
        const room = maxRunning - this.#runs.size - this.#taking.size;
        if (room > 0) for (const id of await this.#store.due(room)) if (!this.#runs.has(id)) this.wake(id);
      })().catch((error: unknown) => this.#report(error)).finally(() => {
        if (!this.#closed) this.#scan();
      });
    }, true);
  }

  #report(error: unknown): void {
    this.#server.failures.report(toError(error), { what: 'method', name: 'tasks' });
  }
}
