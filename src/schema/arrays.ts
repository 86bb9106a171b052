import type { Compiler } from './compile.ts';
import { findTwins } from './equality.ts';
import type { Keywords, Node } from './nodes.ts';
import type { Check } from './run.ts';
import { fail, full, place, quietly, spend } from './run.ts';

export type Items = readonly unknown[];

/** The rules for arrays, without `unevaluatedItems`. */
export function arrayChecks(node: Node, keywords: Keywords, tracked: boolean, compiler: Compiler): Check<Items>[] {
  const checks: Check<Items>[] = [];
  const { minItems = 0, maxItems = Infinity, prefixItems, items, contains } = keywords;
  if (minItems > 0 || maxItems < Infinity) {
    checks.push((value, run) =>
      value.length < minItems ? fail(run, node, 'minItems', value)
      : value.length > maxItems ? fail(run, node, 'maxItems', value)
      : true,
    );
  }
  if (prefixItems || items) {
    const first = (prefixItems ?? []).map((item) => compiler.check(item, false));
    const rest = items && compiler.check(items, false);
    checks.push((value, run) => {
      const length = rest ? value.length : Math.min(first.length, value.length);
      spend(run, length);
      let ok = true;
      for (let i = 0, mark = run.errors.length; i < length; i++) {
        const check = first[i] ?? rest;
        if (check && !check(value[i], run)) {
          ok = false;
          mark = place(run, mark, i);
          if (full(run)) break;
        }
        if (tracked) run.seen.push(i);
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
        if (tracked) run.seen.push(i);
        else if (count >= minContains && maxContains === Infinity) return true;
      }
      return (
        count < minContains ? fail(run, node, 'minContains' in keywords ? 'minContains' : 'contains', value, count)
        : count > maxContains ? fail(run, node, 'maxContains', value, count)
        : true
      );
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

/** `unevaluatedItems`: the items that nothing has evaluated since the log stood at `from`. */
export function checkUnevaluatedItems(
  node: Node,
  child: Node,
  compiler: Compiler,
): Check<Items> {
  const check = compiler.check(child, false);
  return (value, run) => {
    const from = run.logStart;
    spend(run, value.length + run.seen.length - from);
    const done = new Set<unknown>(run.seen.slice(from));
    let ok = true;
    for (let i = 0, mark = run.errors.length; i < value.length; i++) {
      if (done.has(i)) continue;
      run.seen.push(i);
      if (child.keywords === false) ok = fail(run, node, 'unevaluatedItems', value, i);
      else if (!check(value[i], run)) (ok = false), place(run, mark, i);
      mark = run.errors.length;
      if (!ok && full(run)) break;
    }
    return ok;
  };
}
