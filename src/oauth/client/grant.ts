import type { AuthorizationServerMetadata } from '../authorization-server-metadata.ts';
import type { FetchOptions } from '../fetch-json.ts';
import type { ClientInformation } from './client-authentication.ts';
import type { Discovery } from './authorization-server-location.ts';
import type { DpopKey, DpopNonces } from './dpop.ts';
import type { OAuthLimits } from './limits.ts';
import type { PendingLogin } from './pending-logins.ts';
import type { AuthorizationStore } from './store.ts';
import type { TokenResponse } from './token-endpoint.ts';

/** The input of a grant. */
export interface GrantRequest {
  readonly discovery: Discovery;
  /** The scopes to ask for; undefined: leave the parameter out. */
  readonly scope: string | undefined;
  /** The `resource` parameter (RFC 8707); undefined: leave it out. */
  readonly resource: string | undefined;
  readonly dpop: DpopKey | undefined;
  readonly nonces: DpopNonces;
  readonly store: AuthorizationStore;
  readonly options: FetchOptions;
  readonly limits: OAuthLimits;
  /** The MCP server. */
  readonly server: string;
}

/** Tokens, and the client that they were issued to. */
export interface Granted {
  readonly tokens: TokenResponse;
  readonly client: ClientInformation;
}

/** The input for an authorization response. */
export interface FinishRequest extends Pick<GrantRequest, 'nonces' | 'store' | 'options' | 'server'> {
  /** Throws if the login was for another resource than this object uses. */
  readonly check: (login: PendingLogin) => void;
  /** Fetches the metadata of the authorization server of the login. */
  readonly discover: (issuer: string) => Promise<AuthorizationServerMetadata>;
}

/** The tokens of a login that another process or page began. */
export interface Finished extends Granted {
  readonly login: PendingLogin;
  readonly dpop: DpopKey | undefined;
}

/** A way to get tokens: `authorizationCode`, `clientCredentials`, `jwtBearer`, `enterpriseManaged`. */
export interface Grant {
  /** Identifies the client, so that several clients can share a store. */
  readonly client: string;
  /** Whether a new request with more scopes makes sense. */
  readonly stepUp: boolean;
  /** The issuer that the client's credentials belong to, if known. */
  readonly issuer?: string | undefined;
  /** Gets tokens. Rejects with `OAuthError` if the authorization server refuses. */
  obtain(request: GrantRequest): Promise<Granted>;
  /** The client's credentials for a refresh; undefined if they are stored with the tokens. */
  credentials?(issuer: string): ClientInformation | undefined;
  /**
   * Handles an authorization response. Undefined: it belonged to a login of this process, which continues. Rejects, and
   * keeps the login, unless the login was begun for this server, with this store, by this client and with this redirect
   * URI.
   */
  finish?(response: URL, request: FinishRequest): Promise<Finished | undefined>;
}
