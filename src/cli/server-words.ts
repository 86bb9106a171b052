import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { ServerConfig } from '../host/index.ts';
import { headersOf, readVariable } from './client-options.ts';
import type { ClientWords } from './client-options.ts';
import { WrongUse } from './exit-codes.ts';

/**
 * The server that the words describe: an address, or the program after `--`, with `--env`, `--cwd` and `--header`.
 * `place`: the folder to resolve relative paths of existing files in, since the program is started from another one;
 * undefined: they stay relative.
 */
export function describedServer(
  { text, texts }: Pick<ClientWords, 'text' | 'texts'>, address: string | undefined, program: readonly string[] | undefined, place: string | undefined,
): ServerConfig {
  const env = Object.fromEntries(texts('env').map(readVariable));
  const headers = headersOf(texts('header'));
  const cwd = text('cwd');
  if (program) {
    const [command, ...args] = program;
    if (command === undefined) throw new WrongUse('a program is missing after --');
    if (Object.keys(headers).length > 0) throw new WrongUse('--header is for an address, and this is a program');
    const found = (word: string): string => {
      if (place === undefined || isAbsolute(word) || word.startsWith('-')) return word;
      const path = resolve(place, word);
      return /[./\\]/.test(word) && existsSync(path) ? path : word;
    };
    return { command: found(command), args: args.map(found), ...Object.keys(env).length > 0 && { env }, ...cwd !== undefined && { cwd: place === undefined ? cwd : resolve(place, cwd) } };
  }
  if (address === undefined) throw new WrongUse('an address is missing, or -- and a program');
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) throw new WrongUse(`${address} is not an address; a program follows "--"`);
  if (Object.keys(env).length > 0 || cwd !== undefined) throw new WrongUse('--env and --cwd are for a program, and this is an address');
  return { url: address, ...Object.keys(headers).length > 0 && { headers } };
}

/** Returns the name, or throws `WrongUse` if some host does not accept it. */
export function checkedName(name: string | undefined): string {
  if (name === undefined) throw new WrongUse('the name of the server is missing');
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name) || name.includes('__')) throw new WrongUse('a name is up to 64 letters, digits, "-", "_" and ".", without "__"');
  return name;
}
