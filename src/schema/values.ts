import type { Properties } from './model.ts';

/** Whether a value is what JSON calls an object. */
export function isObject(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON type of a value; a value that JSON does not have gets a type that no schema names. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && !Number.isFinite(value) ? '' : typeof value;
}

/** An own property of the value. An undefined property counts as missing, as it will be in JSON. */
export function own(value: Properties, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The names of the properties that JSON would show. */
export function names(value: Properties): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}
