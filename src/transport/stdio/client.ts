import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable } from 'node:stream';
import { peerBudget } from '../../bounds/budget.ts';
import { systemClock } from '../../bounds/clock.ts';
import type { Clock, Timer } from '../../bounds/clock.ts';
import { Faults } from '../../bounds/faults.ts';
import { checkOptions } from '../../bounds/options.ts';
import { quote } from '../../bounds/quote.ts';
import { beginReading, othersFirst, readEnough } from '../../bounds/reading.ts';
import { decode } from '../../jsonrpc/message.ts';
import { ConnectionError, toError } from '../../jsonrpc/errors.ts';
import type { ClientReceiver, ClientTransport } from '../client-port.ts';
import type { Trace } from '../trace.ts';
import { forget, keepUntilExit, safeEnvironment, signalTree } from './processes.ts';
import { readMessages } from './reading.ts';
import type { StreamReading } from './reading.ts';
import { lineWriter, within } from './writer.ts';
import type { LineWriter } from './writer.ts';

/** The options of `stdioTransport`. */
export interface StdioTransportOptions {
  readonly cwd?: string | undefined;
  /** Added to the inherited variables HOME, LOGNAME, PATH, SHELL, TERM and USER (on Windows to similar ones). */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Called with each line that the server writes to stderr. It need not be an error. */
  readonly onStderr?: ((line: string) => void) | undefined;
  /** Called with each message; `sent`: from the client. */
  readonly trace?: Trace | undefined;
  /**
   * Milliseconds for the server to exit after its stdin is closed; then it gets SIGTERM. 2000.
   */
  readonly graceMs?: number | undefined;
  /** Milliseconds from SIGTERM to SIGKILL. 2000. */
  readonly termMs?: number | undefined;
  /** Bytes of one message; a longer one is refused. 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Milliseconds that a server may leave more than 1 MiB of responses to its own requests unread; then it is stopped.
   * Meanwhile nothing is read from the server. 30,000.
   */
  readonly stallMs?: number | undefined;
  /**
   * Bytes that may arrive without a valid message; each line adds 100. Then the server is stopped. 256 MiB.
   */
  readonly maxNoiseBytes?: number | undefined;
  /** Default: the clock of the runtime. */
  readonly clock?: Clock | undefined;
}

/** Characters of responses that may wait for a server that does not read. */
const maxOwed = 1_048_576;

/** The options, with defaults. */
interface Running extends StdioTransportOptions {
  readonly command: string;
  readonly clock: Clock;
  readonly graceMs: number;
  readonly termMs: number;
  readonly stallMs: number;
}

/** One process of the server. */
class ChildRun {
  readonly #how: Running;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly writer: LineWriter;
  readonly #reading: StreamReading;
  readonly #faults: Faults;
  /** Returns the last lines of stderr. */
  readonly #lastLines: () => string;
  /** Resolves when the program has exited. Programs that it started may still run, and keep its pipes open. */
  readonly #exited: Promise<void>;
  /** Resolves when the program has exited and its pipes are closed. */
  readonly over: Promise<void>;
  /** True if the program still ran `graceMs` after its stdin was closed, and got SIGTERM. */
  #told = false;
  /** Characters of our responses that wait because stdin is full. Our own requests are not counted. */
  #owed = 0;
  /** The timer of `stallMs`, while we do not read from the server because it does not read. */
  #stall: Timer | undefined;
  /** Why we stop the server; undefined: it exited by itself, or the transport was closed. */
  #fault: string | undefined;
  #stopping: Promise<void> | undefined;

  constructor(how: Running, child: ChildProcessWithoutNullStreams, to: ClientReceiver) {
    const budget = peerBudget();
    const stop = (): void => void this.stop();
    this.#how = how;
    this.#child = child;
    this.#faults = new Faults((error) => to.error(error), how.clock);
    this.writer = lineWriter(child.stdin, () => this.#unstall(), budget);
    this.#reading = readMessages(child.stdout, {
      trace: how.trace, clock: how.clock, budget, decode, maxMessageBytes: how.maxMessageBytes, maxNoiseBytes: how.maxNoiseBytes,
      message: (decoded, text) => {
        // Most likely a log line: show its text, so that the server's author finds its source.
        if (text !== undefined && decoded.kind === 'refusal' && decoded.id === null) {
          this.#faults.add(() => noMessage(how.command, text));
        } else to.message(decoded);
      },
      // 2025-11-25 basic/lifecycle#shutdown: a server may begin the shutdown by closing its output.
      end: stop,
      noisy: (why) => this.#end(why),
    });
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    this.over = new Promise((resolve) => child.once('close', () => resolve()));
    child.stdin.on('error', stop);
    void this.#exited.then(stop);
    this.#lastLines = stderrLines(child.stderr, how.clock, how.onStderr);
    void this.over.then(() => this.#clean());
  }

  #clean(): void {
    this.#reading.stop();
    this.writer.close();
    this.#faults.end();
    this.#stall?.stop();
    // No process of the group may stay, not even one that has closed the pipes.
    signalTree(this.#child, 'SIGKILL');
    forget(this.#child);
  }

  /**
   * Counts a response that waits because stdin is full. Above `maxOwed` we stop reading from the server, so that a server
   * that sends requests and does not read cannot fill our memory. Not earlier, because a server whose stdout is full may be
   * waiting for us to read.
   */
  owe(length: number): void {
    const { clock, stallMs } = this.#how;
    this.#owed += length;
    if (this.#owed <= maxOwed || this.#stall !== undefined) return;
    this.#reading.pause(true);
    this.#stall = clock.after(stallMs, () => this.#end(`it read none of the answers to its own requests within ${stallMs} ms`));
  }

  #unstall(): void {
    this.#owed = 0;
    if (this.#stall === undefined) return;
    this.#stall?.stop();
    this.#stall = undefined;
    this.#reading.pause(false);
  }

  #end(fault: string): void {
    this.#fault = fault;
    void this.stop();
  }

  /** 2025-11-25 basic/lifecycle#shutdown: close stdin, wait, SIGTERM, wait, SIGKILL. Signals go to the whole process group. */
  stop(): Promise<void> {
    return this.#stopping ??= this.#stepByStep();
  }

  async #stepByStep(): Promise<void> {
    const child = this.#child;
    const { clock, graceMs, termMs } = this.#how;
    void this.writer.flush();
    child.stdin.end();
    await within(clock, graceMs, this.#exited);
    this.#told = child.exitCode === null && child.signalCode === null;
    signalTree(child, 'SIGTERM');
    await within(clock, termMs, this.over);
    signalTree(child, 'SIGKILL');
    // A process that has left the group may keep the pipes open.
    child.stdout.destroy();
    child.stderr.destroy();
    await this.over;
  }

  /** The reason of the end, as a message for people. */
  ending(): string {
    const { exitCode, signalCode } = this.#child;
    const how = signalCode === null ? `exited with code ${exitCode}` : `was ended by ${signalCode}`;
    const why = this.#fault !== undefined ? `the server was ended: ${this.#fault}`
      : this.#told ? `the server closed its streams, kept running, and ${how}` : `the server ${how}`;
    const said = this.#lastLines();
    return said === '' ? why : `${why}; its last lines on stderr:\n${said}`;
  }
}

/** Starts the program. Rejects if that fails. */
async function start(command: string, args: readonly string[], options: StdioTransportOptions): Promise<ChildProcessWithoutNullStreams> {
  // Imported here and not above, because a server that imports this file for `serveStdio` starts 4 ms faster without it.
  const { spawn } = await import('node:child_process');
  const { cwd } = options;
  const env = safeEnvironment(options.env);
  const windows = process.platform === 'win32' ? await import('./windows.ts') : undefined;
  let how: ReturnType<NonNullable<typeof windows>['spawnOnWindows']>;
  try {
    how = windows?.spawnOnWindows(command, args, env, cwd) ?? { command, args, options: { env, cwd, detached: true } };
  } catch (thrown) {
    throw cannotStart(command, cwd, toError(thrown));
  }
  const child = spawn(how.command, how.args, how.options);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    // The listener also ignores later errors, such as a failed kill: `ending` tells more.
    child.on('error', (error) => reject(cannotStart(command, cwd, error)));
  });
  keepUntilExit(child, windows?.killer(child));
  return child;
}

/**
 * A transport that starts a server and exchanges messages over its standard streams. The program is started directly,
 * without a shell, in a new process group. The whole group is stopped when the transport is closed, and when this
 * process exits (not when it is killed; then the server sees the end of stdin). On Windows a batch file such as
 * `npx.cmd` runs in cmd.exe, arguments that a batch file cannot receive are refused, and the program is stopped with all
 * its child processes. 2026-07-28 basic/transports/stdio.
 *
 * stdout is read even while stdin is full: otherwise both sides could wait for each other to read.
 */
export function stdioTransport(
  command: string,
  args: readonly string[] = [],
  options: StdioTransportOptions = {},
): ClientTransport {
  checkOptions('stdioTransport: command', command, 'string');
  checkOptions('stdioTransport: args', args, 'list');
  checkOptions('stdioTransport: options', options, {
    cwd: 'string', env: 'object', onStderr: 'function', trace: 'function', graceMs: 0, termMs: 0, maxMessageBytes: 0, stallMs: 0, maxNoiseBytes: 0, clock: 'object',
  });
  const { trace, graceMs = 2000, termMs = 2000, stallMs = 30_000, clock = systemClock } = options;
  const how: Running = { ...options, command, clock, graceMs, termMs, stallMs };
  let receiver: ClientReceiver | undefined;
  let run: ChildRun | undefined;
  let starting: Promise<void> = Promise.resolve();
  let leaving: Promise<void> = Promise.resolve();

  async function begin(to: ClientReceiver): Promise<void> {
    const mine = run = new ChildRun(how, await start(command, args, options), to);
    void mine.over.then(() => {
      if (run !== mine) return;
      run = undefined;
      to.closed(mine.ending());
    });
  }

  async function close(): Promise<void> {
    await starting.catch(() => undefined);
    if (run !== undefined) {
      leaving = run.stop();
      run = undefined;
    }
    await leaving;
  }

  return {
    kind: 'pipe',
    async open(to) {
      if (receiver !== undefined) throw new Error('The stdio transport has been opened before; use reopen()');
      receiver = to;
      await (starting = begin(to));
    },
    send(text, message) {
      if (run === undefined) {
        if (message?.id === undefined) return;
        return receiver?.failed(message.id, new ConnectionError('closed', `${command}: the server is not running`));
      }
      trace?.({ direction: 'sent', text, at: clock.now() });
      run.writer.write(text);
      // Only a response comes without `message`.
      if (message === undefined && run.writer.full) run.owe(text.length);
    },
    async reopen() {
      if (receiver === undefined) throw new Error('The stdio transport has not been opened');
      await close();
      await (starting = begin(receiver));
    },
    close,
  };
}

function cannotStart(command: string, cwd: string | undefined, error: NodeJS.ErrnoException): Error {
  const where = cwd === undefined ? '' : ` in ${cwd}`;
  const why = error.code === 'ENOENT'
    ? `there is no such program or directory${/\s/.test(command) ? '; arguments belong in the list of arguments, not in the command' : ''}` : error.message;
  return new ConnectionError(
    'closed', `Could not start ${JSON.stringify(command)}${where}: ${why}`, { cause: error },
  );
}

function noMessage(command: string, line: string): Error {
  return new Error(`${command} wrote a line to stdout that is not a message: ${quote(line, 500)}`);
}

/** The characters of one line of stderr (longer lines are split), and the number of last lines to keep. */
const maxLine = 4096;
const maxKept = 20;

/** Calls `onLine` with each line of stderr. Returns a function that returns the last lines. */
export function stderrLines(stream: Readable, clock: Clock, onLine?: (line: string) => void): () => string {
  const kept: string[] = [];
  let rest = '';

  function emit(line: string): void {
    for (; line.length > maxLine; line = line.slice(maxLine)) emit(line.slice(0, maxLine));
    kept.push(line);
    if (kept.length > maxKept) kept.shift();
    onLine?.(line);
  }

  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    beginReading(clock);
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) emit(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (rest.length > maxLine) {
      emit(rest);
      rest = '';
    }
    if (!readEnough(clock)) return;
    stream.pause();
    othersFirst(clock, () => stream.resume());
  });
  stream.on('end', () => {
    if (rest !== '') emit(rest);
    rest = '';
  });
  return () => kept.join('\n');
}
