import { defaultConnectionLimits } from '../jsonrpc/connection.ts';
import type { ConnectionLimits } from '../jsonrpc/connection.ts';

/** What a server bounds, beside what each of its connections bounds. */
export interface ServerLimits extends ConnectionLimits {
  /**
   * Milliseconds that a question to a legacy client may take, and that it may wait for
   * `notifications/initialized` before. 5 minutes; 0: no limit.
   */
  questionTimeoutMs: number;
  /**
   * Resources that one legacy client may watch,
   * and `subscriptions/listen` requests that the server keeps open. 10,000.
   */
  maxSubscriptions: number;
}

/** The limits of a server that sets none. */
export const defaultServerLimits: ServerLimits = {
  ...defaultConnectionLimits,
  questionTimeoutMs: 300_000,
  maxSubscriptions: 10_000,
};
