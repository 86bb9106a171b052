import type { ReceivedAnswer } from './plain-conversation.ts';

// What a server lists, and how: for the doctor and the judge.

/** What the next page is asked with; undefined: it is the last one. */
export function nextCursor({ result }: ReceivedAnswer): unknown {
  return result['nextCursor'] ?? undefined;
}

/** The answers to a list method, page by page, to the last page or the first answer that is not a result. */
export async function* listPages(ask: (params: Record<string, unknown>) => Promise<ReceivedAnswer>): AsyncGenerator<ReceivedAnswer, void, undefined> {
  for (let cursor: unknown; ;) {
    const answer = await ask(cursor === undefined ? {} : { cursor });
    yield answer;
    cursor = nextCursor(answer);
    if (cursor === undefined || answer.kind !== 'result') return;
  }
}

/** 2025-11-25 server/tools#tool-names. */
export const toolNameLength = (name: string): boolean => name.length >= 1 && name.length <= 128;
export const toolNameCharacters = (name: string): boolean => /^[A-Za-z0-9_.-]*$/.test(name);
