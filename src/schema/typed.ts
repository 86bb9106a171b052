import type { Check, Compiler, Items, Keywords, Node, Properties, Run } from './model.ts';
import { accept, fail, spend } from './run.ts';

// The rules for values of one type.

/** The rules of one schema that only concern values of one type. */
export interface TypedChecks {
  string?: Check<string> | undefined;
  number?: Check<number> | undefined;
  array?: Check<Items> | undefined;
  object?: Check<Properties> | undefined;
}

/** `type`, and the rules for the value's type. The common case of one type costs one comparison. */
export function typeCheck(node: Node, keywords: Keywords, rules: TypedChecks): Check | undefined {
  const { type: types } = keywords;
  const { string = accept, number = accept, array = accept, object = accept } = rules;
  if (!types && !Object.values(rules).some((rule) => rule)) return undefined;
  const type = types?.length === 1 && types[0];
  switch (type) {
    case 'string':
      return (value, run) => (typeof value === 'string' ? string(value, run) : fail(run, node, 'type', value));
    case 'number':
    case 'integer': {
      const whole = type === 'integer';
      return (value, run) =>
        typeof value === 'number' && (whole ? Number.isInteger(value) : Number.isFinite(value)) ? number(value, run)
        : fail(run, node, 'type', value);
    }
    case 'boolean':
      return (value, run) => typeof value === 'boolean' || fail(run, node, 'type', value);
    case 'array':
      return (value, run) => (Array.isArray(value) ? array(value, run) : fail(run, node, 'type', value));
    case 'object':
      return (value, run) => (isObject(value) ? object(value, run) : fail(run, node, 'type', value));
  }
  return (value, run) => {
    if (types && !types.includes(typeOf(value)) && !(Number.isInteger(value) && types.includes('integer'))) {
      return fail(run, node, 'type', value);
    }
    if (typeof value === 'string') return string(value, run);
    if (typeof value === 'number') return number(value, run);
    if (Array.isArray(value)) return array(value, run);
    return !isObject(value) || object(value, run);
  };
}

/** The keywords whose value is a number. */
type Bound = { [K in keyof Keywords]-?: Keywords[K] extends number | undefined ? K : never }[keyof Keywords];

/**
 * A lower and an upper limit on a length.
 * @param measure returns the true length; `length` is then an estimate: at least the true length, at most twice it
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
 * The remainder is exact, but decimals such as 0.3 and 0.1 are not: with a decimal step, the quotient may have the rounding error
 * of two conversions and one division, and no more.
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

/** Whether a value is an object in JSON. */
export function isObject(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The JSON type of a value; a value that JSON does not have gets a type that no schema has. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && !Number.isFinite(value) ? '' : typeof value;
}
