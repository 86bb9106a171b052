import { OAuthError } from '../errors.ts';
import type { Grant, GrantRequest } from './grant.ts';
import { checkRegistered, registeredClient, registeredShape } from './registration.ts';
import type { RegisteredClient } from './registration.ts';
import { requestToken } from './token-endpoint.ts';
import type { TokenResponse } from './token-endpoint.ts';
import type { ClientInformation } from './client-authentication.ts';

/** The `grant_type` of RFC 7523 section 2.1. */
export const jwtBearerGrantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** A workload, and the token that its platform issues to it. */
export interface JwtBearerOptions extends RegisteredClient {
  /**
   * The workload's own token (a projected service account, a SPIFFE JWT-SVID), or a function that reads it. Its
   * audience must be the issuer of the authorization server.
   */
  readonly assertion: string | ((issuer: string) => string | Promise<string>);
}

/**
 * Authorizes a workload by the token of its platform (RFC 7523, the extension `io.modelcontextprotocol/auth/wif`).
 * Each assertion is sent once: after a refusal it is not sent again, and no other grant is tried.
 */
export function jwtBearer(options: JwtBearerOptions): Grant {
  checkRegistered('jwtBearer: options', options, { ...registeredShape, assertion: 'string or function' });
  const { assertion, ...registered } = options;
  let refused: { readonly assertion: string; readonly error: unknown } | undefined;
  return {
    client: registered.clientId,
    issuer: registered.issuer,
    stepUp: false,
    async obtain(request) {
      const { issuer } = request.discovery.authorizationServer;
      const client = registeredClient(registered, issuer);
      const text = typeof assertion === 'function' ? await assertion(issuer) : assertion;
      if (text === refused?.assertion) throw refused.error;
      try {
        return { tokens: await requestByJwt(request, client, text), client };
      } catch (error) {
        if (error instanceof OAuthError) refused = { assertion: text, error };
        throw error;
      }
    },
    credentials: (issuer) => registeredClient(registered, issuer),
  };
}

/** Exchanges an assertion for an access token (RFC 7523 section 2.1). */
export function requestByJwt(
  { discovery: { authorizationServer: server }, scope, resource, dpop, nonces, options }: GrantRequest,
  client: ClientInformation, assertion: string,
): Promise<TokenResponse> {
  return requestToken({ server, client, options, dpop, nonces }, {
    grant_type: jwtBearerGrantType, assertion, scope, resource,
  });
}
