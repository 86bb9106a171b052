import { quote } from '../bounds/quote.ts';

const placeholder = /^<[a-z][a-z0-9 -]*>$/;

/** Whether a text is a placeholder, such as `<state 1>`. */
export const isPlaceholder = (text: string): boolean => placeholder.test(text);

/** Replaces placeholders by their known values. Throws for a placeholder without a value. */
export function fill(json: unknown, known: ReadonlyMap<string, unknown>): unknown {
  if (typeof json === 'string' && placeholder.test(json)) {
    if (!known.has(json)) throw new Error(`no value is known for ${json}`);
    return known.get(json);
  }
  if (Array.isArray(json)) return json.map((item) => fill(item, known));
  if (!isRecord(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, fill(value, known)]));
}

/**
 * The first difference between a message and the expected one, as `path: expected …, got …`; undefined if there is
 * none. A placeholder takes the value that it meets and keeps it in `known`; `<any>` takes anything and keeps
 * nothing.
 */
export function difference(expected: unknown, got: unknown, known: Map<string, unknown>, path: string = ''): string | undefined {
  // A recorded transcript defines texts that only look like placeholders as themselves.
  const literal = typeof expected === 'string' && known.get(expected) === expected;
  if (expected === '<any>' && !literal) return got === undefined ? `${path}: is missing` : undefined;
  if (!literal && typeof expected === 'string' && placeholder.test(expected)) {
    if (known.has(expected)) return difference(known.get(expected), got, new Map(), `${path} (${expected})`);
    if (got === undefined) return `${path}: is missing`;
    known.set(expected, got);
    return undefined;
  }
  if (Array.isArray(expected) && Array.isArray(got)) {
    if (expected.length !== got.length) return `${path}: expected ${expected.length} items, got ${got.length}`;
    return first(expected.map((_, index) => String(index)), (key) =>
      difference(expected[Number(key)], got[Number(key)], known, `${path}/${key}`));
  }
  if (isRecord(expected) && isRecord(got)) {
    const extra = Object.keys(got).find((key) => !Object.hasOwn(expected, key));
    if (extra !== undefined) return `${path}/${extra}: expected nothing, got ${quote(got[extra])}`;
    return first(Object.keys(expected), (key) =>
      (Object.hasOwn(got, key) ? difference(expected[key], got[key], known, `${path}/${key}`) : `${path}/${key}: is missing`));
  }
  if (Object.is(expected, got)) return undefined;
  return `${path}: expected ${quote(expected)}, got ${quote(got)}`;
}

function first(keys: readonly string[], find: (key: string) => string | undefined): string | undefined {
  for (const key of keys) {
    const found = find(key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
