import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { Fault } from './fault.ts';

// The reader's program in any language: a command plus the arguments that the chapter adds.

/** Splits a command as a shell would: at spaces, but not inside quotes. */
export function splitCommand(command: string): string[] {
  return [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** The part of a report about a program: its command, how it ended by itself, and its last stderr output. */
export interface Life {
  readonly command: string;
  readonly obituary: string | undefined;
  readonly complaints: string;
}

/** A command as it would be typed. */
export const typed = (words: readonly string[]): string => words.map((word) => (/\s|^$/.test(word) ? JSON.stringify(word) : word)).join(' ');

/** Milliseconds for which pipes may stay open after their program has ended, because a program that it started may hold them. */
const heldMs = 500;

export class Program implements Life {
  readonly command: string;
  #child: ChildProcess;
  #complaints = '';
  #ended: Promise<number>;
  #why: string | undefined;

  private constructor(child: ChildProcess, command: string) {
    this.#child = child;
    this.command = command;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#complaints = (this.#complaints + text).slice(-2000)));
    child.stdin?.on('error', () => {});
    this.#ended = new Promise((resolve) => {
      child.on('error', (error) => {
        this.#why = `the program did not start: ${error.message}`;
        resolve(-1);
      });
      child.on('exit', (code, signal) => {
        const over = (): void => {
          this.#why ??= `the program ended with ${signal ?? `code ${code}`}`;
          clearTimeout(held);
          resolve(code ?? -1);
        };
        const held = setTimeout(over, heldMs);
        child.on('close', over);
      });
    });
  }

  static start(command: readonly string[], more: readonly string[]): Program {
    const [file = '', ...args] = [...command, ...more];
    // Use a separate process group where possible, so that child processes are ended too.
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: process.platform !== 'win32', windowsHide: true });
    return new Program(child, typed([...command, ...more]));
  }

  get stdin(): NonNullable<ChildProcess['stdin']> {
    return this.#child.stdin ?? fail();
  }

  get stdout(): NonNullable<ChildProcess['stdout']> {
    return this.#child.stdout ?? fail();
  }

  /** How the program ended; undefined while it runs. */
  get obituary(): string | undefined {
    return this.#why;
  }

  /** The end of its stderr output. */
  get complaints(): string {
    return this.#complaints;
  }

  /** Resolves with its exit code. Throws if it does not end in time. */
  async ended(expected: string, patienceMs: number): Promise<number> {
    const code = await within(this.#ended, patienceMs);
    if (code === undefined) throw new Fault(expected, `nothing: the program still ran after ${patienceMs} ms`);
    return code;
  }

  /** Resolves with the result of work that needs the program. Throws if the program ends first, or if time runs out. */
  async during<T>(work: Promise<T>, expected: string, patienceMs: number): Promise<T> {
    const done = work.then((value) => ({ value }));
    // Messages sent before its end may still be in transit.
    const over = this.#ended.then(() => within(done, heldMs));
    const first = await within(Promise.race([done, over]), patienceMs);
    if (first) return first.value;
    throw new Fault(expected, this.#why === undefined ? `nothing within ${patienceMs} ms` : `an end: ${this.#why}`);
  }

  /** Resolves when the program has ended. */
  gone(): Promise<number> {
    return this.#ended;
  }

  async stop(): Promise<void> {
    this.#child.stdin?.destroy();
    if (this.#why === undefined && this.#child.pid !== undefined) {
      try {
        if (process.platform === 'win32') this.#child.kill('SIGKILL');
        else process.kill(-this.#child.pid, 'SIGKILL');
      } catch {
        // It had already ended.
      }
    }
    await this.#ended;
  }
}

/** Resolves with the value of a promise, or with undefined after `ms`. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function fail(): never {
  throw new Error('the program has no pipes');
}
