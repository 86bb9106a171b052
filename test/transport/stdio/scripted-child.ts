// A scripted child process for `spawn`, which records the calls on it. No process starts.
import childProcess from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { PassThrough, Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import type { Decoded, RequestId } from '../../../src/jsonrpc/message.ts';
import type { ClientReceiver } from '../../../src/transport/client-port.ts';

export interface ScriptedChild extends EventEmitter {
  readonly pid: number | undefined;
  exitCode: number | null;
  signalCode: NodeJS.Signals | null;
  /** The child's stdin; it blocks if the child was made slow. */
  readonly stdin: Writable;
  readonly stdout: PassThrough;
  readonly stderr: PassThrough;
  /** The text written to stdin so far. */
  readonly written: string[];
  /** Accepts the write that a slow stdin holds back. */
  take(): void;
  /** Ends the child as the system would: `exit`, then `close`. */
  end(code: number | null, signal?: NodeJS.Signals | null): void;
  kill(): boolean;
  killed: number;
}

export interface Scripted {
  /** `[command, args, options]` of each start. */
  readonly started: unknown[][];
  readonly children: ScriptedChild[];
  /** `[pid, signal]` of each `process.kill` call. */
  readonly kills: [number, unknown][];
}

const real = { spawn: childProcess.spawn, kill: process.kill };

/** A pid that no process has, in case a signal is really sent. */
export const pid = 99_999_999;

/** Replaces `spawn` and `process.kill` until the test ends. `begins` is called with each child after it was returned. */
export function scripted(
  t: TestContext, begins: (child: ScriptedChild) => void = (child) => child.emit('spawn'), { slow = false, numbered = true }: How = {},
): Scripted {
  const found: Scripted = { started: [], children: [], kills: [] };
  const spawn = (...given: unknown[]): ScriptedChild => {
    found.started.push(given);
    const child = scriptedChild(numbered ? pid : undefined, slow);
    found.children.push(child);
    queueMicrotask(() => begins(child));
    return child;
  };
  Object.assign(childProcess, { spawn });
  process.kill = (to, signal) => {
    found.kills.push([to, signal]);
    return true;
  };
  syncBuiltinESMExports();
  t.after(async () => {
    // Nothing may remain for the next test or for the exit of this process.
    for (const child of found.children) if (child.exitCode === null && child.signalCode === null) child.end(0);
    await settled();
    Object.assign(childProcess, { spawn: real.spawn });
    process.kill = real.kill;
    syncBuiltinESMExports();
  });
  return found;
}

export interface How {
  /** True: stdin accepts nothing more until `take`. */
  readonly slow?: boolean;
  /** Whether the child has a pid. */
  readonly numbered?: boolean;
}

function scriptedChild(pid: number | undefined, slow: boolean): ScriptedChild {
  const written: string[] = [];
  let next: (() => void) | undefined;
  const stdin = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, callback) {
      written.push(chunk);
      if (slow && chunk !== '') next = callback;
      else callback();
    },
  });
  const child: ScriptedChild = Object.assign(new EventEmitter(), {
    pid, stdin, written,
    exitCode: null, signalCode: null,
    stdout: new PassThrough(), stderr: new PassThrough(),
    killed: 0,
    take() {
      const taken = next;
      next = undefined;
      taken?.();
    },
    end(code: number | null, signal: NodeJS.Signals | null = null) {
      Object.assign(child, { exitCode: code, signalCode: signal });
      child.emit('exit', code, signal);
      child.emit('close', code, signal);
    },
    kill() {
      child.killed++;
      return true;
    },
  });
  return child;
}

/** Records the calls of a transport on its receiver. */
export interface Told extends ClientReceiver {
  readonly messages: Decoded[];
  readonly failures: [RequestId, string][];
  readonly closings: string[];
  readonly errors: string[];
}

export function told(): Told {
  const messages: Decoded[] = [];
  const failures: [RequestId, string][] = [];
  const closings: string[] = [];
  const errors: string[] = [];
  return {
    messages, failures, closings, errors,
    message: (decoded) => void messages.push(decoded),
    failed: (id, error) => void failures.push([id, error.message]),
    closed: (why) => void closings.push(why),
    error: ({ message }) => void errors.push(message),
  };
}

/** Runs everything that waits for no timer. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 4; i++) await new Promise((resolve) => setImmediate(resolve));
}
