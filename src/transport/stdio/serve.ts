import type { Readable, Writable } from 'node:stream';
import type { GaugedPeer } from '../../bounds/gauges.ts';
import { checkOptions } from '../../bounds/options.ts';
import { peerBudget } from '../../bounds/budget.ts';
import { decodeUnchecked } from '../../jsonrpc/message.ts';
import type { Outlet } from '../../jsonrpc/inbound-request.ts';
import type { ServerPort } from '../server-port.ts';
import type { Trace } from '../trace.ts';
import { readMessages } from './reading.ts';
import { lineWriter, within } from './writer.ts';

/** The options of `serveStdio`. `stdin` and `stdout` default to those of the process. */
export interface ServeStdioOptions {
  /** Called with each message; `received`: from the client. */
  readonly trace?: Trace | undefined;
  /** Bytes of one message; a longer one is refused. 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Bytes that may arrive without a valid message; each line adds 100. Then the session ends. 256 MiB.
   */
  readonly maxNoiseBytes?: number | undefined;
  /** Milliseconds that requests in flight may continue after stdin has ended; then they are aborted. 5000. */
  readonly drainMs?: number | undefined;
  /**
   * Milliseconds after the end of the session until `process.exit()`, if a timer or a socket keeps the process alive. 0:
   * never. 1000. Only if `stdin` is `process.stdin`.
   */
  readonly exitMs?: number | undefined;
  /**
   * Redirects `console.log` and other writes to `process.stdout` to stderr while serving, because stdout must have only
   * messages. Default: true. Only if `stdout` is `process.stdout`.
   */
  readonly console?: boolean | undefined;
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
}

/** Characters: above this, some clients refuse a message. */
const largeMessage = 10_485_760;

/** A server on a pair of streams. */
export interface StdioServing {
  /** Resolves when the session has ended and all output is written. Never rejects. */
  readonly closed: Promise<void>;
  /**
   * Stops reading, aborts requests in flight, writes all queued messages, and restores the console. Does not end the
   * process.
   */
  close(): Promise<void>;
  /** For `gauges`: the one client. */
  readonly peers: () => Iterable<GaugedPeer>;
}

/**
 * Serves one client over the standard streams of this process. 2026-07-28 basic/transports/stdio.
 *
 * The end of stdin ends the session: requests in flight may finish within `drainMs`, then they are aborted, and the
 * process exits by itself. SIGTERM and SIGINT abort at once; a second signal has its default effect. If stdout fails,
 * because the client has gone, the session ends without an error.
 * While stdout is full, stdin is not read: a client that reads slowly is served slowly, and costs no memory.
 * Long function: its short functions share the streams and the phase of one connection.
 */
export function serveStdio(server: ServerPort, options: ServeStdioOptions = {}): StdioServing {
  checkOptions('serveStdio: server', server, 'object');
  checkOptions('serveStdio: options', options, {
    trace: 'function', maxMessageBytes: 0, maxNoiseBytes: 0, drainMs: 0, exitMs: 0, console: 'boolean', stdin: 'object', stdout: 'object',
  });
  const { trace, drainMs = 5000, exitMs = 1000, stdin = process.stdin } = options;
  const { clock } = server;
  const stdout: Writable = options.stdout ?? process.stdout;
  const ownProcess = stdin === process.stdin;
  const budget = peerBudget();
  let ending: Promise<void> | undefined;
  const writer = lineWriter(stdout, () => {
    outlet.room = undefined;
    if (ending === undefined) reading.pause(false);
  }, budget, () => {
    outlet.room = writer.room;
  });
  const restoreConsole = stdout === process.stdout && options.console !== false ? divertConsole() : undefined;
  const say = (text: string): void => {
    trace?.({ direction: 'sent', text, at: clock.now() });
    if (text.length > largeMessage) warnOfSize(text.length);
    writer.write(text);
  };
  const warnOfSize = (length: number): void => peer.error?.(new Error(
    `a message of ${length} characters: the official clients close the pipe above 10 MiB`,
  ));
  const outlet: Outlet = {
    send: say,
    room: undefined,
    answer(text) {
      if (text !== undefined) say(text);
    },
  };
  const peer = server.connect(outlet, { modern: true, sole: ownProcess, budget, onSilent: (why) => void finish(why) });
  const reading = readMessages(stdin, {
    ...options, clock, budget, decode: decodeUnchecked,
    message(decoded) {
      peer.receive(decoded);
      if (writer.full) reading.pause(true);
    },
    end: onInputEnd,
    noisy: (why) => void finish(`the client was disconnected: ${why}`),
  });

  function onInputEnd(): void {
    // A subscription is a request in flight without end: it must not delay the shutdown.
    server.endSubscriptions();
    void within(clock, drainMs, peer.idle()).then(() => finish('the client closed stdin'));
    reading.stop();
  }

  function onBroken(error: Error): void {
    void finish(`a standard stream failed: ${error.message}`);
  }

  function onSignal(signal: NodeJS.Signals): void {
    process.exitCode ??= signal === 'SIGINT' ? 130 : 143;
    void finish(`the process received ${signal}`);
  }

  let resolveClosed: () => void;
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });

  function finish(why: string, exits: boolean = ownProcess): Promise<void> {
    ending ??= shutDown(why, exits);
    return ending;
  }

  async function shutDown(why: string, exits: boolean): Promise<void> {
    reading.stop();
    peer.close(why);
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    await within(clock, drainMs, writer.flush());
    writer.close();
    // The timer itself does not keep the process alive: a process that has nothing left to do exits before.
    if (exits && exitMs > 0) clock.after(exitMs, () => process.exit(), true);
    resolveClosed();
  }

  stdin.on('error', onBroken);
  stdout.on('error', onBroken);
  if (ownProcess) process.once('SIGINT', onSignal).once('SIGTERM', onSignal);

  return {
    closed,
    peers: () => [peer],
    async close() {
      await finish('the server was closed', false);
      // Restored only here: a client that has ended the session may still read stdout.
      restoreConsole?.();
    },
  };
}

/**
 * Redirects the program's output from stdout to stderr, and returns a function that undoes it. The console of Node, and
 * streams piped into stdout, call `process.stdout.write`; other runtimes have their own console, so its methods are
 * replaced too. Direct writes to file descriptor 1, and children that inherit it, are not redirected.
 */
function divertConsole(): () => void {
  const { write } = process.stdout;
  const { log, info, debug } = console;
  console.log = console.info = console.debug = console.error;
  process.stdout.write = (...args: unknown[]): boolean => {
    Reflect.apply(process.stderr.write, process.stderr, args);
    // Never false: a stream piped into stdout would wait for a `drain` event that stdout never emits.
    return true;
  };
  return () => {
    process.stdout.write = write;
    Object.assign(console, { log, info, debug });
  };
}
