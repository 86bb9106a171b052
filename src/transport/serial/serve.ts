import { checkOptions } from '../../bounds/options.ts';
import type { Shape } from '../../bounds/options.ts';
import { decodeUnchecked } from '../../jsonrpc/message.ts';
import { pipeOutlet } from '../../jsonrpc/inbound-request.ts';
import type { Auth } from '../auth.ts';
import type { ServedClient, ServerPort } from '../server-port.ts';
import type { SerialChannel } from './channel.ts';
import { serialMessages } from './messages.ts';
import type { SerialOptions } from './messages.ts';

/** The options of `serveSerial`. */
export interface ServeSerialOptions extends SerialOptions {
  /** The identity of the client in `ctx.auth`: the wire itself has no authentication. */
  readonly auth?: Auth | undefined;
}

/** A server on a wire. */
export interface SerialServing {
  /** Resolves with the reason after the wire has closed, or after `close()`. Never rejects. */
  readonly closed: Promise<string>;
  /** Ends the session and closes the wire. */
  close(): Promise<void>;
}

const shape: Shape<ServeSerialOptions> = {
  framing: 'function', trace: 'function', maxMessageBytes: 'number', maxWaitingBytes: 'number', clock: 'object', auth: 'object',
};

/**
 * Serves the client at the other end of a wire. With `frames` each link has its own session, and a client that was reset
 * begins a new one. With `lines` there is one session until the wire closes.
 *
 * Anyone who can access the wire is the client: it has no encryption and no authentication.
 */
export function serveSerial(server: ServerPort, channel: SerialChannel, options: ServeSerialOptions = {}): SerialServing {
  checkOptions('serveSerial: server', server, 'object');
  checkOptions('serveSerial: options', options, shape);
  const { auth, clock = server.clock } = options;
  let peer: ServedClient | undefined;
  let resolveClosed: (why: string) => void;
  const closed = new Promise<string>((resolve) => {
    resolveClosed = resolve;
  });

  const messages = serialMessages(channel, options, {
    side: 'server', clock,
    opened() {
      const outlet = pipeOutlet((text) => {
        // Messages of an earlier session are dropped.
        if (peer === mine) messages.send(text);
      }, messages.room);
      const mine = server.connect(outlet, {
        auth, modern: true, budget: messages.budget,
        onSilent: (why) => {
          if (peer === mine) void finish(why);
        },
      });
      peer = mine;
    },
    line: (text) => peer?.receive(decodeUnchecked(text)),
    refused: (refusal) => peer?.receive(refusal),
    lost(why) {
      const before = peer;
      peer = undefined;
      before?.close(why);
    },
    gone: (why) => void finish(why),
  });

  async function finish(why: string): Promise<void> {
    const before = peer;
    peer = undefined;
    before?.close(why);
    await messages.close();
    resolveClosed(why);
  }

  messages.open();
  return { closed, close: () => finish('the server was closed') };
}
