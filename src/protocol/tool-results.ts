import { isObject } from '../jsonrpc/codec.ts';
import { quote } from '../bounds/quote.ts';

type Block = Record<string, unknown>;

/** The content blocks of a sampling message: its content is one block or a list of blocks. */
function blocksOf(message: unknown): Block[] {
  const content = isObject(message) ? message['content'] : undefined;
  return (Array.isArray(content) ? content : [content]).filter(isObject);
}

/**
 * The first fault of tool results in the messages of `sampling/createMessage`; undefined if there is none. A message with
 * a tool result has no other content, and the message after a tool use has its result. 2025-11-25
 * client/sampling#tool-result-messages and client/sampling#tool-use-and-result-balance.
 */
export function toolResultFault(messages: readonly unknown[]): string | undefined {
  let due: unknown[] = [];
  for (const [at, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    if (results.length > 0 && results.length < blocks.length) {
      return `messages[${at}] mixes tool results with other content`;
    }
    const answered = new Set(results.map(({ toolUseId }) => toolUseId));
    const missing = due.find((id) => !answered.delete(id));
    if (missing !== undefined) return unanswered(`messages[${at}]`, missing);
    if (answered.size > 0) return `messages[${at}] has a tool result without its tool use`;
    due = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  }
  return due.length > 0 ? unanswered('messages', due[0]) : undefined;
}

const unanswered = (place: string, id: unknown): string => `${place}: tool result missing in request, for the tool use ${quote(id)}`;
