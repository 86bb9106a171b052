import type { NotificationParams, RequestParams } from './base.ts';

// For `checkOptions`.
export const loggingLevelKind =
  '"debug" or "info" or "notice" or "warning" or "error" or "critical" or "alert" or "emergency"';

/** The severities of RFC 5424, the least severe first. */
export const loggingLevels: readonly [
  'debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency',
] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** The severity of a log message, by the names of RFC 5424. */
export type LoggingLevel = (typeof loggingLevels)[number];

export const isLoggingLevel = (value: unknown): value is LoggingLevel => (loggingLevels as readonly unknown[]).includes(value);

/**
 * Whether a log message of this level is sent to a client. `least`: the level that the client asked for; undefined: it wants no
 * messages (2026-07-28 server/utilities/logging#per-request-log-level: a request without a level gets none).
 */
export function isWanted(level: LoggingLevel, least: LoggingLevel | undefined): boolean {
  const severity = loggingLevels.indexOf(level);
  // Also if the client wants no messages, so that the author always learns of a misspelt level.
  if (severity < 0) throw new TypeError(`ctx.log: there is no level ${level}, expected ${loggingLevels.join(', ')}`);
  return least !== undefined && severity >= loggingLevels.indexOf(least);
}

// logging/setLevel: request, client to server. Until 2025-11-25; then the request's own
// `_meta['io.modelcontextprotocol/logLevel']`. EmptyResult.
export interface SetLevelRequestParams extends RequestParams {
  /** The least severe level that the client wants to see. */
  level: LoggingLevel;
}

// notifications/message: notification, server to client. Deprecated since 2026-07-28.
export interface LoggingMessageNotificationParams extends NotificationParams {
  level: LoggingLevel;
  /** The part of the program that logs. */
  logger?: string | undefined;
  /** Any JSON value. */
  data: unknown;
}
