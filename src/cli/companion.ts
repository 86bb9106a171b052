import { createRequire } from 'node:module';
import { realpathSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../jsonrpc/internal-exports.ts';
import type { CommandProcess } from './command-process.ts';
import { exitCodes, WrongUse } from './exit-codes.ts';

/** A package of its own that a command runs: the package of the command depends on nothing. */
export interface Companion {
  readonly packageName: string;
  /** What it is, for the sentence that says that it is not installed. */
  readonly what: string;
}

/** What is used of such a package. */
interface Loaded {
  /** Runs with the words behind the name, and resolves with the exit code. */
  readonly main: (words: readonly string[]) => Promise<number>;
}

/** The help of `--package`. */
export const companionHelp = ({ packageName }: Companion): readonly [string, string] =>
  ['--package FOLDER', `the package ${packageName} where it is not installed beside barewire`];

/** Runs the package that belongs to this installation, or the one of `--package FOLDER`. */
export async function runCompanion({ packageName, what }: Companion, words: readonly string[], proc: CommandProcess): Promise<number> {
  const { folder, rest } = withoutPackage(words);
  const found = await load(packageName, folder);
  if (found) return found.main(rest);
  proc.stderr.write(folder === undefined
    ? `barewire: ${what} is a package of its own, and is not installed beside barewire (npm install ${packageName}); --package names the folder of another one\n`
    : `barewire: ${folder} is not the package ${packageName}\n`);
  return exitCodes.wrongUse;
}

/** Takes `--package FOLDER` out of the words before `--`: the others are the package's. */
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
 * The package that belongs to this installation of barewire, or the one in a folder that was named; undefined if neither exists.
 * Never that of the folder in which the command runs: whoever gave that to the person would run their code here.
 */
async function load(packageName: string, folder: string | undefined): Promise<Loaded | undefined> {
  let file: string;
  try {
    // A folder is a package by its own name, as `require` of itself sees it.
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
