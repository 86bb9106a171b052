import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { decode } from '../../jsonrpc/codec.ts';
import { ConnectionError } from '../../jsonrpc/errors.ts';
import { createFramer } from '../../jsonrpc/framing.ts';
import type { ClientReceiver, ClientTransport, Trace } from '../port.ts';
import { forget, keepUntilExit, safeEnvironment, signalTree } from './processes.ts';
import { stderrLines } from './stderr.ts';
import { lineWriter, within } from './writer.ts';
import type { LineWriter } from './writer.ts';

export interface StdioTransportOptions {
  readonly cwd?: string | undefined;
  /** Added to what is inherited: HOME, LOGNAME, PATH, SHELL, TERM and USER; on Windows their like. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Gets each line that the server writes to stderr. What it says need not be an error. */
  readonly onStderr?: ((line: string) => void) | undefined;
  /** Sees each message as it passes: `sent` is what the client said. */
  readonly trace?: Trace | undefined;
  /** Milliseconds that the server gets to end once its stdin is closed; then it is told to (SIGTERM). 2000. */
  readonly graceMs?: number | undefined;
  /** Milliseconds that it then gets before it is killed (SIGKILL). 2000. */
  readonly termMs?: number | undefined;
  /** Bytes of one message; a longer one is refused. 16 MiB. */
  readonly maxMessageBytes?: number | undefined;
}

/** One run of the server. */
interface Run {
  readonly child: ChildProcessWithoutNullStreams;
  readonly writer: LineWriter;
  /** Resolves once the program has ended and its pipes are closed. */
  readonly over: Promise<void>;
  /** Whether we asked it to end. */
  asked: boolean;
  stopping: Promise<void> | undefined;
}

/**
 * A transport that starts a server and speaks with it over its standard streams. The program is started directly,
 * without a shell, in a process group of its own (not on Windows), and is ended with the whole of that group: when
 * the transport is closed, and when this process exits (not when it is killed; then the server sees its stdin end).
 * 2026-07-28 basic/transports/stdio.
 *
 * stdout is read even while stdin is full: were both sides to wait for the other to read, neither would.
 */
export function stdioTransport(
  command: string,
  args: readonly string[] = [],
  options: StdioTransportOptions = {},
): ClientTransport {
  const { trace, graceMs = 2000, termMs = 2000 } = options;
  let receiver: ClientReceiver | undefined;
  let run: Run | undefined;

  async function start(to: ClientReceiver): Promise<void> {
    const child = spawn(command, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: safeEnvironment(options.env),
      stdio: 'pipe',
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const tail = stderrLines(child.stderr, options.onStderr);
    const started = new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      // Later errors are failed kills and writes: the end of the program tells more.
      child.on('error', (error) => reject(cannotStart(command, options.cwd, error)));
    });
    const mine: Run = {
      child,
      writer: lineWriter(child.stdin),
      over: new Promise((resolve) => child.once('close', () => resolve())),
      asked: false,
      stopping: undefined,
    };
    child.stdin.on('error', () => void stop(mine));
    await started;

    run = mine;
    keepUntilExit(child);
    const framer = createFramer({
      line(text) {
        trace?.({ direction: 'received', text, at: Date.now() });
        to.message(decode(text));
      },
      refused: (error) => to.message({ kind: 'refusal', id: null, error }),
    }, options.maxMessageBytes);
    child.stdout.on('data', (chunk: Uint8Array) => framer.push(chunk));
    child.stdout.on('end', () => {
      framer.end();
      // 2025-11-25 basic/lifecycle#shutdown: a server may begin the shutdown by closing its output.
      void stop(mine);
    });
    child.once('exit', () => void stop(mine));
    void mine.over.then(() => {
      signalTree(child, 'SIGKILL');
      forget(child);
      if (run === mine) run = undefined;
      if (!mine.asked) to.closed(ended(child, tail()));
    });
  }

  /** 2025-11-25 basic/lifecycle#shutdown: close stdin, wait, SIGTERM, wait, SIGKILL; to the whole group. */
  function stop(of: Run): Promise<void> {
    of.stopping ??= stepByStep(of);
    return of.stopping;
  }

  async function stepByStep({ child, writer, over }: Run): Promise<void> {
    await within(graceMs, writer.flush());
    child.stdin.end();
    if (child.exitCode === null && child.signalCode === null) await within(graceMs, over);
    signalTree(child, 'SIGTERM');
    await within(termMs, over);
    signalTree(child, 'SIGKILL');
    // What has left the group may still hold the pipes.
    child.stdout.destroy();
    child.stderr.destroy();
    await over;
  }

  async function close(): Promise<void> {
    const leaving = run;
    if (leaving === undefined) return;
    leaving.asked = true;
    run = undefined;
    await stop(leaving);
  }

  return {
    kind: 'pipe',
    async open(to) {
      if (run !== undefined) throw new Error('The stdio transport is open already');
      receiver = to;
      await start(to);
    },
    send(text, message) {
      if (run === undefined) {
        if (message?.id !== undefined) {
          receiver?.failed(message.id, new ConnectionError('closed', `${command}: the server is not running`));
        }
        return;
      }
      trace?.({ direction: 'sent', text, at: Date.now() });
      run.writer.write(text);
    },
    async reopen() {
      if (receiver === undefined) throw new Error('The stdio transport has not been opened');
      await close();
      await start(receiver);
    },
    close,
  };
}

function cannotStart(command: string, cwd: string | undefined, error: NodeJS.ErrnoException): Error {
  const where = cwd === undefined ? '' : ` in ${cwd}`;
  const why = error.code === 'ENOENT' ? 'there is no such program or directory' : error.message;
  return new ConnectionError('closed', `Could not start ${JSON.stringify(command)}${where}: ${why}`, { cause: error });
}

function ended({ exitCode, signalCode }: ChildProcessWithoutNullStreams, said: string): string {
  const how = signalCode === null ? `exited with code ${exitCode}` : `was ended by ${signalCode}`;
  return said === '' ? `the server ${how}` : `the server ${how}; its last words on stderr:\n${said}`;
}
