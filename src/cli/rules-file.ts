import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRules, rule, toolDigest } from '../host/index.ts';
import type { HostStore, Rule, ServerConfig } from '../host/index.ts';
import { resolvePath } from '../host/node/index.ts';
import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import type { Tool } from '../protocol/index.ts';
import { homeFolder } from './configuration.ts';
import { consentTo } from './consent.ts';
import type { CallConsent, ConsentOptions } from './consent.ts';
import { WrongUse } from './exit-codes.ts';
import { ruledNames } from './offered-tools.ts';
import type { KnownServer } from './offered-tools.ts';
import type { CommandProcess } from './command-process.ts';

/** The rules of a file, or of the user's `rules.json`; empty if that does not exist. Throws `WrongUse` that names the file. */
export function rulesOf(given: string | undefined, env: CommandProcess['env']): Rule[] {
  const file = given ?? join(homeFolder(env), 'rules.json');
  if (given === undefined && !existsSync(file)) return [];
  try {
    return readRules(JSON.parse(readFileSync(file, 'utf8')) as unknown);
  } catch (thrown) {
    throw new WrongUse(`${file}: ${errorMessage(thrown)}`);
  }
}

/** A call of one server's tool. */
export interface ServerToolCall extends KnownServer {
  /** The store of permanent grants. */
  readonly store: HostStore;
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * Decides about consent like `barewire host`: the first matching rule, then permanent grants, then `--yes`, `--allow` and
 * read-only annotations, then the person.
 */
export async function ruledConsent(rules: readonly Rule[], call: ServerToolCall, options: ConsentOptions): Promise<CallConsent> {
  const { server, name, store, tool, args } = call;
  const { server: known, identity } = ruledNames(call);
  const { verdict, at } = await rule(rules, { server: known, identity, trusted: server.trusted === true, tool, args }, resolvePath);
  if (verdict === 'deny') return { given: false, why: `rule ${at} denies it` };
  if (verdict === 'allow') return { given: true, why: `rule ${at} allows it` };
  if (at >= 0) {
    if (!options.ask) return { given: false, why: `rule ${at} asks, and nobody can be asked` };
    return consentTo(tool, args, { all: false, allowed: [], strict: true, ask: options.ask });
  }
  if (name !== undefined && await isGranted(store, identity, tool)) return { given: true, why: 'it was allowed permanently' };
  return consentTo(tool, args, { ...options, strict: options.strict || !isBelieved(server) });
}

/** Whether a server's read-only annotations are trusted. Those of a server configured by a folder are not. */
export const isBelieved = (server: ServerConfig | undefined): boolean => server?.folder === undefined;

/** Whether the person has permanently allowed this tool, with its present definition, in `barewire host`. */
async function isGranted(store: HostStore, server: string, tool: Tool): Promise<boolean> {
  const grants = await store.get('grants');
  if (!Array.isArray(grants)) return false;
  const digest = await toolDigest(tool);
  return grants.some((one: unknown) => isObject(one) && one['server'] === server && one['tool'] === tool.name && one['digest'] === digest && one['principal'] === 'user');
}
