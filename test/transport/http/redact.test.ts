import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpRelay } from '../../../src/cli/http-relay.ts';
import { httpTrace } from '../../../src/transport/http/client/http-trace.ts';
import type { HttpSender } from '../../../src/transport/http/client/sender.ts';
import { httpServerTrace } from '../../../src/transport/http/server/http-server-trace.ts';
import { httpTransport } from '../../../src/transport/http/node/index.ts';
import type { HttpTrace } from '../../../src/transport/http/node/index.ts';
import { redact, redactPath, redactText, redactUrl } from '../../../src/transport/http/redact.ts';
import { McpClient } from '../../../src/client/index.ts';
import { httpRecorder } from '../../../src/transcript/index.ts';
import { randomOf } from '../../random.ts';
import { start } from './harness.ts';

const secret = 'hunter2-Zk39xQ0pLm47TgVb';
const random = randomOf(4);
const draw = (alphabet: string, length: number): string => Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('');
const letters = 'abcdefghijklmnopqrstuvwxyz';

/** Header fields that are known to carry credentials. The code does not list them: it lists only the harmless fields. */
const credentials: readonly string[] = [
  'Authorization', 'Proxy-Authorization', 'Cookie', 'Set-Cookie', 'Ocp-Apim-Subscription-Key', 'x-functions-key', 'x-jwt', 'X-Api-Key', 'Api-Key', 'apikey',
  'X-Auth-Token', 'X-Amz-Security-Token', 'X-Goog-Api-Key', 'X-Goog-Iap-Jwt-Assertion', 'CF-Access-Client-Secret', 'X-Vault-Token', 'Private-Token', 'X-Shopify-Access-Token',
  'X-CSRF-Token', 'DPoP', 'DPoP-Nonce', 'X-Session', 'X-Sid', 'X-Key', 'X-Signature', 'X-Hub-Signature-256', 'X-Client-Cert', 'X-Forwarded-Client-Cert', 'X-User', 'X-Pass', 'X-Otp',
  'Authentication-Info', 'Sec-WebSocket-Protocol', 'Sec-WebSocket-Key', 'X-Original-URL', 'X-Forwarded-Uri', 'Baggage', 'Tracestate', 'ETag', 'X-Request-Id', 'X-Anything', 'constructor', '__proto__', 'toString',
];
const harmless: readonly string[] = [
  'Accept', 'Content-Type', 'Content-Length', 'Host', 'Origin', 'User-Agent', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Param-Region', 'Last-Event-ID', 'Retry-After',
  'Access-Control-Allow-Origin', 'Sec-Fetch-Site', 'Vary', 'Allow', 'Cache-Control', 'X-RateLimit-Remaining',
];

test('redaction: of header fields only those that are known to be harmless show their values', () => {
  const names = [...credentials, ...Array.from({ length: 2_000 }, () => `q${draw(`${letters}-`, 1 + Math.floor(random() * 20))}`)];
  for (const name of names) {
    for (const spelled of [name, name.toLowerCase(), name.toUpperCase()]) {
      if (harmless.some((one) => one.toLowerCase() === name.toLowerCase())) continue;
      for (const value of [secret, `Bearer ${secret}`, `Basic ${btoa(secret)}`, `${secret} x`, [secret, secret], `x=${secret}; y`]) {
        const shown = redact([[spelled, value]]);
        assert.deepEqual(Object.keys(shown), [spelled.toLowerCase()]);
        const text = JSON.stringify(Object.values(shown));
        assert.ok(!text.includes(secret) && !text.includes(btoa(secret)), `${spelled}: ${text}`);
      }
    }
  }
  for (const name of harmless) assert.deepEqual(redact([[name, 'any value; q=1']]), { [name.toLowerCase()]: 'any value; q=1' });
});

test('redaction: a scheme of credentials is shown where it is one', () => {
  const shown = (value: string): string => redact([['Authorization', value]])['authorization'] ?? '';
  assert.equal(shown(`Bearer ${secret}`), 'Bearer [redacted]');
  assert.equal(shown(`DPoP ${secret}`), 'DPoP [redacted]');
  assert.equal(shown(`basic ${secret}`), 'basic [redacted]');
  for (const value of [secret, `${secret} second`, `sk-live ${secret}`, `${secret}, Bearer`, '']) assert.equal(shown(value), '[redacted]');
});

test('redaction: session ids are told apart, and not told', () => {
  const [one, two] = ['a', 'b'].map((id) => redact([['Mcp-Session-Id', `${id}${secret}`]])['mcp-session-id'] ?? '');
  assert.match(one ?? '', /^\[redacted [\da-f]{8}\]$/);
  assert.notEqual(one, two);
  assert.equal(redact([['mcp-session-id', `a${secret}`]])['mcp-session-id'], one);
});

test('redaction: challenges stay what they are, and what they echo does not', () => {
  const challenges = [
    'Bearer', 'Bearer realm="mcp", error="invalid_token", error_description="The access token expired"',
    'Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", scope="files:read files:write"', 'DPoP algs="ES256 RS256", error="use_dpop_nonce"',
    'Basic realm="Restricted area", charset="UTF-8"',
  ];
  for (const challenge of challenges) assert.equal(redact([['WWW-Authenticate', challenge]])['www-authenticate'], challenge);
  for (const token of [secret, 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', '3f2a9c41-77aa-4b1c-9d20-0c1e2f3a4b5c', 'a3f9'.repeat(8)]) {
    for (const text of [`Bearer error="invalid_token", error_description="the token ${token} is unknown"`, `Bearer ${token}`, `got Basic ${btoa(`user:${token}`)}`, `token=${token}`, `Authorization: DPoP ${token}`, `["${token}"]`]) {
      const shown = redactText(text);
      assert.ok(!shown.includes(token) && !shown.includes(btoa(`user:${token}`)), `${text} is shown as ${shown}`);
    }
  }
  // Base64 may consist of letters only; the scheme before it shows that it is a credential.
  assert.equal(redactText('the server got Basic dXNlcjpwYXNz and refused'), 'the server got Basic [redacted] and refused');
});

test('redaction: of an address its user, its fragment, unknown parameters and keys in its path are left out', () => {
  const table: readonly (readonly [text: string, shown: string])[] = [
    ['https://mcp.example.com/mcp', 'https://mcp.example.com/mcp'], ['/mcp', '/mcp'], ['', ''], ['mcp', 'mcp'], ['https://mcp.example.com:8443/', 'https://mcp.example.com:8443/'],
    ['https://mcp.example.com/.well-known/oauth-protected-resource/v1/mcp', 'https://mcp.example.com/.well-known/oauth-protected-resource/v1/mcp'],
    [`https://ann:${secret}@mcp.example.com/mcp`, 'https://[redacted]@mcp.example.com/mcp'], [`https://${secret}@mcp.example.com`, 'https://[redacted]@mcp.example.com'],
    [`/messages?sessionId=${secret}`, '/messages?sessionId=[redacted]'], [`/mcp?key=${secret}&v=2&${secret}`, '/mcp?key=[redacted]&v=[redacted]&[redacted]'], ['/mcp?key=short', '/mcp?key=[redacted]'],
    [`/mcp?${secret}=x`, '/mcp?[redacted]=[redacted]'], [`/mcp?client_id=${secret}`, '/mcp?client_id=[redacted]'], [`/mcp#access_token=${secret}`, '/mcp#[redacted]'],
    [`https://mcp.zapier.com/api/mcp/s/${secret}/mcp`, 'https://mcp.zapier.com/api/mcp/s/[redacted]/mcp'], ['/t/3f2a9c41-77aa-4b1c-9d20-0c1e2f3a4b5c/sse', '/t/[redacted]/sse'],
    [`//ann:${secret}@mcp.example.com/mcp`, '//[redacted]@mcp.example.com/mcp'], [`HTTPS://a@${secret}@h/x`, 'HTTPS://[redacted]@h/x'],
  ];
  for (const [text, shown] of table) assert.equal(redactUrl(text), shown);
  assert.equal(redactPath(`/a/${secret}/b`), '/a/[redacted]/b');
  for (let i = 0; i < 3_000; i++) {
    const pieces = ['https://', '//', '/', '?', '&', '=', '#', '@', ':', 'mcp', 'a.b', '%2f', ' ', secret, secret, 'http:', ''];
    const text = Array.from({ length: 1 + Math.floor(random() * 8) }, () => pieces[Math.floor(random() * pieces.length)]).join('');
    const host = /^(?:[a-z][a-z\d+.-]*:)?\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(text)?.[1] ?? '';
    // A secret that is also part of the host name may be shown.
    if (!host.includes(secret)) assert.ok(!redactUrl(text).includes(secret), `${text} is shown as ${redactUrl(text)}`);
  }
});

test('redaction: words and numbers are shown, and what is longer or more mixed than they are is not', () => {
  const letters = (count: number): string => 'abcdefgh'.repeat(5).slice(0, count);
  for (const [text, shown] of [
    // Fewer than 12 characters.
    ['a1b2c3d4e5f', true], ['a1b2c3d4e5f6', false],
    // Only digits.
    ['123456789012', true], ['1234567890123', false], ['2026-11-28-10-20-30', true], ['run-123456789012', true], ['run-1234567890123', false],
    // Only letters, with few capitals or with no others.
    [letters(32), true], [letters(33), false], ['getElementById', true], ['AUTHORIZATION', true], ['Authorization', true], ['aBcDeFgHiJkLm', false], ['PRIVATE_KEY_OF', true],
    // Both: at most two short parts, and none in a long run.
    ['v1-alpha2-release', true], ['v1-alpha2-beta3-x', false], ['release-a1b2c3d4e5', true], ['release-a1b2c3d4e5f', false],
    [`v1-${letters(29)}`, true], [`v1-${letters(30)}`, false],
  ] as const) {
    assert.equal(redactText(text), shown ? text : '[redacted]', text);
    assert.equal(redactPath(`/a/${text}/b`), `/a/${shown ? text : '[redacted]'}/b`);
  }
});

test('redaction: a text of any length is read in a moment', () => {
  for (const unit of ['a', '1', 'a1', '@', '/', '?', '&', '=', ' ', 'Bearer ', 'bearer=', 'Basic  ', '-', '.', 'a-1.', '://', '"']) {
    const text = unit.repeat(300_000 / unit.length);
    const began = process.cpuUsage().user;
    redactText(text);
    redactUrl(text);
    redact([['www-authenticate', text], ['location', text], ['authorization', text]]);
    const took = process.cpuUsage().user - began;
    assert.ok(took < 1_500_000, `${JSON.stringify(unit)}: ${took} µs`);
  }
});

test('redaction: what passes a server, its client and the relay between them is in no trace and no recording', async (t) => {
  const seen: unknown[] = [];
  const see: HttpTrace = (entry) => void seen.push(entry.kind === 'http' || entry.kind === 'event' ? entry : undefined);
  const { http, open } = await start(t, { trace: httpServerTrace(see) });
  const recorder = httpRecorder();
  let recorded = '';
  const relay = await httpRelay({
    target: new URL(http.url), port: 0, headers: Object.fromEntries(credentials.filter((name) => !/proto|^constructor|cookie|sec-/i.test(name)).map((name) => [name, secret])),
    trace(entry) {
      see(entry);
      recorded += recorder.add(entry);
    },
    onEnd: (exchange, how) => void (recorded += recorder.end(exchange, how)),
  });
  t.after(() => relay.close());
  const client = new McpClient({ name: 'test', version: '1.0.0' }, { revisions: ['2025-11-25'] });
  let own: string | undefined;
  const around = (sender: HttpSender): HttpSender => httpTrace(see)({
    ...sender,
    async send(request) {
      const answer = await sender.send(request);
      own ??= answer.header('mcp-session-id');
      return answer;
    },
  });
  await client.connect(httpTransport(`${relay.url}?key=${secret}`, { around, headers: { 'x-functions-key': secret, 'ocp-apim-subscription-key': secret, 'x-jwt': secret } }));
  await client.ping();
  await client.close();
  const session = (await open())['mcp-session-id'] ?? '';
  const pair = await fetch(`http://127.0.0.1:${http.port}/sse`);
  const reader = pair.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  const all = JSON.stringify(seen);
  assert.ok(seen.length > 20 && all.includes('"ocp-apim-subscription-key":"[redacted]"') && all.includes('sessionId=[redacted]'), all);
  assert.ok(!all.includes(secret));
  for (const id of [session, own ?? '']) assert.ok(id.length > 10 && !all.includes(id));
  assert.ok(recorded.includes('Mcp-Session-Id: <session 1>') && !recorded.includes(secret) && !recorded.includes('redacted'), recorded);
});
