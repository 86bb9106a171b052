import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

/** A program that prints lines of JSON, and ends with its input. */
export interface RunningProgram<L> {
  readonly child: ChildProcessWithoutNullStreams;
  /** The next line that fits. */
  next(fits: (line: L) => boolean): Promise<L>;
  /** What it wrote to stderr. */
  errors(): string;
}

/** Runs a program until the test is over. */
export function runProgram<L>(t: TestContext, program: string, ...args: string[]): RunningProgram<L> {
  const child = spawn(process.execPath, [program, ...args], { stdio: 'pipe' });
  t.after(() => child.stdin.end());
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const lines: L[] = [];
  let wake = (): void => {};
  createInterface(child.stdout).on('line', (text) => {
    lines.push(JSON.parse(text) as L);
    wake();
  });
  return {
    child,
    errors: () => errors,
    async next(fits) {
      for (;;) {
        const at = lines.findIndex(fits);
        if (at !== -1) return lines.splice(at, 1)[0] as L;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
