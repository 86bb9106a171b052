import { systemClock } from '../../bounds/clock.ts';
import type { Timer } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import { decode } from '../../jsonrpc/message.ts';
import { ConnectionError } from '../../jsonrpc/errors.ts';
import type { ClientReceiver, ClientTransport } from '../client-port.ts';
import type { SerialChannel } from './channel.ts';
import { serialMessages } from './messages.ts';
import type { SerialOptions } from './messages.ts';

/** The options of `serialTransport`. */
export interface SerialTransportOptions extends SerialOptions {
  /** Milliseconds that opening a link may take, for example while the device starts. 30,000. */
  readonly openMs?: number | undefined;
}

/**
 * Connects a client to the server at the other end of a wire. With `frames` a call fails only when the link is reset;
 * the next request opens a session in the new link. A wire that was closed cannot be opened again.
 * Long function: its short functions share the state of one link.
 */
export function serialTransport(channel: SerialChannel, options: SerialTransportOptions = {}): ClientTransport {
  checkOptions('serialTransport: options', options, {
    framing: 'function', trace: 'function', maxMessageBytes: 'number', maxWaitingBytes: 'number', clock: 'object', openMs: 0,
  });
  const { clock = systemClock, openMs = 30_000 } = options;
  let receiver: ClientReceiver | undefined;
  let state: 'waiting' | 'new' | 'used' | 'gone' = 'waiting';
  let waiter: { opened(): void; failed(error: Error): void } | undefined;

  const messages = serialMessages(channel, options, {
    side: 'client', clock,
    opened() {
      state = 'new';
      waiter?.opened();
    },
    line: (text) => receiver?.message(decode(text)),
    refused: (refusal) => receiver?.message(refusal),
    lost(why) {
      const used = state === 'used';
      state = 'waiting';
      if (used) receiver?.closed(why);
    },
    gone(why) {
      const used = state === 'used';
      end();
      waiter?.failed(new ConnectionError('closed', why));
      if (used) receiver?.closed(why);
    },
  });

  function end(): void {
    state = 'gone';
    void messages.close();
  }

  /** Resolves when a link is open. */
  async function linked(): Promise<void> {
    if (state === 'gone') throw new ConnectionError('closed', 'the wire was closed');
    if (state !== 'new') {
      let timer: Timer | undefined;
      await new Promise<void>((opened, failed) => {
        waiter = { opened, failed };
        timer = clock.after(openMs, () => failed(new ConnectionError('closed', `the other side of the wire did not answer within ${openMs} ms`)));
      }).finally(() => {
        waiter = undefined;
        timer?.stop();
      });
    }
    state = 'used';
  }

  return {
    kind: 'pipe',
    async open(to) {
      if (receiver !== undefined) throw new Error('The wire has been opened before; use reopen()');
      receiver = to;
      messages.open();
      await linked();
    },
    send(text, message) {
      if (state === 'used') messages.send(text);
      else if (message?.id !== undefined) receiver?.failed(message.id, new ConnectionError('closed', 'the link is not open'));
    },
    async reopen() {
      if (state === 'used') {
        state = 'waiting';
        messages.reset();
      }
      await linked();
    },
    async close() {
      state = 'gone';
      await messages.close();
    },
  };
}
