import { invalidRequestCode, RpcError } from '../jsonrpc/errors.ts';

/**
 * Who is on the other side, as the HTTP layer has authenticated it. Never taken from the wire as it stands.
 */
export interface Auth {
  /** Names the user, unique within the server: sessions and sealed state are bound to it. */
  readonly principal: string;
  /** Names the client that acts for the user, if that is known: sealed state is bound to it too. */
  readonly clientId?: string | undefined;
  /**
   * When the credentials expire, in milliseconds since the epoch. GET streams and subscriptions that they
   * opened end then.
   */
  readonly expiresAt?: number | undefined;
  /** Why these credentials do not reach the given scopes; undefined where they do. */
  readonly lacks?: ((scopes: readonly string[]) => AuthRefusal | undefined) | undefined;
  /** Whatever else the operator's own check found out (scopes, claims); handlers see it as `ctx.auth`. */
  readonly [detail: string]: unknown;
}

/** Why a request's credentials are refused, as HTTP says it. RFC 9110, 15.5; RFC 6750, 3. */
export interface AuthRefusal {
  /** 400: the credentials are malformed; 401: missing or not valid; 403: they do not suffice. */
  readonly status: 400 | 401 | 403;
  /** The value of `WWW-Authenticate`. */
  readonly challenge: string;
  /** For a person; the message of the JSON-RPC error that is the body. */
  readonly message: string;
  /** Why, for programs: stable, such as `token_expired`. It goes out as `data.code` of the JSON-RPC error. */
  readonly code?: string | undefined;
  /** More header fields, by lower-case name, such as `dpop-nonce`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Refuses a principal that has made too many requests. RFC 6585, 4. */
export interface RateRefusal {
  readonly status: 429;
  readonly challenge?: undefined;
  /** For a person. */
  readonly message: string;
  /** For programs; it goes out as `data.code` of the JSON-RPC error. */
  readonly code?: string | undefined;
  /** `retry-after` in seconds; without it 1. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Thrown while a request is served: its credentials do not suffice. HTTP answers with the refusal's status and
 * challenge; where a stream has begun, and on a pipe, only the error itself goes out.
 */
export class AccessDenied extends RpcError {
  readonly refusal: AuthRefusal;

  constructor(refusal: AuthRefusal) {
    super(invalidRequestCode, refusal.message, refusalData(refusal));
    this.name = 'AccessDenied';
    this.refusal = refusal;
  }
}

/** `data` of the error that a refusal is. */
export const refusalData = ({ code }: AuthRefusal | RateRefusal): { code: string } | undefined =>
  code === undefined ? undefined : { code };
