import { isObject } from '../jsonrpc/codec.ts';
import { toolResultFault } from '../protocol/tool-results.ts';

/**
 * What is wrong with the messages of a sampling request, in words for the author; undefined: nothing.
 * 2025-11-25 client/sampling#messages.
 */
export function samplingFault(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return 'messages must be a list';
  for (const [at, message] of messages.entries()) {
    const place = `messages[${at}]`;
    if (!isObject(message) || (message['role'] !== 'user' && message['role'] !== 'assistant')) {
      return `${place}.role must be "user" or "assistant"`;
    }
    const { role, content } = message;
    const blocks: unknown[] = Array.isArray(content) ? content : [content];
    if (!blocks.every(isObject)) return `${place}.content must be a block or a list of blocks`;
    const strange = role === 'user' ? 'tool_use' : 'tool_result';
    if (blocks.some(({ type }) => type === strange)) return `${place}.content: ${strange} is not for the ${role}`;
  }
  return toolResultFault(messages);
}
