import assert from 'node:assert/strict';
import test from 'node:test';
import { clientCredentials, oauth } from '../../src/oauth/index.ts';
import { json, pair } from './authorization-server.ts';
import type { ProtectedResource } from './authorization-server.ts';
import { call, selfLogin } from './login.ts';

// Which metadata a client takes, and which resource it names. 2026-07-28 basic/authorization#canonical-server-uri.

test('resource: the metadata is taken from the address that the challenge names, and no other is asked', async (t) => {
  const { as, rs } = await pair(t);
  rs.answers.set('/mcp', ({ headers }, response) => as.valid.has((headers.authorization ?? '').split(' ')[1] ?? '')
    ? response.end('{}')
    : response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${rs.origin}/elsewhere"` }).end());
  rs.answers.set('/elsewhere', json({ resource: rs.url, authorization_servers: [as.origin] }));
  assert.equal(await call(selfLogin(), rs.url), 200);
  assert.deepEqual(rs.requests, ['POST /mcp', 'GET /elsewhere', 'POST /mcp']);
});

test('resource: where the challenge names no address, the metadata is taken from the path, else from the root', async (t) => {
  for (const [place, named] of [['/.well-known/oauth-protected-resource/mcp', '/mcp'], ['/.well-known/oauth-protected-resource', '']] as const) {
    const { as, rs } = await pair(t);
    rs.answers.set('/mcp', ({ headers }, response) => response.writeHead(headers.authorization === undefined ? 401 : 200).end());
    rs.answers.set('/.well-known/oauth-protected-resource/mcp', (_, response) => response.writeHead(404).end());
    rs.answers.set(place, json({ resource: `${rs.origin}${named}`, authorization_servers: [as.origin] }));
    assert.equal(await call(selfLogin(), rs.url), 200);
    assert.equal(as.logins[0]?.get('resource'), `${rs.origin}${named}`);
  }
});

/** Makes `rs` a server of 2025-03-26, which is its own authorization server and has no metadata. Collects the requested resources. */
function withoutMetadata(rs: ProtectedResource, path: string): (string | null)[] {
  const resources: (string | null)[] = [];
  rs.answers.set(path, ({ headers }, response) => response.writeHead(headers.authorization === undefined ? 401 : 200).end());
  rs.answers.set('/.well-known/oauth-protected-resource/mcp', (_, response) => response.writeHead(404).end());
  rs.answers.set('/register', json({ client_id: 'legacy' }, 201));
  rs.answers.set('/authorize', (request, response) => {
    const query = new URL(request.url ?? '', rs.origin).searchParams;
    resources.push(query.get('resource'));
    response.writeHead(302, { location: `${query.get('redirect_uri')}?code=c&state=${query.get('state')}` }).end();
  });
  rs.answers.set('/token', (request, response, body) => {
    resources.push(new URLSearchParams(body).get('resource'));
    json({ access_token: 'legacy-token', token_type: 'bearer' })(request, response, body);
  });
  return resources;
}

test('resource: a server without metadata is named by its whole address, without a slash after a bare host', async (t) => {
  for (const [path, named] of [['/mcp', '/mcp'], ['/', ''], ['/mcp?tenant=1', '/mcp?tenant=1']] as const) {
    const { rs } = await pair(t);
    const resources = withoutMetadata(rs, path.split('?', 1)[0] as string);
    assert.equal(await call(selfLogin(), `${rs.origin}${path}`), 200);
    assert.deepEqual(resources, [`${rs.origin}${named}`, `${rs.origin}${named}`]);
  }
});

test('resource: metadata may write scheme and host in any case, and is sent unchanged', async (t) => {
  const { as, rs } = await pair(t);
  rs.metadata = { resource: rs.url.replace('http:', 'HTTP:') };
  assert.equal(await call(selfLogin(), rs.url), 200);
  assert.equal(as.logins[0]?.get('resource'), rs.url.replace('http:', 'HTTP:'));
  for (const [resource, code] of [['HTTPS://MCP.Example.com/mcp', 'metadata_missing'], ['HTTPS://MCP.Example.com/MCP', 'resource_mismatch']] as const) {
    const fetch: typeof globalThis.fetch = async (url) => String(url).endsWith('/oauth-protected-resource/mcp')
      ? Response.json({ resource, authorization_servers: ['https://as.example'] }) : new Response('', { status: 404 });
    const auth = oauth({ grant: clientCredentials({ clientId: 'job', clientSecret: 'secret' }), fetch });
    const url = 'https://mcp.example.com/mcp';
    const sent = await auth.headers({ method: 'POST', url });
    await assert.rejects(auth.refused({ status: 401, url, method: 'POST', header: () => undefined, body: '', sent, attempt: 1 }), { code }, resource);
  }
});
