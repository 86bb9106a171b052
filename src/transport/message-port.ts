/**
 * `barewire/message-port`: `serveMessagePort`, `messagePortTransport`.
 *
 * @module
 */

import { systemClock } from '../bounds/clock.ts';
import type { Clock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { peerBudget } from '../bounds/budget.ts';
import { decode, decodeUnchecked, decodeValue, decodeValueUnchecked } from '../jsonrpc/codec.ts';
import { ConnectionError } from '../jsonrpc/errors.ts';
import { pipeOutlet } from '../jsonrpc/inbound-request.ts';
import type { Auth } from './auth.ts';
import type { ClientReceiver, ClientTransport } from './client-port.ts';
import type { ServerPort } from './server-port.ts';
import type { Trace } from './trace.ts';
import { readPort } from './port-reading.ts';
import type { PortReading } from './port-reading.ts';

/** What is read of the events of a port. */
export interface PortEvent {
  readonly type: string;
  readonly data?: unknown;
}

/** What is used of a port: a `MessagePort`, a `Worker`, or a worker's own global scope. */
export interface MessagePortLike {
  /** Sends one message: the text of one JSON value. */
  postMessage(message: string): void;
  /** Called for `message` and `messageerror`, and for `close` where the runtime has it. */
  addEventListener(type: string, listener: (event: PortEvent) => void): void;
  /** Takes a listener away that `addEventListener` was given. */
  removeEventListener(type: string, listener: (event: PortEvent) => void): void;
  /** A `MessagePort` holds its messages back until this is called. */
  start?(): void;
  /** Ends the port. A worker's global scope has `close` too: it ends the worker. */
  close?(): void;
}

/** What `messagePortTransport` and `serveMessagePort` may be given. */
export interface MessagePortOptions {
  /** Sees each message as it passes: `sent` is what this side said. */
  readonly trace?: Trace | undefined;
  /** For the server: who the client is, for handlers that look at `ctx.auth`. */
  readonly auth?: Auth | undefined;
  /**
   * Bytes that may come without a message among them, each malformed one counted as 100 more; then the port is
   * closed. 256 MiB.
   */
  readonly maxNoiseBytes?: number | undefined;
  /** For the client: what time it is. A server has its own. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
}

const optionsShape: Shape<MessagePortOptions> = { trace: 'function', auth: 'object', maxNoiseBytes: 'number', clock: 'object' };

/** A server that listens on a port. */
export interface MessagePortServing {
  /**
   * Resolves once the client has closed its port, where the runtime has the event `close`,
   * or `close` was called.
   */
  readonly closed: Promise<void>;
  /** Ends the client's session and closes the port. */
  close(): void;
}

/** Characters that are said before the messages that follow wait for the next turn of the event loop. */
const enoughSaid = 1_048_576;

/** Listens until the returned function is called, which closes the port. */
function attach(port: MessagePortLike, onData: (data: unknown) => void, onClosed: () => void): () => void {
  const onMessage = (event: PortEvent): void => onData(event.data);
  port.addEventListener('message', onMessage);
  port.addEventListener('close', onClosed);
  port.start?.();
  return () => {
    port.removeEventListener('message', onMessage);
    port.removeEventListener('close', onClosed);
    port.close?.();
  };
}

/**
 * Connects a client to a server behind a port: in another window, frame or worker, or in the same page. Each
 * message is one event that carries JSON text. A port that has been closed cannot be opened again.
 */
export function messagePortTransport(
  port: MessagePortLike,
  options: MessagePortOptions = {},
): ClientTransport {
  checkOptions('messagePortTransport: options', options, optionsShape);
  const { trace, maxNoiseBytes, clock = systemClock } = options;
  let receiver: ClientReceiver | undefined;
  let reading: PortReading | undefined;
  let detach: (() => void) | undefined;

  function close(): void {
    reading?.stop();
    detach?.();
    detach = undefined;
  }

  return {
    kind: 'pipe',
    async open(to) {
      if (receiver !== undefined) throw new Error('The port has been opened before');
      receiver = to;
      const gone = (why: string): void => {
        close();
        to.closed(why);
      };
      const { take, end } = reading = readPort({
        trace, maxNoiseBytes, clock,
        budget: peerBudget(),
        decode, decodeValue,
        message: (decoded) => to.message(decoded),
        givenUp: (why) => gone(`the server was given up: ${why}`),
      });
      detach = attach(port, take, () => end(() => gone('the server closed its port')));
    },
    send(text, message) {
      if (detach === undefined) {
        if (message?.id !== undefined) {
          receiver?.failed(message.id, new ConnectionError('closed', 'the port is closed'));
        }
        return;
      }
      trace?.({ direction: 'sent', text, at: clock.now() });
      port.postMessage(text);
    },
    async close() {
      close();
    },
  };
}

/** Serves the client at the other end of a port, in every revision. */
export function serveMessagePort(
  server: ServerPort,
  port: MessagePortLike,
  options: MessagePortOptions = {},
): MessagePortServing {
  checkOptions('serveMessagePort: options', options, optionsShape);
  const { trace, auth, maxNoiseBytes } = options;
  const { clock } = server;
  const budget = peerBudget();
  let open = true;
  /** Characters since reading last rested. */
  let said = 0;
  const say = (text: string): void => {
    if (!open) return;
    said += text.length;
    // What comes after long answers waits, so that others have their turn.
    if (said > enoughSaid) reading.rest();
    trace?.({ direction: 'sent', text, at: clock.now() });
    port.postMessage(text);
  };
  /** In this turn. What may be lost is, once enough was said. */
  const room = (_length: number, droppable: boolean = false): boolean => !droppable || said <= enoughSaid;
  const peer = server.connect(pipeOutlet(say, room), { auth, modern: true, budget, onSilent: finish });
  const reading = readPort({
    trace, budget, maxNoiseBytes, clock,
    decode: decodeUnchecked, decodeValue: decodeValueUnchecked,
    message: (decoded) => peer.receive(decoded),
    resumed() {
      said = 0;
    },
    givenUp: (why) => finish(`the client was given up: ${why}`),
  });
  let resolveClosed: () => void;
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });

  function finish(why: string): void {
    if (!open) return;
    open = false;
    detach();
    reading.stop();
    peer.close(why);
    resolveClosed();
  }

  const detach = attach(port, reading.take, () => reading.end(() => finish('the client closed its port')));

  return { closed, close: () => finish('the server was closed') };
}
