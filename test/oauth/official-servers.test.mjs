// barewire's client logs in to the official SDKs' servers: v1 with Express, v2 with its own handler, each with its own token check; and to
// the authorization server that is part of the v1 SDK.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { DemoInMemoryAuthProvider } from '@modelcontextprotocol/sdk/examples/server/demoInMemoryOAuthProvider.js';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth as requireV1 } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { getOAuthProtectedResourceMetadataUrl, mcpAuthMetadataRouter, mcpAuthRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { McpServer as ServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as v2 from '@modelcontextprotocol/server';
import express from 'express';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { McpClient } from '../../dist/lib/client.js';
import { httpTransport } from '../../dist/lib/fetch.js';
import { authorizationCode, oauth } from '../../dist/lib/oauth.js';
import { startAuthorizationServer } from './authorization-server.mjs';
import { visit } from './person.mjs';

let as;
let metadata;
before(async () => {
  as = await startAuthorizationServer();
  metadata = await (await fetch(`${as.issuer}/.well-known/oauth-authorization-server`)).json();
});
after(() => as.close());

/** Gets a port before the server is made, because both servers must know their own address. */
async function listen(t, make) {
  let handle;
  const server = createServer((req, res) => handle(req, res));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => (server.closeAllConnections(), server.close()));
  const url = new URL(`http://127.0.0.1:${server.address().port}/mcp`);
  handle = make(url);
  return url;
}

/** The token verifier that both SDKs need, with jose. */
const verifier = (url) => ({
  async verifyAccessToken(token) {
    const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(`${as.issuer}/jwks`)), { issuer: as.issuer, audience: url.href })
      .catch((error) => { throw new InvalidTokenError(error.message); });
    return { token, clientId: payload.client_id, scopes: payload.scope.split(' '), expiresAt: payload.exp, resource: new URL(payload.aud) };
  },
});

async function v1Server(req, res) {
  const server = new ServerV1({ name: 'v1', version: '1' });
  server.registerTool('whoami', {}, ({ authInfo }) => ({ content: [{ type: 'text', text: authInfo.scopes.join(' ') }] }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  res.on('close', () => transport.close());
  await server.connect(transport);
  await transport.handleRequest(req, res, req.body);
}

const servers = {
  v1(url) {
    const app = express();
    app.use(express.json());
    app.use(mcpAuthMetadataRouter({ oauthMetadata: metadata, resourceServerUrl: url, scopesSupported: ['trips:read'] }));
    const gate = requireV1({
      verifier: verifier(url), requiredScopes: ['trips:read'], resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url),
    });
    app.post('/mcp', gate, v1Server);
    app.use((_, res) => res.status(405).end());
    return app;
  },
  v2(url) {
    const gate = v2.requireBearerAuth({
      verifier: verifier(url), requiredScopes: ['trips:read'], expectedResource: url,
      resourceMetadataUrl: v2.getOAuthProtectedResourceMetadataUrl(url),
    });
    const handler = v2.createMcpHandler(() => {
      const server = new v2.McpServer({ name: 'v2', version: '1' });
      server.registerTool('whoami', {}, (ctx) => ({ content: [{ type: 'text', text: ctx.http.authInfo.scopes.join(' ') }] }));
      return server;
    });
    return toNodeHandler({
      async fetch(request) {
        const document = v2.oauthMetadataResponse(request, { oauthMetadata: metadata, resourceServerUrl: url, scopesSupported: ['trips:read'] });
        if (document) return document;
        const auth = await gate(request);
        return auth instanceof Response ? auth : handler.fetch(request, { authInfo: auth });
      },
    });
  },
};

/** Connects a client whose person agrees to everything. */
async function connect(t, url) {
  const opened = [];
  const grant = authorizationCode({
    client: { name: 'barewire' }, redirectUri: 'http://127.0.0.1:33418/callback',
    async onAuthorize(page) {
      opened.push(page);
      return (await visit(page, { stopAt: 'http://127.0.0.1:33418/' })).url;
    },
  });
  const client = new McpClient({ name: 'barewire', version: '1' });
  await client.connect(httpTransport(url, { auth: oauth({ grant }) }));
  t.after(() => client.close());
  return { client, opened };
}

for (const [name, make] of Object.entries(servers)) {
  test(`barewire's client logs in to a server of the official SDK ${name}`, async (t) => {
    const url = await listen(t, make);
    const { client, opened } = await connect(t, url);
    const { content: [{ text }] } = await client.callTool('whoami', {});
    assert.match(text, /trips:read/);
    assert.equal(opened.length, 1);
    assert.equal(opened[0].searchParams.get('resource'), url.href);
  });
}

test('barewire\'s client logs in at the authorization server that the SDK v1 brings along', async (t) => {
  const url = await listen(t, (own) => {
    const provider = new DemoInMemoryAuthProvider();
    const app = express();
    app.use(express.json());
    app.use(mcpAuthRouter({ provider, issuerUrl: new URL(own.origin), resourceServerUrl: own, scopesSupported: ['trips:read'] }));
    app.post('/mcp', requireV1({ verifier: provider, resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(own) }), v1Server);
    app.use((_, res) => res.status(405).end());
    return app;
  });
  const { client, opened } = await connect(t, url);
  assert.ok((await client.listTools()).length === 1);
  assert.equal(opened.length, 1);
});
