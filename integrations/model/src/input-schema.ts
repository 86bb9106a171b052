/** The JSON Schema of a tool's arguments in the form that model APIs accept. */
export interface InputSchema {
  type: 'object';
  properties: Record<string, unknown>;
  required?: string[];
  [keyword: string]: unknown;
}

type Schema = Readonly<Record<string, unknown>>;

/** Reports that the part at a JSON Pointer is left out, and why. */
export type Losses = (path: string, why: string) => void;

/** Both APIs refuse a request whose schema has one of these at the top level. */
const notAtTop = ['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const', 'if', 'then', 'else', '$ref', '$dynamicRef'];

/** Argument names that Anthropic's API accepts. */
const argumentName = /^[A-Za-z0-9_.-]{1,64}$/;

/** Deeper schemas are not read. */
const maxDepth = 64;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const single = new Set(['items', 'additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else', 'unevaluatedItems', 'unevaluatedProperties']);
const lists = new Set(['prefixItems', 'oneOf', 'anyOf', 'allOf']);
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A copy of an input schema that model APIs accept: keywords that they refuse at the top level are left out, references to
 * outside the schema accept anything (nothing is fetched), and draft-07's lists in `items` become `prefixItems`. Each loss is
 * reported. Returns undefined if the rest could not be called: then the tool is left out, and that is reported.
 */
export function schemaFor(given: Schema, losses: Losses): InputSchema | undefined {
  const { type, properties, required, ...rest } = given;
  if (type !== 'object') {
    losses('#', 'its input schema is not of type object');
    return undefined;
  }
  const copy: InputSchema = { type: 'object', properties: {} };
  const needed = new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []);
  for (const [name, property] of Object.entries(isSchema(properties) ? properties : {})) {
    const path = `#/properties/${pointer(name)}`;
    if (argumentName.test(name)) set(copy.properties, name, read(property, path, 1, losses));
    else if (needed.has(name)) {
      losses('#', `it needs the argument ${JSON.stringify(name.slice(0, 80))}, a name that is not taken`);
      return undefined;
    } else losses(path, 'the name of the argument is not taken');
  }
  if (needed.size > 0) copy.required = [...needed];
  for (const [keyword, value] of Object.entries(rest)) {
    // The APIs accept the 2020-12 dialect.
    if (keyword === '$schema') continue;
    if (notAtTop.includes(keyword)) losses(`#/${keyword}`, `${keyword} is not taken at the top of a schema`);
    else for (const [name, read] of keywordOf(keyword, value, `#/${keyword}`, 0, losses)) set(copy, name, read);
  }
  return copy;
}

/** Copies a schema. */
function read(given: unknown, path: string, depth: number, losses: Losses): unknown {
  if (!isSchema(given)) return given === false ? { not: {} } : {};
  if (depth > maxDepth) {
    losses(path, `it is deeper than ${maxDepth} schemas`);
    return {};
  }
  const { $ref } = given;
  if (typeof $ref === 'string' && !$ref.startsWith('#')) {
    losses(`${path}/$ref`, 'it leads out of the schema, and nothing is fetched');
    return {};
  }
  const copy: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(given)) {
    for (const [name, part] of keywordOf(keyword, value, `${path}/${pointer(keyword)}`, depth, losses)) set(copy, name, part);
  }
  return copy;
}

/** Converts one keyword. */
function keywordOf(keyword: string, value: unknown, path: string, depth: number, losses: Losses): [string, unknown][] {
  if ((keyword === 'items' || lists.has(keyword)) && Array.isArray(value)) {
    return [[keyword === 'items' ? 'prefixItems' : keyword, value.map((one, i) => read(one, `${path}/${i}`, depth + 1, losses))]];
  }
  if (keyword === 'additionalItems') return [['items', read(value, path, depth + 1, losses)]];
  if (named.has(keyword) && isSchema(value)) {
    const copy: Record<string, unknown> = {};
    for (const [name, one] of Object.entries(value)) set(copy, name, read(one, `${path}/${pointer(name)}`, depth + 1, losses));
    return [[keyword, copy]];
  }
  if (single.has(keyword) && typeof value !== 'boolean') return [[keyword, read(value, path, depth + 1, losses)]];
  return [[keyword, value]];
}

/** Sets a member; `__proto__` is an ordinary name. */
function set(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

const pointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1').slice(0, 200);
