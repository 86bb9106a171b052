import type { NotificationParams, Result } from './base.ts';
import type { RequestedSchema } from './form-schema.ts';
import type { TaskAugmentedRequestParams } from './tasks.ts';

/** A form for the user to fill in. */
export interface ElicitRequestFormParams extends TaskAugmentedRequestParams {
  /** Since 2025-11-25. Default: `form`. */
  mode?: 'form' | undefined;
  /** The question to the user. */
  message: string;
  requestedSchema: RequestedSchema;
}

/** Since 2025-11-25. A web page for the user to visit, for data that must not pass through the client. */
export interface ElicitRequestURLParams extends TaskAugmentedRequestParams {
  mode: 'url';
  /** Why the user should visit the page. */
  message: string;
  /** 2025-11-25 only (required there): the id that `notifications/elicitation/complete` will contain. */
  elicitationId?: string | undefined;
  url: string;
}

/** `elicitation/create`: request, server to client. Since 2025-06-18; since 2026-07-28 only in `InputRequests`. */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/** An elicitation in `InputRequests`. */
export interface ElicitRequest {
  method: 'elicitation/create';
  params: ElicitRequestParams;
}

/** The value of one form field. `string[]` since 2025-11-25. */
export type ElicitValue = string | number | boolean | string[];

/** The answer of the user. */
export interface ElicitResult extends Result {
  /** `decline`: the user refused; `cancel`: the user dismissed the question. */
  action: 'accept' | 'decline' | 'cancel';
  /** With `accept`, in form mode. */
  content?: Record<string, ElicitValue> | undefined;
}

/** `notifications/elicitation/complete`: notification, server to client. 2025-11-25 only. */
export interface ElicitationCompleteNotificationParams extends NotificationParams {
  elicitationId: string;
}

/** 2025-11-25 only. The error of a request that cannot continue until the user has visited these pages. */
export interface URLElicitationRequiredError {
  code: -32042;
  message: string;
  data: { elicitations: ElicitRequestURLParams[]; [key: string]: unknown };
}
