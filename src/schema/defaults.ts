import type { Node } from './nodes.ts';
import { isObject } from './nodes.ts';
import { own } from './objects.ts';
import type { Run } from './run.ts';
import { LimitReached, spend } from './run.ts';

/**
 * The value with the defaults that its schema promises: those of `properties`, found through `$ref`, `allOf` and
 * `items`; not those behind a condition or an alternative. What changes is copied; the input stays as it is.
 */
export function complete(node: Node, value: unknown, run: Run): unknown {
  const { keywords, target } = node;
  if (typeof keywords === 'boolean') return value;
  spend(run, 1);
  if (--run.depth < 0) throw new LimitReached('depth');
  let result = target ? complete(target, value, run) : value;
  for (const part of keywords.allOf ?? []) result = complete(part, result, run);
  if (isObject(result)) {
    let object = result;
    for (const [key, child] of keywords.properties ?? []) {
      const before = own(object, key);
      const fallback: unknown = typeof child.keywords === 'object' ? child.keywords.default : undefined;
      const start = before === undefined && fallback !== undefined ? JSON.parse(JSON.stringify(fallback)) : before;
      const after: unknown = start === undefined ? start : complete(child, start, run);
      if (after === before) continue;
      // Not an assignment: the name may be __proto__.
      if (object === value) object = { ...object };
      Object.defineProperty(object, key, { value: after, enumerable: true, writable: true, configurable: true });
    }
    result = object;
  } else if (Array.isArray(result)) {
    const { prefixItems = [], items } = keywords;
    let changed = false;
    const completed = result.map((item: unknown, i) => {
      const child = prefixItems[i] ?? items;
      const after = child ? complete(child, item, run) : item;
      changed ||= after !== item;
      return after;
    });
    if (changed) result = completed;
  }
  run.depth++;
  return result;
}
