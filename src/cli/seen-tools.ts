import { isObject } from '../jsonrpc/internal-exports.ts';
import type { CommandProcess } from './command-process.ts';
import { userStore } from './configuration.ts';

/** The most servers, tools of each, and characters of a name that are stored, since servers choose the names. */
const maxServers = 200;
const maxTools = 1_000;
const maxLength = 128;
const key = 'seen-tools';

/** The tool names that `list` and `call` have seen, by server name in the configuration. */
export type SeenTools = ReadonlyMap<string, readonly string[]>;

/** Reads the stored names; empty if the file is missing or unreadable. */
export async function seenTools(env: CommandProcess['env']): Promise<SeenTools> {
  const kept = await userStore(env).get(key).catch(() => undefined);
  if (!isObject(kept)) return new Map();
  return new Map(Object.entries(kept).map(([server, names]) => [server, Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []]));
}

/** Stores the names of a server's tools for completion. An error is ignored: completion then lacks them. */
export async function keepTools(env: CommandProcess['env'], server: string, names: readonly string[]): Promise<void> {
  const short = names.filter(({ length }) => length <= maxLength).slice(0, maxTools);
  const before = await seenTools(env);
  if (before.get(server)?.join('\n') === short.join('\n')) return;
  const all = [[server, short] as const, ...[...before].filter(([name]) => name !== server)].slice(0, maxServers);
  await userStore(env).set(key, Object.fromEntries(all)).catch(() => {});
}
