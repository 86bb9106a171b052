import { parseArgs } from 'node:util';
import type { ServerConfig } from '../host/index.ts';
import { revisions } from '../explain/phrases.ts';
import { errorMessage } from '../jsonrpc/errors.ts';
import { configurationHelp, readConfiguration } from './configuration.ts';
import { WrongUse } from './exit-codes.ts';
import { didYouMean } from './near-miss.ts';

/** The options of every subcommand that speaks with one server. */
const common = {
  json: { type: 'boolean' },
  config: { type: 'string' },
  from: { type: 'string' },
  header: { type: 'string', multiple: true },
  revision: { type: 'string' },
  timeout: { type: 'string' },
  'no-color': { type: 'boolean' },
  verbose: { type: 'boolean' },
  defaults: { type: 'boolean' },
} as const;

/** Their help. */
export const commonHelp: readonly (readonly [string, string])[] = [
  ['--json', 'prints JSON, for scripts'],
  ...configurationHelp,
  ['--header "N: V"', 'sends this header over HTTP; may be given again'],
  ['--revision X', 'speaks that revision of the protocol'],
  ['--timeout N', 'seconds to wait for an answer; 60'],
  ['--defaults', 'fills in forms with their defaults, and asks nobody'],
  ['--verbose', 'shows what the server writes to stderr'],
  ['--no-color', 'prints without colour'],
];

/** What a subcommand adds to the common options. */
export type OwnOptions = Readonly<Record<string, { readonly type: 'boolean' | 'string'; readonly multiple?: boolean; readonly short?: string }>>;

/** The words of a subcommand, read. */
export interface ClientWords {
  /** Values of options by name. */
  readonly flag: (name: string) => boolean;
  readonly text: (name: string) => string | undefined;
  readonly texts: (name: string) => readonly string[];
  /** What stands beside the target. */
  readonly rest: readonly string[];
  /** How the person named the server. */
  readonly targetName: string;
  readonly server: ServerConfig;
  readonly timeoutMs: number;
  readonly revisions: readonly string[] | undefined;
}

/** Reads options only, for subcommands without a server. */
export function readWords(words: readonly string[], own: OwnOptions, positionals: boolean = false): Pick<ClientWords, 'flag' | 'text' | 'texts' | 'rest'> {
  let parsed;
  try {
    parsed = parseArgs({ args: [...words], options: { ...common, ...own }, allowPositionals: positionals });
  } catch (thrown) {
    const [, unknown] = /^Unknown option '(-[^']*)'/.exec(errorMessage(thrown)) ?? [];
    if (unknown === undefined) throw new WrongUse(errorMessage(thrown));
    throw new WrongUse(`there is no option ${unknown}${didYouMean(unknown, Object.keys({ ...common, ...own }).map((name) => `--${name}`))}`);
  }
  const values = parsed.values as Record<string, unknown>;
  return {
    flag: (name) => values[name] === true,
    text: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
    texts: (name) => (Array.isArray(values[name]) ? values[name].filter((one) => typeof one === 'string') : []),
    rest: parsed.positionals,
  };
}

/** Reads options that are numbers between two bounds; undefined where one is not given. */
export function numberOf({ text }: Pick<ClientWords, 'text'>): (name: string, least: number, most: number) => number | undefined {
  return (name, least, most) => {
    const given = text(name);
    if (given === undefined) return undefined;
    const value = Number(given);
    if (!(value >= least && value <= most)) throw new WrongUse(`--${name} takes a number from ${least} to ${most}`);
    return value;
  };
}

/**
 * Reads the words of a subcommand that speaks with one server. The target is what stands behind `--` (a program), or the
 * first word that is no option: an address, or a name from the configuration.
 */
export async function readClientWords(words: readonly string[], own: OwnOptions = {}): Promise<ClientWords> {
  const end = words.indexOf('--');
  const read = readWords(end < 0 ? words : words.slice(0, end), own, true);
  const { text, texts } = read;
  const revision = text('revision');
  if (revision !== undefined && !revisions.includes(revision)) throw new WrongUse(`--revision takes one of ${revisions.join(', ')}`);
  const seconds = Number(text('timeout') ?? 60);
  if (!(seconds > 0 && seconds <= 86_400)) throw new WrongUse('--timeout takes a number of seconds');
  const headers = headersOf(texts('header'));
  let rest = read.rest;
  let server: ServerConfig;
  let targetName: string;
  if (end >= 0) {
    const [command, ...args] = words.slice(end + 1);
    if (command === undefined) throw new WrongUse('a program is missing behind --');
    server = { command, args };
    targetName = [command, ...args].join(' ');
  } else {
    const [target] = rest;
    if (target === undefined) throw new WrongUse('a server is missing: an address, a name from the configuration, or -- and a program');
    rest = rest.slice(1);
    targetName = target;
    if (/^https?:\/\//i.test(target)) {
      if (!URL.canParse(target)) throw new WrongUse(`${target} is no address`);
      server = { url: target };
    } else {
      const servers = await readConfiguration({ config: text('config'), from: text('from'), name: target });
      const found = Object.hasOwn(servers, target) ? servers[target] : undefined;
      if (!found) {
        const names = Object.keys(servers);
        throw new WrongUse(`no server is called ${target}; ${names.length > 0 ? `there are ${names.join(', ')}` : 'no configuration was found'}. A program stands behind "--".`);
      }
      server = found;
    }
  }
  if ('url' in server && Object.keys(headers).length > 0) server = { ...server, headers: { ...server.headers, ...headers } };
  return { ...read, rest, server, targetName, timeoutMs: seconds * 1000, revisions: revision === undefined ? undefined : [revision] };
}

function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(lines.map((line): [string, string] => {
    const [, name, value] = /^([^:\s]+):([^\r\n]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new WrongUse('--header takes "Name: value"');
    return [name, value.trimStart()];
  }));
}
