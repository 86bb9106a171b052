import { findTwins } from '../values.ts';
import type { Check, Compiler, Items, Keywords, Node } from '../model.ts';
import { fail, quietly, spend } from '../run.ts';

/** The rules for arrays that the small dialect lacks: `contains` and `uniqueItems`. */
export function moreArrayChecks(
  node: Node,
  keywords: Keywords,
  compiler: Compiler,
): Check<Items>[] {
  const checks: Check<Items>[] = [];
  const { contains } = keywords;
  if (contains) {
    const check = compiler.check(contains);
    const { minContains = 1, maxContains = Infinity } = keywords;
    checks.push((value, run) => {
      spend(run, value.length);
      let count = 0;
      for (let i = 0; i < value.length; i++) {
        if (quietly(check, value[i], run)) count++;
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
