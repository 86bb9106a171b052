import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import { compile } from '../schema/full/index.ts';
import type { JsonSchema } from '../schema/index.ts';
import type { MessageMembers } from '../explain/words.ts';

// Example arguments for a tool, made from its schema: only the required ones, with small values.

/** Arguments that the schema accepts, or the reason why none could be made. */
export type MadeArguments = { readonly args: MessageMembers } | { readonly problem: string };

const maxDepth = 8;

/** The most values of one example: `minItems` and `$ref` multiply at each level. */
const maxValues = 10_000;

/** Example strings for each `format`. */
const formats: Readonly<Record<string, string>> = {
  'date': '2026-05-01',
  'date-time': '2026-05-01T09:00:00Z',
  'time': '09:00:00Z',
  'duration': 'P1D',
  'email': 'someone@example.com',
  'hostname': 'example.com',
  'ipv4': '192.0.2.1',
  'ipv6': '2001:db8::1',
  'uri': 'https://example.com/',
  'url': 'https://example.com/',
  'uuid': '123e4567-e89b-42d3-a456-426614174000',
};

// Names of arguments that are probably waiting times in seconds: the tour sets them to one second.
const waits = /duration|delay|seconds|sleep|wait/i;
const shortWait = 1;

/**
 * Makes arguments for a tool. A value comes from `const`, `default`, `examples` or `enum` if the schema has one,
 * otherwise it is the smallest of its type. Optional properties are left out, except waiting times, which are shortened.
 * @param quick whether to shorten waiting times
 */
export function makeArguments(inputSchema: JsonSchema, quick: boolean = true): MadeArguments {
  try {
    const args = make(inputSchema, { root: inputSchema, quick, left: maxValues }, 0);
    const judged = compile(inputSchema)(args);
    if (judged.valid && isObject(args)) return { args };
    const [error] = judged.valid ? [] : judged.errors;
    return { problem: error ? `arguments${error.path}: ${error.message}` : 'the arguments are not an object' };
  } catch (error) {
    // The schema is invalid.
    return { problem: errorMessage(error) };
  }
}

interface Making {
  readonly root: JsonSchema;
  readonly quick: boolean;
  /** How many more values may be made. */
  left: number;
}

function make(schema: unknown, making: Making, depth: number): unknown {
  if (--making.left < 0) throw new Error(`the example would have more than ${maxValues.toLocaleString('en')} values`);
  if (!isObject(schema) || depth > maxDepth) return null;
  for (const named of ['const', 'default'] as const) if (Object.hasOwn(schema, named)) return schema[named];
  for (const named of ['examples', 'enum'] as const) {
    const list = schema[named];
    if (Array.isArray(list) && list.length > 0) return list[0];
  }
  if (typeof schema['$ref'] === 'string') {
    return make(referred(schema['$ref'], making.root), making, depth + 1);
  }
  for (const choice of ['anyOf', 'oneOf'] as const) {
    const list = schema[choice];
    if (Array.isArray(list)) {
      return make({ ...schema, [choice]: undefined, ...list[0] as object }, making, depth + 1);
    }
  }
  if (Array.isArray(schema['allOf'])) {
    return make(Object.assign({}, schema, ...schema['allOf'], { allOf: undefined }), making, depth + 1);
  }
  const type = Array.isArray(schema['type']) ? schema['type'][0] as unknown : schema['type'];
  switch (type) {
    case 'object': return makeObject(schema, making, depth);
    case 'array': return makeArray(schema, making, depth);
    case 'string': return makeString(schema);
    case 'number':
    case 'integer': return makeNumber(schema, type === 'integer');
    case 'boolean': return false;
    case 'null': return null;
    default: return isObject(schema['properties']) ? makeObject(schema, making, depth) : 'example';
  }
}

function makeObject(schema: MessageMembers, making: Making, depth: number): MessageMembers {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] as unknown[] : [];
  const made: [string, unknown][] = [];
  for (const [name, property] of Object.entries(properties)) {
    const wait = making.quick && isObject(property) ? shortened(name, property) : undefined;
    if (wait !== undefined) made.push([name, wait]);
    else if (required.includes(name)) made.push([name, make(property, making, depth + 1)]);
  }
  for (const name of required) {
    if (typeof name === 'string' && !Object.hasOwn(properties, name)) made.push([name, 'example']);
  }
  // fromEntries calls no setter, so the name `__proto__` is safe.
  return Object.fromEntries(made);
}

function shortened(name: string, { type, default: usual, minimum }: MessageMembers): number | undefined {
  if ((type !== 'number' && type !== 'integer') || !waits.test(name) || /ms$|millis/i.test(name)) {
    return undefined;
  }
  if (typeof usual === 'number' && usual <= shortWait) return undefined;
  return typeof minimum === 'number' ? Math.max(minimum, shortWait) : shortWait;
}

function makeArray(schema: MessageMembers, making: Making, depth: number): unknown[] {
  const ahead = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] as unknown[] : [];
  const { minItems } = schema;
  const least = typeof minItems === 'number' ? Math.min(minItems, 100) : 0;
  const length = Math.max(least, ahead.length);
  return Array.from({ length }, (_, at) => make(ahead[at] ?? schema['items'], making, depth + 1));
}

function makeString({ format, minLength, maxLength }: MessageMembers): string {
  const text = typeof format === 'string' && Object.hasOwn(formats, format)
    ? formats[format] ?? ''
    : 'example';
  const long = typeof minLength === 'number' ? text.padEnd(Math.min(minLength, 1000), '.') : text;
  return typeof maxLength === 'number' ? long.slice(0, Math.max(0, maxLength)) : long;
}

function makeNumber(
  { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf }: MessageMembers, whole: boolean,
): number {
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : whole ? 1 : 0;
  let value = 1;
  if (typeof minimum === 'number') value = Math.max(value, minimum);
  if (typeof exclusiveMinimum === 'number') value = Math.max(value, exclusiveMinimum + (whole ? 1 : 0.5));
  if (typeof maximum === 'number') value = Math.min(value, maximum);
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) {
    value = exclusiveMaximum - (whole ? 1 : 0.5);
  }
  return step > 0 ? Math.ceil(value / step) * step : value;
}

/** Resolves a `$ref` within the schema: `#`, or `#` and a JSON Pointer. */
function referred(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith('#')) return undefined;
  let at: unknown = root;
  for (const part of ref.slice(1).split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as MessageMembers)[name] : undefined;
  }
  return at;
}
