import { isRequestId } from '../jsonrpc/codec.ts';
import { notificationText } from '../jsonrpc/outlet.ts';
import type { NotificationParams } from './base.ts';

/** Chosen by the side that asks, in `_meta.progressToken` of its request. */
export type ProgressToken = string | number;

// notifications/progress: notification, both ways; since 2026-07-28 server to client alone.
export interface ProgressNotificationParams extends NotificationParams {
  progressToken: ProgressToken;
  /** Grows with every notification. */
  progress: number;
  /** What `progress` will be at the end, if known. */
  total?: number | undefined;
  /** Since 2025-03-26. */
  message?: string | undefined;
}

/** Reports that may follow one another at once, and how many a second make up for them. */
const maxBurst = 100;
const perSecond = 50;

/**
 * The reports on one request of the peer's, as far as they may be sent: each above the last, and not too many in a row.
 * The report that reaches the total always passes.
 * 2025-11-25 basic/utilities/progress#behavior-requirements.
 */
export class ProgressReports {
  readonly #token: ProgressToken;
  #last = -Infinity;
  #left = maxBurst;
  #at = Date.now();
  /** What the texts of all reports begin with. */
  #start: string | undefined;

  /** `token` is that of the request; undefined where it wants no reports, or its token is none. */
  static of(meta: Readonly<Record<string, unknown>> | undefined): ProgressReports | undefined {
    const token = meta?.['progressToken'];
    return isRequestId(token) ? new ProgressReports(token) : undefined;
  }

  constructor(token: ProgressToken) {
    this.#token = token;
  }

  /** The notification as text; undefined: none is to be sent. JSON leaves out what is undefined. */
  next(progress: number, total?: number, message?: string): string | undefined {
    if (!(progress > this.#last)) return undefined;
    const now = Date.now();
    this.#left = Math.min(maxBurst, this.#left + ((now - this.#at) * perSecond) / 1000);
    this.#at = now;
    if (this.#left < 1 && progress !== total) return undefined;
    this.#left--;
    this.#last = progress;
    this.#start ??= notificationText('notifications/progress', { progressToken: this.#token }).slice(0, -2);
    return `${this.#start},${JSON.stringify({ progress, total, message }).slice(1)}}`;
  }
}
