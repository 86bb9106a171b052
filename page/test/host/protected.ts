// A server that requires a login, and the authorization server that it trusts.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveHttp } from 'barewire/http';
import { bearer, TokenError } from 'barewire/oauth';
import { sampleServer } from './harness.ts';
import type { Ending } from './harness.ts';

export interface ProtectedServer {
  readonly url: string;
  /** The issuer. */
  readonly base: string;
  /** Secrets that no page may receive. */
  readonly secrets: readonly string[];
}

export async function protectedServer(t: Ending): Promise<ProtectedServer> {
  const secrets = ['code-of-the-test', 'access-of-the-test', 'refresh-of-the-test'];
  let base = '';
  const authorization = createServer((request, response) => {
    const json = (value: object): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const url = new URL(request.url ?? '/', base);
    if (url.pathname.startsWith('/.well-known/')) {
      return json({
        issuer: base, authorization_endpoint: `${base}/authorize`, token_endpoint: `${base}/token`, registration_endpoint: `${base}/register`,
        response_types_supported: ['code'], code_challenge_methods_supported: ['S256'], token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
      });
    }
    if (url.pathname === '/register') return json({ client_id: 'client-1', redirect_uris: ['http://127.0.0.1/callback'], token_endpoint_auth_method: 'none' });
    if (url.pathname === '/token') return json({ access_token: secrets[1], refresh_token: secrets[2], token_type: 'Bearer', expires_in: 3600 });
    // The person agrees at once.
    const back = new URL(url.searchParams.get('redirect_uri') ?? '');
    back.search = String(new URLSearchParams({ code: secrets[0] ?? '', state: url.searchParams.get('state') ?? '', iss: base }));
    response.writeHead(302, { location: back.href }).end();
  });
  await new Promise<void>((resolve) => authorization.listen(0, '127.0.0.1', resolve));
  t.after(() => void authorization.close());
  base = `http://127.0.0.1:${(authorization.address() as AddressInfo).port}`;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const http = await serveHttp(sampleServer(), {
    port,
    auth: bearer({
      resource: url, authorizationServers: [base],
      verify: async (token) => {
        if (token !== secrets[1]) throw new TokenError('token_unknown', 'nobody issued this token');
        return { iss: base, aud: url, sub: 'ann', exp: Math.floor(Date.now() / 1000) + 3600 };
      },
    }),
  });
  t.after(() => http.close());
  return { url, base, secrets };
}

/** A port that is probably free. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
