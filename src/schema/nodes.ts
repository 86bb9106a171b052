import type { Dialect, Kind } from './dialects.ts';
import { DRAFT_07, DRAFT_2020_12, VOCABULARY, kindOf } from './dialects.ts';
import { SchemaError } from './errors.ts';
import { pointerTokens, resolveUri } from './references.ts';
import type { Check } from './run.ts';
import { escapeToken } from './run.ts';
import type { JsonSchema, SchemaLimits } from './types.ts';

/** A subschema, read: its known keywords with their values checked and their subschemas read too. */
export interface Node {
  /** The keywords; for the schemas `true` and `false` that boolean. */
  keywords: Keywords | boolean;
  /** Address and JSON Pointer. */
  path: string;
  resource: Resource;
  /** Where its `$ref` leads. */
  target?: Node;
  /** Compiled forms: the plain one, and the one that logs what it evaluated. Set by the compiler. */
  check: Check;
  tracked: Check;
}

/** A schema with an address of its own: the whole document, or what stands under an `$id`. */
export interface Resource {
  uri: string;
  raw: JsonSchema;
  path: string;
  dialect: Dialect;
  /** Subschemas by `$anchor` and `$dynamicAnchor`, and those of the latter alone. */
  anchors: Map<string, Node>;
  dynamic: Map<string, Node>;
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

const STANDARD: Dialect = { draft7: false, vocabularies: undefined };
const TYPES = 'null boolean object array number integer string'.split(' ');

/** Every schema that one compilation knows, by address. */
export interface Library {
  /** Reads the schema to compile. */
  root(raw: JsonSchema): Node;
  /** The subschema that a reference leads to, and the name of the `$dynamicAnchor` it was found by. */
  find(reference: string, from: Node): [target: Node, dynamicAnchor: string | undefined];
  resources(): Iterable<Resource>;
  /** Whether any schema read so far has a `default`. */
  hasDefaults(): boolean;
}

/**
 * Reads schemas into nodes: a bounded walk over the places where their dialect has subschemas.
 * @param registered schemas by address, read when a reference first needs them
 */
export function createLibrary(registered: Readonly<Record<string, JsonSchema>>, limits: SchemaLimits): Library {
  const resources = new Map<string, Resource>();
  const nodes = new Map<unknown, Node>();
  const waiting = new Map<string, JsonSchema>();
  for (const [address, raw] of Object.entries(registered)) {
    const [uri] = resolveUri('', address);
    waiting.set(uri, raw);
    if (isObject(raw) && typeof raw['$id'] === 'string') waiting.set(resolveUri(uri, raw['$id'])[0], raw);
  }
  let count = 0;
  let defaults = false;

  function dialectOf(raw: JsonSchema, path: string, inherited: Dialect): Dialect {
    if (!isObject(raw) || raw['$schema'] === undefined) return inherited;
    const [uri] = resolveUri('', String(raw['$schema']));
    if (uri === DRAFT_2020_12) return STANDARD;
    if (uri === DRAFT_07) return { draft7: true, vocabularies: undefined };
    const meta = waiting.get(uri) ?? resources.get(uri)?.raw;
    if (meta === undefined || meta === raw) throw new SchemaError('dialect', path, `unknown dialect "${uri}"`);
    const list = isObject(meta) && meta['$vocabulary'];
    if (!isObject(list)) return dialectOf(meta, path, inherited);
    const vocabularies = new Set<string>();
    for (const [vocabulary, needed] of Object.entries(list)) {
      const name = vocabulary.startsWith(VOCABULARY) ? vocabulary.slice(VOCABULARY.length) : '';
      if (name) vocabularies.add(name);
      else if (needed) throw new SchemaError('dialect', path, `unknown vocabulary "${vocabulary}"`);
    }
    return { draft7: false, vocabularies };
  }

  function document(raw: JsonSchema, uri: string, inherited: Dialect): Node {
    const path = uri + '#';
    const dialect = dialectOf(raw, path, inherited);
    const resource: Resource = { uri, raw, path, dialect, anchors: new Map(), dynamic: new Map() };
    resources.set(uri, resource);
    return read(raw, resource, path, 0);
  }

  function read(raw: unknown, parent: Resource, path: string, depth: number): Node {
    if (++count > limits.subschemas) throw limit(path, 'subschemas', limits.subschemas);
    if (depth > limits.depth) throw limit(path, 'depth', limits.depth);
    const node: Node = { keywords: true, path, resource: parent, check: unready, tracked: unready };
    if (typeof raw === 'boolean') node.keywords = raw;
    else if (isObject(raw)) node.keywords = readKeywords(raw, node, depth + 1);
    else throw new SchemaError('schema', path, 'a schema is an object, true or false');
    return node;
  }

  function readKeywords(raw: Raw, node: Node, depth: number): Keywords {
    const { path } = node;
    nodes.set(raw, node);
    // In draft-07 nothing beside a $ref counts, not even an $id.
    const lone = typeof raw['$ref'] === 'string' && node.resource.dialect.draft7;
    const id = raw['$id'];
    if (typeof id === 'string' && !lone) {
      const [uri, fragment] = resolveUri(node.resource.uri, id);
      if (uri !== node.resource.uri) {
        const dialect = dialectOf(raw, path, node.resource.dialect);
        node.resource = { uri, raw, path, dialect, anchors: new Map(), dynamic: new Map() };
        resources.set(uri, node.resource);
      }
      if (fragment && node.resource.dialect.draft7) node.resource.anchors.set(fragment, node);
    }
    const { resource } = node;
    const keywords: Record<string, unknown> = Object.create(null);
    for (const name of lone ? ['$ref'] : Object.keys(raw)) {
      const kind = kindOf(name, resource.dialect);
      if (kind) keywords[name] = readValue(kind, raw[name], node, `${path}/${escapeToken(name)}`, depth);
    }
    const known = keywords as Keywords;
    if (Array.isArray(known.items)) {
      known.prefixItems = known.items as Node[];
      delete known.items;
      if (known.additionalItems) known.items = known.additionalItems;
    }
    if (known.$anchor !== undefined) resource.anchors.set(known.$anchor, node);
    if (known.$dynamicAnchor !== undefined) {
      resource.anchors.set(known.$dynamicAnchor, node);
      resource.dynamic.set(known.$dynamicAnchor, node);
    }
    if ('default' in keywords) defaults = true;
    return known;
  }

  function readValue(kind: Kind, value: unknown, node: Node, path: string, depth: number): unknown {
    const { resource } = node;
    const wrong = (expected: string): SchemaError => new SchemaError('schema', path, `must be ${expected}`);
    const one = (raw: unknown, key?: string | number): Node =>
      read(raw, resource, key === undefined ? path : `${path}/${escapeToken(key)}`, depth);
    const strings = (list: unknown): unknown[] => {
      if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
      throw wrong('a list of strings');
    };
    switch (kind) {
      case 'any':
        return value;
      case 'schema':
        return one(value);
      case 'items':
        return resource.dialect.draft7 && Array.isArray(value) ? value.map(one) : one(value);
      case 'schemas':
        if (!Array.isArray(value)) throw wrong('a list of schemas');
        return value.map(one);
      case 'schemaMap':
      case 'dependencies':
      case 'stringsMap':
        if (!isObject(value)) throw wrong('an object');
        return Object.keys(value).map((key) => [
          key,
          kind === 'stringsMap' || (kind === 'dependencies' && Array.isArray(value[key]))
            ? strings(value[key])
            : one(value[key], key),
        ]);
      case 'list':
        if (!Array.isArray(value)) throw wrong('a list');
        return value;
      case 'types': {
        const types = strings(typeof value === 'string' ? [value] : value);
        if (!types.every((type) => TYPES.includes(String(type)))) throw wrong(`among ${TYPES.join(', ')}`);
        return types;
      }
      case 'strings':
        return strings(value);
      case 'number':
      case 'positive':
      case 'count':
        if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong('a number');
        if (kind === 'positive' && value <= 0) throw wrong('above 0');
        if (kind === 'count' && !(value >= 0 && Number.isInteger(value))) throw wrong('a whole number from 0');
        return value;
      case 'boolean':
        if (typeof value !== 'boolean') throw wrong('true or false');
        return value;
      case 'string':
      case 'pattern':
        if (typeof value !== 'string') throw wrong('a string');
        return value;
    }
  }

  function find(reference: string, from: Node): [Node, string | undefined] {
    const [uri, fragment] = resolveUri(from.resource.uri, reference);
    const raw0 = waiting.get(uri);
    if (raw0 !== undefined && !resources.has(uri)) document(raw0, uri, from.resource.dialect);
    const resource = resources.get(uri);
    const lost = (): SchemaError =>
      new SchemaError('reference', from.path, `unresolved reference "${uri}${fragment && '#' + fragment}"`);
    if (!resource) throw lost();
    if (fragment && !fragment.startsWith('/')) {
      const name = decodeURIComponent(fragment);
      const node = resource.anchors.get(name);
      if (!node) throw lost();
      return [node, resource.dynamic.get(name) === node ? name : undefined];
    }
    let raw: unknown = resource.raw;
    let { path } = resource;
    let home = resource;
    for (const token of pointerTokens(fragment, from.path)) {
      if (typeof raw !== 'object' || raw === null || !Object.hasOwn(raw, token)) throw lost();
      raw = (raw as Raw)[token];
      path += '/' + escapeToken(token);
      home = nodes.get(raw)?.resource ?? home;
    }
    // Not read yet: the reference leads under a keyword that is unknown, or is no place for schemas.
    return [nodes.get(raw) ?? read(raw, home, path, 0), undefined];
  }

  return {
    root: (raw) => document(raw, '', STANDARD),
    find,
    resources: () => resources.values(),
    hasDefaults: () => defaults,
  };
}

function limit(path: string, name: keyof SchemaLimits, most: number): SchemaError {
  return new SchemaError('limit', path, `the schema exceeds the limit "${name}" (${most})`);
}

/** Stands in for a check until it is compiled. */
export function unready(): never {
  throw new Error('schema used before it was compiled');
}
