// Grants that oidc-provider lacks, added through its API for custom grant types: token exchange to an ID-JAG at the enterprise's identity
// provider, and jwt-bearer at the resource's authorization server. Signed and checked by jose.
import { randomUUID } from 'node:crypto';
import { createRemoteJWKSet, importJWK, jwtVerify, SignJWT } from 'jose';

const idJag = 'urn:ietf:params:oauth:token-type:id-jag';

function refuse(ctx, error, description) {
  ctx.status = 400;
  ctx.body = { error, error_description: description };
}

/** At the identity provider: exchanges its own ID token for an ID-JAG for another authorization server. */
export const tokenExchange = (self, seen = []) => ({
  name: 'urn:ietf:params:oauth:grant-type:token-exchange',
  parameters: ['requested_token_type', 'audience', 'resource', 'scope', 'subject_token', 'subject_token_type'],
  async handler(ctx) {
    const { issuer, jwks } = self();
    const { params, client } = ctx.oidc;
    if (params.requested_token_type !== idJag) return refuse(ctx, 'invalid_request', 'requested_token_type');
    if (params.subject_token_type !== 'urn:ietf:params:oauth:token-type:id_token') return refuse(ctx, 'invalid_request', 'subject_token_type');
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
    const { payload } = await jwtVerify(params.subject_token, keys, { issuer, audience: client.clientId });
    const [key] = jwks.keys;
    const grant = await new SignJWT({ client_id: 'enterprise-client', resource: params.resource, scope: params.scope, jti: randomUUID() })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'oauth-id-jag+jwt' })
      .setIssuer(issuer).setSubject(payload.sub).setAudience(params.audience).setIssuedAt().setExpirationTime('2m')
      .sign(await importJWK(key, key.alg));
    seen.push(grant);
    ctx.body = { issued_token_type: idJag, access_token: grant, token_type: 'N_A', scope: params.scope, expires_in: 120 };
  },
});

/**
 * At the authorization server: exchanges an assertion of a trusted issuer for an access token. `types` are the `typ` values of each
 * issuer's assertions.
 */
export const jwtBearer = (self, trusted) => ({
  name: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  parameters: ['assertion', 'scope', 'resource'],
  async handler(ctx, _, provider) {
    const { issuer } = self();
    const { params, client } = ctx.oidc;
    let payload;
    try {
      const claimed = JSON.parse(Buffer.from(params.assertion.split('.')[1], 'base64url')).iss;
      const { keys, typ } = trusted()[claimed];
      ({ payload } = await jwtVerify(params.assertion, keys, { audience: issuer, ...typ && { typ } }));
    } catch (error) {
      return refuse(ctx, 'invalid_grant', String(error.message));
    }
    if (payload.client_id !== undefined && payload.client_id !== client.clientId) return refuse(ctx, 'invalid_grant', 'client_id');
    const resource = payload.resource ?? params.resource;
    const token = new provider.AccessToken({
      client, accountId: payload.sub, scope: params.scope ?? payload.scope, gty: 'jwt-bearer',
    });
    token.resourceServer = new provider.ResourceServer(resource, {
      audience: resource, scope: params.scope ?? payload.scope, accessTokenFormat: 'jwt', accessTokenTTL: 300, jwt: { sign: { alg: 'ES256' } },
    });
    ctx.body = { access_token: await token.save(), token_type: 'Bearer', expires_in: 300, scope: token.scope };
  },
});
