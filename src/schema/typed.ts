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
  const { type: types, pattern, format, minLength = 0, maxLength = Infinity } = keywords;
  const { minimum = -Infinity, maximum = Infinity, multipleOf } = keywords;
  const { exclusiveMinimum = minimum, exclusiveMaximum = maximum } = keywords;
  const { string = accept, number = accept, array = accept, object = accept } = rules;
  if (!types && !Object.values(rules).some((rule) => rule)) return undefined;
  // A string of this length up to the maximum certainly satisfies its rules, as does a number between `low` and `high`:
  // then they are not called.
  const safeLength = pattern || format ? Infinity : 2 * minLength;
  const low = multipleOf ? Infinity : Math.max(minimum, exclusiveMinimum);
  const high = Math.min(maximum, exclusiveMaximum);
  const type = types?.length === 1 && types[0];
  switch (type) {
    case 'string':
      return (value, run) =>
        typeof value === 'string' ?
          (value.length >= safeLength && value.length <= maxLength) || string(value, run)
        : fail(run, node, 'type', value);
    case 'number':
    case 'integer': {
      const whole = type === 'integer';
      return (value, run) =>
        typeof value === 'number' && (whole ? Number.isInteger(value) : Number.isFinite(value)) ?
          (value > low && value < high) || number(value, run)
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
