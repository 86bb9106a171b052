import { jsonLine } from './json-line.ts';
import { visible } from '../explain/safe-text.ts';
import { isObject } from '../jsonrpc/internal-exports.ts';

/** The deepest nesting that is written out; deeper schemas become `unknown`. */
const maxDepth = 12;

/** The most schemas of one type that are written out, since `$ref` can multiply them at each level; further ones become `unknown`. */
const maxSchemas = 5_000;

/** A TypeScript type that includes all values that a JSON schema accepts. Constraints without a type are left out. */
export function schemaType(schema: unknown, indent: string = ''): string {
  return typeOf(schema, { root: schema, indent, depth: 0, count: { left: maxSchemas } });
}

interface Place {
  readonly root: unknown;
  readonly indent: string;
  readonly depth: number;
  /** How many more schemas may be written out, shared by all places. */
  readonly count: { left: number };
}

function typeOf(schema: unknown, place: Place): string {
  if (schema === false) return 'never';
  if (!isObject(schema) || place.depth > maxDepth || --place.count.left < 0) return 'unknown';
  const inner = { ...place, depth: place.depth + 1 };
  const { $ref, const: only, enum: choices, anyOf, oneOf, allOf } = schema;
  if (typeof $ref === 'string') return typeOf(referred($ref, place.root), inner);
  if (only !== undefined) return literal(only);
  if (Array.isArray(choices)) return union(choices.map(literal));
  const branches: unknown = anyOf ?? oneOf;
  const parts = [
    ...Array.isArray(branches) ? [union(branches.map((one: unknown) => typeOf(one, inner)))] : [],
    ...Array.isArray(allOf) ? allOf.map((one: unknown) => typeOf(one, inner)) : [],
  ];
  const { type } = schema;
  const own = Array.isArray(type) ? union(type.map((one: unknown) => plain(one, schema, place))) : plain(type, schema, place);
  const all = [...own === 'unknown' ? [] : [own], ...parts.filter((one) => one !== 'unknown')];
  return all.length === 0 ? 'unknown' : all.length === 1 ? all[0] ?? 'unknown' : all.map((one) => (one.includes(' | ') ? `(${one})` : one)).join(' & ');
}

/** The type for one `type` of the schema. */
function plain(type: unknown, schema: Readonly<Record<string, unknown>>, place: Place): string {
  switch (type) {
    case 'string': case 'boolean': case 'null': return type;
    case 'number': case 'integer': return 'number';
    case 'array': return arrayType(schema, { ...place, depth: place.depth + 1 });
    case 'object': return objectType(schema, place);
    default: return isObject(schema['properties']) ? objectType(schema, place) : 'unknown';
  }
}

function arrayType({ items, prefixItems }: Readonly<Record<string, unknown>>, place: Place): string {
  const item = typeOf(items ?? {}, place);
  const rest = `${/[|&]/.test(item) ? `(${item})` : item}[]`;
  return Array.isArray(prefixItems) ? `[${[...prefixItems.map((one: unknown) => `${typeOf(one, place)}?`), `...${rest}`].join(', ')}]` : rest;
}

function objectType({ properties, required, additionalProperties }: Readonly<Record<string, unknown>>, place: Place): string {
  const { indent, depth } = place;
  const inner: Place = { ...place, indent: `${indent}  `, depth: depth + 1 };
  const needed: unknown[] = Array.isArray(required) ? required : [];
  const members = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) =>
    [...commentOf(schema, inner.indent), `${inner.indent}${keyOf(name)}${needed.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};`].join('\n'));
  if (members.length > 0) return `{\n${members.join('\n')}\n${indent}}`;
  return isObject(additionalProperties) ? `{ [name: string]: ${typeOf(additionalProperties, inner)} }`
    : additionalProperties === false || isObject(properties) ? 'Record<string, never>' : '{ [name: string]: unknown }';
}

/** A name as a member of a type, quoted if necessary. Invisible characters are escaped: they could make the code look like other code. */
export const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : jsonLine(name));

/** The description of a schema or item as a comment. It cannot end the comment early. */
export function commentOf(described: unknown, indent: string): string[] {
  const text = isObject(described) && typeof described['description'] === 'string' ? described['description'].trim() : '';
  return text === '' ? [] : [`${indent}/** ${text.split(/\r?\n/).map((line) => visible(line).replaceAll('*/', '* /')).join(`\n${indent} * `)} */`];
}

const literal = (value: unknown): string =>
  (typeof value === 'object' && value !== null ? Array.isArray(value) ? 'unknown[]' : '{ [name: string]: unknown }' : value === undefined ? 'unknown' : jsonLine(value));

const union = (types: readonly string[]): string => (types.includes('unknown') || types.length === 0 ? 'unknown' : [...new Set(types)].join(' | '));

/** Resolves a `$ref` within the schema. */
function referred(ref: string, root: unknown): unknown {
  if (!ref.startsWith('#')) return undefined;
  return ref.slice(1).split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, name) => (typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Record<string, unknown>)[name] : undefined), root);
}
