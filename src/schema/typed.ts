import type { Check, Compiler, Items, Keywords, Node, Properties, Run } from './model.ts';
import { accept, fail, place, spend } from './run.ts';
import { isObject, typeOf } from './values.ts';

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

/**
 * Which values certainly satisfy a schema, as far as one comparison or two can tell: its check need not be called for them.
 * A program has one check for each schema, which the engine cannot inline; this is plain data, which it can.
 */
export interface Certain {
  /** 0: the check decides about every value. */
  readonly kind: 0 | typeof text | typeof number | typeof integer | typeof truth | typeof option;
  /** Of a text the least length, of a number what it must exceed. */
  readonly low: number;
  /** Of a text the greatest length, of a number what it must be below. */
  readonly high: number;
  readonly options: readonly unknown[];
}

const text = 1;
const number = 2;
const integer = 3;
const truth = 4;
const option = 5;

/** The keywords that a comparison can decide. */
const decidable = new Set([
  'type', 'enum', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'default',
]);

/** With more options than these a set is faster. */
const fewOptions = 8;

/** The values that certainly satisfy a node; without one, none. */
export function certain(node: Node | undefined): Certain {
  const keywords = typeof node?.keywords === 'object' ? node.keywords : {};
  const kind = kindOf(keywords);
  const { minLength = 0, maxLength = Infinity, minimum = -Infinity, maximum = Infinity, enum: options = [] } = keywords;
  const { exclusiveMinimum = minimum, exclusiveMaximum = maximum } = keywords;
  // A character is one or two units: a text of this length has enough of them.
  if (kind === text) return { kind, low: 2 * minLength, high: maxLength, options };
  return { kind, low: Math.max(minimum, exclusiveMinimum), high: Math.min(maximum, exclusiveMaximum), options };
}

function kindOf(keywords: Keywords): Certain['kind'] {
  if (!Object.keys(keywords).every((keyword) => decidable.has(keyword))) return 0;
  const { type: [type] = [], enum: options } = keywords;
  if (keywords.type && keywords.type.length > 1) return 0;
  if (options) {
    const plain = (type === undefined || type === 'string') && options.length <= fewOptions
      && options.every((one) => typeof one === 'string');
    return plain && keywords.minLength === undefined && keywords.maxLength === undefined ? option : 0;
  }
  return type === 'string' ? text : type === 'number' ? number : type === 'integer' ? integer : type === 'boolean' ? truth : 0;
}

/** Whether a value certainly satisfies the schema. */
export function isCertain({ kind, low, high, options }: Certain, value: unknown): boolean {
  switch (kind) {
    case text:
      return typeof value === 'string' && value.length >= low && value.length <= high;
    case number:
      return typeof value === 'number' && value > low && value < high;
    case integer:
      return typeof value === 'number' && value > low && value < high && Number.isInteger(value);
    case truth:
      return typeof value === 'boolean';
    case option:
      for (let i = 0; i < options.length; i++) if (options[i] === value) return true;
      return false;
    default:
      return false;
  }
}

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

/** The rules for arrays: lengths, `items` and `prefixItems`. */
export function arrayChecks(node: Node, { prefixItems = [], items }: Keywords, compiler: Compiler): Check<Items>[] {
  const checks: Check<Items>[] = lengthChecks(node, 'minItems', 'maxItems');
  if (!prefixItems.length && !items) return checks;
  const [fits = accept] = checks;
  const first = prefixItems.map(compiler.check);
  const rest = items && compiler.check(items);
  const sure = certain(items);
  const ahead = first.length;
  return [(value, run) => {
    let ok = fits(value, run);
    if (!ok && !run.room) return false;
    const length = rest ? value.length : Math.min(ahead, value.length);
    spend(run, length);
    for (let i = 0, mark = run.last; i < length; i++) {
      const item = value[i];
      if (i >= ahead && isCertain(sure, item)) continue;
      const check = i < ahead ? first[i] : rest;
      if (!check || check(item, run)) continue;
      ok = false;
      mark = place(run, mark, '/' + i);
      if (!run.room) break;
    }
    return ok;
  }];
}
