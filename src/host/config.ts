import { isObject } from '../jsonrpc/codec.ts';
import type { Root } from '../protocol/roots.ts';
import { HostError } from './errors.ts';

/** What every server's entry may say, whatever its transport. */
interface CommonConfig {
  /** Not started, and not in the catalogue. Default: false. */
  readonly disabled?: boolean;
  /** The user's word that the server's annotations may be believed: only then may a rule allow by annotation. */
  readonly trusted?: boolean;
  /** Where the server may work. It can be changed while the host runs. */
  readonly roots?: readonly Root[];
  /** Consent to sampling: the most tokens that the server may ask for in all. Default: 0, which is none. */
  readonly maxSampledTokens?: number;
}

/** A server that is a program. */
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

/** Whether a server is a program to be started, and not an address. */
export function isProgram(config: ServerConfig): config is ProgramConfig {
  return 'command' in config;
}

/** Looks up a variable; undefined: there is none. */
export type Variables = (name: string) => string | undefined;

/**
 * Reads the JSON that hosts share: `{ "mcpServers": { name: entry } }`. VS Code calls the member `servers`; both are
 * taken. `${NAME}` and `${NAME:-default}` in text are replaced by `variables`; `${env:NAME}`, which VS Code writes, too.
 *
 * Throws a `HostError` with code `bad-config` that names the entry and the member.
 */
export function readServers(config: unknown, variables: Variables): Record<string, ServerConfig> {
  if (!isObject(config)) throw bad('the configuration', 'an object', config);
  const entries = config['mcpServers'] ?? config['servers'] ?? {};
  if (!isObject(entries)) throw bad('mcpServers', 'an object', entries);
  const servers: [string, ServerConfig][] = [];
  for (const [name, entry] of Object.entries(entries)) servers.push([name, readServer(`mcpServers.${name}`, entry, variables)]);
  // fromEntries runs no setter: `__proto__` is a name like any other.
  return Object.fromEntries(servers);
}

function readServer(at: string, entry: unknown, variables: Variables): ServerConfig {
  if (!isObject(entry)) throw bad(at, 'an object', entry);
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
  const common = commonOf(at, entry);
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

function commonOf(at: string, entry: Record<string, unknown>): CommonConfig {
  const { disabled, trusted, roots, maxSampledTokens } = entry;
  for (const [member, value] of [['disabled', disabled], ['trusted', trusted]] as const) {
    if (value !== undefined && typeof value !== 'boolean') throw bad(`${at}.${member}`, 'true or false', value);
  }
  if (maxSampledTokens !== undefined && !(Number.isSafeInteger(maxSampledTokens) && (maxSampledTokens as number) >= 0)) {
    throw bad(`${at}.maxSampledTokens`, 'a whole number', maxSampledTokens);
  }
  return {
    ...disabled === true && { disabled },
    ...trusted === true && { trusted },
    ...roots !== undefined && { roots: readRoots(`${at}.roots`, roots) },
    ...typeof maxSampledTokens === 'number' && { maxSampledTokens },
  };
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

/** Replaces `${NAME}`, `${NAME:-default}` and `${env:NAME}`. A variable that is not set and has no default is refused. */
export function expandVariables(text: string, variables: Variables, at: string): string {
  return text.replace(/\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_whole, name: string, otherwise: string | undefined) => {
    const value = variables(name) ?? otherwise;
    if (value === undefined) throw new HostError('bad-config', `${at}: the variable ${name} is not set`);
    return value;
  });
}

function bad(at: string, expected: string, came: unknown): HostError {
  const kind = came === null ? 'null' : Array.isArray(came) ? 'an array' : `a ${typeof came}`;
  return new HostError('bad-config', `${at}: expected ${expected}, got ${kind}`);
}
