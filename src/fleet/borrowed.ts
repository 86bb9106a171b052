import type { HttpRequest } from '../transport/http/server/http-request.ts';
import type { EndpointServices } from '../transport/http/server/services.ts';
import type { Session } from '../transport/http/server/session.ts';
import { Carrying } from './carrying.ts';
import type { KeptStream, StreamStore } from './engine.ts';
import type { SharedStream } from './shared-stream.ts';
import { isGetStream } from './stream-names.ts';

/** A stream that a client has come back for and that this process carries, or begins to. */
export interface Borrowed {
  readonly session: Session;
  readonly stream: string;
  readonly request: HttpRequest;
  /** The number of the event that the client has. */
  readonly number: number;
  /** What the store said of it at first. */
  readonly kept: KeptStream | undefined;
  carrying: Carrying | undefined;
  /** The stream that its client has opened instead; it counts where that one has a connection. */
  instead: string | undefined;
  /** Opens the response with what the store had. */
  begin(): Carrying;
  /** Where the connection ends. */
  release: () => void;
}

/** What opens the responses of an endpoint. */
export interface CarryingBench {
  readonly services: EndpointServices;
  readonly streams: StreamStore;
  /** Connections whose streams outlive them. */
  readonly lasting: Set<Carrying>;
}

/** Opens a response that carries a stream after the event with this number. `primed`: its client knows an id of it. */
export function carry(
  { services, streams, lasting }: CarryingBench, session: Session, request: HttpRequest, stream: string, number: number,
  primed: boolean, ended: () => void,
): Carrying {
  const carrying: Carrying = new Carrying({
    services, streams, session, request, stream, written: number, primed, listening: isGetStream(stream),
    ended: () => {
      lasting.delete(carrying);
      ended();
    },
  });
  if (!carrying.closed) lasting.add(carrying);
  return carrying;
}

/** What a client has come back for, before it is known who writes it. `kept`: what the store has after that event. */
export function borrowed(
  bench: CarryingBench, request: HttpRequest, session: Session, stream: string, number: number, kept: KeptStream | undefined,
): Borrowed {
  const one: Borrowed = {
    request, session, stream, number, kept,
    carrying: undefined,
    instead: undefined,
    begin() {
      if (one.carrying) return one.carrying;
      const carrying = one.carrying = carry(bench, session, request, stream, number, true, () => one.release());
      // What is over may be a GET stream whose process has closed: whoever has read its record ends it.
      if (kept) carrying.deliver(number + 1, kept.texts, kept.over && !isGetStream(stream), false);
      return carrying;
    },
    release: () => {},
  };
  return one;
}

/** Its connection has ended: the stream goes on without one. */
export function release(stream: SharedStream): void {
  const { carrier } = stream;
  if (carrier instanceof Carrying && carrier.closed) stream.release(carrier);
}

/** From now on the response carries this stream, after what the response has. */
export function goOn(stream: SharedStream, carrying: Carrying): void {
  stream.take(carrying);
  if (stream.kept > carrying.written) carrying.recover();
}

/** Ends a connection that nothing follows on: its client comes back. */
export function endOrDestroy({ carrying, request, release }: Borrowed): void {
  release();
  if (carrying) carrying.end();
  else request.destroy();
}
