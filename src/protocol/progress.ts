import type { Clock } from '../bounds/clock.ts';
import type { Connection } from '../jsonrpc/connection.ts';
import { isObject, isRequestId } from '../jsonrpc/message.ts';
import type { Notification, Params, RequestId } from '../jsonrpc/message.ts';
import { notificationText } from '../jsonrpc/inbound-request.ts';
import { PendingRequests } from '../jsonrpc/pending-requests.ts';
import type { Progress, RequestRules } from '../jsonrpc/pending-requests.ts';
import type { NotificationParams } from './base.ts';
import { cancellationOf } from './cancellation.ts';

/** The token for progress reports, chosen by the sender of the request in `_meta.progressToken`. */
export type ProgressToken = string | number;

// notifications/progress: notification, both ways; since 2026-07-28 only server to client.
export interface ProgressNotificationParams extends NotificationParams {
  progressToken: ProgressToken;
  /** Grows with every notification. */
  progress: number;
  /** The final value of `progress`, if known. */
  total?: number | undefined;
  /** Since 2025-03-26. */
  message?: string | undefined;
}

/** The number of reports in a burst, and the reports per second after that. */
const maxBurst = 100;
const perSecond = 50;

/**
 * Filters the progress reports on one request of the peer: `progress` must grow, and the rate is limited, except for the
 * report that reaches `total`. 2025-11-25
 * basic/utilities/progress#behavior-requirements.
 */
export class ProgressReports {
  readonly #token: ProgressToken;
  #last = -Infinity;
  #left = maxBurst;
  readonly #clock: Clock;
  #at: number;
  /** The beginning of the text of every report. */
  #start: string | undefined;

  /** The reports for the token of a request; undefined if it has no token or a malformed one. */
  static of(meta: Readonly<Record<string, unknown>> | undefined, clock: Clock): ProgressReports | undefined {
    const token = meta?.['progressToken'];
    return isRequestId(token) ? new ProgressReports(token, clock) : undefined;
  }

  constructor(token: ProgressToken, clock: Clock) {
    this.#token = token;
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  /** The notification as text; undefined: do not send it. */
  next(progress: number, total?: number, message?: string): string | undefined {
    if (!(progress > this.#last)) return undefined;
    const now = this.#clock.monotonic();
    this.#left = Math.min(maxBurst, this.#left + ((now - this.#at) * perSecond) / 1000);
    this.#at = now;
    if (this.#left < 1 && progress !== total) return undefined;
    this.#left--;
    this.#last = progress;
    this.#start ??= notificationText('notifications/progress', { progressToken: this.#token }).slice(0, -2);
    return `${this.#start},${JSON.stringify({ progress, total, message }).slice(1)}}`;
  }
}

const rules: RequestRules = { cancellationOf, withToken: withProgressToken, progressOf: readProgress };

/** Our pending requests to the peer of a connection, with the MCP rules for progress and cancellation. */
export function requestsOf(connection: Connection): PendingRequests {
  return connection.pending ??= new PendingRequests(connection, rules);
}

/**
 * Adds a progress token to parameters: the id of the request, because it is unique among the requests in flight, as
 * 2025-11-25 basic/utilities/progress requires.
 */
export function withProgressToken(params: Params | undefined, id: RequestId): Params {
  // Each key is set before the spread, for the hidden class, and again after it: `{ ...x, key }` would create a new
  // hidden class each time (bench/NOTES.md).
  const _meta: Params = { progressToken: id, ...(params?.['_meta'] as object | undefined) };
  _meta['progressToken'] = id;
  const own: Params = { _meta, ...params };
  own['_meta'] = _meta;
  return own;
}

/** Reads a progress notification; undefined for other notifications. `progress` is undefined if it is not a number. */
export function readProgress(
  { method, params }: Notification,
): { token: RequestId; progress: Progress | undefined } | undefined {
  const token = params?.['progressToken'];
  if (method !== 'notifications/progress' || !isRequestId(token)) return undefined;
  return { token, progress: isProgress(params) ? params : undefined };
}

function isProgress(params: Params | undefined): params is Params & Progress {
  return isObject(params) && Number.isFinite(params['progress']);
}
