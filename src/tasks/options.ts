import type { Auth } from '../transport/internal-exports.ts';
import type { TaskLimits } from './limits.ts';
import type { TaskStore } from './store.ts';

/** The options of `tasks`. */
export interface TasksOptions {
  /** The store of the tasks. Default: `memoryStore`, whose tasks end with this process. */
  readonly store?: TaskStore;
  /**
   * Secrets of 32 bytes for encrypting the contents of tasks in the store: the first encrypts, all of them decrypt.
   * Without keys the contents are stored in clear text.
   */
  readonly keys?: readonly Uint8Array[];
  /** Whether this process runs the tasks. False if other processes do so with `runTasks`. Default: true. */
  readonly work?: boolean;
  /**
   * Selects the part of the caller's credentials that a task stores; its handler sees it as `ctx.auth`. Default: the
   * principal and the scopes, and nothing that gives access, such as a token.
   */
  readonly remember?: (auth: Auth) => Auth;
  /**
   * Whether questions (sampling, elicitation) go as tasks to clients of 2025-11-25 that declare this. The answer may
   * then take up to `ttlMs` instead of `questionTimeoutMs`. Default: false.
   */
  readonly askWithTasks?: boolean;
  readonly limits?: Partial<TaskLimits>;
}

/** The default of `remember`. */
export function rememberAuth({ principal, scopes }: Auth): Auth {
  return scopes === undefined ? { principal } : { principal, scopes };
}
