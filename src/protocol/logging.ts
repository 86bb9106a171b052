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
