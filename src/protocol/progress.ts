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
