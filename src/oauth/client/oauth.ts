import type { HttpAuthorization, HttpRefusal, HttpTarget } from '../../transport/http/client/authorization.ts';
import { toError } from '../../jsonrpc/errors.ts';
import { OAuthError, shown } from '../errors.ts';
import { fetchJson } from '../fetch-json.ts';
import { addressCheck, checkSecure } from './addresses.ts';
import type { Lookup } from './addresses.ts';
import { oauthChallenge } from './challenge.ts';
import { DpopNonces, dpopProof } from './dpop.ts';
import type { ChooseIssuer } from './discovery.ts';
import type { Grant } from './grant.ts';
import { defaultOAuthLimits } from './limits.ts';
import type { OAuthLimits } from './limits.ts';
import { refreshTime } from './refresh.ts';
import { renewal } from './renewal.ts';
import type { Need, Renewal } from './renewal.ts';
import { coversScope, unionOfScopes } from './scope.ts';
import { memoryStore } from './store.ts';
import type { AuthorizationStore } from './store.ts';
import type { Tokens } from './tokens.ts';

/** How a client gets in at one MCP server. */
export interface OAuthOptions {
  /** How tokens are got: `authorizationCode`, `clientCredentials`, `jwtBearer`, `enterpriseManaged`. */
  readonly grant: Grant;
  /** The MCP server, where tokens may be needed before its first request. Default: the first request's URL. */
  readonly server?: string | URL | undefined;
  /** Default: memory, for as long as the process lives. */
  readonly store?: AuthorizationStore | undefined;
  /** Scopes that are always asked for, separated by spaces; those that the server asks for are added. */
  readonly scope?: string | undefined;
  /** The `resource` parameter, or false to leave it out. Default: the identifier in the server's metadata, byte for byte. */
  readonly resource?: string | false | undefined;
  /** True: tokens bound to a key, or none; false: never. Default: where the MCP server asks for it (RFC 9449). */
  readonly dpop?: boolean | undefined;
  /** Chooses among several authorization servers. Default: the one that the grant's credentials are for, else the first. */
  readonly chooseIssuer?: ChooseIssuer | undefined;
  /**
   * Lets a public MCP server name authorization servers on private addresses. False: literal private addresses and
   * local names are refused; other names are judged only with `lookup`.
   */
  readonly allowPrivateAddresses?: boolean | undefined;
  /** Resolves a host name, so that one with a private address is refused as well. */
  readonly lookup?: Lookup | undefined;
  /** For metadata, registration and tokens. Default: the runtime's own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly limits?: Partial<OAuthLimits> | undefined;
  /** What went wrong beside a request: a refresh ahead of time that failed, tokens that were dropped. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** The authorization of one MCP server, for `httpTransport(url, { auth })`. */
export interface OAuth extends HttpAuthorization {
  /**
   * Takes the URL that the authorization server redirected to, where this program receives it: also for a login that
   * another process or an earlier page began, given the same store. Rejects with `OAuthError` where it answers none.
   */
  finish(response: string | URL): Promise<void>;
  /**
   * Gets tokens before the first request, where the server wants some and there are none: a login then takes as long as
   * the person needs, and no request of the client's runs out of time meanwhile. Needs the option `server`.
   */
  authorize(): Promise<void>;
  /** Removes the tokens of this server from the store. */
  signOut(): Promise<void>;
}

/** Milliseconds until a refresh ahead of time that failed is tried again. */
const refreshPauseMs = 5000;

/**
 * Gets a client in: finds the authorization server, registers, gets tokens by the grant, sends them with every request
 * to the MCP server's origin and nowhere else, and renews them. One object for one MCP server.
 *
 * What fails rejects the MCP request with an `OAuthError`, whose `code` is stable.
 */
export function oauth(options: OAuthOptions): OAuth {
  const { grant, store = memoryStore(), onError = () => {} } = options;
  const limits = { ...defaultOAuthLimits, ...options.limits };
  const nonces = new DpopNonces();
  const jitter = Math.random();
  const flights = new Map<string, Promise<void>>();
  let server = options.server === undefined ? undefined : new URL(options.server);
  let renewing: Renewal | undefined;
  let tokens: Tokens | undefined;
  let loaded = false;
  let refreshPausedUntil = 0;
  /** The last access token that was granted, not refreshed. */
  let granted: string | undefined;
  /** Which request header fields were made for, and how many requests there had been when a login failed. */
  const requestOf = new WeakMap<object, number>();
  let requests = 0;
  let failure: { readonly error: unknown; readonly requests: number } | undefined;

  function tokensOf(target: URL): Renewal {
    server ??= target;
    if (target.origin !== server.origin) {
      throw new OAuthError('other_origin', `these tokens are for ${server.origin}, and not for ${target.origin}: make another oauth() for it`);
    }
    if (renewing === undefined) {
      checkSecure(server, 'the MCP server');
      renewing = renewal({
        server, grant, store, limits, nonces, onError, choose,
        scope: options.scope, resource: options.resource, dpop: options.dpop,
        fetch: {
          limits, fetch: options.fetch,
          allow: addressCheck({ server, allowPrivate: options.allowPrivateAddresses === true, lookup: options.lookup }),
        },
      });
    }
    return renewing;
  }

  const choose: ChooseIssuer = (issuers) =>
    options.chooseIssuer?.(issuers) ?? issuers.find((issuer) => issuer === grant.issuer) ?? issuers[0] as string;

  /** Runs what renews tokens once for all requests that need the same at the same time. They share its failure, too. */
  function once(key: string, work: () => Promise<void>): Promise<void> {
    const running = flights.get(key) ?? work().finally(() => flights.delete(key));
    flights.set(key, running);
    return running;
  }

  function renew(renewal: Renewal, need: Need): Promise<void> {
    return once(`${need.used ?? ''} ${need.scope ?? ''} ${need.challenge === undefined}`, async () => {
      const before = tokens;
      try {
        tokens = await renewal.renew(need) ?? tokens;
      } catch (error) {
        if (need.challenge !== undefined) failure = { error, requests };
        throw error;
      }
      if (tokens !== before && need.challenge !== undefined) granted = tokens?.access_token;
    });
  }

  async function headers(target: HttpTarget): Promise<Record<string, string>> {
    const fields = await fieldsFor(target);
    requestOf.set(fields, ++requests);
    return fields;
  }

  async function load(renewal: Renewal): Promise<void> {
    if (!loaded) await once('load', async () => {
      tokens = await renewal.load();
      loaded = true;
    });
  }

  async function fieldsFor({ method, url }: HttpTarget): Promise<Record<string, string>> {
    const renewal = tokensOf(new URL(url));
    await load(renewal);
    if (tokens) await refreshAhead(renewal, tokens);
    if (tokens === undefined) return {};
    const { access_token: accessToken, key } = tokens;
    if (key === undefined) return { authorization: `Bearer ${accessToken}` };
    return {
      authorization: `DPoP ${accessToken}`,
      dpop: await dpopProof(key, { method, url, accessToken, nonce: nonces.get(url) }),
    };
  }

  async function refreshAhead(renewal: Renewal, held: Tokens): Promise<void> {
    const due = refreshTime(held, jitter);
    const now = Date.now();
    if (held.refresh_token === undefined || due === undefined || now < due || now < refreshPausedUntil) return;
    try {
      await renew(renewal, { used: held.access_token });
    } catch (thrown) {
      // The server may take the old token still, and will say so where it does not.
      refreshPausedUntil = now + refreshPauseMs;
      onError(toError(thrown));
    }
  }

  async function refused({ status, url, header, sent, attempt }: HttpRefusal): Promise<boolean> {
    const renewal = tokensOf(new URL(url));
    const freshNonce = nonces.note(url, header('dpop-nonce'));
    const challenge = oauthChallenge(header('www-authenticate'));
    const used = sent['authorization']?.split(' ', 2)[1];
    if (challenge.error === 'use_dpop_nonce' && used !== undefined) {
      // RFC 9449 section 9. A server that refuses the nonce that it has just given will refuse the next one.
      if (attempt === 1 || (freshNonce && attempt <= limits.maxAttempts)) return true;
      throw new OAuthError('token_rejected', `${new URL(url).origin} refuses the DPoP nonce that it gave`);
    }
    if (status === 400) return false;
    if (attempt > limits.maxAttempts) throw rejected(url, challenge.error);
    if (challenge.error === 'insufficient_scope' && used !== undefined) return stepUp(renewal, used, url, challenge);
    if (status === 403) return false;
    if (attempt > 1 && used !== undefined && used === granted && used === tokens?.access_token) throw rejected(url, challenge.error);
    // It was under way when the login failed: a person who said no is not asked again for each request of a storm.
    if (failure && (requestOf.get(sent) ?? Infinity) <= failure.requests) throw failure.error;
    await renew(renewal, { challenge, used });
    return true;
  }

  const rejected = (url: string, error: string | undefined): OAuthError =>
    new OAuthError('token_rejected', `${new URL(url).origin} refuses a token that was just issued for it${error === undefined ? '' : `: ${shown(error)}`}`);

  /** 2026-07-28 basic/authorization#step-up-authorization-flow. */
  async function stepUp(renewal: Renewal, used: string, url: string, challenge: Need['challenge'] & object): Promise<boolean> {
    const { scope } = challenge;
    const held = unionOfScopes(tokens?.scope, tokens?.requested_scope);
    const lacking = (why: string): OAuthError =>
      new OAuthError('insufficient_scope', `${new URL(url).origin} asks for the scopes ${shown(scope)}: ${why}`);
    if (scope === undefined) throw lacking('it does not name them');
    if (!grant.stepUp) throw lacking('this grant does not ask again');
    // Another request has stepped up meanwhile.
    if (tokens && tokens.access_token !== used && coversScope(tokens.scope, scope)) return true;
    if (coversScope(held, scope)) {
      throw lacking(coversScope(tokens?.scope, scope) ? 'the token has them already' : 'they were asked for and not granted');
    }
    await renew(renewal, { challenge, used, scope });
    return true;
  }

  async function authorize(): Promise<void> {
    if (server === undefined) throw new OAuthError('unsupported', 'authorize: give oauth() the option server');
    const url = server.href;
    const renewal = tokensOf(server);
    await load(renewal);
    if (tokens !== undefined) return;
    const ping = { method: 'POST', body: '{"jsonrpc":"2.0","id":0,"method":"ping"}', headers: {
      accept: 'application/json, text/event-stream', 'content-type': 'application/json',
    } } as const;
    const { status, header } = await fetchJson(url, 'the MCP server', ping, { limits, fetch: options.fetch });
    if (status === 401) await renew(renewal, { challenge: oauthChallenge(header('www-authenticate')) });
  }

  return {
    headers,
    refused,
    authorize,
    async context() {
      if (server) await load(tokensOf(server));
      return tokens?.login ?? '';
    },
    accepted({ url, header }) {
      nonces.note(url, header('dpop-nonce'));
    },
    async finish(response) {
      if (server === undefined) throw new OAuthError('unsupported', 'finish: give oauth() the option server');
      const done = await tokensOf(server).finish(new URL(response));
      if (done) {
        tokens = done;
        loaded = true;
      }
    },
    async signOut() {
      tokens = undefined;
      if (server) await tokensOf(server).signOut();
    },
  };
}
