import type { Check, Compiler, Keywords, Node, Run } from './model.ts';
import { fail, spend } from './run.ts';

/** The keywords whose value is a number. */
type Bound = { [K in keyof Keywords]-?: Keywords[K] extends number | undefined ? K : never }[keyof Keywords];

/**
 * A lower and an upper limit on a length.
 * @param measure gives the length where `length` is only a hint: at least the true one, at most twice it
 */
export function lengthChecks<T extends { readonly length: number }>(
  node: Node,
  low: Bound,
  high: Bound,
  measure?: (value: T, run: Run) => number,
): Check<T>[] {
  const { [low]: min = 0, [high]: max = Infinity } = node.keywords as Keywords;
  if (min === 0 && max === Infinity) return [];
  return [
    (value, run) => {
      let { length } = value;
      if (measure && (length > max ? length <= 2 * max : length < 2 * min)) length = measure(value, run);
      return length < min ? fail(run, node, low, value) : length <= max || fail(run, node, high, value);
    },
  ];
}

/** The rules for numbers. */
export function numberChecks(node: Node, keywords: Keywords): Check<number>[] {
  const checks: Check<number>[] = [];
  const rule = (keyword: Bound, keeps: (value: number, bound: number) => boolean): void => {
    const { [keyword]: bound } = keywords;
    if (bound !== undefined)
      checks.push((value, run) => keeps(value, bound) || fail(run, node, keyword, value));
  };
  rule('minimum', (value, bound) => value >= bound);
  rule('maximum', (value, bound) => value <= bound);
  rule('exclusiveMinimum', (value, bound) => value > bound);
  rule('exclusiveMaximum', (value, bound) => value < bound);
  rule('multipleOf', isMultiple);
  return checks;
}

/**
 * The remainder is exact, but 0.3 and 0.1 are not exact decimals: a decimal step is allowed the rounding error of two
 * conversions and one division, and no more.
 */
function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  const error = Math.abs(quotient - Math.round(quotient));
  return value % step === 0 || (!Number.isInteger(step) && error <= 2 * Number.EPSILON * Math.abs(quotient));
}

/** The rules for strings. */
export function stringChecks(node: Node, { pattern, format }: Keywords, compiler: Compiler): Check<string>[] {
  const checks: Check<string>[] = lengthChecks(node, 'minLength', 'maxLength', characters);
  if (pattern !== undefined) {
    const matches = matcher(node, pattern);
    checks.push((value, run) => matches(value, run) || fail(run, node, 'pattern', value));
  }
  const { formats } = compiler;
  const known = format && Object.hasOwn(formats, format) && formats[format];
  if (known) {
    checks.push((value, run) => {
      spend(run, value.length >> 4);
      return known.test(value) || fail(run, node, 'format', value, known.hint);
    });
  }
  return checks;
}

/** Whether a text matches a pattern of the node. */
export function matcher(node: Node, source: string): Check<string> {
  const test = node.patterns?.get(source);
  return (text, run) => !!test?.(text, (steps) => spend(run, steps));
}

/** Length in Unicode characters, each of which is one or two UTF-16 units. */
function characters(value: string, run: Run): number {
  spend(run, value.length);
  let count = 0;
  for (const _ of value) count++;
  return count;
}
