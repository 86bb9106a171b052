// The form elements for a schema: one shape a schema, independent of the value.
import { visible } from 'barewire/explain';
import { compile } from 'barewire/schema/full';
import type { JsonSchema } from 'barewire/schema';

export type Members = { readonly [keyword: string]: unknown };

export interface Option {
  readonly value: unknown;
  readonly title: string;
}

export interface Property {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** The form element for a schema. `any` is raw JSON, if nothing else matches. */
export type Shape =
  | { readonly kind: 'const'; readonly value: unknown }
  | { readonly kind: 'choice'; readonly options: readonly Option[] }
  | { readonly kind: 'choices'; readonly options: readonly Option[] }
  | { readonly kind: 'boolean' | 'null' | 'any' }
  | { readonly kind: 'number'; readonly whole: boolean }
  | { readonly kind: 'string'; readonly format: string; readonly long: boolean }
  | { readonly kind: 'array'; readonly first: readonly JsonSchema[]; readonly items: JsonSchema }
  | { readonly kind: 'object'; readonly properties: readonly Property[]; readonly more: JsonSchema | false }
  | { readonly kind: 'union'; readonly alternatives: readonly Option[] };

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const asSchema = (value: unknown): JsonSchema => (isMembers(value) || typeof value === 'boolean' ? value as JsonSchema : true);

// More hops than this are a cycle.
const MAX_HOPS = 32;

/** Resolves `$ref` within the same schema, and merges the schemas of `allOf`. */
export function resolve(schema: JsonSchema, root: JsonSchema): Members {
  let at: unknown = schema;
  let laid: Members = {};
  for (let hop = 0; hop < MAX_HOPS && isMembers(at); hop++) {
    const { $ref, ...rest } = at;
    laid = { ...rest, ...laid };
    if (typeof $ref !== 'string') break;
    at = find($ref, root);
  }
  for (const part of list(laid.allOf).slice(0, MAX_HOPS)) {
    const one = isMembers(part) && part !== schema ? resolveOnce(part, root) : {};
    laid = {
      ...one, ...laid,
      ...(one.properties !== undefined || laid.properties !== undefined)
        && { properties: { ...Object(one.properties) as Members, ...Object(laid.properties) as Members } },
      ...(one.required !== undefined || laid.required !== undefined)
        && { required: [...list(one.required), ...list(laid.required)] },
    };
  }
  return laid;
}

function resolveOnce(part: Members, root: JsonSchema): Members {
  const target = typeof part.$ref === 'string' ? find(part.$ref, root) : undefined;
  return { ...isMembers(target) && target, ...part };
}

function find(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#')) return undefined;
  let at: unknown = root;
  for (const token of reference.slice(1).split('/').slice(1)) {
    const name = decode(token).replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? at[name as keyof typeof at] : undefined;
  }
  return at;
}

function decode(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

export const titleOf = (schema: Members, name: string): string => text(schema.title) || name;
export const describe = (schema: Members): string => text(schema.description);

/** Options with titles: `oneOf` of `const`, `enum` with `enumNames`, or bare `enum`. */
function optionsOf(schema: Members): readonly Option[] | undefined {
  if (Array.isArray(schema.enum)) {
    const names = list(schema.enumNames);
    return schema.enum.map((value: unknown, at) => ({ value, title: option(text(names[at]) || label(value)) }));
  }
  const titled = list(schema.oneOf ?? schema.anyOf);
  if (titled.length === 0 || !titled.every((one) => isMembers(one) && 'const' in one)) return undefined;
  return (titled as readonly Members[]).map((one) => ({ value: one.const, title: option(text(one.title) || label(one.const)) }));
}

/** A value as text. */
export const label = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value) ?? 'nothing');

// Option titles are short, and without invisible characters.
const option = (title: string): string => visible(title.length > 200 ? `${title.slice(0, 200)}…` : title);

/** The shape of a resolved schema. */
export function shapeOf(schema: Members): Shape {
  if ('const' in schema) return { kind: 'const', value: schema.const };
  const options = optionsOf(schema);
  if (options) return { kind: 'choice', options };
  const union = list(schema.oneOf ?? schema.anyOf);
  if (union.length > 0) {
    return { kind: 'union', alternatives: union.map((one, at) => ({ value: { ...common(schema), ...Object(one) as Members }, title: option(alternativeTitle(one, at)) })) };
  }
  const { type } = schema;
  if (Array.isArray(type) && type.length > 1) {
    return { kind: 'union', alternatives: type.map((one: unknown) => ({ value: { ...schema, type: one }, title: label(one) })) };
  }
  switch (Array.isArray(type) ? type[0] : type ?? guess(schema)) {
    case 'string': return { kind: 'string', format: text(schema.format), long: Number(schema.maxLength ?? 0) >= 200 };
    case 'number': return { kind: 'number', whole: false };
    case 'integer': return { kind: 'number', whole: true };
    case 'boolean': return { kind: 'boolean' };
    case 'null': return { kind: 'null' };
    case 'array': return arrayShape(schema);
    case 'object': return objectShape(schema);
    default: return { kind: 'any' };
  }
}

// Keywords next to a union apply to each alternative, except its texts and its default.
function common({ oneOf: _o, anyOf: _a, title: _t, description: _d, default: _v, ...rest }: Members): Members {
  return rest;
}

function guess(schema: Members): string | undefined {
  if ('properties' in schema || 'additionalProperties' in schema) return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : undefined;
}

function alternativeTitle(schema: unknown, at: number): string {
  if (!isMembers(schema)) return `Alternative ${at + 1}`;
  const { title, $ref, type, properties } = schema;
  if (text(title)) return text(title);
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  const constant = Object.values(Object(properties) as Members).find((one): one is Members => isMembers(one) && 'const' in one);
  return constant ? label(constant.const) : text(type) || `Alternative ${at + 1}`;
}

function arrayShape(schema: Members): Shape {
  const { items } = schema;
  const options = isMembers(items) ? optionsOf(items) : undefined;
  if (options && options.length <= 100) return { kind: 'choices', options };
  return { kind: 'array', first: list(schema.prefixItems).map(asSchema), items: items === undefined ? true : asSchema(items) };
}

function objectShape(schema: Members): Shape {
  const required = new Set(list(schema.required));
  const properties = Object.entries(Object(schema.properties) as Members)
    .map(([name, one]) => ({ name, schema: asSchema(one), required: required.has(name) }));
  const more = schema.additionalProperties;
  // If `additionalProperties` is absent, any member is valid; the form offers this only for a schema without properties.
  const open = more === undefined ? properties.length === 0 && schema.properties === undefined : more !== false;
  return { kind: 'object', properties, more: open ? asSchema(more) : false };
}

// A recursive schema has no end.
const MAX_DEPTH = 12;

/** The initial value of a form: defaults, constants, and the objects and lists around required properties. */
export function initial(schema: JsonSchema, root: JsonSchema, required = true, depth = 0): unknown {
  const own = resolve(schema, root);
  if ('default' in own) return own.default;
  if (depth > MAX_DEPTH) return undefined;
  const shape = shapeOf(own);
  if (shape.kind === 'object') {
    const entries = shape.properties
      .map((one): [string, unknown] => [one.name, initial(one.schema, root, one.required, depth + 1)])
      .filter(([, value]) => value !== undefined);
    return required || entries.length > 0 && depth === 0 ? Object.fromEntries(entries) : undefined;
  }
  if (!required) return undefined;
  switch (shape.kind) {
    case 'const': return shape.value;
    case 'boolean': return false;
    case 'null': return null;
    case 'array': case 'choices': return [];
    case 'union': return initial(shape.alternatives[0]?.value as JsonSchema, root, true, depth + 1);
    default: return undefined;
  }
}

/** The index of the first alternative that accepts the value; 0 if none does. */
export function alternativeOf(alternatives: readonly Option[], value: unknown, root: JsonSchema): number {
  if (value === undefined) return 0;
  const fits = alternatives.findIndex((one) => {
    try {
      return compile(within(one.value as JsonSchema, root))(value).valid;
    } catch {
      return false;
    }
  });
  return Math.max(fits, 0);
}

/** A part of a schema as a separate schema, with the definitions of the root. */
export function within(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (!isMembers(schema) || !isMembers(root)) return schema;
  return { ...root.$defs !== undefined && { $defs: root.$defs }, ...root.definitions !== undefined && { definitions: root.definitions }, ...schema } as JsonSchema;
}

/** Whether the schema is an object with known properties, whose fields are shown one below the other. */
export function isWide(schema: JsonSchema, root: JsonSchema): boolean {
  const shape = shapeOf(resolve(schema, root));
  return shape.kind === 'object' && shape.properties.length > 0;
}

/** The words next to the name of a required field. An empty list is a value, and often valid. */
export function requiredWords(schema: Members): string {
  const { kind } = shapeOf(schema);
  if (kind !== 'array' && kind !== 'choices') return 'required';
  const least = Number(schema.minItems);
  return `required${least > 1 ? `, at least ${least}` : least > 0 ? '' : ', may be empty'}`;
}

/** The properties of an object in few words: `article (pen | paper | ink), count (whole number), note?`. */
export function outline(schema: JsonSchema, root: JsonSchema): string {
  const shape = shapeOf(resolve(schema, root));
  if (shape.kind !== 'object') return '';
  return shape.properties.map((one) => {
    const own = resolve(one.schema, root);
    const words = wordsOf(shapeOf(own));
    return `${titleOf(own, one.name)}${one.required ? '' : '?'}${words && ` (${words})`}`;
  }).join(', ');
}

function wordsOf(shape: Shape): string {
  switch (shape.kind) {
    case 'choice': case 'choices': return shape.options.slice(0, 5).map(({ title }) => title).join(' | ') + (shape.options.length > 5 ? ' | …' : '');
    case 'number': return shape.whole ? 'whole number' : 'number';
    case 'boolean': return 'yes | no';
    case 'array': return 'list';
    default: return '';
  }
}
