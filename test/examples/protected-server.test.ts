import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:https';
import type { RequestOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { apiKeys, certificate, cookie, digest, withCertificate } from '../../examples/protected/other-credentials.ts';
import { serveProtected } from '../../examples/protected/server.ts';
import { openAgency } from '../../examples/travel/agency.ts';
import { McpClient } from '../../src/client/mcp-client.ts';
import { McpServer } from '../../src/server/mcp-server.ts';
import { HttpError } from '../../src/transport/http/http-error.ts';
import { httpListener } from '../../src/transport/http/node/request-listener.ts';
import { serveHttp } from '../../src/transport/http/node/serve.ts';
import { httpTransport } from '../../src/transport/http/client/index.ts';
import type { Authenticate } from '../../src/transport/http/server/admission.ts';
import { freePort } from '../free-ports.ts';
import { startIssuer } from '../oauth-resource/issuer.ts';
import { authority, clientCertificate, clientKey, serverCertificate, serverKey } from './certificates.ts';

for (const era of ['legacy', 'modern'] as const) {
  test(`protected, ${era}: who may look may not book, and who may book does`, async (t) => {
    const port = await freePort();
    const issuer = await startIssuer(t, `http://127.0.0.1:${port}/mcp`);
    const agency = openAgency();
    const { url, close } = await serveProtected(issuer.issuer, port, agency);
    t.after(() => close({ drainMs: 0 }));
    const connect = async (scope: string): Promise<McpClient> => {
      const client = new McpClient({ name: 'test', version: '1' }, { era, onElicit: () => ({ action: 'accept', content: {} }) });
      await client.connect(httpTransport(url, { headers: () => ({ authorization: `Bearer ${issuer.token({ scope })}` }) }));
      t.after(() => client.close());
      return client;
    };
    const reader = await connect('trips:read');
    assert.ok((await reader.listTools()).some(({ name }) => name === 'book_trip'));
    await assert.rejects(reader.callTool('book_trip', { destination: 'Lisbon' }), (error) =>
      error instanceof HttpError && error.status === 403 && /scope="trips:write"/.test(error.header('www-authenticate') ?? ''));
    assert.equal(agency.counts.charges, 0);
    const writer = await connect('trips:write');
    const { content } = await writer.callTool('book_trip', { destination: 'Lisbon' });
    assert.match(JSON.stringify(content), /Booked BW1001/);
    assert.equal(agency.counts.charges, 1);
    await assert.rejects(fetch(url, { method: 'POST' }).then(({ status }) => Promise.reject(status)), (status) => status === 401);
  });
}

function whoServer(): McpServer {
  const server = new McpServer({ name: 'who', version: '1' });
  server.tool('who', { scopes: ['trips:read'] }, (_, { auth }) => auth?.principal ?? 'nobody');
  return server;
}

async function ask(t: TestContext, auth: Authenticate, headers: Record<string, string>): Promise<string> {
  const { url, close } = await serveHttp(whoServer(), { auth });
  t.after(() => close({ drainMs: 0 }));
  const client = new McpClient({ name: 'test', version: '1' });
  try {
    await client.connect(httpTransport(url, { headers: () => headers }));
    return JSON.stringify((await client.callTool('who', {})).content);
  } catch (error) {
    return String(error);
  } finally {
    await client.close();
  }
}

test('protected: API keys', async (t) => {
  const auth = apiKeys({ [digest('k1')]: { principal: 'billing', scopes: ['trips:read'] }, [digest('k2')]: { principal: 'nothing', scopes: [] } });
  assert.match(await ask(t, auth, { 'x-api-key': 'k1' }), /billing/);
  assert.match(await ask(t, auth, { 'x-api-key': 'k2' }), /403/);
  for (const key of ['', 'k3', digest('k1'), '__proto__', 'constructor']) assert.match(await ask(t, auth, { 'x-api-key': key }), /401/, key);
});

test('protected: a cookie of the application\'s', async (t) => {
  const auth = cookie('session', (id) => id === 'a=b' ? { principal: 'alice', scopes: ['trips:read'] } : undefined);
  assert.match(await ask(t, auth, { cookie: 'x=1; session=a=b; y=2' }), /alice/);
  for (const value of ['', 'session', 'session=', 'xsession=a=b', 'x=session=a=b']) assert.match(await ask(t, auth, { cookie: value }), /401/, value);
});

test('protected: a client\'s certificate, which no header stands for', async (t) => {
  const listener = httpListener(whoServer(), { auth: certificate });
  const server = createServer({
    key: serverKey, cert: serverCertificate, ca: authority, requestCert: true, rejectUnauthorized: false,
  }, withCertificate(listener)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => (server.closeAllConnections(), server.close()));
  const body = JSON.stringify({
    jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who', arguments: {}, _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    } },
  });
  const post = async (options: RequestOptions, headers: Record<string, string> = {}): Promise<string> => {
    const outgoing = request({
      host: '127.0.0.1', port: (server.address() as AddressInfo).port, path: '/mcp', method: 'POST', ca: authority, ...options,
      headers: {
        'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call', 'mcp-name': 'who', ...headers,
      },
    }).end(body);
    const [response] = await once(outgoing, 'response') as [NodeJS.ReadableStream & { statusCode: number }];
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return `${response.statusCode} ${text}`;
  };
  assert.match(await post({ cert: clientCertificate, key: clientKey }), /^200 .*"text":"client"/);
  assert.match(await post({}), /^401 /);
  assert.match(await post({}, { 'x-client-subject': 'client' }), /^401 /);
});
