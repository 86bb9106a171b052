import type { Check, Items, Keywords, Node, Properties } from './model.ts';
import { accept, fail } from './run.ts';
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
  // Of several types the first one: values of the others are left to the check.
  const { type: [type] = [], enum: options } = keywords;
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
