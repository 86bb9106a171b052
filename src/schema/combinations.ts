import { equal } from './values.ts';
import type { Check, Compiler, Keywords, Node } from './model.ts';
import { all, descend, fail, spend } from './run.ts';

/** `const` and `enum`. */
export function equalityChecks(node: Node, keywords: Keywords): Check[] {
  const check = (keyword: 'const' | 'enum', options: readonly unknown[]): Check => {
    const scalars = new Set(options);
    return (value, run) =>
      scalars.has(value) ||
      (typeof value === 'object' && options.some((option) => equal(option, value, run))) ||
      fail(run, node, keyword, value);
  };
  return [
    ...('const' in keywords ? [check('const', [keywords.const])] : []),
    ...(keywords.enum ? [check('enum', keywords.enum)] : []),
  ];
}

/** `$ref`, `allOf`, `anyOf` and `oneOf`: other schemas for the same value. */
export function combinationChecks(node: Node, { $ref, allOf = [], anyOf, oneOf }: Keywords, compiler: Compiler): Check[] {
  const checks: Check[] = [];
  if ($ref !== undefined) checks.push(reference(node, compiler));
  const check = all(allOf.map(compiler.check));
  if (check) checks.push((value, run) => (spend(run, allOf.length), check(value, run)));
  if (anyOf) checks.push(alternatives(node, 'anyOf', anyOf.map(compiler.check), Infinity));
  if (oneOf) checks.push(alternatives(node, 'oneOf', oneOf.map(compiler.check), 1));
  return checks;
}

/** The target is compiled when it is first used: it may be this very schema. */
function reference({ target }: Node, compiler: Compiler): Check {
  return (value, run) => {
    descend(run);
    const ok = !target || compiler.check(target)(value, run);
    run.depth++;
    return ok;
  };
}

function alternatives(node: Node, keyword: 'anyOf' | 'oneOf', checks: Check[], most: number): Check {
  return (value, run) => {
    spend(run, checks.length);
    const { last, room } = run;
    let matches = 0;
    // The summary goes first: a caller that stops at one error gets this one.
    fail(run, node, keyword, value, 0);
    for (const check of checks) {
      if (check(value, run) && (++matches > most || most > 1)) break;
    }
    if (matches === 0) return false;
    run.last = last;
    run.room = room;
    return matches <= most || fail(run, node, keyword, value, matches);
  };
}
