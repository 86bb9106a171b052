import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import type { Root } from '../protocol/index.ts';
import { checkSelection } from './availability.ts';
import type { ToolSelection } from './availability.ts';
import { HostError } from './errors.ts';
import { refuseMisspelt } from './misspelt.ts';

/** The members that every server's entry may have, for any transport. */
interface CommonConfig {
  /** Do not start the server, and leave it out of the catalogue. Default: false. */
  readonly disabled?: boolean;
  /** Which of the server's tools are offered, by their own names. Default: all. */
  readonly tools?: ToolSelection;
  /** True: the user trusts the server's annotations. Only then may a rule allow by annotation. */
  readonly trusted?: boolean;
  /** The folders that the server may work in. They can be changed while the host runs. */
  readonly roots?: readonly Root[];
  /** Consent to sampling: the total number of tokens that the server may ask for. Default: 0, so none. */
  readonly maxSampledTokens?: number;
  /**
   * The folder's file that the entry came from, if it is not the user's own. No configuration can set it. Pins and
   * grants of such a server are stored apart from those of the user's own server with the same name, and rules that
   * allow match it only as `FILE#name`.
   */
  readonly folder?: string;
}

/** Members of an entry that decide for the user: only the user's own files may set them. */
export const userMembers: readonly string[] = ['trusted', 'roots', 'maxSampledTokens'];

/** A server that runs as a program. */
export interface ProgramConfig extends CommonConfig {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A server at an address. */
export interface AddressConfig extends CommonConfig {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One entry of `mcpServers`. */
export type ServerConfig = ProgramConfig | AddressConfig;

const commonShape: Shape<CommonConfig> = { disabled: 'boolean', tools: 'object', trusted: 'boolean', roots: 'list', maxSampledTokens: 'number', folder: 'string' };

/**
 * Throws a TypeError for an entry with an unknown or malformed member: a misspelt `args` would start the program
 * without them, and a misspelt `disabled` would start a disabled server.
 */
export function checkConfig(place: string, config: ServerConfig): void {
  if ('command' in Object(config)) {
    checkOptions<object>(place, config, { ...commonShape, command: 'string', args: 'list', env: 'object', cwd: 'string' });
  } else {
    // A required member that is missing becomes null, which is refused as not a string.
    checkOptions<object>(place, { ...config as AddressConfig, url: (config as AddressConfig)?.url ?? null }, { ...commonShape, url: 'string', headers: 'object' });
  }
  if (config.tools) checkSelection(`${place}.tools`, config.tools);
}

/** Whether a server is a program that the host starts, and not an address. */
export function isProgram(config: ServerConfig): config is ProgramConfig {
  return 'command' in config;
}

/** The members of an entry in a file. Some hosts write `serverUrl` for `url`. */
const entryMembers: readonly string[] =
  ['command', 'args', 'env', 'cwd', 'url', 'serverUrl', 'headers', 'disabled', 'tools', 'trusted', 'roots', 'maxSampledTokens'];

/** Looks up a variable; undefined: it is not set. */
export type Variables = (name: string) => string | undefined;

/**
 * Reads the JSON that hosts share: `{ "mcpServers": { name: entry } }`. VS Code calls the member `servers`; both are
 * accepted. `${NAME}` and `${NAME:-default}` in text are replaced by `variables`; also `${env:NAME}`, as VS Code
 * writes it.
 *
 * `folder`: the path of the file, if it came with a folder and is not the user's own: members that only the user may
 * set are left out. Throws a `HostError` with code `bad-config` that names the entry and the member.
 */
export function readServers(config: unknown, variables: Variables, folder?: string): Record<string, ServerConfig> {
  if (!isObject(config)) throw bad('the configuration', 'an object', config);
  refuseMisspelt('the configuration', config, ['mcpServers', 'servers']);
  const entries = config['mcpServers'] ?? config['servers'] ?? {};
  if (!isObject(entries)) throw bad('mcpServers', 'an object', entries);
  const servers: [string, ServerConfig][] = [];
  for (const [name, entry] of Object.entries(entries)) servers.push([name, readServer(`mcpServers.${name}`, entry, variables, folder)]);
  // fromEntries calls no setter: `__proto__` is a name like any other.
  return Object.fromEntries(servers);
}

function readServer(at: string, entry: unknown, variables: Variables, folder: string | undefined): ServerConfig {
  if (!isObject(entry)) throw bad(at, 'an object', entry);
  refuseMisspelt(at, entry, entryMembers);
  const expand = (text: string, member: string): string => expandVariables(text, variables, `${at}.${member}`);
  const text = (member: string): string | undefined => {
    const value = entry[member];
    if (value === undefined) return undefined;
    if (typeof value !== 'string') throw bad(`${at}.${member}`, 'a string', value);
    return expand(value, member);
  };
  const texts = (member: string): Record<string, string> | undefined => {
    const value = entry[member];
    if (value === undefined) return undefined;
    if (!isObject(value)) throw bad(`${at}.${member}`, 'an object', value);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => {
      if (typeof one !== 'string' && typeof one !== 'number' && typeof one !== 'boolean') {
        throw bad(`${at}.${member}.${key}`, 'a string', one);
      }
      return [key, expand(String(one), `${member}.${key}`)];
    }));
  };
  const common = commonOf(at, entry, folder);
  const command = text('command');
  const url = text('url') ?? text('serverUrl');
  if (command !== undefined && url !== undefined) throw new HostError('bad-config', `${at}: "command" or "url", not both`);
  if (command !== undefined) {
    const args = entry['args'] ?? [];
    if (!Array.isArray(args)) throw bad(`${at}.args`, 'an array', args);
    const words = args.map((word: unknown, i) => {
      if (typeof word !== 'string') throw bad(`${at}.args[${i}]`, 'a string', word);
      return expand(word, `args[${i}]`);
    });
    const env = texts('env');
    const cwd = text('cwd');
    return { command, args: words, ...env && { env }, ...cwd !== undefined && { cwd }, ...common };
  }
  if (url === undefined) throw new HostError('bad-config', `${at}: "command" or "url" is missing`);
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new HostError('bad-config', `${at}.url: expected an http or https address`);
  const headers = texts('headers');
  return { url, ...headers && { headers }, ...common };
}

function commonOf(at: string, entry: Record<string, unknown>, folder: string | undefined): CommonConfig {
  const { disabled } = entry;
  const { trusted, roots, maxSampledTokens }: Record<string, unknown> = folder === undefined ? entry : {};
  for (const [member, value] of [['disabled', disabled], ['trusted', trusted]] as const) {
    if (value !== undefined && typeof value !== 'boolean') throw bad(`${at}.${member}`, 'true or false', value);
  }
  if (maxSampledTokens !== undefined && !(Number.isSafeInteger(maxSampledTokens) && (maxSampledTokens as number) >= 0)) {
    throw bad(`${at}.maxSampledTokens`, 'a whole number', maxSampledTokens);
  }
  const tools = readSelection(`${at}.tools`, entry['tools']);
  return {
    ...disabled === true && { disabled },
    ...tools && { tools },
    ...trusted === true && { trusted },
    ...roots !== undefined && { roots: readRoots(`${at}.roots`, roots) },
    ...typeof maxSampledTokens === 'number' && { maxSampledTokens },
    ...folder !== undefined && { folder },
  };
}

/** An array is another host's form of this member, and is ignored: hosts do not agree on its meaning. */
function readSelection(at: string, tools: unknown): ToolSelection | undefined {
  if (tools === undefined || Array.isArray(tools)) return undefined;
  try {
    // checkOptions refuses anything but an object.
    checkSelection(at, tools as ToolSelection);
  } catch (thrown) {
    throw new HostError('bad-config', errorMessage(thrown), { cause: thrown });
  }
  const { include, exclude } = tools as ToolSelection;
  return { ...include && { include: [...include] }, ...exclude && { exclude: [...exclude] } };
}

function readRoots(at: string, roots: unknown): Root[] {
  if (!Array.isArray(roots)) throw bad(at, 'an array', roots);
  return roots.map((root: unknown, i): Root => {
    const uri = isObject(root) ? root['uri'] : root;
    const name = isObject(root) ? root['name'] : undefined;
    // 2025-11-25 client/roots#data-types: a root is a file:// URI.
    if (typeof uri !== 'string' || !uri.startsWith('file://')) throw bad(`${at}[${i}]`, 'a file:// URI', uri);
    return typeof name === 'string' ? { uri, name } : { uri };
  });
}

/** A default ends with the first brace, so that one pass over a text suffices. */
const variable = /\$\{(?:env:)?([A-Za-z_]\w{0,199})(?::-([^{}]*))?\}/g;

/** The names of the variables in all texts of a JSON value, each once. */
export function variablesIn(value: unknown): string[] {
  const texts: string[] = [];
  const collect = (one: unknown): void => {
    if (typeof one === 'string') texts.push(one);
    else if (typeof one === 'object' && one !== null) for (const member of Object.values(one)) collect(member);
  };
  collect(value);
  const names = texts.flatMap((text) => Array.from(text.matchAll(variable), ([, name = '']) => name));
  return [...new Set(names)].filter((name) => name !== 'workspaceFolder').sort();
}

/** Replaces `${NAME}`, `${NAME:-default}` and `${env:NAME}`. An unset variable without a default is refused. */
export function expandVariables(text: string, variables: Variables, at: string): string {
  return text.replace(variable, (_whole, name: string, otherwise: string | undefined) => {
    const value = variables(name) ?? otherwise;
    if (value === undefined) throw new HostError('bad-config', `${at}: the variable ${name} is not set`);
    return value;
  });
}

function bad(at: string, expected: string, came: unknown): HostError {
  const kind = came === null ? 'null' : Array.isArray(came) ? 'an array' : `a ${typeof came}`;
  return new HostError('bad-config', `${at}: expected ${expected}, got ${kind}`);
}
