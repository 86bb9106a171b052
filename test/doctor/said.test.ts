import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { badAnswer, examineAddress, examinePrompts, examineResources, examineTemplates, examineTools, fetchProbe, networkFinding } from '../../src/doctor/index.ts';
import { examineModernResult } from '../../src/doctor/lists.ts';
import type { Finding, ProbeAnswer, ProbeRequest } from '../../src/doctor/index.ts';

/** Examines each kind of input; findings have a code and a sentence. */
const examined: Readonly<Record<string, (input: never) => readonly Finding[]>> = {
  tools: (tools: unknown[]) => examineTools(tools),
  resources: (resources: unknown[]) => examineResources(resources),
  templates: (templates: unknown[]) => examineTemplates(templates),
  prompts: (prompts: unknown[]) => examinePrompts(prompts),
  answer: (answer: ProbeAnswer) => [badAnswer(answer, 'initialize')].filter((one) => one !== undefined),
  network: (code: string) => [networkFinding(Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('m'), { code }) }), 'https://u:p@h.example:8443/mcp?token=secret')],
  modern: (result: Record<string, unknown>) => examineModernResult({ method: 'tools/list', caches: 'caching-9' }, result),
};

// One per line: [kind, input, [code, sentence] of each finding]. A person compared each with its input.
test('said.jsonl: what is found, and every sentence', () => {
  const lines = readFileSync(new URL('../../../test/doctor/said.jsonl', import.meta.url), 'utf8').trim().split('\n');
  assert.ok(lines.length > 90, `${lines.length} lines`);
  for (const line of lines) {
    const [kind, input, expected] = JSON.parse(line) as [string, never, [string, string][]];
    assert.deepEqual(examined[kind]?.(input).map(({ code, what }) => [code, what]), expected, line.slice(0, 300));
  }
});

test('examineTools: what the check of schemas throws is told, but not of a schema elsewhere', () => {
  const refuse = (): never => { throw new Error('no such type'); };
  const tool = (inputSchema: object): object => ({ name: 'a', description: 'd', inputSchema });
  const found = (schema: object): (readonly [string, string])[] => examineTools([tool(schema)], refuse).map(({ code, what }) => [code, what] as const);
  assert.deepEqual(found({ type: 'object' }), [['schema-invalid', '1 of 1 tools: a (inputSchema: no such type).']]);
  assert.deepEqual(found({ type: 'object', anyOf: [] }), [['schema-invalid', '1 of 1 tools: a (inputSchema: no such type).']]);
  assert.deepEqual(found({ type: 'object', properties: { x: { $ref: 'elsewhere.json' } } }), [['schema-rejected', '1 of 1 tools: a (/x: $ref points outside the schema).']]);
});

test('examineTools: of a schema that has no end only so many subschemas are looked at', () => {
  const schema: { type: string; properties: Record<string, unknown> } = { type: 'object', properties: {} };
  schema.properties['again'] = schema;
  assert.deepEqual(examineTools([{ name: 'a', description: 'd', inputSchema: schema }]), []);
});

type Answers = Readonly<Record<string, Partial<ProbeAnswer> | 'cut'>>;
const message = '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}';
const json = { 'content-type': 'application/json' };
const well: Answers = { initialize: { status: 200, headers: { ...json, 'mcp-session-id': 'abc' }, body: message }, initialized: { status: 202 }, GET: { status: 405 }, odd: { status: 400 }, unknown: { status: 404 }, DELETE: { status: 204 }, strange: { status: 403 } };

/** The purpose of a doctor's request. */
function kindOf({ method, headers, body = '' }: ProbeRequest): string {
  if (headers['origin'] !== undefined) return method === 'OPTIONS' ? 'OPTIONS' : headers['origin'] === 'https://barewire.invalid' ? 'strange' : 'page';
  if (method !== 'POST') return method;
  if (body.includes('"initialize"')) return 'initialize';
  if (body.includes('notifications/initialized')) return 'initialized';
  return headers['mcp-protocol-version'] === '1999-01-01' ? 'odd' : 'unknown';
}

/** Examines an address whose answers depend on the request's purpose or path. */
async function address(answers: Answers, { url = 'https://h.example/mcp', origin }: { url?: string; origin?: string } = {}): Promise<{ found: string[]; asked: string[]; usable: boolean; wantsLogin: boolean; sent: ProbeRequest[] }> {
  const sent: ProbeRequest[] = [];
  const { findings, usable, wantsLogin } = await examineAddress({ url, send: async (request) => {
    sent.push(request);
    const answer = answers[new URL(request.url).pathname] ?? answers[kindOf(request)] ?? { status: 404 };
    if (answer === 'cut') throw Object.assign(new Error('m'), { code: 'ECONNRESET' });
    return { status: 200, headers: {}, body: '', ...answer };
  } }, origin);
  return { found: findings.map(({ code, what }) => `${code}: ${what}`), asked: sent.map(kindOf), usable, wantsLogin, sent };
}

test('an address: what is asked of one that is in order, in the session that it opens, which is ended', async () => {
  const { found, asked, usable, wantsLogin, sent } = await address(well);
  assert.deepEqual([found, usable, wantsLogin], [[], true, false]);
  assert.deepEqual(asked, ['initialize', 'initialized', 'GET', 'odd', 'unknown', 'DELETE']);
  assert.deepEqual(sent.map(({ headers }) => headers['mcp-session-id']), [undefined, 'abc', 'abc', 'abc', '00000000-0000-4000-8000-000000000000', 'abc']);
  assert.deepEqual(sent.map(({ headers }) => headers['mcp-protocol-version']), [undefined, '2025-06-18', '2025-06-18', '1999-01-01', '2025-06-18', '2025-06-18'], 'the revision that was agreed');
  assert.equal(sent[2]?.headOnly, true, 'a stream that may never end is not read');
  const without = await address({ ...well, initialize: { status: 200, headers: json, body: '{"jsonrpc":"2.0","id":1,"result":{}}' } });
  assert.deepEqual(without.asked, ['initialize', 'initialized', 'GET', 'odd']);
  assert.equal(without.sent[1]?.headers['mcp-protocol-version'], '2025-11-25');
});

test('an address: each rule that a session breaks is told', async () => {
  assert.deepEqual((await address({ ...well, initialized: { status: 200 }, GET: { status: 200, headers: { 'content-type': 'text/html' } }, odd: { status: 200 }, unknown: { status: 200 } })).found, [
    'notification-status: notifications/initialized: expected HTTP 202 without a body, got HTTP 200, no body',
    'get-wrong: GET: expected HTTP 200 with Content-Type text/event-stream, or HTTP 405, got HTTP 200 text/html',
    'version-header-unchecked: MCP-Protocol-Version: 1999-01-01: expected HTTP 400: the version is not supported, got HTTP 200, no body',
    'session-not-404: a made-up session id: expected HTTP 404: the session does not exist, got HTTP 200, no body',
  ]);
  assert.deepEqual((await address({ ...well, GET: { status: 500 } })).found, ['get-wrong: GET: expected HTTP 200 with Content-Type text/event-stream, or HTTP 405, got HTTP 500']);
  assert.deepEqual((await address({ ...well, GET: { status: 200, headers: { 'content-type': 'text/event-stream' } } })).found, []);
  assert.deepEqual((await address({ ...well, GET: { status: 204, headers: { 'content-type': 'text/event-stream' } } })).found.length, 1);
  assert.deepEqual((await address({ ...well, unknown: { status: 400 } })).found, [], 'the session was made up: 400 refuses it, too');
  assert.match((await address({ ...well, initialized: { status: 202, body: '{}' } })).found[0] ?? '', /^notification-status: .* got HTTP 202 \{\}$/);
  assert.deepEqual((await address({ ...well, odd: 'cut' })).found, ['connection-lost: the session: the connection was cut before an answer came.']);
  assert.deepEqual((await address({ ...well, initialize: { status: 200, headers: { ...json, 'mcp-session-id': 'a b' }, body: message } })).found, ['session-id-odd: The session id is a b.']);
  assert.deepEqual((await address({ ...well, initialize: { status: 400, headers: json, body: message } })).asked, ['initialize'], 'no session was begun');
  assert.deepEqual((await address({ ...well, initialize: { status: 200, headers: { 'mcp-session-id': 'abc' }, body: message } })).asked, ['initialize', 'DELETE'], 'a session that is not tested is ended');
});

test('an address: refusals, and what they say', async () => {
  const refusal = async (answer: Partial<ProbeAnswer>): Promise<[string[], boolean, boolean]> => {
    const { found, usable, wantsLogin } = await address({ initialize: answer });
    return [found, usable, wantsLogin];
  };
  const metadata = 'Bearer resource_metadata="https://h.example/.well-known/x"';
  assert.deepEqual(await refusal({ status: 401, headers: { 'www-authenticate': metadata } }), [['unauthorized: h.example answers 401: it requires credentials.'], true, true]);
  assert.deepEqual(await refusal({ status: 401, body: 'log in' }), [['unauthorized: h.example answers 401: it requires credentials (log in).', 'challenge-missing: The 401 has no WWW-Authenticate.'], true, true]);
  assert.deepEqual(await refusal({ status: 401, headers: { 'www-authenticate': 'Basic realm=x' } }),
    [['unauthorized: h.example answers 401: it requires credentials.', 'challenge-missing: The challenge names no resource_metadata: Basic [redacted]'], true, true]);
  // A body is redacted before it is cut: a part of a key does not look like one.
  for (const before of [1_992, 9_992]) {
    for (const status of [401, 500]) {
      assert.doesNotMatch(String(await refusal({ status, body: `${' '.repeat(before)}sk9Zx71Qp4Lw82Mn55Tt` })), /sk9Zx/, `${status}, ${before}`);
    }
  }
  assert.deepEqual(await refusal({ status: 403, body: 'Invalid Host header' }), [['forbidden: initialize was answered with 403: Invalid Host header'], false, false]);
  const todo = async (answer: Partial<ProbeAnswer>): Promise<string | undefined> => (await examineAddress({ url: 'https://h.example/mcp', send: async () => ({ status: 403, headers: {}, body: '', ...answer }) })).findings[0]?.todo;
  assert.match(await todo({ body: 'bad ORIGIN' }) ?? '', /refuses the name in the address/);
  assert.doesNotMatch(await todo({ body: 'no' }) ?? '', /refuses the name in the address/);
  assert.doesNotMatch(await todo({ body: 'host', headers: { 'www-authenticate': 'Bearer' } }) ?? '', /refuses the name in the address/);
  assert.deepEqual(await address({ initialize: 'cut' }).then(({ found, usable }) => [found, usable]), [['connection-lost: h.example: the connection was cut before an answer came.'], false]);
});

test('an address: the right path is looked for at four others, and the old transport is known by its event', async () => {
  const wrong = await address({});
  assert.deepEqual(wrong.found, ['wrong-path: POST /mcp was answered with 404: not an MCP endpoint.']);
  assert.equal(wrong.usable, false);
  assert.deepEqual(wrong.sent.map(({ method, url }) => `${method} ${new URL(url).pathname}`), ['POST /mcp', 'GET /mcp', 'POST /', 'POST /api/mcp', 'GET /sse']);
  const page = await address({ '/mcp': { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' } });
  assert.deepEqual(page.found, ['wrong-path: POST /mcp was answered with 200 and an HTML page: not an MCP endpoint.']);
  const todo = async (answers: Answers): Promise<string | undefined> => (await examineAddress({ url: 'https://h.example/x', send: async ({ url }) => {
    const answer = answers[new URL(url).pathname] ?? { status: 404 };
    if (answer === 'cut') throw new Error('cut');
    return { status: 200, headers: json, body: message, ...answer };
  } })).findings[0]?.todo;
  assert.equal(await todo({ '/mcp': 'cut', '/': { status: 500 }, '/api/mcp': {} }), 'Use https://h.example/api/mcp: the endpoint is there.');
  assert.equal(await todo({ '/mcp': { body: 'no' }, '/sse': { headers: { 'content-type': 'text/event-stream' }, body: 'event: endpoint\ndata: /m\n\n' } }), 'Use https://h.example/sse: the endpoint is there.');
  assert.doesNotMatch(await todo({ '/sse': { body: 'event: ping\n\n' } }) ?? '', /the endpoint is there/);
  assert.doesNotMatch(await todo({ '/mcp': { status: 400 } }) ?? '', /the endpoint is there/, 'a refusal is not the endpoint');
  const elsewhere = await address({ '/mcp': { status: 404 }, '/': { status: 500, headers: { 'mcp-session-id': 'no' } }, '/api/mcp': { ...well['initialize'] as object } });
  assert.deepEqual(elsewhere.sent.slice(2).map(({ method, url, headers }) => `${method} ${new URL(url).pathname} ${headers['mcp-session-id']} ${headers['mcp-protocol-version']}`), [
    'POST / undefined undefined', 'DELETE / no 2025-11-25', 'POST /api/mcp undefined undefined', 'DELETE /api/mcp abc 2025-06-18',
  ], 'what begins a session there ends it');
  const stream = { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body: 'event:endpoint\ndata: /m\n\n' };
  for (const status of [400, 404, 405]) {
    const old = await address({ initialize: { status }, GET: stream });
    assert.deepEqual([old.found, old.usable], [['old-transport: h.example speaks HTTP+SSE, the transport of 2024-11-05.'], true]);
  }
  assert.deepEqual((await address({ initialize: { status: 400 }, GET: { ...stream, headers: json } })).found, ['server-error: initialize: expected a JSON-RPC message in the body, got HTTP 400, no body']);
  assert.deepEqual((await address({ initialize: { status: 405 }, GET: 'cut' })).found, ['wrong-path: POST /mcp was answered with 405: not an MCP endpoint.']);
  // An endpoint of 2026-07-28 refuses initialize by 404 with this error.
  const modern = await address({ initialize: { status: 404, headers: json, body: '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"No"}}' } });
  assert.deepEqual([modern.found, modern.asked, modern.usable], [[], ['initialize'], true]);
});

test('an address: what a page of another origin gets', async () => {
  const origin = 'https://page.example';
  const allowed = { 'access-control-allow-origin': origin };
  const exposed = { ...allowed, 'access-control-expose-headers': 'X, MCP-Session-Id' };
  const served = (post: Record<string, string>, options: Record<string, string>): Answers => ({ ...well, page: { status: 200, headers: { ...json, 'mcp-session-id': 'p', ...post }, body: message }, OPTIONS: { status: 204, headers: options } });
  const of = async (answers: Answers): Promise<string[]> => (await address(answers, { origin })).found;
  assert.deepEqual(await of(served(exposed, allowed)), []);
  assert.deepEqual(await of(served({ ...allowed, 'access-control-expose-headers': '*' }, { 'access-control-allow-origin': '*' })), []);
  assert.deepEqual(await of(served(allowed, allowed)), [`cors-missing: For a page from ${origin} the responses lack Access-Control-Expose-Headers: Mcp-Session-Id.`]);
  assert.deepEqual(await of(served({ 'access-control-allow-origin': 'https://other.example' }, {})), [
    `cors-missing: For a page from ${origin} the responses lack Access-Control-Allow-Origin of OPTIONS, Access-Control-Allow-Origin of POST, Access-Control-Expose-Headers: Mcp-Session-Id.`]);
  assert.deepEqual(await of({ ...well, page: { status: 403, body: 'no' } }), [`origin-refused: A request with the Origin ${origin} was answered with 403: no`]);
  const { asked, sent } = await address(served(exposed, allowed), { origin });
  assert.deepEqual(asked.slice(6), ['page', 'DELETE', 'OPTIONS'], 'the session of the page is ended too');
  assert.equal(sent[8]?.headers['access-control-request-method'], 'POST');
  // DNS rebinding can only reach servers on this machine.
  for (const url of ['http://localhost:1/mcp', 'http://127.0.0.1:1/mcp', 'http://[::1]:1/mcp']) {
    assert.deepEqual((await address({ ...well, strange: { status: 200 } }, { url })).found, ['origin-unchecked: Origin: https://barewire.invalid: expected HTTP 403: the origin is foreign, got HTTP 200, no body'], url);
    assert.deepEqual((await address({ ...well, strange: { status: 300 } }, { url })).found, [], url);
    assert.deepEqual((await address({ ...well, strange: 'cut' }, { url })).found, [], url);
  }
  for (const url of ['https://h.example/mcp', 'https://my.127.example/mcp']) assert.deepEqual((await address({ ...well, strange: { status: 200 } }, { url })).found, [], url);
});

/** A fetch whose body has these pieces, and then stays open, ends, or breaks. */
function fetching(pieces: readonly string[], then: 'end' | 'wait' | 'break', headers: Record<string, string> = {}): { fetch: typeof globalThis.fetch; read: () => number; init: RequestInit[] } {
  let at = 0;
  const init: RequestInit[] = [];
  const fetch = async (_url: unknown, given: RequestInit = {}): Promise<Response> => {
    init.push(given);
    return new Response(new ReadableStream({
      pull(controller) {
        const piece = pieces[at++];
        if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
        else if (then === 'end') controller.close();
        else if (then === 'break') controller.error(new Error('broken'));
        else return new Promise<void>((resolve) => given.signal?.addEventListener('abort', () => { controller.error(given.signal?.reason); resolve(); }));
        return undefined;
      },
    }, { highWaterMark: 0 }), { headers });
  };
  return { fetch, read: () => at, init };
}

test('fetchProbe: reads a body to its end, a stream to its first message, and a head only where asked', async () => {
  const request = { method: 'POST', url: 'https://h.example/mcp', headers: { a: 'b' }, body: '{}' };
  const whole = fetching(['data: x\n\n', 'y'], 'end', { 'content-type': 'application/json' });
  assert.equal((await fetchProbe(whole.fetch, { headers: { own: '1', a: 'c' } })(request)).body, 'data: x\n\ny');
  assert.deepEqual([whole.init[0]?.headers, whole.init[0]?.redirect, whole.init[0]?.body], [{ own: '1', a: 'b' }, 'manual', '{}']);
  const stream = fetching([': hello\n\n', 'id: 1\ndata:\n\n', 'data: {"a"', ':1}\n', '\n', 'data: more\n\n'], 'wait', { 'content-type': 'text/event-stream' });
  assert.equal((await fetchProbe(stream.fetch)(request)).body, ': hello\n\nid: 1\ndata:\n\ndata: {"a":1}\n\n');
  for (const end of ['\r\r', '\r\n\r\n', '\n\n']) {
    const { fetch, read } = fetching([`data:x${end}`, 'rest'], 'wait', { 'content-type': 'Text/Event-Stream ; charset=utf-8' });
    assert.equal((await fetchProbe(fetch)(request)).body, `data:x${end}`);
    assert.equal(read(), 1);
  }
  const head = fetching(['x'], 'wait');
  assert.equal((await fetchProbe(head.fetch)({ ...request, headOnly: true })).body, '');
  assert.equal(head.read(), 0);
  const long = fetching(Array.from({ length: 100 }, () => ' '.repeat(1000)), 'end');
  assert.equal((await fetchProbe(long.fetch)(request)).body, `${' '.repeat(65_536)}…`);
  assert.equal(long.read(), 66);
  // A word that is cut is left out: a part of a key would not be redacted.
  for (const pieces of [[`${' '.repeat(65_528)}sk9Zx71Qp4Lw82Mn55Tt`, ' more'], [`${' '.repeat(65_528)}sk9Zx71Q`, 'p4Lw82Mn55Tt']]) {
    assert.equal((await fetchProbe(fetching(pieces, 'end').fetch)(request)).body, `${' '.repeat(65_528)}…`);
  }
  assert.equal((await fetchProbe(fetching(['x'.repeat(70_000)], 'end').fetch)(request)).body, '…');
  assert.equal((await fetchProbe(fetching(['so far'], 'break').fetch)(request)).body, 'so far');
  await assert.rejects(fetchProbe(fetching([], 'break').fetch)(request), /broken/);
  assert.equal((await fetchProbe(fetching(['slow'], 'wait').fetch, { timeoutMs: 20 })(request)).body, 'slow');
  assert.equal((await fetchProbe(fetching([], 'wait').fetch, { timeoutMs: 20 })(request)).body, '', 'a head without a body in time is an answer');
});
