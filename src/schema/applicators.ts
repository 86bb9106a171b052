import type { Compiler } from './compile.ts';
import { dynamicAnchor, isObject } from './nodes.ts';
import type { Keywords, Node } from './nodes.ts';
import { own } from './objects.ts';
import type { Check, Run } from './run.ts';
import { accept, all, branch, descend, fail, quietly, spend, within } from './run.ts';

/** The keywords that apply other schemas to the value itself: references, combinations, conditions. */
export function applicatorChecks(
  node: Node,
  keywords: Keywords,
  tracked: boolean,
  compiler: Compiler,
): Check[] {
  const checks: Check[] = [];
  const sub = (child: Node): Check => compiler.check(child, tracked);
  const { $ref, $dynamicRef, allOf, anyOf, oneOf } = keywords;
  if ($ref !== undefined) checks.push(reference($ref, false, node, tracked, compiler));
  if ($dynamicRef !== undefined) checks.push(reference($dynamicRef, true, node, tracked, compiler));
  if (allOf) {
    const check = all(allOf.map(sub));
    if (check) checks.push((value, run) => (spend(run, allOf.length), check(value, run)));
  }
  if (anyOf) checks.push(alternatives(node, 'anyOf', anyOf.map(sub), tracked));
  if (oneOf) checks.push(alternatives(node, 'oneOf', oneOf.map(sub), tracked));
  if (keywords.not) {
    const not = compiler.check(keywords.not, false);
    checks.push((value, run) => !quietly(not, value, run) || fail(run, node, 'not', value));
  }
  if (keywords.if && (tracked || keywords.then || keywords.else)) {
    const condition = sub(keywords.if);
    const then = keywords.then && sub(keywords.then);
    const otherwise = keywords.else && sub(keywords.else);
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
        : sub(need);
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

function alternatives(node: Node, keyword: 'anyOf' | 'oneOf', checks: Check[], tracked: boolean): Check {
  const most = keyword === 'oneOf' ? 1 : Infinity;
  return (value, run) => {
    spend(run, checks.length);
    const { last, room } = run;
    let matches = 0;
    // The summary goes first: whoever stops at one error should get this one.
    fail(run, node, keyword, value, 0);
    for (const check of checks) {
      if (!branch(check, value, run)) continue;
      if (++matches > most || (most > 1 && !tracked)) break;
    }
    if (matches === 0) return false;
    run.last = last;
    run.room = room;
    return matches <= most || fail(run, node, keyword, value, matches);
  };
}

/**
 * `$ref` and `$dynamicRef` (2020-12 core 8.2.3.2). The target's check is looked up when it is used, because
 * the target may still be uncompiled (or be this very schema) now.
 */
function reference(to: string, dynamic: boolean, node: Node, tracked: boolean, compiler: Compiler): Check {
  const target = compiler.link(to, node, tracked);
  if (!dynamic) node.target = target;
  const name = to.slice(to.indexOf('#') + 1);
  const roaming = dynamic && dynamicAnchor(target.resource, name) === target;
  return (value, run) => {
    let goal = target;
    // The outermost resource that has the anchor wins.
    for (let { scope } = run; roaming && scope; scope = scope.outer) {
      goal = dynamicAnchor(scope.resource, name) ?? goal;
    }
    descend(run);
    const ok = within(goal.resource, tracked ? goal.tracked : goal.check, value, run);
    run.depth++;
    return ok;
  };
}
