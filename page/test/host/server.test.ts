import assert from 'node:assert/strict';
import { request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import test from 'node:test';
import { WebSocket } from 'ws';
import { messagesVersion, socketProtocol } from '../../src/messages.ts';
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
  /** The close code, or the HTTP status that refused the upgrade. */
  readonly code: number;
}

/** Opens a socket with these subprotocols, sends these texts, and resolves when it is closed. */
function visit(port: number, headers: Record<string, string>, protocols: readonly string[], texts: readonly (string | Buffer)[], path: string = '/socket'): Promise<Ended> {
  return new Promise((resolve) => {
    const heard: HostMessage[] = [];
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, [...protocols], { headers });
    socket.on('open', () => texts.forEach((text) => socket.send(text)));
    socket.on('message', (data: Buffer) => {
      // Any message means that the socket was accepted.
      heard.push(JSON.parse(data.toString('utf8')) as HostMessage);
      socket.close();
    });
    socket.on('unexpected-response', (_request, response) => resolve({ heard, code: response.statusCode ?? 0 }));
    socket.on('close', (code) => resolve({ heard, code }));
    socket.on('error', () => {});
  });
}

const hello = (version: number = messagesVersion): string => JSON.stringify({ type: 'hello', version, tab: 'test' });
const offer = (token: string): string[] => [socketProtocol, token];
const ping = JSON.stringify({ type: 'action', id: 1, name: 'memory', params: {} });

test('server: the page is served with a strict policy, and has no token', async (t) => {
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
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, offer(token), { headers: { origin } });
  socket.on('open', () => socket.send(hello()));
  const messages: HostMessage[] = [];
  await new Promise<void>((resolve) => socket.on('message', (data: Buffer) => {
    messages.push(JSON.parse(data.toString('utf8')) as HostMessage);
    if (messages.length === 1) socket.send(ping);
    else resolve();
  }));
  assert.equal(messages[0]?.type, 'welcome');
  // The response does not repeat the token.
  assert.equal(socket.protocol, socketProtocol);
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
    const { heard, code } = await visit(port, { origin }, offer(token), [hello(), ping]);
    assert.deepEqual([heard, code], [[], 403], origin);
  }
  assert.deepEqual(await visit(port, {}, offer(token), [hello(), ping]), { heard: [], code: 403 }, 'no origin');
});

test('server: a name that was made to resolve to this machine gets nothing', async (t) => {
  const { port, token } = await served(t);
  for (const host of [`evil.example:${port}`, 'evil.example', `127.0.0.1.evil.example:${port}`, `127.0.0.1:${port + 1}`, '127.0.0.1']) {
    const { status, body } = await get(port, '/', { host });
    assert.equal(status, 403, host);
    assert.ok(body.length < 100);
    const { heard, code } = await visit(port, { host, origin: `http://${host}` }, offer(token), [hello(), ping]);
    assert.deepEqual([heard, code], [[], 403], host);
  }
});

test('server: without the token nothing is served over the socket', async (t) => {
  const { port, token } = await served(t);
  const origin = `http://127.0.0.1:${port}`;
  const wrong = [
    [], [socketProtocol], [token], [token, socketProtocol], offer(`${token}x`), offer(token.slice(1)), offer(`${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`),
    ['other', token], [socketProtocol, 'x', token],
  ];
  const texts = [hello(), ping, JSON.stringify({ type: 'hello', token, version: messagesVersion, tab: 'test' }), 'not JSON', Buffer.from(hello())];
  for (const protocols of wrong) {
    const { heard, code } = await visit(port, { origin }, protocols, texts);
    // Offers without the page's subprotocol: the server selects none, so the client fails the connection itself.
    assert.deepEqual([heard, code], [[], protocols.length === 0 || protocols.includes(socketProtocol) ? 4401 : 1006], protocols.join());
  }
  // A token in the URL or in a cookie does not count.
  assert.equal((await visit(port, { origin, cookie: `token=${token}` }, [socketProtocol], [hello(), ping])).code, 4401);
  assert.equal((await visit(port, { origin }, offer(token), [hello(), ping], `/socket?token=${token}`)).code, 403);
});

test('server: with the token, a first message that is not the hello of this version ends the socket', async (t) => {
  const { port, token } = await served(t);
  const origin = `http://127.0.0.1:${port}`;
  const wrong = [
    hello(messagesVersion + 1), 'not JSON', 'null', '[]', ping, Buffer.from(hello()), hello().replace('"tab"', `"padding":"${'x'.repeat(5_000)}","tab"`),
    JSON.stringify({ type: 'action', id: 1, name: 'server.add', params: { name: 'x', target: { command: 'touch', args: ['/tmp/never'] } }, token }),
  ];
  for (const text of wrong) {
    assert.deepEqual(await visit(port, { origin }, offer(token), [text, hello(), ping]), { heard: [], code: 4406 }, String(text).slice(0, 60));
  }
});

test('server: sockets without the token keep nobody out, however many there are and whatever they say', async (t) => {
  const { port, token } = await served(t, { limits: { maxPages: 1 } });
  const origin = `http://127.0.0.1:${port}`;
  const strangers = Array.from({ length: 40 }, (_, i) => {
    const stranger = new WebSocket(`ws://127.0.0.1:${port}/socket`, i % 2 ? offer('x'.repeat(43)) : [socketProtocol], { headers: { origin } });
    const gone = new Promise<number>((resolve) => stranger.on('close', resolve));
    stranger.on('error', () => {});
    // They never answer the closing handshake.
    return { gone, open: new Promise<void>((resolve) => stranger.on('open', () => (stranger.pause(), resolve()))), stranger };
  });
  await Promise.all(strangers.map(({ open }) => open));
  const { heard } = await visit(port, { origin }, offer(token), [hello()]);
  assert.equal(heard[0]?.type, 'welcome');
  strangers.forEach(({ stranger }) => stranger.resume());
  await Promise.all(strangers.map(({ gone }) => gone));
});

test('server: who has the token and says nothing is sent away, and pages are bounded', async (t) => {
  const { port, token } = await served(t, { limits: { helloMs: 200, maxPages: 2 } });
  const origin = `http://127.0.0.1:${port}`;
  const ends = await Promise.all([1, 2, 3, 4].map(() => visit(port, { origin }, offer(token), [])));
  assert.deepEqual(ends.map(({ code }) => code).sort(), [4401, 4401, 4406, 4406]);
  // Their places are free again.
  assert.equal((await visit(port, { origin }, offer(token), [hello()])).heard[0]?.type, 'welcome');
});

test('server: a page of another site gets the page itself by leading there, and nothing else', async (t) => {
  const { port } = await served(t);
  const site = (name: string, mode: string, dest: string): Record<string, string> => ({ 'sec-fetch-site': name, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest });
  const heads: [Record<string, string>, number][] = [
    [site('cross-site', 'navigate', 'document'), 200], [site('none', 'navigate', 'document'), 200], [site('same-origin', 'no-cors', 'script'), 200], [{}, 200],
    [site('cross-site', 'no-cors', 'image'), 403], [site('cross-site', 'no-cors', 'script'), 403], [site('cross-site', 'navigate', 'iframe'), 403],
    [site('cross-site', 'cors', 'empty'), 403], [{ 'sec-fetch-site': 'cross-site' }, 403], [{ 'sec-fetch-site': 'elsewhere' }, 403],
    [{ origin: 'https://evil.example', ...site('cross-site', 'navigate', 'document') }, 403], [{ origin: 'null' }, 403],
  ];
  for (const [headers, status] of heads) {
    for (const path of ['/', '/page.js']) assert.equal((await get(port, path, headers)).status, status, JSON.stringify(headers));
  }
});

test('server: no server is taken from the address', async (t) => {
  const { port, token, url } = await served(t);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
  const origin = `http://127.0.0.1:${port}`;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, offer(token), { headers: { origin, referer: `${origin}/?command=touch&serverUrl=http://evil.example` } });
  socket.on('open', () => socket.send(hello()));
  const welcome = await new Promise<HostMessage>((resolve) => socket.once('message', (data: Buffer) => resolve(JSON.parse(data.toString('utf8')) as HostMessage)));
  assert.ok(welcome.type === 'welcome');
  assert.deepEqual(welcome.servers.map(({ name, state }) => [name, state]), [['one', 'resting']]);
  socket.close();
  await new Promise((resolve) => socket.on('close', resolve));
});
