import assert from 'node:assert/strict';
import test from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { Bench } from '../../src/judge/bench.ts';
import { decodeHeader, harmless, isMarked, needsEncoding } from '../../src/judge/client/headers.ts';
import { dressed, plainOffer, serve, serveHttp } from '../../src/judge/client/hidden-server.ts';
import type { Play } from '../../src/judge/client/scene.ts';
import { headOf, Visit } from '../../src/judge/client/visit.ts';
import type { Received } from '../../src/judge/client/visit.ts';
import type { ClientEvents, HiddenRequest } from '../../src/judge/index.ts';
import { survey } from '../../src/judge/server/survey.ts';
import { Peer } from './peer.ts';
import { inMadeTime, NotingLedger, revisionOf, shortened } from './probing.ts';
import { unreachable } from './unreachable.ts';
import { modernMeta } from './watching.ts';

// One visit of a client to a hidden server; the plain hidden server; and the bench of the probes.

interface Made {
  readonly visit: Visit;
  readonly clock: ReturnType<typeof manualClock>;
  readonly ledger: NotingLedger;
  readonly written: (string | Uint8Array)[];
  readonly served: Received[];
  readonly events: ClientEvents;
  end(how: string): void;
  readonly stopped: () => number;
}

async function made(version: string, way: 'pipe' | 'http' = 'pipe', serves: (visit: Visit, message: Received) => void = () => {}, bytes = true): Promise<Made> {
  const clock = manualClock();
  const ledger = new NotingLedger('client');
  const [written, served]: [(string | Uint8Array)[], Received[]] = [[], []];
  let events: ClientEvents = unreachable;
  let [end, stops] = [(_how: string): void => {}, 0];
  const visit = new Visit({ number: 3, way, revision: revisionOf(version), ledger, clock, seed: 1, answerMs: 100, watch() {}, watchHttp() {}, serveHttp: () => false, serve: (one, message) => {
    served.push(message);
    serves(one, message);
  } });
  await visit.stop();
  await visit.start({ name: 'c', ways: ['pipe'], async start(_way, given) {
    events = given;
    return { ended: new Promise<string>((resolve) => (end = resolve)), url: 'http://u/', write: (text) => void written.push(text), ...bytes && { writeBytes: (data: Uint8Array) => void written.push(data) }, stop: async () => void stops++ };
  } }, { stays: true });
  return { visit, clock, ledger, written, served, events, end: (how) => end(how), stopped: () => stops };
}

function requestOf(number: number, more: Partial<HiddenRequest> = {}): { readonly request: HiddenRequest; readonly said: string[] } {
  const said: string[] = [];
  return {
    said, request: {
      number, method: 'POST', path: '/mcp', headers: {}, body: '', utf8: true, respond: (status, headers, body = '') => void said.push(`${status} ${JSON.stringify(headers)} ${body}`),
      stream: (headers) => (said.push(`stream ${JSON.stringify(headers)}`), { write: (text) => void said.push(text), end: () => void said.push('end'), cut: () => void said.push('cut') }), ...more,
    },
  };
}

test('judge: a visit takes the messages of a client, and answers each request once', async () => {
  const { visit, written, served, events, ledger, stopped, end } = await made('2025-11-25');
  events.line('{"id":1,"method":"initialize","params":{"capabilities":{"roots":{}}}}');
  events.line('[{"id":2,"method":"a"},7]');
  events.line('[]');
  events.line('text');
  events.line('{"method":5,"params":[]}');
  assert.deepEqual(served.map(({ method, id, params, batch, place, json }) => [method, id, params, batch, place, typeof json]), [
    ['initialize', 1, { capabilities: { roots: {} } }, false, 0, 'object'], ['a', 2, {}, true, 1, 'object'], [undefined, undefined, {}, true, 2, 'number'], [undefined, undefined, {}, false, 3, 'object'], [undefined, undefined, {}, false, 4, 'undefined'], [undefined, undefined, {}, false, 5, 'object'],
  ]);
  assert.deepEqual([visit.declared, visit.modern, visit.url, visit.sessionStart()], [{ roots: {} }, false, 'http://u/', 0]);
  const [first = assert.fail()] = served;
  visit.reply(first, { result: { a: 1 } });
  visit.reply(first, { result: { a: 2 } });
  visit.say({ method: 'notifications/x' }, undefined);
  visit.say('raw', first);
  assert.deepEqual([written, first.answered], [['{"jsonrpc":"2.0","id":1,"result":{"a":1}}\n', '{"jsonrpc":"2.0","method":"notifications/x"}\n', 'raw\n'], true]);
  assert.equal(visit.open(first), undefined);
  events.unreadable('bad');
  visit.check(['base-61', 'base-65'], true, '', 'x');
  visit.checkIn('2026-07-28', 'discover-4', true, '', 'x');
  visit.checkIn('2026-07-28', 'discover-4', false, 'E', first);
  visit.dispute('base-65', 'E', 'came', 'sent');
  assert.deepEqual(ledger.lines, ['base-61 base-65 discover-4', '-base-60: text in UTF-8 <- bad (raw)', '-discover-4: E <- {"id":1,"method":"initialize","params":{"capabilities":{"roots":{}}}} (raw)', '?base-65: E <- came (sent)']);
  events.left('input');
  events.left('signal');
  end('ended');
  await new Promise<void>((resolve) => setImmediate(resolve));
  await visit.stop();
  assert.deepEqual([visit.leavings, visit.ended, stopped()], [['input', 'signal'], 'ended', 1]);
  events.line('{"id":9,"method":"initialize"}');
  assert.deepEqual([visit.sessionStart(), visit.declared], [6, { roots: {} }]);
  for (let at = 0; at < 5_000; at++) events.line('{"id":9,"method":"x"}');
  assert.deepEqual([visit.messages.length, served.length], [5_000, 5_000]);
  visit.check('base-61', false, 'E', 'x');
  assert.equal(ledger.judgements([], () => '').find(({ rule }) => rule.id === 'base-61')?.evidence[0]?.entries.length, 400);
  const many = await made('2025-11-25');
  many.events.line(JSON.stringify(Array.from({ length: 201 }, () => ({}))));
  assert.equal(many.served.length, 200);
});

test('judge: a visit knows what a client declares in its requests of 2026-07-28', async () => {
  const { visit, events } = await made('2026-07-28');
  const declared = (meta: object): unknown => (events.line(JSON.stringify({ id: 1, method: 'tools/list', params: { _meta: meta } })), visit.declared);
  assert.deepEqual(declared({ ...modernMeta, 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } }), { sampling: {} });
  assert.deepEqual([declared({ 'io.modelcontextprotocol/clientCapabilities': {} }), declared({ ...modernMeta, 'io.modelcontextprotocol/clientCapabilities': 'x' })], [{ sampling: {} }, { sampling: {} }]);
  assert.equal(visit.modern, true);
});

test('judge: a visit asks the client, and waits no longer than it says', async () => {
  const { visit, clock, written, events, end } = await made('2025-11-25');
  const [one, two] = [visit.ask('ping', undefined, undefined), visit.ask('roots/list', { a: 1 }, undefined)];
  assert.deepEqual([written, [...visit.waiting]], [['{"jsonrpc":"2.0","id":"hidden-1","method":"ping"}\n', '{"jsonrpc":"2.0","id":"hidden-2","method":"roots/list","params":{"a":1}}\n'], ['hidden-1', 'hidden-2']]);
  events.line('{"id":"hidden-1","method":"ping"}');
  events.line('{"id":"other","result":{}}');
  events.line('{"id":"hidden-1","result":{}}');
  assert.equal((await one)?.text, '{"id":"hidden-1","result":{}}');
  clock.tick(99);
  assert.deepEqual([...visit.waiting], ['hidden-2']);
  clock.tick(100);
  assert.deepEqual([await two, visit.waiting.size, clock.waiting], [undefined, 0, 0]);
  assert.deepEqual([visit.question('hidden-2')?.method, visit.question('x'), visit.question(null)], ['roots/list', undefined, undefined]);
  let holds = false;
  assert.equal(await visit.until(() => true, 5), true);
  const waits = [visit.until(() => holds, 50), visit.until(() => holds, 5_000)];
  clock.tick(150);
  assert.equal(await waits[0], false);
  holds = true;
  events.line('{}');
  assert.equal(await waits[1], true);
  holds = false;
  const last = visit.until(() => holds, 5_000);
  end('it ended');
  assert.deepEqual([await last, await visit.until(() => holds, 5_000), clock.waiting], [false, false, 0]);
});

test('judge: bytes of a visit go over a pipe unchanged', async () => {
  for (const able of [true, false]) {
    const { visit, written } = await made('2025-11-25', 'pipe', undefined, able);
    const bytes = new Uint8Array([0x61, 0xff]);
    assert.deepEqual([visit.sayData(bytes, undefined), visit.sayData('text', undefined), written], ['a\ufffd', 'text', [...able ? [bytes] : [], '\n', 'text\n']]);
    assert.deepEqual(visit.entries.map((entry) => (entry.kind === undefined ? entry.text : '')), ['a\ufffd', 'text']);
  }
});

test('judge: over HTTP a visit answers in the body or on the stream of the request', async () => {
  const { visit, served, events } = await made('2025-11-25', 'http');
  const plain = requestOf(1, { body: '{"id":1,"method":"a"}', headers: { authorization: 'x', accept: 'y' } });
  events.request(plain.request);
  visit.reply(served[0] ?? assert.fail(), { result: {} }, { status: 201, headers: { a: 'b' } });
  assert.deepEqual(plain.said, ['201 {"content-type":"application/json","a":"b"} {"jsonrpc":"2.0","id":1,"result":{}}']);
  const streamed = requestOf(2, { body: '{"id":2,"method":"a"}' });
  events.request(streamed.request);
  const message = served[1] ?? assert.fail();
  assert.equal(visit.open(message, { c: 'd' }), visit.open(message));
  visit.say({ method: 'notifications/x' }, message);
  visit.event(visit.open(message) ?? assert.fail(), 'two\nlines', streamed.request, 'e1');
  visit.reply(message, { result: {} });
  assert.deepEqual(streamed.said, [
    'stream {"content-type":"text/event-stream","cache-control":"no-cache","c":"d"}', 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\n\n', 'id: e1\nevent: message\ndata: two\ndata: lines\n\n', 'event: message\ndata: {"jsonrpc":"2.0","id":2,"result":{}}\n\n', 'end',
  ]);
  const other = requestOf(3, { method: 'GET', utf8: false });
  events.request(other.request);
  assert.deepEqual([served.length, visit.requests.length, visit.messages.length], [2, 3, 2]);
  assert.deepEqual(visit.entries.map((entry) => (entry.kind === 'http' ? `${entry.direction} ${entry.exchange} ${entry.method} ${entry.path} ${entry.status ?? ''} ${JSON.stringify(entry.headers)}` : entry.kind === 'event' ? '' : `${entry.direction} ${entry.exchange} ${entry.text}`)), [
    'received 1 POST /mcp  {"authorization":"[redacted]","accept":"y"}', 'received 1 {"id":1,"method":"a"}', 'sent 1 POST /mcp 201 {"content-type":"application/json","a":"b"}', 'sent 1 {"jsonrpc":"2.0","id":1,"result":{}}',
    'received 2 POST /mcp  {}', 'received 2 {"id":2,"method":"a"}', 'sent 2 POST /mcp 200 {"content-type":"text/event-stream","cache-control":"no-cache","c":"d"}', 'sent 2 {"jsonrpc":"2.0","method":"notifications/x"}', 'sent 2 two\nlines', 'sent 2 {"jsonrpc":"2.0","id":2,"result":{}}', 'received 3 GET /mcp  {}',
  ]);
  assert.equal(headOf(requestOf(1, { headers: { cookie: 'x', host: 'h' }, body: 'B' }).request), 'POST /mcp\ncookie: [redacted]\nhost: h\n\nB');
  assert.equal(headOf(requestOf(1).request), 'POST /mcp');
  // From here on everything goes over one stream.
  const sse = requestOf(4);
  visit.over(visit.stream(sse.request), sse.request);
  visit.posted('{"id":7,"method":"b"}');
  visit.reply(served[2] ?? assert.fail(), { result: {} });
  assert.equal(sse.said[1], 'event: message\ndata: {"jsonrpc":"2.0","id":7,"result":{}}\n\n');
});

test('judge: the headers of a client, without credentials; which values need Base64, and what Base64 says', () => {
  assert.deepEqual(harmless({ accept: 'a', 'mcp-param-x': 'b', authorization: 'c', 'x-mcp': 'd', 'last-event-id': 'e', cookie: 'f' }), { accept: 'a', 'mcp-param-x': 'b', authorization: '[redacted]', 'x-mcp': '[redacted]', 'last-event-id': 'e', cookie: '[redacted]' });
  assert.deepEqual(['plain', 'a b', 'tab\there', ' a', 'a ', 'ä', '\x7f', 'a\nb', '=?base64?x?=', '=?base64?x', 'x?=', '=?BASE64?x?=', ''].map(needsEncoding), [undefined, undefined, undefined, 'unsafe', 'unsafe', 'unsafe', 'unsafe', 'unsafe', 'sentinel', undefined, undefined, undefined, undefined]);
  assert.deepEqual(['plain', '=?base64?YQ==?=', '=?base64?YQ?=', '=?base64?%?=', '=?base64?/w==?=', '=?base64?YQ', '=?base64??=', '=?base64?YQ===?='].map(decodeHeader), ['plain', 'a', 'a', undefined, undefined, '=?base64?YQ', '', undefined]);
  assert.deepEqual(['=?base64?x?=', '=?BASE64?x?=', '=?base64?x', 'x'].map(isMarked), [true, true, false, false]);
});

test('judge: the plain hidden server answers as its revision demands', async () => {
  const says = async (version: string, way: 'pipe' | 'http', body: string, more: Partial<HiddenRequest> = {}, session?: string): Promise<string> => {
    let ready: Play = unreachable;
    const { visit, events, written } = await made(version, way, (_visit, message) => serve(ready, message));
    ready = { visit, offer: plainOffer(visit.revision), notes: new Map(), usual: new Set(), called: new Set(), serve: (message) => serve(ready, message) };
    visit.session = session;
    if (way === 'pipe') events.line(body);
    else {
      const { request, said } = requestOf(1, { body, ...more });
      if (!serveHttp(ready, request)) events.request(request);
      return said.join('|');
    }
    return written.join('|');
  };
  const meta = { _meta: modernMeta };
  const ask = (method: string, params: object = {}): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const lines: string[] = [];
  for (const [version, way, body, more, session] of [
    ['2025-11-25', 'pipe', 'text'], ['2025-11-25', 'http', 'text'], ['2025-11-25', 'http', ' '], ['2025-11-25', 'http', '[5]'], ['2025-11-25', 'pipe', '{"method":"x"}'], ['2025-11-25', 'http', '{"method":"x"}'], ['2025-11-25', 'http', '{"id":1,"result":{}}'], ['2025-11-25', 'http', '[{"method":"x"},{"method":"y"}]'], ['2025-11-25', 'http', '[{"method":"x"},{"id":1,"method":"ping"}]'],
    ['2025-11-25', 'pipe', ask('initialize')], ['2025-11-25', 'http', ask('initialize'), {}, 's'], ['2024-11-05', 'pipe', ask('initialize')], ['2025-11-25', 'pipe', ask('server/discover')], ['2025-11-25', 'http', ask('tools/list', meta)], ['2025-11-25', 'pipe', ask('tools/list', meta)],
    ['2025-11-25', 'pipe', ask('ping')], ['2025-11-25', 'pipe', ask('prompts/get')], ['2025-11-25', 'pipe', ask('completion/complete')], ['2025-11-25', 'pipe', ask('resources/read', { uri: 'u' })], ['2025-11-25', 'pipe', ask('resources/templates/list')], ['2025-11-25', 'pipe', ask('other')], ['2025-11-25', 'http', ask('other')],
    ['2026-07-28', 'pipe', ask('initialize', { protocolVersion: '2025-06-18' })], ['2026-07-28', 'pipe', ask('initialize', { ...meta })], ['2026-07-28', 'http', ask('tools/list')], ['2026-07-28', 'http', ask('server/discover', meta)], ['2026-07-28', 'http', ask('other', meta)], ['2026-07-28', 'pipe', ask('other', meta)],
    ['2026-07-28', 'pipe', ask('tools/list', { _meta: { ...modernMeta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } })], ['2026-07-28', 'pipe', ask('tools/call', { _meta: { 'io.modelcontextprotocol/clientInfo': {} } })], ['2026-07-28', 'pipe', ask('subscriptions/listen', meta)], ['2026-07-28', 'pipe', ask('ping', meta)],
    ['2025-11-25', 'http', '', { method: 'GET' }], ['2025-11-25', 'http', '', { method: 'GET' }, 's'], ['2025-11-25', 'http', '', { method: 'GET', path: '/other' }], ['2025-11-25', 'http', '', { method: 'DELETE', path: '/mcp?x' }], ['2025-11-25', 'http', '', { method: 'DELETE' }, 's'], ['2026-07-28', 'http', '', { method: 'DELETE' }, 's'],
  ] as const) lines.push(shortened(await says(version, way, body, more, session)));
  assert.deepEqual(lines, linesOfPlain);
  assert.deepEqual(dressed(revisionOf('2026-07-28'), 'tools/call', { a: 1, _meta: { b: 2 } }), { resultType: 'complete', a: 1, _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'hidden-server', version: '1.0.0' }, b: 2 } });
  assert.deepEqual(dressed(revisionOf('2025-11-25'), 'tools/list', { a: 1 }), { a: 1 });
});

/** What it says to each of them. */
const linesOfPlain: readonly string[] = [
  '',
  '400 {"content-type":"application/json"} {"id":null,"error":{"code":-32700,"message":"Parse…',
  '400 {} ',
  '400 {"content-type":"application/json"} {"id":null,"error":{"code":-32700,"message":"Parse…',
  '',
  '202 {} ',
  '202 {} ',
  '202 {} ',
  '200 {"content-type":"application/json"} {"result":{}}',
  '{"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"promp…',
  '200 {"content-type":"application/json","mcp-session-id":"s"} {"result":{"protocolVersion":…',
  '{"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{},"resources":{},"promp…',
  '{"error":{"code":-32601,"message":"Method not found: server/discover"}} ',
  '400 {"content-type":"application/json"} {"error":{"code":-32601,"message":"Method not foun…',
  '{"error":{"code":-32601,"message":"Method not found: tools/list"}} ',
  '{"result":{}} ',
  '{"result":{"messages":[{"role":"user","content":{"type":"text","text":"Say hello."}}]}} ',
  '{"result":{"completion":{"values":[],"hasMore":false}}} ',
  '{"result":{"contents":[{"uri":"u","mimeType":"text/plain","text":"a note"}]}} ',
  '{"result":{"resourceTemplates":[{"uriTemplate":"hidden://city/{name}","name":"city"}]}} ',
  '{"error":{"code":-32601,"message":"Method not found: other"}} ',
  '200 {"content-type":"application/json"} {"error":{"code":-32601,"message":"Method not foun…',
  '{"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["202…',
  '{"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["202…',
  '400 {"content-type":"application/json"} {"error":{"code":-32022,"message":"Unsupported pro…',
  '200 {"content-type":"application/json"} {"result":{"resultType":"complete","ttlMs":0,"cach…',
  '404 {"content-type":"application/json"} {"error":{"code":-32601,"message":"Method not foun…',
  '{"error":{"code":-32601,"message":"Method not found: other"}} ',
  '{"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["202…',
  '{"result":{"resultType":"complete","content":[{"type":"text","text":"five"}],"_meta":{"io.…',
  '{"method":"notifications/subscriptions/acknowledged","params":{"notifications":{},"_meta":…',
  '{"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"…',
  '405 {"allow":"POST"} ',
  '405 {"allow":"POST"} ',
  '404 {} ',
  '405 {"allow":"POST"} ',
  '200 {} ',
  '405 {"allow":"POST"} ',
];

/** What the survey of a server sends. */
async function surveyed(more: Partial<ConstructorParameters<typeof Peer>[0]>, options: ConstructorParameters<typeof Bench>[2], way: 'pipe' | 'http' = 'pipe', version = '2025-11-25'): Promise<string[]> {
  const clock = manualClock();
  const asks: string[] = [];
  const peer = new Peer({ versions: [version], clock, ...more, heard: ({ method, params }) => void asks.push(`${method} ${JSON.stringify(params['arguments'] ?? params['uri'] ?? params['cursor'] ?? '')}${String(params['name'] ?? '')}`) });
  const bench = new Bench(peer.server(way), new NotingLedger('server'), options, clock, { arrived() {}, replied() {} });
  await inMadeTime(clock, (async () => {
    const conversation = await bench.main(revisionOf(version));
    if (version === '2026-07-28') await conversation.ask('server/discover');
    asks.length = 0;
    const found = await survey(bench, conversation);
    asks.push(`${found.calls.map(({ tool, ms, between }) => `${String(tool['name'])} ${ms} ms ${between.length}`).join()}; ${found.reads.length} reads, ${found.prompts.map(({ arguments: given }) => JSON.stringify(given)).join()}`);
    await bench.close();
  })());
  return asks;
}

test('judge: the survey of a server uses what is declared and permitted, once', async () => {
  const tools = ['add', 'slow', 'endless', 'ask'];
  const seen = [
    await surveyed({ tools }, { mayCall: () => true }), await surveyed({ tools }, {}), await surveyed({ tools }, {}, 'http'), await surveyed({ tools: ['add'] }, { mayCall: () => true, quick: true }, 'http', '2026-07-28'), await surveyed({ tools: ['endless'] }, { mayCall: () => true, quick: true }, 'pipe', '2026-07-28'), await surveyed({ tools: ['ask'] }, { mayCall: () => true }, 'pipe', '2026-07-28'),
    await surveyed({ tools, capabilities: {} }, { mayCall: () => true }), await surveyed({ tools, capabilities: { tools: {} }, pageSize: 3 }, { mayCall: () => false }), await surveyed({ tools: ['log'], capabilities: { tools: {}, logging: {} } }, { items: { slowTool: { name: 'log', arguments: { x: 1 } }, askingTool: { name: 'none' } }, mayCall: () => false }),
    await surveyed({ tools: [], prompts: [{ name: 'a', arguments: [{ name: 'b', required: true }, { name: 'c', required: false }] }, { name: 'd' }], resources: [{ uri: 5 }, { uri: 'e:f' }] }, { items: { resources: ['g:h'], prompts: [{ name: 'd', arguments: { n: 5 } }] } }),
    (await surveyed({ tools: Array.from({ length: 30 }, (_, at) => `t${at}`), resources: Array.from({ length: 15 }, (_, at) => ({ uri: `a:${at}` })), prompts: Array.from({ length: 15 }, (_, at) => ({ name: `p${at}` })) }, { mayCall: () => true })).slice(-1).map((line) => [line.split(' ms').length, line.split(';')[1]].join()),
    (await surveyed({ capabilities: { prompts: {} }, pageSize: 1, prompts: Array.from({ length: 30 }, (_, at) => ({ name: `p${at}` })) }, {})).filter((line) => line.startsWith('prompts/list')),
  ];
  assert.deepEqual(seen, linesOfSurveys);
});

/** What each of them sends, and what it has found. */
const linesOfSurveys: readonly (readonly string[])[] = [
  ['tools/list ""', 'resources/list ""', 'resources/templates/list ""', 'prompts/list ""', 'logging/setLevel ""', 'tools/call {"a":1,"b":1}add', 'tools/call {}slow', 'tools/call {}endless', 'notifications/cancelled ""', 'tools/call {}ask', 'resources/read "peer://note"', 'prompts/get {"who":"judge"}greet', 'add 0 ms 1,slow 1500 ms 1,endless 2500 ms 0,ask 0 ms 2; 1 reads, {"who":"judge"}'],
  ['tools/list ""', 'resources/list ""', 'resources/templates/list ""', 'prompts/list ""', 'logging/setLevel ""', 'tools/call {"a":1,"b":1}add', 'tools/call {}slow', 'tools/call {}endless', 'notifications/cancelled ""', 'tools/call {}ask', 'resources/read "peer://note"', 'prompts/get {"who":"judge"}greet', 'add 0 ms 1,slow 1500 ms 1,endless 2500 ms 0,ask 0 ms 2; 1 reads, {"who":"judge"}'],
  ['tools/list ""', 'resources/list ""', 'resources/templates/list ""', 'prompts/list ""', 'resources/read "peer://note"', 'prompts/get {"who":"judge"}greet', '; 1 reads, {"who":"judge"}'],
  ['tools/list ""', 'resources/list ""', 'resources/templates/list ""', 'prompts/list ""', 'subscriptions/listen ""', 'tools/call {"a":1,"b":1}add', 'resources/read "peer://note"', 'prompts/get {"who":"judge"}greet', 'add 0 ms 1; 1 reads, {"who":"judge"}'],
  ['tools/list ""', 'resources/list ""', 'resources/templates/list ""', 'prompts/list ""', 'subscriptions/listen ""', 'tools/call {}endless', 'notifications/cancelled ""', 'notifications/cancelled ""', 'resources/read "peer://note"', 'prompts/get {"who":"judge"}greet', 'endless 500 ms 0; 1 reads, {"who":"judge"}'],
  ['tools/list ""', 'resources/list ""', 'resources/templates/list ""', 'prompts/list ""', 'subscriptions/listen ""', 'tools/call {}ask', 'tools/call {}ask', 'notifications/cancelled ""', 'resources/read "peer://note"', 'prompts/get {"who":"judge"}greet', 'ask 0 ms 2; 1 reads, {"who":"judge"}'],
  ['; 0 reads, '],
  ['tools/list ""', 'tools/list "page-3"', '; 0 reads, '],
  ['tools/list ""', 'logging/setLevel ""', 'tools/call {"x":1}log', 'log 0 ms 2; 0 reads, '],
  ['tools/list ""', 'resources/list ""', 'resources/templates/list ""', 'prompts/list ""', 'logging/setLevel ""', 'resources/read "g:h"', 'resources/read "e:f"', 'prompts/get {"b":"judge"}a', 'prompts/get {"n":"5"}d', '; 2 reads, {"b":"judge"},{"n":"5"}'],
  ['25, 12 reads, {},{},{},{},{},{},{},{},{},{},{},{}'],
  ['prompts/list ""', 'prompts/list "page-1"', 'prompts/list "page-2"', 'prompts/list "page-3"', 'prompts/list "page-4"', 'prompts/list "page-5"', 'prompts/list "page-6"', 'prompts/list "page-7"', 'prompts/list "page-8"', 'prompts/list "page-9"', 'prompts/list "page-10"', 'prompts/list "page-11"', 'prompts/list "page-12"', 'prompts/list "page-13"', 'prompts/list "page-14"', 'prompts/list "page-15"', 'prompts/list "page-16"', 'prompts/list "page-17"', 'prompts/list "page-18"', 'prompts/list "page-19"'],
];

test('judge: a bench numbers its conversations, keeps the shared ones, and runs six probes side by side', async () => {
  const clock = manualClock();
  const peer = new Peer({ versions: ['2025-11-25'], clock });
  const bench = new Bench(peer.server('pipe'), new NotingLedger('server'), {}, clock, { arrived() {}, replied() {} });
  const [revision, old] = [revisionOf('2025-11-25'), revisionOf('2025-06-18')];
  bench.spoken = [revision];
  const numbers = [bench.begun(revision), bench.begun(old), bench.begun(revision), bench.beside(2).begun(revision), bench.beside(2).begun(old)].map(({ number }) => number);
  assert.deepEqual(numbers, [1, 1, 2, 201, 201]);
  assert.deepEqual([bench.kind, bench.callMs, new Bench(peer.server('http'), bench.ledger, { quick: true }, clock, { arrived() {}, replied() {} }).callMs, bench.beside(1).spoken], ['pipe', 2_500, 500, [revision]]);
  assert.equal(new Bench(peer.server('http'), bench.ledger, {}, clock, { arrived() {}, replied() {} }).kind, 'http');
  assert.equal(new Bench(peer.server('http'), bench.ledger, {}, clock, { arrived() {}, replied() {} }, true).kind, 'pipe');
  await inMadeTime(clock, (async () => {
    const main = await bench.main(revision);
    assert.deepEqual([await bench.main(revision) === main, await bench.beside(3).main(revision) === main, main.agreed], [true, true, true]);
    const own = await bench.raw(revision, { capabilities: { x: 1 } });
    assert.deepEqual([own.agreed, own.capabilities, (await bench.fresh(revision)).agreed], [false, { x: 1 }, true]);
    bench.keep(own);
    assert.deepEqual([await bench.main(revision) === own, await bench.beside(4).main(revision) === own], [true, true]);
    assert.equal(bench.survey(revision), bench.survey(revision));
    await bench.survey(revision).catch(() => undefined);
  })());
  let [running, most, done] = [0, 0, 0];
  const ends: (() => void)[] = [];
  const all = Array.from({ length: 9 }, () => bench.whenFree(async () => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => ends.push(resolve));
    running--;
    done++;
  }));
  for (let at = 0; at < 9; at++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    ends.shift()?.();
  }
  await Promise.all(all);
  assert.deepEqual([most, done], [6, 9]);
  assert.throws(() => new Bench({ name: 'x' }, bench.ledger, {}, clock, { arrived() {}, replied() {} }).begun(revision), { message: 'judgeServer: server has neither open nor http' });
});
