import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strict } from './engine.ts';
import { modern, raw, rpc, start } from './harness.ts';

const body = rpc('initialize', { protocolVersion: '2025-11-25' });

test('by default only loopback names are served: DNS rebinding', async (t) => {
  const { ask, http } = await start(t);
  const hosts: [string, number][] = [
    [`127.0.0.1:${http.port}`, 200], ['localhost', 200], ['LocalHost:1', 200], ['[::1]:80', 200],
    ['evil.example', 403], ['evil.example:80', 403], ['localhost.evil.example', 403], ['127.0.0.1.evil.example', 403],
    ...['localhost@evil.example', '[::1].evil.example', 'localhost:1:2'].map((malformed): [string, number] => [malformed, strict ? 400 : 403]),
  ];
  for (const [host, status] of hosts) {
    assert.equal((await ask({ headers: { host }, body })).status, status, host);
  }
  assert.match(await raw(http.port, ['GET /mcp HTTP/1.0\r\n\r\n']), /^HTTP\/1\.1 403 /);
  const origins: [string, number][] = [
    ['http://localhost:5173', 200], ['https://127.0.0.1', 200], ['http://[::1]:3000', 200],
    ['http://evil.example', 403], ['http://localhost.evil.example', 403], ['http://evil.example/localhost', 403],
    ['http://localhost@evil.example', 403], ['null', 403], ['', 403], ['file://localhost', 403],
  ];
  for (const [origin, status] of origins) {
    assert.equal((await ask({ headers: { origin }, body })).status, status, origin);
  }
  for (const method of ['GET', 'DELETE', 'OPTIONS']) {
    assert.equal((await ask({ method, headers: { origin: 'http://evil.example' } })).status, 403, method);
  }
  for (const [method, path] of [['GET', '/sse'], ['POST', '/messages?sessionId=x'], ['POST', '/nowhere']] as const) {
    for (const headers of [{ origin: 'http://evil.example' }, { host: 'evil.example' }]) {
      assert.equal((await ask({ method, path, headers: headers as Record<string, string>, ...method === 'POST' && { body } })).status, 403, `${method} ${path}`);
    }
  }
  const modernPing = modern('ping');
  assert.equal((await ask({ ...modernPing, headers: { ...modernPing.headers, origin: 'http://evil.example' } })).status, 403);
});

test('other names are served when they are listed', async (t) => {
  const listed = await start(t, {
    allowedHosts: ['mcp.example', 'api.example:8080'], allowedOrigins: ['https://app.example'],
  });
  const statuses = async (headers: Record<string, string>): Promise<number> =>
    (await listed.ask({ headers, body })).status;
  assert.equal(await statuses({ host: 'mcp.example:99' }), 200);
  assert.equal(await statuses({ host: 'api.example:8080' }), 200);
  assert.equal(await statuses({ host: 'api.example' }), 403);
  assert.equal(await statuses({ host: 'localhost' }), 403);
  assert.equal(await statuses({ host: 'mcp.example', origin: 'https://app.example' }), 200);
  assert.equal(await statuses({ host: 'mcp.example', origin: 'http://localhost' }), 403);
  const open = await start(t, { allowedHosts: '*', allowedOrigins: '*' });
  assert.equal((await open.ask({ headers: { host: 'a.example', origin: 'null' }, body })).status, 200);
  const own = await start(t, { allowedOrigins: 'own' });
  for (const [origin, status] of [[`http://127.0.0.1:${own.http.port}`, 200], ['http://127.0.0.1:1', 403], [`https://127.0.0.1:${own.http.port}`, 403]] as const) {
    assert.equal((await own.ask({ headers: { host: `127.0.0.1:${own.http.port}`, origin }, body })).status, status, origin);
  }
});

test('CORS only when it was asked for', async (t) => {
  const origin = 'http://localhost:5173';
  const none = await start(t);
  const plain = await none.ask({ headers: { origin }, body });
  assert.equal(plain.headers['access-control-allow-origin'], undefined);
  const { ask, live, open } = await start(t, { cors: true, auth: () => ({ principal: 'x' }) });
  const preflight = await ask({
    method: 'OPTIONS',
    headers: {
      origin, 'access-control-request-method': 'POST',
      'access-control-request-headers': 'mcp-param-region,mcp-session-id',
    },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers['access-control-allow-origin'], origin);
  assert.equal(preflight.headers['access-control-allow-headers'], 'mcp-param-region,mcp-session-id');
  assert.match(preflight.headers['access-control-allow-methods'] ?? '', /DELETE/);
  const answer = await ask({ headers: { origin }, body });
  assert.equal(answer.headers['access-control-allow-origin'], origin);
  assert.match(answer.headers['access-control-expose-headers'] ?? '', /Mcp-Session-Id/);
  assert.equal(answer.headers.vary, 'Origin');
  const stream = await live({ method: 'GET', headers: { ...await open(), origin } });
  assert.equal(stream.headers['access-control-allow-origin'], origin);
  const refused = await ask({ headers: { origin: 'http://evil.example' }, body });
  assert.deepEqual([refused.status, refused.headers['access-control-allow-origin']], [403, undefined]);
  assert.equal((await ask({ body })).headers['access-control-allow-origin'], undefined);
});
