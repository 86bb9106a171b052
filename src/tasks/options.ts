import type { Auth } from '../transport/internal-exports.ts';
import type { TaskLimits } from './limits.ts';
import type { TaskStore } from './store.ts';

/** What `tasks` may be given. */
export interface TasksOptions {
  /** Where tasks are kept. In this process: they end with it. */
  readonly store?: TaskStore;
  /**
   * Secrets of 32 bytes under which all that tasks say is sealed before the store has it: the first seals, all of them
   * open. Without them it is kept as it is.
   */
  readonly keys?: readonly Uint8Array[];
  /** Whether this process works on tasks. False where others do, by `runTasks`. Default: true. */
  readonly work?: boolean;
  /**
   * What of the caller a task keeps, which its handler sees as `ctx.auth`. Default: the principal and the scopes, and
   * nothing that could be used to get in.
   */
  readonly remember?: (auth: Auth) => Auth;
  /**
   * Whether clients of 2025-11-25 that declare it are asked (sampling, elicitation) with tasks of their own: a question
   * may then take until its time is over, which is `ttlMs`, and not `questionTimeoutMs`. Default: false.
   */
  readonly askWithTasks?: boolean;
  readonly limits?: Partial<TaskLimits>;
}

/** What is kept of a caller, unless the author says otherwise. */
export function rememberAuth({ principal, scopes }: Auth): Auth {
  return scopes === undefined ? { principal } : { principal, scopes };
}
