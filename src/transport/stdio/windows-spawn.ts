import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptionsWithoutStdio } from 'node:child_process';
import { statSync } from 'node:fs';
import { taskkill, windowsCommand } from './windows.ts';

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/**
 * How a command is started on Windows. Throws a TypeError where a batch file cannot be given its arguments. This file is
 * loaded on Windows alone, and imports nothing that other files have, so that the published stdio stays in three files.
 */
export function spawnOnWindows(
  command: string, args: readonly string[], env: Record<string, string>, cwd: string | undefined,
): { command: string; args: readonly string[]; options: SpawnOptionsWithoutStdio } {
  const { PATHEXT } = process.env;
  const found = windowsCommand(command, args, { env: { PATHEXT, ...env }, cwd: cwd ?? process.cwd(), isFile });
  return {
    command: found.command,
    args: found.args,
    options: { env, cwd, windowsHide: true, windowsVerbatimArguments: found.verbatim },
  };
}

/** Ends a program and all that it has started. */
export function killer(child: ChildProcess): () => void {
  return () => {
    // Its number is another's once it has ended.
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const { command, args } = taskkill(child.pid, process.env);
    spawn(command, args, { stdio: 'ignore', windowsHide: true }).on('error', () => child.kill());
  };
}
