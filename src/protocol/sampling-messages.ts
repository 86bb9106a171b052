import { isObject } from '../jsonrpc/codec.ts';
import { quote } from '../bounds/quote.ts';
import { sampledBlock, shapeFault } from './shape.ts';
import { toolResultFault } from './tool-results.ts';

/**
 * The first fault in the messages of a sampling request, worded for the sender; undefined if they are valid. Both sides
 * check them: 2025-11-25 client/sampling#security-considerations. 2025-11-25 client/sampling#messages.
 */
export function samplingFault(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return 'messages must be a list';
  for (const [at, message] of messages.entries()) {
    const fault = messageFault(message, `messages[${at}]`);
    if (fault !== undefined) return fault;
  }
  return toolResultFault(messages);
}

function messageFault(message: unknown, place: string): string | undefined {
  if (!isObject(message) || (message['role'] !== 'user' && message['role'] !== 'assistant')) {
    return `${place}.role must be "user" or "assistant"`;
  }
  const { role, content } = message;
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  if (blocks.length === 0 || !blocks.every(isObject)) return `${place}.content must be a block or a list of blocks`;
  const strange = role === 'user' ? 'tool_use' : 'tool_result';
  for (const one of blocks) {
    const { type } = one;
    if (type === strange) return `${place}.content: ${strange} is not allowed for the ${role}`;
    const shape = sampledBlock(type);
    if (shape === undefined) return `${place}.content: ${quote(type)} is not a type of content for a model`;
    const fault = shapeFault(one, shape, `${place}.content`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
