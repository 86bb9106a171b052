import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { Fault } from './fault.ts';

// The reader's program, in whatever language: a command and what the chapter adds to it.

/** Splits a command as a shell would: at spaces, but not inside quotes. */
export function splitCommand(command: string): string[] {
  return [...command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

export class Program {
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
      child.on('close', (code, signal) => {
        this.#why ??= `the program ended with ${signal ?? `code ${code}`}`;
        resolve(code ?? -1);
      });
    });
  }

  static start(command: readonly string[], more: readonly string[]): Program {
    const [file = '', ...args] = [...command, ...more];
    // A group of its own where there are groups, so that what it starts is ended with it.
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: process.platform !== 'win32', windowsHide: true });
    return new Program(child, [...command, ...more].join(' '));
  }

  get stdin(): NonNullable<ChildProcess['stdin']> {
    return this.#child.stdin ?? fail();
  }

  get stdout(): NonNullable<ChildProcess['stdout']> {
    return this.#child.stdout ?? fail();
  }

  /** How it ended, and the last of what it wrote to stderr; undefined while it runs. */
  get obituary(): string | undefined {
    return this.#why && this.#why + this.complaints;
  }

  get complaints(): string {
    return this.#complaints.trim() === '' ? '' : `; it wrote to stderr: ${this.#complaints.trim()}`;
  }

  /** Its exit code. Throws where it does not end in time. */
  async ended(expected: string, patienceMs: number): Promise<number> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, patienceMs, undefined)));
    const code = await Promise.race([this.#ended, late]);
    clearTimeout(timer);
    if (code === undefined) throw new Fault(expected, `nothing: the program still ran after ${patienceMs} ms${this.complaints}`);
    return code;
  }

  /** Resolves once it is gone. */
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
        // It was gone already.
      }
    }
    await this.#ended;
  }
}

function fail(): never {
  throw new Error('the program has no pipes');
}
