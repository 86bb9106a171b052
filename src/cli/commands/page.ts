import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../../jsonrpc/codec.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';

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
    ['--config FILE', 'takes servers from this mcpServers file; default: .mcp.json, and servers.json of the user'],
    ['--from APP', 'takes servers from claude-desktop, claude-code, vscode or cursor'],
    ['--rules FILE', 'what is allowed, asked or denied; default: rules.json of the user'],
    ['--port N', 'on 127.0.0.1; default: one that is free'],
    ['--no-open', 'only prints the address'],
  ],
  example: 'barewire page -- npx -y @modelcontextprotocol/server-everything',
  notes: [
    `The page is the package ${packageName}, which is installed beside barewire or in this folder. The address holds a token`,
    'behind "#": who has it may start programs here.',
  ],
  async run(words) {
    const page = await load();
    if (page) return page.main(words);
    process.stderr.write(`barewire: the page is a package of its own, and is not installed: npm install ${packageName}\n`);
    return exitCodes.wrongUse;
  },
};

/** The package beside this one, else that of the folder in which the command runs; undefined: there is none. */
async function load(): Promise<PagePackage | undefined> {
  for (const from of [import.meta.url, pathToFileURL(join(process.cwd(), 'index.js')).href]) {
    let file: string;
    try {
      file = createRequire(from).resolve(packageName);
    } catch {
      continue;
    }
    const found = await import(pathToFileURL(file).href) as unknown;
    if (isPage(found)) return found;
  }
  return undefined;
}

const isPage = (value: unknown): value is PagePackage => isObject(value) && typeof value['main'] === 'function';
