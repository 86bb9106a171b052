import type { Check, Compiler, Items, Keywords, Node } from './model.ts';
import { place, spend } from './run.ts';
import { lengthChecks } from './scalars.ts';

/** The rules for arrays: lengths, `items` and `prefixItems`. */
export function arrayChecks(node: Node, { prefixItems = [], items }: Keywords, compiler: Compiler): Check<Items>[] {
  const checks: Check<Items>[] = lengthChecks(node, 'minItems', 'maxItems');
  if (prefixItems.length || items) {
    const first = prefixItems.map(compiler.check);
    const rest = items && compiler.check(items);
    checks.push((value, run) => {
      const length = rest ? value.length : Math.min(first.length, value.length);
      spend(run, length);
      let ok = true;
      for (let i = 0, mark = run.last; i < length; i++) {
        const check = first[i] ?? rest;
        if (!check || check(value[i], run)) continue;
        ok = false;
        mark = place(run, mark, '/' + i);
        if (!run.room) break;
      }
      return ok;
    });
  }
  return checks;
}
