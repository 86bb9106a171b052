import type { Clock } from '../../bounds/clock.ts';
import type { ClientInformation } from './client-authentication.ts';
import { keptDpopKey } from './dpop.ts';
import type { DpopKey, DpopReference } from './dpop.ts';
import type { Granted } from './grant.ts';
import { randomText } from './pkce.ts';
import { parseStored } from './store.ts';
import type { AuthorizationStore } from './store.ts';

/** Stored tokens, with everything that a refresh needs. */
export interface TokenRecord {
  readonly access_token: string;
  /** `bearer` or `dpop`. */
  readonly token_type: string;
  readonly refresh_token?: string | undefined;
  /** Milliseconds since the epoch; undefined if the server does not state the lifetime. */
  readonly expires_at?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly issued_at: number;
  /** The granted scopes, or the requested ones if the server does not state them (RFC 6749 section 5.1). */
  readonly scope?: string | undefined;
  /** All requested scopes, including those of earlier logins. */
  readonly requested_scope?: string | undefined;
  /**
   * The client that the tokens were issued to: a dynamic registration or a metadata document. Undefined if the program
   * provides it.
   */
  readonly client?: ClientInformation | undefined;
  readonly dpop?: DpopReference | undefined;
  readonly issuer: string;
  /** The id of the login, shared by all tokens that were refreshed from it. */
  readonly login: string;
}

/** Tokens in use, with their key. */
export interface Tokens extends TokenRecord {
  /** The stored text of these tokens, for compare-and-swap. */
  readonly text: string;
  readonly key: DpopKey | undefined;
}

/** The issuer and resource of an MCP server's tokens, stored under the server's URL. */
export interface ServerRecord {
  readonly issuer: string;
  readonly resource: string;
  readonly resourceMetadata?: string | undefined;
}

/** Facts about tokens that a token response does not contain. */
export interface About {
  readonly issuer: string;
  readonly requested: string | undefined;
  readonly dpop: DpopKey | undefined;
  /** Whether to store the client's credentials with the tokens, because the program does not provide them. */
  readonly keepClient: boolean;
  readonly clock: Clock;
  /** Default: a new login. */
  readonly login?: string | undefined;
}

/** The record of tokens that were granted or refreshed. */
export function recordOf(
  { tokens, client }: Granted, { issuer, requested, dpop, keepClient, clock, login = randomText() }: About,
): TokenRecord {
  const { access_token, token_type, refresh_token, expires_in, scope = requested } = tokens;
  const now = clock.now();
  return {
    access_token, token_type, refresh_token, scope, issuer, login, issued_at: now, requested_scope: requested,
    expires_at: expires_in === undefined ? undefined : now + expires_in * 1000,
    client: keepClient ? client : undefined,
    dpop: token_type === 'dpop' ? dpop?.reference : undefined,
  };
}

/**
 * Reads tokens from the store. If their DPoP key is lost, they are useless: removes them, and calls `dropped` with the
 * reason.
 */
export async function readTokens(
  store: AuthorizationStore, name: string, dropped: (why: string) => void,
): Promise<Tokens | undefined> {
  const text = await store.get(name);
  const record = parseStored(text) as TokenRecord | undefined;
  if (text === undefined || typeof record?.access_token !== 'string' || typeof record.issuer !== 'string' || typeof record.login !== 'string') return undefined;
  const key = record.dpop && await keptDpopKey(store, record.dpop);
  if (record.token_type === 'dpop' && key === undefined) {
    await store.update(name, text, undefined);
    dropped(`the DPoP key of the tokens for ${record.issuer} is lost: they are dropped`);
    return undefined;
  }
  return { ...record, text, key };
}

/** Removes these tokens and their key, but not tokens that another process has stored since. */
export async function removeTokens(store: AuthorizationStore, name: string, { text, dpop }: Tokens): Promise<void> {
  if (await store.update(name, text, undefined) && dpop && 'id' in dpop) await store.keys?.delete(dpop.id);
}
