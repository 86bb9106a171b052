import { arrayChecks } from './arrays.ts';
import { combinationChecks, equalityChecks } from './combinations.ts';
import type { Check, Compiler, Items, Keywords, Node, Properties } from './model.ts';
import { objectChecks } from './objects.ts';
import { accept, all, fail } from './run.ts';
import { numberChecks, stringChecks } from './scalars.ts';
import { typeCheck } from './typed.ts';

/** Rules beside those of the small dialect. */
export interface MoreChecks {
  readonly array: readonly Check<Items>[];
  readonly references: readonly Check[];
  readonly conditions: readonly Check[];
}

/** The check of a schema `true` or `false`; undefined for any other. */
export function booleanCheck(node: Node): Check | undefined {
  const { keywords } = node;
  if (typeof keywords !== 'boolean') return undefined;
  return keywords ? accept : (value, run) => fail(run, node, 'false', value);
}

/** One check for all rules of a schema object. */
export function keywordCheck(
  node: Node,
  keywords: Keywords,
  tracked: boolean,
  compiler: Compiler,
  more?: MoreChecks,
): Check {
  const typed = typeCheck(node, keywords, {
    string: all(stringChecks(node, keywords, compiler)),
    number: all(numberChecks(node, keywords)),
    array: all([...arrayChecks(node, keywords, tracked, compiler), ...(more?.array ?? [])]),
    object: all(objectChecks(node, keywords, tracked, compiler)),
  });
  return (
    all([
      ...(typed ? [typed] : []),
      ...equalityChecks(node, keywords),
      ...(more?.references ?? []),
      ...combinationChecks(node, keywords, tracked, compiler),
      ...(more?.conditions ?? []),
    ]) ?? accept
  );
}
