import type { Context } from '../server/context.ts';

/** What the function of `ctx.once` is told. */
export interface Step {
  /**
   * 1, and higher where an earlier run may have begun this step without its end being written: the process was killed,
   * or lost its lease, in between.
   */
  readonly attempt: number;
  /**
   * The same for every attempt of this step of this task, and for no other: to be handed to the outside world (a
   * payment, a mail), which then does it once. A plain call has no journal: there it is new each time.
   */
  readonly idempotencyKey: string;
}

/** What the handler of a tool with `task` has besides: the same in a plain call and in a task. */
export interface TaskContext extends Context {
  /**
   * Makes a JSON value once for this request, however often the handler runs: at least once where a crash interrupts
   * `make`, and never again after its value was written. In a task what `make` throws is written too, so that the
   * handler, running again, goes the same way; a further call with this key is a further attempt.
   */
  once<T>(key: string, make: (step: Step) => T | Promise<T>): Promise<T>;

  /**
   * Steers a task that began with older code past a change of the handler: `current` where the handler comes here for
   * the first time, and from then on the same for this task; 0 where the task went past this place before there was
   * this call. `if (await ctx.version('gift wrap', 1) >= 1) …`
   */
  version(key: string, current: number): Promise<number>;

  /** Says in words what the work is at: the task's `statusMessage`. In a plain call it does nothing. */
  status(message: string): void;
}
