import { authorizationCode, clientCredentials, enterpriseManaged, jwtBearer, oauth } from '../../../src/oauth/index.ts';
import type { Grant, OAuth, RegisteredClient } from '../../../src/oauth/index.ts';

// The suite's servers accept this URL as a client's metadata document, and never fetch it.
const metadataDocument = 'https://conformance-test.local/client-metadata.json';

/** The data of a scenario for the client, from `MCP_CONFORMANCE_CONTEXT`. */
interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
  readonly idp_issuer?: string;
  readonly idp_token_endpoint?: string;
  readonly valid_jwt?: string;
}

/** The scenarios that must end with a refusal by the client, and its code. */
export const expectedRefusals: Readonly<Record<string, string>> = {
  'auth/resource-mismatch': 'resource_mismatch',
  'auth/metadata-issuer-mismatch': 'issuer_mismatch',
  'auth/iss-supported-missing': 'issuer_mismatch',
  'auth/iss-wrong-issuer': 'issuer_mismatch',
  'auth/iss-unexpected': 'issuer_mismatch',
  'auth/iss-normalized': 'issuer_mismatch',
  'auth/scope-retry-limit': 'insufficient_scope',
};

/** The authorization for one scenario. */
export function conformanceAuth(scenario: string, context: Context): OAuth {
  return oauth({ grant: grantFor(scenario, context) });
}

function grantFor(scenario: string, context: Context): Grant {
  const registered: RegisteredClient = { clientId: context.client_id ?? '', clientSecret: context.client_secret };
  switch (scenario) {
    case 'auth/client-credentials-jwt':
      return clientCredentials({ ...registered, signingKey: { key: context.private_key_pem ?? '', algorithm: 'ES256' } });
    case 'auth/client-credentials-basic':
      return clientCredentials(registered);
    case 'auth/enterprise-managed-authorization':
      return enterpriseManaged({
        ...registered,
        identityProvider: {
          issuer: context.idp_issuer ?? '', tokenEndpoint: context.idp_token_endpoint, clientId: context.idp_client_id ?? '',
        },
        identityAssertion: context.idp_id_token ?? '',
      });
    case 'auth/wif-jwt-bearer':
      return jwtBearer({ ...registered, assertion: context.valid_jwt ?? '' });
    default:
      return authorizationCode({
        client: { name: 'barewire conformance', metadataDocument, ...context.client_id !== undefined && { registered } },
        redirectUri: 'http://localhost:3000/callback',
        onAuthorize: follow,
      });
  }
}

/** Plays the browser: the suite's authorization servers redirect at once. */
async function follow(url: URL): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' });
  await response.body?.cancel();
  return response.headers.get('location') ?? '';
}
