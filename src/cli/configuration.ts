import { homedir } from 'node:os';
import { join } from 'node:path';
import { acceptedFiles, chosenConfigFiles, fileStore, folderConsent, readConfigFiles } from '../host/node/index.ts';
import { thisMachine } from '../host/node/config-files.ts';
import type { Application, FolderFile, Machine } from '../host/node/index.ts';
import type { HostStore, ServerConfig } from '../host/index.ts';
import { framed, columnsFor } from '../host/node/frame.ts';
import { WrongUse } from './exit-codes.ts';
import type { CommandProcess } from './command-process.ts';

/** The folder of the user's own data: configuration, pins, grants, activity log. */
export function homeFolder(env: CommandProcess['env']): string {
  return env['BAREWIRE_HOME'] ?? join(env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'barewire');
}

/** The store of pins, grants, and accepted files of folders. */
export const userStore = (env: CommandProcess['env']): HostStore => fileStore(join(homeFolder(env), 'store'));

export const applications: readonly Application[] = ['claude-desktop', 'claude-code', 'vscode', 'cursor'];

/** The machine's facts that select the paths of configuration files. */
export const machineOf = (proc: CommandProcess): Machine => ({ ...thisMachine(), ...process.platform !== 'win32' && proc.env['HOME'] !== undefined && { home: proc.env['HOME'] }, cwd: proc.cwd(), env: proc.env });

/** The values of `--config` and `--from`. */
export interface ConfigurationOptions {
  readonly config?: string | undefined;
  readonly from?: string | undefined;
  /** Read only the server with this name. */
  readonly name?: string | undefined;
}

/** Help for both options. */
export const configurationHelp: readonly (readonly [string, string])[] = [
  ['--config FILE', 'takes servers from this mcpServers file; default: servers.json of the user, and .mcp.json'],
  ['--from APP', `takes servers from ${applications.slice(0, -1).join(', ')} or ${applications.at(-1)}`],
];

/**
 * Reads the user's servers: from `--config FILE`, from the application of `--from`, or from the user's `servers.json` and
 * the current folder's `.mcp.json`; the former wins. A folder's file is used only after the person accepted it; rejects
 * with a `HostError` `not-accepted` if nobody can be asked. With `asks: false`, files not accepted before are left out,
 * and nothing is written.
 */
export async function readConfiguration(proc: CommandProcess, options: ConfigurationOptions, asks: boolean = true): Promise<Record<string, ServerConfig>> {
  const { config, from, name } = options;
  const application = applications.find((one) => one === from);
  if (from !== undefined && !application) throw new WrongUse(`--from takes one of ${applications.join(', ')}`);
  const machine = machineOf(proc);
  return readConfigFiles(chosenConfigFiles({ config, from: application, home: homeFolder(proc.env) }, machine), {
    name, machine,
    accept: asks ? folderConsent(userStore(proc.env), { input: proc.stdin, output: proc.stderr }) : acceptedBefore(proc.env),
    onProblem: (error) => {
      if (!asks) return;
      for (const row of ['barewire: a file of this folder was left out:', ...framed(error.message, { columns: columnsFor(proc.stderr) })]) proc.stderr.write(`${row}\n`);
    },
  });
}

const acceptedBefore = (env: CommandProcess['env']): ((file: FolderFile) => Promise<boolean>) =>
  async (file) => await acceptedFiles(userStore(env)).state(file) === 'accepted';
