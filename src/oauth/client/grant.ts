import type { AuthorizationServerMetadata } from '../authorization-server-metadata.ts';
import type { FetchOptions } from '../fetch-json.ts';
import type { ClientInformation } from './client-authentication.ts';
import type { Discovery } from './discovery.ts';
import type { DpopKey, DpopNonces } from './dpop.ts';
import type { OAuthLimits } from './limits.ts';
import type { PendingLogin } from './pending-logins.ts';
import type { AuthorizationStore } from './store.ts';
import type { TokenResponse } from './token-endpoint.ts';

/** What a grant gets to work with. */
export interface GrantRequest {
  readonly discovery: Discovery;
  /** The scopes to ask for; undefined: none are named. */
  readonly scope: string | undefined;
  /** The `resource` parameter (RFC 8707); undefined where it is left out. */
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

/** What taking an authorization response needs. */
export interface FinishRequest extends Pick<GrantRequest, 'nonces' | 'store' | 'options' | 'server'> {
  /** Throws where the login asked for a token for another resource than this object asks for. */
  readonly check: (login: PendingLogin) => void;
  /** Finds the authorization server that the login was begun with. */
  readonly discover: (issuer: string) => Promise<AuthorizationServerMetadata>;
}

/** Tokens of a login that another process, or another page, began. */
export interface Finished extends Granted {
  readonly login: PendingLogin;
  readonly dpop: DpopKey | undefined;
}

/** A way to get tokens: `authorizationCode`, `clientCredentials`, `jwtBearer`, `enterpriseManaged`. */
export interface Grant {
  /** Tells the tokens of one client in a shared store from those of another. */
  readonly client: string;
  /** Whether asking again with more scopes makes sense. */
  readonly stepUp: boolean;
  /** The issuer that the client's credentials are for, where it is known. */
  readonly issuer?: string | undefined;
  /** Gets tokens. Rejects with `OAuthError` where the authorization server refuses. */
  obtain(request: GrantRequest): Promise<Granted>;
  /** The client's credentials, for a refresh; undefined where they are kept beside the tokens. */
  credentials?(issuer: string): ClientInformation | undefined;
  /**
   * Takes an authorization response. Undefined: a login of this process waits for it, and goes on. Rejects, and leaves the
   * login where it is, unless it was begun for this server, with this store, by this client and with this redirect URI.
   */
  finish?(response: URL, request: FinishRequest): Promise<Finished | undefined>;
}
