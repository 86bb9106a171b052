import { ClientCore } from '../../../src/client/client-core.ts';
import type { Bag, Decoded, RequestId, UncheckedResponse } from '../../../src/jsonrpc/message.ts';
import { ServerCore } from '../../../src/server/server-core.ts';
import type { ClientTransport } from '../../../src/transport/client-port.ts';
import type { ServedClient } from '../../../src/transport/server-port.ts';
import { watchMethod } from '../watch.ts';
import type { Undo } from '../watch.ts';

/** The observed members of a message. */
export interface WireMessage {
  readonly id?: RequestId | null;
  readonly method?: string;
  readonly params?: Bag;
  readonly result?: Bag;
  readonly error?: { readonly code: number };
}

/** A message that one side of a pipe sends or receives, in order. */
export interface WireEvent {
  readonly side: 'client' | 'server';
  /** The connection of that side. */
  readonly wire: object;
  readonly what: 'says' | 'hears' | 'ends';
  /** Undefined for `ends`. */
  readonly message: WireMessage | undefined;
  /** Milliseconds since 1970, by the server's clock. Undefined for the client. */
  readonly at: number | undefined;
}

const read = (text: string): WireMessage => JSON.parse(text) as WireMessage;

/** The decoded message; undefined for a batch or an invalid one. */
function messageOf(decoded: Decoded | UncheckedResponse): WireMessage | undefined {
  if (decoded.kind === 'batch' || decoded.kind === 'refusal') return undefined;
  return decoded.message as WireMessage;
}

function watchServers(tell: (event: WireEvent) => void): Undo {
  return watchMethod(ServerCore, 'connect', (server, next, outlet, options) => {
    // An HTTP session is an object of a class; a pipe is a literal.
    if (Object.getPrototypeOf(outlet) !== Object.prototype) return next(outlet, options);
    const wire = {};
    const event = (what: WireEvent['what'], message?: WireMessage): void => tell({ side: 'server', wire, what, message, at: server.clock.now() });
    const peer: ServedClient = next({
      ...outlet,
      send(text, message) {
        event('says', read(text));
        outlet.send(text, message);
      },
      answer(text, ...rest) {
        if (text !== undefined) event('says', read(text));
        outlet.answer(text, ...rest);
      },
    }, options);
    const { receive, close } = peer;
    const own: Pick<ServedClient, 'receive' | 'close'> = {
      receive(decoded, other) {
        const message = messageOf(decoded);
        if (message) event('hears', message);
        Reflect.apply(receive, peer, [decoded, other]);
      },
      close(...why) {
        event('ends');
        Reflect.apply(close, peer, why);
      },
    };
    return Object.assign(peer, own);
  });
}

function watchClients(tell: (event: WireEvent) => void): Undo {
  return watchMethod(ClientCore, 'connect', (_client, next, transport) => {
    const wire = {};
    const event = (what: WireEvent['what'], message?: WireMessage): void => tell({ side: 'client', wire, what, message, at: undefined });
    const watched: ClientTransport = {
      ...transport,
      open: (receiver) => transport.open({
        ...receiver,
        message(decoded) {
          const message = messageOf(decoded);
          if (message) event('hears', message);
          receiver.message(decoded);
        },
        closed(...why) {
          event('ends');
          receiver.closed(...why);
        },
      }),
      send(text, message) {
        event('says', read(text));
        transport.send(text, message);
      },
      close() {
        event('ends');
        return transport.close();
      },
    };
    return next(watched);
  });
}

/** Reports every message of every pipe opened meanwhile, on both sides. */
export function watchWires(tell: (event: WireEvent) => void): Undo {
  const undo = [watchServers(tell), watchClients(tell)];
  return () => undo.forEach((one) => one());
}
