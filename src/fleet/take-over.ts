import type { RequestId } from '../jsonrpc/message.ts';
import { findRevision } from '../protocol/revisions.ts';
import type { Agreed, SharedHandshake } from '../transport/server-port.ts';

/** What a process knows of a session that it opens. */
export interface KnownSession {
  /** What some process has agreed on with the client; undefined: its handshake is still to come. */
  readonly agreed: Agreed | undefined;
  /** Whether its client is told, outside of its requests, that a list has changed. */
  readonly listens: boolean;
  /** The id of the next question, unique among all processes. Throws where the client cannot be asked. */
  questionId(): RequestId;
}

/** What another process has agreed on with the client holds here too, and each question has an id that no other has. */
export function takeOver(handshake: SharedHandshake, { agreed, listens, questionId }: KnownSession): void {
  handshake.connection.newId = questionId;
  const revision = agreed && findRevision(handshake.server.revisions, agreed.version);
  if (!revision) return;
  handshake.agree(revision, agreed);
  handshake.move('opened');
  if (listens) handshake.server.changes?.expect(handshake);
}
