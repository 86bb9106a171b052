import { readFile } from 'node:fs/promises';
import { homedir, platform } from 'node:os';
import { join, resolve } from 'node:path';
import { checkOptions } from '../../bounds/options.ts';
import type { Shape } from '../../bounds/options.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import { codeOf } from '../../oauth/node/file-lock.ts';
import { readServers } from '../config.ts';
import type { ServerConfig, Variables } from '../config.ts';
import { HostError } from '../errors.ts';
import { readFolderFile } from './folder-file.ts';
import type { FolderFile } from './folder-file.ts';
import { withoutComments } from './json-with-comments.ts';

/** An application whose server configuration can be read. */
export type Application = 'claude-desktop' | 'claude-code' | 'vscode' | 'cursor';

/** The facts about a machine that the paths of configuration files depend on. Default: this machine. */
export interface Machine {
  readonly home: string;
  readonly platform: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const thisMachine = (): Machine => ({ home: homedir(), platform: platform(), cwd: process.cwd(), env: process.env });

/** A file of servers: the user's own, or one of a folder, which the user must accept. */
export interface ConfigFile {
  readonly file: string;
  readonly owner: 'user' | 'folder';
  /** The file must exist and be usable. Default: a missing file has no servers. */
  readonly required?: boolean;
}

/** The files in which an application keeps its servers. */
export function configFiles(application: Application, machine: Machine = thisMachine()): ConfigFile[] {
  const { home, cwd, env } = machine;
  const data = machine.platform === 'darwin' ? join(home, 'Library/Application Support')
    : machine.platform === 'win32' ? env['APPDATA'] ?? join(home, 'AppData/Roaming')
      : env['XDG_CONFIG_HOME'] ?? join(home, '.config');
  const own = (file: string): ConfigFile => ({ file, owner: 'user' });
  const folder = (file: string): ConfigFile => ({ file: join(cwd, file), owner: 'folder' });
  switch (application) {
    case 'claude-desktop': return [own(join(data, 'Claude/claude_desktop_config.json'))];
    case 'claude-code': return [own(join(home, '.claude.json')), folder('.mcp.json')];
    case 'vscode': return [own(join(data, 'Code/User/mcp.json')), folder('.vscode/mcp.json')];
    case 'cursor': return [own(join(home, '.cursor/mcp.json')), folder('.cursor/mcp.json')];
  }
}

/** The source of a command's servers: a file that the person named, an application, or the defaults. */
export interface ChosenConfig {
  /** `--config FILE`. */
  readonly config?: string | undefined;
  /** `--from APP`. */
  readonly from?: Application | undefined;
  /** The user's own folder of barewire, which holds `servers.json`. */
  readonly home: string;
}

/** Names under which programs look for files in folders. */
const folderNames = /(?:^|[\\/])(?:\.mcp\.json|\.(?:vscode|cursor)[\\/]mcp\.json)$/i;

/**
 * The files that a command reads. A file that the person named counts as theirs, unless programs look for files of
 * that name in folders, such as `.mcp.json`. By default: `servers.json` of the user, and `.mcp.json` of the current
 * folder.
 */
export function chosenConfigFiles(chosen: ChosenConfig, machine: Machine = thisMachine()): ConfigFile[] {
  checkOptions('chosenConfigFiles: chosen', chosen, {
    config: 'string', from: '"claude-desktop" or "claude-code" or "vscode" or "cursor"', home: 'string',
  });
  const { config, from, home } = chosen;
  if (config !== undefined) {
    const file = resolve(machine.cwd, config);
    return [{ file, owner: folderNames.test(file) ? 'folder' : 'user', required: true }];
  }
  if (from !== undefined) return configFiles(from, machine);
  return [{ file: join(home, 'servers.json'), owner: 'user' }, { file: join(machine.cwd, '.mcp.json'), owner: 'folder' }];
}

const variablesOf = ({ cwd, env }: Machine): Variables => (name) => (name === 'workspaceFolder' ? cwd : env[name]);

/**
 * Reads one file of the user's own servers, with or without comments and trailing commas. `${NAME}` comes from the
 * environment, `${workspaceFolder}` is the current folder. Throws a `HostError` `bad-config` that names the file.
 */
export async function readConfigFile(file: string, machine: Machine = thisMachine()): Promise<Record<string, ServerConfig>> {
  try {
    return readServers(JSON.parse(withoutComments(await readFile(file, 'utf8'))), variablesOf(machine));
  } catch (thrown) {
    throw new HostError('bad-config', `${file}: ${errorMessage(thrown)}`, { cause: thrown });
  }
}

// For `checkOptions`.
const fileShape: Shape<ConfigFile> = { file: 'string', owner: '"user" or "folder"', required: 'boolean' };

/** Options for reading files of servers. */
export interface ConfigReading {
  readonly machine?: Machine | undefined;
  /** Whether a folder's file may be used; see `folderConsent`. Default: folders' files are not read. */
  readonly accept?: ((file: FolderFile) => Promise<boolean>) | undefined;
  /** Called for a folder's file that cannot be used, while the other servers are used. Default: it throws. */
  readonly onProblem?: ((error: Error) => void) | undefined;
  /** The only wanted server: a folder's file is read only if no file of the user has it. */
  readonly name?: string | undefined;
}

// For `checkOptions`.
const readingShape: Shape<ConfigReading> = { machine: 'object', accept: 'function', onProblem: 'function', name: 'string' };

/**
 * The servers of several files. A missing file has none. The user's own entries take precedence over those of a
 * folder, and earlier files over later ones; a folder's file is used after it was accepted, and its variables are not
 * expanded before.
 */
export async function readConfigFiles(files: readonly ConfigFile[], reading: ConfigReading = {}): Promise<Record<string, ServerConfig>> {
  checkOptions('readConfigFiles: reading', reading, readingShape);
  files.forEach((file, at) => checkOptions(`readConfigFiles: files[${at}]`, file, fileShape));
  const { machine = thisMachine(), accept, onProblem, name } = reading;
  const found = new Map<string, ServerConfig>();
  const add = (servers: Readonly<Record<string, ServerConfig>>): void => {
    for (const [one, config] of Object.entries(servers)) if (!found.has(one)) found.set(one, config);
  };
  const own = files.filter(({ owner }) => owner === 'user');
  for (const { file, required } of own) {
    try {
      add(await readConfigFile(file, machine));
    } catch (thrown) {
      if (required || !(thrown instanceof HostError && codeOf(thrown.cause) === 'ENOENT')) throw thrown;
    }
  }
  for (const { file, owner, required } of files) {
    // The user's own folder may be the current folder.
    if (owner === 'user' || own.some((one) => one.file === file)) continue;
    if (!accept || (name !== undefined && found.has(name))) continue;
    try {
      const folder = await readFolderFile(file);
      if (!folder && required) throw new HostError('bad-config', `${file}: there is no such file`);
      if (!folder || folder.names.length === 0 || (name !== undefined && !folder.names.includes(name))) continue;
      if (await accept(folder)) add(folder.servers(variablesOf(machine)));
    } catch (thrown) {
      if (required || !onProblem || !(thrown instanceof HostError && thrown.code === 'bad-config')) throw thrown;
      onProblem(thrown);
    }
  }
  // fromEntries calls no setter: `__proto__` is a name like any other.
  return Object.fromEntries(found);
}

/** The servers of an application: the user's own, and those of the current folder's file if `accept` allows it. */
export async function readApplication(application: Application, reading: ConfigReading = {}): Promise<Record<string, ServerConfig>> {
  checkOptions('readApplication: reading', reading, readingShape);
  return readConfigFiles(configFiles(application, reading.machine), reading);
}
