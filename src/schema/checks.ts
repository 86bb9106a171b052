import { numberChecks, stringChecks, typeCheck } from './typed.ts';
import { combinationChecks, equalityChecks } from './combinations.ts';
import type { Check, Compiler, Items, Keywords, Node } from './model.ts';
import { arrayChecks, objectChecks } from './members.ts';
import { accept, all, fail } from './run.ts';

/** Rules besides those of the small dialect. */
export interface MoreChecks {
  readonly array: readonly Check<Items>[];
  readonly references: readonly Check[];
  readonly conditions: readonly Check[];
}

/** One check for all rules of these keywords. */
export function keywordCheck(node: Node, keywords: Keywords | boolean, compiler: Compiler, more?: MoreChecks): Check {
  if (typeof keywords === 'boolean') return keywords ? accept : (value, run) => fail(run, node, 'false', value);
  const typed = typeCheck(node, keywords, {
    string: all(stringChecks(node, keywords, compiler)),
    number: all(numberChecks(node, keywords)),
    array: all([...arrayChecks(node, keywords, compiler), ...(more?.array ?? [])]),
    object: all(objectChecks(node, keywords, compiler)),
  });
  return (
    all([
      ...(typed ? [typed] : []),
      ...equalityChecks(node, keywords),
      ...(more?.references ?? []),
      ...combinationChecks(node, keywords, compiler),
      ...(more?.conditions ?? []),
    ]) ?? accept
  );
}
