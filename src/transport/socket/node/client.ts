import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { peerBudget } from '../../../bounds/budget.ts';
import { systemClock } from '../../../bounds/clock.ts';
import type { Clock, Timer } from '../../../bounds/clock.ts';
import { checkOptions } from '../../../bounds/options.ts';
import { decode } from '../../../jsonrpc/message.ts';
import { ConnectionError } from '../../../jsonrpc/errors.ts';
import type { ClientReceiver, ClientTransport } from '../../client-port.ts';
import { readMessages } from '../../stdio/reading.ts';
import type { StreamReading } from '../../stdio/reading.ts';
import { lineWriter, within } from '../../stdio/writer.ts';
import type { LineWriter } from '../../stdio/writer.ts';
import type { Trace } from '../../trace.ts';
import { checkPath, checkServed } from './socket-path.ts';

/** The options of `socketTransport`. */
export interface SocketTransportOptions {
  /** Called with each message; `sent`: from the client. */
  readonly trace?: Trace | undefined;
  /** Bytes of one message; a longer one is refused. 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Bytes that may arrive without a valid message; each line adds 100. Then the connection is closed. 256 MiB. */
  readonly maxNoiseBytes?: number | undefined;
  /** The user id that must own the socket. Default: the user of this process. A socket of another user is refused. */
  readonly owner?: number | undefined;
  /** Milliseconds for the server to answer requests in flight after this side has ended. 2000. */
  readonly graceMs?: number | undefined;
  /**
   * Milliseconds that a server may leave more than 1 MiB of responses to its own requests unread; then the connection is
   * closed. Meanwhile nothing is read from the server. 30,000.
   */
  readonly stallMs?: number | undefined;
  /** Default: the clock of the runtime. */
  readonly clock?: Clock | undefined;
}

/** Characters of responses that may wait for a server that does not read. */
const maxOwed = 1_048_576;

/** The options, with defaults. */
interface How extends SocketTransportOptions {
  readonly graceMs: number;
  readonly stallMs: number;
  readonly clock: Clock;
}

/** One connection to a server. */
class SocketConnection {
  readonly #how: How;
  readonly #socket: Socket;
  readonly #reading: StreamReading;
  readonly writer: LineWriter;
  /** Resolves when the socket is closed. */
  readonly over: Promise<void>;
  /** The reason of the close. */
  why = 'the server closed the connection';
  #owed = 0;
  #stall: Timer | undefined;

  constructor(how: How, socket: Socket, to: ClientReceiver) {
    const { clock, trace, maxMessageBytes, maxNoiseBytes } = how;
    const budget = peerBudget();
    this.#how = how;
    this.#socket = socket;
    this.writer = lineWriter(socket, () => this.#unstall(), budget);
    this.#reading = readMessages(socket, {
      trace, clock, budget, decode, maxMessageBytes, maxNoiseBytes,
      message: (decoded) => to.message(decoded),
      end: () => void this.end(),
      noisy: (why) => this.#giveUp(why),
    });
    socket.on('error', (error) => {
      this.why = `the connection failed: ${error.message}`;
    });
    this.over = new Promise((resolve) => socket.once('close', () => {
      this.#reading.stop();
      this.writer.close();
      this.#stall?.stop();
      resolve();
    }));
  }

  /** Counts a response that waits because the server does not read. Above `maxOwed` we stop reading from it, as over stdio. */
  owe(length: number): void {
    const { clock, stallMs } = this.#how;
    this.#owed += length;
    if (this.#owed <= maxOwed || this.#stall !== undefined) return;
    this.#reading.pause(true);
    this.#stall = clock.after(stallMs, () => this.#giveUp(`it read none of the answers to its own requests within ${stallMs} ms`));
  }

  #unstall(): void {
    this.#owed = 0;
    if (this.#stall === undefined) return;
    this.#stall.stop();
    this.#stall = undefined;
    this.#reading.pause(false);
  }

  #giveUp(why: string): void {
    this.why = `the server was disconnected: ${why}`;
    this.#socket.destroy();
  }

  /** Ends this side; closes the connection when the other side has ended too, or after `graceMs`. */
  async end(): Promise<void> {
    void this.writer.flush();
    this.#socket.end();
    await within(this.#how.clock, this.#how.graceMs, this.over);
    this.#socket.destroy();
    await this.over;
  }
}

/**
 * Connects a client to a server on a Unix socket or a named pipe. Refuses a path that is a symbolic link, and a socket of
 * another user, because that user could read the client's messages.
 * Long function: its short methods share the receiver and the connection.
 */
export function socketTransport(path: string, options: SocketTransportOptions = {}): ClientTransport {
  checkOptions('socketTransport: path', path, 'string');
  checkOptions('socketTransport: options', options, {
    trace: 'function', maxMessageBytes: 0, maxNoiseBytes: 0, owner: 'number', graceMs: 0, stallMs: 0, clock: 'object',
  });
  checkPath('socketTransport', path);
  const { trace, graceMs = 2000, stallMs = 30_000, clock = systemClock } = options;
  const how: How = { ...options, graceMs, stallMs, clock };
  let receiver: ClientReceiver | undefined;
  let connection: SocketConnection | undefined;
  let starting: Promise<void> = Promise.resolve();
  let leaving: Promise<void> = Promise.resolve();

  async function begin(to: ClientReceiver): Promise<void> {
    let socket: Socket;
    try {
      socket = await openSocket(path, options.owner);
    } catch (thrown) {
      throw new ConnectionError('closed', `Could not connect to ${JSON.stringify(path)}: ${(thrown as Error).message}`, { cause: thrown });
    }
    const mine = connection = new SocketConnection(how, socket, to);
    void mine.over.then(() => {
      if (connection !== mine) return;
      connection = undefined;
      to.closed(mine.why);
    });
  }

  async function close(): Promise<void> {
    await starting.catch(() => undefined);
    if (connection !== undefined) {
      leaving = connection.end();
      connection = undefined;
    }
    await leaving;
  }

  return {
    kind: 'pipe',
    async open(to) {
      if (receiver !== undefined) throw new Error('The socket transport has been opened before; use reopen()');
      receiver = to;
      await (starting = begin(to));
    },
    send(text, message) {
      if (connection === undefined) {
        if (message?.id !== undefined) receiver?.failed(message.id, new ConnectionError('closed', 'the connection is closed'));
        return;
      }
      trace?.({ direction: 'sent', text, at: clock.now() });
      connection.writer.write(text);
      // Only a response comes without `message`.
      if (message === undefined && connection.writer.full) connection.owe(text.length);
    },
    async reopen() {
      if (receiver === undefined) throw new Error('The socket transport has not been opened');
      await close();
      await (starting = begin(receiver));
    },
    close,
  };
}

/**
 * Connects to a socket or a named pipe. Rejects for paths that `socketTransport` refuses. If the other side ends, our side stays open.
 */
export async function openSocket(path: string, owner?: number): Promise<Socket> {
  checkPath('openSocket', path);
  await checkServed(path, owner);
  return connected(path);
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
