import { isObject } from '../jsonrpc/message.ts';

// The members that each message type requires, as data: a few property checks instead of a schema.

/**
 * The required shape of a value: a kind (a role is `user` or `assistant`), a list, an object with members, or an object
 * with the members that a function returns for it.
 */
export type MessageShape = ShapeKind | readonly [MessageShape] | MemberShapes | ((value: Record<string, unknown>) => MemberShapes);

type ShapeKind = 'string' | 'number' | 'boolean' | 'object' | 'role';

/** An object with these members. A name that ends with `?` is optional. */
export interface MemberShapes {
  readonly [member: string]: MessageShape;
}

/**
 * The first missing or invalid member, worded for an error; undefined if all members are valid. `path` names the value.
 * Some peers write null for an optional member: such members are deleted from the value.
 */
export function shapeFault(value: unknown, shape: MessageShape, path: string): string | undefined {
  if (typeof shape === 'string') return isOf(value, shape) ? undefined : wrong(value, shape, path);
  if (isList(shape)) {
    if (!Array.isArray(value)) return wrong(value, 'list', path);
    for (let at = 0; at < value.length; at++) {
      const fault = shapeFault(value[at], shape[0], `${path}[${at}]`);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  if (!isObject(value)) return wrong(value, 'object', path);
  const members = typeof shape === 'function' ? shape(value) : shape;
  for (const key in members) {
    const optional = key.endsWith('?');
    const name = optional ? key.slice(0, -1) : key;
    const member = value[name];
    if (optional && member === null) delete value[name];
    if (optional && (member === undefined || member === null)) continue;
    const expected = members[key] as MessageShape;
    // Most members are strings: check them here, which saves half of all calls.
    if (typeof expected === 'string' && isOf(member, expected)) continue;
    const fault = shapeFault(member, expected, path && `${path}.${name}` || name);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const isList = (shape: MessageShape): shape is readonly [MessageShape] => Array.isArray(shape);

const isOf = (value: unknown, kind: ShapeKind): boolean => kind === 'role' ? value === 'user' || value === 'assistant'
  : typeof value === kind && (kind !== 'object' || (value !== null && !Array.isArray(value)));

const wrong = (value: unknown, kind: ShapeKind | 'list', path: string): string => `${path} ${value === undefined ? 'is missing'
  : `must be ${kind === 'role' ? '"user" or "assistant"' : `${kind === 'object' ? 'an' : 'a'} ${kind}`}`}`;

// The members of each type of content. 2025-11-25 schema: ContentBlock, SamplingMessageContentBlock, ResourceContents.

/**
 * The contents of a resource: a text, or bytes in base64. The alphabet is not checked: the official Python SDK wrote `blob`
 * with `-` and `_` in its early versions (1.2.0).
 */
export const resourceContents: MessageShape = (value) => ({
  uri: 'string', 'mimeType?': 'string', '_meta?': 'object', ['text' in value ? 'text' : 'blob']: 'string',
});

const text: MemberShapes = { text: 'string', 'annotations?': 'object', '_meta?': 'object' };

/** An image or a sound. */
const media: MemberShapes = { data: 'string', mimeType: 'string', 'annotations?': 'object', '_meta?': 'object' };

const link: MemberShapes = {
  name: 'string', uri: 'string', 'title?': 'string', 'description?': 'string', 'mimeType?': 'string', 'annotations?': 'object',
  '_meta?': 'object',
};

const resource: MemberShapes = { resource: resourceContents, 'annotations?': 'object', '_meta?': 'object' };

const unknown: MemberShapes = { type: 'string' };

/** A content block. Only `type` is checked in a block of an unknown type, which belongs to a later revision. */
export const block = ({ type }: Record<string, unknown>): MemberShapes => {
  switch (type) {
    case 'text': return text;
    case 'image':
    case 'audio': return media;
    case 'resource_link': return link;
    case 'resource': return resource;
    default: return unknown;
  }
};

/** A content block of a sampling message; undefined for a type that is not allowed there. */
export function sampledBlock(type: unknown): MemberShapes | undefined {
  switch (type) {
    case 'text': return text;
    case 'image':
    case 'audio': return media;
    case 'tool_use': return { id: 'string', name: 'string', input: 'object' };
    case 'tool_result': return { toolUseId: 'string', content: [block], 'isError?': 'boolean' };
    default: return undefined;
  }
}
