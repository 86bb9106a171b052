import { readFile } from 'node:fs/promises';
import { homedir, platform } from 'node:os';
import { join } from 'node:path';
import { isObject } from '../../jsonrpc/codec.ts';
import { errorMessage } from '../../jsonrpc/errors.ts';
import { readServers } from '../config.ts';
import type { ServerConfig } from '../config.ts';
import { HostError } from '../errors.ts';

/** An application whose configuration of servers can be read. */
export type Application = 'claude-desktop' | 'claude-code' | 'vscode' | 'cursor';

/** What the places of configuration files depend on. Default: this machine. */
export interface Machine {
  readonly home: string;
  readonly platform: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const thisMachine = (): Machine => ({ home: homedir(), platform: platform(), cwd: process.cwd(), env: process.env });

/** Where an application keeps its servers, the first place first. */
export function configFiles(application: Application, machine: Machine = thisMachine()): string[] {
  const { home, cwd, env } = machine;
  const data = machine.platform === 'darwin' ? join(home, 'Library/Application Support')
    : machine.platform === 'win32' ? env['APPDATA'] ?? join(home, 'AppData/Roaming')
      : env['XDG_CONFIG_HOME'] ?? join(home, '.config');
  switch (application) {
    case 'claude-desktop': return [join(data, 'Claude/claude_desktop_config.json')];
    case 'claude-code': return [join(cwd, '.mcp.json'), join(home, '.claude.json')];
    case 'vscode': return [join(cwd, '.vscode/mcp.json'), join(data, 'Code/User/mcp.json')];
    case 'cursor': return [join(cwd, '.cursor/mcp.json'), join(home, '.cursor/mcp.json')];
  }
}

/**
 * Reads one file of servers, with or without comments and trailing commas. `${NAME}` is taken from the environment,
 * `${workspaceFolder}` is the current folder. Throws a `HostError` `bad-config` that names the file.
 */
export async function readConfigFile(file: string, machine: Machine = thisMachine()): Promise<Record<string, ServerConfig>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (thrown) {
    throw new HostError('bad-config', `${file}: ${errorMessage(thrown)}`, { cause: thrown });
  }
  let value: unknown;
  try {
    value = JSON.parse(withoutComments(text));
  } catch (thrown) {
    throw new HostError('bad-config', `${file}: ${errorMessage(thrown)}`, { cause: thrown });
  }
  try {
    return readServers(value, (name) => (name === 'workspaceFolder' ? machine.cwd : machine.env[name]));
  } catch (thrown) {
    throw new HostError('bad-config', `${file}: ${errorMessage(thrown)}`, { cause: thrown });
  }
}

/** The servers of an application: of each file that exists, an earlier file's entry goes before a later one's. */
export async function readApplication(application: Application, machine: Machine = thisMachine()): Promise<Record<string, ServerConfig>> {
  const found: Record<string, ServerConfig>[] = [];
  for (const file of configFiles(application, machine)) {
    try {
      found.unshift(await readConfigFile(file, machine));
    } catch (thrown) {
      const cause = thrown instanceof HostError ? thrown.cause : undefined;
      if (!(isObject(cause) || cause instanceof Error) || !('code' in cause) || cause.code !== 'ENOENT') throw thrown;
    }
  }
  return Object.assign({}, ...found) as Record<string, ServerConfig>;
}

/** JSON with comments, as editors write it, into JSON: comments and commas before a closing bracket become white space. */
export function withoutComments(text: string): string {
  return text
    .replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g, (part) => (part.startsWith('"') ? part : part.replace(/[^\n]/g, ' ')))
    .replace(/"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])/g, (part) => (part === ',' ? ' ' : part));
}
