import type { Check, Compiler, Keywords, Node } from '../model.ts';
import { accept, all, fail, quietly, spend } from '../run.ts';
import { isObject } from '../typed.ts';
import { own } from '../values.ts';

/** `not`, `if`, and the rules that depend on a present property. */
export function conditionChecks(
  node: Node,
  keywords: Keywords,
  compiler: Compiler,
): Check[] {
  const checks: Check[] = [];
  if (keywords.not) {
    const not = compiler.check(keywords.not);
    checks.push((value, run) => !quietly(not, value, run) || fail(run, node, 'not', value));
  }
  if (keywords.if && (keywords.then || keywords.else)) {
    const condition = compiler.check(keywords.if);
    const then = keywords.then && compiler.check(keywords.then);
    const otherwise = keywords.else && compiler.check(keywords.else);
    checks.push((value, run) => {
      spend(run, 1);
      const next = quietly(condition, value, run) ? then : otherwise;
      return next === undefined || next(value, run);
    });
  }
  for (const keyword of ['dependentSchemas', 'dependentRequired', 'dependencies'] as const) {
    for (const [key, need] of keywords[keyword] ?? []) {
      const check: Check =
        Array.isArray(need) ?
          (all(need.map((name) => (value, run) => has(value, name) || fail(run, node, keyword, key, name))) ??
          accept)
        : compiler.check(need);
      const cost = Array.isArray(need) ? need.length : 1;
      checks.push((value, run) => {
        spend(run, cost);
        return !has(value, key) || check(value, run);
      });
    }
  }
  return checks;
}

function has(value: unknown, key: string): boolean {
  return isObject(value) && own(value, key) !== undefined;
}
