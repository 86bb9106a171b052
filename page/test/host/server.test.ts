import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import test from 'node:test';
import { WebSocket } from 'ws';
import { messagesVersion } from '../../src/messages.ts';
import type { HostMessage } from '../../src/messages.ts';
import { servePage } from '../../src/server/index.ts';
import type { ServedPage, ServePageOptions } from '../../src/server/index.ts';
import type { Ending } from './harness.ts';

async function served(t: Ending, options: Partial<ServePageOptions> = {}): Promise<ServedPage & { readonly token: string }> {
  const page = await servePage({ servers: { one: { command: 'node', args: ['--version'] } }, ...options });
  t.after(() => page.close());
  return { ...page, token: new URLSearchParams(new URL(page.url).hash.slice(1)).get('token') ?? '' };
}

function get(port: number, path: string, headers: Record<string, string> = {}, method: string = 'GET'): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk)).on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    }).on('error', reject).end();
  });
}

interface Ended {
  readonly heard: readonly HostMessage[];
  /** The closing code, or the HTTP status that refused the upgrade. */
  readonly code: number;
}

/** Opens a socket, says these texts, and resolves when it ended. */
function visit(port: number, headers: Record<string, string>, texts: readonly (string | Buffer)[], path: string = '/socket'): Promise<Ended> {
  return new Promise((resolve) => {
    const heard: HostMessage[] = [];
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
    socket.on('open', () => texts.forEach((text) => socket.send(text)));
    socket.on('message', (data: Buffer) => {
      // Who hears anything was let in.
      heard.push(JSON.parse(data.toString('utf8')) as HostMessage);
      socket.close();
    });
    socket.on('unexpected-response', (_request, response) => resolve({ heard, code: response.statusCode ?? 0 }));
    socket.on('close', (code) => resolve({ heard, code }));
    socket.on('error', () => {});
  });
}

const hello = (token: unknown, version: number = messagesVersion): string => JSON.stringify({ type: 'hello', token, version, tab: 'test' });
const ping = JSON.stringify({ type: 'action', id: 1, name: 'memory', params: {} });

test('server: the page is served with a strict policy, and holds no token', async (t) => {
  const { port, token } = await served(t);
  for (const path of ['/', '/page.js', '/page.css', '/?x=1']) {
    const { status, headers, body } = await get(port, path);
    assert.equal(status, 200, path);
    assert.ok(!body.includes(token));
    const policy = headers['content-security-policy'] ?? '';
    assert.match(String(policy), /default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(String(policy), /unsafe|\*/);
    assert.deepEqual([headers['x-content-type-options'], headers['x-frame-options'], headers['access-control-allow-origin']], ['nosniff', 'DENY', undefined]);
  }
  for (const path of ['/../package.json', '/%2e%2e/package.json', '/index.html', '//page.js']) assert.equal((await get(port, path)).status, 404, path);
  assert.equal((await get(port, '/', {}, 'POST')).status, 405);
});

test('server: who has the token from the fragment gets in', async (t) => {
  const { port, token } = await served(t);
  const origin = `http://127.0.0.1:${port}`;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, { headers: { origin } });
  socket.on('open', () => socket.send(hello(token)));
  const messages: HostMessage[] = [];
  await new Promise<void>((resolve) => socket.on('message', (data: Buffer) => {
    messages.push(JSON.parse(data.toString('utf8')) as HostMessage);
    if (messages.length === 1) socket.send(ping);
    else resolve();
  }));
  assert.equal(messages[0]?.type, 'welcome');
  assert.ok(messages[1]?.type === 'reply' && messages[1].ok);
  socket.close();
  await new Promise((resolve) => socket.on('close', resolve));
});

test('server: a page of another origin gets nothing, though it has the token', async (t) => {
  const { port, token } = await served(t);
  const origins = [
    'https://evil.example', `https://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`, 'http://127.0.0.1', 'null', `http://localhost:${port}`,
    `http://127.0.0.1:${port}.evil.example`, `http://127.0.0.1:${port}/`,
  ];
  for (const origin of origins) {
    const { heard, code } = await visit(port, { origin }, [hello(token), ping]);
    assert.deepEqual([heard, code], [[], 403], origin);
  }
  assert.deepEqual(await visit(port, {}, [hello(token), ping]), { heard: [], code: 403 }, 'no origin');
});

test('server: a name that was made to resolve to this machine gets nothing', async (t) => {
  const { port, token } = await served(t);
  for (const host of [`evil.example:${port}`, 'evil.example', `127.0.0.1.evil.example:${port}`, `127.0.0.1:${port + 1}`, '127.0.0.1']) {
    const { status, body } = await get(port, '/', { host });
    assert.equal(status, 421, host);
    assert.ok(body.length < 100);
    const { heard, code } = await visit(port, { host, origin: `http://${host}` }, [hello(token), ping]);
    assert.deepEqual([heard, code], [[], 403], host);
  }
});

test('server: without the token nothing is served over the socket', async (t) => {
  const { port, token } = await served(t);
  const origin = `http://127.0.0.1:${port}`;
  const wrong = [
    [ping], [hello('')], [hello(undefined)], [hello(`${token}x`)], [hello(token.slice(1))], [hello(`${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`)], [hello([token])], ['not JSON'], ['null'], [Buffer.from(hello(token))],
    [JSON.stringify({ type: 'action', id: 1, name: 'server.add', params: { name: 'x', target: { command: 'touch', args: ['/tmp/never'] } }, token })],
    [hello(token).replace('"tab"', `"padding":"${'x'.repeat(5_000)}","tab"`)],
  ];
  for (const texts of wrong) {
    const { heard, code } = await visit(port, { origin }, [...texts, ping]);
    assert.deepEqual([heard, code], [[], 4401], String(texts[0]).slice(0, 60));
  }
  assert.deepEqual(await visit(port, { origin }, [hello(token, messagesVersion + 1)]), { heard: [], code: 4406 });
  // Neither the address of the socket nor a cookie is looked at.
  assert.equal((await visit(port, { origin, cookie: `token=${token}` }, [ping])).code, 4401);
  assert.equal((await visit(port, { origin }, [ping], `/socket?token=${token}`)).code, 403);
});

test('server: who says nothing is sent away, and strangers are few', async (t) => {
  const { port } = await served(t, { limits: { helloMs: 200, maxStrangers: 2 } });
  const origin = `http://127.0.0.1:${port}`;
  const ends = await Promise.all([1, 2, 3, 4].map(() => visit(port, { origin }, [])));
  assert.deepEqual(ends.map(({ code }) => code).sort(), [4401, 4401, 503, 503]);
});

test('server: no server is taken from the address', async (t) => {
  const { port, token, url } = await served(t);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
  const origin = `http://127.0.0.1:${port}`;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, { headers: { origin, referer: `${origin}/?command=touch&serverUrl=http://evil.example` } });
  socket.on('open', () => socket.send(hello(token)));
  const welcome = await new Promise<HostMessage>((resolve) => socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString('utf8')) as HostMessage)));
  assert.ok(welcome.type === 'welcome');
  assert.deepEqual(welcome.servers.map(({ name, state }) => [name, state]), [['one', 'resting']]);
  socket.close();
  await new Promise((resolve) => socket.on('close', resolve));
});
