import { isObject } from '../jsonrpc/codec.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import type { KeptStream } from './engine.ts';
import type { StreamHead } from './messages.ts';

/** What a stream is, as the store has it. */
export const headOf = ({ head }: KeptStream): StreamHead => JSON.parse(head) as StreamHead;

/** The id of the question that a text puts; undefined: it puts none. */
export function questionIn(text: string): RequestId | undefined {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || typeof value['method'] !== 'string') return undefined;
  const { id } = value;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** Whether a text is the answer to this request. */
export function answers(text: string, request: RequestId): boolean {
  if (text === '') return false;
  const value: unknown = JSON.parse(text);
  return isObject(value) && value['id'] === request && !('method' in value);
}
