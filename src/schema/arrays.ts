import type { Check, Compiler, Items, Keywords, Node } from './model.ts';
import { place, spend } from './run.ts';
import { lengthChecks } from './scalars.ts';

/** The rules for arrays: lengths, `items` and `prefixItems`. */
export function arrayChecks(
  node: Node,
  keywords: Keywords,
  tracked: boolean,
  compiler: Compiler,
): Check<Items>[] {
  const checks: Check<Items>[] = lengthChecks(node, 'minItems', 'maxItems');
  const { prefixItems = [], items } = keywords;
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
  return checks;
}
