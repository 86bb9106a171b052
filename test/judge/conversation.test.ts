import assert from 'node:assert/strict';
import test from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import type { ManualClock } from '../../src/bounds/manual-clock.ts';
import type { ByteCarrier, CarrierEvents, CarrierReply, HttpAbout } from '../../src/judge/carrier.ts';
import { JudgedConversation } from '../../src/judge/conversation.ts';
import type { Arrival } from '../../src/judge/conversation.ts';
import type { AnswerQuestion } from '../../src/judge/plain-conversation.ts';
import { transportCarrier } from '../../src/judge/transport-carrier.ts';
import { unreachable } from './unreachable.ts';
import { NotingLedger, revisionOf } from './probing.ts';

// One conversation of the judge with a server: what it sends, what it takes for the answer, and what it reports.

interface World {
  readonly clock: ManualClock;
  readonly conversation: JudgedConversation;
  readonly events: CarrierEvents;
  readonly ledger: NotingLedger;
  readonly sent: { readonly text: string | undefined; readonly about: HttpAbout | undefined }[];
  readonly arrivals: Arrival[];
  readonly replied: (string | undefined)[];
  readonly abandoned: unknown[];
  /** A message of the server. */
  come(message: object | string, more?: object): void;
}

function world({ version = '2025-11-25', kind = 'pipe', question = () => undefined, send }: { readonly version?: string; readonly kind?: 'pipe' | 'http'; readonly question?: AnswerQuestion; readonly send?: (text: string | undefined) => Promise<CarrierReply | undefined> } = {}): World {
  const clock = manualClock();
  const ledger = new NotingLedger('server');
  const [sent, arrivals, replied, abandoned]: [World['sent'], Arrival[], (string | undefined)[], unknown[]] = [[], [], [], []];
  let events: CarrierEvents = unreachable;
  const carry = (given: CarrierEvents): ByteCarrier => {
    events = given;
    return {
      kind, async open() {}, abandon: (id) => void abandoned.push(id), close: () => Promise.resolve(3),
      send(text, about) {
        sent.push({ text, about });
        if (text !== undefined) events.entry({ direction: 'sent', text, at: 0, exchange: sent.length });
        return send?.(text) ?? Promise.resolve(undefined);
      },
    };
  };
  const conversation = new JudgedConversation({
    number: 4, revision: revisionOf(version), capabilities: { roots: {} }, clock, ledger, answerMs: 100, startMs: 1_000, question, stdio: kind === 'pipe', carry,
    watcher: { arrived: (_one, arrival) => void arrivals.push(arrival), replied: (_one, _reply, asked) => void replied.push(asked) },
  });
  return { clock, conversation, events, ledger, sent, arrivals, replied, abandoned, come: (message, more = {}) => events.entry({ direction: 'received', text: typeof message === 'string' ? message : JSON.stringify(message), at: 0, ...more }) };
}

const reply = (more: Partial<CarrierReply> = {}): CarrierReply => ({ exchange: 1, method: 'POST', status: 200, headers: {}, stream: false, body: '', utf8: true, ended: Promise.resolve(true), cancel() {}, ...more });
const result = (id: unknown, one: unknown = {}): object => ({ jsonrpc: '2.0', id, result: one });

test('judge: a conversation takes the first response with the id of a request', async () => {
  const { conversation, come, sent, arrivals } = world();
  const asked: unknown[] = [];
  const going = conversation.ask('tools/list', { cursor: 'x' }, { onSent: ({ id, method }) => asked.push(id, method) });
  assert.deepEqual([sent.map(({ text }) => text), asked], [['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}'], [1, 'tools/list']]);
  come(result('1'));
  come(result(2));
  come({ jsonrpc: '2.0', id: 1, method: 'ping' });
  come(result(1, { tools: [] }));
  come(result(1, { tools: ['second'] }));
  const answer = await going;
  assert.deepEqual([answer.kind, answer.result, answer.came, answer.arrival === arrivals[3], answer.asked.done, answer.reply], ['result', { tools: [] }, '{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}', true, true, undefined]);
  assert.deepEqual(arrivals.map(({ answers, at }) => [answers?.id, at]), [[undefined, 1], [undefined, 2], [undefined, 3], [1, 4], [1, 5]]);
  const failed = conversation.ask('ping');
  come({ jsonrpc: '2.0', id: 2, error: { code: 5, message: 'm', data: 'd' } });
  const { kind, code, message, data, result: none } = await failed;
  assert.deepEqual([kind, code, message, data, none], ['error', 5, 'm', 'd', {}]);
  const odd = conversation.ask('ping');
  come(result(3, 'x'));
  assert.deepEqual([(await odd).kind, (await odd).result], ['result', {}]);
  assert.deepEqual([conversation.nextToken(), conversation.nextToken(), conversation.nextId()], ['judge-1', 'judge-2', 4]);
});

test('judge: a conversation waits longer for the first message, and no longer for an answer than it says', async () => {
  const { conversation, clock, come, abandoned } = world();
  const first = conversation.ask('ping');
  clock.tick(999);
  assert.deepEqual(abandoned, []);
  clock.tick(1_000);
  assert.deepEqual([(await first).kind, (await first).came, abandoned], ['silent', 'no answer in time', [1]]);
  const second = conversation.ask('ping');
  clock.tick(1_100);
  assert.equal((await second).kind, 'silent');
  const third = conversation.ask('ping', {}, { timeoutMs: 500, id: 'x' });
  clock.tick(1_599);
  come(result('x'));
  assert.equal((await third).kind, 'result');
  const other = world();
  other.come({ jsonrpc: '2.0', method: 'notifications/x' });
  const quick = other.conversation.ask('ping');
  other.clock.tick(100);
  assert.equal((await quick).kind, 'silent');
  assert.equal(clock.waiting + other.clock.waiting, 0);
});

test('judge: a conversation ends its requests when the peer is gone, when one fails, and when it is closed', async () => {
  const one = world();
  const going = [one.conversation.ask('ping'), one.conversation.ask('ping')];
  one.events.failed(2, 'refused');
  assert.deepEqual([(await going[1])?.kind, (await going[1])?.came], ['failed', 'refused']);
  const waits = one.conversation.until(() => false, 10_000);
  one.events.gone('it died');
  assert.deepEqual([(await going[0])?.came, await waits, one.conversation.gone, (await one.conversation.ask('ping')).came, one.sent.length], ['it died', undefined, 'it died', 'it died', 2]);
  const two = world();
  const left = two.conversation.ask('ping');
  assert.equal(two.conversation.close(), two.conversation.close());
  assert.deepEqual([await two.conversation.close(), (await left).came], [3, 'the conversation was closed']);
  const three = world({ send: () => Promise.reject(new Error('not sent')) });
  assert.deepEqual([(await three.conversation.ask('ping')).came, await three.conversation.tell('x'), await three.conversation.bare('GET')], ['not sent', undefined, undefined]);
});

test('judge: a conversation answers questions, takes batches apart, and knows texts that are not messages', () => {
  const { come, sent, arrivals } = world({ question: (method, params) => (method === 'roots/list' ? { result: params } : undefined) });
  come([{ jsonrpc: '2.0', id: 'a', method: 'roots/list', params: { x: 1 } }, { jsonrpc: '2.0', method: 'roots/list' }, { jsonrpc: '2.0', id: 'b', method: 'roots/list', params: [] }, { jsonrpc: '2.0', id: 'c', method: 'other' }]);
  come('[]');
  come('no message');
  come('5');
  assert.deepEqual(sent.map(({ text }) => text), ['{"jsonrpc":"2.0","id":"a","result":{"x":1}}', '{"jsonrpc":"2.0","id":"b","result":{}}']);
  assert.deepEqual(arrivals.map(({ batch, json }) => [batch, typeof json]), [[true, 'object'], [true, 'object'], [true, 'object'], [true, 'object'], [false, 'object'], [false, 'undefined'], [false, 'number']]);
  const many = world();
  many.come(JSON.stringify(Array.from({ length: 1_001 }, () => ({}))));
  assert.equal(many.arrivals.length, 1_000);
});

test('judge: a conversation finds the arrival that it waits for, also among earlier ones', async () => {
  const { conversation, come, clock } = world();
  const named = (method: string) => ({ json }: Arrival): boolean => (json as { method?: unknown }).method === method;
  come({ method: 'a' });
  assert.equal((await conversation.until(named('a'), 50))?.text, '{"method":"a"}');
  const [late, never] = [conversation.until(named('a'), 50, 1), conversation.until(named('b'), 50)];
  come({ method: 'c' });
  come({ method: 'a', second: true });
  assert.equal((await late)?.text, '{"method":"a","second":true}');
  clock.tick(50);
  assert.equal(await never, undefined);
  assert.equal(clock.waiting, 0);
});

test('judge: reports are held until it is known whether the peer speaks the revision', async () => {
  const { conversation, ledger, come } = world();
  conversation.hold();
  conversation.check(['ping-1', 'base-59'], true, '', 'x');
  conversation.check('ping-1', false, 'expected', 'came', 'sent');
  conversation.dispute('base-59', 'other', 'came');
  assert.deepEqual(ledger.lines, []);
  conversation.release(true);
  assert.deepEqual(ledger.lines, ['ping-1 base-59', '-ping-1: expected <- came (sent)', '?base-59: other <- came']);
  conversation.hold();
  conversation.check('ping-1', true, '', 'x');
  conversation.release(false);
  assert.equal(ledger.said.length, 4);
  // The evidence: an answer, an arrival, with what was sent.
  const going = conversation.ask('tools/list');
  come(result(1));
  const answer = await going;
  for (const [about, sent] of [[answer, undefined], [answer, 'other'], [answer.arrival ?? assert.fail(), undefined], [answer.arrival ?? assert.fail(), 'other']] as const) conversation.check('ping-1', false, 'E', about, sent);
  assert.deepEqual(ledger.lines.slice(3), ['-ping-1×2: E <- {"result":{}} (tools/list)', '-ping-1×2: E <- {"result":{}} (other)']);
  const [evidence] = ledger.judgements([], () => '').find(({ rule }) => rule.id === 'ping-1')?.evidence ?? [];
  assert.deepEqual([evidence?.conversation, evidence?.revision, evidence?.entries.length], [4, '2025-11-25', 0]);
});

test('judge: evidence has the last 400 entries; base-60 is broken by bytes that are not UTF-8', () => {
  const { conversation, ledger, come, events } = world();
  for (let at = 0; at < 401; at++) come({ at });
  conversation.check('ping-1', false, 'E', 'C');
  const [evidence] = ledger.judgements([], () => '').find(({ rule }) => rule.id === 'ping-1')?.evidence ?? [];
  assert.deepEqual([evidence?.entries.length, evidence?.entries[0]], [400, { direction: 'received', text: '{"at":1}', at: 0 }]);
  events.unreadable('bad bytes');
  assert.equal(ledger.lines.at(-1), '-base-60: text in UTF-8 <- bad bytes');
});

test('judge: requests in texts that were sent unchanged are known by their ids', () => {
  const { conversation, come, arrivals } = world();
  for (const text of ['[{"id":1,"method":"a"},{"id":"b","method":"c","params":{"x":1}},{"id":5,"result":{}},{"id":6,"error":{}},{"id":null,"method":"d"},7]', '{"id":71,"method":"pi', '{"id":"text","method":', 'no id', '{"id":{},"method":"x"}']) void conversation.sendText(text);
  assert.deepEqual(conversation.asked.map(({ id, method, params, done }) => [id, method, params, done]), [[1, 'a', {}, false], ['b', 'c', { x: 1 }, false], [71, 'undefined', {}, false], ['text', 'undefined', {}, false]]);
  come(result('text'));
  assert.equal(arrivals[0]?.answers?.id, 'text');
});

test('judge: over HTTP a conversation sends the headers of its revision, its session, and what it is told', async () => {
  const legacy = world({ kind: 'http' });
  const headersOf = ({ sent }: World): unknown => sent.at(-1)?.about?.headers;
  const plain = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  void legacy.conversation.ask('tools/call', { name: 'x' });
  assert.deepEqual(headersOf(legacy), plain);
  legacy.conversation.agreed = true;
  legacy.conversation.session = 's';
  void legacy.conversation.ask('ping', {}, { headers: { accept: undefined }, method: 'PUT', url: '/other' });
  assert.deepEqual(legacy.sent.at(-1)?.about, { headers: { ...plain, 'mcp-session-id': 's', 'mcp-protocol-version': '2025-11-25', accept: undefined }, method: 'PUT', url: '/other' });
  void legacy.conversation.tell('notifications/x');
  assert.deepEqual([headersOf(legacy), legacy.sent.at(-1)?.text], [{ ...plain, 'mcp-session-id': 's', 'mcp-protocol-version': '2025-11-25' }, '{"jsonrpc":"2.0","method":"notifications/x"}']);
  void legacy.conversation.bare('GET', { accept: 'x' }, '/y');
  assert.deepEqual(legacy.sent.at(-1), { text: undefined, about: { method: 'GET', headers: { 'mcp-session-id': 's', 'mcp-protocol-version': '2025-11-25', accept: 'x' }, url: '/y' } });
  const early = world({ kind: 'http', version: '2025-03-26' });
  early.conversation.agreed = true;
  void early.conversation.ask('ping');
  assert.deepEqual(headersOf(early), plain);
  const modern = world({ kind: 'http', version: '2026-07-28' });
  void modern.conversation.ask('tools/call', { name: 'größe' }, { meta: { x: 1, 'io.modelcontextprotocol/clientInfo': undefined } });
  assert.deepEqual(headersOf(modern), { ...plain, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': '=?base64?Z3LDtsOfZQ==?=' });
  assert.deepEqual(JSON.parse(modern.sent[0]?.text ?? ''), { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'größe', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': { roots: {} }, x: 1 } } });
  void modern.conversation.tell('notifications/x', { y: 1 });
  assert.deepEqual([headersOf(modern), modern.sent.at(-1)?.text], [{ ...plain, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'notifications/x' }, '{"jsonrpc":"2.0","method":"notifications/x","params":{"y":1}}']);
  void modern.conversation.ask('tools/list');
  assert.equal((headersOf(modern) as { 'mcp-name'?: unknown })['mcp-name'], undefined);
  const pipe = world({ version: '2026-07-28' });
  void pipe.conversation.ask('ping');
  assert.deepEqual(headersOf(pipe), { ...plain, 'mcp-protocol-version': '2026-07-28' });
});

test('judge: over HTTP a response without a message, an error without an id, and the end of a stream are answers', async () => {
  const body = world({ kind: 'http', send: () => Promise.resolve(reply({ status: 500, body: 'no' })) });
  assert.deepEqual([(await body.conversation.ask('ping')).came, body.replied], ['HTTP 500 no', ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}']]);
  const empty = world({ kind: 'http', send: () => Promise.resolve(reply({ status: 204 })) });
  assert.deepEqual([(await empty.conversation.ask('ping')).came, (await empty.conversation.ask('ping')).kind], ['HTTP 204 without a body', 'failed']);
  const loose = world({ kind: 'http', send: async () => {
    loose.come({ jsonrpc: '2.0', id: null, error: { code: 7, message: 'm' } }, { exchange: 1 });
    return reply({ status: 400, body: 'x' });
  } });
  assert.deepEqual([(await loose.conversation.ask('ping')).code, (await loose.conversation.ask('ping')).came], [7, '{"jsonrpc":"2.0","id":null,"error":{"code":7,"message":"m"}}']);
  const stream = world({ kind: 'http', send: () => Promise.resolve(reply({ stream: true })) });
  const ended = await stream.conversation.ask('ping');
  assert.deepEqual([ended.kind, ended.came, ended.reply?.stream], ['failed', 'HTTP 200, and the stream ended without an answer', true]);
  let cancelled = 0;
  const open = world({ kind: 'http', send: () => Promise.resolve(reply({ stream: true, ended: new Promise(() => {}), cancel: () => void cancelled++ })) });
  const going = open.conversation.ask('ping');
  await new Promise<void>((resolve) => setImmediate(resolve));
  open.clock.tick(1_000);
  assert.deepEqual([(await going).kind, (await going).came, cancelled], ['silent', 'HTTP 200, and no answer in time', 1]);
});

test('judge: over HTTP messages of a stream that was resumed may be repetitions', () => {
  const { come, events, arrivals, conversation } = world({ kind: 'http' });
  const head = (exchange: number, method: string, headers: Readonly<Record<string, string>>, direction: 'sent' | 'received' = 'sent') => events.entry({ kind: 'http', direction, exchange, method, path: '/', headers, at: 0 });
  head(5, 'GET', { 'last-event-id': 'a' });
  head(6, 'POST', { 'last-event-id': 'a' });
  head(7, 'GET', {});
  head(8, 'GET', { 'last-event-id': 'a' }, 'received');
  for (const exchange of [5, 6, 7, 8, undefined]) come({ method: 'x' }, exchange === undefined ? {} : { exchange });
  assert.deepEqual(arrivals.map(({ replayed }) => replayed), [true, false, false, false, false]);
  events.entry({ kind: 'event', direction: 'received', exchange: 5, event: {}, data: '{}', at: 0 });
  assert.equal(arrivals.length, 5);
  assert.equal(conversation.entries.length, 10);
});

test('judge: the capabilities of the peer are those of its last result of initialize or server/discover', async () => {
  for (const method of ['initialize', 'server/discover', 'other']) {
    const { conversation, come } = world();
    void conversation.ask(method);
    come(result(1, { capabilities: { tools: {} } }));
    come(result(1, { capabilities: 'x' }));
    assert.deepEqual(conversation.offered, method === 'other' ? {} : { tools: {} });
  }
});

test('judge: of the refusals of a transport, those about bytes are unreadable', async () => {
  const told: string[] = [];
  const note = (word: string) => (...values: unknown[]): void => void told.push([word, ...values].join(' '));
  let receiver: Parameters<ReturnType<Parameters<typeof transportCarrier>[0]>['open']>[0] = unreachable;
  const clock = manualClock();
  const carrier = transportCarrier(() => ({
    kind: 'pipe', open: async (given) => void (receiver = given), send: note('send'), abandon: note('abandon'), agreed: note('agreed'), close: async () => void clock.tick(5),
  }), clock, { entry() {}, unreadable: note('unreadable'), failed: note('failed'), gone: note('gone') });
  await carrier.open();
  const refusal = (message: string, id: null | number = null): void => receiver.message({ kind: 'refusal', id, error: { code: -32700, message } } as never);
  refusal('not UTF-8');
  refusal('a line that is too large');
  refusal('not JSON');
  refusal('not UTF-8', 5);
  receiver.failed(3, new Error('x'));
  receiver.closed('left');
  receiver.error(new Error('y'));
  assert.deepEqual([await carrier.send('text'), await carrier.send(undefined), await carrier.close()], [undefined, undefined, 5]);
  carrier.abandon?.(7);
  carrier.agreed?.(revisionOf('2025-11-25'));
  assert.deepEqual(told, ['unreadable not UTF-8', 'unreadable a line that is too large', 'failed 3 x', 'gone left', 'send text ', 'abandon 7', 'agreed [object Object]']);
});
