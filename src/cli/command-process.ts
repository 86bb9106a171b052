import type { Readable, Writable } from 'node:stream';

/** A stream that may be a terminal. */
interface MaybeTerminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/**
 * The part of `process` that a command uses. Tests run commands in the test process, with other streams, environment and
 * folder. Still, programs start in the folder of the real process, and relative paths are resolved there, except for
 * `cwd()`.
 */
export interface CommandProcess {
  readonly stdin: Readable & MaybeTerminal & { setRawMode?(on: boolean): unknown };
  readonly stdout: Writable & MaybeTerminal;
  readonly stderr: Writable & MaybeTerminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder whose `.mcp.json` is read. */
  cwd(): string;
  on(event: EndingSignal, listener: () => void): unknown;
  once(event: EndingSignal, listener: () => void): unknown;
  off(event: EndingSignal, listener: () => void): unknown;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Signals that a command listens to. */
export type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
