import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readApplication, readConfigFile } from '../host/node/index.ts';
import type { Application } from '../host/node/index.ts';
import type { ServerConfig } from '../host/index.ts';
import { WrongUse } from './exit-codes.ts';

/** Where barewire keeps what is the user's: the configuration, pins, grants, the activity log. */
export function homeFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return env['BAREWIRE_HOME'] ?? join(env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'barewire');
}

const applications: readonly Application[] = ['claude-desktop', 'claude-code', 'vscode', 'cursor'];

/** What `--config` and `--from` say. */
export interface ConfigurationOptions {
  readonly config?: string | undefined;
  readonly from?: string | undefined;
}

/**
 * The user's servers: of `--config FILE`, of the application that `--from` names, else of `.mcp.json` in this folder and
 * `servers.json` in the user's own, the first before the second.
 */
export async function readConfiguration({ config, from }: ConfigurationOptions): Promise<Record<string, ServerConfig>> {
  if (config !== undefined) return readConfigFile(config);
  if (from !== undefined) {
    const application = applications.find((one) => one === from);
    if (!application) throw new WrongUse(`--from takes one of ${applications.join(', ')}`);
    return readApplication(application);
  }
  const files = [join(homeFolder(), 'servers.json'), join(process.cwd(), '.mcp.json')].filter((file) => existsSync(file));
  const found = await Promise.all(files.map((file) => readConfigFile(file)));
  return Object.assign({}, ...found) as Record<string, ServerConfig>;
}
