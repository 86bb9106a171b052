import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';

/** A program that prints JSON lines, and exits when its stdin closes. */
export interface RunningProgram<L> {
  readonly child: ChildProcessWithoutNullStreams;
  /** Returns the next line that fits. */
  next(fits: (line: L) => boolean): Promise<L>;
  /** The program's stderr output so far. */
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
