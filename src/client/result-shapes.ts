import { block, resourceContents } from '../protocol/content-shapes.ts';
import type { MessageShape } from '../protocol/shape.ts';

/** A result of the server that does not have the type of its method. */
export class MalformedResult extends Error {
  /** `malformed_result`. */
  readonly code = 'malformed_result';
  readonly method: string;

  constructor(method: string, fault: string) {
    super(`the server's result of ${method} is malformed: ${fault}`);
    this.name = 'MalformedResult';
    this.method = method;
  }
}

/**
 * The members of a method's result by the types of the revisions; undefined for an unknown method. 2025-11-25 schema,
 * server/tools, server/resources, server/prompts.
 */
export function resultShape(method: string): MessageShape | undefined {
  const named = { name: 'string', 'title?': 'string', 'description?': 'string', 'icons?': ['object'], '_meta?': 'object' } as const;
  const located = { ...named, 'mimeType?': 'string', 'annotations?': 'object' } as const;
  switch (method) {
    case 'tools/call': return { content: [block], 'isError?': 'boolean', '_meta?': 'object' };
    case 'tools/list':
      return { tools: [{ ...named, inputSchema: { type: 'string' }, 'outputSchema?': 'object', 'annotations?': 'object', 'execution?': 'object' }] };
    case 'resources/list': return { resources: [{ ...located, uri: 'string', 'size?': 'number' }] };
    case 'resources/templates/list': return { resourceTemplates: [{ ...located, uriTemplate: 'string' }] };
    case 'resources/read': return { contents: [resourceContents] };
    case 'prompts/list': return { prompts: [{ ...named, 'arguments?': [{ ...named, 'required?': 'boolean' }] }] };
    case 'prompts/get': return { 'description?': 'string', messages: [{ role: 'role', content: block }] };
    case 'completion/complete': return { completion: { values: ['string'], 'total?': 'number', 'hasMore?': 'boolean' } };
    default: return undefined;
  }
}
