import { parseArgs } from 'node:util';
import type { ServerConfig } from '../host/index.ts';
import { revisions } from '../explain/phrases.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import { configurationHelp, readConfiguration } from './configuration.ts';
import { WrongUse } from './exit-codes.ts';
import { shellWord } from './shell-word.ts';
import { didYouMean } from './near-miss.ts';
import { atProgram } from './program-words.ts';
import { isSocket, socketPath } from './socket-target.ts';
import type { CommandProcess } from './command-process.ts';

/** The options of a subcommand. Each that is accepted has an effect: others are refused, because an ignored option misleads. */
export type OwnOptions = Readonly<Record<string, { readonly type: 'boolean' | 'string'; readonly multiple?: boolean; readonly short?: string }>>;

/** Where servers are configured. */
export const configurationOptions: OwnOptions = { config: { type: 'string' }, from: { type: 'string' } };

/** The headers of an address; the variables and the folder of a program. */
export const serverOptions: OwnOptions = { header: { type: 'string', multiple: true }, env: { type: 'string', multiple: true }, cwd: { type: 'string' } };

/** The options of a subcommand that has a target. */
export const targetOptions: OwnOptions = { ...configurationOptions, ...serverOptions };

/** The options of a subcommand that sends requests to its target. */
export const commonOptions: OwnOptions = {
  ...targetOptions, json: { type: 'boolean' }, revision: { type: 'string' }, timeout: { type: 'string' }, 'no-color': { type: 'boolean' }, verbose: { type: 'boolean' }, defaults: { type: 'boolean' },
};

/** The help lines of these options. */
export const commonHelp: readonly (readonly [string, string])[] = [
  ['--json', 'prints JSON, for scripts'],
  ...configurationHelp,
  ['--header "N: V"', 'sends this header over HTTP; may be given again'],
  ['--env NAME=VALUE', 'sets this variable for a program; may be given again'],
  ['--cwd FOLDER', 'starts a program in this folder'],
  ['--revision X', 'uses this revision of the protocol'],
  ['--timeout N', 'seconds to wait for an answer; 60'],
  ['--defaults', 'fills in forms with their defaults, without asking'],
  ['--verbose', 'shows what the server writes to stderr'],
  ['--no-color', 'prints without colour'],
];

/** Help for `targetOptions` except `--header`. */
export const targetHelp: readonly (readonly [string, string])[] = [
  ['--config, --from', 'where servers are configured, as for call'],
  ['--env, --cwd', 'for a program, as for call'],
];

/** The parsed words of a subcommand. */
export interface ClientWords {
  /** Values of options by name. */
  readonly flag: (name: string) => boolean;
  readonly text: (name: string) => string | undefined;
  readonly texts: (name: string) => readonly string[];
  /** The words other than options and target. */
  readonly rest: readonly string[];
  /** The names of the options that were given. */
  readonly given: readonly string[];
  /** The server as the user wrote it. */
  readonly targetName: string;
  /** Whether `targetName` is a name in the configuration. */
  readonly named: boolean;
  /** The words for this target in a suggested command line: before and behind the other words. */
  readonly target: readonly [before: string, behind: string];
  readonly server: ServerConfig;
  /** The process that the subcommand runs in. */
  readonly proc: CommandProcess;
  readonly timeoutMs: number;
  readonly revisions: readonly string[] | undefined;
}

/** The words of a subcommand without a server. */
export type CommandWords = Pick<ClientWords, 'flag' | 'text' | 'texts' | 'rest' | 'given'>;

/** Parses only options, for subcommands without a server. */
export function readWords(words: readonly string[], own: OwnOptions, positionals: boolean = false): CommandWords {
  let parsed;
  try {
    parsed = parseArgs({ args: [...words], options: own, allowPositionals: positionals });
  } catch (thrown) {
    const [, unknown] = /^Unknown option '(-[^']*)'/.exec(errorMessage(thrown)) ?? [];
    if (unknown === undefined) throw new WrongUse(errorMessage(thrown));
    throw new WrongUse(`there is no option ${unknown}${didYouMean(unknown, Object.keys(own).map((name) => `--${name}`))}`);
  }
  const values = parsed.values as Record<string, unknown>;
  return {
    flag: (name) => values[name] === true,
    text: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
    texts: (name) => (Array.isArray(values[name]) ? values[name].filter((one) => typeof one === 'string') : []),
    rest: parsed.positionals,
    given: Object.keys(values),
  };
}

/** Throws `WrongUse` if one of these options was given: it would have no effect. `why` follows its name. */
export function refuseGiven({ given }: Pick<CommandWords, 'given'>, names: readonly string[], why: string): void {
  const found = given.find((name) => names.includes(name));
  if (found !== undefined) throw new WrongUse(`--${found} ${why}`);
}

/** Returns a reader of numeric options, with bounds; undefined if the option is not given. `whole`: no fraction. */
export function numberOf({ text }: Pick<ClientWords, 'text'>): (name: string, least: number, most: number, whole?: boolean) => number | undefined {
  return (name, least, most, whole = false) => {
    const given = text(name);
    if (given === undefined) return undefined;
    // An empty text, such as that of an unset variable, would be 0: another port than the one that was meant.
    const value = given.trim() === '' ? NaN : Number(given);
    if (!(value >= least && value <= most)) throw new WrongUse(`--${name} takes a number from ${least} to ${most}`);
    if (whole && !Number.isInteger(value)) throw new WrongUse(`--${name} takes a whole number`);
    return value;
  };
}

/** The revision of `--revision` as a list for the client; undefined: every revision. */
export function readRevisions({ text }: Pick<ClientWords, 'text'>): readonly string[] | undefined {
  const revision = text('revision');
  if (revision !== undefined && !revisions.includes(revision)) throw new WrongUse(`--revision takes one of ${revisions.join(', ')}`);
  return revision === undefined ? undefined : [revision];
}

/**
 * Parses the words of a subcommand that connects to one server. The target is the program behind `--`, or the first word
 * that is not an option: an address, a socket, or a name in the configuration. If that word is not one of these, the first
 * later word that is becomes the target.
 */
export async function readClientWords(proc: CommandProcess, words: readonly string[], own: OwnOptions = commonOptions): Promise<ClientWords> {
  const { before, program } = atProgram(words);
  const read = readWords(before, own, true);
  const { text, texts } = read;
  const spoken = readRevisions(read);
  const seconds = Number(text('timeout') ?? 60);
  if (!(seconds > 0 && seconds <= 86_400)) throw new WrongUse('--timeout takes a number of seconds');
  const found = program ? programOf(program, read.rest) : await serverOf(proc, read);
  const server = withOwn(found.server, headersOf(texts('header')), texts('env').map(readVariable), text('cwd'));
  return { ...read, ...found, server, proc, timeoutMs: seconds * 1000, revisions: spoken };
}

/** A target, and the other words. */
type Found = Pick<ClientWords, 'server' | 'targetName' | 'named' | 'target' | 'rest'>;

function programOf(words: readonly string[], rest: readonly string[]): Found {
  const [command, ...args] = words;
  if (command === undefined) throw new WrongUse('a program is missing after --');
  const targetName = words.join(' ');
  return { server: { command, args }, targetName, named: false, target: ['', `-- ${words.map(shellWord).join(' ')}`], rest };
}

const isAddress = (word: string): boolean => isSocket(word) || /^https?:\/\//i.test(word);

async function serverOf(proc: CommandProcess, { text, rest }: Pick<ClientWords, 'text' | 'rest'>): Promise<Found> {
  const [first] = rest;
  if (first === undefined) throw new WrongUse('a server is missing: an address, a socket, a name from the configuration, or -- and a program');
  const take = (at: number, server: ServerConfig, named: boolean): Found =>
    ({ server, targetName: rest[at] ?? '', named, target: [shellWord(rest[at] ?? ''), ''], rest: rest.filter((_, i) => i !== at) });
  const address = (at: number): Found => {
    const url = rest[at] ?? '';
    if (isSocket(url)) socketPath(url);
    else if (!URL.canParse(url)) throw new WrongUse(`${url} is not an address`);
    return take(at, { url }, false);
  };
  if (isAddress(first)) return address(0);
  const servers = await readConfiguration(proc, { config: text('config'), from: text('from'), name: first });
  const config = Object.hasOwn(servers, first) ? servers[first] : undefined;
  if (config) return take(0, config, true);
  const later = rest.findIndex(isAddress);
  if (later > 0) return address(later);
  for (const [at, word] of rest.entries()) {
    const other = at > 0 && Object.hasOwn(servers, word) ? servers[word] : undefined;
    if (other) return take(at, other, true);
  }
  const names = Object.keys(servers);
  const hint = didYouMean(first, names) || `; ${names.length > 0 ? `there are ${names.join(', ')}` : 'no configuration was found'}.`;
  throw new WrongUse(`no server is called ${first}${hint} A program follows "--".`);
}

/** The server with the headers, variables and folder of the command line. Throws `WrongUse` for options that do not apply to it. */
function withOwn(server: ServerConfig, headers: Record<string, string>, env: readonly [string, string][], cwd: string | undefined): ServerConfig {
  if ('url' in server) {
    const socket = isSocket(server.url);
    if (env.length > 0 || cwd !== undefined) throw new WrongUse(`--env and --cwd are for a program, and this is ${socket ? 'a socket' : 'an address'}`);
    if (socket && Object.keys(headers).length > 0) throw new WrongUse('--header is for an address of HTTP, and this is a socket');
    return Object.keys(headers).length > 0 ? { ...server, headers: { ...server.headers, ...headers } } : server;
  }
  if (Object.keys(headers).length > 0) throw new WrongUse('--header is for an address, and this is a program');
  return { ...server, ...env.length > 0 && { env: { ...server.env, ...Object.fromEntries(env) } }, ...cwd !== undefined && { cwd } };
}

/** Splits the `NAME=VALUE` of `--env`. */
export function readVariable(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new WrongUse('--env takes NAME=VALUE');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The headers of `--header "Name: value"`. */
export function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(lines.map((line): [string, string] => {
    const [, name, value] = /^([^:\s]+):([^\r\n]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new WrongUse('--header takes "Name: value"');
    return [name, value.trimStart()];
  }));
}
