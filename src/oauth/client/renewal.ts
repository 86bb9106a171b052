import { toError } from '../../jsonrpc/door.ts';
import { OAuthError, shown } from '../errors.ts';
import type { FetchOptions } from '../fetch-json.ts';
import type { OAuthChallenge } from './challenge.ts';
import { withClaim } from './claim.ts';
import { discover, knownServer, legacyServer } from './discovery.ts';
import type { ChooseIssuer, Discovery } from './discovery.ts';
import { makeDpopKey } from './dpop.ts';
import type { DpopKey, DpopNonces } from './dpop.ts';
import type { Grant, Granted } from './grant.ts';
import type { OAuthLimits } from './limits.ts';
import type { PendingLogin } from './pending-logins.ts';
import { refresh } from './refresh.ts';
import { registrationKey } from './registration.ts';
import { coversScope, unionOfScopes } from './scope.ts';
import { parseStored, swap } from './store.ts';
import type { AuthorizationStore } from './store.ts';
import { readTokens, recordOf, removeTokens } from './tokens.ts';
import type { ServerRecord, TokenRecord, Tokens } from './tokens.ts';

/** The input for renewing the tokens of one MCP server. */
export interface RenewalOptions {
  readonly server: URL;
  readonly grant: Grant;
  readonly store: AuthorizationStore;
  /** Scopes to ask for always. */
  readonly scope: string | undefined;
  /** The `resource` parameter; undefined: take it from the metadata; false: leave it out. */
  readonly resource: string | false | undefined;
  /** Undefined: use DPoP if the server asks for it. */
  readonly dpop: boolean | undefined;
  readonly choose: ChooseIssuer;
  readonly nonces: DpopNonces;
  readonly fetch: FetchOptions;
  readonly limits: OAuthLimits;
  readonly onError: (error: Error) => void;
}

/** The reason for new tokens. */
export interface Need {
  /** The server's challenge. Undefined: an early refresh. */
  readonly challenge?: OAuthChallenge | undefined;
  /** The access token that is no longer useful. */
  readonly used?: string | undefined;
  /** Scopes that the current tokens lack. */
  readonly scope?: string | undefined;
}

/** The tokens of one MCP server: read, renewed by one process for all, and stored. */
export interface Renewal {
  /** The tokens in the store. */
  load(): Promise<Tokens | undefined>;
  /**
   * Tokens that satisfy the need: from another process, refreshed, or granted. Undefined: there are none, and nobody
   * was asked for them.
   */
  renew(need: Need): Promise<Tokens | undefined>;
  finish(response: URL): Promise<Tokens | undefined>;
  signOut(): Promise<void>;
}

/** Writes the text of tokens into the store. False: another process has replaced the old text. */
type Keep = (text: string) => Promise<boolean>;

/** Reads, renews and keeps the tokens of one MCP server. Sends no request before a call. */
export function renewal(options: RenewalOptions): Renewal {
  const { server, grant, store, limits, nonces, fetch } = options;
  const keepClient = grant.credentials === undefined;
  const serverKey = `server ${grant.client} ${server.href}`;
  // The key contains the server: several servers may name one resource (a whole host), and each has the tokens of its
  // own logins.
  const tokensKey = ({ issuer, resource }: ServerRecord): string => `tokens ${grant.client} ${server.href} ${issuer} ${resource}`;

  async function knownRecord(): Promise<ServerRecord | undefined> {
    const { issuer, resource, resourceMetadata } = parseStored(await store.get(serverKey)) ?? {};
    if (typeof issuer !== 'string' || typeof resource !== 'string') return undefined;
    return { issuer, resource, resourceMetadata: typeof resourceMetadata === 'string' ? resourceMetadata : undefined };
  }

  /**
   * Tokens that could not be stored, for example because the disk is full; the authorization server no longer accepts
   * older ones.
   */
  let owed: { readonly tokens: Tokens; readonly keep: Keep; readonly error: Error } | undefined;

  async function load(): Promise<Tokens | undefined> {
    if (owed) return keepOrOwe(owed.tokens, owed.keep);
    const record = await knownRecord();
    return record && readTokens(store, tokensKey(record), (why) => options.onError(new Error(why)));
  }

  /** Stores tokens. If that fails, they are used all the same, and stored at the next call. */
  async function keepOrOwe(tokens: Tokens, keep: Keep): Promise<Tokens | undefined> {
    let isKept: boolean;
    try {
      isKept = await keep(tokens.text);
    } catch (thrown) {
      owed = { tokens, keep, error: toError(thrown) };
      options.onError(owed.error);
      return tokens;
    }
    owed = undefined;
    return isKept ? tokens : load();
  }

  async function save(where: ServerRecord, record: TokenRecord, key: DpopKey | undefined): Promise<Tokens | undefined> {
    const text = JSON.stringify(record);
    return keepOrOwe({ ...record, text, key }, async (newest) => {
      await swap(store, tokensKey(where), () => newest);
      await swap(store, serverKey, () => JSON.stringify(where));
      return true;
    });
  }

  async function renew(need: Need): Promise<Tokens | undefined> {
    return withClaim({ store, key: `claim ${grant.client} ${server.href}`, claimMs: limits.claimMs }, async () => {
      const kept = await load();
      if (kept && answers(kept, need)) return kept;
      const { challenge } = need;
      const known = await knownRecord();
      const found = challenge && await discover(
        server, { ...challenge, resourceMetadata: challenge.resourceMetadata ?? known?.resourceMetadata }, options.choose, fetch,
      );
      if (known && found && found.authorizationServer.issuer !== known.issuer) await leave(known, kept, found);
      else if (known && kept && need.scope === undefined) {
        const fresh = await refreshed(known, kept, found);
        if (fresh) return fresh;
      }
      return found && grantAnew(found, need, kept?.issuer === found.authorizationServer.issuer ? kept : undefined);
    });
  }

  /** The resource now has another authorization server: nothing of the old one is used or kept. */
  async function leave(known: ServerRecord, kept: Tokens | undefined, { authorizationServer: { issuer } }: Discovery): Promise<void> {
    if (grant.credentials && grant.issuer === undefined) {
      // 2026-07-28 basic/authorization/client-registration#authorization-server-binding.
      throw new OAuthError('issuer_changed', `client ${shown(grant.client)} was used with ${shown(known.issuer)}, and the server now names ${shown(issuer)}: its credentials are not sent there`);
    }
    if (kept) await removeTokens(store, tokensKey(known), kept);
    await swap(store, registrationKey(grant.client, known.issuer), () => undefined);
  }

  async function refreshed(known: ServerRecord, kept: Tokens, found: Discovery | undefined): Promise<Tokens | undefined> {
    const client = grant.credentials?.(known.issuer) ?? kept.client;
    if (kept.refresh_token === undefined || client === undefined) return undefined;
    const authorizationServer = found?.authorizationServer ?? await serverOf(known.issuer);
    const result = await refresh({
      tokens: kept, client, server: authorizationServer, resource: parameterOf(known.resource), nonces, options: fetch,
    });
    if (typeof result === 'object') {
      const record = recordOf(result, {
        issuer: known.issuer, requested: kept.requested_scope, dpop: kept.key, login: kept.login, keepClient,
      });
      const text = JSON.stringify(record);
      // If a login has replaced the tokens meanwhile, or somebody has signed out, that state counts.
      return keepOrOwe({ ...record, text, key: kept.key }, owed?.keep ?? ((newest) => store.update(tokensKey(known), kept.text, newest)));
    }
    // Another process may have refreshed them without the claim: remove only the tokens that failed.
    if (owed) await swap(store, tokensKey(known), () => undefined);
    else await removeTokens(store, tokensKey(known), kept);
    owed = undefined;
    if (result === 'client') await swap(store, registrationKey(grant.client, known.issuer), () => undefined);
    return load();
  }

  /** The metadata of the issuer of the tokens, without a request to the MCP server. */
  function serverOf(issuer: string): Promise<Discovery['authorizationServer']> {
    return issuer === server.origin ? legacyServer(issuer, fetch) : knownServer(issuer, fetch);
  }

  async function grantAnew(discovery: Discovery, need: Need, kept: Tokens | undefined): Promise<Tokens | undefined> {
    const { authorizationServer: { issuer }, protectedResource, resource, resourceMetadata } = discovery;
    // 2026-07-28 basic/authorization#scope-selection-strategy, and the union of #step-up-authorization-flow.
    const asked = need.challenge?.scope ?? protectedResource?.scopes_supported?.join(' ');
    const scope = unionOfScopes(options.scope, kept?.requested_scope, kept?.scope, need.scope ?? asked);
    const wish = dpopWish(discovery, need.challenge);
    const dpop = wish && (kept?.key ?? await makeDpopKey(store));
    const granted = await grant.obtain({
      discovery, scope, resource: parameterOf(resource), dpop, nonces, store, options: fetch, limits, server: server.href,
    });
    if (wish === 'required') checkBound(granted, issuer);
    const record = recordOf(granted, { issuer, requested: scope, dpop, keepClient });
    return save({ issuer, resource, resourceMetadata }, record, dpop);
  }

  /** Whether tokens are bound to a key: required if the server demands it, offered if both servers support it. */
  function dpopWish({ authorizationServer, protectedResource }: Discovery, challenge: OAuthChallenge | undefined): 'required' | 'offered' | undefined {
    if (options.dpop === false) return undefined;
    const { issuer, dpop_signing_alg_values_supported: offered } = authorizationServer;
    const required = options.dpop === true || protectedResource?.dpop_bound_access_tokens_required === true;
    if (required && offered && !offered.includes('ES256')) {
      throw new OAuthError('unsupported', `authorization server metadata of ${shown(issuer)}: dpop_signing_alg_values_supported has no ES256, which this client signs with`);
    }
    if (required) return 'required';
    const asked = challenge?.dpop === true || protectedResource?.dpop_signing_alg_values_supported?.includes('ES256') === true;
    return asked && offered?.includes('ES256') ? 'offered' : undefined;
  }

  const parameterOf = (resource: string): string | undefined =>
    options.resource === false ? undefined : options.resource ?? resource;

  function checkLogin({ resource, resourceParameter }: PendingLogin): void {
    const expected = parameterOf(resource);
    if (resourceParameter === expected) return;
    throw new OAuthError('login_mismatch', `the login that this response answers has the resource ${shown(resourceParameter)}, expected ${shown(expected)}`);
  }

  async function finish(response: URL): Promise<Tokens | undefined> {
    if (!grant.finish) throw new OAuthError('unsupported', 'finish: this grant has no authorization response');
    const finished = await grant.finish(response, {
      store, nonces, options: fetch, server: server.href, check: checkLogin, discover: serverOf,
    });
    if (finished === undefined) return undefined;
    const { login: { issuer, resource, resourceMetadata, scope }, dpop } = finished;
    if (options.dpop === true) checkBound(finished, issuer);
    const tokens = await save({ issuer, resource, resourceMetadata }, recordOf(finished, { issuer, requested: scope, dpop, keepClient }), dpop);
    // The program may end right after it has finished a login, so store the tokens before that.
    if (owed) throw owed.error;
    return tokens;
  }

  async function signOut(): Promise<void> {
    owed = undefined;
    const known = await knownRecord();
    const kept = await load();
    if (known && kept) await removeTokens(store, tokensKey(known), kept);
  }

  return { load, renew, finish, signOut };
}

/** RFC 9449 section 5: a server may issue a bearer token all the same, and the client must refuse it. */
function checkBound({ tokens: { token_type } }: Granted, issuer: string): void {
  if (token_type === 'dpop') return;
  throw new OAuthError('unsupported', `the token endpoint of ${shown(issuer)}: token_type is ${shown(token_type)}, expected DPoP, a token bound to the key`);
}

/** Whether tokens that another process has stored meanwhile satisfy the need. */
function answers(tokens: Tokens, { used, scope }: Need): boolean {
  return tokens.access_token !== used
    && (tokens.expires_at === undefined || tokens.expires_at > Date.now())
    && (scope === undefined || coversScope(tokens.requested_scope, scope) || coversScope(tokens.scope, scope));
}

