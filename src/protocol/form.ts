// The content that an elicitation form allows, as types and as checks at run time.
// Source: client/elicitation, "Requested Schema", and schema.ts (PrimitiveSchemaDefinition) of each revision.
import { isObject } from '../jsonrpc/message.ts';
import { formFormats } from './form-formats.ts';
import type { FormFormat } from './form-formats.ts';
import type { Form, FormProperties, RequestedSchema } from './form-schema.ts';

export type { Form } from './form-schema.ts';

type FieldValue<F> = F extends { readonly enum: readonly (infer E)[] }
  ? E
  : F extends { readonly oneOf: readonly { readonly const: infer E }[] }
    ? E
    : F extends { readonly items: { readonly enum: readonly (infer E)[] } }
      ? E[]
      : F extends { readonly items: { readonly anyOf: readonly { readonly const: infer E }[] } }
        ? E[]
        : F extends { readonly type: 'string' }
          ? string
          : F extends { readonly type: 'number' | 'integer' }
            ? number
            : F extends { readonly type: 'boolean' }
              ? boolean
              : never;
type Defaulted<P> = { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P];
// If the compiler knows `required` only as `string[]`, no name counts as required.
type RequiredName<S> = S extends { readonly required: readonly (infer R extends string)[] }
  ? string extends R
    ? never
    : R
  : never;
type Values<P, Present extends PropertyKey> = {
  -readonly [K in keyof P as K extends Present ? K : never]: FieldValue<P[K]>;
} & { -readonly [K in keyof P as K extends Present ? never : K]?: FieldValue<P[K]> };
type FlatContent<T> = { [K in keyof T]: T[K] };

/** The content type of a completed form: `{ seat: 'window' | 'aisle'; confirm: boolean }`. */
export type FormContent<S> = S extends { readonly type: 'object'; readonly properties: infer P }
  ? FlatContent<Values<P, Defaulted<P> | RequiredName<S>>>
  : FlatContent<Values<S, keyof S>>;

/** The fault of one value, worded for display beside its field: `must be a whole number`. */
export interface FormError {
  readonly property: string;
  readonly message: string;
}
/** The result of `completeForm`. */
export type FormCompletion<C> =
  | { readonly valid: true; readonly content: C }
  | { readonly valid: false; readonly errors: readonly FormError[] };

/** An object of unknown content. */
export type Unknowns = Readonly<Record<string, unknown>>;
export const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isFormat = (value: unknown): value is FormFormat => isText(value) && Object.hasOwn(formFormats, value);
/** Cuts names and lists from the wire before they go into a sentence. */
export const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 199)}…` : text);

/**
 * The options of a field, or undefined if any value is allowed. A malformed option becomes undefined in the list.
 */
export function optionsOf(field: Unknowns): unknown[] | undefined {
  const from = isObject(field.items) ? field.items : field;
  if (Array.isArray(from.enum)) return from.enum;
  const titled = from.oneOf ?? from.anyOf;
  return Array.isArray(titled)
    ? titled.map((option: unknown) => (isObject(option) && isText(option.title) ? option.const : undefined))
    : undefined;
}

function outside(what: string, size: number, low: unknown, high: unknown): string | undefined {
  return isNumber(low) && size < low
    ? `${what}must be at least ${low}`
    : isNumber(high) && size > high
      ? `${what}must be at most ${high}`
      : undefined;
}

/** The first fault of a value, or undefined. Accepts unchecked fields. */
export function errorOf(field: Unknowns, value: unknown): string | undefined {
  const { type, format } = field;
  if (type === 'boolean') return typeof value === type ? undefined : 'must be true or false';
  if (type === 'number' || type === 'integer')
    return !isNumber(value)
      ? 'must be a number'
      : type === 'integer' && !Number.isInteger(value)
        ? 'must be a whole number'
        : outside('', value, field.minimum, field.maximum);
  const list = type === 'array';
  if (list ? !isTexts(value) : type !== 'string' || !isText(value))
    return `must be ${list ? 'a list' : 'text'}`;
  const chosen = new Set(list ? (value as string[]) : [value as string]);
  const options = optionsOf(field);
  const offered = options && new Set(options);
  for (const one of offered ? chosen : [])
    if (!offered?.has(one)) return cut(`must be one of ${options?.filter(isText).join(', ')}`);
  // Naming an option twice does not count as two selections.
  if (list)
    return chosen.size < (value as string[]).length
      ? 'must not repeat an option'
      : outside('count ', chosen.size, field.minItems, field.maxItems);
  let length = 0;
  for (const _ of value as string) length++;
  return (
    outside('length ', length, field.minLength, field.maxLength) ??
    (isFormat(format) && !formFormats[format](value as string) ? `must be a valid ${format}` : undefined)
  );
}

/**
 * Returns the whole schema of a form. In the short notation every property without a default is required.
 */
export function formSchema(form: Form): RequestedSchema {
  if (isText(form.type)) return form as RequestedSchema;
  const properties = form as FormProperties;
  const required = Object.keys(properties).filter((name) => properties[name]?.default === undefined);
  return { type: 'object', properties, required };
}

/**
 * Validates the content from a user and applies the defaults of missing properties. Never throws, whatever the
 * arguments, and never runs a `pattern`. Drops properties that the form does not have: the restricted schema cannot
 * forbid them, the user could not correct them, and the result must match its type. Errors come in the order of the
 * form, one for each property, worded for display, at most 200 characters long.
 */
export function completeForm<const S extends Form>(
  form: S,
  content: unknown,
): FormCompletion<FormContent<S>> {
  const { properties, required } = formSchema(Object(form) as Form);
  const errors: FormError[] = [];
  const values: [string, unknown][] = [];
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  for (const [property, field] of Object.entries(properties ?? {})) {
    const bag = Object(field) as Unknowns;
    const given = isObject(content) && Object.hasOwn(content, property) ? content[property] : undefined;
    const value = given === undefined ? bag.default : given;
    const message =
      value !== undefined ? errorOf(bag, value) : needed.has(property) ? 'is required' : undefined;
    if (message) errors.push({ property, message });
    // Copy a list: it may be the form's own default, and the form is shared.
    else if (value !== undefined) values.push([property, Array.isArray(value) ? [...value] : value]);
  }
  // fromEntries defines properties and calls no setter, so `__proto__` is an ordinary name.
  if (errors.length) return { valid: false, errors };
  return { valid: true, content: Object.fromEntries(values) as FormContent<S> };
}
