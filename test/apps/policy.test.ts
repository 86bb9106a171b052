import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentSecurityPolicy, parseOrigin, permissionsPolicy, readAppMeta } from '../../src/apps/index.ts';

const good: readonly (readonly [given: string, origin: string])[] = [
  ['https://a.example', 'https://a.example'], ['HTTPS://A.Example/', 'https://a.example'], ['https://a.example:443', 'https://a.example'],
  ['wss://a.example:8443', 'wss://a.example:8443'], ['https://*.a.example', 'https://*.a.example'], ['http://localhost:3000', 'http://localhost:3000'],
  ['ws://127.0.0.1:8080', 'ws://127.0.0.1:8080'], ['https://bücher.example', 'https://xn--bcher-kva.example'], ['http://app.localhost', 'http://app.localhost'],
  // The URL parser normalizes the address as a browser does.
  ['http://0x7f.1', 'http://127.0.0.1'],
];
for (const [given, origin] of good) {
  test(`origins: ${given}`, () => assert.equal(parseOrigin(given), origin));
}

const bad: readonly unknown[] = [
  'https://a; script-src *', 'https://a;script-src', 'https://a.example; default-src *', 'https://a.example\n', 'https://a.example https://b.example', 'https://a,b', "https://a'b",
  '*', 'https://*', 'https://*.com', 'https://*.*.example', 'https://a.*', 'https:', 'https://', 'data:', 'blob:', "'self'", "'unsafe-eval'", 'javascript://a.example', 'file:///etc',
  'http://a.example', 'ws://a.example', 'ftp://a.example', 'https://user@a.example', 'https://user:x@a.example', 'https://@a.example', 'https://a.example/path', 'https://a.example?', 'https://a.example#',
  'https://a.example\\b', 'https://[::1]', 'https://a.example:99999', 'https://*.127.0.0.1', `https://${'a'.repeat(300)}.example`, 'a.example', '//a.example', '', 7, null, undefined, {}, ['https://a.example'],
  'http://localhost.evil.example', 'http://127.0.0.1.evil.example', 'http://notlocalhost', 'http://a_localhost', 'http://evil.example.notlocalhost', 'ws://x-127.0.0.1.a',
  'https://:x@a.example', 'https://a.example?q', 'https://a.example#f', 'https://user@a.example?q#f', 'https://a.example/?', 'https://a.example/#', 'https://a..example', 'https://%61.example;', 'https://a.example%0a', 'https://a\u3002; x',
];
for (const given of bad) {
  test(`origins: refused: ${JSON.stringify(given)?.slice(0, 60)}`, () => assert.throws(() => parseOrigin(given), TypeError));
}

const restrictive = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; media-src data:; font-src 'none'; connect-src 'none'; frame-src 'none'; base-uri 'none'; object-src 'none'; worker-src 'none'; form-action 'none'";

test('policy: without domains it allows none', () => {
  assert.equal(contentSecurityPolicy(), restrictive);
  assert.equal(contentSecurityPolicy({ connectDomains: [] }), restrictive);
});

test('policy: each list stands in its directives', () => {
  assert.equal(contentSecurityPolicy({
    connectDomains: ['https://c.example', 'wss://c.example:8443'], resourceDomains: ['https://*.r.example'], frameDomains: ['https://f.example'], baseUriDomains: ['https://b.example'],
  }), "default-src 'none'; script-src 'unsafe-inline' https://*.r.example; style-src 'unsafe-inline' https://*.r.example; img-src data: https://*.r.example; media-src data: https://*.r.example; font-src https://*.r.example; connect-src https://c.example wss://c.example:8443; frame-src https://f.example; base-uri https://b.example; object-src 'none'; worker-src 'none'; form-action 'none'");
});

test('policy: a domain that is no origin makes none', () => {
  assert.throws(() => contentSecurityPolicy({ connectDomains: ['https://a.example', 'https://a; script-src *'] }), TypeError);
});

test('policy: whatever a server declares, its text has no more directives than it has', () => {
  const pieces = ['https://', 'a', '.example', ';', ' ', ',', '*', "'", '\n', '\t', '/', '%3b', '@', ':', 'script-src', '\u0000', '；'];
  let seed = 7;
  const next = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
  let passed = 0;
  for (let round = 0; round < 20_000; round++) {
    const domain = `https://${Array.from({ length: next(8) }, () => pieces[next(pieces.length)]).join('')}`;
    const { meta } = readAppMeta({ ui: { csp: { connectDomains: [domain] } } });
    const policy = contentSecurityPolicy(meta.csp);
    assert.equal(policy.split(';').length, restrictive.split(';').length, JSON.stringify(domain));
    assert.match(policy, /connect-src (?:'none'|https:\/\/(?:\*\.)?[a-z\d._-]+(?::\d+)?); /);
    if (meta.csp) passed++;
  }
  assert.ok(passed > 100, String(passed));
});

test('metadata: what may be used of it is used, and the rest is named', () => {
  const { meta, faults } = readAppMeta({ ui: {
    csp: { connectDomains: ['https://a.example', 'https://a.example/', 'https://a; script-src *', 'https://own.example', 7], baseUriDomains: ['https://b.example'], resourceDomains: 'https://a.example', frameDomains: Array.from({ length: 150 }, (_, i) => `https://f${i}.example`), other: ['https://x.example'] },
    permissions: JSON.parse('{"camera":{},"microphone":"yes","clipboardWrite":{},"__proto__":{},"usb":{}}') as object,
    domain: 'x'.repeat(1000), prefersBorder: 'yes',
  } }, (origin) => origin !== 'https://own.example');
  assert.deepEqual(meta.csp?.connectDomains, ['https://a.example']);
  assert.equal(meta.csp?.resourceDomains, undefined);
  assert.deepEqual(meta.csp?.baseUriDomains, ['https://b.example']);
  assert.equal(meta.csp?.frameDomains?.length, 100);
  assert.deepEqual(meta.permissions, { camera: {}, clipboardWrite: {} });
  assert.equal(meta.domain?.length, 253);
  assert.equal(meta.prefersBorder, undefined);
  assert.deepEqual(faults.map((one) => one.slice(0, 40)), [
    'csp.connectDomains: the domain "https://', 'csp.connectDomains: "https://own.example', 'csp.connectDomains: the domain 7 is not ',
    'csp.resourceDomains is not a list', 'csp.frameDomains has 150 domains: only th', 'permissions: "__proto__" is unknown', 'permissions: "usb" is unknown',
  ].map((one) => one.slice(0, 40)));
  assert.equal(permissionsPolicy(meta.permissions), 'camera; clipboard-write');
});

test('metadata: none, and what is none', () => {
  const csp = Object.fromEntries(['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'].map((list) => [list, [`https://${list.toLowerCase()}.example`]]));
  assert.deepEqual(readAppMeta({ ui: { csp } }), { meta: { csp }, faults: [] });
  for (const _meta of [undefined, null, {}, 'x', { 'ui/x': 1 }]) assert.deepEqual(readAppMeta(_meta), { meta: {}, faults: [] });
  assert.deepEqual(readAppMeta({ ui: [] }), { meta: {}, faults: ['_meta.ui is not an object'] });
  assert.deepEqual(readAppMeta({ ui: { csp: [], permissions: 7 } }), { meta: {}, faults: ['csp is not an object', 'permissions is not an object'] });
});
