import { SchemaError } from './errors.ts';
import type { Check, Compiler, JsonSchema, Keywords, Node, SchemaResource } from './model.ts';
import { boundedPattern, weightOf } from './patterns.ts';
import type { CompileOptions, SchemaLimits } from './types.ts';
import { isObject } from './typed.ts';
import { escapeToken } from './values.ts';

/** The rules of a dialect for reading schemas. One is made for each schema that is compiled. */
export interface Language {
  /** Reads the schema that is compiled. */
  root(schema: JsonSchema): Node;
  /** The keywords of a schema object that are not ignored. Also records the object's `$id`, `$schema` and anchors. */
  names(raw: Readonly<Record<string, unknown>>, node: Node): readonly string[];
  /** The kind of a keyword; undefined when it is ignored. Throws when it is refused. */
  kindOf(keyword: string, node: Node): KeywordKind | undefined;
  /** Called with the keywords after reading. */
  learn?(keywords: Keywords, node: Node): void;
  /** The subschema that a reference leads to. */
  find(reference: string, from: Node): Node;
  /** Compiles a subschema. */
  check(node: Node, compiler: Compiler): Check;
  /** Sentences for errors besides those of the small dialect, by keyword. */
  readonly sentences?: Readonly<Record<string, string>>;
}

/** The functions that a language uses for reading. */
export interface Reader {
  /** Reads a subschema and those in it: a bounded walk that makes no closures. */
  read(raw: unknown, path: string, resource: SchemaResource | undefined, depth: number): Node;
  /** The subschema that was read from a value of the schema. */
  nodeOf(raw: unknown): Node | undefined;
}

/** The defaults of `SchemaLimits`. */
export const defaultSchemaLimits: SchemaLimits = {
  depth: 256,
  subschemas: 10_000,
  work: 5_000_000,
  pattern: 5_000,
  patterns: 100_000,
};

/**
 * Reads a schema as a whole: every keyword is checked, every reference resolved and every pattern parsed, so that no
 * part of it can fail later. Long function: a recursive walk whose functions share the nodes and the room that is left.
 */
export function readSchema(
  schema: JsonSchema,
  make: (reader: Reader) => Language,
  limits: SchemaLimits,
  { patterns = boundedPattern }: CompileOptions,
): { root: Node; language: Language } {
  const nodes = new Map<unknown, Node>();
  let count = 0;
  let room = limits.patterns;

  function read(raw: unknown, path: string, resource: SchemaResource | undefined, depth: number): Node {
    const over = ++count > limits.subschemas ? 'subschemas' : depth > limits.depth && 'depth';
    if (over) throw new SchemaError('limit', path, `exceeds the limit "${over}" (${limits[over]})`);
    const node: Node = { keywords: raw === true, path };
    if (resource) node.resource = resource;
    if (typeof raw === 'boolean') return node;
    if (!isObject(raw)) throw new SchemaError('schema', path, 'must be a schema');
    nodes.set(raw, node);
    const values: Record<string, unknown> = Object.create(null);
    for (const name of language.names(raw, node)) {
      const kind = language.kindOf(name, node);
      if (kind) values[name] = readValue(kind, raw[name], node, `${path}/${escapeToken(name)}`, depth + 1);
    }
    // Each value was checked by its kind.
    node.keywords = values;
    language.learn?.(values, node);
    return node;
  }

  function readValue(kind: KeywordKind, value: unknown, { resource }: Node, path: string, depth: number): unknown {
    const sub = (raw: unknown, key: string | number): Node =>
      read(raw, `${path}/${escapeToken(String(key))}`, resource, depth);
    if (kind === 'items') kind = resource?.dialect.draft7 && Array.isArray(value) ? 'a list of schemas' : 'a schema';
    if (kind === 'a schema') return read(value, path, resource, depth);
    if (kind === 'a list of schemas') {
      if (Array.isArray(value)) return value.map(sub);
    } else if (kind === 'an object' || kind === 'dependencies') {
      if (isObject(value)) {
        return Object.entries(value).map(([key, raw]) => [
          key,
          kind === 'dependencies' && isOfKind('a list of strings', raw) ? raw : sub(raw, key),
        ]);
      }
    } else if (isOfKind(kind, value)) return kind === 'a type such as "string"' ? [value].flat() : value;
    throw new SchemaError('schema', path, 'must be ' + kind);
  }

  function addPattern(source: string, node: Node, path: string): void {
    const over = source.length > limits.pattern ? 'pattern' : (room -= weightOf(source)) < 0 && 'patterns';
    if (over) throw new SchemaError('pattern', path, `exceeds the limit "${over}" (${limits[over]})`);
    try {
      (node.patterns ??= new Map()).set(source, patterns(source));
    } catch (error) {
      throw new SchemaError('pattern', path, (error as Error).message);
    }
  }

  const language = make({ read, nodeOf: (raw) => nodes.get(raw) });
  const root = language.root(schema);
  // The map grows during the loop: a referenced schema may not have been read before.
  for (const node of nodes.values()) {
    const { $ref, $dynamicRef, pattern, patternProperties } = node.keywords as Keywords;
    if ($ref !== undefined) node.target = language.find($ref, node);
    if ($dynamicRef !== undefined) node.dynamicTarget = language.find($dynamicRef, node);
    if (pattern !== undefined) addPattern(pattern, node, `${node.path}/pattern`);
    for (const [source] of patternProperties ?? []) addPattern(source, node, node.path);
  }
  return { root, language };
}

/** The kind of a keyword's value: subschemas in some arrangement, or a value that is checked as a whole. */
export type KeywordKind = 'a schema' | 'a list of schemas' | 'items' | 'an object' | 'dependencies' | ValueKind;

/** The kinds that are not subschemas. */
export type ValueKind =
  | 'any value'
  | 'a string'
  | 'a boolean'
  | 'a list'
  | 'a list of strings'
  | 'a type such as "string"'
  | 'a number'
  | 'a number above 0'
  | 'a whole number from 0';

/** Whether a value is of a kind. Errors use the name of the kind. */
export function isOfKind(kind: ValueKind, value: unknown): boolean {
  switch (kind) {
    case 'a list':
      return Array.isArray(value);
    case 'a list of strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'a type such as "string"':
      return [value].flat().every((type) =>
        typeof type === 'string' && /^(null|boolean|object|array|number|integer|string)$/.test(type));
    case 'a number':
      return Number.isFinite(value);
    case 'a number above 0':
      return Number.isFinite(value) && (value as number) > 0;
    case 'a whole number from 0':
      return Number.isInteger(value) && (value as number) >= 0;
    default:
      return kind === 'any value' || kind === `a ${typeof value}`;
  }
}
