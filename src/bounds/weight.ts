import type { Shape } from './options.ts';

/** The limits of a message beside its bytes. */
export interface WeightLimits {
  /** JSON values in one message of more than 64 KiB; an empty array or object counts as two. Default: 1,000,000. */
  readonly maxValues?: number | undefined;
  /** Nesting of arrays and objects in such a message. Default: 1,000. */
  readonly maxDepth?: number | undefined;
}

/** For `checkOptions`. */
export const weightShape: Shape<WeightLimits> = { maxValues: 0, maxDepth: 0 };

/** How many values a message may hold, unless another limit is given. */
export const defaultMaxValues = 1_000_000;
/** How deep a message may nest, unless another limit is given. */
export const defaultMaxDepth = 1000;

/** A shorter text is not counted, since it cannot cost much. In UTF-16 units. */
export const smallText = 65_536;

/** Bytes of memory for one JSON value, as V8 keeps them: between 8 for a number and 56 for an empty object. */
const valueBytes = 64;

/** The memory that a message takes, in bytes, or the limit that it exceeds. */
export type Weight = number | { readonly over: string };

/**
 * The weight of a JSON text after parsing: its length, and 64 bytes for each value if it is longer than 64 KiB. One
 * pass before `JSON.parse`, which needs two seconds and 400 MB for 16 MB of `[`.
 */
export function weighText(text: string, limits: WeightLimits = {}): Weight {
  const { length } = text;
  if (length <= smallText) return length;
  const { maxValues = defaultMaxValues, maxDepth = defaultMaxDepth } = limits;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: { // A string: on to the quotation mark that ends it, which follows no odd number of backslashes.
        let backslashes: number;
        do {
          at = text.indexOf('"', at + 1);
          backslashes = 0;
          while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
        } while (backslashes % 2 > 0);
        if (at < 0) return length;
        break;
      }
      case 0x2c: // A comma: a value more than its array or object begins with.
        if (++values > maxValues) return over(maxValues, 'values');
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++values > maxValues) return over(maxValues, 'values');
        if (++depth > maxDepth) return over(maxDepth, 'levels');
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
    }
  }
  return length + values * valueBytes;
}

/** The same for a parsed value. Strings and names count with their length. Does not recurse. */
export function weighValue(value: unknown, limits: WeightLimits = {}): Weight {
  const { maxValues = defaultMaxValues, maxDepth = defaultMaxDepth } = limits;
  let bytes = 0;
  let values = 1;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === 'string') bytes += item.length;
      if (typeof item !== 'object' || item === null) continue;
      if (depth >= maxDepth) return over(maxDepth, 'levels');
      if (Array.isArray(item)) {
        values += item.length;
        if (values > maxValues) return over(maxValues, 'values');
        for (const one of item) if (isHeavy(one)) next.push(one);
        continue;
      }
      for (const name in item) {
        bytes += name.length;
        if (++values > maxValues) return over(maxValues, 'values');
        const one = (item as Record<string, unknown>)[name];
        if (isHeavy(one)) next.push(one);
      }
    }
    level = next;
  }
  return bytes + values * valueBytes;
}

const isHeavy = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);

const over = (limit: number, what: 'values' | 'levels'): Weight => ({ over: `the limit of ${limit} ${what} in a message` });
