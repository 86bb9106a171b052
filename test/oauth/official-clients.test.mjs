// The official SDKs' clients, v1 and v2, log in to a barewire server with their own OAuth code.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as v2 from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { startAuthorizationServer } from './authorization-server.mjs';
import { redirectListener, visit } from './person.mjs';
import { startResourceServer } from './resource-server.mjs';

let as;
before(async () => {
  as = await startAuthorizationServer();
});
after(() => as.close());

/** The callbacks that both SDKs need from an application: storage, and showing a page. */
class Provider {
  kept = {};
  shown = [];
  constructor(redirectUrl) {
    this.redirectUrl = redirectUrl;
  }
  get clientMetadata() { return {
    client_name: 'official', redirect_uris: [this.redirectUrl], grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'], token_endpoint_auth_method: 'none', application_type: 'native',
  }; }
  clientInformation() { return this.kept.client; }
  saveClientInformation(client) { this.kept.client = client; }
  tokens() { return this.kept.tokens; }
  saveTokens(tokens) { this.kept.tokens = tokens; }
  redirectToAuthorization(url) { this.shown.push(url); }
  saveCodeVerifier(verifier) { this.kept.verifier = verifier; }
  codeVerifier() { return this.kept.verifier; }
  state() { return 'state'; }
}

const makers = {
  v1: (url, provider) => ({
    client: new ClientV1({ name: 'official', version: '1' }),
    transport: new TransportV1(new URL(url), { authProvider: provider }),
  }),
  v2: (url, provider) => ({
    client: new v2.Client({ name: 'official', version: '1' }),
    transport: new v2.StreamableHTTPClientTransport(new URL(url), { authProvider: provider }),
  }),
};

for (const [name, make] of Object.entries(makers)) {
  test(`the official client ${name} finds the authorization server, registers, logs in and calls`, async (t) => {
    const resource = await startResourceServer(as.issuer);
    t.after(() => resource.close());
    const redirects = await redirectListener();
    t.after(redirects.close);
    const provider = new Provider(redirects.url);
    const first = make(resource.url, provider);
    await assert.rejects(first.client.connect(first.transport), /nauthorized/);
    assert.equal(provider.shown.length, 1);
    const shown = provider.shown[0];
    assert.equal(shown.origin, as.issuer);
    assert.equal(shown.searchParams.get('resource'), resource.url);
    // v2 also requests offline_access if the authorization server supports it.
    assert.match(shown.searchParams.get('scope'), /^trips:read( offline_access)?$/);
    await visit(provider.shown[0]);
    const response = await redirects.response;
    await first.transport.finishAuth(name === 'v1' ? response.get('code') : response);

    const { client, transport } = make(resource.url, provider);
    await client.connect(transport);
    t.after(() => client.close());
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), ['whoami', 'book_trip']);
    const { content: [{ text }] } = await client.callTool({ name: 'whoami', arguments: {} });
    const who = JSON.parse(text);
    assert.equal(who.subject, 'alice');
    assert.ok(who.scopes.includes('trips:read') && !who.scopes.includes('trips:write'));
    assert.equal(who.clientId, provider.kept.client.client_id);
  });

  test(`the official client ${name} refreshes a token that has expired`, async (t) => {
    const clock = { ms: 0 };
    const resource = await startResourceServer(as.issuer, { now: () => Date.now() + clock.ms });
    t.after(() => resource.close());
    const redirects = await redirectListener();
    t.after(redirects.close);
    const provider = new Provider(redirects.url);
    const first = make(resource.url, provider);
    await assert.rejects(first.client.connect(first.transport));
    await visit(provider.shown[0]);
    const response = await redirects.response;
    await first.transport.finishAuth(name === 'v1' ? response.get('code') : response);
    const { client, transport } = make(resource.url, provider);
    await client.connect(transport);
    t.after(() => client.close());
    // Wait for the GET stream, which is opened in parallel with the calls. If it came now, it would refresh at the same time as the call,
    // with the same refresh token: v2 loses that race, and its login with it.
    if (transport.protocolVersion < '2026') await resource.answered(({ method, url }) => method === 'GET' && url === '/mcp');
    const before = provider.kept.tokens.access_token;
    // The resource's clock moves past the token's end; only the refreshed token lasts long enough.
    as.options.tokenTtl = 3600;
    t.after(() => { as.options.tokenTtl = 300; });
    clock.ms = 600_000;
    const { content: [{ text }] } = await client.callTool({ name: 'whoami', arguments: {} });
    assert.equal(JSON.parse(text).subject, 'alice');
    assert.notEqual(provider.kept.tokens.access_token, before);
    assert.ok(resource.refused.includes('token_expired'));
    assert.equal(provider.shown.length, 1);
  });
}
