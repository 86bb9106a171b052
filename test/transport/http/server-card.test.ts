import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { manualClock } from '../../../src/bounds/manual-clock.ts';
import { McpServer } from '../../../src/server/index.ts';
import { fetchHandler } from '../../../src/transport/http/fetch/index.ts';
import { serverCard } from '../../../src/transport/http/server/server-card.ts';
import type { ServeHttpOptions } from '../../../src/transport/http/node/index.ts';
import type { CardOptions } from '../../../src/transport/http/server/server-card.ts';
import { serveHttp } from './engine.ts';

// Server Cards (SEP-2127): schema.ts and docs/discovery.md of experimental-ext-server-card at 8924e086.

const info = {
  name: 'trips', version: '1.2.3', title: 'Trips', description: 'Books trips.', websiteUrl: 'https://trips.example/',
  icons: [{ src: 'https://trips.example/i.png', mimeType: 'image/png', sizes: ['48x48'] }],
};
const name = 'com.example/trips';
const type = 'application/mcp-server-card+json';

async function start(t: TestContext, options: ServeHttpOptions, card: CardOptions = { name }): Promise<string> {
  const server = new McpServer(info);
  const http = await serveHttp(server, { card: serverCard(server, card), ...options });
  t.after(() => http.close({ drainMs: 0 }));
  return http.url;
}

test('card: it is made from the server, for everybody, with its type, CORS and a validator', async (t) => {
  const url = await start(t, { auth: () => undefined });
  const got = await fetch(`${url}/server-card`, { headers: { accept: type, origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' } });
  assert.deepEqual([got.status, got.headers.get('content-type')], [200, type]);
  const length = Number(got.headers.get('content-length'));
  assert.deepEqual(await got.json(), {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json', ...info, name,
  });
  assert.equal(got.headers.get('access-control-allow-origin'), '*');
  assert.equal(got.headers.get('access-control-allow-methods'), 'GET');
  assert.equal(got.headers.get('access-control-allow-headers'), 'Content-Type, If-None-Match');
  assert.equal(got.headers.get('access-control-expose-headers'), 'ETag');
  assert.equal(got.headers.get('cache-control'), 'public, max-age=3600');
  const etag = got.headers.get('etag') ?? '';
  assert.match(etag, /^"[\w-]+"$/);
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await fetch(`${url}/server-card`, { headers: { 'if-none-match': known } });
    assert.deepEqual([again.status, await again.text(), again.headers.get('etag'), again.headers.get('access-control-allow-origin')], [304, '', etag, '*'], known);
    assert.equal(again.headers.get('cache-control'), 'public, max-age=3600');
    // RFC 9110, 8.6: Content-Length in a 304 must equal that of the 200, or be absent.
    assert.ok([null, `${length}`].includes(again.headers.get('content-length')));
  }
  assert.equal((await fetch(`${url}/server-card`, { headers: { 'if-none-match': '"x"' } })).status, 200);
  const head = await fetch(`${url}/server-card`, { method: 'HEAD' });
  assert.deepEqual([head.status, Number(head.headers.get('content-length'))], [200, length]);
  const preflight = await fetch(`${url}/server-card`, { method: 'OPTIONS', headers: { origin: 'https://elsewhere.example', 'access-control-request-headers': 'if-none-match' } });
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, '*']);
});

test('card: without the option, and for other methods and paths, no card is served', async (t) => {
  const url = await start(t, {});
  assert.equal((await fetch(`${url}/server-card`, { method: 'POST', body: '{}' })).status, 404);
  assert.equal((await fetch(`${url}/server-card/x`)).status, 404);
  const none = await start(t, { card: undefined });
  assert.equal((await fetch(`${none}/server-card`)).status, 404);
});

test('card: another version or another server has another validator', async (t) => {
  const tag = async (given: CardOptions): Promise<string | null> => (await fetch(`${await start(t, {}, given)}/server-card`)).headers.get('etag');
  assert.notEqual(await tag({ name, description: 'Books a trip' }), await tag({ name, description: 'Books b trip' }));
  assert.equal(await tag({ name }), await tag({ name }));
});

test('card: the guard of the endpoint judges its Host, at the path of the endpoint', async () => {
  const server = new McpServer(info);
  const handler = fetchHandler(server, { card: serverCard(server, { name }), path: '/a/b', allowedHosts: ['trips.example'] });
  const status = async (url: string): Promise<number> => (await handler(new Request(url))).status;
  assert.equal(await status('https://trips.example/a/b/server-card'), 200);
  assert.equal(await status('https://rebound.example/a/b/server-card'), 403);
  assert.equal(await status('https://trips.example/mcp/server-card'), 404);
  await handler.close();
});

test('card: only so many in a minute, by the server\'s clock', async () => {
  const clock = manualClock();
  const server = new McpServer(info, { clock });
  const handler = fetchHandler(server, { card: serverCard(server, { name, requestsPerMinute: 3 }) });
  const ask = async (): Promise<Response> => handler(new Request('http://localhost/mcp/server-card'));
  for (let count = 0; count < 3; count++) assert.equal((await ask()).status, 200);
  const refused = await ask();
  assert.deepEqual([refused.status, refused.headers.get('retry-after'), refused.headers.get('access-control-allow-origin')], [429, '1', '*']);
  clock.tick(20_000);
  assert.deepEqual([(await ask()).status, (await ask()).status], [200, 429]);
  await handler.close();
});

test('card: by default six hundred in a minute, whatever is asked', async () => {
  const server = new McpServer(info, { clock: manualClock() });
  const handler = fetchHandler(server, { card: serverCard(server, { name }) });
  const ask = async (init?: RequestInit): Promise<number> => (await handler(new Request('http://localhost/mcp/server-card', init))).status;
  for (let count = 0; count < 198; count++) await ask();
  for (let count = 0; count < 134; count++) {
    assert.deepEqual([await ask({ method: 'HEAD' }), await ask({ method: 'OPTIONS' }), await ask({ headers: { 'if-none-match': '*' } })], [200, 204, 304]);
  }
  assert.equal(await ask(), 429);
  await handler.close();
});

test('card: remotes only where they are given, with the revisions that the server has there', async (t) => {
  const remotes = [
    { type: 'streamable-http', url: 'https://{tenant}.trips.example/mcp', variables: { tenant: { isRequired: true, default: 'all' } },
      headers: [{ name: 'Authorization', isRequired: true, isSecret: true, value: 'Bearer {token}', variables: { token: { isSecret: true } } }] },
    { type: 'sse', url: 'https://trips.example/sse' },
    { type: 'streamable-http', url: '{base}/mcp', supportedProtocolVersions: ['2025-11-25'] },
  ] as const;
  const url = await start(t, {}, {
    name, remotes, repository: { url: 'https://git.example/trips', source: 'git', subfolder: 'a/.b/c..d' }, _meta: { 'com.example/tier': 1 },
  });
  const card = await (await fetch(`${url}/server-card`)).json() as Record<string, unknown>;
  assert.deepEqual(card['remotes'], [
    { ...remotes[0], supportedProtocolVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] },
    { ...remotes[1], supportedProtocolVersions: ['2024-11-05'] },
    remotes[2],
  ]);
  assert.deepEqual([card['repository'], card['_meta']], [{ url: 'https://git.example/trips', source: 'git', subfolder: 'a/.b/c..d' }, { 'com.example/tier': 1 }]);
});

test('card: nothing of the process is told', async (t) => {
  const url = await start(t, {});
  const text = await (await fetch(`${url}/server-card`)).text();
  for (const inside of ['127.0.0.1', 'localhost', new URL(url).port, 'remotes', 'tools', 'capabilities']) assert.ok(!text.includes(inside), inside);
});

const secret = (value: object): CardOptions => ({ name, remotes: [{ type: 'streamable-http', url: 'https://x.example/', headers: [{ name: 'X', isSecret: true, ...value }] }] });
for (const [what, options, message, of = {}] of [
  ['no reverse DNS name', {}, /the name "trips" must be like com.example\/trips/],
  ['two slashes', { name: 'a/b/c' }, /the name/],
  ['a long name', { name: `a/${'b'.repeat(199)}` }, /the name/],
  ...['/trips', 'com.example/', 'com example/trips', 'com.example/tr ips', 'com_example/trips', 'com.example/trips\n', 'https:%!/x', 'com.example/tr%ips', 'com.example/tr:ips', 'com.exämple/trips'].map((wrong) =>
    [`the name ${JSON.stringify(wrong)}`, { name: wrong }, /the name/] as const),
  ...['~1.2.3', '>=1.2.3', '>1', '<2', '=1', '1.*', '1.x.0', '*', 'x', '1.X', '1.0.0 - 2.0.0', '1.0.0 || 2.0.0', '1.0.0 <2.0.0', '1'.repeat(256)].map((version) =>
    [`the version ${version.slice(0, 9)}`, { name }, /the server's version/, { version }] as const),
  ['a range of versions', { name }, /the server's version "\^1\.2\.3"/, { version: '^1.2.3' }],
  ['any version', { name }, /the server's version "1\.x"/, { version: '1.x' }],
  ['no description', { name }, /a description of 1 to 100 characters/, { description: undefined }],
  ['an empty description', { name, description: '' }, /a description of 1 to 100 characters/],
  ['an empty title', { name }, /the server's title/, { title: '' }],
  ['a long description', { name, description: 'x'.repeat(101) }, /a description of 1 to 100 characters/],
  ['a long title', { name }, /the server's title/, { title: 'x'.repeat(101) }],
  ['text that is not an address', { name }, /websiteUrl is not a URL/, { websiteUrl: 'trips' }],
  ['no source of the repository', { name, repository: { url: 'https://x.example' } }, /repository.source is missing or null/],
  ['a repository that is no address', { name, repository: { url: 'x', source: 'git' } }, /repository.url is not a URL/],
  ...['', '/a', 'a/../b', '..', 'a/..', '.', 'a//b', './a', 'a/.', 'a/', 'a\\b'].map((subfolder) =>
    [`the subfolder ${subfolder}`, { name, repository: { url: 'https://x.example', source: 'git', subfolder } }, /must be a relative path/] as const),
  ['another transport', { name, remotes: [{ type: 'stdio', url: 'https://x.example' }] }, /remotes\[0\].type is invalid/],
  ['a remote of another scheme', { name, remotes: [{ type: 'sse', url: 'ftp://x.example' }] }, /remotes\[0\].url must begin with/],
  ['a remote without a scheme', { name, remotes: [{ type: 'sse', url: 'x.example' }] }, /remotes\[0\].url must begin with/],
  ['a repository with a password', { name, repository: { url: 'https://me:pw@git.example/x', source: 'git' } }, /repository.url has credentials/],
  ['an address with a password', { name }, /websiteUrl has credentials/, { websiteUrl: 'https://:pw@x.example' }],
  ['a remote with a user', { name, remotes: [{ type: 'sse', url: 'http://me@x.example' }] }, /has credentials/],
  ...['{}/mcp', '{1a}/mcp', '{a b}/mcp', 'x.example/http://y', 'https://x.example/a b', 'https://'].map((url) =>
    [`the address ${url}`, { name, remotes: [{ type: 'sse', url }] }, /remotes\[0\].url must begin with/] as const),
  ...['Authorization', 'proxy-authorization', 'Cookie', 'X-API-Key'].map((field) =>
    [`the value of ${field}`, { name, remotes: [{ type: 'sse', url: 'https://x.example', headers: [{ name: field, value: 'abc' }] }] }, /headers\[0\] is secret and has a value/] as const),
  ['an icon with a password', { name }, /an icon's src has credentials/, { icons: [{ src: 'https://me:pw@x.example/i.png' }] }],
  ['a secret with choices', secret({ choices: ['abc'] }), /headers\[0\] is secret and has a value/],
  ['a secret variable of the address with a value', { name, remotes: [{ type: 'sse', url: 'https://x.example/{t}', variables: { t: { isSecret: true, value: 'abc' } } }] }, /variables.t is secret and has a value/],
  ['a remote with a password', { name, remotes: [{ type: 'sse', url: 'https://me:pw@x.example' }] }, /has credentials/],
  ['a secret with a value', secret({ value: 'Bearer abc' }), /headers\[0\] is secret and has a value/],
  ['a secret with a default', secret({ default: 'abc' }), /headers\[0\] is secret and has a value/],
  ['a secret variable with a value', secret({ value: '{t}', variables: { t: { isSecret: true, value: 'abc' } } }), /variables.t is secret and has a value/],
  ['a misspelt header', { name, remotes: [{ type: 'sse', url: 'https://x.example', headers: [{ name: 'X', secret: true }] }] }, /headers\[0\].secret is unknown, did you mean isSecret/],
  ['a malformed key', { name, _meta: { '-x': 1 } }, /_meta has the malformed key/],
  ['no requests', { name, requestsPerMinute: 0 }, /requestsPerMinute must be 1 or more/],
] as readonly (readonly [string, object, RegExp, object?])[]) {
  test(`card: refused: ${what}`, () => {
    assert.throws(() => serverCard(new McpServer({ ...info, ...of }), options), message);
  });
}

test('card: what is just within the rules is told', () => {
  const longest = `a/${'b'.repeat(198)}`;
  for (const [options, of] of [
    [{ name: longest, description: 'x'.repeat(100) }, { title: 'x'.repeat(100) }], [{ name: 'A-1.b/c_d.E-2', description: 'x' }, { title: 'x', version: '1.0.0-x.1+y' }],
    [{ name, remotes: [{ type: 'streamable-http', url: 'http://x.example' }, { type: 'sse', url: '{_a1}' }] }, {}],
  ] as const) serverCard(new McpServer({ ...info, ...of }), options);
});

test('card: a server whose own name has the form needs no other', async () => {
  const server = new McpServer({ name, version: '1', description: 'Ünïcode ✈' });
  const handler = fetchHandler(server, { card: serverCard(server) });
  const got = await handler(new Request('http://127.0.0.1/mcp/server-card'));
  const text = await got.text();
  assert.deepEqual([JSON.parse(text).name, Number(got.headers.get('content-length'))], [name, Buffer.byteLength(text)]);
  await handler.close();
});
