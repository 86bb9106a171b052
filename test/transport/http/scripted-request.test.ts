import assert from 'node:assert/strict';
import test from 'node:test';
import { mockClock } from '../../mock-clock.ts';
import { systemClock } from '../../../src/bounds/clock.ts';
import { openThingBytes, processBudget } from '../../../src/bounds/budget.ts';
import { decode } from '../../../src/jsonrpc/message.ts';
import { defaultConnectionLimits } from '../../../src/jsonrpc/connection.ts';
import type { Outlet } from '../../../src/jsonrpc/index.ts';
import type { Notification, Request, RequestId } from '../../../src/jsonrpc/message.ts';
import { Budgets } from '../../../src/transport/http/server/budgets.ts';
import { createServices } from '../../../src/transport/http/server/services.ts';
import { createSessions } from '../../../src/transport/http/server/sessions.ts';
import { Turns } from '../../../src/transport/http/server/turns.ts';
import { fakeServer } from './fake-server.ts';
import { modern, note, rpc } from './harness.ts';
import type { Sent } from './harness.ts';
import { place } from './scripted-request.ts';
import type { ScriptedRequest } from './scripted-request.ts';

const codeOf = (text: string): unknown => (JSON.parse(text) as { error?: { code: unknown } }).error?.code;
const json = { accept: 'application/json' };
const sse = { accept: 'text/event-stream' };

test('which kind of answer, by what is accepted and what the answer is', async () => {
  const { ask, open } = place();
  const session = open();
  const cases: [what: string, headers: Record<string, string>, params: object, answered: [modern: string, legacy: string]][] = [
    ['a result', {}, {}, ['200 json', '200 json']],
    ['a result for who takes a stream alone', sse, {}, ['200 stream', '200 stream']],
    ['an error for who takes a stream alone', sse, { fails: true }, ['404 json', '200 json']],
    ['steps', {}, { steps: 2 }, ['200 stream', '200 stream']],
    ['steps for who takes JSON alone', json, { steps: 2 }, ['200 json', '200 json']],
  ];
  for (const [what, accept, { steps, fails }, [fresh, old]] of cases as [string, Record<string, string>, { steps?: number; fails?: boolean }, [string, string]][]) {
    const [method, params] = fails ? ['nope', {}] : steps ? ['steps', { steps }] : ['ping', {}];
    const kindOf = ({ status, fields, stream }: ReturnType<typeof ask>): string =>
      `${status} ${stream === undefined ? 'json' : fields?.['content-type'] === 'text/event-stream' && stream === 'ended' ? 'stream' : stream}`;
    assert.equal(kindOf(ask(modern(method, params, accept))), fresh, what);
    assert.equal(kindOf(ask({ headers: { ...session, ...accept }, body: rpc(method, params) })), old, what);
  }
});

test('what is answered on a stream in its own turn is not open any more', async () => {
  const { ask } = place({ limits: { maxOpenRequests: 1 } });
  for (let i = 0; i < 3; i++) assert.equal(ask(modern('steps', { steps: 1 })).status, 200);
});

test('what comes for a modern request after its answer goes nowhere, and is not traced', async () => {
  const seen: unknown[] = [];
  const { ask, server } = place({ trace: (entry) => void seen.push(entry) });
  const request = ask(modern('wait', { key: 'a' }));
  await server.arrived('a');
  const { inbound, finish } = server.waiting.get('a') ?? assert.fail();
  inbound.send(JSON.stringify(note('before')));
  finish();
  await new Promise(setImmediate);
  const [text, count] = [request.text, seen.length];
  inbound.send(JSON.stringify(note('after')));
  inbound.cancel(new Error('late'));
  assert.deepEqual([request.text, seen.length, request.stream], [text, count, 'ended']);
});

test('a message of the client that is no request is no request of the modern era either, whatever it holds', async () => {
  const { ask, server } = place();
  const { headers, body } = modern('ping');
  const { _meta } = (body as { params: { _meta: object } }).params;
  const inBody = { jsonrpc: '2.0', method: 'notifications/x', params: { _meta } };
  const legacy = ask({ body: inBody });
  assert.deepEqual([legacy.status, codeOf(legacy.text)], [400, -32600]);
  assert.match(legacy.text, /Mcp-Session-Id header is missing/);
  assert.equal(ask({ headers: headers ?? {}, body: inBody }).status, 202);
  // A notification does not open a session.
  assert.match(ask({ body: note('initialize') }).text, /Mcp-Session-Id header is missing/);
  assert.equal(server.peers.size, 0);
});

test('what is not said to be JSON is refused, and not read', () => {
  const { ask, server } = place();
  for (const path of ['/mcp', '/messages?sessionId=x']) {
    const { status, answers } = ask({ ...modern('wait', { key: 'a' }, { 'content-type': 'text/plain' }), path });
    assert.deepEqual([status, answers, server.waiting.size], [415, 1, 0], path);
  }
});

test('a body that is not UTF-8 is traced as such', () => {
  const seen: unknown[] = [];
  const { ask } = place({ trace: (entry) => entry.direction === 'received' && 'text' in entry && seen.push(entry.text) });
  const { status } = ask({ headers: { 'mcp-protocol-version': '2026-07-28' }, body: new Uint8Array([0x7b, 0xff, 0x7d]) });
  assert.deepEqual([status, seen], [400, ['(not UTF-8)']]);
});

test('a session that has ended stays over when its last connection goes', () => {
  const sessions = createSessions(createServices(fakeServer(), {}));
  const [first, second] = [1, 2].map(() => sessions.open(undefined, false));
  assert.ok(first && second);
  first.connected();
  sessions.end(first, 'over');
  first.disconnected();
  assert.deepEqual(sessions.all(), [second]);
});

test('a batch is found behind any white space, and behind nothing else', async () => {
  const { ask, open } = place();
  const [old, fresh] = [open('2025-03-26'), open('2025-06-18')];
  for (const space of ['', ' ', '\t', '\r', '\n', ' \t\r\n ']) {
    const text = `${space}[${JSON.stringify(rpc('ping'))}]`;
    for (const body of [text, new TextEncoder().encode(text)]) {
      assert.deepEqual([ask({ headers: old, body }).status, JSON.stringify(text)], [200, JSON.stringify(text)]);
      const refused = ask({ headers: fresh, body });
      assert.deepEqual([refused.status, JSON.parse(refused.text)], [400, {
        jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request: this protocol revision has no batches' },
      }], JSON.stringify(text));
    }
    // A batch is read only if its session supports batches. Without a session the error is the missing header, whatever the body holds.
    const broken = `${space}[x`;
    for (const body of [broken, new TextEncoder().encode(broken)]) assert.match(ask({ body }).text, /Mcp-Session-Id header is missing/);
  }
  for (const text of ['\v[]', '\u00a0[]', 'x[]']) {
    for (const body of [text, new TextEncoder().encode(text)]) assert.equal(codeOf(ask({ headers: fresh, body }).text), -32700, JSON.stringify(text));
  }
});

test('a batch without a request gets 202, unless it holds more than a batch may', async () => {
  const { ask, open } = place();
  const headers = open('2025-03-26');
  const { maxBatch } = defaultConnectionLimits;
  const batch = (count: number): object[] => Array.from({ length: count }, () => note('x'));
  assert.deepEqual([ask({ headers, body: batch(maxBatch) }).status, ask({ headers, body: batch(maxBatch + 1) }).text.includes('at most 1000 messages')], [202, true]);
});

test('a modern request is charged what it weighs while it is open, and refused where that is too much', async () => {
  const { ask, server } = place();
  const budget = processBudget();
  const { used, limit } = budget;
  const sent = modern('wait', { key: 'k', pad: 'x'.repeat(5000) });
  const decoded = decode(JSON.stringify(sent.body));
  assert.ok(decoded.kind === 'request');
  const request = ask(sent);
  await server.arrived('k');
  assert.equal(budget.used - used, decoded.weight + openThingBytes);
  budget.limit = budget.used + decoded.weight;
  try {
    // The first 64 KiB are always allowed: these requests fill them.
    const open = Array.from({ length: 20 }, (_, i) => ask(modern('wait', { key: `k${i}`, pad: 'x'.repeat(5000) })));
    const refused = open.filter(({ status }) => status === 503);
    assert.ok(refused.length > 0 && refused.length < 20, String(refused.length));
    for (const { text, fields } of refused) {
      assert.deepEqual([JSON.parse(text), fields], [
        { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'The memory limit of open requests is reached' } }, { 'retry-after': 1 },
      ]);
    }
    // A small request is served.
    assert.equal(ask(modern('ping')).status, 200);
    // So are many that stay open, also when they have filled what was left.
    const small = Array.from({ length: 20 }, (_, i) => ask(modern('wait', { key: `small${i}` })));
    assert.deepEqual(small.filter(({ status }) => status === 503), []);
    // One whose text is small, and whose values are many, is not.
    assert.equal(ask(modern('wait', { key: 'many', pad: Array(700).fill({}) })).status, 503);
    for (const { finish } of server.waiting.values()) finish();
    await new Promise(setImmediate);
    assert.equal(request.status, 200);
    assert.equal(budget.used, used);
  } finally {
    budget.limit = limit;
  }
});

test('an argument that no header can say is for the tool to refuse', async () => {
  const { ask } = place();
  const call = (args: object, headers: Record<string, string> = {}): string => {
    const { status, text } = ask(modern('tools/call', { name: 'mirrored', arguments: args }, { 'mcp-name': 'mirrored', ...headers }));
    return `${status} ${String(codeOf(text))}`;
  };
  for (const region of [{}, [], ['a']]) assert.equal(call({ region }), '200 undefined');
  assert.equal(call({ region: 'a' }), '400 -32020');
  assert.equal(call({ region: true }, { 'mcp-param-region': 'true' }), '200 undefined');
  assert.equal(call({ deep: { count: 1 } }, { 'mcp-param-count': '1.0' }), '200 undefined');
  assert.equal(call({ deep: { count: 1 } }, { 'mcp-param-count': ' ' }), '400 -32020');
  assert.equal(call({ deep: { count: 0 } }, { 'mcp-param-count': '' }), '400 -32020');
  assert.equal(call({ deep: { count: 2 ** 53 } }, { 'mcp-param-count': String(2 ** 53) }), '400 -32020');
  assert.equal(call({}, { 'mcp-param-region': 'a' }), '400 -32020');
  assert.equal(call({ region: null }), '200 undefined');
});

test('a reader that is too slow is cut off, whether somebody is told or not', async () => {
  const told: string[] = [];
  for (const onError of [({ message }: Error) => void told.push(message), undefined]) {
    const { ask, server } = place({ ...onError && { onError }, limits: { maxBufferedBytes: 1000 } });
    const request = ask(modern('subscriptions/listen'));
    const [subscription] = server.subscriptions;
    request.buffered = 1000;
    subscription?.send('"fits"');
    assert.match(request.text, /"fits"/);
    request.buffered = 1001;
    subscription?.send('"not"');
    assert.doesNotMatch(request.text, /"not"/);
    assert.deepEqual([request.stream, subscription?.signal.aborted], ['destroyed', true]);
  }
  assert.deepEqual(told, ['a stream was cut off: its reader is too slow, 1001 bytes were waiting']);
});

test('a session has room for what may be lost while its client reads, and for results always', async () => {
  const server = fakeServer();
  const outlets: Outlet[] = [];
  const { ask, open } = place({ limits: { maxBufferedBytes: 1000 } }, {
    ...server,
    connect(outlet, options) {
      outlets.push(outlet);
      return server.connect(outlet, options);
    },
  });
  const headers = open();
  const [outlet] = outlets;
  const room = (): unknown[] => [outlet?.room?.(1), outlet?.room?.(1, false), outlet?.room?.(1, true)];
  assert.deepEqual(room(), [true, true, true]);
  const stream = ask({ method: 'GET', headers });
  assert.deepEqual(room(), [true, true, true]);
  stream.buffered = 500;
  assert.deepEqual(room(), [true, true, true]);
  stream.buffered = 501;
  assert.deepEqual(room(), [true, true, false]);
  stream.leave();
  assert.deepEqual(room(), [true, true, true]);
});

test('a modern request has room for what may be lost while its client reads, and for its result always', async () => {
  const server = fakeServer();
  let outlet: Outlet | undefined;
  const { ask } = place({ limits: { maxBufferedBytes: 1000 } }, {
    ...server,
    serveRequest(message, meta, to, auth) {
      outlet = to;
      return server.serveRequest(message, meta, to, auth);
    },
  });
  const room = (): unknown[] => [outlet?.room?.(1), outlet?.room?.(1, false), outlet?.room?.(1, true)].map((one) => one ?? true);
  const request = ask(modern('wait', { key: 'a' }));
  assert.deepEqual(room(), [true, true, true]);
  outlet?.send(JSON.stringify(note('x')));
  request.buffered = 500;
  assert.deepEqual(room(), [true, true, true]);
  request.buffered = 501;
  assert.deepEqual(room(), [true, true, false]);
  request.leave();
});

test('what a server says before the handshake is agreed on begins a stream as of a client that polls nothing', async () => {
  const server = fakeServer();
  const { ask } = place({}, {
    ...server,
    connect(outlet, options) {
      const peer = server.connect(outlet, options);
      return { ...peer, receive: (decoded, to) => (to?.send(JSON.stringify(note('notifications/message'))), peer.receive(decoded, to)), revision: undefined };
    },
  });
  const { text, stream } = ask({ body: rpc('initialize', { protocolVersion: '2025-11-25' }) });
  assert.equal(stream, 'ended');
  assert.match(text, /^id: 0-1\ndata: \{"jsonrpc":"2.0","method":"notifications\/message"\}\n\nid: 0-2\ndata: .*"result"/);
});

test('a client polls for the request that wants it, for no other, and for none that is answered', async () => {
  const server = fakeServer();
  let closeStream: ((id: RequestId) => void) | undefined;
  const { ask, open } = place({}, {
    ...server,
    connect: (outlet, options) => {
      closeStream = options?.closeStream;
      return server.connect(outlet, options);
    },
  });
  const headers = open();
  const [first, second, third] = ['a', 'b', 'c'].map((key, id) => ask({ headers, body: rpc('wait', { key }, id + 1) }));
  closeStream?.(2);
  closeStream?.(9);
  assert.deepEqual([first?.stream, second?.stream, third?.stream], [undefined, 'ended', undefined]);
  server.waiting.get('a')?.finish();
  await new Promise(setImmediate);
  closeStream?.(1);
  closeStream?.(3);
  assert.deepEqual([first?.stream, first?.answers, third?.stream], [undefined, 1, 'ended']);
});

test('what was accepted or allowed last is no answer for what differs from it', () => {
  const { ask } = place({ allowedHosts: ['a.example'] });
  const statusOf = (headers: Record<string, string>): number | undefined =>
    ask(modern('ping', {}, { host: 'a.example', ...headers })).status;
  const kindOf = (accept: string): string | undefined => ask(modern('ping', {}, { host: 'a.example', accept })).stream;
  for (let again = 0; again < 2; again++) {
    assert.equal(statusOf({}), 200);
    assert.equal(statusOf({ host: 'b.example' }), 403);
    assert.equal(statusOf({ host: 'b.example' }), 403);
    assert.equal(kindOf('text/event-stream'), 'ended');
    assert.equal(kindOf('application/json'), undefined);
    assert.equal(statusOf({ accept: 'image/png' }), 406);
    assert.equal(statusOf({ accept: 'image/png' }), 406);
  }
});

test('a stream whose client has left already keeps nothing alive', async (t) => {
  const timers = t.mock.method(globalThis, 'setTimeout');
  const { ask, server } = place();
  const stays = ask(modern('subscriptions/listen'));
  assert.equal(stays.stream, 'open');
  const timed = timers.mock.callCount();
  assert.equal(timed, 1);
  ask(modern('subscriptions/listen'), (request) => (request.left = true));
  assert.equal(timers.mock.callCount(), timed);
  assert.deepEqual([...server.subscriptions].map(({ signal }) => signal.aborted), [false, true]);
  stays.leave();
});

test('a modern response that is over leads to nothing from the place that it had among those that are open', async (t) => {
  const places: { response: unknown }[] = [];
  const { add } = Set.prototype;
  t.mock.method(Set.prototype, 'add', function (this: Set<unknown>, value: unknown) {
    if (typeof value === 'object' && value !== null && 'response' in value) places.push(value as { response: unknown });
    return add.call(this, value);
  });
  const { ask } = place();
  const listening = ask(modern('subscriptions/listen'));
  await new Promise(setImmediate);
  assert.deepEqual(places.map(({ response }) => response !== undefined), [true]);
  listening.leave();
  assert.deepEqual(places, [{ response: undefined }]);
});

test('the streams that credentials opened end with them, and say so', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'], now: 1_000_000 });
  const month = 30 * 24 * 3600 * 1000;
  const { ask: begin, server } = place({ auth: () => ({ principal: 'p', expiresAt: 1_000_000 + month }) });
  const ask = async (sent: Sent): Promise<ScriptedRequest> => {
    const request = begin(sent);
    await new Promise(setImmediate);
    return request;
  };
  const { fields } = await ask({ body: rpc('initialize', { protocolVersion: '2025-11-25' }) });
  const get = await ask({ method: 'GET', headers: { 'mcp-session-id': String(fields?.['mcp-session-id']) } });
  const listening = await ask(modern('subscriptions/listen'));
  // The credentials expire later than the longest timer delay.
  t.mock.timers.tick(month - 1);
  assert.deepEqual([get.stream, listening.stream], ['open', 'open']);
  t.mock.timers.tick(1);
  await new Promise(setImmediate);
  assert.deepEqual([get.stream, listening.stream], ['ended', 'ended']);
  assert.match(get.text, /: the credentials that opened this stream have expired\n\n$/);
  assert.match(listening.text, /"notifications\/cancelled","params":\{"_meta":\{"io.modelcontextprotocol\/subscriptionId":1\},"requestId":1,"reason":"the credentials that opened the subscription have expired"/);
  const [subscription] = server.subscriptions;
  assert.equal(subscription?.signal.aborted, true);
});

test('budgets: one a principal, and those that hold nothing are forgotten when there are a thousand', () => {
  const budgets = new Budgets();
  const of = (n: number) => budgets.of({ principal: String(n) });
  const [first, second] = [of(0), of(1)];
  second.hold(1);
  for (let n = 2; n < 1000; n++) of(n);
  assert.deepEqual([of(0) === first, of(1) === second], [true, true]);
  of(1000);
  assert.deepEqual([of(0) === first, of(1) === second], [false, true]);
  second.release(1);
  assert.equal(budgets.ofRequests(undefined), budgets.ofRequests(undefined));
  assert.equal(budgets.ofRequests({ principal: '1' }), second);
});

test('sessions: one that has ended, or was evicted, is ended once', () => {
  const server = fakeServer();
  const sessions = createSessions(createServices(server, { limits: { maxSessionsPerPrincipal: 2 } }));
  const auth = { principal: 'p' };
  const opened = [1, 2, 3].map(() => sessions.open(auth, false));
  assert.deepEqual([opened.map((one) => one?.ended), server.peers.size, sessions.all().length], [[true, false, false], 2, 2]);
  for (const one of opened) if (one) sessions.end(one, 'over');
  for (const one of opened) if (one) sessions.end(one, 'again');
  assert.deepEqual([server.peers.size, sessions.all().length], [0, 0]);
  // A session without a principal.
  const nobody = sessions.open(undefined, false);
  assert.ok(nobody);
  assert.equal(sessions.find(nobody.id, undefined, false), nobody);
  assert.equal(sessions.find(nobody.id, auth, false), undefined);
  assert.equal(sessions.find(nobody.id, undefined, true), undefined);
  sessions.end(nobody, 'over');
  sessions.end(nobody, 'again');
});

test('sessions: room for one principal is made without a look at the sessions of others', () => {
  const sessions = createSessions(createServices(fakeServer(), { limits: { maxSessionsPerPrincipal: 2 } }));
  let looks = 0;
  const other = { get principal() {
    looks++;
    return 'other';
  } };
  for (let i = 0; i < 2; i++) sessions.open(other, false);
  const mine = { principal: 'mine' };
  const [first, second] = [1, 2].map(() => sessions.open(mine, false));
  assert.ok(first && second);
  // The session that was used last stays.
  assert.equal(sessions.find(first.id, mine, false), first);
  looks = 0;
  assert.ok(sessions.open(mine, false));
  assert.deepEqual([looks, first.ended, second.ended], [0, false, true]);
});

test('turns: 256 KiB of long answers are enough, and a thousand kinds are remembered', () => {
  const KiB = 1024;
  const call = (name: string | number): Request => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: String(name) } });
  const waits = (turns: Turns, name: string | number): boolean => {
    let ran = false;
    turns.take({ kind: 'request', weight: 1, message: call(name) }, () => (ran = true));
    return !ran;
  };
  const turns = new Turns(systemClock);
  turns.answered(call('short'), 64 * KiB - 1);
  for (let i = 0; i < 4; i++) turns.answered(call('big'), 64 * KiB);
  assert.equal(waits(turns, 'big'), false);
  turns.answered(call('big'), 64 * KiB);
  assert.deepEqual([waits(turns, 'big'), waits(turns, 'short'), waits(turns, 'other')], [true, false, false]);
  const many = new Turns(systemClock);
  for (let i = 0; i < 1000; i++) many.answered(call(i), 64 * KiB);
  assert.deepEqual([waits(many, 0), waits(many, 999)], [true, true]);
  many.answered(call(1000), 64 * KiB);
  assert.deepEqual([waits(many, 0), waits(many, 1000)], [false, true]);
});

test('what a handler sends after its client has left: a notification goes nowhere, and a question fails', async () => {
  const { ask, open, server } = place();
  const request = ask({ headers: open(), body: rpc('wait', { key: 'a' }) });
  await server.arrived('a');
  request.leave();
  const { inbound } = server.waiting.get('a') ?? assert.fail();
  const send = (message: Request | Notification): void => inbound.send(JSON.stringify(message), message);
  send({ jsonrpc: '2.0', method: 'notifications/message' });
  assert.throws(() => send({ jsonrpc: '2.0', id: 5, method: 'ping' }), { message: 'the client has left', reason: 'closed' });
  assert.deepEqual([request.text, request.stream], ['', undefined]);
});
