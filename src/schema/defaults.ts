import type { Node, Run } from './model.ts';
import { descend } from './run.ts';
import { isObject } from './typed.ts';
import { own } from './values.ts';

/**
 * For the option `defaults` of `compile`: makes a copy of the value with the defaults of its schema. Uses the defaults in
 * `properties`, found through `$ref`, `allOf` and `items`, but not those behind a condition or an alternative. The value is
 * completed first and validated then.
 */
export function fillDefaults(node: Node, value: unknown, run: Run): unknown {
  const { keywords, target } = node;
  if (typeof keywords === 'boolean') return value;
  descend(run);
  let result = target ? fillDefaults(target, value, run) : value;
  for (const part of keywords.allOf ?? []) result = fillDefaults(part, result, run);
  if (isObject(result)) {
    const copy = { ...result };
    for (const [key, child] of keywords.properties ?? []) {
      let property = own(result, key);
      if (property === undefined && typeof child.keywords === 'object') {
        const text = JSON.stringify(child.keywords.default) as string | undefined;
        property = text && (JSON.parse(text) as unknown);
      }
      if (property === undefined) continue;
      property = fillDefaults(child, property, run);
      // Not an assignment: the name may be __proto__.
      Object.defineProperty(copy, key, {
        value: property,
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    result = copy;
  } else if (Array.isArray(result)) {
    const { prefixItems = [], items } = keywords;
    result = result.map((item: unknown, i) => {
      const child = prefixItems[i] ?? items;
      return child ? fillDefaults(child, item, run) : item;
    });
  }
  run.depth++;
  return result;
}
