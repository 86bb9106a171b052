import { systemClock } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import type { Shape } from '../../bounds/options.ts';
import { OAuthError, shown, shownUrl } from '../errors.ts';
import { requireSecure } from '../fetch-json.ts';
import { readAuthorizationResponse, stateOf } from './authorization-response.ts';
import { keptDpopKey, thumbprintOf } from './dpop.ts';
import type { ClientInformation } from './client-authentication.ts';
import type { Finished, FinishRequest, Grant, Granted, GrantRequest } from './grant.ts';
import { keepLogin, takeLogin } from './pending-logins.ts';
import type { PendingLogin } from './pending-logins.ts';
import { challengeOf, checkOffers, randomText } from './pkce.ts';
import { clientShape, clientFor, registeredClient, registeredRedirectUri, registrationKey } from './registration.ts';
import type { ClientOptions } from './registration.ts';
import { scopesOf, unionOfScopes } from './scope.ts';
import type { AuthorizationStore } from './store.ts';
import { requestToken } from './token-endpoint.ts';
import type { TokenEndpoint, TokenResponse } from './token-endpoint.ts';

/** A person has to log in at `url`, but `interactive` is false. Pass the response to `finish`. */
export class AuthorizationRequired extends OAuthError {
  readonly url: string;

  constructor(url: string) {
    super('authorization_required', `login required: ${url}`);
    this.name = 'AuthorizationRequired';
    this.url = url;
  }
}

/** Receives the redirect on this machine, such as `loopback()` of `barewire/oauth/node`. */
export interface RedirectReceiver {
  /** Listens at `preferred` if that port is free. Resolves when the port is bound. */
  listen(preferred: string | undefined): Promise<RedirectListener>;
}

/** A listener whose port is bound. */
export interface RedirectListener {
  readonly redirectUri: string;
  /** The next response to the redirect URI. Rejects when the listener closes. */
  next(): Promise<RedirectResponse>;
  /** Stops listening. */
  close(): void;
}

/** A request to the redirect URI, not validated. */
export interface RedirectResponse {
  readonly url: string;
  /** Shows the person whether the login succeeded. */
  answer(error?: Error): void;
}

/** The client, and the ways to the login page and back. */
export interface AuthorizationCodeOptions {
  readonly client: ClientOptions;
  /**
   * Opens or shows the URL. May resolve with the URL that the authorization server redirected to, if this code sees
   * it itself; otherwise `redirect` receives it, or the program calls `finish` with it. `signal` aborts when the
   * login is over.
   */
  readonly onAuthorize: (url: URL, signal: AbortSignal) => void | string | URL | Promise<void | string | URL>;
  /** Receives the redirect. */
  readonly redirect?: RedirectReceiver | undefined;
  /** The redirect URI if there is no `redirect`: https, or http on this machine. */
  readonly redirectUri?: string | undefined;
  /** False: nobody can log in now. Rejects at once with `AuthorizationRequired`. */
  readonly interactive?: boolean | undefined;
  /** False: do not ask for `offline_access`, which lets some servers issue a refresh token. */
  readonly offlineAccess?: boolean | undefined;
}

// For `checkOptions`.
export const codeShape: Shape<AuthorizationCodeOptions> = {
  client: clientShape, onAuthorize: 'function', redirect: 'object', redirectUri: 'string', interactive: 'boolean',
  offlineAccess: 'boolean',
};

/**
 * Lets a person log in with a browser: authorization code with PKCE (OAuth 2.1 section 4.1).
 *
 * Throws `OAuthError` (`insecure_url`) for a `redirectUri` that is neither https nor on this machine (2026-07-28
 * basic/authorization/security-considerations#communication-security), and a TypeError for `redirect_uris` in
 * `client.metadata`, which would bypass this check.
 */
export function authorizationCode(options: AuthorizationCodeOptions): Grant {
  checkOptions('authorizationCode: options', options, codeShape);
  const { client: { registered, metadataDocument, metadata = {}, name = 'MCP client' } } = options;
  if (Object.hasOwn(metadata, 'redirect_uris')) throw new TypeError('authorizationCode: options.client.metadata.redirect_uris: set by redirectUri or redirect');
  if (options.redirectUri !== undefined) requireSecure(new URL(options.redirectUri), 'redirectUri');
  const parts: CodeParts = { options, identity: registered?.clientId ?? metadataDocument ?? name, waiting: new Map() };
  return {
    client: parts.identity,
    issuer: registered?.issuer,
    stepUp: true,
    obtain: (request) => obtain(parts, request),
    finish: (response, request) => finish(parts, response, request),
    ...registered && { credentials: (issuer: string) => registeredClient(registered, issuer) },
  };
}

/** The options of the grant, and its pending logins. */
interface CodeParts {
  readonly options: AuthorizationCodeOptions;
  /** Identifies the client. */
  readonly identity: string;
  /** Logins of this process that wait for `finish`, by `state`. */
  readonly waiting: Map<string, WaitingLogin>;
}

/** A login of this process that waits for its response. */
interface WaitingLogin {
  readonly login: PendingLogin;
  readonly store: AuthorizationStore;
  take(response: URL): void;
}

async function obtain(parts: CodeParts, request: GrantRequest): Promise<Granted> {
  const { options, identity } = parts;
  const { client, redirect, interactive = true, offlineAccess = true } = options;
  const { discovery: { authorizationServer: server }, store } = request;
  checkOffers(server);
  const key = registrationKey(identity, server.issuer);
  const listener = await redirect?.listen(await registeredRedirectUri(store, key));
  const over = new AbortController();
  try {
    const redirectUri = listener?.redirectUri ?? options.redirectUri;
    if (redirectUri === undefined) throw new OAuthError('unsupported', 'authorizationCode: give redirect, or redirectUri');
    // A receiver of the program may return an insecure URI.
    requireSecure(new URL(redirectUri), 'redirectUri');
    const information = await clientFor({
      client, server, redirectUri, dpop: request.dpop !== undefined, store, key, options: request.options,
    });
    const login = beginLogin(request, client.registered ? { client_id: client.registered.clientId } : information, redirectUri);
    const url = await authorizationUrl(login, request, offlineAccess);
    await keepLogin(store, identity, login, request.options.clock);
    if (!interactive) throw new AuthorizationRequired(url.href);
    const response = await responseTo(parts, url, login, request, listener, over.signal);
    try {
      // Only the caller that takes the login out of the store may use the response. A second copy of the response is refused.
      if (await takeLogin(store, { client: identity, server: login.server, state: login.state }, request.options.clock) === undefined) {
        throw new OAuthError('state_mismatch', 'the authorization response is used or expired');
      }
      const tokens = await redeem(new URL(response.url), login, { ...request, server, client: information });
      response.answer();
      return { tokens, client: information };
    } catch (error) {
      response.answer(error instanceof Error ? error : undefined);
      throw error;
    }
  } finally {
    over.abort();
    listener?.close();
  }
}

/** Waits for the response from `redirect`, `onAuthorize` or `finish`. The response to another login does not end the wait. */
function responseTo(
  { waiting, options }: CodeParts, url: URL, login: PendingLogin, { store, limits, options: request }: GrantRequest,
  listener: RedirectListener | undefined, signal: AbortSignal,
): Promise<RedirectResponse> {
  return new Promise((resolve, reject) => {
    const ms = limits.authorizationMs;
    const timer = (request.clock ?? systemClock).after(ms, () => reject(new OAuthError('timeout', `no login within ${ms} ms`)));
    waiting.set(login.state, { login, store, take: (response) => resolve({ url: response.href, answer: () => {} }) });
    signal.addEventListener('abort', () => {
      timer?.stop();
      waiting.delete(login.state);
    });
    if (listener) listenFor(listener, login, resolve).catch(reject);
    Promise.resolve(options.onAuthorize(url, signal)).then((response) => {
      if (response) resolve({ url: String(response), answer: () => {} });
    }).catch(reject);
  });
}

/** Throws unless this client began the login and sent the person to this redirect URI. */
function checkOwn({ client: { registered }, redirect, redirectUri: own }: AuthorizationCodeOptions, { client: begunBy, redirectUri, issuer }: PendingLogin): void {
  const other = (what: string, came: string, expected: string): OAuthError =>
    new OAuthError('login_mismatch', `the login of this response has the ${what} ${shown(came)}, expected ${shown(expected)}`);
  const { client_id } = registered ? registeredClient(registered, issuer) : begunBy;
  if (begunBy.client_id !== client_id) throw other('client ID', begunBy.client_id, client_id);
  if (!redirect && own !== undefined && redirectUri !== own) throw other('redirect URI', redirectUri, own);
}

async function finish(parts: CodeParts, response: URL, request: FinishRequest): Promise<Finished | undefined> {
  const { options, identity, waiting } = parts;
  const { registered } = options.client;
  const { store, server: mcpServer } = request;
  const state = stateOf(response) ?? '';
  const check = (login: PendingLogin): void => {
    request.check(login);
    checkOwn(options, login);
  };
  const inProcess = waiting.get(state);
  // Several objects may share this grant. Each takes only logins for its own server, with its own store. A store
  // belongs to one person, and a person's response must not end another person's login (RFC 6749 section 10.12).
  if (inProcess && inProcess.store === store && inProcess.login.server === mcpServer) {
    check(inProcess.login);
    inProcess.take(response);
    return undefined;
  }
  const login = await takeLogin(store, { client: identity, server: mcpServer, state, check }, request.options.clock);
  if (login === undefined) {
    throw new OAuthError('state_mismatch', `the authorization response: no pending login for ${shownUrl(mcpServer)} has its state`);
  }
  const server = await request.discover(login.issuer);
  const client = registered ? registeredClient(registered, login.issuer) : login.client;
  const dpop = login.dpop && await keptDpopKey(store, login.dpop);
  const tokens = await redeem(response, login, { ...request, server, client, dpop });
  return { tokens, dpop, client, login };
}

function beginLogin(
  { discovery, resource, scope, dpop, server, limits, options: { clock = systemClock } }: GrantRequest, client: ClientInformation, redirectUri: string,
): PendingLogin {
  return {
    state: randomText(), verifier: randomText(), redirectUri, client, server, scope, resource: discovery.resource,
    resourceParameter: resource, resourceMetadata: discovery.resourceMetadata,
    issuer: discovery.authorizationServer.issuer, dpop: dpop?.reference, until: clock.now() + limits.authorizationMs,
  };
}

async function authorizationUrl(login: PendingLogin, request: GrantRequest, offlineAccess: boolean): Promise<URL> {
  const { discovery: { authorizationServer: server }, dpop, options } = request;
  const url = new URL(server.authorization_endpoint as string);
  // A browser opens this URL, so `fetch` never checks it.
  await options.allow?.(url, `authorization server metadata of ${shown(server.issuer)}: authorization_endpoint`);
  const offline = offlineAccess && server.scopes_supported?.includes('offline_access') ? 'offline_access' : undefined;
  const scope = unionOfScopes(login.scope, offline);
  const challenge = await challengeOf(login.verifier);
  const parameters: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: login.client.client_id,
    redirect_uri: login.redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: login.state,
    scope,
    resource: login.resourceParameter,
    // OpenID Connect Core section 11: without this parameter, offline_access is ignored.
    prompt: scopesOf(scope).includes('offline_access') ? 'consent' : undefined,
    dpop_jkt: dpop && await thumbprintOf(dpop),
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url;
}

async function listenFor(
  listener: RedirectListener, login: PendingLogin, found: (response: RedirectResponse) => void,
): Promise<void> {
  for (;;) {
    const response = await listener.next();
    if (stateOf(new URL(response.url)) === login.state) return found(response);
    // Any page can send the browser here. That must not end the person's login.
    response.answer(new OAuthError('state_mismatch', 'no pending login matches this response'));
  }
}

/** Checks the response before it exchanges the code (OAuth 2.1 section 4.1.3). */
function redeem(response: URL, login: PendingLogin, endpoint: TokenEndpoint): Promise<TokenResponse> {
  const code = readAuthorizationResponse(response, login, endpoint.server);
  return requestToken(endpoint, {
    grant_type: 'authorization_code', code, redirect_uri: login.redirectUri, code_verifier: login.verifier,
    resource: login.resourceParameter,
  });
}
