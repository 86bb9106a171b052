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
import { decode, decodeUnchecked, decodeValue, decodeValueUnchecked, notJson } from '../jsonrpc/message.ts';
import { ConnectionError } from '../jsonrpc/errors.ts';
import { pipeOutlet } from '../jsonrpc/inbound-request.ts';
import type { Refusal } from '../jsonrpc/message.ts';
import type { Auth } from './auth.ts';
import type { ClientReceiver, ClientTransport } from './client-port.ts';
import type { ServerPort } from './server-port.ts';
import type { Trace } from './trace.ts';
import { readPort } from './port-reading.ts';
import type { PortReading } from './port-reading.ts';

/** The members of a port's events that are read. */
export interface PortEvent {
  readonly type: string;
  readonly data?: unknown;
}

/** The members of a port that are used: of a `MessagePort`, a `Worker`, or a worker's global scope. */
export interface MessagePortLike {
  /** Sends one message: the text of one JSON value. */
  postMessage(message: string): void;
  /** Adds a listener: for `message`, `messageerror`, and `close`, an event that some runtimes do not have. */
  addEventListener(type: string, listener: (event: PortEvent) => void): void;
  /** Removes a listener that was added with `addEventListener`. */
  removeEventListener(type: string, listener: (event: PortEvent) => void): void;
  /** Starts delivery: a `MessagePort` holds its messages back until this call. */
  start?(): void;
  /** Closes the port. A worker's global scope also has `close`: there it ends the worker. */
  close?(): void;
}

/** The options of `messagePortTransport` and `serveMessagePort`. */
export interface MessagePortOptions {
  /** Called with each message. `sent` is from this side. */
  readonly trace?: Trace | undefined;
  /** For the server: the authenticated client, for handlers that read `ctx.auth`. */
  readonly auth?: Auth | undefined;
  /**
   * Bytes that may come without a valid message among them; a malformed message counts as 100 more. Then the port is
   * closed. 256 MiB.
   */
  readonly maxNoiseBytes?: number | undefined;
  /** For the client: its time and timers. A server has its own clock. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
}

const optionsShape: Shape<MessagePortOptions> = { trace: 'function', auth: 'object', maxNoiseBytes: 'number', clock: 'object' };

/** A server that listens on a port. */
export interface MessagePortServing {
  /** Resolves after `close`, or when the client closes its port, if the runtime has the event `close`. */
  readonly closed: Promise<void>;
  /** Ends the client's connection and closes the port. */
  close(): void;
}

/** Characters to send in one turn of the event loop; after that, further incoming messages wait for the next turn. */
const enoughSaid = 1_048_576;

/** In place of a message that the runtime could not deserialize: its event, `messageerror`, has no data. */
const lost = {};

/** Decodes a value, or refuses a lost message, as other transports refuse what is not JSON. */
const orLost = <D>(decodeOne: (data: unknown) => D) => (data: unknown): D | Refusal => (data === lost ? notJson('the message could not be deserialized') : decodeOne(data));

/** Listens on a port. The returned function stops that and closes the port. */
function attach(port: MessagePortLike, onData: (data: unknown) => void, onClosed: () => void): () => void {
  const onMessage = (event: PortEvent): void => onData(event.data);
  const onLost = (): void => onData(lost);
  port.addEventListener('message', onMessage);
  port.addEventListener('messageerror', onLost);
  port.addEventListener('close', onClosed);
  port.start?.();
  return () => {
    port.removeEventListener('message', onMessage);
    port.removeEventListener('messageerror', onLost);
    port.removeEventListener('close', onClosed);
    port.close?.();
  };
}

/**
 * Connects a client to a server behind a port: in another window, frame or worker, or in the same page. Each
 * message is one event with JSON text. A transport cannot be opened a second time.
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
        decode, decodeValue: orLost(decodeValue),
        message: (decoded) => to.message(decoded),
        givenUp: (why) => gone(`the server was disconnected: ${why}`),
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

/** Serves the client at the other end of a port, in every revision of the server. */
export function serveMessagePort(
  server: ServerPort,
  port: MessagePortLike,
  options: MessagePortOptions = {},
): MessagePortServing {
  checkOptions('serveMessagePort: server', server, 'object');
  checkOptions('serveMessagePort: options', options, optionsShape);
  const { trace, auth, maxNoiseBytes } = options;
  const { clock } = server;
  const budget = peerBudget();
  let open = true;
  /** Characters sent since reading last resumed. */
  let said = 0;
  const say = (text: string): void => {
    if (!open) return;
    said += text.length;
    // After long answers, further messages wait, so that other clients get a turn.
    if (said > enoughSaid) reading.rest();
    trace?.({ direction: 'sent', text, at: clock.now() });
    port.postMessage(text);
  };
  /** Whether to send a message. Droppable ones are dropped after `enoughSaid` characters in this turn. */
  const room = (_length: number, droppable: boolean = false): boolean => !droppable || said <= enoughSaid;
  const peer = server.connect(pipeOutlet(say, room), { auth, modern: true, budget, onSilent: finish });
  const reading = readPort({
    trace, budget, maxNoiseBytes, clock,
    decode: decodeUnchecked, decodeValue: orLost(decodeValueUnchecked),
    message: (decoded) => peer.receive(decoded),
    resumed() {
      said = 0;
    },
    givenUp: (why) => finish(`the client was disconnected: ${why}`),
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
