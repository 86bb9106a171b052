import type { Compiler } from './compile.ts';
import type { Keywords, Node } from './nodes.ts';
import type { Check, Run } from './run.ts';
import { fail, spend } from './run.ts';

/** A lower and an upper limit on a measure of the value; by default on the value itself, a number. */
export function range<T>(
  checks: Check<T>[],
  node: Node,
  low: MeasureKeyword,
  high: MeasureKeyword,
  measure?: (value: T, run: Run, min: number, max: number) => number,
): void {
  const { [low]: min = -Infinity, [high]: max = Infinity } = node.keywords as Keywords;
  if (min === -Infinity && max === Infinity) return;
  checks.push((value, run) => {
    const size = measure === undefined ? (value as number) : measure(value, run, min, max);
    return size < min ? fail(run, node, low, value) : size <= max || fail(run, node, high, value);
  });
}

type MeasureKeyword = {
  [K in keyof Keywords]-?: Keywords[K] extends number | undefined ? K : never;
}[keyof Keywords];

/** The rules for numbers. */
export function numberChecks(node: Node, keywords: Keywords): Check<number>[] {
  const checks: Check<number>[] = [];
  const { exclusiveMinimum, exclusiveMaximum, multipleOf } = keywords;
  range(checks, node, 'minimum', 'maximum');
  if (exclusiveMinimum !== undefined) {
    checks.push((value, run) => value > exclusiveMinimum || fail(run, node, 'exclusiveMinimum', value));
  }
  if (exclusiveMaximum !== undefined) {
    checks.push((value, run) => value < exclusiveMaximum || fail(run, node, 'exclusiveMaximum', value));
  }
  if (multipleOf) checks.push((value, run) => isMultiple(value, multipleOf) || fail(run, node, 'multipleOf', value));
  return checks;
}

/**
 * The remainder is exact, but 0.3 and 0.1 are not what they look like: a decimal step gets the rounding error
 * that two conversions and one division can make, and no more.
 */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  const error = Math.abs(quotient - Math.round(quotient));
  return value % step === 0 || (!Number.isInteger(step) && error <= 2 * Number.EPSILON * Math.abs(quotient));
}

/** The rules for strings. */
export function stringChecks(node: Node, { pattern, format }: Keywords, compiler: Compiler): Check<string>[] {
  const checks: Check<string>[] = [];
  range(checks, node, 'minLength', 'maxLength', characters);
  if (pattern !== undefined) {
    const test = compiler.pattern(pattern, node.path + '/pattern');
    checks.push((value, run) => test(value, run) || fail(run, node, 'pattern', value));
  }
  const { formats = {} } = compiler;
  const check = format !== undefined && Object.hasOwn(formats, format) && formats[format];
  if (check) {
    checks.push((value, run) => check(value) || fail(run, node, 'format', value, undefined, check.hint));
  }
  return checks;
}

/** Length in Unicode characters; in UTF-16 units where that decides already, as a character is one or two. */
function characters(value: string, run: Run, min: number, max: number): number {
  const { length } = value;
  if ((length <= max || length > 2 * max) && (length < min || length >= 2 * min)) return length;
  spend(run, length);
  let count = 0;
  for (const _ of value) count++;
  return count;
}
