import { encodeHeaderValue, mirroredParameter } from '../protocol/internal-exports.ts';
import type { JudgedConversation } from './conversation.ts';

/** 2026-07-28 basic/transports/streamable-http#standard-request-headers: the headers that mirror the body of a modern message. */
export function standardHeaders({ modern, kind }: JudgedConversation, method: string, params: Readonly<Record<string, unknown>>): Record<string, string> {
  if (!modern || kind !== 'http') return {};
  const name = mirroredParameter(method);
  const value = name === undefined ? undefined : params[name];
  return { 'mcp-method': method, ...typeof value === 'string' && { 'mcp-name': encodeHeaderValue(value) } };
}
