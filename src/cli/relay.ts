import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { createFramer } from '../jsonrpc/index.ts';
import { errorMessage } from '../jsonrpc/door.ts';
import { NotReached } from './exit-codes.ts';
import type { CommandProcess } from './command-process.ts';

/** A program between a host and a server: the host speaks with our own streams. */
export interface RelayOptions {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to the environment of this program, which passes as well: what the host gave is meant for the server. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /** Each line that passed, without its end. `lost`: it was too long to show, or no UTF-8, and passed nevertheless. */
  readonly onLine: (from: 'client' | 'server', text: string) => void;
  readonly onLost: (from: 'client' | 'server', why: string) => void;
}

/** Signals of a host that wants an end; the server gets them too. */
const endings = ['SIGTERM', 'SIGHUP'] as const;

/**
 * Starts the server and passes every byte between it and this program's own streams, unchanged, in both directions,
 * whatever it holds. Resolves with the exit code that the server ended with; 128 and the signal's number where a signal
 * ended it. Rejects with `NotReached` where it cannot be started.
 */
export async function relay(proc: CommandProcess, { command, args = [], env, cwd, onLine, onLost }: RelayOptions): Promise<number> {
  const own = Object.fromEntries(Object.entries({ ...proc.env, ...env }).filter((pair): pair is [string, string] => pair[1] !== undefined));
  const windows = process.platform === 'win32' ? await import('../transport/stdio/door.ts') : undefined;
  const begin = async (): Promise<ChildProcessByStdio<Writable, Readable, null>> => {
    const how = windows?.spawnOnWindows(command, args, own, cwd) ?? { command, args, options: { env: own, cwd } };
    const started = spawn(how.command, [...how.args], { ...how.options, stdio: ['pipe', 'pipe', 'inherit'] });
    await new Promise<void>((resolve, reject) => {
      started.once('spawn', resolve);
      started.once('error', reject);
    });
    return started;
  };
  const child = await begin().catch((thrown: unknown) => {
    throw new NotReached(`${command} could not be started: ${errorMessage(thrown)}`);
  });
  const watch = (from: 'client' | 'server', stream: NodeJS.ReadableStream): void => {
    const framer = createFramer({ line: (text) => onLine(from, text), refused: ({ error }) => onLost(from, error.message) });
    stream.on('data', (chunk: Buffer) => framer.push(chunk));
    stream.on('end', () => framer.end());
  };
  watch('client', proc.stdin);
  watch('server', child.stdout);
  proc.stdin.pipe(child.stdin);
  child.stdout.pipe(proc.stdout, { end: false });
  // A server that has gone reads nothing more; how it ended says the rest.
  child.stdin.on('error', () => {});
  const end = windows?.killer(child);
  for (const signal of endings) proc.on(signal, end ?? (() => child.kill(signal)));
  // Ctrl-C reaches the server by itself: it is in the terminal's group.
  proc.on('SIGINT', () => {});
  const code = await new Promise<number>((resolve) => {
    child.once('close', (exit, signal) => resolve(exit ?? 128 + (signal === 'SIGKILL' ? 9 : signal === 'SIGINT' ? 2 : 15)));
  });
  proc.stdin.unpipe();
  proc.stdin.destroy();
  return code;
}
