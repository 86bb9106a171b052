import { decodeValue } from '../jsonrpc/codec.ts';
import type { Sessions } from '../transport/http/server/sessions.ts';
import type { Carried, FleetMessage, Told } from './messages.ts';

/** The sessions of one endpoint, and what other processes say of them. */
export interface SharedSessions extends Sessions {
  /** Takes a message for this process that is no message of a client's. */
  receive(message: Exclude<FleetMessage, Carried>): void;
  /** Takes what another process has told all. */
  hear(told: Told): void;
  /** What was told to all may have been missed. */
  missed(): void;
  /** What this process and that one have sent each other may be lost; undefined: this one and any other. */
  lapsed(process?: string): void;
  /** The fleet is left. */
  close(): void;
}

/** Hands a client's message that another process received to the session that is open here. */
export function deliver(sessions: Sessions, { session: name, paired, auth, message }: Carried): void {
  const session = sessions.peek(name);
  if (session === undefined || session.paired !== paired || session.auth?.principal !== auth?.principal) return;
  if (paired) session.heard(auth);
  session.peer.receive(decodeValue(message));
}
