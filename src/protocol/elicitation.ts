import type { NotificationParams, Result } from './base.ts';
import type { TaskAugmentedRequestParams } from './tasks.ts';

/** What any property of a form may carry. */
export interface FormProperty {
  title?: string | undefined;
  description?: string | undefined;
}

export interface StringSchema extends FormProperty {
  type: 'string';
  minLength?: number | undefined;
  maxLength?: number | undefined;
  format?: 'email' | 'uri' | 'date' | 'date-time' | undefined;
  /** Since 2025-11-25. */
  default?: string | undefined;
}

export interface NumberSchema extends FormProperty {
  type: 'number' | 'integer';
  minimum?: number | undefined;
  maximum?: number | undefined;
  /** Since 2025-11-25. */
  default?: number | undefined;
}

export interface BooleanSchema extends FormProperty {
  type: 'boolean';
  default?: boolean | undefined;
}

/** A choice of one. */
export interface UntitledSingleSelectEnumSchema extends FormProperty {
  type: 'string';
  enum: readonly string[];
  /** Since 2025-11-25. */
  default?: string | undefined;
}

/** Since 2025-11-25. A choice of one, each with a title. */
export interface TitledSingleSelectEnumSchema extends FormProperty {
  type: 'string';
  oneOf: readonly { const: string; title: string }[];
  default?: string | undefined;
}

export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;

/** Since 2025-11-25. A choice of several. */
export interface UntitledMultiSelectEnumSchema extends FormProperty {
  type: 'array';
  minItems?: number | undefined;
  maxItems?: number | undefined;
  items: { type: 'string'; enum: readonly string[] };
  default?: readonly string[] | undefined;
}

/** Since 2025-11-25. A choice of several, each with a title. */
export interface TitledMultiSelectEnumSchema extends FormProperty {
  type: 'array';
  minItems?: number | undefined;
  maxItems?: number | undefined;
  items: { anyOf: readonly { const: string; title: string }[] };
  default?: readonly string[] | undefined;
}

export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;

/** The older way to title a choice of one; from 2025-11-25 on, see TitledSingleSelectEnumSchema. */
export interface LegacyTitledEnumSchema extends FormProperty {
  type: 'string';
  enum: readonly string[];
  /** The titles, in the order of `enum`. */
  enumNames?: readonly string[] | undefined;
  /** Since 2025-11-25. */
  default?: string | undefined;
}

export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;

/** The only schemas that a form may hold: flat, one primitive (or one choice) a property. */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/** A form: what `requestedSchema` holds. */
export interface RequestedSchema {
  /** Since 2025-11-25. */
  $schema?: string | undefined;
  type: 'object';
  properties: Record<string, PrimitiveSchemaDefinition>;
  required?: readonly string[] | undefined;
}

/** A form to fill in. */
export interface ElicitRequestFormParams extends TaskAugmentedRequestParams {
  /** Since 2025-11-25. Default: `form`. */
  mode?: 'form' | undefined;
  /** What the person is asked. */
  message: string;
  requestedSchema: RequestedSchema;
}

/** Since 2025-11-25. A page to visit: for what must not pass through the client. */
export interface ElicitRequestURLParams extends TaskAugmentedRequestParams {
  mode: 'url';
  /** Why the person should go there. */
  message: string;
  /** 2025-11-25 only (required there): what `notifications/elicitation/complete` will name. */
  elicitationId?: string | undefined;
  url: string;
}

// elicitation/create: request, server to client. Since 2025-06-18; since 2026-07-28 only in InputRequests.
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

export interface ElicitRequest {
  method: 'elicitation/create';
  params: ElicitRequestParams;
}

/** One answer of a form. `string[]` since 2025-11-25. */
export type ElicitValue = string | number | boolean | string[];

export interface ElicitResult extends Result {
  /** `decline`: the person said no; `cancel`: the person said nothing. */
  action: 'accept' | 'decline' | 'cancel';
  /** With `accept`, in form mode. */
  content?: Record<string, ElicitValue> | undefined;
}

// notifications/elicitation/complete: notification, server to client. 2025-11-25 only.
export interface ElicitationCompleteNotificationParams extends NotificationParams {
  elicitationId: string;
}

/** 2025-11-25 only. The error of a request that cannot go on before the person has been to these pages. */
export interface URLElicitationRequiredError {
  code: -32042;
  message: string;
  data: { elicitations: ElicitRequestURLParams[]; [key: string]: unknown };
}
