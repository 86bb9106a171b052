import assert from 'node:assert/strict';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { httpRelay } from '../../src/cli/http-relay.ts';
import { hiddenHttp } from '../../src/judge/node/hidden-http.ts';
import { loopback } from '../../src/oauth/node/index.ts';
import { fetchHandler } from '../../src/transport/http/fetch/index.ts';
import { guarded, guardedUpgrade, httpListener, ownAddress, serveHttp } from '../../src/transport/http/node/index.ts';
import { http1 } from '../../src/transport/http1/node/index.ts';
import { fakeServer } from '../transport/http/fake-server.ts';
import { everyNth } from '../every-nth.ts';

// Each listener of src, started for real, gets every kind of request head that a browser or a program sends, and must refuse as
// the rules below say. The rules are written here independently, from the documents.

interface Listening {
  readonly port: number;
  readonly path: string;
  /** `own`: only its own address. `loopback`: any name of this machine. */
  readonly hosts: 'own' | 'loopback';
  /** True if it accepts only top-level navigations from a browser. */
  readonly navigations: boolean;
  /** True if a malformed `Host` gets 400 before the guard runs. RFC 9112, 3.2. */
  readonly strict?: boolean;
}

const upstream = async (t: TestContext): Promise<number> => {
  const server = createServer((_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => (server.close(), server.closeAllConnections()));
  return (server.address() as AddressInfo).port;
};

const listeners: Readonly<Record<string, (t: TestContext) => Promise<Listening>>> = {
  async serveHttp(t) {
    const { port, close } = await serveHttp(fakeServer());
    t.after(() => close({ drainMs: 0 }));
    return { port, path: '/mcp', hosts: 'loopback', navigations: false };
  },
  async 'serveHttp, HTTP+SSE'(t) {
    const { port, close } = await serveHttp(fakeServer());
    t.after(() => close({ drainMs: 0 }));
    return { port, path: '/messages?sessionId=x', hosts: 'loopback', navigations: false };
  },
  async 'serveHttp, http1'(t) {
    const { port, close } = await serveHttp(fakeServer(), { engine: http1 });
    t.after(() => close({ drainMs: 0 }));
    return { port, path: '/mcp', hosts: 'loopback', navigations: false, strict: true };
  },
  async httpListener(t) {
    const listener = httpListener(fakeServer());
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(async () => (server.close(), server.closeAllConnections(), listener.close({ drainMs: 0 })));
    return { port: (server.address() as AddressInfo).port, path: '/mcp', hosts: 'loopback', navigations: false };
  },
  async fetchHandler(t) {
    const handle = fetchHandler(fakeServer());
    const server = createServer((from, to) => {
      const headers = new Headers();
      for (const [name, value] of Object.entries(from.headers)) headers.set(name, String(value));
      void handle(new Request(`http://127.0.0.1${from.url ?? ''}`, { headers, method: from.method ?? '' }))
        .then(async (response) => to.writeHead(response.status).end(await response.text()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(async () => (server.close(), server.closeAllConnections(), handle.close({ drainMs: 0 })));
    return { port: (server.address() as AddressInfo).port, path: '/mcp', hosts: 'loopback', navigations: false };
  },
  async 'the relay of trace and record'(t) {
    const target = new URL(`http://127.0.0.1:${await upstream(t)}/mcp`);
    const relay = await httpRelay({ target, port: 0, headers: { authorization: 'Bearer hunter2' }, trace: () => {}, onEnd: () => {} });
    t.after(() => relay.close());
    return { port: Number(new URL(relay.url).port), path: '/mcp', hosts: 'loopback', navigations: false };
  },
  async "the judge's server for a client"(t) {
    const hidden = await hiddenHttp({ line: () => {}, unreadable: () => {}, left: () => {}, request: (request) => request.respond(200, {}) });
    t.after(() => hidden.close());
    return { port: Number(new URL(hidden.url).port), path: '/mcp', hosts: 'loopback', navigations: false };
  },
  async "the login's loopback"(t) {
    const listener = await loopback().listen(undefined);
    t.after(() => listener.close());
    void (async () => {
      for (;;) (await listener.next()).answer(undefined);
    })().catch(() => {});
    return { port: Number(new URL(listener.redirectUri).port), path: '/callback?code=x', hosts: 'own', navigations: true };
  },
};

type Head = Readonly<Record<string, string>>;

const evilHosts: readonly string[] = [
  'evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'localhost@evil.example', 'evil.example#localhost', 'localhost.', '127.0.0.1.',
  '127.1', '0x7f.0.0.1', '2130706433', '0.0.0.0', '[::]', '[::ffff:127.0.0.1]', '[::1].evil.example', 'localhost:1:2', 'localhost:x', 'xlocalhost', 'localhost,evil.example',
];
const evilOrigins: readonly string[] = [
  'null', '', 'http://evil.example', 'https://evil.example:443', 'http://localhost.evil.example', 'http://localhost@evil.example', 'http://evil.example/localhost',
  'http://127.0.0.1.evil.example', 'file://', 'file://localhost', 'chrome-extension://abc', 'http://localhost, http://evil.example', 'http://[::1].evil.example',
];
const sites: readonly (string | undefined)[] = [undefined, 'none', 'same-origin', 'same-site', 'cross-site', '', 'Cross-Site', 'same-origin, cross-site', 'x'];
const modes: readonly (string | undefined)[] = [undefined, 'navigate', 'nested-navigate', 'no-cors', 'cors', 'websocket'];
const destinations: readonly (string | undefined)[] = [undefined, 'document', 'iframe', 'embed', 'image', 'script', 'empty', 'serviceworker'];

/** The request heads, and whether each passes. */
function heads({ port, hosts, navigations }: Listening): { head: Head; passes: boolean }[] {
  const own = `127.0.0.1:${port}`;
  const others = hosts === 'own' ? ['localhost', `localhost:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`, `[::1]:${port}`] : [];
  const names = hosts === 'own' ? [own] : [own, 'localhost', `LocalHost:${port}`, '[::1]:1', '127.0.0.1'];
  const foreign = hosts === 'own' ? ['http://localhost:5173', `http://127.0.0.1:${port + 1}`, `https://${own}`, 'http://127.0.0.1'] : [];
  const near = hosts === 'own' ? [`http://${own}`] : [`http://${own}`, 'http://localhost:5173', 'https://127.0.0.1', 'http://[::1]:3000'];
  const found: { head: Head; passes: boolean }[] = [
    ...names.map((host) => ({ head: { host }, passes: true })),
    ...[...evilHosts, ...others].map((host) => ({ head: { host }, passes: false })),
    ...near.map((origin) => ({ head: { host: own, origin }, passes: true })),
    ...[...evilOrigins, ...foreign].map((origin) => ({ head: { host: own, origin }, passes: false })),
  ];
  for (const site of sites) {
    for (const mode of modes) {
      for (const destination of destinations) {
        const metadata = Object.fromEntries(Object.entries({ 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination })
          .filter(([, value]) => value !== undefined)) as Head;
        const navigates = mode === 'navigate' && destination === 'document';
        const passes = site === undefined || (navigations ? navigates : ['none', 'same-origin', 'same-site'].includes(site));
        found.push({ head: { host: own, ...metadata }, passes });
        // The browser's Sec-Fetch headers do not excuse a forbidden Origin or Host.
        found.push({ head: { host: own, origin: 'http://evil.example', ...metadata }, passes: false });
        found.push({ head: { host: 'evil.example', ...metadata }, passes: false });
      }
    }
  }
  return found;
}

for (const [name, start] of Object.entries(listeners)) {
  test(`guard: ${name} refuses each head that another site or a rebound name sends, and takes the others`, async (t) => {
    const listening = await start(t);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    const { port, path } = listening;
    const ask = (method: string, headers: Head): Promise<number> => new Promise((resolve, reject) => {
      request({ agent, host: '127.0.0.1', port, path, method, headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      }).on('error', reject).end();
    });
    const all = heads(listening);
    const step = everyNth(9);
    let [passed, refused] = [0, 0];
    for (const [i, { head, passes }] of all.entries()) {
      if (i % step !== 0 && i >= 60) continue;
      for (const method of listening.navigations ? ['GET'] : ['GET', 'POST', 'OPTIONS']) {
        const status = await ask(method, head);
        const malformed = listening.strict === true && !/^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i.test(String(head['host'] ?? ''));
        assert.equal(status !== (malformed ? 400 : 403), passes, `${method} ${JSON.stringify(head)} got ${status}`);
        if (passes) passed++;
        else refused++;
      }
    }
    assert.ok(passed > 20 && refused > 100, `${passed} passed, ${refused} were refused`);
  });
}

test('guard: origins that are listed, or all, are told by Origin; a site that sends none stays outside unless all are let in', async (t) => {
  const at = async (options: Parameters<typeof serveHttp>[1], headers: Head): Promise<number> => {
    const { port, close } = await serveHttp(fakeServer(), options);
    t.after(() => close({ drainMs: 0 }));
    return new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path: '/mcp', method: 'GET', headers, agent: false }, (answer) => {
        resolve(answer.resume().statusCode ?? 0);
      }).on('error', reject).end();
    });
  };
  const listed = { allowedOrigins: ['https://app.example'] };
  assert.notEqual(await at(listed, { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }), 403);
  assert.equal(await at(listed, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }), 403);
  assert.notEqual(await at({ allowedOrigins: '*' }, { 'sec-fetch-site': 'cross-site' }), 403);
  assert.equal(await at({ allowedOrigins: '*' }, { host: 'evil.example', 'sec-fetch-site': 'cross-site' }), 403);
  assert.notEqual(await at({ allowedHosts: '*' }, { host: 'any.example' }), 403);
  assert.equal(await at({ allowedOrigins: [] }, { origin: 'http://localhost' }), 403);
});

test('guard: options that it does not know, or of another kind, are refused where the listener is made', () => {
  const serve = (): void => assert.fail();
  const wrong: readonly (readonly [given: unknown, code: string, message: RegExp])[] = [
    [{}, 'invalid_option', /expected function, not object/], [undefined, 'invalid_option', /is missing or null, expected function/],
    [() => undefined, 'invalid_option', /is missing or null, expected object/],
    [() => ({ allowedHost: ['a'] }), 'unknown_option', /allowedHost is unknown, did you mean allowedHosts\?/],
    [() => ({ allowedOrigns: '*' }), 'unknown_option', /did you mean allowedOrigins\?/], [() => ({ navigatoin: 'only' }), 'unknown_option', /did you mean navigation\?/],
    [() => ({ allowedHosts: 'a' }), 'invalid_option', /allowedHosts/], [() => ({ allowedOrigins: 'on' }), 'invalid_option', /allowedOrigins/],
    [() => ({ navigation: 'onyl' }), 'invalid_option', /navigation is invalid, expected "refused" or "allowed" or "only"/],
  ];
  for (const [given, code, message] of wrong) {
    for (const make of [guarded, guardedUpgrade]) assert.throws(() => make(given as never, serve), { name: 'TypeError', code, message });
  }
  for (const given of [() => ({}), ownAddress(['localhost']), () => ({ allowedHosts: '*', allowedOrigins: 'own', navigation: 'allowed' } as const)]) guarded(given, serve);
});
