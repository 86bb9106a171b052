import type { NotificationParams } from './base.ts';

// notifications/cancelled: notification, both ways.
export interface CancelledNotificationParams extends NotificationParams {
  /** The request to give up. Optional in 2025-11-25 alone, whose tasks are cancelled by `tasks/cancel`. */
  requestId?: string | number | undefined;
  reason?: string | undefined;
}
