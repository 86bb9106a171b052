import type { Compiler } from './compile.ts';
import { findTwins } from './equality.ts';
import type { Keywords, Node } from './nodes.ts';
import type { Check } from './run.ts';
import { fail, place, quietly, spend } from './run.ts';
import { lengthChecks } from './scalars.ts';

export type Items = readonly unknown[];

/** The rules for arrays, without `unevaluatedItems`. */
export function arrayChecks(
  node: Node,
  keywords: Keywords,
  tracked: boolean,
  compiler: Compiler,
): Check<Items>[] {
  const checks: Check<Items>[] = lengthChecks(node, 'minItems', 'maxItems');
  const { prefixItems = [], items, contains } = keywords;
  if (prefixItems.length || items) {
    const first = prefixItems.map((item) => compiler.check(item, false));
    const rest = items && compiler.check(items, false);
    checks.push((value, run) => {
      const length = rest ? value.length : Math.min(first.length, value.length);
      spend(run, length);
      let ok = true;
      for (let i = 0, mark = run.last; i < length; i++) {
        const check = first[i] ?? rest;
        if (tracked) run.seen.push(String(i));
        if (check === undefined || check(value[i], run)) continue;
        ok = false;
        mark = place(run, mark, '/' + i);
        if (!run.room) break;
      }
      return ok;
    });
  }
  if (contains) {
    const check = compiler.check(contains, false);
    const { minContains = 1, maxContains = Infinity } = keywords;
    checks.push((value, run) => {
      spend(run, value.length);
      let count = 0;
      for (let i = 0; i < value.length; i++) {
        if (!quietly(check, value[i], run)) continue;
        count++;
        if (tracked) run.seen.push(String(i));
      }
      return count < minContains ?
          fail(run, node, keywords.minContains ? 'minContains' : 'contains', value)
        : count <= maxContains || fail(run, node, 'maxContains', value);
    });
  }
  if (keywords.uniqueItems) {
    checks.push((value, run) => {
      const twins = value.length > 1 && findTwins(value, run);
      return !twins || fail(run, node, 'uniqueItems', value, twins);
    });
  }
  return checks;
}
