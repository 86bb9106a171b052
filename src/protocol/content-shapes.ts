import type { MemberShapes, MessageShape } from './shape.ts';

// The members of each type of content. 2025-11-25 schema: ContentBlock, SamplingMessageContentBlock, ResourceContents.

/** A text, or bytes in base64. */
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

/** A block of content. A block of an unknown type belongs to a later revision, and only its type is checked. */
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

/** A block of a message to or from a model; undefined for a type that such messages may not hold. */
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
