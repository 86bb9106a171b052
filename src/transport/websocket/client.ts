import { peerBudget } from '../../bounds/budget.ts';
import { systemClock } from '../../bounds/clock.ts';
import type { Clock, Timer } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import { decode } from '../../jsonrpc/message.ts';
import { ConnectionError } from '../../jsonrpc/errors.ts';
import type { Decoded } from '../../jsonrpc/message.ts';
import type { ClientReceiver, ClientTransport } from '../client-port.ts';
import { SocketLink } from './link.ts';
import type { WebSocketOptions } from './link.ts';
import type { WebSocketEvent, WebSocketLike } from './socket.ts';

/** The options of `webSocketTransport`. */
export interface WebSocketTransportOptions extends WebSocketOptions {
  /** Milliseconds that the opening may take. 30,000. */
  readonly openMs?: number | undefined;
  /** Default: the clock of the runtime. */
  readonly clock?: Clock | undefined;
}

/**
 * Connects a client to a server over a WebSocket. `socket`: a function that creates a WebSocket, such as
 * `() => new WebSocket('wss://trips.example/mcp', 'mcp')`; or one WebSocket, and then the transport cannot reopen.
 * Long function: its short methods share the receiver and the link.
 */
export function webSocketTransport(
  socket: WebSocketLike | (() => WebSocketLike | Promise<WebSocketLike>), options: WebSocketTransportOptions = {},
): ClientTransport {
  checkOptions('webSocketTransport: options', options, {
    trace: 'function', maxMessageBytes: 'number', maxNoiseBytes: 'number', maxWaitingBytes: 'number', stallMs: 0, openMs: 0, clock: 'object',
  });
  const { clock = systemClock, openMs = 30_000 } = options;
  let receiver: ClientReceiver | undefined;
  let link: SocketLink<Decoded> | undefined;
  let closed = false;

  async function begin(to: ClientReceiver): Promise<void> {
    const made = typeof socket === 'function' ? await socket() : socket;
    const budget = peerBudget();
    /** The reason of the close, after the socket has closed. */
    let over: string | undefined;
    let failed: ((why: string) => void) | undefined;
    const mine = new SocketLink<Decoded>(made, options, {
      clock, budget, decode,
      message: (decoded) => to.message(decoded),
      gone(why) {
        over = why;
        failed?.(why);
        if (link !== mine) return;
        link = undefined;
        to.closed(why);
      },
    });
    try {
      await new Promise<void>((resolve, reject) => {
        failed = (why) => reject(new ConnectionError('closed', `the WebSocket could not be opened: ${why}`));
        opened(made, clock, openMs).then(resolve, reject);
      });
      if (over !== undefined) throw new ConnectionError('closed', over);
      if (closed) throw new ConnectionError('closed', 'the connection was closed');
    } catch (thrown) {
      mine.close('the client stopped waiting');
      throw thrown;
    } finally {
      failed = undefined;
    }
    link = mine;
  }

  return {
    kind: 'pipe',
    async open(to) {
      if (receiver !== undefined) throw new Error('The WebSocket transport has been opened before; use reopen()');
      receiver = to;
      await begin(to);
    },
    send(text, message) {
      if (link) link.send(text);
      else if (message?.id !== undefined) receiver?.failed(message.id, new ConnectionError('closed', 'the connection is closed'));
    },
    // A given socket cannot be opened again.
    ...typeof socket === 'function' && {
      async reopen() {
        if (receiver === undefined) throw new Error('The WebSocket transport has not been opened');
        link?.close('the client reconnects');
        link = undefined;
        await begin(receiver);
      },
    },
    async close() {
      closed = true;
      link?.close('the client closed the connection');
      link = undefined;
    },
  };
}

/** Resolves when the socket is open. Rejects if it fails, or after `openMs`. */
async function opened(socket: WebSocketLike, clock: Clock, openMs: number): Promise<void> {
  if (socket.readyState === 1) return;
  if (socket.readyState > 1) throw new ConnectionError('closed', 'the WebSocket is closed already');
  let timer: Timer | undefined;
  let stop = (): void => {};
  await new Promise<void>((resolve, reject) => {
    const fail = ({ type, message, code }: WebSocketEvent): void =>
      reject(new ConnectionError('closed', `the WebSocket could not be opened${type === 'close' ? ` (code ${code})` : message ? `: ${message}` : ''}`));
    const done = (): void => resolve();
    socket.addEventListener('open', done);
    socket.addEventListener('error', fail);
    socket.addEventListener('close', fail);
    stop = () => {
      socket.removeEventListener('open', done);
      socket.removeEventListener('error', fail);
      socket.removeEventListener('close', fail);
    };
    timer = clock.after(openMs, () => reject(new ConnectionError('closed', `the WebSocket was not open within ${openMs} ms`)));
  }).finally(() => {
    timer?.stop();
    stop();
  });
}
