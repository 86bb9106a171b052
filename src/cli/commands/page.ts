import { createRequire } from 'node:module';
import { realpathSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../jsonrpc/door.ts';
import type { Command } from '../command.ts';
import { configurationHelp } from '../configuration.ts';
import { exitCodes, WrongUse } from '../exit-codes.ts';

/** A package of its own: the command depends on nothing. */
const packageName = 'barewire-page';

/** What is used of it. */
interface PagePackage {
  /** Runs with the words behind the name, and resolves with the exit code. */
  readonly main: (words: readonly string[]) => Promise<number>;
}

export const command: Command = {
  usage: '[options] [ADDRESS | -- PROGRAM [ARGUMENTS]]',
  about: 'Opens a page in the browser that shows servers, their wire, and every question that they ask.',
  options: [
    ...configurationHelp,
    ['--rules FILE', 'what is allowed, asked or denied; default: rules.json of the user'],
    ['--port N', 'on 127.0.0.1; default: one that is free'],
    ['--no-open', 'only prints the address'],
    ['--package FOLDER', `the package ${packageName} where it is not installed beside barewire`],
  ],
  example: 'barewire page -- npx -y @modelcontextprotocol/server-everything',
  notes: [
    `The page is the package ${packageName}, which is installed beside barewire: what lies in this folder is not run. The`,
    'address holds a token behind "#": who has it may start programs here.',
  ],
  async run(words, proc) {
    const { folder, rest } = withoutPackage(words);
    const page = await load(folder);
    if (page) return page.main(rest);
    proc.stderr.write(folder === undefined
      ? `barewire: the page is a package of its own, and is not installed beside barewire (npm install ${packageName}); --package names the folder of another one\n`
      : `barewire: ${folder} is no package ${packageName}\n`);
    return exitCodes.wrongUse;
  },
};

/** Takes `--package FOLDER` out of the words before `--`: the others are the page's. */
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
async function load(folder: string | undefined): Promise<PagePackage | undefined> {
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
  return isPage(found) ? found : undefined;
}

const isWithin = (file: string, folder: string): boolean => file.startsWith(`${folder}${sep}`);

const isPage = (value: unknown): value is PagePackage => isObject(value) && typeof value['main'] === 'function';
