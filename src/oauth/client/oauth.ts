import { systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import type { Shape } from '../../bounds/options.ts';
import type { HttpAuthorization, HttpTarget } from '../../transport/internal-exports.ts';
import { OAuthError } from '../errors.ts';
import { fetchJson } from '../fetch-json.ts';
import { addressCheck, checkSecure } from './addresses.ts';
import type { Lookup } from './addresses.ts';
import { oauthChallenge } from './challenge.ts';
import { DpopNonces, dpopProof } from './dpop.ts';
import type { ChooseIssuer } from './authorization-server-location.ts';
import { createFailedLogin } from './failed-login.ts';
import type { Grant } from './grant.ts';
import { holdTokens } from './held-tokens.ts';
import type { HeldTokens } from './held-tokens.ts';
import { defaultOAuthLimits } from './limits.ts';
import type { OAuthLimits } from './limits.ts';
import { answerRefusal } from './refusal.ts';
import { renewal } from './renewal.ts';
import { memoryStore } from './store.ts';
import type { AuthorizationStore } from './store.ts';
import type { Tokens } from './tokens.ts';

/** Options for the authorization at one MCP server. */
export interface OAuthOptions {
  /** The way to get tokens: `authorizationCode`, `clientCredentials`, `jwtBearer`, `enterpriseManaged`. */
  readonly grant: Grant;
  /** The MCP server, if tokens may be needed before the first request to it. Default: the URL of the first request. */
  readonly server?: string | URL | undefined;
  /** Default: memory, for the lifetime of the process. */
  readonly store?: AuthorizationStore | undefined;
  /** Scopes that are always requested, separated by spaces. The scopes that the server asks for are added. */
  readonly scope?: string | undefined;
  /** The `resource` parameter, or false to leave it out. Default: the identifier in the server's metadata, byte for byte. */
  readonly resource?: string | false | undefined;
  /**
   * True: require tokens that are bound to a key. False: never use DPoP. Default: use DPoP if the MCP server asks for it
   * (RFC 9449).
   */
  readonly dpop?: boolean | undefined;
  /** Chooses among several authorization servers. Default: the one of the grant's credentials, otherwise the first. */
  readonly chooseIssuer?: ChooseIssuer | undefined;
  /**
   * Whether a public MCP server may name authorization servers on private addresses. False: literal private addresses
   * and local names are refused; other names are checked only with `lookup`.
   */
  readonly allowPrivateAddresses?: boolean | undefined;
  /** Resolves a host name, so that a name with a private address is refused as well. */
  readonly lookup?: Lookup | undefined;
  /** The `fetch` for metadata, registration and tokens. Default: the runtime's own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly limits?: Partial<OAuthLimits> | undefined;
  /** The source of the current time. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
  /** Called for errors that do not fail a request: a failed early refresh, removed tokens. */
  readonly onError?: ((error: Error) => void) | undefined;
}

// For `checkOptions`.
export const oauthShape: Shape<OAuthOptions> = {
  grant: 'object', server: 'string or object', store: 'object', scope: 'string', resource: 'string or boolean', dpop: 'boolean',
  chooseIssuer: 'function', allowPrivateAddresses: 'boolean', lookup: 'function', fetch: 'function', limits: defaultOAuthLimits, clock: 'object',
  onError: 'function',
};

/** The authorization of one MCP server, for `httpTransport(url, { auth })`. */
export interface OAuth extends HttpAuthorization {
  /**
   * Takes the URL that the authorization server redirected to, if this program receives it. With the same store, the
   * login may have been begun by another process or an earlier page. Rejects with `OAuthError` if no login matches the
   * URL.
   */
  finish(response: string | URL): Promise<void>;
  /**
   * Gets tokens before the first request, if the server requires them and the store has none. The login may then take
   * longer than the timeout of a request. Needs the option `server`.
   */
  authorize(): Promise<void>;
  /** Removes the tokens of this server from the store. */
  signOut(): Promise<void>;
}

/**
 * Authorizes a client at one MCP server: finds the authorization server, registers, gets tokens by the grant, sends them
 * with every request to the MCP server's origin and to no other, and renews them.
 *
 * Throws a TypeError for an unknown or malformed option. A failure rejects the MCP request with an `OAuthError`, whose
 * `code` is stable.
 */
export function oauth(options: OAuthOptions): OAuth {
  checkOptions('oauth: options', options, oauthShape);
  checkOptions('oauth: options.grant', options.grant, 'object');
  const { grant, store = memoryStore(), clock = systemClock, onError = () => {} } = options;
  const limits = { ...defaultOAuthLimits, ...options.limits };
  const nonces = new DpopNonces();
  const failedLogin = createFailedLogin();
  let server = options.server === undefined ? undefined : new URL(options.server);
  let held: HeldTokens | undefined;

  /** The tokens for the MCP server. Without the option `server`, the first request names it. */
  function tokensOf(target: URL): HeldTokens {
    server ??= target;
    if (target.origin !== server.origin) {
      throw new OAuthError('other_origin', `these tokens are for ${server.origin}, not for ${target.origin}: create another oauth() for it`);
    }
    if (held) return held;
    checkSecure(server, 'the MCP server');
    const { scope, resource, dpop, chooseIssuer, fetch, lookup, allowPrivateAddresses: allowPrivate = false } = options;
    return held = holdTokens(renewal({
      server, grant, store, limits, nonces, onError, scope, resource, dpop,
      choose: (issuers) => chooseIssuer?.(issuers) ?? issuers.find((issuer) => issuer === grant.issuer) ?? issuers[0] as string,
      fetch: { limits, fetch, clock, allow: addressCheck({ server, allowPrivate, lookup }) },
    }), failedLogin, onError, clock);
  }

  return {
    async headers(target) {
      const fields = await fieldsOf(await tokensOf(new URL(target.url)).fresh(), target, nonces, clock);
      failedLogin.sent(fields);
      return fields;
    },
    async refused(refusal) {
      return answerRefusal(refusal, tokensOf(new URL(refusal.url)), failedLogin, nonces, grant, limits);
    },
    async authorize() {
      if (server === undefined) throw new OAuthError('unsupported', 'authorize: the option server is missing, the URL of the MCP server');
      const tokens = tokensOf(server);
      if (await tokens.load() !== undefined) return;
      const { status, header } = await fetchJson(server.href, 'the MCP server', ping, { limits, fetch: options.fetch, clock });
      if (status === 401) await tokens.renew({ challenge: oauthChallenge(header('www-authenticate')) });
    },
    async context() {
      const tokens = server && await tokensOf(server).load();
      return tokens?.login ?? '';
    },
    accepted({ url, header }) {
      nonces.note(url, header('dpop-nonce'));
    },
    async finish(response) {
      if (server === undefined) throw new OAuthError('unsupported', 'finish: the option server is missing, the URL of the MCP server');
      await tokensOf(server).finish(new URL(response));
    },
    async signOut() {
      if (server) await tokensOf(server).signOut();
    },
  };
}

/** The header fields that send tokens with a request. */
async function fieldsOf(tokens: Tokens | undefined, { method, url }: HttpTarget, nonces: DpopNonces, clock: Clock): Promise<Record<string, string>> {
  if (tokens === undefined) return {};
  const { access_token: accessToken, key } = tokens;
  if (key === undefined) return { authorization: `Bearer ${accessToken}` };
  return {
    authorization: `DPoP ${accessToken}`,
    dpop: await dpopProof(key, { method, url, accessToken, nonce: nonces.get(url) }, clock),
  };
}

/** A request that every server with authorization refuses. */
const ping = {
  method: 'POST', body: '{"jsonrpc":"2.0","id":0,"method":"ping"}', headers: {
    accept: 'application/json, text/event-stream', 'content-type': 'application/json',
  },
} as const;
