import type { JsonSchema } from '../../src/schema/index.ts';
import type { Random } from '../hostile/mutations.ts';

// Random schemas and values, made from few names and scalars so that they often match.

const names = ['a', 'b', 'ab', '__proto__', 'é', 'a/b', ''];
const scalars = [null, true, false, 0, 1, 2.5, -3, 1e20, '', 'a', 'ab', 'aab', '😀', 'b'];
const types = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'];

/** Sets properties like JSON.parse, since one of the names is `__proto__`. */
const record = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> => Object.fromEntries(entries);

export function makeValue(by: Random, depth: number): unknown {
  const { int, pick, chance } = by;
  if (depth === 0 || chance(0.4)) return pick(scalars);
  if (chance(0.5)) return Array.from({ length: int(4) }, () => makeValue(by, depth - 1));
  return record(Array.from({ length: int(4) }, () => [pick(names), makeValue(by, depth - 1)]));
}

/** The keywords of a schema, in addition to those of both dialects. */
export type More = 'small' | '2020-12' | 'draft-07';

/** A schema with `$defs` (in draft-07 `definitions`) named `one` and `two`, the targets of references. */
export function makeSchema(by: Random, more: More): JsonSchema {
  const definitions = { one: part(by, 1, more), two: part(by, 1, more) };
  const made = { ...Object(part(by, 3, more)) as Record<string, unknown> };
  if (more !== 'draft-07') return { ...made, $defs: definitions };
  return { ...made, $schema: 'http://json-schema.org/draft-07/schema#', definitions };
}

/** Random numbers and subschemas for the keywords. */
interface Maker extends Random {
  readonly home: string;
  value(depth: number): unknown;
  sub(): JsonSchema;
  some(): JsonSchema[];
  named(): Record<string, unknown>;
}

type Keywords = Readonly<Record<string, (maker: Maker) => unknown>>;

const shared: Keywords = {
  type: ({ pick, chance }) => (chance(0.7) ? pick(types) : [pick(types), pick(types)]),
  properties: ({ named }) => named(), patternProperties: ({ pick, sub }) => ({ [pick(['^a', 'b$', '.'])]: sub() }),
  required: ({ pick }) => [pick(names)], additionalProperties: ({ sub }) => sub(), propertyNames: ({ sub }) => sub(),
  items: ({ sub }) => sub(), enum: ({ value }) => [value(1), value(2)], const: ({ value }) => value(1),
  allOf: ({ some }) => some(), anyOf: ({ some }) => some(), oneOf: ({ some }) => some(),
  minimum: ({ int }) => int(3), maximum: ({ int }) => int(3), exclusiveMinimum: ({ int }) => int(3), exclusiveMaximum: ({ int }) => int(3),
  multipleOf: ({ pick }) => pick([0.5, 1, 2]), minLength: ({ int }) => int(3), maxLength: ({ int }) => int(4),
  minItems: ({ int }) => int(3), maxItems: ({ int }) => int(3), minProperties: ({ int }) => int(3), maxProperties: ({ int }) => int(3),
  default: ({ value }) => value(1), pattern: ({ pick }) => pick(['^a', '^(a+)+b$', '.', '^[ab]*$', '(a)\\1']),
  format: () => 'email', title: () => 'x', $ref: ({ pick, home }) => pick(['#', `#/${home}/one`, `#/${home}/two`]),
};
const conditions: Keywords = {
  not: ({ sub }) => sub(), if: ({ sub }) => sub(), then: ({ sub }) => sub(), else: ({ sub }) => sub(),
  contains: ({ sub }) => sub(), uniqueItems: ({ chance }) => chance(0.8),
};
const keywords: Readonly<Record<More, Keywords>> = {
  small: { ...shared, prefixItems: ({ some }) => some() },
  '2020-12': {
    ...shared, ...conditions, prefixItems: ({ some }) => some(), minContains: ({ int }) => int(3), maxContains: ({ int }) => int(3),
    dependentSchemas: ({ named }) => named(), dependentRequired: ({ pick }) => record([[pick(names), [pick(names), pick(names)]]]),
    unevaluatedProperties: ({ sub }) => sub(), unevaluatedItems: ({ sub }) => sub(),
    $dynamicRef: ({ pick }) => pick(['#/$defs/one', '#/$defs/two']),
  },
  'draft-07': {
    ...shared, ...conditions, items: ({ chance, some, sub }) => (chance(0.5) ? some() : sub()), additionalItems: ({ sub }) => sub(),
    dependencies: ({ pick, sub }) => record([[pick(names), sub()], [pick(names), [pick(names)]]]),
  },
};

function part(by: Random, depth: number, more: More): JsonSchema {
  const { int, pick, chance } = by;
  if (depth < 0 || chance(0.05)) return depth < 0 || chance(0.5);
  const sub = (): JsonSchema => part(by, depth - 1, more);
  const maker: Maker = {
    ...by, sub, home: more === 'draft-07' ? 'definitions' : '$defs', value: (depth) => makeValue(by, depth),
    some: () => Array.from({ length: 1 + int(2) }, sub),
    named: () => record(Array.from({ length: 1 + int(2) }, () => [pick(names), sub()])),
  };
  const known = keywords[more];
  const chosen = new Set(Array.from({ length: 1 + int(4) }, () => pick(Object.keys(known))));
  // Without the other keyword these have no effect.
  if (chosen.has('minContains') || chosen.has('maxContains')) chosen.add('contains');
  if (chosen.has('then') || chosen.has('else')) chosen.add('if');
  return record([...chosen].map((keyword) => [keyword, known[keyword]?.(maker)])) as JsonSchema;
}
