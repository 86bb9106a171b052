import type { Readable, Writable } from 'node:stream';
import type { GaugedPeer } from '../../bounds/gauges.ts';
import { checkOptions } from '../../bounds/options.ts';
import { peerBudget } from '../../bounds/budget.ts';
import { decodeUnchecked } from '../../jsonrpc/codec.ts';
import type { Outlet } from '../../jsonrpc/inbound-request.ts';
import type { ServerPort } from '../server-port.ts';
import type { Trace } from '../trace.ts';
import { readMessages } from './reading.ts';
import { lineWriter, within } from './writer.ts';

/** What `serveStdio` may be given. The process's own stdin and stdout, where no streams are given. */
export interface ServeStdioOptions {
  /** Sees each message as it passes: `received` is what the client said. */
  readonly trace?: Trace | undefined;
  /** Bytes of one message; a longer one is refused. 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Bytes that may come without a message among them, each line counted as 100 more; then serving ends. 256 MiB.
   */
  readonly maxNoiseBytes?: number | undefined;
  /** Milliseconds that requests in flight may go on once stdin has ended; then they are aborted. 5000. */
  readonly drainMs?: number | undefined;
  /**
   * Milliseconds after which the process is ended, once serving is over, if something (a timer, a socket)
   * keeps it alive. Nothing waits for it otherwise. 0: never. 1000. Only where stdin is the process's own.
   */
  readonly exitMs?: number | undefined;
  /**
   * Whether `console.log` and whatever else writes to `process.stdout` goes to stderr while serving, since
   * stdout carries messages and nothing else. True. Only where stdout is the process's own.
   */
  readonly console?: boolean | undefined;
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
}

/** Characters of a message that not every client takes. */
const largeMessage = 10_485_760;

/** A server that listens on a pair of streams. */
export interface StdioServing {
  /** Resolves once serving is over and everything has been written. Never rejects. */
  readonly closed: Promise<void>;
  /**
   * Stops reading, aborts what is in flight, writes out what was said,
   * and gives the console back. Ends no process.
   */
  close(): Promise<void>;
  /** For `gauges`: the one client. */
  readonly peers: () => Iterable<GaugedPeer>;
}

/**
 * Serves one client over the standard streams of this process. 2026-07-28 basic/transports/stdio.
 *
 * The end of stdin is the end of the session: requests in flight are answered (for `drainMs`), then aborted;
 * the process then ends by itself. SIGTERM and SIGINT abort at once, and a second one ends the process as if
 * nobody listened. A client that no longer reads ends the session quietly.
 * While stdout is full, stdin is not read: a client that reads slowly is served slowly, and costs no memory.
 * Long function: its short functions share the streams and the phase of one connection.
 */
export function serveStdio(server: ServerPort, options: ServeStdioOptions = {}): StdioServing {
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
    noisy: (why) => void finish(`the client was given up: ${why}`),
  });

  function onInputEnd(): void {
    // A subscription is a request that is never answered: it must not hold up the end.
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
    // The timer itself holds nothing: a process that has nothing left to do ends before it.
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
      // Given back here only: when the client ends the session,
      // it may still read what comes after the last message.
      restoreConsole?.();
    },
  };
}

/**
 * Sends to stderr what the program writes to stdout. Node's console writes through `process.stdout.write`,
 * and so do streams that are piped into it; other runtimes have a console of their own, whose methods are
 * replaced. Returns what undoes it. Writes to file descriptor 1, and children that
 * inherit it, pass by unseen.
 */
function divertConsole(): () => void {
  const { write } = process.stdout;
  const { log, info, debug } = console;
  console.log = console.info = console.debug = console.error;
  process.stdout.write = (...args: unknown[]): boolean => {
    Reflect.apply(process.stderr.write, process.stderr, args);
    // Never "full": a pipe into stdout would wait for a drain that stdout never announces.
    return true;
  };
  return () => {
    process.stdout.write = write;
    Object.assign(console, { log, info, debug });
  };
}
