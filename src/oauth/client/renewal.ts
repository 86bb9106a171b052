import { systemClock } from '../../bounds/clock.ts';
import { OAuthError, shown } from '../errors.ts';
import type { FetchOptions } from '../fetch-json.ts';
import { legacyServer } from '../authorization-server-metadata.ts';
import type { OAuthChallenge } from './challenge.ts';
import { withClaim } from './claim.ts';
import { discover, knownServer } from './authorization-server-location.ts';
import type { ChooseIssuer, Discovery } from './authorization-server-location.ts';
import { makeDpopKey } from './dpop.ts';
import type { DpopNonces } from './dpop.ts';
import type { Grant, Granted } from './grant.ts';
import type { OAuthLimits } from './limits.ts';
import type { PendingLogin } from './pending-logins.ts';
import { refresh } from './refresh.ts';
import { registrationKey } from './registration.ts';
import { coversScope, scopeToAsk, unionOfScopes } from './scope.ts';
import { swap } from './store.ts';
import type { AuthorizationStore } from './store.ts';
import { storedTokens } from './stored-tokens.ts';
import type { StoredTokens } from './stored-tokens.ts';
import { recordOf } from './tokens.ts';
import type { ServerRecord, Tokens } from './tokens.ts';

/** The input for renewing the tokens of one MCP server. */
export interface RenewalOptions {
  readonly server: URL;
  readonly grant: Grant;
  readonly store: AuthorizationStore;
  /** Scopes that are always requested. */
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
export interface TokenNeed {
  /** The server's challenge. Undefined: an early refresh. */
  readonly challenge?: OAuthChallenge | undefined;
  /** The access token that is no longer useful. */
  readonly used?: string | undefined;
  /** Scopes that the current tokens lack. */
  readonly scope?: string | undefined;
}

/** The tokens of one MCP server: read from the store, renewed by one process for all, and stored. */
export interface Renewal {
  /** The tokens in the store. */
  load(): Promise<Tokens | undefined>;
  /**
   * Gets tokens that satisfy the need: stored by another process, refreshed, or granted. Without a challenge, no grant is
   * requested: undefined if there is nothing to refresh.
   */
  renew(need: TokenNeed): Promise<Tokens | undefined>;
  finish(response: URL): Promise<Tokens | undefined>;
  signOut(): Promise<void>;
}

/** The options of a renewal, and the tokens that it renews. */
interface RenewalParts extends RenewalOptions {
  readonly tokens: StoredTokens;
  /** Whether to store the client's credentials with the tokens. */
  readonly keepClient: boolean;
}

/** Reads, renews and stores the tokens of one MCP server. Sends no request before a call. */
export function renewal(options: RenewalOptions): Renewal {
  const { server, grant, store, limits, nonces, fetch } = options;
  const { clock = systemClock } = fetch;
  const tokens = storedTokens(store, grant.client, server, options.onError);
  const parts: RenewalParts = { ...options, tokens, keepClient: grant.credentials === undefined };

  function checkLogin({ resource, resourceParameter }: PendingLogin): void {
    const expected = parameterOf(options, resource);
    if (resourceParameter === expected) return;
    throw new OAuthError('login_mismatch', `the login of this response has the resource ${shown(resourceParameter)}, expected ${shown(expected)}`);
  }

  return {
    load: tokens.load,
    renew: (need) => withClaim({ store, key: `claim ${grant.client} ${server.href}`, claimMs: limits.claimMs, clock }, async () => {
      const kept = await tokens.load();
      if (kept && answers(kept, need, clock.now())) return kept;
      const { challenge } = need;
      const known = await tokens.place();
      const found = challenge && await discover(
        server, { ...challenge, resourceMetadata: challenge.resourceMetadata ?? known?.resourceMetadata }, options.choose, fetch,
      );
      if (known && found && found.authorizationServer.issuer !== known.issuer) await leave(parts, known, kept, found);
      else if (known && kept && need.scope === undefined) {
        const fresh = await refreshed(parts, known, kept, found);
        if (fresh) return fresh;
      }
      return found && grantAnew(parts, found, need, kept?.issuer === found.authorizationServer.issuer ? kept : undefined);
    }),
    async finish(response) {
      if (!grant.finish) throw new OAuthError('unsupported', 'finish: this grant has no authorization response');
      const finished = await grant.finish(response, {
        store, nonces, options: fetch, server: server.href, check: checkLogin, discover: (issuer) => serverOf(options, issuer),
      });
      if (finished === undefined) return undefined;
      const { login: { issuer, resource, resourceMetadata, scope }, dpop } = finished;
      if (options.dpop === true) checkBound(finished, issuer);
      const record = recordOf(finished, { issuer, requested: scope, dpop, keepClient: parts.keepClient, clock });
      const saved = await tokens.save({ issuer, resource, resourceMetadata }, record, dpop);
      // The program may end right after a login, so the tokens must be stored before this resolves.
      if (tokens.unsaved) throw tokens.unsaved;
      return saved;
    },
    signOut: tokens.clear,
  };
}

/** Removes the tokens and registration of the old authorization server, after the resource has named another one. */
async function leave(
  { grant, store, tokens }: RenewalParts, known: ServerRecord, kept: Tokens | undefined, { authorizationServer: { issuer } }: Discovery,
): Promise<void> {
  if (grant.credentials && grant.issuer === undefined) {
    // 2026-07-28 basic/authorization/client-registration#authorization-server-binding.
    throw new OAuthError('issuer_changed', `client ${shown(grant.client)} was used with ${shown(known.issuer)}, and the server now names ${shown(issuer)}: its credentials are not sent there`);
  }
  if (kept) await tokens.remove(known, kept);
  await swap(store, registrationKey(grant.client, known.issuer), () => undefined);
}

/** Refreshes tokens. Undefined if that is not possible, or if the server refuses and the store has no other tokens. */
async function refreshed(parts: RenewalParts, known: ServerRecord, kept: Tokens, found: Discovery | undefined): Promise<Tokens | undefined> {
  const { grant, store, tokens, nonces, fetch, keepClient } = parts;
  const client = grant.credentials?.(known.issuer) ?? kept.client;
  if (kept.refresh_token === undefined || client === undefined) return undefined;
  const result = await refresh({
    tokens: kept, client, server: found?.authorizationServer ?? await serverOf(parts, known.issuer),
    resource: parameterOf(parts, known.resource), nonces, options: fetch,
  });
  if (typeof result === 'object') {
    return tokens.replace(known, kept, recordOf(result, {
      issuer: known.issuer, requested: kept.requested_scope, dpop: kept.key, login: kept.login, keepClient, clock: parts.fetch.clock ?? systemClock,
    }));
  }
  // Another process may have refreshed the tokens without the claim, so remove only those that failed.
  await tokens.remove(known, kept);
  if (result === 'client') await swap(store, registrationKey(grant.client, known.issuer), () => undefined);
  return tokens.load();
}

async function grantAnew(parts: RenewalParts, discovery: Discovery, need: TokenNeed, kept: Tokens | undefined): Promise<Tokens | undefined> {
  const { server, grant, store, tokens, nonces, fetch, limits, keepClient } = parts;
  const { authorizationServer: { issuer }, protectedResource, resource, resourceMetadata } = discovery;
  // 2026-07-28 basic/authorization#step-up-authorization-flow: the union.
  const scope = unionOfScopes(parts.scope, kept?.requested_scope, kept?.scope, need.scope ?? scopeToAsk(need.challenge?.scope, protectedResource?.scopes_supported));
  const wish = dpopWish(parts.dpop, discovery, need.challenge);
  const dpop = wish && (kept?.key ?? await makeDpopKey(store));
  const granted = await grant.obtain({
    discovery, scope, resource: parameterOf(parts, resource), dpop, nonces, store, options: fetch, limits, server: server.href,
  });
  if (wish === 'required') checkBound(granted, issuer);
  return tokens.save({ issuer, resource, resourceMetadata }, recordOf(granted, { issuer, requested: scope, dpop, keepClient, clock: parts.fetch.clock ?? systemClock }), dpop);
}

/** The metadata of the issuer of the tokens, without a request to the MCP server. */
function serverOf({ server, fetch }: RenewalOptions, issuer: string): Promise<Discovery['authorizationServer']> {
  return issuer === server.origin ? legacyServer(issuer, fetch) : knownServer(issuer, fetch);
}

/** The `resource` parameter for this resource; undefined: leave it out. */
const parameterOf = (options: RenewalOptions, resource: string): string | undefined =>
  options.resource === false ? undefined : options.resource ?? resource;

/**
 * Whether tokens are to be bound to a key: `required` if the program or server demands it, `offered` if both servers
 * support it. `wanted`: the program's option.
 */
function dpopWish(
  wanted: boolean | undefined, { authorizationServer, protectedResource }: Discovery, challenge: OAuthChallenge | undefined,
): 'required' | 'offered' | undefined {
  if (wanted === false) return undefined;
  const { issuer, dpop_signing_alg_values_supported: offered } = authorizationServer;
  const required = wanted === true || protectedResource?.dpop_bound_access_tokens_required === true;
  if (required && offered && !offered.includes('ES256')) {
    throw new OAuthError('unsupported', `authorization server metadata of ${shown(issuer)}: dpop_signing_alg_values_supported has no ES256, which this client signs with`);
  }
  if (required) return 'required';
  const asked = challenge?.dpop === true || protectedResource?.dpop_signing_alg_values_supported?.includes('ES256') === true;
  return asked && offered?.includes('ES256') ? 'offered' : undefined;
}

/** RFC 9449 section 5: a server may still issue a bearer token, and the client must refuse it. */
function checkBound({ tokens: { token_type } }: Granted, issuer: string): void {
  if (token_type === 'dpop') return;
  throw new OAuthError('unsupported', `the token endpoint of ${shown(issuer)}: token_type is ${shown(token_type)}, expected DPoP, a token bound to the key`);
}

/** Whether tokens that another process has stored satisfy the need. */
function answers(tokens: Tokens, { used, scope }: TokenNeed, now: number): boolean {
  return tokens.access_token !== used
    && (tokens.expires_at === undefined || tokens.expires_at > now)
    && (scope === undefined || coversScope(tokens.requested_scope, scope) || coversScope(tokens.scope, scope));
}
