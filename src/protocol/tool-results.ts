import { isObject } from '../jsonrpc/codec.ts';
import { quote } from '../bounds/quote.ts';

type Block = Record<string, unknown>;

/** The content of a message of sampling, which is one block or a list of them. */
function blocksOf(message: unknown): Block[] {
  const content = isObject(message) ? message['content'] : undefined;
  return (Array.isArray(content) ? content : [content]).filter(isObject);
}

/**
 * The first fault by the rules for tool results in the messages of `sampling/createMessage`; undefined: no fault. A
 * message with a tool result holds nothing else, and the next message answers each tool use. 2025-11-25
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
