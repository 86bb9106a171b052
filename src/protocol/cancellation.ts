import { isRequestId } from '../jsonrpc/message.ts';
import type { CancelledRequest } from '../jsonrpc/connection.ts';
import { errorMessage } from '../jsonrpc/errors.ts';
import type { Notification, RequestId } from '../jsonrpc/message.ts';
import { notificationText } from '../jsonrpc/inbound-request.ts';
import { shorten } from '../bounds/quote.ts';
import type { NotificationParams } from './base.ts';
import { subscriptionMeta } from './meta.ts';

// notifications/cancelled: notification, both ways.
export interface CancelledNotificationParams extends NotificationParams {
  /** The request to cancel. Optional only in 2025-11-25, where `tasks/cancel` cancels tasks. */
  requestId?: string | number | undefined;
  reason?: string | undefined;
}

const cancelled = 'notifications/cancelled';

/** The request that a notification cancels; undefined for others. 2025-11-25 basic/utilities/cancellation: ignore malformed ones. */
export function readCancellation({ method, params }: Notification): CancelledRequest | undefined {
  if (method !== cancelled) return undefined;
  const { requestId: id, reason } = params ?? {};
  if (!isRequestId(id)) return undefined;
  return { id, reason: typeof reason === 'string' ? shorten(reason) : 'The client cancelled the request' };
}

/**
 * The notification that cancels our request. 2025-11-25 basic/utilities/cancellation: `initialize` MUST NOT be
 * cancelled.
 */
export function cancellationOf(id: RequestId, method: string, reason: unknown): Notification | undefined {
  if (method === 'initialize') return undefined;
  return { jsonrpc: '2.0', method: cancelled, params: { requestId: id, reason: shorten(errorMessage(reason)) } };
}

/** The text of the notification with which a server ends a subscription. 2026-07-28 basic/patterns/cancellation. */
export function subscriptionCancelled(id: RequestId, reason: string): string {
  return notificationText(cancelled, { _meta: subscriptionMeta(id), requestId: id, reason });
}
