import type { NotificationParams, Result } from './base.ts';
import type { RequestedSchema } from './form-schema.ts';
import type { TaskAugmentedRequestParams } from './tasks.ts';

/** A form to fill in. */
export interface ElicitRequestFormParams extends TaskAugmentedRequestParams {
  /** Since 2025-11-25. Default: `form`. */
  mode?: 'form' | undefined;
  /** The question to the person. */
  message: string;
  requestedSchema: RequestedSchema;
}

/** Since 2025-11-25. A page to visit, for data that must not pass through the client. */
export interface ElicitRequestURLParams extends TaskAugmentedRequestParams {
  mode: 'url';
  /** Why the person should go there. */
  message: string;
  /** 2025-11-25 only (required there): what `notifications/elicitation/complete` will name. */
  elicitationId?: string | undefined;
  url: string;
}

/** `elicitation/create`: request, server to client. Since 2025-06-18; since 2026-07-28 only in `InputRequests`. */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/** A question to a person as `InputRequests` carries it. */
export interface ElicitRequest {
  method: 'elicitation/create';
  params: ElicitRequestParams;
}

/** One answer of a form. `string[]` since 2025-11-25. */
export type ElicitValue = string | number | boolean | string[];

/** What a person answered. */
export interface ElicitResult extends Result {
  /** `decline`: the person said no; `cancel`: the person said nothing. */
  action: 'accept' | 'decline' | 'cancel';
  /** With `accept`, in form mode. */
  content?: Record<string, ElicitValue> | undefined;
}

/** `notifications/elicitation/complete`: notification, server to client. 2025-11-25 only. */
export interface ElicitationCompleteNotificationParams extends NotificationParams {
  elicitationId: string;
}

/** 2025-11-25 only. The error of a request that cannot go on until the person has visited these pages. */
export interface URLElicitationRequiredError {
  code: -32042;
  message: string;
  data: { elicitations: ElicitRequestURLParams[]; [key: string]: unknown };
}
