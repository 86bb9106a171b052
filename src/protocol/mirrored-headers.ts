import { decodeUtf8, isBase64, isObject } from '../jsonrpc/message.ts';
import { quote } from '../bounds/quote.ts';

// 2026-07-28 basic/transports/streamable-http#custom-headers-from-tool-parameters: the arguments that a tool's schema
// marks with `x-mcp-header` also travel in HTTP headers. The client writes them, and the server compares them with the
// body.

const annotation = 'x-mcp-header';
const maxDepth = 256;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const plain = /^[\t\x20-\x7e]*$/;
const opening = '=?base64?';

/** Schema keywords whose value is data, and keywords whose value is a map of schemas by name. */
const data = new Set(['const', 'enum', 'default', 'examples']);
const maps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** Lower-case header names (`mcp-param-region`), each with the path of property names to its argument. */
export type HeaderPaths = Map<string, readonly string[]>;

/**
 * The arguments of a tool that are mirrored in headers. `fault`: the rule that an annotation breaks, and its place; such
 * a tool must not be listed over HTTP.
 */
export function mirroredParameters(inputSchema: unknown): { headers: HeaderPaths } | { fault: string } {
  const headers: HeaderPaths = new Map();
  const fault = walk(inputSchema, [], headers, '#', 0);
  return fault === undefined ? { headers } : { fault };
}

/** Returns the first fault. `path`: the property names, if only `properties` keywords lead to `schema`; otherwise undefined. */
function walk(
  schema: unknown, path: string[] | undefined, headers: HeaderPaths, at: string, depth: number,
): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  if (depth > maxDepth) return `${at}: nests deeper than ${maxDepth}`;
  if (!Array.isArray(schema)) {
    const fault = annotate(schema as Record<string, unknown>, path, headers);
    if (fault !== undefined) return `${at}: ${fault}`;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (data.has(keyword)) continue;
    const chain = keyword === 'properties' ? path : undefined;
    const named = maps.has(keyword) && isObject(value) ? Object.entries(value) : [['', value] as const];
    for (const [name, below] of named) {
      const place = `${at}/${keyword}${name && `/${name}`}`;
      const fault = walk(below, chain && [...chain, name], headers, place, depth + 1);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function annotate(
  schema: Record<string, unknown>, path: string[] | undefined, headers: HeaderPaths,
): string | undefined {
  if (!Object.hasOwn(schema, annotation)) return undefined;
  const name = schema[annotation];
  if (typeof name !== 'string' || !token.test(name)) {
    return `${annotation} must be the name of a header field`;
  }
  if (!path?.length) return `${annotation} must be on a property that is reached only through "properties"`;
  const { type } = schema;
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
    return `${annotation} needs the type string, integer or boolean`;
  }
  const header = `mcp-param-${name.toLowerCase()}`;
  if (headers.has(header)) return `${annotation} ${quote(name)} is used twice`;
  headers.set(header, path);
  return undefined;
}

/** The argument at a path of property names; undefined if it is missing. */
export function argumentAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/**
 * The text of the argument at a path, before encoding for its header; undefined if the argument cannot be mirrored.
 */
export function mirroredValue(args: unknown, path: readonly string[]): string | undefined {
  const value = argumentAt(args, path);
  return typeof value === 'string' ? value
    : typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value)
      : undefined;
}

/** The parameter that `Mcp-Name` mirrors. 2026-07-28 basic/transports/streamable-http#standard-request-headers. */
export function mirroredParameter(method: string): string | undefined {
  switch (method) {
    case 'tools/call':
    case 'prompts/get': return 'name';
    case 'resources/read': return 'uri';
    case 'tasks/get':
    case 'tasks/update':
    case 'tasks/cancel': return 'taskId';
    default: return undefined;
  }
}

/** Encodes a value for a header: unchanged if it is plain ASCII, otherwise `=?base64?…?=` with its UTF-8. */
export function encodeHeaderValue(value: string): string {
  if (plain.test(value) && value.trim() === value && !isMarked(value)) return value;
  let bytes = '';
  for (const byte of new TextEncoder().encode(value)) bytes += String.fromCharCode(byte);
  return `${opening}${btoa(bytes)}?=`;
}

/** Decodes a header value; undefined if it has invalid characters or invalid Base64. */
export function decodeHeaderValue(text: string): string | undefined {
  if (!isMarked(text)) return plain.test(text) ? text : undefined;
  const encoded = text.slice(opening.length, -2);
  if (!isBase64(encoded)) return undefined;
  try {
    return decodeUtf8(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

const isMarked = (text: string): boolean => /^=\?base64\?.*\?=$/s.test(text);
