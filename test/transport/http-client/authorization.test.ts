import assert from 'node:assert/strict';
import { McpClient } from '../../../src/client/index.ts';
import type { HttpAuthorization, HttpRefusal } from '../../../src/transport/http/client/options.ts';
import { HttpError } from '../../../src/transport/http/http-error.ts';
import { metaKeys } from '../../../src/protocol/meta.ts';
import { client, handshake, json, result, serve, stream, test } from './harness.ts';

interface Recorded extends HttpAuthorization {
  readonly asked: string[];
  readonly refusals: HttpRefusal[];
  readonly nonces: (string | undefined)[];
}

/** Provides `Bearer 1`, and after each refusal the next number while `again` returns true. */
function auth(again: (refusal: HttpRefusal) => boolean = () => true): Recorded {
  let token = 1;
  const asked: string[] = [];
  const refusals: HttpRefusal[] = [];
  const nonces: (string | undefined)[] = [];
  return {
    asked, refusals, nonces,
    headers({ method, url }) {
      asked.push(`${method} ${new URL(url).pathname}`);
      return { Authorization: `Bearer ${token}` };
    },
    async refused(refusal) {
      refusals.push(refusal);
      token++;
      return again(refusal);
    },
    accepted: ({ header }) => void nonces.push(header('dpop-nonce')),
  };
}

test('authorization: every POST, GET and DELETE asks for headers, which win', async (t) => {
  const given = auth();
  const server = await serve(t, (call, response) => {
    if (!handshake(call, response, { 'mcp-session-id': 's' })) json(response, result(call.body.id), 200, { 'DPoP-Nonce': 'n' });
  });
  const it = await client(t, server.url, { auth: given, headers: { authorization: 'mine', 'x-a': 'b' } });
  await it.handshake();
  await it.request(1);
  await it.transport.close();
  assert.deepEqual([...given.asked].sort(), ['DELETE /mcp', 'GET /mcp', 'POST /mcp', 'POST /mcp', 'POST /mcp']);
  for (const { headers } of server.calls) {
    assert.equal(headers['authorization'], 'Bearer 1');
    assert.equal(headers['x-a'], 'b');
  }
  assert.ok(given.nonces.includes('n'));
});

for (const status of [401, 403, 400]) {
  test(`authorization: ${status} is handed over, and the request is sent again with new headers`, async (t) => {
    const given = auth();
    const server = await serve(t, (call, response) => {
      if (call.headers['authorization'] === 'Bearer 1') {
        response.writeHead(status, { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'x' }).end('no');
      } else json(response, result(call.body.id));
    });
    const it = await client(t, server.url, { auth: given });
    assert.equal((await it.request(1, 'tools/list', { _meta: { [metaKeys.protocolVersion]: '2026-07-28' } })).kind, 'message');
    assert.equal(server.calls.length, 2);
    assert.deepEqual(server.calls.map(({ text }) => text), [server.calls[0]?.text, server.calls[0]?.text]);
    for (const { headers } of server.calls) assert.deepEqual([headers['mcp-protocol-version'], headers['mcp-method']], ['2026-07-28', 'tools/list']);
    const [refusal] = given.refusals;
    assert.deepEqual(
      [refusal?.status, refusal?.method, refusal?.url, refusal?.body, refusal?.attempt, refusal?.header('dpop-nonce')],
      [status, 'POST', server.url, 'no', 1, 'x'],
    );
    assert.deepEqual(refusal?.sent, { Authorization: 'Bearer 1' });
  });
}

test('authorization: a 400 that is about something else is not handed over', async (t) => {
  const given = auth();
  const error = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no' } });
  const server = await serve(t, (_, response) => json(response, error, 400, { 'dpop-nonce': 'x' }));
  const it = await client(t, server.url, { auth: given });
  assert.equal((await it.request(1)).kind, 'message');
  assert.deepEqual(given.refusals, []);
});

test('authorization: at most three repetitions, and the error carries the header', async (t) => {
  const given = auth();
  const server = await serve(t, (_, response) => void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('no'));
  const it = await client(t, server.url, { auth: given });
  const told = await it.request(1);
  assert.ok(told.kind === 'failed' && told.error instanceof HttpError && told.error.status === 401);
  assert.equal(told.error.header('www-authenticate'), 'Bearer');
  assert.deepEqual(given.refusals.map(({ attempt }) => attempt), [1, 2, 3]);
  assert.equal(server.calls.length, 4);
});

test('authorization: false is an end, and so is an abort meanwhile', async (t) => {
  const server = await serve(t, (_, response) => void response.writeHead(403).end());
  const refusing = await client(t, server.url, { auth: auth(() => false) });
  const told = await refusing.request(1);
  assert.ok(told.kind === 'failed' && told.error instanceof HttpError && told.error.status === 403);
  assert.equal(server.calls.length, 1);
  let asked: (() => void) | undefined;
  const refused = new Promise<void>((resolve) => (asked = resolve));
  let mend: ((again: boolean) => void) | undefined;
  const slow = await client(t, server.url, {
    auth: { headers: () => ({}), refused: () => (asked?.(), new Promise((resolve) => (mend = resolve))) },
  });
  slow.send({ id: 1, method: 'tools/list' });
  await refused;
  slow.transport.abandon?.(1);
  mend?.(true);
  await refusing.request(2);
  assert.equal(server.calls.length, 3);
});

test('authorization: the GET stream is refused and opened again; a resumption asks anew', async (t) => {
  const given = auth();
  let opened: (() => void) | undefined;
  const second = new Promise<void>((resolve) => (opened = resolve));
  const server = await serve(t, (call, response) => {
    if (call.method !== 'GET') return void handshake(call, response, { 'mcp-session-id': 's' });
    if (call.headers['authorization'] === 'Bearer 1') return void response.writeHead(401).end();
    if (call.headers['last-event-id'] === undefined) stream(response).end('id: 1\nretry: 1\ndata:\n\n');
    else {
      stream(response);
      opened?.();
    }
  });
  const it = await client(t, server.url, { auth: given });
  await it.handshake();
  await second;
  assert.deepEqual(given.asked.filter((asked) => asked.startsWith('GET')), ['GET /mcp', 'GET /mcp', 'GET /mcp']);
  for (const { headers } of server.calls.slice(1)) assert.deepEqual([headers['mcp-session-id'], headers['mcp-protocol-version']], ['s', '2025-11-25']);
});

test('authorization: asked for each hop of a redirect, and nothing goes to another origin', async (t) => {
  const other = await serve(t, (call, response) => json(response, result(call.body.id)));
  const given = auth();
  const server = await serve(t, (call, response) => {
    const location = call.body.id === 2 ? other.url : '/there';
    if (call.path === '/mcp') response.writeHead(307, { location }).end();
    else json(response, result(call.body.id));
  });
  const it = await client(t, server.url, { auth: given });
  assert.equal((await it.request(1)).kind, 'message');
  assert.deepEqual(given.asked, ['POST /mcp', 'POST /there']);
  const told = await it.request(2);
  assert.ok(told.kind === 'failed' && /redirect/.test(told.error.message));
  assert.deepEqual(other.calls, []);
});

class Denied extends Error {}

for (const where of ['headers', 'refused'] as const) {
  for (const era of ['auto', 'modern', 'legacy'] as const) {
    test(`authorization: what ${where}() throws reaches connect() as it is, era ${era}`, async (t) => {
      const denied = new Denied('the person declined');
      const server = await serve(t, (_, response) => void response.writeHead(401).end());
      const given: HttpAuthorization = {
        headers() {
          if (where === 'headers') throw denied;
          return {};
        },
        refused: () => Promise.reject(denied),
      };
      const it = await client(t, server.url, { auth: given });
      const mcp = new McpClient({ name: 'test', version: '1' }, { era });
      await assert.rejects(mcp.connect(it.transport), (error) => error === denied);
      assert.ok(server.calls.length <= 1);
    });
  }
}

for (const era of ['auto', 'modern', 'legacy'] as const) {
  test(`a 401 without authorization reaches connect() as the HttpError it is, era ${era}`, async (t) => {
    const server = await serve(t, (_, response) => void response.writeHead(401, { 'www-authenticate': 'Bearer x' }).end());
    const it = await client(t, server.url);
    const mcp = new McpClient({ name: 'test', version: '1' }, { era });
    await assert.rejects(mcp.connect(it.transport), (error) => error instanceof HttpError
      && error.status === 401 && error.header('www-authenticate') === 'Bearer x');
    assert.equal(server.calls.length, 1);
  });
}

for (const by of ['headers', 'auth'] as const) {
  test(`what was kept for one token is not given to another, by ${by}`, async (t) => {
    const server = await serve(t, (call, response) => {
      const shared = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' };
      json(response, result(call.body.id, call.body.method === 'server/discover'
        ? { ...shared, supportedVersions: ['2026-07-28'], capabilities: { resources: {} } }
        : { ...shared, contents: [{ uri: 'a:b', text: `for ${call.headers['authorization']}` }] }));
    });
    let who = 'alice';
    const headers = (): Record<string, string> => ({ Authorization: who });
    const it = await client(t, server.url, by === 'headers' ? { headers } : {
      auth: { headers, refused: async () => false, context: () => who },
    });
    const mcp = new McpClient({ name: 'test', version: '1' });
    await mcp.connect(it.transport);
    const read = async (): Promise<unknown> => (await mcp.readResource('a:b')).contents[0];
    assert.deepEqual(await read(), { uri: 'a:b', text: 'for alice' });
    who = 'bob';
    assert.deepEqual(await read(), { uri: 'a:b', text: 'for bob' });
    who = 'alice';
    assert.deepEqual(await read(), { uri: 'a:b', text: 'for alice' });
    assert.equal(server.calls.length, 3);
  });
}
