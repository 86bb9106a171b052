import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptionsWithoutStdio } from 'node:child_process';
import { statSync } from 'node:fs';
import { win32 } from 'node:path';

/** What of a machine decides which program a name means. */
export interface WindowsMachine {
  /** The environment of the program to be. Names of variables are not case-sensitive. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program's working folder. */
  readonly cwd: string;
  readonly isFile: (path: string) => boolean;
}

/** What `spawn` is given on Windows. */
export interface WindowsCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Whether the arguments are quoted already: `windowsVerbatimArguments`. */
  readonly verbatim: boolean;
}

/** Most characters of a line that cmd.exe takes. */
const maxLine = 8191;

function variable(env: WindowsMachine['env'], name: string): string | undefined {
  // Variables that were given come after inherited ones.
  const key = Object.keys(env).findLast((one) => one.toUpperCase() === name && env[one] !== undefined);
  return key === undefined ? undefined : env[key];
}

/**
 * The file that a command means, as a whole path: by PATH and PATHEXT, or from the working folder where the command has a
 * slash. Unlike cmd.exe it does not look into the working folder for a bare name, nor into relative entries of PATH: what
 * lies there may be anybody's. Undefined where no such file exists. A file without one of the extensions, such as the shell script
 * `npx` beside `npx.cmd`, is not a program.
 */
export function resolveProgram(command: string, { env, cwd, isFile }: WindowsMachine): string | undefined {
  if (command === '') return undefined;
  const extensions = (variable(env, 'PATHEXT') || '.COM;.EXE;.BAT;.CMD').split(';').map((one) => one.trim()).filter((one) => /^\.\S+$/.test(one));
  const own = win32.extname(command).toUpperCase();
  const endings = [...extensions.some((one) => one.toUpperCase() === own) ? [''] : [], ...extensions];
  const folders = /[\\/]|^[A-Za-z]:/.test(command)
    ? [cwd]
    : (variable(env, 'PATH') ?? '').split(';').map((entry) => entry.trim().replaceAll('"', '')).filter((entry) => /^([A-Za-z]:[\\/]|\\\\)/.test(entry));
  for (const folder of folders) {
    for (const ending of endings) {
      const path = win32.resolve(folder, command + ending);
      if (isFile(path)) return path;
    }
  }
  return undefined;
}

/**
 * How a program is started on Windows. Programs are started directly. Batch files (`npx.cmd`) run in cmd.exe, which reads
 * its line twice: as a command, and as the arguments of the program that the batch file starts.
 *
 * Throws a TypeError for what a batch file cannot be given: line breaks, U+0000, a line above 8191 characters. A command
 * that is not found is left unchanged, and `spawn` reports it.
 */
export function windowsCommand(command: string, args: readonly string[], machine: WindowsMachine): WindowsCommand {
  const program = resolveProgram(command, machine);
  if (program === undefined || !/\.(cmd|bat)$/i.test(program)) return { command: program ?? command, args, verbatim: false };
  const line = [quoteForBatch(program, true), ...args.map((one) => quoteForBatch(one))].join(' ');
  if (line.length > maxLine) throw new TypeError(`the arguments take ${line.length} characters, and a batch file at most ${maxLine}`);
  return {
    command: systemFile('cmd.exe', machine.env),
    // /d: no AutoRun. /e:ON: extensions, for %cd:~,%. /v:OFF: no !variables!. /s: only the outermost quotes are taken off.
    args: ['/d', '/e:ON', '/v:OFF', '/s', '/c', `"${line}"`],
    verbatim: true,
  };
}

/**
 * One argument of a batch file. Within quotation marks cmd.exe takes nothing but `%` and `"` for its own. A `"` is
 * doubled: that keeps cmd.exe within the quotation, and programs read it as one. Each `%` is followed by a variable that is
 * empty, so that no two of them name one. Backslashes before a `"` are doubled, as programs read them.
 */
export function quoteForBatch(text: string, always: boolean = false): string {
  if (/[\0\r\n]/.test(text)) throw new TypeError(`${JSON.stringify(text.slice(0, 80))} has a line break or U+0000, which a batch file cannot be given`);
  if (!always && /^[\w.:/\\@+-]*[\w.:/@+-]$/.test(text)) return text;
  const inner = text.split('"').map(withEndDoubled).join('""').replaceAll('%', '%%cd:~,%');
  return `"${inner}"`;
}

/** Doubles the backslashes at the end. */
function withEndDoubled(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\\') end--;
  return text + text.slice(end);
}

/** Ends a program and all that it has started. Windows has no groups of processes, but knows the parent of each. */
export function taskkill(pid: number, env: WindowsMachine['env']): { command: string; args: string[] } {
  return { command: systemFile('taskkill.exe', env), args: ['/pid', String(pid), '/T', '/F'] };
}

/** A program of the system by its whole path: the working folder may hold another of this name. */
function systemFile(name: string, env: WindowsMachine['env']): string {
  return win32.join(variable(env, 'SYSTEMROOT') || 'C:\\Windows', 'System32', name);
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/**
 * How a command is started on Windows. Throws a TypeError where a batch file cannot be given its arguments. This file is
 * loaded only on Windows, and imports nothing that other files import, so that the published stdio stays in three files.
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
