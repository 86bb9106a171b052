import type { Grant } from './grant.ts';
import { checkRegistered, registeredClient, registeredShape } from './registration.ts';
import type { RegisteredClient } from './registration.ts';
import { requestToken } from './token-endpoint.ts';

/**
 * A client that acts for itself (`client_credentials`, the extension
 * `io.modelcontextprotocol/oauth-client-credentials`), with a secret or a signing key. There is no person and no
 * refresh token: the client asks for a new token when one expires.
 */
export function clientCredentials(registered: RegisteredClient): Grant {
  checkRegistered('clientCredentials: options', registered, registeredShape);
  return {
    client: registered.clientId,
    issuer: registered.issuer,
    stepUp: true,
    async obtain({ discovery: { authorizationServer: server }, scope, resource, dpop, nonces, options }) {
      const client = registeredClient(registered, server.issuer);
      const tokens = await requestToken({ server, client, options, dpop, nonces }, {
        grant_type: 'client_credentials', scope, resource,
      });
      return { tokens, client };
    },
    credentials: (issuer) => registeredClient(registered, issuer),
  };
}
