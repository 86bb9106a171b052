import { toError } from '../../jsonrpc/internal-exports.ts';
import type { DpopKey } from './dpop.ts';
import { parseStored, swap } from './store.ts';
import type { AuthorizationStore } from './store.ts';
import { readTokens, removeTokens } from './tokens.ts';
import type { ServerRecord, TokenRecord, Tokens } from './tokens.ts';

/** The stored tokens of one client for one MCP server. */
export interface StoredTokens {
  /** The issuer and resource of the tokens; undefined before the first login. */
  place(): Promise<ServerRecord | undefined>;
  load(): Promise<Tokens | undefined>;
  /** Stores the tokens of a new login. If that fails, they are still used, and the next call stores them. */
  save(place: ServerRecord, record: TokenRecord, key: DpopKey | undefined): Promise<Tokens | undefined>;
  /** Stores refreshed tokens likewise. If the store has other tokens by then, it returns those instead. */
  replace(place: ServerRecord, before: Tokens, record: TokenRecord): Promise<Tokens | undefined>;
  /** Removes these tokens, but not tokens that another process has stored since. */
  remove(place: ServerRecord, tokens: Tokens): Promise<void>;
  /** Removes the tokens in the store. */
  clear(): Promise<void>;
  /** The error if the tokens in use could not be stored; otherwise undefined. */
  readonly unsaved: Error | undefined;
}

/** Writes the text of tokens into the store. False: another process has replaced the old text. */
type Keep = (text: string) => Promise<boolean>;

/**
 * Tokens that could not be stored, for example because the disk is full. The authorization server no longer accepts older
 * ones.
 */
interface OwedTokens {
  readonly tokens: Tokens;
  readonly keep: Keep;
  readonly error: Error;
}

/** Tokens with a record and key that are not in the store yet. */
const inUse = (record: TokenRecord, key: DpopKey | undefined): Tokens => ({ ...record, text: JSON.stringify(record), key });

/** `client` identifies the client, so that several clients can share a store. */
export function storedTokens(store: AuthorizationStore, client: string, server: URL, onError: (error: Error) => void): StoredTokens {
  const serverKey = `server ${client} ${server.href}`;
  // The key contains the server: several servers may name one resource (a whole host), but each has its own logins and
  // tokens.
  const tokensKey = ({ issuer, resource }: ServerRecord): string => `tokens ${client} ${server.href} ${issuer} ${resource}`;
  let owed: OwedTokens | undefined;

  async function place(): Promise<ServerRecord | undefined> {
    const { issuer, resource, resourceMetadata } = parseStored(await store.get(serverKey)) ?? {};
    if (typeof issuer !== 'string' || typeof resource !== 'string') return undefined;
    return { issuer, resource, resourceMetadata: typeof resourceMetadata === 'string' ? resourceMetadata : undefined };
  }

  async function load(): Promise<Tokens | undefined> {
    if (owed) return keepOrOwe(owed.tokens, owed.keep);
    const found = await place();
    return found && readTokens(store, tokensKey(found), (why) => onError(new Error(why)));
  }

  async function keepOrOwe(tokens: Tokens, keep: Keep): Promise<Tokens | undefined> {
    let isKept: boolean;
    try {
      isKept = await keep(tokens.text);
    } catch (thrown) {
      owed = { tokens, keep, error: toError(thrown) };
      onError(owed.error);
      return tokens;
    }
    owed = undefined;
    return isKept ? tokens : load();
  }

  async function remove(where: ServerRecord, tokens: Tokens): Promise<void> {
    if (owed) await swap(store, tokensKey(where), () => undefined);
    else await removeTokens(store, tokensKey(where), tokens);
    owed = undefined;
  }

  return {
    place, load,
    save: (where, record, key) => keepOrOwe(inUse(record, key), async (newest) => {
      await swap(store, tokensKey(where), () => newest);
      await swap(store, serverKey, () => JSON.stringify(where));
      return true;
    }),
    // If a login has replaced the tokens, or somebody has signed out meanwhile, that state is kept.
    replace: (where, before, record) =>
      keepOrOwe(inUse(record, before.key), owed?.keep ?? ((newest) => store.update(tokensKey(where), before.text, newest))),
    remove,
    async clear() {
      owed = undefined;
      const where = await place();
      const kept = await load();
      if (where && kept) await remove(where, kept);
    },
    get unsaved() {
      return owed?.error;
    },
  };
}
