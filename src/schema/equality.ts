import type { Run } from './run.ts';
import { spend } from './run.ts';
import { isObject } from './nodes.ts';

/** Equality of JSON values: numbers by value, objects without regard to order. */
export function equal(a: unknown, b: unknown, run: Run): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    spend(run, a.length);
    return a.every((item, i) => equal(item, b[i], run));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  spend(run, keys.length);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key], run))
  );
}

/** Indexes of the first two equal items; undefined when all differ. Takes linear time for scalars. */
export function findTwins(items: readonly unknown[], run: Run): [number, number] | undefined {
  const places = new Map<unknown, number>();
  const composites = new Map<string, number>();
  spend(run, items.length);
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    const composite = typeof item === 'object' && item !== null;
    const key = composite ? canonical(item, run) : item;
    const map: Map<unknown, number> = composite ? composites : places;
    const first = map.get(key);
    if (first !== undefined) return [first, i];
    map.set(key, i);
  }
  return undefined;
}

/** A text that two values share exactly when they are equal. Each part costs ten steps: it is slow to build. */
function canonical(value: unknown, run: Run): string {
  spend(run, 10);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, run)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key], run)}`).join()}}`;
}
