import { SchemaError } from '../errors.ts';
import type { Dialect, JsonSchema, Keywords, Node, SchemaResource } from '../model.ts';
import { isObject } from '../typed.ts';
import { escapeToken, tokensOf } from '../values.ts';
import type { Language, Reader } from '../reader.ts';
import type { FullCompileOptions } from './options.ts';
import { dialectOf, kindOf, resolveUri } from './dialects.ts';
import type { Raw } from './dialects.ts';

/** The subschema with this name as its `$dynamicAnchor`; undefined if it does not exist. */
export function dynamicAnchor(resource: SchemaResource, name: string): Node | undefined {
  const node = resource.anchors.get(name);
  return (node?.keywords as Keywords | undefined)?.$dynamicAnchor === name ? node : undefined;
}

/**
 * Reads schemas of the whole dialect: every schema that one compilation knows, by address. Schemas from
 * `options.schemas` are read when a reference first needs them. Long function: its functions call one another over the
 * schemas that were read, by address.
 */
export function createLibrary(
  { read, nodeOf }: Reader,
  { schemas = {}, formats }: FullCompileOptions,
): Omit<Language, 'check' | 'sentences'> {
  const resources = new Map<string, SchemaResource>();
  const registered = new Map(Object.entries(schemas));

  function addResource(uri: string, raw: unknown, path: string, inherited: Dialect): SchemaResource {
    const dialect = isObject(raw) ? dialectOf(raw, path, inherited, registered, formats) : inherited;
    const resource: SchemaResource = { uri, raw, path, dialect, anchors: new Map() };
    resources.set(uri, resource);
    return resource;
  }

  function readDocument(raw: JsonSchema, uri: string, inherited: Dialect): Node {
    const path = uri + '#';
    return read(raw, path, addResource(uri, raw, path, inherited), 0);
  }

  function find(reference: string, from: Node): Node {
    const { uri: base = '', dialect = {} } = from.resource ?? {};
    const [uri, fragment] = resolveUri(base, reference);
    const document = registered.get(uri);
    if (document !== undefined && !resources.has(uri)) readDocument(document, uri, dialect);
    const home = resources.get(uri);
    const target = home && (/^[^/]/.test(fragment) ? home.anchors.get(fragment) : point(home, fragment));
    if (!target) throw new SchemaError('reference', from.path, `unresolved reference "${uri}#${fragment}"`);
    return target;
  }

  function point(resource: SchemaResource, fragment: string): Node | undefined {
    let { raw, path } = resource;
    for (const token of tokensOf(fragment)) {
      if (typeof raw !== 'object' || !raw || !Object.hasOwn(raw, token)) return undefined;
      raw = (raw as Raw)[token];
      path += '/' + escapeToken(token);
      resource = nodeOf(raw)?.resource ?? resource;
    }
    // Not read yet: the reference leads below an unknown keyword, or to a value that is not a schema.
    return nodeOf(raw) ?? read(raw, path, resource, 0);
  }

  return {
    root: (schema) => readDocument(schema, '', {}),
    names(raw, node) {
      const { resource } = node;
      const { $id } = raw;
      // In draft-07 the keywords next to a $ref are ignored, even an $id.
      const lone = resource?.dialect.draft7 && typeof raw['$ref'] === 'string';
      if (typeof $id === 'string' && resource && !lone) {
        const [uri, fragment] = resolveUri(resource.uri, $id);
        if (uri !== resource.uri) node.resource = addResource(uri, raw, node.path, resource.dialect);
        if (fragment) node.resource?.anchors.set(fragment, node);
      }
      return lone ? ['$ref'] : Object.keys(raw);
    },
    kindOf: (keyword, { resource }) => kindOf(keyword, resource?.dialect ?? {}),
    learn(keywords, node) {
      if (Array.isArray(keywords.items)) {
        keywords.prefixItems = keywords.items;
        if (keywords.additionalItems) keywords.items = keywords.additionalItems;
        else delete keywords.items;
      }
      for (const name of [keywords.$anchor, keywords.$dynamicAnchor]) if (name) node.resource?.anchors.set(name, node);
    },
    find,
  };
}
