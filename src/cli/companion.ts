import { createRequire } from 'node:module';
import { realpathSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../jsonrpc/internal-exports.ts';
import type { CommandProcess } from './command-process.ts';
import { exitCodes, WrongUse } from './exit-codes.ts';

/** A separate package that a command runs, so that barewire itself depends on nothing. */
export interface Companion {
  readonly packageName: string;
  /** What the package is, for the message that it is not installed. */
  readonly what: string;
}

/** The exports of such a package that are used. */
interface Loaded {
  /** Runs with the words after the command's name; resolves with the exit code. */
  readonly main: (words: readonly string[]) => Promise<number>;
}

/** The help line of `--package`. */
export const companionHelp = ({ packageName }: Companion): readonly [string, string] =>
  ['--package FOLDER', `the package ${packageName} if it is not installed next to barewire`];

/** Runs the package installed beside barewire, or the one of `--package FOLDER`. */
export async function runCompanion({ packageName, what }: Companion, words: readonly string[], proc: CommandProcess): Promise<number> {
  const { folder, rest } = withoutPackage(words);
  const found = await load(packageName, folder);
  if (found) return found.main(rest);
  proc.stderr.write(folder === undefined
    ? `barewire: ${what} is a separate package, and is not installed next to barewire (npm install ${packageName}); --package names its folder\n`
    : `barewire: ${folder} is not the package ${packageName}\n`);
  return exitCodes.wrongUse;
}

/** Removes `--package FOLDER` from the words before `--`; the package gets the rest. */
function withoutPackage(words: readonly string[]): { readonly folder: string | undefined; readonly rest: readonly string[] } {
  const end = words.indexOf('--');
  const at = words.findIndex((word, i) => (end < 0 || i < end) && (word === '--package' || word.startsWith('--package=')));
  if (at < 0) return { folder: undefined, rest: words };
  const [, inline] = (words[at] ?? '').split(/=(.*)/s, 2);
  const folder = inline ?? words[at + 1];
  if (!folder || (inline === undefined && at + 1 === end)) throw new WrongUse('--package takes a folder');
  return { folder, rest: [...words.slice(0, at), ...words.slice(at + (inline === undefined ? 2 : 1))] };
}

/**
 * The package installed beside barewire, or the one in the given folder; undefined if it does not exist. It is never
 * loaded from the current folder: a folder that the user got from somebody else must not run code here.
 */
async function load(packageName: string, folder: string | undefined): Promise<Loaded | undefined> {
  let file: string;
  try {
    // `require` resolves a package's own name from inside its folder.
    file = folder === undefined ? createRequire(import.meta.url).resolve(packageName)
      : createRequire(pathToFileURL(join(resolve(folder), 'index.js')).href).resolve(packageName);
  } catch {
    return undefined;
  }
  if (folder !== undefined && !isWithin(realpathSync(file), realpathSync(folder))) return undefined;
  const found = await import(pathToFileURL(file).href) as unknown;
  return isLoaded(found) ? found : undefined;
}

const isWithin = (file: string, folder: string): boolean => file.startsWith(`${folder}${sep}`);

const isLoaded = (value: unknown): value is Loaded => isObject(value) && typeof value['main'] === 'function';
