import { readFile } from 'node:fs/promises';
import { withoutComments } from '../host/node/json-with-comments.ts';
import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import type { Application, Machine } from '../host/node/index.ts';
import { configFiles } from '../host/node/index.ts';
import { isProgram, readServers } from '../host/index.ts';
import type { ServerConfig } from '../host/index.ts';
import { WrongUse } from './exit-codes.ts';

/** How a host writes servers into its configuration. */
export interface InstalledHost {
  /** The member that holds the servers. */
  readonly member: 'mcpServers' | 'servers';
  /** Whether an entry names its transport. */
  readonly typed: boolean;
  /** Whether the host connects to addresses. */
  readonly addresses: boolean;
  /** Writes a reference to an environment variable; undefined if the host does not support them. */
  readonly variable: ((name: string) => string) | undefined;
}

/** The hosts whose files are written, according to their documentation; see docs/command.md. */
const hosts: Readonly<Record<Application, InstalledHost>> = {
  'claude-desktop': { member: 'mcpServers', typed: false, addresses: false, variable: undefined },
  'claude-code': { member: 'mcpServers', typed: true, addresses: true, variable: (name) => `\${${name}}` },
  vscode: { member: 'servers', typed: true, addresses: true, variable: (name) => `\${env:${name}}` },
  cursor: { member: 'mcpServers', typed: false, addresses: true, variable: (name) => `\${env:${name}}` },
};

export const hostNames: readonly string[] = Object.keys(hosts);

export const isHostName = (word: string): word is Application => Object.hasOwn(hosts, word);

export const hostOf = (name: Application): InstalledHost => hosts[name];

/** The file that a host reads: the user's or the folder's. Throws `WrongUse` if the host reads no folder's file. */
export function fileOfHost(name: Application, machine: Machine, folder: boolean): string {
  const found = configFiles(name, machine).find(({ owner }) => owner === (folder ? 'folder' : 'user'));
  if (!found) throw new WrongUse(`${name} reads no configuration file in a folder`);
  return found.file;
}

/**
 * Reads the servers of the user's own file. Variables are not expanded and stay `${NAME}`. A missing file has no servers.
 * Throws `WrongUse` if the file cannot be read.
 */
export async function writtenServers(file: string): Promise<Record<string, ServerConfig>> {
  try {
    return readServers(JSON.parse(withoutComments(await readFile(file, 'utf8'))), (name) => `\${${name}}`);
  } catch (thrown) {
    if (isObject(thrown) && thrown['code'] === 'ENOENT') return {};
    throw new WrongUse(`${file}: ${errorMessage(thrown)}`);
  }
}

/** A server's entry in the host's format. Throws `WrongUse` for features that the host does not support. */
export function entryFor(name: string, { typed, addresses, variable }: InstalledHost, server: ServerConfig): Record<string, unknown> {
  const texts = (value: string): string => value.replace(/\$\{([A-Za-z_]\w*)\}/g, (whole, one: string) => {
    if (one === 'workspaceFolder') return whole;
    if (!variable) throw new WrongUse(`${name} does not support variables, and the server has \${${one}}: give its value with --env or --header`);
    return variable(one);
  });
  const record = (values: Readonly<Record<string, string>> | undefined): Record<string, string> | undefined =>
    (values && Object.keys(values).length > 0 ? Object.fromEntries(Object.entries(values).map(([key, value]) => [key, texts(value)])) : undefined);
  if (isProgram(server)) {
    const env = record(server.env);
    return {
      ...typed && { type: 'stdio' }, command: texts(server.command), args: (server.args ?? []).map(texts),
      ...env && { env }, ...server.cwd !== undefined && { cwd: texts(server.cwd) },
    };
  }
  if (!addresses) throw new WrongUse(`${name} only starts programs; this one connects to the address: barewire bridge ${server.url}`);
  const headers = record(server.headers);
  return { ...typed && { type: 'http' }, url: texts(server.url), ...headers && { headers } };
}
