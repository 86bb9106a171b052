import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { McpServer } from '../../../src/server/index.ts';
import { AccessDenied } from '../../../src/transport/auth.ts';
import type { AuthRefusal } from '../../../src/transport/auth.ts';
import { fetchHandler } from '../../../src/transport/http/fetch/index.ts';
import { serveHttp } from '../../../src/transport/http/node/index.ts';
import type { Authenticate, Documents } from '../../../src/transport/http/server/admission.ts';
import type { HttpOptions } from '../../../src/transport/http/server/options.ts';
import { http1 } from '../../../src/transport/http1/node/index.ts';
import type { ServerPort } from '../../../src/transport/server-port.ts';
import { everyNth } from '../../every-nth.ts';
import { returned, secret, thrown } from '../../server/hostile-values.ts';
import { both, modern, rpc, start } from './harness.ts';
import type { Sent } from './harness.ts';

// Hooks (`auth` and its documents) that throw, or return anything unexpected: nobody is let in, each request is answered, and the error is
// reported to the author.
const body = rpc('initialize', { protocolVersion: '2025-11-25' });

test('hostile hooks: an `auth` that throws or gives anything lets nobody in, and every request is answered', async (t) => {
  let act: () => unknown = () => undefined;
  const { ask, errors } = await start(t, { auth: (() => act()) as Authenticate });
  const judge = async (name: string): Promise<void> => {
    errors.length = 0;
    const { status, text } = await ask({ body });
    assert.ok(status === 500 ? errors.length === 1 : status === 401 && errors.length === 0, `${name}: ${status}, ${errors.length} errors`);
    assert.ok(errors.every((error) => typeof error.message === 'string') && !text.includes(secret), `${name}: ${text}`);
  };
  const step = everyNth(12);
  let at = 0;
  for (const [name, make] of thrown()) {
    if (at++ % step !== 0) continue;
    act = () => {
      throw make();
    };
    await judge(`thrown: ${name}`);
  }
  for (const [name, make] of returned()) {
    if (at++ % step !== 0) continue;
    act = make;
    await judge(`given: ${name}`);
  }
  for (const [name, make] of returned()) {
    if (/^(content|a result)/.test(name)) continue;
    for (const member of ['principal', 'status', 'challenge', 'message', 'code']) {
      act = () => ({ ...member !== 'principal' && { status: 401, challenge: 'Bearer', message: 'no' }, [member]: make() });
      errors.length = 0;
      const { status, text } = await ask({ body });
      assert.ok([401, 500].includes(status) && !text.includes(secret), `${member}: ${name}: ${status} ${text}`);
    }
  }
  act = () => ({ principal: 'ann' });
  assert.equal((await ask({ body })).status, 200);
});

test('hostile hooks: documents that cannot be written are a 500, and the listener lives', async (t) => {
  let act: () => unknown = () => undefined;
  const documents = ((path: string) => (path === '/document' ? act() : undefined)) as Documents;
  const { ask, errors } = await start(t, { auth: { authenticate: () => ({ principal: 'ann' }), documents } });
  for (const [name, make] of [...returned()].filter(([one]) => !one.startsWith('content'))) {
    act = make;
    errors.length = 0;
    const { status, text } = await ask({ method: 'GET', path: '/document' });
    assert.ok([200, 404].includes(status) ? errors.length === 0 : status === 500 && errors.length === 1, `${name}: ${status}`);
    if (status === 200) assert.doesNotThrow(() => JSON.parse(text) as unknown, name);
    assert.ok(!text.includes(secret), `${name}: ${text}`);
  }
  for (const [name, make] of thrown()) {
    if (/ throws after| whose /.test(name)) continue;
    act = () => {
      throw make();
    };
    assert.equal((await ask({ method: 'GET', path: '/document' })).status, 500, name);
  }
});

type Ask = (sent: Sent) => Promise<Response>;

/** The same server and options behind each of our hosts: \`fetchHandler\`, \`node:http\`, and our own HTTP/1.1. */
async function hosts(t: TestContext, make: () => ServerPort, options: HttpOptions): Promise<readonly (readonly [name: string, ask: Ask])[]> {
  const handle = fetchHandler(make(), options);
  const [node, own] = await Promise.all([serveHttp(make(), options), serveHttp(make(), { ...options, engine: http1 })]);
  t.after(() => Promise.all([handle, node, own].map((host) => host.close({ drainMs: 0 }))));
  const requestOf = (url: string, { method = 'POST', headers = {}, body }: Sent): Request => new Request(url, {
    method, headers: { accept: both, ...method === 'POST' && { 'content-type': 'application/json' }, ...headers }, ...body !== undefined && { body: JSON.stringify(body) },
  });
  return [
    ['fetch', (sent) => handle(requestOf('http://localhost/mcp', sent))],
    ['node', (sent) => fetch(requestOf(node.url, sent))],
    ['http1', (sent) => fetch(requestOf(own.url, sent))],
  ];
}

test('hostile hooks: a refusal whose header fields HTTP cannot carry still refuses, on each host, and the author is told', async (t) => {
  const errors: Error[] = [];
  let refusal: AuthRefusal = { status: 403, challenge: 'Bearer', message: 'no' };
  let from = 'auth';
  const make = (): McpServer => {
    const server = new McpServer({ name: 'refusing', version: '1' });
    server.tool('now', {}, () => {
      throw new AccessDenied(refusal);
    });
    server.tool('later', {}, async () => {
      await Promise.resolve();
      throw new AccessDenied(refusal);
    });
    return server;
  };
  const all = await hosts(t, make, { onError: (error) => errors.push(error), auth: () => (from === 'auth' ? refusal : { principal: 'ann' }) });
  const values = ['Bearer realm="\u20ac"', 'Bearer\r\nset-cookie: a=b', 'Bearer\nx', 'Bearer \0', 'Bearer \x7f', '\ud800'];
  const bad: Partial<AuthRefusal>[] = [
    ...values.map((challenge) => ({ challenge })), ...values.map((value) => ({ headers: { 'x-more': value } })),
    ...['x y', 'x:', '', 'x\r\ny', '\u00e9'].map((name) => ({ headers: { [name]: '1' } })),
  ];
  const step = everyNth(6);
  let at = 0;
  for (const [name, ask] of all) {
    from = 'nowhere';
    const opened = await ask({ body: rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }) });
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    for (const one of bad) {
      if (at++ % step !== 0) continue;
      refusal = { status: 403, challenge: 'Bearer', message: 'no', ...one };
      for (const place of ['auth', 'now', 'later']) {
        from = place;
        const params = { name: place, arguments: {} };
        for (const sent of [modern('tools/call', params, { 'mcp-name': place }), { headers, body: rpc('tools/call', params) }]) {
          errors.length = 0;
          const { status } = await ask(sent);
          assert.ok(status >= 400, `${name}, ${place}, ${JSON.stringify(one)}: ${status}`);
          assert.equal(errors.length, 1, `${name}, ${place}, ${JSON.stringify(one)}`);
        }
      }
    }
    from = 'nowhere';
    assert.equal((await ask(modern('tools/list'))).status, 200, name);
  }
});

test('hostile hooks: an `onError`, a `trace` or an event store that fails leaves no request without an end, on any host', async (t) => {
  const boom = (): never => {
    throw new Error('boom');
  };
  const errors: Error[] = [];
  const onError = (error: Error): void => void errors.push(error);
  const make = (): McpServer => new McpServer({ name: 'failing', version: '1' });
  const opening = { body: rpc('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }) };
  for (const [name, ask] of await hosts(t, make, { auth: boom, onError: boom })) {
    assert.equal((await ask(modern('tools/list'))).status, 500, name);
  }
  for (const [name, ask] of await hosts(t, make, { trace: boom, onError })) {
    errors.length = 0;
    assert.equal((await ask(opening)).status, 200, name);
    assert.deepEqual(errors.map(({ message }) => message), ['boom', 'boom'], `${name}: the message in and out`);
  }
  for (const [name, ask] of await hosts(t, make, { onError, eventStore: { append() {}, after: () => Promise.reject(new Error('down')), drop() {} } })) {
    const session = (await ask(opening)).headers.get('mcp-session-id') ?? '';
    errors.length = 0;
    const sent = { method: 'GET', headers: { 'mcp-session-id': session, 'last-event-id': '0-1' } };
    // A handler of web requests has no connection to break off.
    if (name === 'fetch') assert.equal((await ask(sent)).status, 500);
    else await assert.rejects(ask(sent));
    assert.deepEqual(errors.map(({ message }) => message), ['down'], name);
  }
});
