import { OAuthError, shown } from '../errors.ts';
import { requireSecure } from '../fetch-json.ts';
import type { FetchOptions } from '../fetch-json.ts';
import { knownServer } from './authorization-server-location.ts';
import type { Grant, GrantRequest } from './grant.ts';
import { requestByJwt } from './jwt-bearer.ts';
import { checkRegistered, registeredClient, registeredShape } from './registration.ts';
import type { RegisteredClient } from './registration.ts';
import { requestToken } from './token-endpoint.ts';

const idJag = 'urn:ietf:params:oauth:token-type:id-jag';

/** The enterprise's identity provider, and the client's registration there. */
export interface IdentityProvider extends Omit<RegisteredClient, 'issuer'> {
  readonly issuer: string;
  /** Default: from the metadata of `issuer`. */
  readonly tokenEndpoint?: string | undefined;
}

/**
 * The client's registration at the MCP server's authorization server, and the person's identity at the identity
 * provider.
 */
export interface EnterpriseManagedOptions extends RegisteredClient {
  readonly identityProvider: IdentityProvider;
  /** The identity assertion of the person's single sign-on (an ID token, or SAML 2.0), or a function that reads it. */
  readonly identityAssertion: string | (() => string | Promise<string>);
  /** Default `urn:ietf:params:oauth:token-type:id_token`; for SAML `urn:ietf:params:oauth:token-type:saml2`. */
  readonly identityAssertionType?: string | undefined;
}

/**
 * Authorizes a person whom the enterprise's identity provider has logged in (the extension
 * `io.modelcontextprotocol/enterprise-managed-authorization`). The client exchanges the identity assertion for an
 * Identity Assertion JWT Authorization Grant (ID-JAG, RFC 8693), and that for an access token (RFC 7523).
 */
export function enterpriseManaged(given: EnterpriseManagedOptions): Grant {
  checkRegistered('enterpriseManaged: options', given, {
    ...registeredShape, identityAssertion: 'string or function', identityAssertionType: 'string',
    identityProvider: { ...registeredShape, tokenEndpoint: 'string' },
  });
  const { identityProvider, identityAssertion, identityAssertionType, ...registered } = given;
  async function exchange({ discovery, scope, nonces, options }: GrantRequest): Promise<string> {
    const { issuer, tokenEndpoint } = identityProvider;
    // The operator chose this address, not a server: it may be inside the network.
    const own: FetchOptions = { ...options, allow: requireSecure };
    const server = tokenEndpoint === undefined ? await knownServer(issuer, own) : { issuer, token_endpoint: tokenEndpoint };
    const client = registeredClient(identityProvider, issuer);
    const { access_token, issued_token_type, token_type } = await requestToken({ server, client, options: own, nonces }, {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: idJag,
      audience: discovery.authorizationServer.issuer,
      resource: discovery.resource,
      scope,
      subject_token: typeof identityAssertion === 'function' ? await identityAssertion() : identityAssertion,
      subject_token_type: identityAssertionType ?? 'urn:ietf:params:oauth:token-type:id_token',
    });
    if (issued_token_type !== idJag || token_type !== 'n_a') {
      throw new OAuthError('token_malformed', `the token exchange of ${shown(issuer)}: issued_token_type is ${shown(issued_token_type)} and token_type ${shown(token_type)}, expected ${idJag} and N_A`);
    }
    return access_token;
  }

  return {
    client: registered.clientId,
    issuer: registered.issuer,
    stepUp: true,
    async obtain(request) {
      const client = registeredClient(registered, request.discovery.authorizationServer.issuer);
      return { tokens: await requestByJwt(request, client, await exchange(request)), client };
    },
    credentials: (issuer) => registeredClient(registered, issuer),
  };
}
