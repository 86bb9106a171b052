import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { McpServer } from '../../src/server/mcp-server.ts';
import { fetchHandler } from '../../src/transport/http/fetch/handler.ts';
import { bearer } from '../../src/oauth/resource/bearer.ts';
import type { BearerOptions } from '../../src/oauth/resource/options.ts';
import { proofKey, startIssuer } from './issuer.ts';
import type { Issuer } from './issuer.ts';
import { serveHttp } from '../transport/http/engine.ts';

// The resource of these tests; the real server listens elsewhere, as behind a proxy.
const resource = 'https://trips.example/mcp';
const origin = 'https://trips.example';

type Send = (headers?: Record<string, string>, body?: object, path?: string, method?: string) => Promise<Response>;

const initialize = {
  jsonrpc: '2.0', id: 1, method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const discover = {
  jsonrpc: '2.0', id: 1, method: 'server/discover',
  params: { _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  } },
};

/** The same server over `node:http` and as a web handler. */
async function start(t: TestContext, issuer: Issuer, options: Partial<BearerOptions> = {}): Promise<Record<string, Send>> {
  // The server reports an unexpected response.
  const server = new McpServer({ name: 'trips', version: '1' }, { onError: () => {} });
  server.tool('whoami', {}, (_, ctx) => JSON.stringify(ctx.auth));
  server.tool('ask', {}, async (_, ctx) => `said ${(await ctx.elicit('Sure?', { sure: { type: 'boolean' } })).action}`);
  const auth = bearer({ resource, authorizationServers: [issuer.issuer], scopes: ['trips:read'], ...options });
  const { url, close } = await serveHttp(server, { auth });
  t.after(() => close({ drainMs: 0 }));
  const handler = fetchHandler(server, { auth, allowedHosts: ['trips.example'] });
  const init = (headers: Record<string, string>, body: object | undefined, method: string): RequestInit => ({
    method, headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    ...body && { body: JSON.stringify(body) },
  });
  return {
    node: (headers = {}, body, path = '/mcp', method = 'POST') => fetch(new URL(path, url), init(headers, body, method)),
    fetch: (headers = {}, body, path = '/mcp', method = 'POST') => handler(new Request(origin + path, init(headers, body, method))),
  };
}

test('http: metadata for everybody, 401 with the way to it, 200 with a token', async (t) => {
  const issuer = await startIssuer(t);
  for (const [name, send] of Object.entries(await start(t, issuer))) {
    const refused = await send({}, initialize);
    assert.equal(refused.status, 401, name);
    // The endpoints of HTTP+SSE (2024-11-05) refuse it too.
    for (const [path, method] of [['/sse', 'GET'], ['/messages?sessionId=x', 'POST']] as const) {
      assert.equal((await send({}, method === 'POST' ? initialize : undefined, path, method)).status, 401, `${name} ${path}`);
    }
    const found = /resource_metadata="([^"]+)", scope="trips:read"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1];
    assert.equal(found, 'https://trips.example/.well-known/oauth-protected-resource/mcp');
    const document = await send({}, undefined, new URL(found).pathname, 'GET');
    assert.equal(document.status, 200);
    assert.match(document.headers.get('content-type') ?? '', /^application\/json/);
    const { resource: named, authorization_servers: servers } = await document.json() as Record<string, unknown>;
    assert.deepEqual([named, servers], [resource, [issuer.issuer]]);
    const accepted = await send({ authorization: `Bearer ${issuer.token()}` }, initialize);
    assert.equal(accepted.status, 200);
    assert.ok(accepted.headers.get('mcp-session-id'));
    await accepted.text();
    const modern = { authorization: `Bearer ${issuer.token()}`, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' };
    assert.equal((await send(modern, discover)).status, 200);
    const malformed = await send({ authorization: 'Bearer "' }, initialize);
    assert.equal(malformed.status, 400);
    assert.match(malformed.headers.get('www-authenticate') ?? '', /error="invalid_request"/);
  }
});

test('http: a resource without a path has its metadata at the well-known root', async (t) => {
  const issuer = await startIssuer(t);
  for (const [name, send] of Object.entries(await start(t, issuer, { resource: origin }))) {
    const refused = await send({}, discover);
    assert.match(refused.headers.get('www-authenticate') ?? '', /resource_metadata="https:\/\/trips\.example\/\.well-known\/oauth-protected-resource"/, name);
    const document = await send({}, undefined, '/.well-known/oauth-protected-resource', 'GET');
    assert.equal(document.status, 200, name);
    assert.equal((await document.json() as Record<string, unknown>)['resource'], origin);
  }
});

test('http: a session belongs to the person: a new token keeps it, another person\'s does not', async (t) => {
  const issuer = await startIssuer(t);
  for (const [name, send] of Object.entries(await start(t, issuer))) {
    const opened = await send({ authorization: `Bearer ${issuer.token()}` }, initialize);
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    await opened.text();
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'whoami', arguments: {} } };
    const as = (claims: Record<string, unknown>): Promise<Response> =>
      send({ authorization: `Bearer ${issuer.token(claims)}`, ...session }, call);
    // Each request uses its own token, not the one that opened the session.
    const refreshed = await as({ scope: 'trips:read trips:write', client_id: 'app' });
    assert.equal(refreshed.status, 200, name);
    assert.match(await refreshed.text(), /trips:write/);
    assert.equal((await as({ sub: 'mallory' })).status, 404);
    assert.equal((await as({ exp: 1 })).status, 401);
    assert.equal((await send(session, call)).status, 401);
  }
});

test('http: a question is answered over the session that was asked, and by its user only', async (t) => {
  const issuer = await startIssuer(t);
  for (const [name, send] of Object.entries(await start(t, issuer))) {
    const alice = { authorization: `Bearer ${issuer.token()}` };
    const open = async (): Promise<Record<string, string>> => {
      const opened = await send(alice, { ...initialize, params: { ...initialize.params, capabilities: { elicitation: {} } } });
      await opened.text();
      const session = { ...alice, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      await (await send(session, { jsonrpc: '2.0', method: 'notifications/initialized' })).text();
      return session;
    };
    const [own, beside] = [await open(), await open()];
    const called = await send(own, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'ask', arguments: {} } });
    const reader = called.body?.pipeThrough(new TextDecoderStream()).getReader();
    let said = '';
    const until = async (text: string): Promise<void> => {
      while (!said.includes(text)) said += (await reader?.read())?.value ?? assert.fail(`${name}: the stream ended before ${text}`);
    };
    await until('elicitation/create');
    const id = Number(/"id":(\d+),"method":"elicitation\/create"/.exec(said)?.[1]);
    const answer = (action: string): object => ({ jsonrpc: '2.0', id, result: { action } });
    // The same user in another session, and another user who knows this session's id.
    assert.equal((await send(beside, answer('cancel'))).status, 202, name);
    assert.equal((await send({ ...own, authorization: `Bearer ${issuer.token({ sub: 'mallory' })}` }, answer('cancel'))).status, 404, name);
    assert.equal((await send(own, answer('decline'))).status, 202, name);
    await until('said ');
    assert.match(said, /said decline/);
    await reader?.cancel();
  }
});

test('http: a proof for each request, and a nonce where one is wanted', async (t) => {
  const issuer = await startIssuer(t);
  const key = proofKey();
  const token = issuer.token({ cnf: { jkt: key.jkt } });
  const authorization = `DPoP ${token}`;
  for (const [name, send] of Object.entries(await start(t, issuer, { dpop: { required: true, nonces: true } }))) {
    const asked = await send({ authorization, dpop: key.proof(token) }, initialize);
    assert.equal(asked.status, 401, name);
    assert.match(asked.headers.get('www-authenticate') ?? '', /^DPoP resource_metadata="https:\/\/trips\.example\/\.well-known\/oauth-protected-resource\/mcp", scope="trips:read", error="use_dpop_nonce"/);
    const nonce = asked.headers.get('dpop-nonce');
    const proof = key.proof(token, { nonce });
    const accepted = await send({ authorization, dpop: proof }, initialize);
    assert.equal(accepted.status, 200, name);
    await accepted.text();
    assert.equal((await send({ authorization, dpop: proof }, initialize)).status, 401);
    assert.equal((await send({ authorization: `Bearer ${token}` }, initialize)).status, 401);
  }
});
