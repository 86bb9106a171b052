// A real authorization server: oidc-provider, which is certified. Its own pages ask for a name and for consent.
// `node test/oauth/authorization-server.mjs` runs one and prints its issuer, to try examples/protected by hand.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import Provider from 'oidc-provider';
import { memoryAdapter } from './adapter.mjs';
import { privateJwk } from './keys.mjs';

export const scopes = ['trips:read', 'trips:write', 'trips:admin'];

/**
 * Starts one. These options may be changed while it runs: `options.tokenTtl` (seconds), `options.format` (`jwt` or `opaque`),
 * `options.requireNonce`.
 */
export async function startAuthorizationServer(settings = {}) {
  const options = { tokenTtl: 300, format: 'jwt', requireNonce: false, grants: [], clients: [], fetch: globalThis.fetch, ...settings };
  const requests = [];
  const granted = { refresh_token: 0 };
  let handle;
  const server = createServer((req, res) => {
    requests.push(`${req.method} ${req.url.split('?')[0]}`);
    handle(req, res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${server.address().port}`;
  let jwks = { keys: [await privateJwk('ES256'), await privateJwk('RS256')] };
  let provider;
  const adapter = memoryAdapter();

  /** Creates the provider with the current keys. The adapter keeps its clients, grants and tokens. */
  function open() {
    provider = new Provider(issuer, {
      jwks, adapter,
      clients: options.clients,
      clientDefaults: { id_token_signed_response_alg: 'ES256' },
      scopes: ['openid', 'offline_access', ...scopes],
      pkce: { required: () => true },
      cookies: { keys: ['not a secret'] },
      ttl: { AccessToken: () => options.tokenTtl, ClientCredentials: () => options.tokenTtl, RefreshToken: 86_400, Grant: 86_400, Session: 86_400, Interaction: 3600 },
      // Desktop clients have no offline_access to request: 2026-07-28 basic/authorization#refresh-tokens leaves it to the server.
      issueRefreshToken: async (ctx, client) => client.grantTypeAllowed('refresh_token'),
      rotateRefreshToken: true,
      clientBasedCORS: () => true,
      fetch: (...args) => options.fetch(...args),
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, email: `${sub}@example.com` }) }),
      features: {
        devInteractions: { enabled: true },
        registration: { enabled: true },
        registrationManagement: { enabled: true },
        introspection: { enabled: true, allowedPolicy: (ctx, client) => client.clientId === 'resource-server' },
        revocation: { enabled: true },
        clientCredentials: { enabled: true },
        clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
        dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => options.requireNonce },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => undefined,
          useGrantedResource: () => true,
          getResourceServerInfo: (_, audience) => ({
            audience, scope: scopes.join(' '), accessTokenFormat: options.format, accessTokenTTL: options.tokenTtl,
            jwt: { sign: { alg: 'ES256' } },
          }),
        },
      },
    });
    provider.on('server_error', (_, error) => options.onError?.(error));
    provider.on('grant.error', (ctx, error) => options.onGrantError?.(error, ctx.oidc.params));
    provider.on('grant.success', ({ oidc: { params } }) => {
      granted[params.grant_type] = (granted[params.grant_type] ?? 0) + 1;
    });
    for (const { name, parameters, handler } of options.grants) {
      provider.registerGrantType(name, (ctx, next) => handler(ctx, next, provider), parameters);
    }
    handle = provider.callback();
  }
  open();

  return {
    issuer, options, requests,
    /** The number of issued tokens, by grant type. */
    grants: granted,
    get provider() {
      return provider;
    },
    get jwks() {
      return jwks;
    },
    /** Makes new keys. With `keep` false, tokens signed by the old ones become invalid. */
    async rotateKeys({ keep = true } = {}) {
      jwks = { keys: [await privateJwk('ES256'), await privateJwk('RS256'), ...keep ? jwks.keys : []] };
      open();
    },
    /** Withdraws all grants, as the people would. */
    revokeAll: () => adapter.revokeAll(),
    count: (line) => requests.filter((one) => one === line).length,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { issuer, close } = await startAuthorizationServer();
  console.log(issuer);
  const stop = () => void close();
  process.once('SIGINT', stop).once('SIGTERM', stop);
}
