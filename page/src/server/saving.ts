// Saves a server that was added in the page to the user's configuration. The page shows the change first.
import { isProgram } from 'barewire/host';
import type { ServerConfig } from 'barewire/host';
import { PageError } from '../host/index.ts';
import type { Saving } from '../host/index.ts';
import { replaceFile, textOf } from './written-file.ts';

/** Saves servers to `mcpServers` of this file, which is created if it does not exist. */
export function savingTo(path: string): Saving {
  const propose = (name: string, config: ServerConfig): ReturnType<Saving['propose']> => {
    const before = textOf(path);
    return { path, before, after: withServer(path, before, name, config) };
  };
  return {
    propose,
    save(name, config, seen) {
      const { before, after } = propose(name, config);
      if (before !== seen) throw new PageError('changed', `${path} was changed meanwhile: look at the difference again`);
      replaceFile(path, after, 0o600);
    },
  };
}

function withServer(path: string, before: string, name: string, config: ServerConfig): string {
  let file: unknown;
  try {
    file = before.trim() === '' ? {} : JSON.parse(before);
  } catch {
    throw new PageError('bad-config', `${path} is not JSON, and was not changed`);
  }
  const servers: unknown = isBag(file) ? file['mcpServers'] ?? {} : undefined;
  if (!isBag(file) || !isBag(servers)) throw new PageError('bad-config', `${path} has no object mcpServers, and was not changed`);
  if (Object.hasOwn(servers, name)) throw new PageError('bad-config', `${path} has a server ${JSON.stringify(name)} already`);
  return `${JSON.stringify({ ...file, mcpServers: { ...servers, [name]: entryOf(config) } }, undefined, 2)}\n`;
}

/** The entry of a server. Each value of the environment and of headers is replaced by a variable of the same name. */
function entryOf(config: ServerConfig): Record<string, unknown> {
  const { trusted, roots, tools } = config;
  const own = isProgram(config)
    ? { command: config.command, ...config.args?.length && { args: config.args }, ...config.cwd !== undefined && { cwd: config.cwd }, ...named('env', config.env) }
    : { url: config.url, ...named('headers', config.headers) };
  const { env: _env, headers: _headers, ...plain } = own as Readonly<Record<string, unknown>>;
  // The configuration substitutes variables when it is read, but a server added in the page is used unchanged.
  if (JSON.stringify(plain).includes('${')) throw new PageError('bad-config', 'a text with "${" would mean a variable in the configuration');
  return { ...own, ...tools && { tools }, ...trusted && { trusted }, ...roots?.length && { roots } };
}

/** `${NAME:-}` is empty if the variable is not set, so that the file is still valid. */
const named = (member: string, values: Readonly<Record<string, string>> = {}): object =>
  (Object.keys(values).length === 0 ? {} : { [member]: Object.fromEntries(Object.keys(values).map((name) => [name, `\${${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}:-}`])) });

const isBag = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
