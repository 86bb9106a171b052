import type { Check, Compiler, Items, Keywords, Node } from './model.ts';
import { accept, place, spend } from './run.ts';
import { lengthChecks } from './scalars.ts';
import { certain, isCertain } from './typed.ts';

/** The rules for arrays: lengths, `items` and `prefixItems`. */
export function arrayChecks(node: Node, { prefixItems = [], items }: Keywords, compiler: Compiler): Check<Items>[] {
  const checks: Check<Items>[] = lengthChecks(node, 'minItems', 'maxItems');
  if (!prefixItems.length && !items) return checks;
  const [fits = accept] = checks;
  const first = prefixItems.map(compiler.check);
  const rest = items && compiler.check(items);
  const sure = certain(items);
  const ahead = first.length;
  return [(value, run) => {
    let ok = fits(value, run);
    if (!ok && !run.room) return false;
    const length = rest ? value.length : Math.min(ahead, value.length);
    spend(run, length);
    for (let i = 0, mark = run.last; i < length; i++) {
      const item = value[i];
      if (i >= ahead && isCertain(sure, item)) continue;
      const check = i < ahead ? first[i] : rest;
      if (!check || check(item, run)) continue;
      ok = false;
      mark = place(run, mark, '/' + i);
      if (!run.room) break;
    }
    return ok;
  }];
}
