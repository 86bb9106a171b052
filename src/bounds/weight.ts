import type { Shape } from './options.ts';

/** Limits of one message in addition to its length. */
export interface WeightLimits {
  /** JSON values in one message of more than 64 KiB; an empty array or object counts as two. Default: 1,000,000. */
  readonly maxValues?: number | undefined;
  /** Nesting of arrays and objects in such a message. Default: 1,000. */
  readonly maxDepth?: number | undefined;
}

/** The shape of `WeightLimits` for `checkOptions`. */
export const weightShape: Shape<WeightLimits> = { maxValues: 0, maxDepth: 0 };

/** Default of `WeightLimits.maxValues`. */
export const defaultMaxValues = 1_000_000;
/** Default of `WeightLimits.maxDepth`. */
export const defaultMaxDepth = 1000;

/** UTF-16 units: the values of a text up to this length are not counted, since it cannot cost much. */
export const smallText = 65_536;

/** Bytes charged for one JSON value. V8 uses between 8 for a number and 56 for an empty object. */
const valueBytes = 64;

/** The memory of a message in bytes, or the limit that it exceeds. */
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
      case 0x22: { // A string: skip to the closing quotation mark, which has an even number of backslashes before it.
        let backslashes: number;
        do {
          at = text.indexOf('"', at + 1);
          backslashes = 0;
          while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
        } while (backslashes % 2 > 0);
        if (at < 0) return length;
        break;
      }
      case 0x2c: // A comma: one more value. The first value was counted with its array or object.
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

/** The weight of a parsed value: 64 bytes for each value, plus the lengths of strings and names. Does not recurse. */
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

/**
 * The bytes to charge for a parsed message whose text weighs `weight`, while a budget is `crowded`. Otherwise the values of a small text
 * are not counted: counting costs as much as the rest of a small request. A text like `{},{},{}` takes forty times its length.
 */
export function heldWeight(weight: number, value: unknown): number {
  return weight > 0 && weight <= smallText ? Math.max(weight, weightOfValues(value)) : weight;
}

/** The weight of a value whose text is small, whatever its depth. */
export function weightOfValues(value: unknown): number {
  return Number(weighValue(value, { maxDepth: Infinity }));
}

const isHeavy = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);

const over = (limit: number, what: 'values' | 'levels'): Weight => ({ over: `the limit of ${limit} ${what} in a message` });
