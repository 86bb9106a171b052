import { isObject } from '../jsonrpc/codec.ts';

/**
 * What is wrong with the messages of a sampling request, in words for the author; undefined: nothing.
 * 2025-11-25 client/sampling#messages, #tool-result-messages, #tool-use-and-result-balance.
 */
export function samplingFault(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return 'messages must be a list';
  /** Ids of the tool uses that the next message has to answer. */
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    const place = `messages[${at}]`;
    if (!isObject(message) || (message['role'] !== 'user' && message['role'] !== 'assistant')) {
      return `${place}.role must be "user" or "assistant"`;
    }
    const { role, content } = message;
    const blocks: unknown[] = Array.isArray(content) ? content : [content];
    if (!blocks.every(isObject)) return `${place}.content must be a block or a list of blocks`;
    const results = blocks.filter((block) => isObject(block) && block['type'] === 'tool_result');
    const answered = results.map((block) => (block as Record<string, unknown>)['toolUseId']);
    if (results.length > 0 && (role !== 'user' || results.length < blocks.length)) {
      return `${place}: tool results stand alone in a message of the user`;
    }
    const unanswered = open.find((id) => !answered.includes(id));
    if (unanswered !== undefined) return `${place} must answer the tool use ${JSON.stringify(unanswered)}`;
    const unasked = answered.find((id) => !open.includes(id as string));
    if (unasked !== undefined) return `${place}: no tool use before it has the id ${JSON.stringify(unasked)}`;
    open = blocks.flatMap((block) =>
      isObject(block) && block['type'] === 'tool_use' ? [String(block['id'])] : []);
    if (open.length > 0 && role !== 'assistant') return `${place}: only the assistant uses tools`;
  }
  return open.length > 0 ? `no message answers the tool use ${JSON.stringify(open[0])}` : undefined;
}
