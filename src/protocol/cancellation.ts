import { isRequestId } from '../jsonrpc/codec.ts';
import type { Cancellation } from '../jsonrpc/connection.ts';
import { errorMessage } from '../jsonrpc/errors.ts';
import type { Notification, RequestId } from '../jsonrpc/message.ts';
import { notificationText } from '../jsonrpc/outlet.ts';
import { shorten } from '../bounds/quote.ts';
import type { NotificationParams } from './base.ts';
import { subscriptionMeta } from './meta.ts';

// notifications/cancelled: notification, both ways.
export interface CancelledNotificationParams extends NotificationParams {
  /** The request to give up. Optional in 2025-11-25 alone, whose tasks are cancelled by `tasks/cancel`. */
  requestId?: string | number | undefined;
  reason?: string | undefined;
}

const cancelled = 'notifications/cancelled';

/** What a notification cancels. 2025-11-25 basic/utilities/cancellation: a malformed one is ignored. */
export function readCancellation({ method, params }: Notification): Cancellation | undefined {
  if (method !== cancelled) return undefined;
  const { requestId: id, reason } = params ?? {};
  if (!isRequestId(id)) return undefined;
  return { id, reason: typeof reason === 'string' ? shorten(reason) : 'The client cancelled the request' };
}

/** Cancels a request of ours. 2025-11-25 basic/utilities/cancellation: `initialize` MUST NOT be cancelled. */
export function cancellationOf(id: RequestId, method: string, reason: unknown): Notification | undefined {
  if (method === 'initialize') return undefined;
  return { jsonrpc: '2.0', method: cancelled, params: { requestId: id, reason: shorten(errorMessage(reason)) } };
}

/** Says that the server ends a subscription, as text. 2026-07-28 basic/patterns/cancellation. */
export function subscriptionCancelled(id: RequestId, reason: string): string {
  return notificationText(cancelled, { _meta: subscriptionMeta(id), requestId: id, reason });
}
