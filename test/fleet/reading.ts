import assert from 'node:assert/strict';
import type { Live } from '../transport/http/harness.ts';

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly progress?: number; readonly uri?: string };
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Describes an event in a few words. */
export function word(data: string): string {
  if (data === '') return 'prime';
  const { method, params, result, error, id } = JSON.parse(data) as Message;
  if (method === 'notifications/progress') return `progress ${params?.progress}`;
  if (method !== undefined) return `${method}${params?.uri === undefined ? '' : ` ${params.uri}`}`;
  return `${result ? 'result' : `error ${error?.message}`} of ${String(id)}`;
}

/** Reads until `most` messages have come, or to the end. Returns their words and the last event id. */
export async function read(live: Live, most: number = Infinity, last?: string): Promise<{ words: string[]; last: string | undefined }> {
  const words: string[] = [];
  while (words.length < most) {
    const event = await live.next();
    if (event === undefined) break;
    last = event.id ?? last;
    if (event.data !== '') words.push(word(event.data));
  }
  return { words, last };
}

/** Returns the id of the next question. */
export async function question(live: { next(): Promise<{ readonly data: string } | undefined> }): Promise<string> {
  for (let event = await live.next(); event; event = await live.next()) {
    if (event.data === '') continue;
    const { id, method } = JSON.parse(event.data) as { id: string; method: string };
    assert.equal(method, 'elicitation/create');
    return id;
  }
  throw new Error('no question came');
}
