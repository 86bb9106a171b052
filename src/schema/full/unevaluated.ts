import type { Check, Compiler, Node, Properties } from '../model.ts';
import { each, restCheck, shown } from '../objects.ts';
import { spend } from '../run.ts';

/**
 * `unevaluatedProperties` and `unevaluatedItems`: what nothing has evaluated since this schema began, which
 * is where the log stood at `run.logStart`.
 */
export function unevaluatedCheck(
  node: Node,
  keyword: 'unevaluatedProperties' | 'unevaluatedItems',
  child: Node,
  compiler: Compiler,
): Check<object> {
  const check = restCheck(node, keyword, child, compiler);
  return (value, run) => {
    // A set is slow to make.
    spend(run, 8 * (run.seen.length - run.logStart));
    const seen = new Set<unknown>(run.seen.slice(run.logStart));
    const left = shown(value as Properties, run).filter((key) => !seen.has(key));
    run.seen.push(...left);
    return each(left, run, (key) => check((value as Properties)[key], run, key));
  };
}
