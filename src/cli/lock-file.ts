import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import type { McpClient } from '../client/index.ts';
import type { CallOptions } from '../client/index.ts';
import { digestOf, isProgram } from '../host/index.ts';
import type { ServerConfig } from '../host/index.ts';
import { listSkills, skillsOf } from '../skills/index.ts';
import { redactText, redactUrl } from '../transport/internal-exports.ts';
import type { Transcript } from '../transcript/index.ts';

/** The kinds of items that are locked: by list method, the member of its result with the items. */
const lists = {
  'tools/list': 'tools', 'prompts/list': 'prompts', 'resources/templates/list': 'resourceTemplates', 'skills/list': 'skills',
} as const;
type LockedKind = typeof lists[keyof typeof lists];
export const lockedKinds: readonly LockedKind[] = Object.values(lists);

/** The entry of one server in a lock. */
export interface LockedServer {
  /** The command line without credentials, or the address. */
  readonly command?: readonly string[];
  readonly url?: string;
  /** The package that `npx` or a similar program starts; without `version`, the newest one. */
  readonly package?: { readonly name: string; readonly version?: string };
  /** The digest of each item, as for the host's pins, by name (skills: by URI). */
  readonly items: Readonly<Partial<Record<LockedKind, Readonly<Record<string, string>>>>>;
}

/** `mcp.lock`. */
export interface Lock {
  readonly lockVersion: 1;
  readonly servers: Readonly<Record<string, LockedServer>>;
}

/** The server's command line or address, without credentials. */
export function placeOf(config: ServerConfig): Pick<LockedServer, 'command' | 'url' | 'package'> {
  if (!isProgram(config)) return { url: redactUrl(config.url) };
  const command = [config.command, ...config.args ?? []];
  const found = packageOf(command);
  return { command: command.map((word) => redactText(word)), ...found && { package: found } };
}

/** The package that `npx`, `bunx` or `pnpm dlx` starts. */
function packageOf([program = '', ...words]: readonly string[]): LockedServer['package'] {
  if (!/(?:^|[\\/])(?:npx|bunx|pnpm)(?:\.cmd|\.exe)?$/.test(program)) return undefined;
  const spec = words.find((word) => !word.startsWith('-') && word !== 'dlx');
  if (spec === undefined) return undefined;
  const at = spec.indexOf('@', 1);
  return at < 0 ? { name: spec } : { name: spec.slice(0, at), version: spec.slice(at + 1) };
}

/** The digests of a connected server's items. */
export async function itemsOf(client: McpClient, how: CallOptions): Promise<LockedServer['items']> {
  const has = client.capabilities ?? {};
  const { skills } = skillsOf(client) ? await listSkills(client, how) : { skills: [] };
  return digests({
    tools: has.tools ? await client.listTools(how) : [],
    prompts: has.prompts ? await client.listPrompts(how) : [],
    resourceTemplates: has.resources ? await client.listResourceTemplates(how) : [],
    skills,
  });
}

/** The digests of the items in a recording. A kind that the recording does not list is left out. */
export async function recordedItems({ lines }: Transcript): Promise<LockedServer['items']> {
  const asked = new Map<unknown, LockedKind>();
  const found: Partial<Record<LockedKind, unknown[]>> = {};
  for (const { from, json, raw } of lines) {
    if (raw || !isObject(json)) continue;
    const { id, method, params, result } = json;
    if (from === 'client' && typeof method === 'string' && Object.hasOwn(lists, method)) {
      const kind = lists[method as keyof typeof lists];
      asked.set(id, kind);
      // A list that is read again replaces the earlier one.
      if (!isObject(params) || params['cursor'] === undefined) found[kind] = [];
    }
    const kind = from === 'server' ? asked.get(id) : undefined;
    const items = kind && isObject(result) ? result[kind] : undefined;
    if (kind && Array.isArray(items)) found[kind] = [...found[kind] ?? [], ...items as unknown[]];
  }
  return digests(found);
}

async function digests(all: Readonly<Partial<Record<LockedKind, readonly unknown[]>>>): Promise<LockedServer['items']> {
  const locked: Partial<Record<LockedKind, Record<string, string>>> = {};
  for (const kind of lockedKinds) {
    const items = all[kind];
    if (!items) continue;
    const entries: [string, string][] = [];
    for (const item of items) entries.push([nameOf(kind, item), await digestOf(item)]);
    // No prototype, because a server chooses the names. Sorted, so that the file differs only if a server does.
    locked[kind] = Object.assign(Object.create(null) as Record<string, string>, Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))));
  }
  return locked;
}

function nameOf(kind: LockedKind, item: unknown): string {
  const name = isObject(item) ? item[kind === 'skills' ? 'uri' : 'name'] : undefined;
  if (typeof name !== 'string') throw new Error(`an item of ${kind} has no name`);
  return name;
}

/** Parses a lock. Throws an Error that describes the problem. */
export function parseLock(text: string): Lock {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw new Error(`it is not JSON: ${errorMessage(thrown)}`);
  }
  if (!isObject(value) || value['lockVersion'] !== 1 || !isObject(value['servers'])) throw new Error('it is not a lock of version 1');
  const servers = Object.entries(value['servers']);
  const isLocked = (one: unknown): one is LockedServer => isObject(one) && isObject(one['items'])
    && Object.entries(one['items']).every(([kind, items]) => (lockedKinds as readonly string[]).includes(kind)
      && isObject(items) && Object.values(items).every((digest) => typeof digest === 'string'));
  return {
    lockVersion: 1,
    servers: Object.fromEntries(servers.map(([name, one]) => {
      if (!isLocked(one)) throw new Error(`its entry of the server ${JSON.stringify(name.slice(0, 80))} is malformed`);
      return [name, one];
    })),
  };
}

/** A difference between the lock and the present server. */
export interface LockDifference {
  readonly server: string;
  /** `place`: the command line or the address. */
  readonly kind: LockedKind | 'place' | 'server';
  readonly name: string;
  readonly locked: string | undefined;
  readonly now: string | undefined;
}

/** The differences of one server. A kind that `now.items` does not have was not examined, and is not compared. */
export function compareLocked(server: string, locked: LockedServer | undefined, now: LockedServer, withPlace: boolean): LockDifference[] {
  if (!locked) return [{ server, kind: 'server', name: server, locked: undefined, now: 'there' }];
  const found: LockDifference[] = [];
  const [before, after] = [JSON.stringify([locked.command, locked.url, locked.package]), JSON.stringify([now.command, now.url, now.package])];
  if (withPlace && before !== after) found.push({ server, kind: 'place', name: '', locked: describe(locked), now: describe(now) });
  for (const kind of lockedKinds) {
    const [old, items] = [locked.items[kind] ?? {}, now.items[kind]];
    if (!items) continue;
    for (const name of [...new Set([...Object.keys(old), ...Object.keys(items)])].sort()) {
      const [was, is] = [Object.hasOwn(old, name) ? old[name] : undefined, Object.hasOwn(items, name) ? items[name] : undefined];
      if (was !== is) found.push({ server, kind, name, locked: was, now: is });
    }
  }
  return found;
}

const describe = ({ command, url }: LockedServer): string => url ?? command?.join(' ') ?? '';
