/**
 * `barewire/message-port`: `serveMessagePort`, `messagePortTransport`.
 *
 * @module
 */

import { openThingBytes, peerBudget } from '../jsonrpc/budget.ts';
import { decode, decodeValue } from '../jsonrpc/codec.ts';
import { ConnectionError } from '../jsonrpc/errors.ts';
import type { Decoded } from '../jsonrpc/message.ts';
import { pipeOutlet } from '../jsonrpc/outlet.ts';
import type { Auth, ClientReceiver, ClientTransport, ServerPort, Trace } from './port.ts';

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
}

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

/** We send JSON text. Others may post the message as it is: it meets the same limits. */
function read(data: unknown): Decoded {
  return typeof data === 'string' || data instanceof Uint8Array ? decode(data) : decodeValue(data);
}

const textOf = (data: unknown): string => (typeof data === 'string' ? data : '(not text)');

/** Characters that are said before the messages that follow wait for the next turn of the event loop. */
const enoughSaid = 1024 * 1024;

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
  const { trace } = options;
  let receiver: ClientReceiver | undefined;
  let detach: (() => void) | undefined;

  return {
    kind: 'pipe',
    async open(to) {
      if (receiver !== undefined) throw new Error('The port has been opened before');
      receiver = to;
      detach = attach(port, (data) => {
        trace?.({ direction: 'received', text: textOf(data), at: Date.now() });
        to.message(read(data));
      }, () => {
        detach?.();
        detach = undefined;
        to.closed('the server closed its port');
      });
    },
    send(text, message) {
      if (detach === undefined) {
        if (message?.id !== undefined) {
          receiver?.failed(message.id, new ConnectionError('closed', 'the port is closed'));
        }
        return;
      }
      trace?.({ direction: 'sent', text, at: Date.now() });
      port.postMessage(text);
    },
    async close() {
      detach?.();
      detach = undefined;
    },
  };
}

/** Serves the client at the other end of a port, in every revision. */
export function serveMessagePort(
  server: ServerPort,
  port: MessagePortLike,
  options: MessagePortOptions = {},
): MessagePortServing {
  const { trace, auth } = options;
  const budget = peerBudget();
  let open = true;
  /** Characters since the last pause, and the pause that ends this turn. */
  let said = 0;
  let pause: ReturnType<typeof setTimeout> | undefined;
  /** A runtime hands over a thousand messages in one turn: those that wait for the next one. */
  let waiting: unknown[] = [];
  const say = (text: string): void => {
    if (!open) return;
    said += text.length;
    if (said > enoughSaid && pause === undefined && typeof setTimeout === 'function') pause = setTimeout(resume);
    trace?.({ direction: 'sent', text, at: Date.now() });
    port.postMessage(text);
  };
  const peer = server.connect(pipeOutlet(say, room), { auth, modern: true, budget, lost: finish });
  let resolveClosed: () => void;
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });

  function receive(data: unknown): void {
    trace?.({ direction: 'received', text: textOf(data), at: Date.now() });
    peer.receive(read(data));
  }

  /** Bytes of memory that a message takes while it waits, as far as that is known. */
  const weight = (data: unknown): number => openThingBytes + (typeof data === 'string' ? data.length : 0);

  /** In this turn. What may be lost is, once enough was said. */
  function room(_length: number, mayBeLost: boolean = false): boolean {
    return !mayBeLost || pause === undefined;
  }

  function resume(): void {
    said = 0;
    pause = undefined;
    let taken = 0;
    for (const data of waiting) {
      if (pause !== undefined) break;
      taken++;
      budget.release(weight(data));
      receive(data);
    }
    waiting = waiting.slice(taken);
    if (waiting.length > 0) pause ??= setTimeout(resume);
  }

  /** What comes after long answers waits, so that others have their turn; what may not be held is not put off. */
  function take(data: unknown): void {
    if (pause !== undefined && open && budget.charge(weight(data))) waiting.push(data);
    else receive(data);
  }

  function finish(why: string): void {
    if (!open) return;
    open = false;
    detach();
    peer.close(why);
    if (pause !== undefined) clearTimeout(pause);
    for (const data of waiting) budget.release(weight(data));
    waiting = [];
    resolveClosed();
  }

  const detach = attach(port, take, () => finish('the client closed its port'));

  return { closed, close: () => finish('the server was closed') };
}
