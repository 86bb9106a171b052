import type { Clock } from '../../bounds/clock.ts';
import type { ClientInformation } from './client-authentication.ts';
import { keptDpopKey } from './dpop.ts';
import type { DpopKey, DpopReference } from './dpop.ts';
import type { Granted } from './grant.ts';
import { randomText } from './pkce.ts';
import { parseStored } from './store.ts';
import type { AuthorizationStore } from './store.ts';

/** Tokens as they are stored, with everything that a refresh needs. */
export interface TokenRecord {
  readonly access_token: string;
  /** `bearer` or `dpop`. */
  readonly token_type: string;
  readonly refresh_token?: string | undefined;
  /** Milliseconds since the epoch; undefined if the server does not say. */
  readonly expires_at?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly issued_at: number;
  /** The scopes that were granted; if the server did not say, those that were asked for (RFC 6749 section 5.1). */
  readonly scope?: string | undefined;
  /** All scopes that were ever asked for. */
  readonly requested_scope?: string | undefined;
  /**
   * The client that they were issued to, unless the program gives it: a dynamic registration, or a metadata document.
   */
  readonly client?: ClientInformation | undefined;
  readonly dpop?: DpopReference | undefined;
  readonly issuer: string;
  /** The id of the login: all tokens that were refreshed from it have the same, and no others do. */
  readonly login: string;
}

/** Tokens in use, with their key. */
export interface Tokens extends TokenRecord {
  /** The stored text of these tokens, for compare-and-swap. */
  readonly text: string;
  readonly key: DpopKey | undefined;
}

/** The place of an MCP server's tokens: stored under its URL. */
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
  /** Whether to store the client's credentials beside the tokens, because the program does not give them. */
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
 * Reads tokens from the store. Tokens whose DPoP key is lost are useless: they are removed, and `dropped` is called
 * with the reason.
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

/** Removes exactly these tokens, and their key; tokens that another process has written since stay. */
export async function removeTokens(store: AuthorizationStore, name: string, { text, dpop }: Tokens): Promise<void> {
  if (await store.update(name, text, undefined) && dpop && 'id' in dpop) await store.keys?.delete(dpop.id);
}
