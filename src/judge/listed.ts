import type { ReceivedAnswer } from './plain-conversation.ts';

// Reads a server's lists: for the doctor and the judge.

/** The cursor for the next page; undefined on the last page. */
export function nextCursor({ result }: ReceivedAnswer): unknown {
  return result['nextCursor'] ?? undefined;
}

/** Yields the answers to a list method, up to the last page or the first answer that is not a result. */
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
