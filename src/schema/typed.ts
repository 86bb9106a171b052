import { isObject } from './nodes.ts';
import type { Node } from './nodes.ts';
import type { Items } from './arrays.ts';
import type { Properties } from './objects.ts';
import type { Check } from './run.ts';
import { fail } from './run.ts';

/** The rules of one schema that only concern values of one type. */
export interface TypedChecks {
  string?: Check<string> | undefined;
  number?: Check<number> | undefined;
  array?: Check<Items> | undefined;
  object?: Check<Properties> | undefined;
}

/** The JSON type of a value; what JSON cannot say has a type that no schema names. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && !Number.isFinite(value) ? 'infinite number' : typeof value;
}

/** `type`, and the rules for the type that the value has. The common case, one type, costs one comparison. */
export function typeCheck(
  node: Node,
  types: readonly string[] | undefined,
  { string, number, array, object }: TypedChecks,
): Check | undefined {
  switch (types?.length === 1 ? types[0] : '') {
    case 'string':
      return (value, run) =>
        typeof value === 'string' ? string === undefined || string(value, run) : fail(run, node, 'type', value);
    case 'number':
    case 'integer': {
      const whole = types?.[0] === 'integer';
      return (value, run) =>
        typeof value === 'number' && (whole ? Number.isInteger(value) : Number.isFinite(value))
          ? number === undefined || number(value, run)
          : fail(run, node, 'type', value);
    }
    case 'boolean':
      return (value, run) => typeof value === 'boolean' || fail(run, node, 'type', value);
    case 'array':
      return (value, run) =>
        Array.isArray(value) ? array === undefined || array(value, run) : fail(run, node, 'type', value);
    case 'object':
      return (value, run) =>
        isObject(value) ? object === undefined || object(value, run) : fail(run, node, 'type', value);
  }
  if (!types && !string && !number && !array && !object) return undefined;
  return (value, run) => {
    if (types) {
      const type = typeOf(value);
      if (!types.includes(type) && !(Number.isInteger(value) && types.includes('integer'))) {
        return fail(run, node, 'type', value);
      }
    }
    if (typeof value === 'string') return string === undefined || string(value, run);
    if (typeof value === 'number') return number === undefined || number(value, run);
    if (Array.isArray(value)) return array === undefined || array(value, run);
    return object === undefined || !isObject(value) || object(value, run);
  };
}
