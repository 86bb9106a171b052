import type { Readable, Writable } from 'node:stream';

/** A stream of a process, which may be a terminal. */
interface MaybeTerminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * What a command uses of the process that it runs in. `process` is one; the tests run commands in their own process,
 * with streams, an environment and a folder of their own. Programs start in the folder of the real process, and other relative
 * paths are read there.
 */
export interface CommandProcess {
  readonly stdin: Readable & MaybeTerminal & { setRawMode?(on: boolean): unknown };
  readonly stdout: Writable & MaybeTerminal;
  readonly stderr: Writable & MaybeTerminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder whose file of servers is read. */
  cwd(): string;
  on(event: EndingSignal, listener: () => void): unknown;
  once(event: EndingSignal, listener: () => void): unknown;
  off(event: EndingSignal, listener: () => void): unknown;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Signals that a command listens to. */
export type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
