import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { McpClient } from '../../src/client/mcp-client.ts';
import { bearer } from '../../src/oauth/resource/bearer.ts';
import { hideUnreachable } from '../../src/oauth/resource/hide-unreachable.ts';
import { McpServer } from '../../src/server/mcp-server.ts';
import type { ServerOptions } from '../../src/server/mcp-server.ts';
import { fetchHandler } from '../../src/transport/http/fetch/handler.ts';
import type { HttpOptions } from '../../src/transport/http/server/options.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { resource, startIssuer } from './issuer.ts';
import type { Issuer } from './issuer.ts';
import { serveHttp } from '../transport/http/engine.ts';

const origin = 'https://trips.example';

/** Calls a method of the server over HTTP, with a token of these scopes. */
type Call = (method: string, params: Record<string, unknown>, scope: string) => Promise<{
  status: number; challenge: string; body: { result?: Record<string, unknown>; error?: { code: number; message: string; data?: unknown } };
}>;

function trips(options: ServerOptions = {}): McpServer {
  const server = new McpServer({ name: 'trips', version: '1' }, { onError: () => {}, ...options });
  server.tool('list_trips', { scopes: ['trips:read'] }, () => 'none');
  server.tool('book_trip', { scopes: ['trips:read', 'trips:write'] }, () => 'booked');
  server.tool('weather', {}, () => 'rain');
  server.resource('trips://1', { scopes: ['trips:read'] }, () => 'Lisbon');
  server.resourceTemplate('trips://{id}/bill', { scopes: ['bills'], complete: { id: () => ['secret'] } }, ({ id }) => `bill of ${id}`);
  server.prompt('plan', { scopes: ['trips:write'], arguments: { city: { complete: () => ['Lisbon'] } } }, () => 'Plan it.');
  return server;
}

function caller(era: 'legacy' | 'modern', server: McpServer, issuer: Issuer): Call {
  const auth = bearer({
    resource, authorizationServers: [issuer.issuer], scopes: ['trips:read', 'trips:write'],
    implies: (held, needed) => held === 'admin' && needed !== 'bills',
  });
  const handler = fetchHandler(server, { auth, allowedHosts: ['trips.example'] });
  const post = async (body: object, scope: string, headers: Record<string, string>): Promise<Response> =>
    handler(new Request(`${origin}/mcp`, {
      method: 'POST', body: JSON.stringify(body),
      headers: { authorization: `Bearer ${issuer.token({ scope })}`, accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    }));
  let session: string | undefined;
  return async (method, params, scope) => {
    let response: Response;
    if (era === 'modern') {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      };
      const name = params['name'] ?? params['uri'];
      response = await post({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }, scope, {
        'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...typeof name === 'string' && { 'mcp-name': name },
      });
    } else {
      if (session === undefined) {
        const opened = await post({
          jsonrpc: '2.0', id: 0, method: 'initialize',
          params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
        }, 'trips:read', {});
        await opened.text();
        session = opened.headers.get('mcp-session-id') ?? '';
        await (await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, scope, { 'mcp-session-id': session })).text();
      }
      response = await post({ jsonrpc: '2.0', id: 1, method, params }, scope, { 'mcp-session-id': session });
    }
    return {
      status: response.status, challenge: response.headers.get('www-authenticate') ?? '',
      body: JSON.parse(await response.text()) as Awaited<ReturnType<Call>>['body'],
    };
  };
}

for (const era of ['legacy', 'modern'] as const) {
  test(`scopes, ${era}: what the token does not reach gets 403 with all the scopes of the operation`, async (t) => {
    const issuer = await startIssuer(t);
    const call = caller(era, trips(), issuer);
    const book = { name: 'book_trip', arguments: {} };
    const cases: [string, Record<string, unknown>, string, string | undefined][] = [
      ['tools/call', book, 'trips:read', 'trips:read trips:write'],
      ['tools/call', book, '', 'trips:read trips:write'],
      ['tools/call', book, 'trips:read trips:write', undefined],
      ['tools/call', book, 'admin', undefined],
      ['tools/call', { name: 'weather', arguments: {} }, '', undefined],
      ['resources/read', { uri: 'trips://1' }, '', 'trips:read'],
      ['resources/read', { uri: 'trips://1' }, 'trips:read', undefined],
      ['resources/read', { uri: 'trips://1/bill' }, 'trips:read admin', 'bills'],
      ['resources/read', { uri: 'trips://1/bill' }, 'bills', undefined],
      ['prompts/get', { name: 'plan' }, 'trips:read', 'trips:write'],
      ['prompts/get', { name: 'plan' }, 'trips:write', undefined],
      // The fact that it changed is secret too.
      ...era === 'legacy' ? [
        ['resources/subscribe', { uri: 'trips://1/bill' }, 'trips:read', 'bills'],
        ['resources/subscribe', { uri: 'trips://1' }, 'trips:read', undefined],
      ] satisfies [string, Record<string, unknown>, string, string | undefined][] : [
        ['subscriptions/listen', { notifications: { resourceSubscriptions: ['trips://1', 'trips://1/bill'] } }, 'trips:read', 'bills'],
      ] satisfies [string, Record<string, unknown>, string, string | undefined][],
      // Completions are secret too.
      ['completion/complete', { ref: { type: 'ref/resource', uri: 'trips://{id}/bill' }, argument: { name: 'id', value: '' } }, '', 'bills'],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'city', value: '' } }, '', 'trips:write'],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'city', value: '' } }, 'admin', undefined],
    ];
    for (const [method, params, scope, needed] of cases) {
      const { status, challenge, body } = await call(method, params, scope);
      const name = `${method} ${JSON.stringify(params)} with ${scope}`;
      if (needed === undefined) {
        assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`);
        assert.ok(body.result && !body.result['isError'], name);
      } else {
        assert.equal(status, 403, name);
        assert.equal(
          challenge.replace(/error_description="[^"]+"$/, 'error_description="…"'),
          `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="${needed}", error="insufficient_scope", error_description="…"`,
        );
        assert.deepEqual(body.error?.data, { code: 'insufficient_scope' }, name);
      }
    }
  });

  test(`scopes, ${era}: everything is listed, unless the operator hides it, once for a set of scopes`, async (t) => {
    const issuer = await startIssuer(t);
    const cache = { tools: { ttlMs: 1000, scope: 'public' as const } };
    const open = caller(era, trips({ cache }), issuer);
    const hidden = caller(era, trips({ cache, listFilter: hideUnreachable }), issuer);
    const names = async (call: Call, scope: string): Promise<unknown> => {
      const { body: { result } } = await call('tools/list', {}, scope);
      if (era === 'modern') assert.equal(result?.['cacheScope'], call === hidden ? 'private' : 'public');
      return (result?.['tools'] as { name: string }[]).map(({ name }) => name);
    };
    const all = ['list_trips', 'book_trip', 'weather'];
    assert.deepEqual(await names(open, ''), all);
    assert.deepEqual(await names(hidden, ''), ['weather']);
    assert.deepEqual(await names(hidden, 'trips:read'), ['list_trips', 'weather']);
    assert.deepEqual(await names(hidden, 'trips:write trips:read'), all);
    assert.deepEqual(await names(hidden, 'trips:read trips:write'), all);
    assert.deepEqual(await names(hidden, 'admin'), all);
    assert.deepEqual(await names(hidden, ''), ['weather']);
    // A hidden tool is reported as unknown: 403 would show that it exists.
    const { status, body } = await hidden('tools/call', { name: 'book_trip', arguments: {} }, '');
    assert.deepEqual([status, body.error?.code], [200, -32602]);
  });
}

/** A server that closes with the test. */
async function serve(t: TestContext, server: McpServer, options: HttpOptions): Promise<string> {
  const { url, close } = await serveHttp(server, options);
  t.after(() => close({ drainMs: 0 }));
  return url;
}

test('scopes: a server that has some refuses to start over HTTP without auth', async (t) => {
  assert.throws(() => fetchHandler(trips()), /the server has scopes, and `auth` is missing/);
  assert.throws(() => serveHttp(trips()), /`auth` is missing/);
  const later = new McpServer({ name: 'later', version: '1' });
  const told: string[] = [];
  const handler = fetchHandler(later, { onError: ({ message }) => told.push(message), allowedHosts: '*' });
  const ask = async (): Promise<number> => (await handler(new Request(`${origin}/mcp`, { method: 'DELETE' }))).status;
  assert.notEqual(await ask(), 500);
  later.tool('late', { scopes: ['a'] }, () => '');
  assert.equal(await ask(), 500);
  assert.match(told.join(), /`auth` is missing/);
  await serve(t, trips(), { auth: () => undefined });
});

test('scopes: over a pipe they are not checked', async () => {
  const client = new McpClient({ name: 'test', version: '1' });
  await client.connect(memoryTransport(trips({ listFilter: hideUnreachable })));
  assert.equal((await client.listTools()).length, 3);
  assert.deepEqual((await client.callTool('book_trip', {})).content, [{ type: 'text', text: 'booked' }]);
  await client.close();
});

test('scopes: an auth of another kind says what it reaches by a list, and reaches nothing without', async (t) => {
  const keys: Record<string, { principal: string; scopes?: string[] }> = {
    reader: { principal: 'a', scopes: ['trips:read'] }, writer: { principal: 'b', scopes: ['trips:read', 'trips:write'] }, plain: { principal: 'c' },
  };
  const url = await serve(t, trips(), { auth: (request) => keys[request.header('x-api-key') ?? ''] });
  const book = async (key: string): Promise<string> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'x-api-key': key, 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call', 'mcp-name': 'book_trip',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'book_trip', arguments: {}, _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      } } }),
    });
    await response.text();
    return `${response.status} ${response.headers.get('www-authenticate')}`;
  };
  assert.equal(await book('writer'), '200 null');
  assert.equal(await book('reader'), '403 Bearer error="insufficient_scope", scope="trips:read trips:write"');
  assert.equal(await book('plain'), '403 Bearer error="insufficient_scope", scope="trips:read trips:write"');
  assert.equal(await book('nobody'), '401 Bearer');
});
