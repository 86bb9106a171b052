import assert from 'node:assert/strict';
import test from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { bearer } from '../../src/oauth/resource/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { fetchHandler, httpTransport } from '../../src/transport/http/fetch/index.ts';
import { authorizationServer } from './authorization-server.ts';
import { selfLogin } from './login.ts';

// A client and a server of this package, with an authorization server and the HTTP transport between them.

test('oauth: over the HTTP transport a login lets both eras in, each request has its token, and no URL has one', async (t) => {
  const resource = 'https://trips.example/mcp';
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const as = await authorizationServer(t);
    const server = new McpServer({ name: 'trips', version: '1' });
    server.tool('who', {}, (_, ctx) => String(ctx.auth?.['subject']));
    const auth = bearer({
      resource, authorizationServers: [as.origin],
      verify: async (token) => as.valid.has(token) ? { iss: as.origin, sub: 'ada', aud: resource } : undefined,
    });
    const handler = fetchHandler(server, { auth, allowedHosts: ['trips.example'] });
    const seen: Request[] = [];
    const toServer: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      if (!request.url.startsWith('https://trips.example/')) return fetch(input, init);
      if (new URL(request.url).pathname === '/mcp') seen.push(request);
      return handler(request);
    };
    const client = new McpClient({ name: 'test', version: '1' }, { revisions: [revision] });
    await client.connect(httpTransport(resource, {
      fetch: toServer, auth: selfLogin({ fetch: toServer, allowPrivateAddresses: true }),
    }));
    assert.deepEqual((await client.callTool('who')).content, [{ type: 'text', text: 'ada' }]);
    await client.close();
    assert.equal(as.logins.length, 1, revision);
    const [first, ...rest] = seen;
    assert.equal(first?.headers.get('authorization'), null);
    const [token] = as.valid.keys();
    for (const { headers, method, url } of rest) {
      assert.equal(headers.get('authorization'), `Bearer ${token}`, method);
      assert.equal(url, resource);
    }
    // A session also has a stream and an end.
    const methods = revision === '2025-11-25' ? ['DELETE', 'GET', 'POST'] : ['POST'];
    assert.deepEqual([...new Set(rest.map(({ method }) => method))].sort(), methods);
  }
});
