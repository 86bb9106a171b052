import type { Carrier } from './carrying.ts';
import { isUndeliverable } from './engine.ts';
import type { FleetMessage, Take } from './messages.ts';
import type { SharedStream } from './shared-stream.ts';
import type { StoredSide } from './side.ts';

/** A stream of this process while another one carries it. */
export interface Lent extends Carrier {
  /** The other process holds the connection no more. */
  close(): void;
}

/** Has the events of a stream sent to the process that the client came back to. `closed` is called once. */
export function lend(side: StoredSide, stream: SharedStream, { session, by, ticket }: Take, closed: () => void): Lent {
  let open = true;
  let sent: Promise<void> = Promise.resolve();
  // In the order of what is sent. Where the process has gone, its client comes back somewhere else.
  const push = (message: FleetMessage): void => {
    sent = sent.then(() => open || message.kind === 'part' ? side.send(by, message) : undefined).catch((thrown: unknown) => {
      lent.close();
      // It is still there, and its client waits for what it was not sent.
      if (!isUndeliverable(thrown)) side.insist(by, { kind: 'returned', session, ticket });
    });
  };
  const forgotten = side.watch.on(by, () => lent.close());
  const lent: Lent = {
    room: true,
    deliver(first, texts, over, unkept) {
      if (!open) return;
      push({ kind: 'part', session, ticket, first, texts, over, unkept });
      if (over) lent.close();
    },
    end() {
      // What ends there is the connection.
      lent.deliver(stream.kept + 1, [], true, true);
    },
    close() {
      if (!open) return;
      open = false;
      forgotten();
      stream.release(lent);
      stream.session.disconnected();
      closed();
    },
  };
  // The client is connected, though elsewhere.
  stream.session.connected();
  stream.take(lent);
  push({ kind: 'handed', session, ticket, kept: stream.kept });
  return lent;
}
