import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { createFramer } from '../jsonrpc/index.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { isProgram } from '../host/index.ts';
import type { ServerConfig } from '../host/index.ts';
import { openSocket } from '../transport/socket/node/internal-exports.ts';
import { exitCodes, NotReached } from './exit-codes.ts';
import { socketPath } from './socket-target.ts';
import type { CommandProcess } from './command-process.ts';

/** A server that is a program. */
interface Program {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to this process's environment, which is passed on too: the host set it for the server. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** Options of a relay between a host, on our own streams, and a server. */
export interface RelayOptions {
  readonly server: ServerConfig;
  /** Each line that passed, without its end. `onLost`: a line too long to show or not in UTF-8; it passed nevertheless. */
  readonly onLine: (from: 'client' | 'server', text: string) => void;
  readonly onLost: (from: 'client' | 'server', why: string) => void;
}

/** Signals by which a host ends us; the server gets them too. */
const endings = ['SIGTERM', 'SIGHUP'] as const;

/** The server's side of a relay. */
interface ServerEnd {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves with the exit code when the server has ended. */
  readonly ended: Promise<number>;
  kill(signal: NodeJS.Signals): void;
}

/**
 * Starts the server, or connects to its socket, and passes every byte between it and our own streams unchanged. Resolves
 * with the server's exit code: 128 plus the signal's number if a signal ended it, 0 if a socket was closed. Rejects with
 * `NotReached` if the server cannot be started or reached.
 */
export async function relay(proc: CommandProcess, { server, onLine, onLost }: RelayOptions): Promise<number> {
  const end = isProgram(server) ? await started(proc, server) : await connected(server.url);
  const watch = (from: 'client' | 'server', stream: NodeJS.ReadableStream): void => {
    const framer = createFramer({ line: (text) => onLine(from, text), refused: ({ error }) => onLost(from, error.message) });
    stream.on('data', (chunk: Buffer) => framer.push(chunk));
    stream.on('end', () => framer.end());
  };
  watch('client', proc.stdin);
  watch('server', end.stdout);
  proc.stdin.pipe(end.stdin);
  end.stdout.pipe(proc.stdout, { end: false });
  // Ignored: a server that has ended reads nothing more, and its exit code is reported.
  end.stdin.on('error', () => {});
  for (const signal of endings) proc.on(signal, () => end.kill(signal));
  // A program gets Ctrl-C from the terminal itself, as part of its process group.
  proc.on('SIGINT', () => {
    if (!isProgram(server)) end.kill('SIGINT');
  });
  const code = await end.ended;
  proc.stdin.unpipe();
  proc.stdin.destroy();
  return code;
}

async function connected(url: string): Promise<ServerEnd> {
  const path = socketPath(url);
  const socket = await openSocket(path).catch((thrown: unknown) => {
    throw new NotReached(`${url} was not reached: ${errorMessage(thrown)}`);
  });
  // Close our side too: the server sends nothing more.
  socket.once('end', () => socket.end());
  return {
    stdin: socket, stdout: socket, kill: () => void socket.destroy(),
    ended: new Promise((resolve) => void socket.once('close', () => resolve(exitCodes.good))),
  };
}

async function started(proc: CommandProcess, { command, args = [], env, cwd }: Program): Promise<ServerEnd> {
  const own = Object.fromEntries(Object.entries({ ...proc.env, ...env }).filter((pair): pair is [string, string] => pair[1] !== undefined));
  const windows = process.platform === 'win32' ? await import('../transport/stdio/internal-exports.ts') : undefined;
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
  const end = windows?.killer(child);
  return {
    stdin: child.stdin, stdout: child.stdout, kill: (signal) => void (end ? end() : child.kill(signal)),
    ended: new Promise((resolve) => {
      child.once('close', (exit, signal) => resolve(exit ?? 128 + constants.signals[signal ?? 'SIGTERM']));
    }),
  };
}
