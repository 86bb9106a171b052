import { invalidRequestCode, RpcError } from '../jsonrpc/errors.ts';

/** The authenticated client and its user, as `auth` of the HTTP layer reports them. Never copied from a request unchecked. */
export interface Auth {
  /** Names the user, unique within the server: sessions and sealed state are bound to it. */
  readonly principal: string;
  /** Names the client that acts for the user, if known: sealed state is bound to it too. */
  readonly clientId?: string | undefined;
  /** When the credentials expire, in milliseconds since the epoch. GET streams and subscriptions opened with them end then. */
  readonly expiresAt?: number | undefined;
  /** Returns why these credentials do not suffice for the given scopes; undefined if they do. */
  readonly lacks?: ((scopes: readonly string[]) => AuthRefusal | undefined) | undefined;
  /** Further results of the operator's check (scopes, claims); handlers see them as `ctx.auth`. */
  readonly [detail: string]: unknown;
}

/** Why the credentials of a request are refused, and the HTTP response that says so. RFC 9110, 15.5; RFC 6750, 3. */
export interface AuthRefusal {
  /** 400: the credentials are malformed; 401: missing or invalid; 403: insufficient. */
  readonly status: 400 | 401 | 403;
  /** The value of `WWW-Authenticate`. */
  readonly challenge: string;
  /** For a person. The `message` of the JSON-RPC error in the body. */
  readonly message: string;
  /** For programs: a stable code such as `token_expired`. Sent as `data.code` of the JSON-RPC error. */
  readonly code?: string | undefined;
  /** Further header fields, by lower-case name, such as `dpop-nonce`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The refusal of a principal that has made too many requests. RFC 6585, 4. */
export interface RateRefusal {
  readonly status: 429;
  readonly challenge?: undefined;
  /** For a person. */
  readonly message: string;
  /** For programs. Sent as `data.code` of the JSON-RPC error. */
  readonly code?: string | undefined;
  /** By lower-case name: `retry-after`, in seconds. Default 1. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Thrown while a request is served if its credentials do not suffice. HTTP answers with the status and challenge of
 * `refusal`. After a stream has begun, and on a pipe, only the JSON-RPC error is sent.
 */
export class AccessDenied extends RpcError {
  readonly refusal: AuthRefusal;

  constructor(refusal: AuthRefusal) {
    super(invalidRequestCode, refusal.message, refusalData(refusal));
    this.name = 'AccessDenied';
    this.refusal = refusal;
  }
}

/** The `data` of the JSON-RPC error for a refusal. */
export const refusalData = ({ code }: AuthRefusal | RateRefusal): { code: string } | undefined =>
  code === undefined ? undefined : { code };
