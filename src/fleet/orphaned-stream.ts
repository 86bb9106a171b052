import { internalError, toErrorObject } from '../jsonrpc/errors.ts';
import type { RequestId } from '../jsonrpc/message.ts';
import { failureText, notificationText } from '../jsonrpc/outlet.ts';
import * as columns from '../protocol/columns.ts';
import type { EndpointServices } from '../transport/http/server/services.ts';
import type { Session } from '../transport/http/server/session.ts';
import type { Carrying } from './carrying.ts';
import { answers, questionIn } from './kept-stream.ts';
import type { StreamHead } from './messages.ts';
import type { StoredSide } from './side.ts';

const gone = 'The process that served this request has gone';

/**
 * What is still to be said on the stream of a request whose process has gone: its questions are withdrawn, and it gets an
 * error. Nothing where `texts`, the last ones that are kept, end with its answer.
 */
export function lastTexts(texts: readonly string[], request: RequestId | undefined, nullErrorId?: boolean): string[] {
  const end = texts.at(-1);
  if (end !== undefined && request !== undefined && answers(end, request)) return [];
  const questions = texts.map(questionIn).filter((id) => id !== undefined);
  return [
    ...questions.map((requestId) => notificationText('notifications/cancelled', { requestId, reason: gone })),
    failureText(request ?? null, toErrorObject(internalError(gone)), nullErrorId),
  ];
}

/** Ends the stream of a request whose process has gone, in the store and for the client that has come back for it. */
export async function conclude(
  { process, streams }: StoredSide, { limits }: EndpointServices, session: Session, stream: string, carrying: Carrying,
  { request }: StreamHead,
): Promise<void> {
  const { revision } = session.peer;
  const last = carrying.written;
  // Where the oldest events are forgotten, so are their questions.
  const kept = await streams.after(session.id, stream, 0) ?? await streams.after(session.id, stream, Math.max(0, last - 1));
  await streams.append({
    session: session.id, stream, head: kept?.head ?? JSON.stringify({ owner: process, request }),
    first: last + 1, texts: lastTexts(kept?.texts ?? [], request, revision && columns.nullErrorId(revision)),
    over: true, ttlMs: limits.sessionIdleMs,
  });
  // Another process may have been faster: what the store has counts.
  await carrying.catchUp();
  carrying.end();
}
