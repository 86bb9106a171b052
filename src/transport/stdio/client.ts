import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable } from 'node:stream';
import { peerBudget } from '../../bounds/budget.ts';
import { systemClock } from '../../bounds/clock.ts';
import type { Clock, Timer } from '../../bounds/clock.ts';
import { Faults } from '../../bounds/faults.ts';
import { checkOptions } from '../../bounds/options.ts';
import { quote } from '../../bounds/quote.ts';
import { beginReading, othersFirst, readEnough } from '../../bounds/reading.ts';
import { decode } from '../../jsonrpc/codec.ts';
import { ConnectionError, toError } from '../../jsonrpc/errors.ts';
import type { ClientReceiver, ClientTransport } from '../client-port.ts';
import type { Trace } from '../trace.ts';
import { forget, keepUntilExit, safeEnvironment, signalTree } from './processes.ts';
import { readMessages } from './reading.ts';
import type { StreamReading } from './reading.ts';
import { lineWriter, within } from './writer.ts';
import type { LineWriter } from './writer.ts';

/** Which program is started, and how. */
export interface StdioTransportOptions {
  readonly cwd?: string | undefined;
  /** Added to what is inherited: HOME, LOGNAME, PATH, SHELL, TERM and USER; on Windows their like. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Gets each line that the server writes to stderr. What it says need not be an error. */
  readonly onStderr?: ((line: string) => void) | undefined;
  /** Sees each message as it passes: `sent` is what the client said. */
  readonly trace?: Trace | undefined;
  /**
   * Milliseconds that the server gets to end once its stdin is closed; then it is told to (SIGTERM). 2000.
   */
  readonly graceMs?: number | undefined;
  /** Milliseconds that it then gets before it is killed (SIGKILL). 2000. */
  readonly termMs?: number | undefined;
  /** Bytes of one message; a longer one is refused. 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Milliseconds that a server may leave unread more than 1 MiB of answers to its own requests; then it is ended.
   * Meanwhile nothing is read of it. 30,000.
   */
  readonly stallMs?: number | undefined;
  /**
   * Bytes that may come without a message among them, each line counted as 100 more; then the server is ended.
   * 256 MiB.
   */
  readonly maxNoiseBytes?: number | undefined;
  /** What time it is. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
}

/** Characters of answers that may wait for a server that does not read. */
const maxOwed = 1_048_576;

/** How the server is run: the options, with defaults. */
interface Running extends StdioTransportOptions {
  readonly command: string;
  readonly clock: Clock;
  readonly graceMs: number;
  readonly termMs: number;
  readonly stallMs: number;
}

/** One run of the server. */
class ChildRun {
  readonly #how: Running;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly writer: LineWriter;
  readonly #reading: StreamReading;
  readonly #faults: Faults;
  /** Gives the last lines of its stderr. */
  readonly #lastLines: () => string;
  /** Resolves once the program has ended. Programs that it started may still run, and hold its pipes. */
  readonly #exited: Promise<void>;
  /** Resolves once the program has ended and its pipes are closed. */
  readonly over: Promise<void>;
  /** Whether the program went on after its streams were closed, and was told to end. */
  #told = false;
  /** Characters of our answers that wait since its stdin is full. Our own requests are not counted. */
  #owed = 0;
  /** Runs while the server is not read because it does not read. */
  #stall: Timer | undefined;
  /** Why we end it; undefined: it ended itself, or was closed. */
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
        // Most likely a log: its author has to see it to find where it comes from.
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
    // Nobody may stay, not even a process that has let go of the pipes.
    signalTree(this.#child, 'SIGKILL');
    forget(this.#child);
  }

  /**
   * An answer waits, since stdin is full. A server that asks and does not read our answers makes them pile up: it is not
   * read either. Not at once, since a server whose stdout is full may be waiting for us.
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

  /** 2025-11-25 basic/lifecycle#shutdown: close stdin, wait, SIGTERM, wait, SIGKILL; to the whole group. */
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
    // A process that has left the group may still hold the pipes.
    child.stdout.destroy();
    child.stderr.destroy();
    await this.over;
  }

  /** How it ended, for a person. */
  ending(): string {
    const { exitCode, signalCode } = this.#child;
    const how = signalCode === null ? `exited with code ${exitCode}` : `was ended by ${signalCode}`;
    const why = this.#fault !== undefined ? `the server was ended: ${this.#fault}`
      : this.#told ? `the server closed its streams but went on, and ${how}` : `the server ${how}`;
    const said = this.#lastLines();
    return said === '' ? why : `${why}; its last lines on stderr:\n${said}`;
  }
}

/** Starts the program. Rejects where that fails. */
async function start(command: string, args: readonly string[], options: StdioTransportOptions): Promise<ChildProcessWithoutNullStreams> {
  // Here, and not above: a server that imports this file for `serveStdio` starts 4 ms sooner without it.
  const { spawn } = await import('node:child_process');
  const { cwd } = options;
  const env = safeEnvironment(options.env);
  // Loaded where it is used.
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
    // Stays for later errors, such as a kill that failed: how the program ends tells more.
    child.on('error', (error) => reject(cannotStart(command, cwd, error)));
  });
  keepUntilExit(child, windows?.killer(child));
  return child;
}

/**
 * A transport that starts a server and speaks with it over its standard streams. The program is started directly,
 * without a shell, in a new process group, and is ended with the whole of that group: when the transport is
 * closed, and when this process exits (not when it is killed; then the server sees its stdin end). On Windows a batch
 * file such as `npx.cmd` runs in cmd.exe, arguments that it cannot be given are refused, and what is ended is the
 * program with all that it has started. 2026-07-28 basic/transports/stdio.
 *
 * stdout is read even while stdin is full: were both sides to wait for the other to read, neither would.
 */
export function stdioTransport(
  command: string,
  args: readonly string[] = [],
  options: StdioTransportOptions = {},
): ClientTransport {
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
      // Only an answer comes without its message.
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
  const why = error.code === 'ENOENT' ? 'there is no such program or directory' : error.message;
  return new ConnectionError(
    'closed', `Could not start ${JSON.stringify(command)}${where}: ${why}`, { cause: error },
  );
}

function noMessage(command: string, line: string): Error {
  return new Error(`${command} wrote a line to stdout that is no message: ${quote(line, 500)}`);
}

/** A longer line is cut into several, and only so many of the last ones are kept. */
const maxLine = 4096;
const maxKept = 20;

/** Hands on what comes over stderr line by line. The function that it returns gives the last lines. */
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
