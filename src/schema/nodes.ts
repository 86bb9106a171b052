import type { Dialect, Kind } from './dialects.ts';
import { DRAFT_07, DRAFT_2020_12, VALUES, kindOf } from './dialects.ts';
import { SchemaError } from './errors.ts';
import type { Saying } from './messages.ts';
import { resolveUri } from './references.ts';
import type { Check } from './run.ts';
import { escapeToken } from './run.ts';
import type { CompileOptions, JsonSchema, SchemaLimits } from './types.ts';

/** A subschema, read: its known keywords with their values checked and their subschemas read too. */
export interface Node {
  /** The keywords; for the schemas `true` and `false` that boolean. */
  keywords: Keywords | boolean;
  /** Address and JSON Pointer. */
  path: string;
  resource: Resource;
  /** How to speak of its rules, by keyword, once they have been broken. */
  sayings?: Record<string, Saying>;
  /** Where its `$ref` leads. */
  target?: Node;
  /** Compiled forms: the plain one, and the one that logs what it evaluated. Set by the compiler. */
  check: Check;
  tracked: Check;
}

/** A schema with an address of its own: the whole document, or what stands under an `$id`. */
export interface Resource {
  uri: string;
  raw: unknown;
  path: string;
  dialect: Dialect;
  /** Subschemas by `$anchor` and `$dynamicAnchor`. */
  anchors: Map<string, Node>;
}

export type NamedNode = [name: string, node: Node];

/** The keywords of one schema object. It has no prototype, so no name can be inherited. */
export interface Keywords {
  $ref?: string;
  $dynamicRef?: string;
  $anchor?: string;
  $dynamicAnchor?: string;
  allOf?: Node[];
  anyOf?: Node[];
  oneOf?: Node[];
  not?: Node;
  if?: Node;
  then?: Node;
  else?: Node;
  prefixItems?: Node[];
  /** Draft-07's array form is read as `prefixItems`, with `additionalItems` as this. */
  items?: Node;
  additionalItems?: Node;
  contains?: Node;
  minContains?: number;
  maxContains?: number;
  unevaluatedItems?: Node;
  properties?: NamedNode[];
  patternProperties?: NamedNode[];
  additionalProperties?: Node;
  propertyNames?: Node;
  dependentSchemas?: NamedNode[];
  dependentRequired?: [name: string, needed: string[]][];
  /** Draft-07's union of the two. */
  dependencies?: [name: string, needed: string[] | Node][];
  unevaluatedProperties?: Node;
  required?: string[];
  type?: string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
}

type Raw = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every schema that one compilation knows, by address. */
export interface Library {
  /** Reads the schema to compile. */
  root(raw: JsonSchema): Node;
  /** The subschema that a reference leads to. */
  find(reference: string, from: Node): Node;
  resources: ReadonlyMap<string, Resource>;
}

/** The subschema that an anchor names if it is a `$dynamicAnchor`. */
export function dynamicAnchor(resource: Resource, name: string): Node | undefined {
  const node = resource.anchors.get(name);
  return (node?.keywords as Keywords | undefined)?.$dynamicAnchor === name ? node : undefined;
}

/**
 * Reads schemas into nodes: a bounded walk over the places where their dialect has subschemas. Schemas from
 * `options.schemas` are read when a reference first needs them.
 */
export function createLibrary({ schemas = {}, formats }: CompileOptions, limits: SchemaLimits): Library {
  const resources = new Map<string, Resource>();
  const nodes = new Map<unknown, Node>();
  const registered = new Map(Object.entries(schemas));
  let count = 0;

  function dialectOf(raw: Raw, path: string, inherited: Dialect): Dialect {
    if (!('$schema' in raw)) return inherited;
    const [uri] = resolveUri('', String(raw['$schema']));
    if (uri === DRAFT_2020_12 + 'schema') return {};
    if (uri === DRAFT_07) return { draft7: true };
    const meta = registered.get(uri);
    if (!isObject(meta) || meta === raw) throw new SchemaError('dialect', path, `unknown dialect "${uri}"`);
    const list = meta['$vocabulary'];
    if (!isObject(list)) return dialectOf(meta, path, inherited);
    const vocabularies = new Set<string>();
    for (const name of Object.keys(list)) {
      const [base, word = '', assertion] = name.split(/vocab\/(\w+)(-assertion)?/);
      if (base === DRAFT_2020_12 && (!assertion || formats)) vocabularies.add(word);
      else if (list[name]) throw new SchemaError('dialect', path, `unknown vocabulary "${name}"`);
    }
    return { vocabularies };
  }

  function addResource(uri: string, raw: unknown, path: string, inherited: Dialect): Resource {
    const dialect = isObject(raw) ? dialectOf(raw, path, inherited) : inherited;
    const resource: Resource = { uri, raw, path, dialect, anchors: new Map() };
    resources.set(uri, resource);
    return resource;
  }

  function readDocument(raw: JsonSchema, uri: string, inherited: Dialect): Node {
    const path = uri + '#';
    return read(raw, addResource(uri, raw, path, inherited), path, 0);
  }

  function read(raw: unknown, resource: Resource, path: string, depth: number): Node {
    const over = ++count > limits.subschemas ? 'subschemas' : depth > limits.depth && 'depth';
    if (over) throw new SchemaError('limit', path, `exceeds the limit "${over}" (${limits[over]})`);
    const node: Node = { keywords: raw === true, path, resource, check: unready, tracked: unready };
    if (typeof raw === 'boolean') return node;
    if (!isObject(raw)) throw new SchemaError('schema', path, 'must be a schema');
    nodes.set(raw, node);
    // In draft-07 nothing beside a $ref counts, not even an $id.
    const lone = resource.dialect.draft7 && typeof raw['$ref'] === 'string';
    if (typeof raw['$id'] === 'string' && !lone) {
      const [uri, fragment] = resolveUri(resource.uri, raw['$id']);
      if (uri !== resource.uri) node.resource = resource = addResource(uri, raw, path, resource.dialect);
      if (fragment) resource.anchors.set(fragment, node);
    }
    const values: Record<string, unknown> = Object.create(null);
    for (const name of lone ? ['$ref'] : Object.keys(raw)) {
      const kind = kindOf(name, resource.dialect);
      if (kind)
        values[name] = readValue(kind, raw[name], resource, `${path}/${escapeToken(name)}`, depth + 1);
    }
    // Each value has been judged by its kind.
    const keywords: Keywords = (node.keywords = values);
    if (Array.isArray(keywords.items)) {
      keywords.prefixItems = keywords.items;
      values['items'] = keywords.additionalItems;
    }
    for (const name of [keywords.$anchor, keywords.$dynamicAnchor])
      if (name) resource.anchors.set(name, node);
    return node;
  }

  function readValue(kind: Kind, value: unknown, resource: Resource, path: string, depth: number): unknown {
    const sub = (raw: unknown, key: string | number): Node =>
      read(raw, resource, `${path}/${escapeToken(String(key))}`, depth);
    if (kind === 'items')
      kind = resource.dialect.draft7 && Array.isArray(value) ? 'a list of schemas' : 'a schema';
    if (kind === 'a schema') return read(value, resource, path, depth);
    if (kind === 'a list of schemas') {
      if (Array.isArray(value)) return value.map(sub);
    } else if (kind === 'an object' || kind === 'dependencies') {
      if (isObject(value)) {
        return Object.entries(value).map(([key, raw]) => [
          key,
          kind === 'dependencies' && VALUES['a list of strings'](raw) ? raw : sub(raw, key),
        ]);
      }
    } else if (VALUES[kind](value)) return kind === 'a type' ? [value].flat() : value;
    throw new SchemaError('schema', path, 'must be ' + kind);
  }

  function find(reference: string, from: Node): Node {
    const [uri, fragment] = resolveUri(from.resource.uri, reference);
    const document = registered.get(uri);
    if (document !== undefined && !resources.has(uri)) readDocument(document, uri, from.resource.dialect);
    const home = resources.get(uri);
    const target = home && (/^[^/]/.test(fragment) ? home.anchors.get(fragment) : point(home, fragment));
    if (!target) throw new SchemaError('reference', from.path, `unresolved reference "${uri}#${fragment}"`);
    return target;
  }

  function point(resource: Resource, fragment: string): Node | undefined {
    let { raw, path } = resource;
    for (const part of fragment.split('/').slice(1)) {
      const token = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof raw !== 'object' || !raw || !Object.hasOwn(raw, token)) return undefined;
      raw = (raw as Raw)[token];
      path += '/' + escapeToken(token);
      resource = nodes.get(raw)?.resource ?? resource;
    }
    // Not read yet: the reference leads under a keyword that is unknown, or is no place for schemas.
    return nodes.get(raw) ?? read(raw, resource, path, 0);
  }

  return { root: (raw) => readDocument(raw, '', {}), find, resources };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Stands in for a check until it is compiled. */
export function unready(): never {
  throw new Error();
}
