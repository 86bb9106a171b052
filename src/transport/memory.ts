/**
 * `barewire/memory`: `memoryTransport`: client and server in one process.
 *
 * @module
 */

import { checkOptions } from '../bounds/options.ts';
import { decode, decodeUnchecked } from '../jsonrpc/message.ts';
import { ConnectionError } from '../jsonrpc/errors.ts';
import { pipeOutlet } from '../jsonrpc/inbound-request.ts';
import type { Auth } from './auth.ts';
import type { ClientReceiver, ClientTransport } from './client-port.ts';
import type { ServedClient, ServerPort } from './server-port.ts';
import type { Trace } from './trace.ts';

/** The options of `memoryTransport`. */
export interface MemoryOptions {
  /** Called with each message. `sent` is from the client to the server. */
  readonly trace?: Trace | undefined;
  /** The authenticated client, for handlers that read `ctx.auth`. */
  readonly auth?: Auth | undefined;
}

const now = Promise.resolve();

/**
 * Connects a client to a server in the same program, for tests and for embedding. Messages pass as JSON text
 * and are decoded on arrival, so a value that a pipe could not carry does not pass either. Each message arrives in
 * a separate microtask, in order: neither side is ever called from inside its own `send`.
 * `close` ends the channel after the messages sent before it; `reopen` gives the server a new peer.
 */
export function memoryTransport(server: ServerPort, options: MemoryOptions = {}): ClientTransport {
  checkOptions('memoryTransport: server', server, 'object');
  checkOptions('memoryTransport: options', options, { trace: 'function', auth: 'object' });
  const { trace, auth } = options;
  const { clock } = server;
  let receiver: ClientReceiver | undefined;
  let peer: ServedClient | undefined;

  function connect(to: ClientReceiver): void {
    const deliver = (text: string): void => {
      now.then(() => {
        // Messages of an earlier peer, from before a close or a reopen, are dropped.
        if (peer !== mine) return;
        trace?.({ direction: 'received', text, at: clock.now() });
        to.message(decode(text));
      });
    };
    const mine = peer = server.connect(pipeOutlet(deliver), {
      auth, modern: true, sole: true,
      onSilent: (why) => {
        if (peer !== mine) return;
        peer = undefined;
        to.closed(`the server has ended the connection: ${why}`);
      },
    });
  }

  async function disconnect(): Promise<void> {
    const leaving = peer;
    await now;
    if (peer === leaving) peer = undefined;
    leaving?.close('the client closed the connection');
  }

  return {
    kind: 'pipe',
    async open(to) {
      if (peer !== undefined) throw new Error('The memory transport is open already');
      receiver = to;
      connect(to);
    },
    send(text, message) {
      const to = peer;
      if (to === undefined) {
        if (message?.id !== undefined) receiver?.failed(message.id, notOpen());
        return;
      }
      trace?.({ direction: 'sent', text, at: clock.now() });
      now.then(() => to.receive(decodeUnchecked(text)));
    },
    async reopen() {
      if (receiver === undefined) throw notOpen();
      await disconnect();
      connect(receiver);
    },
    close: disconnect,
  };
}

const notOpen = (): Error => new ConnectionError('closed', 'the connection is not open');
