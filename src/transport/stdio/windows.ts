import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptionsWithoutStdio } from 'node:child_process';
import { statSync } from 'node:fs';
import { win32 } from 'node:path';

/** The parts of the system that the search for a program depends on. */
export interface WindowsMachine {
  /** The environment for the program. Names of variables are not case-sensitive. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program's working folder. */
  readonly cwd: string;
  readonly isFile: (path: string) => boolean;
}

/** The arguments for `spawn` on Windows. */
export interface WindowsCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** True if the arguments are already quoted: `windowsVerbatimArguments`. */
  readonly verbatim: boolean;
}

/** The longest line, in characters, that cmd.exe accepts. */
const maxLine = 8191;

function variable(env: WindowsMachine['env'], name: string): string | undefined {
  // The last one: the caller's variables come after inherited ones.
  const key = Object.keys(env).findLast((one) => one.toUpperCase() === name && env[one] !== undefined);
  return key === undefined ? undefined : env[key];
}

/**
 * The absolute path of the file for a command: by PATH and PATHEXT, or from the working folder if the command has a slash.
 * Unlike cmd.exe it does not search the working folder for a bare name, nor relative entries of PATH, because any user may
 * have put a file there. Undefined if no such file exists. A file without one of the extensions, such as the shell script
 * `npx` next to `npx.cmd`, is not a program.
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
 * The command and arguments that start a program on Windows. Programs are started directly. Batch files (`npx.cmd`) run in
 * cmd.exe, which parses its line twice: as a command, and as the arguments of the program that the batch file starts.
 *
 * Throws a TypeError for arguments that a batch file cannot receive: line breaks, U+0000, a line above 8191 characters. A
 * command that is not found stays unchanged, and `spawn` reports it.
 */
export function windowsCommand(command: string, args: readonly string[], machine: WindowsMachine): WindowsCommand {
  const program = resolveProgram(command, machine);
  if (program === undefined || !/\.(cmd|bat)$/i.test(program)) return { command: program ?? command, args, verbatim: false };
  const line = [quoteForBatch(program, true), ...args.map((one) => quoteForBatch(one))].join(' ');
  if (line.length > maxLine) throw new TypeError(`the arguments have ${line.length} characters, the limit of a batch file is ${maxLine}`);
  return {
    command: systemFile('cmd.exe', machine.env),
    // /d: no AutoRun. /e:ON: extensions, for %cd:~,%. /v:OFF: no !variables!. /s: removes only the outermost quotes.
    args: ['/d', '/e:ON', '/v:OFF', '/s', '/c', `"${line}"`],
    verbatim: true,
  };
}

/**
 * Quotes one argument of a batch file. Within quotation marks cmd.exe interprets only `%` and `"`. A `"` is doubled: cmd.exe
 * then stays within the quotation, and programs read one `"`. After each `%` an empty variable is inserted, so that no two
 * `%` enclose the name of a variable. Backslashes before a `"` are doubled, because programs halve them.
 */
export function quoteForBatch(text: string, always: boolean = false): string {
  if (/[\0\r\n]/.test(text)) throw new TypeError(`${JSON.stringify(text.slice(0, 80))} has a line break or U+0000, which a batch file cannot receive`);
  if (!always && /^[\w.:/\\@+-]*[\w.:/@+-]$/.test(text)) return text;
  const inner = text.split('"').map(withEndDoubled).join('""').replaceAll('%', '%%cd:~,%');
  return `"${inner}"`;
}

/** Doubles the backslashes at the end of a text. */
function withEndDoubled(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\\') end--;
  return text + text.slice(end);
}

/** The command that ends a program and its descendants. Windows has no process groups, but knows the parent of each process. */
export function taskkill(pid: number, env: WindowsMachine['env']): { command: string; args: string[] } {
  return { command: systemFile('taskkill.exe', env), args: ['/pid', String(pid), '/T', '/F'] };
}

/** The absolute path of a system program, because the working folder may have another program with this name. */
function systemFile(name: string, env: WindowsMachine['env']): string {
  return win32.join(variable(env, 'SYSTEMROOT') || 'C:\\Windows', 'System32', name);
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/**
 * The arguments of `spawn` for a command on Windows. Throws a TypeError if a batch file cannot receive its arguments. This
 * file is loaded only on Windows, and shares no imports with other files, so that the published stdio stays in three files.
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

/** Returns a function that ends a program and its descendants. */
export function killer(child: ChildProcess): () => void {
  return () => {
    // After its exit another process may have its process id.
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const { command, args } = taskkill(child.pid, process.env);
    spawn(command, args, { stdio: 'ignore', windowsHide: true }).on('error', () => child.kill());
  };
}
