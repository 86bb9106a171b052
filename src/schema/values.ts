import type { Properties, Run } from './model.ts';
import { spend } from './run.ts';
import { isObject } from './typed.ts';

/** An own property of the value. An undefined property counts as missing, as it will be in JSON. */
export function own(value: Properties, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The names of the properties that JSON would show. */
export function names(value: Properties): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

/** Equality of JSON values: numbers by value, objects without regard to order. */
export function equal(a: unknown, b: unknown, run: Run): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false;
  const keys = Object.keys(a);
  const others = Object.keys(b).length;
  // Either object may be the larger one: one is in the schema, the other came over the wire.
  spend(run, 8 * Math.max(keys.length, others));
  return (
    keys.length === others &&
    Array.isArray(a) === Array.isArray(b) &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key as never], b[key as never], run))
  );
}

/** Indexes of the first two equal items; undefined when all differ. Takes linear time. */
export function findTwins(items: readonly unknown[], run: Run): [number, number] | undefined {
  const places = new Map<unknown, number>();
  spend(run, 2 * items.length);
  for (const [i, item] of items.entries()) {
    // The quote distinguishes a string from the text of an object or an array.
    const key =
      typeof item === 'object' ? canonical(item, run)
      : typeof item === 'string' ? `"${item}`
      : item;
    const first = places.get(key);
    if (first !== undefined) return [first, i];
    places.set(key, i);
  }
  return undefined;
}

/** Returns a text: two values have the same text if and only if they are equal. Each part costs ten steps, since it is slow to build. */
function canonical(value: unknown, run: Run): string {
  spend(run, 10);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, run)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? '';
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key], run)}`).join()}}`;
}

/** A name as a step of a JSON Pointer (RFC 6901), without the slash. */
export function escapeToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The steps of a JSON Pointer in a URI's fragment (RFC 6901 section 6). */
export function tokensOf(fragment: string): string[] {
  return fragment
    .split('/')
    .slice(1)
    .map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
