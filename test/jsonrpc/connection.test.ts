import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';
import { decode, decodeUnchecked } from '../../src/jsonrpc/message.ts';
import { takeBatch } from '../../src/jsonrpc/batch.ts';
import { Connection, defaultConnectionLimits } from '../../src/jsonrpc/connection.ts';
import type { ConnectionHandlers, ConnectionLimits } from '../../src/jsonrpc/connection.ts';
import { ConnectionError, RpcError } from '../../src/jsonrpc/errors.ts';
import { Cancelled, InboundRequest, notify } from '../../src/jsonrpc/inbound-request.ts';
import { stopOf } from '../../src/jsonrpc/stop.ts';
import { readCancellation } from '../../src/protocol/cancellation.ts';
import { requestsOf } from '../../src/protocol/progress.ts';
import { mockClock } from '../mock-clock.ts';

type Sent = Record<string, unknown>;

interface Bench {
  readonly connection: Connection;
  /** The sent messages, in order; undefined for a request that gets no response. */
  readonly sent: (Sent | undefined)[];
  readonly errors: string[];
  /** Delivers a message. */
  receive(message: unknown): void;
  /** The messages sent since the last call. */
  take(): (Sent | undefined)[];
}

// In a process of its own: it counts open timers and calls of Map.

/** Reads a sent text: one line, as pipes need it. */
function read(text: string): Sent {
  assert.doesNotMatch(text, /[\r\n]/);
  return JSON.parse(text) as Sent;
}

function bench(handlers: Partial<ConnectionHandlers> = {}, limits: Partial<ConnectionLimits> = {}): Bench {
  const sent: (Sent | undefined)[] = [];
  const errors: string[] = [];
  const connection = new Connection(
    {
      send: (text) => sent.push(read(text)),
      answer: (text) => sent.push(text === undefined ? undefined : read(text)),
    },
    {
      request: () => ({}),
      notification: () => undefined,
      cancellation: readCancellation,
      error: ({ message }) => errors.push(message),
      ...handlers,
    },
    { ...defaultConnectionLimits, ...limits },
  );
  return {
    connection,
    sent,
    errors,
    receive: (message) => connection.receive(decode(JSON.stringify(message))),
    take: () => sent.splice(0),
  };
}

const jsonrpc = '2.0';
const ask = (id: unknown, method = 'm', params?: object): object => ({ jsonrpc, id, method, params });
const cancelled = (requestId: unknown, reason?: string): object =>
  ({ jsonrpc, method: 'notifications/cancelled', params: { requestId, reason } });
const progress = (progressToken: unknown, value: unknown): object =>
  ({ jsonrpc, method: 'notifications/progress', params: { progressToken, progress: value } });
/** Lets every ready promise settle. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Requests that the test answers later. */
function held(): {
  request: (inbound: InboundRequest) => Promise<object>;
  inbound: InboundRequest[];
  resolve: ((result: object) => void)[];
} {
  const inbound: InboundRequest[] = [];
  const resolve: ((result: object) => void)[] = [];
  return {
    inbound,
    resolve,
    request: (one) => {
      inbound.push(one);
      return new Promise((done) => resolve.push(done));
    },
  };
}

test('connection: answers find their questions, in any order', async () => {
  const { connection, receive, sent } = bench();
  const calls = [requestsOf(connection).request('a', { x: 1 }), requestsOf(connection).request('b'), requestsOf(connection).request('c')];
  assert.deepEqual(sent, [
    { jsonrpc, id: 1, method: 'a', params: { x: 1 } },
    { jsonrpc, id: 2, method: 'b' },
    { jsonrpc, id: 3, method: 'c' },
  ]);
  assert.equal(requestsOf(connection).size, 3);
  receive({ jsonrpc, id: 3, result: { of: 'c' } });
  receive({ jsonrpc, id: 1, result: { of: 'a' } });
  receive({ jsonrpc, id: 2, error: { code: -32601, message: 'no b', data: { x: 1 } } });
  assert.deepEqual(await calls[2], { of: 'c' });
  assert.deepEqual(await calls[0], { of: 'a' });
  await assert.rejects(calls[1] as Promise<unknown>, (thrown) => {
    assert.ok(thrown instanceof RpcError);
    assert.deepEqual([thrown.code, thrown.message, thrown.data], [-32601, 'no b', { x: 1 }]);
    return true;
  });
  assert.equal(requestsOf(connection).size, 0);
  // An id is not reused, even if no request is in flight.
  requestsOf(connection).request('d').catch(() => undefined);
  assert.deepEqual(sent.at(-1), { jsonrpc, id: 4, method: 'd' });
  connection.close();
});

// Freed memory is not visible here: a Map of V8 keeps its old tables and their entries (bench/NOTES.md).
test('connection: what is over leads to nothing, and a table that is empty is replaced', async (t) => {
  const put: { table: unknown; entry: Record<string, unknown> }[] = [];
  const { set } = Map.prototype;
  t.mock.method(Map.prototype, 'set', function (this: Map<unknown, unknown>, key: unknown, value: unknown) {
    if (typeof value === 'object' && value !== null && ('inbound' in value || 'onAbort' in value)) {
      put.push({ table: this, entry: value as Record<string, unknown> });
    }
    return set.call(this, key, value);
  });
  const { request, resolve } = held();
  const { connection, receive } = bench({ request });
  const requests = requestsOf(connection);
  for (const first of [1, 3]) {
    for (const id of [1, 2, 3]) receive(ask(id));
    const calls = [0, 1].map(() => requests.request('m', {}, { signal: new AbortController().signal }));
    receive(cancelled(3));
    for (const done of resolve.splice(0)) done({});
    for (const id of [first, first + 1]) receive({ jsonrpc, id, result: {} });
    await Promise.all(calls);
    await settle();
  }
  assert.deepEqual([connection.inFlight, requests.size, put.length], [0, 0, 10]);
  const theirs = put.filter(({ entry }) => 'inbound' in entry);
  const ours = put.filter(({ entry }) => 'onAbort' in entry);
  for (const { entry } of theirs) assert.equal(entry['inbound'], undefined);
  for (const { entry } of ours) {
    assert.deepEqual([entry['signal'], entry['onAbort'], entry['resolve'] === entry['reject']], [undefined, undefined, true]);
  }
  for (const entries of [theirs, ours]) assert.equal(new Set(entries.map(({ table }) => table)).size, 2);
});

test('connection: requests of the peer run concurrently, and are answered as they end', async () => {
  const { request, resolve } = held();
  const { connection, receive, take } = bench({ request });
  receive(ask(1));
  receive(ask('1'));
  receive(ask(3));
  assert.equal(connection.inFlight, 3);
  resolve[2]?.({ n: 3 });
  await settle();
  resolve[0]?.({ n: 1 });
  resolve[1]?.({ n: '1' });
  await settle();
  assert.deepEqual(take(), [
    { jsonrpc, id: 3, result: { n: 3 } },
    { jsonrpc, id: 1, result: { n: 1 } },
    { jsonrpc, id: '1', result: { n: '1' } },
  ]);
  assert.equal(connection.inFlight, 0);
});

test('connection: what a handler throws is the answer, and a stack is not', async () => {
  const { receive, take } = bench({
    request: ({ request: { method } }) => {
      if (method === 'rpc') throw new RpcError(-32602, 'bad', { path: 'a' });
      if (method === 'error') return Promise.reject(new Error('oops'));
      if (method === 'text') throw 'just text';
      if (method === 'bigint') return { n: 1n };
      const cycle: Record<string, unknown> = {};
      cycle['self'] = cycle;
      if (method === 'data') throw new RpcError(-32000, 'cyclic data', cycle);
      return cycle;
    },
  });
  for (const method of ['rpc', 'text', 'bigint', 'data', 'cycle', 'error']) receive(ask(method, method));
  await settle();
  const answers = take();
  for (const answer of answers) assert.deepEqual(Object.keys(answer ?? {}), ['jsonrpc', 'id', 'error']);
  const errors = answers.map((answer) => [answer?.['id'], answer?.['error']] as const);
  const byId = Object.fromEntries(errors) as Record<string, { code: number; message: string }>;
  assert.deepEqual(byId['rpc'], { code: -32602, message: 'bad', data: { path: 'a' } });
  assert.deepEqual(byId['error'], { code: -32603, message: 'oops' });
  assert.deepEqual(byId['text'], { code: -32603, message: 'just text' });
  assert.deepEqual(byId['data'], { code: -32000, message: 'cyclic data' });
  assert.equal(byId['bigint']?.code, -32603);
  assert.match(byId['bigint']?.message ?? '', /BigInt/);
  assert.match(byId['cycle']?.message ?? '', /circular/);
  assert.doesNotMatch(JSON.stringify(byId), /connection\.test/);
});

test('connection: the peer cancels a request: its signal aborts, and it gets no answer', async () => {
  const { request, inbound, resolve } = held();
  const { connection, receive, take } = bench({ request });
  receive(ask(7));
  const signal = inbound[0]?.signal;
  receive(cancelled(7, 'not needed'));
  assert.equal(signal?.aborted, true);
  assert.ok(signal?.reason instanceof Cancelled);
  assert.equal(signal.reason.message, 'not needed');
  assert.equal(connection.inFlight, 0);
  assert.deepEqual(take(), [undefined]);
  // Messages that the handler still sends for it are dropped.
  inbound[0]?.send('{"late":true}');
  resolve[0]?.({});
  await settle();
  assert.deepEqual(take(), []);
});

test('connection: the handler of a cancelled request answers nobody, also by an error, and what it held is free once it ends', async () => {
  const ends: (() => void)[] = [];
  const { connection, receive, take } = bench({
    request: ({ request: { method } }) => new Promise((resolve, reject) => {
      ends.push(() => method === 'fails' ? reject(new Error('stopped')) : resolve({}));
    }),
  });
  for (const [id, method] of ['succeeds', 'fails'].entries()) receive(ask(id, method));
  assert.ok(connection.budget.used > 0);
  for (const id of [0, 1]) receive(cancelled(id));
  assert.equal(connection.inFlight, 0);
  for (const end of ends) end();
  await settle();
  assert.equal(connection.budget.used, 0);
  assert.deepEqual(take(), [undefined, undefined]);
});

// 2025-11-25 basic/utilities/progress#implementation-notes: progress stops after completion.
test('connection: nothing is sent for a request after its answer, be that a result or an error', async () => {
  const { request, inbound, resolve } = held();
  const { receive, take } = bench({
    request: (one) => one.request.method === 'fails' ? (inbound.push(one), Promise.reject(new RpcError(-32602, 'no'))) : request(one),
  });
  receive(ask(1, 'fails'));
  receive(ask(2));
  inbound[1]?.send('{"soon":true}');
  await settle();
  resolve[0]?.({});
  await settle();
  assert.deepEqual(take().map((sent) => sent?.['id'] ?? sent), [{ soon: true }, 1, 2]);
  for (const one of inbound) one.send('{"late":true}');
  assert.deepEqual(take(), []);
});

// Each revision, basic/utilities/cancellation#behavior-requirements: a request that was issued in the same direction.
test('connection: a cancellation means the request of its sender, though one of the other side has the same id', async () => {
  const { request, inbound } = held();
  const { connection, receive, take } = bench({ request });
  const controllers = [1, 2, 3].map(() => new AbortController());
  const calls = controllers.map(({ signal }) => requestsOf(connection).request('m', undefined, { signal }).catch(({ message }: Error) => message));
  for (const id of [1, 2, 3]) receive(ask(id));
  take();
  controllers[1]?.abort(new Error('enough'));
  assert.equal(await calls[1], 'enough');
  assert.deepEqual(take(), [cancelled(2, 'enough')]);
  assert.deepEqual(inbound.map(({ signal }) => signal.aborted), [false, false, false]);
  receive(cancelled(3));
  assert.deepEqual(inbound.map(({ signal }) => signal.aborted), [false, false, true]);
  assert.equal(requestsOf(connection).size, 2);
  assert.deepEqual(take(), [undefined]);
  connection.close();
});

test('connection: a signal that is first looked at after the cancellation is aborted', () => {
  const { request, inbound } = held();
  const { receive } = bench({ request });
  receive(ask(7));
  receive(cancelled(7));
  assert.equal(inbound[0]?.signal.aborted, true);
});

test('connection: the id of a cancelled request may be used again while its handler still runs', async () => {
  const { request, resolve } = held();
  const { connection, receive, take } = bench({ request });
  receive(ask(7));
  receive(cancelled(7));
  receive(ask(7));
  assert.equal(connection.inFlight, 1);
  resolve[0]?.({ run: 1 });
  await settle();
  assert.equal(connection.inFlight, 1);
  resolve[1]?.({ run: 2 });
  await settle();
  assert.equal(connection.inFlight, 0);
  assert.deepEqual(take(), [undefined, { jsonrpc, id: 7, result: { run: 2 } }]);
});

test('connection: initialize is never cancelled by the peer', async () => {
  const { request, inbound, resolve } = held();
  const { receive, take } = bench({ request });
  receive(ask(1, 'initialize'));
  receive(cancelled(1));
  assert.equal(inbound[0]?.signal.aborted, false);
  resolve[0]?.({});
  await settle();
  assert.deepEqual(take(), [{ jsonrpc, id: 1, result: {} }]);
});

test('connection: cancellations of nothing are ignored', () => {
  const { receive, take, errors } = bench({ request: () => new Promise(() => {}) });
  for (const inFlight of [false, true]) {
    if (inFlight) receive({ jsonrpc, id: 1, method: 'slow' });
    for (const id of [99, 'a', null, 1.5, {}, undefined]) receive(cancelled(id));
    receive({ jsonrpc, method: 'notifications/cancelled' });
  }
  assert.deepEqual(take(), []);
  assert.deepEqual(errors, []);
});

test('connection: a cancellation that crosses the answer is ignored: a result, an error, or an earlier cancellation', async () => {
  const { request, inbound, resolve } = held();
  const { receive, take, errors } = bench({
    request: (one) => one.request.method === 'fails' ? (inbound.push(one), Promise.reject(new RpcError(-32602, 'no'))) : request(one),
  });
  for (const [id, method] of ['fails', 'm', 'm'].entries()) receive(ask(id, method));
  receive(cancelled(2));
  resolve[0]?.({});
  await settle();
  assert.equal(take().length, 3);
  for (const id of [0, 1, 2]) receive(cancelled(id));
  assert.deepEqual([inbound.map(({ signal }) => signal.aborted), take(), errors], [[false, false, true], [], []]);
});

test('connection: the caller cancels: the peer is told, and a late answer is no surprise', async () => {
  const { connection, receive, take, errors } = bench();
  const controller = new AbortController();
  const call = requestsOf(connection).request('m', undefined, { signal: controller.signal });
  take();
  controller.abort(new Error('changed my mind'));
  await assert.rejects(call, /changed my mind/);
  assert.deepEqual(take(), [cancelled(1, 'changed my mind')]);
  assert.equal(requestsOf(connection).size, 0);
  receive({ jsonrpc, id: 1, result: {} });
  assert.deepEqual(errors, []);
  // Reported once: the second response has no request.
  receive({ jsonrpc, id: 1, result: {} });
  assert.equal(errors.length, 1);
  // A late error is dropped too.
  const second = requestsOf(connection).request('m', undefined, { signal: AbortSignal.timeout(1) });
  await assert.rejects(second);
  receive({ jsonrpc, id: 2, error: { code: -32800, message: 'cancelled' } });
  assert.equal(errors.length, 1);
  // Several late responses are dropped in any order.
  const both = [1, 2].map(() => new AbortController());
  const calls = both.map(({ signal }) => requestsOf(connection).request('m', undefined, { signal }));
  for (const one of both) one.abort(new Error('both'));
  for (const one of calls) await assert.rejects(one, /both/);
  for (const id of [3, 4]) receive({ jsonrpc, id, result: {} });
  assert.equal(errors.length, 1);
});

test('connection: a signal that has aborted before sends nothing', async () => {
  const { connection, take } = bench();
  await assert.rejects(
    requestsOf(connection).request('m', undefined, { signal: AbortSignal.abort(new Error('too late')) }),
    /too late/,
  );
  assert.deepEqual(take(), []);
  assert.equal(requestsOf(connection).size, 0);
});

test('connection: an answered request leaves its signal alone', async () => {
  for (const end of [{ result: {} }, { error: { code: -32602, message: 'no' } }, { result: 'malformed' }]) {
    const { connection, receive, take } = bench();
    const controller = new AbortController();
    const call = requestsOf(connection).request('m', undefined, { signal: controller.signal }).catch(() => undefined);
    take();
    receive({ jsonrpc, id: 1, ...end });
    await call;
    controller.abort();
    assert.deepEqual(take().filter((sent) => sent !== undefined), [], JSON.stringify(end));
  }
});

test('connection: a request whose time was up is cancelled once, though its caller gives it up later', async (t) => {
  const tick = mockTime(t);
  const { connection, take } = bench();
  const controller = new AbortController();
  const call = requestsOf(connection).request('m', undefined, { signal: controller.signal, timeoutMs: 1000 });
  take();
  tick(1000);
  await assert.rejects(call, timedOut(1000));
  controller.abort();
  assert.deepEqual(take(), [cancelled(1, 'm: no answer within 1000 ms')]);
});

test('connection: a question that belongs to a request is given up with it, and makes no signal of it', async (t) => {
  t.mock.method(globalThis, 'AbortController', () => assert.fail('a signal was made'));
  const { connection, take } = bench();
  const asking = new InboundRequest({ jsonrpc, id: 'a', method: 'tools/call' }, { send() {}, answer() {} });
  const question = requestsOf(connection).request('elicitation/create', {}, { signal: stopOf(asking) });
  take();
  asking.cancel(new Error('nobody waits'));
  await assert.rejects(question, /nobody waits/);
  assert.deepEqual(take(), [cancelled(1, 'nobody waits')]);
  await assert.rejects(requestsOf(connection).request('elicitation/create', {}, { signal: stopOf(asking) }), /nobody waits/);
  assert.deepEqual(take(), []);
});

test('connection: a question that was answered leaves the request that asked it alone', async () => {
  const { connection, receive, take } = bench();
  const asking = new InboundRequest({ jsonrpc, id: 'a', method: 'tools/call' }, { send() {}, answer() {} });
  const question = requestsOf(connection).request('elicitation/create', {}, { signal: stopOf(asking) });
  receive({ jsonrpc, id: 1, result: {} });
  await question;
  take();
  asking.cancel(new Error('nobody waits'));
  assert.deepEqual(take(), []);
});

test('connection: initialize is given up without a cancellation', async () => {
  const { connection, take } = bench();
  const controller = new AbortController();
  const call = requestsOf(connection).request('initialize', {}, { signal: controller.signal });
  take();
  controller.abort(new Error('stop'));
  await assert.rejects(call, /stop/);
  assert.deepEqual(take(), []);
});

function mockTime(t: TestContext): (ms: number) => void {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  return (ms) => t.mock.timers.tick(ms);
}

const timedOut = (ms: number) => (thrown: unknown): boolean => {
  assert.ok(thrown instanceof ConnectionError);
  assert.equal(thrown.reason, 'timeout');
  assert.match(thrown.message, new RegExp(`^(?:m|initialize): no answer within ${ms} ms$`));
  return true;
};

test('connection: a call that is not answered in time is cancelled', async (t) => {
  const tick = mockTime(t);
  const { connection, take } = bench();
  const call = requestsOf(connection).request('m', undefined, { timeoutMs: 1000 });
  take();
  tick(999);
  assert.equal(requestsOf(connection).size, 1);
  tick(1);
  await assert.rejects(call, timedOut(1000));
  assert.deepEqual(take(), [cancelled(1, 'm: no answer within 1000 ms')]);
  // The default is a minute without progress.
  const patient = requestsOf(connection).request('m');
  take();
  tick(59_999);
  assert.equal(requestsOf(connection).size, 1);
  tick(1);
  await assert.rejects(patient, timedOut(60_000));
});

test('connection: who sets the clock of the system changes no time of a request', async (t) => {
  let now = 0;
  let set = 0;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(systemClock, 'monotonic', () => now);
  t.mock.method(Date, 'now', () => now + set);
  t.mock.method(systemClock, 'now', () => now + set);
  const requests = requestsOf(bench().connection);
  const over: number[] = [];
  for (const timeoutMs of [1000, 2000, 5000]) requests.request('m', undefined, { timeoutMs }).catch(() => over.push(timeoutMs));
  const passes = async (ms: number): Promise<number[]> => {
    now += ms;
    t.mock.timers.tick(ms);
    await Promise.resolve();
    await Promise.resolve();
    return over.splice(0);
  };
  set = -3_600_000;
  assert.deepEqual(await passes(999), []);
  assert.deepEqual(await passes(1), [1000]);
  set = 3_600_000;
  assert.deepEqual(await passes(999), []);
  assert.deepEqual(await passes(1), [2000]);
  set = -3_600_000;
  requests.request('m', undefined, { timeoutMs: 2500 }).catch(() => over.push(2500));
  assert.deepEqual(await passes(2499), []);
  assert.deepEqual(await passes(1), [2500]);
  assert.deepEqual(await passes(500), [5000]);
});

test('connection: what waits without a limit keeps no timer', () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const { connection, receive } = bench();
  const requests = requestsOf(connection);
  requests.request('m', undefined, { timeoutMs: 0, maxTimeoutMs: 0 }).catch(() => {});
  assert.equal(timers(), before);
  requests.request('m', undefined, { timeoutMs: 1000 }).catch(() => {});
  requests.request('m', undefined, { timeoutMs: 0, maxTimeoutMs: 1000 }).catch(() => {});
  assert.equal(timers(), before + 1);
  receive({ jsonrpc, id: 2, result: {} });
  assert.equal(timers(), before + 1);
  receive({ jsonrpc, id: 3, result: {} });
  assert.equal(timers(), before);
});

test('connection: each of many requests has its own time, whichever was asked first and whichever is answered', async (t) => {
  const tick = mockTime(t);
  const { connection, receive } = bench();
  const over: number[] = [];
  const requests = requestsOf(connection);
  const times = [3000, 1000, 2000, 2000, 4000];
  times.forEach((timeoutMs, i) => {
    requests.request('m', undefined, { timeoutMs }).then(() => over.push(0), (thrown) => {
      timedOut(timeoutMs)(thrown);
      over.push(i + 1);
    });
  });
  const passes = async (ms: number): Promise<number[]> => {
    tick(ms);
    await Promise.resolve();
    await Promise.resolve();
    return over.splice(0);
  };
  // The request with the earliest timeout already has its response.
  receive({ jsonrpc, id: 2, result: {} });
  assert.deepEqual(await passes(1000), [0]);
  assert.deepEqual(await passes(999), []);
  assert.deepEqual(await passes(1), [3, 4]);
  requests.request('m', undefined, { timeoutMs: 500 }).catch(() => over.push(6));
  assert.deepEqual(await passes(500), [6]);
  assert.deepEqual(await passes(500), [1]);
  assert.deepEqual(await passes(999), []);
  assert.deepEqual(await passes(1), [5]);
  assert.equal(requests.size, 0);
});

test('connection: no timer is left once nothing waits', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const { connection, receive } = bench();
  const calls = [1, 2, 3].map(() => requestsOf(connection).request('m'));
  assert.equal(timers(), before + 1);
  for (const id of [2, 1, 3]) receive({ jsonrpc, id, result: {} });
  assert.equal(timers(), before);
  await Promise.all(calls);
});

test('connection: a peer that cannot be told of a cancellation does not make other calls wait', async (t) => {
  const tick = mockTime(t);
  const errors: string[] = [];
  const connection = new Connection({
    send(text) {
      if (text.includes('cancelled')) throw new Error('the pipe is gone');
    },
    answer: () => undefined,
  }, {
    request: () => ({}), notification: () => undefined, cancellation: () => undefined, error: ({ message }) => errors.push(message),
  });
  const calls = [1000, 1000, 2000].map((timeoutMs) => requestsOf(connection).request('m', undefined, { timeoutMs }));
  const judged = Promise.all(calls.map((call, i) => assert.rejects(call, timedOut(i < 2 ? 1000 : 2000))));
  tick(1000);
  tick(1000);
  await judged;
  assert.deepEqual(errors, Array.from({ length: 3 }, () => 'the pipe is gone'));
});

test('connection: the default limits of time', async (t) => {
  const tick = mockTime(t);
  for (const method of ['m', 'initialize']) {
    const { connection } = bench();
    const call = requestsOf(connection).request(method);
    tick(59_999);
    assert.equal(requestsOf(connection).size, 1);
    tick(1);
    await assert.rejects(call, timedOut(60_000));
  }
  // Ten minutes are the limit, whatever the progress.
  const { connection, receive } = bench();
  const call = requestsOf(connection).request('m', undefined, { onProgress: () => undefined });
  for (let minute = 0; minute < 20; minute++) {
    receive(progress(1, minute));
    tick(30_000);
  }
  await assert.rejects(call, timedOut(600_000));
});

// 2025-11-25 basic/utilities/progress#behavior-requirements: progress is only for a token that the request gave.
test('connection: progress of a request that gave no token gives it no more time', async (t) => {
  const tick = mockTime(t);
  const { connection, receive } = bench();
  const call = requestsOf(connection).request('m', undefined, { timeoutMs: 1000, maxTimeoutMs: 0 });
  tick(999);
  receive(progress(1, 1));
  tick(1);
  await assert.rejects(call, timedOut(1000));
});

test('connection: progress starts the time anew, up to the absolute maximum', async (t) => {
  const tick = mockTime(t);
  const { connection, receive, take } = bench();
  const seen: number[] = [];
  const call = requestsOf(connection).request('m', { _meta: { mine: 1 } }, {
    timeoutMs: 1000,
    maxTimeoutMs: 2500,
    onProgress: (report) => seen.push(report.progress),
  });
  assert.deepEqual(take(), [ask(1, 'm', { _meta: { mine: 1, progressToken: 1 } })]);
  for (let step = 1; step <= 2; step++) {
    tick(900);
    receive(progress(1, step));
  }
  assert.equal(requestsOf(connection).size, 1);
  // 1800 ms have passed, 700 are left, and no report changes that.
  tick(600);
  receive(progress(1, 3));
  tick(99);
  assert.equal(requestsOf(connection).size, 1);
  tick(1);
  assert.equal(requestsOf(connection).size, 0);
  await assert.rejects(call, (thrown) => thrown instanceof ConnectionError && thrown.reason === 'timeout');
  assert.deepEqual(seen, [1, 2, 3]);
});

test('connection: 0 is no limit', async (t) => {
  const tick = mockTime(t);
  const { connection, receive } = bench();
  const call = requestsOf(connection).request('m', undefined, { timeoutMs: 0, maxTimeoutMs: 0 });
  tick(100 * 24 * 3600 * 1000);
  assert.equal(requestsOf(connection).size, 1);
  receive({ jsonrpc, id: 1, result: { a: 1 } });
  assert.deepEqual(await call, { a: 1 });
});

test('connection: progress of nothing is ignored, and malformed progress is reported', () => {
  const { connection, receive, errors } = bench();
  receive(progress(1, 1));
  receive(progress({}, 1));
  receive({ jsonrpc, method: 'notifications/progress' });
  assert.deepEqual(errors, []);
  requestsOf(connection).request('m', undefined, { onProgress: () => assert.fail('malformed') }).catch(() => undefined);
  receive(progress(2, 1));
  receive(progress(1, 'half'));
  assert.deepEqual(errors, ['notifications/progress: "progress" must be a number']);
  connection.close();
});

test('connection: a failing listener for progress harms nobody', async () => {
  const { connection, receive, errors } = bench();
  const call = requestsOf(connection).request('m', undefined, {
    onProgress: () => {
      throw new Error('listener');
    },
  });
  receive(progress(1, 1));
  assert.deepEqual(errors, ['listener']);
  receive({ jsonrpc, id: 1, result: {} });
  await call;
});

test('connection: a failing handler of notifications is reported', () => {
  const { receive, errors, take } = bench({
    notification: () => {
      throw new Error('handler');
    },
  });
  receive({ jsonrpc, method: 'notifications/x' });
  assert.deepEqual(errors, ['handler']);
  assert.deepEqual(take(), []);
});

test('connection: a duplicate id in flight is refused, and the first goes on', async () => {
  const { request, resolve } = held();
  const { receive, take } = bench({ request });
  receive(ask('x'));
  receive(ask('x'));
  const [refusal] = take();
  assert.equal(refusal?.['id'], 'x');
  assert.deepEqual(refusal?.['error'], { code: -32600, message: 'Invalid request: id "x" is already in flight' });
  resolve[0]?.({});
  await settle();
  assert.deepEqual(take(), [{ jsonrpc, id: 'x', result: {} }]);
  receive(ask('x'));
  assert.equal(resolve.length, 2);
});

test('connection: more requests than may be in flight are refused', async () => {
  const { request, resolve } = held();
  const { connection, receive, take } = bench({ request }, { maxInFlight: 2 });
  for (const id of [1, 2, 3]) receive(ask(id));
  const [refusal] = take();
  assert.equal(refusal?.['id'], 3);
  assert.match((refusal?.['error'] as { message: string }).message, /limit is 2/);
  resolve[0]?.({});
  await settle();
  receive(ask(3));
  assert.equal(connection.inFlight, 2);
});

test('connection: unasked answers are reported and dropped', () => {
  const { receive, errors, take } = bench();
  receive({ jsonrpc, id: 5, result: {} });
  receive({ jsonrpc, id: '1', error: { code: 1, message: 'why' } });
  receive({ jsonrpc, id: null, error: { code: -32700, message: 'could not read that' } });
  receive({ jsonrpc, error: { code: -32600, message: 'nor that' } });
  assert.deepEqual(errors, [
    'a response to a request that was not sent (id 5)',
    'a response to a request that was not sent (id "1"): why',
    'a response to a request that was not sent (id null): could not read that',
    'a response to a request that was not sent (id null): nor that',
  ]);
  assert.deepEqual(take(), []);
});

test('connection: an answer is judged by who has asked; where nobody has, it is reported, whatever it holds', async () => {
  const { connection, errors, take } = bench();
  const hear = (message: object): void => connection.receive(decodeUnchecked(JSON.stringify({ jsonrpc, ...message })));
  hear({ id: 5, result: 7 });
  hear({ id: {}, error: null });
  hear({ error: { code: 'x', message: ['no'] } });
  hear({ id: 2, error: { message: 'why' } });
  assert.deepEqual(errors.splice(0), [
    'a response to a request that was not sent (id 5)',
    'a response to a request that was not sent (id an object)',
    'a response to a request that was not sent (id null)',
    'a response to a request that was not sent (id 2): why',
  ]);
  assert.deepEqual(take(), []);
  const asked = [requestsOf(connection).request('a'), requestsOf(connection).request('b'), requestsOf(connection).request('c')] as const;
  hear({ id: 1, result: { a: 1 } });
  hear({ id: 2, error: { code: -32601, message: 'no b' } });
  hear({ id: 3, result: 'text' });
  assert.deepEqual(await asked[0], { a: 1 });
  await assert.rejects(asked[1], { code: -32601, message: 'no b' });
  await assert.rejects(asked[2], { code: -32600, message: 'Invalid response: "result" must be an object' });
});

const malformed: [string, object, RegExp][] = [
  ['nothing', {}, /^Invalid response: neither "method" nor "result" nor "error"$/],
  ['both', { result: {}, error: { code: 1, message: 'x' } }, /^Invalid response: both "result" and "error"$/],
  ['result and null', { result: {}, error: null }, /^Invalid response: both/],
  ['an error that is none', { error: 'x' }, /^Invalid response: "error" must have/],
  ['an error without a code', { error: { message: 'x' } }, /^Invalid response: "error" must have/],
  ['a result that is none', { result: [] }, /^Invalid response: "result" must be an object$/],
  ['another version', { jsonrpc: '1.0', result: {} }, /^Invalid response: "jsonrpc" must be "2.0"$/],
];
for (const [name, members, says] of malformed) {
  test(`connection: a malformed answer fails its question at once: ${name}`, async () => {
    const { connection, receive, errors, take } = bench();
    const call = requestsOf(connection).request('m');
    const other = requestsOf(connection).request('n');
    take();
    receive({ jsonrpc, id: 1, ...members });
    await assert.rejects(
      call,
      (error: RpcError) => error instanceof RpcError && error.code === -32600 && says.test(error.message),
    );
    // The peer gets no error about its response: with this id it could look like the response to the peer's own request.
    assert.deepEqual(take(), [undefined]);
    assert.match(errors.join(), says);
    // A valid response after it is late, which is not a fault.
    receive({ jsonrpc, id: 1, result: {} });
    assert.equal(errors.length, 1);
    receive({ jsonrpc, id: 2, result: { a: 1 } });
    assert.deepEqual(await other, { a: 1 });
  });
}

test('connection: what cannot be an answer, or answers nothing, is refused as before', () => {
  const { connection, receive, errors, take } = bench();
  void requestsOf(connection).request('m').catch(() => {});
  take();
  // Requests of the peer with the same id as our pending request.
  receive({ jsonrpc, id: 1, method: 5 });
  receive({ jsonrpc, id: 1, method: 'm', params: 7 });
  receive({ jsonrpc, id: 2, result: 'x' });
  receive({ jsonrpc, id: '1', result: 'x' });
  receive({ jsonrpc, id: 1.5, result: {} });
  assert.deepEqual(take().map((sent) => [sent?.['id'], (sent?.['error'] as { code: number }).code]),
    [[1, -32600], [1, -32600], [2, -32600], ['1', -32600], [undefined, -32600]]);
  assert.equal(requestsOf(connection).size, 1);
  assert.deepEqual(errors, []);
  connection.close();
});

test('connection: a malformed answer in a batch', async () => {
  const { connection, receive, take } = bench();
  connection.takeBatch = takeBatch;
  const call = requestsOf(connection).request('m');
  take();
  receive([ask('a', 'ping'), { jsonrpc, id: 1 }, { jsonrpc, id: 9 }]);
  await assert.rejects(call, /Invalid response: neither/);
  await settle();
  assert.deepEqual((take() as unknown as Sent[][]).flat().map(({ id }) => id), ['a', 9]);
});

test('connection: an id of another type is another id', async () => {
  const { connection, receive, errors } = bench();
  const call = requestsOf(connection).request('m');
  receive({ jsonrpc, id: '1', result: { wrong: true } });
  assert.equal(errors.length, 1);
  receive({ jsonrpc, id: 1, result: { right: true } });
  assert.deepEqual(await call, { right: true });
});

test('connection: one question can be failed alone', async () => {
  const { connection, receive } = bench();
  const [a, b] = [requestsOf(connection).request('a'), requestsOf(connection).request('b')];
  requestsOf(connection).fail(1, new Error('its stream broke'));
  await assert.rejects(a, /its stream broke/);
  receive({ jsonrpc, id: 2, result: {} });
  await b;
});

test('connection: an outlet that throws fails the call', async () => {
  const { connection } = bench();
  const send = (): never => {
    throw new Error('no pipe');
  };
  await assert.rejects(requestsOf(connection).request('m', undefined, {}, { send }), /no pipe/);
  assert.equal(requestsOf(connection).size, 0);
});

test('connection: close fails what is pending, stops the handlers, and is final', async () => {
  const { request, inbound, resolve } = held();
  const { connection, receive, take, errors } = bench({ request });
  receive(ask(7));
  const signal = inbound[0]?.signal;
  const cause = new Error('exit 3');
  const calls = [requestsOf(connection).request('a'), requestsOf(connection).request('b')];
  take();
  const idle = connection.idle();
  connection.close('the server exited', cause);
  for (const [index, method] of ['a', 'b'].entries()) {
    await assert.rejects(calls[index] as Promise<unknown>, (thrown) => {
      assert.ok(thrown instanceof ConnectionError);
      assert.deepEqual([thrown.reason, thrown.message, thrown.cause], [
        'closed', `${method}: the server exited`, cause,
      ]);
      return true;
    });
  }
  assert.equal(signal?.aborted, true);
  await idle;
  assert.equal(connection.inFlight, 0);
  resolve[0]?.({});
  await settle();
  assert.deepEqual(take(), [undefined]);

  await assert.rejects(requestsOf(connection).request('c'), /the server exited/);
  notify(connection, 'n');
  receive(ask(8));
  receive({ jsonrpc, id: 1, result: {} });
  connection.close('again');
  // The port learns that this request gets no response, since over HTTP a stream waits for it; nothing is sent.
  assert.deepEqual(take().filter((text) => text !== undefined), []);
  assert.equal(inbound.length, 1);
  assert.deepEqual(errors, []);
});

test('connection: idle waits for every request of the peer', async () => {
  const { request, resolve } = held();
  const { connection, receive } = bench({ request });
  await connection.idle();
  receive(ask(1));
  receive(ask(2));
  receive(ask(3));
  let idle = false;
  const waiting = [connection.idle(), connection.idle()].map((promise) => promise.then(() => (idle = true)));
  resolve[0]?.({});
  receive(cancelled(2));
  await settle();
  assert.equal(idle, false);
  resolve[2]?.({});
  await Promise.all(waiting);
});

test('connection: a refused message is answered with the error, and with its id where it has one', () => {
  const { connection, take } = bench();
  connection.receive(decode('garbage'));
  connection.receive(decode('{"jsonrpc":"2.0","id":4,"method":7}'));
  const [first, second] = take();
  assert.deepEqual([first?.['id'], (first?.['error'] as { code: number }).code], [undefined, -32700]);
  assert.deepEqual([second?.['id'], (second?.['error'] as { code: number }).code], [4, -32600]);
});

test('connection: a batch is refused where the revision has none', () => {
  const { receive, take } = bench();
  receive([ask(1), ask(2)]);
  const [refusal, ...rest] = take();
  assert.deepEqual(rest, []);
  assert.ok(refusal && !('id' in refusal));
  assert.deepEqual(refusal?.['error'], {
    code: -32600, message: 'Invalid request: this protocol revision has no batches',
  });
});

test('connection: a batch is answered with one batch, once all is answered', async () => {
  const { request, resolve } = held();
  const noticed: string[] = [];
  const { connection, receive, take } = bench({ request, notification: ({ method }) => noticed.push(method) });
  connection.takeBatch = takeBatch;
  const call = requestsOf(connection).request('mine');
  take();
  receive([ask(1), { jsonrpc, method: 'n' }, ask(2), 'nonsense', { jsonrpc, id: 1, result: { yours: 1 } }]);
  assert.deepEqual(noticed, ['n']);
  assert.deepEqual(await call, { yours: 1 });
  resolve[1]?.({ n: 2 });
  await settle();
  assert.deepEqual(take(), []);
  resolve[0]?.({ n: 1 });
  await settle();
  const [batch, ...rest] = take();
  assert.deepEqual(rest, []);
  assert.deepEqual(batch, [
    { jsonrpc, error: { code: -32600, message: 'Invalid request: a message must be an object' } },
    { jsonrpc, id: 2, result: { n: 2 } },
    { jsonrpc, id: 1, result: { n: 1 } },
  ]);
});

test('connection: a batch without requests gets no answer, and a cancelled one is left out', async () => {
  const { request, resolve } = held();
  const { connection, receive, take } = bench({ request });
  connection.takeBatch = takeBatch;
  receive([{ jsonrpc, method: 'n' }, { jsonrpc, method: 'n' }]);
  assert.deepEqual(take(), []);
  receive([ask(1), ask(2)]);
  receive(cancelled(1));
  resolve[1]?.({ n: 2 });
  await settle();
  assert.deepEqual(take(), [[{ jsonrpc, id: 2, result: { n: 2 } }]]);
  receive([ask(3)]);
  receive(cancelled(3));
  assert.deepEqual(take(), [undefined]);
});

test('connection: ids and methods named like members of Object are only names', async () => {
  const { receive, take, errors } = bench({ request: ({ request: { method } }) => ({ method }) });
  for (const name of ['__proto__', 'constructor', 'hasOwnProperty']) {
    receive(ask(name, name));
    receive(cancelled(name));
    receive({ jsonrpc, id: name, result: {} });
  }
  assert.deepEqual(take().map((answer) => answer?.['result']), [
    { method: '__proto__' }, { method: 'constructor' }, { method: 'hasOwnProperty' },
  ]);
  assert.equal(errors.length, 3);
});

test('connection: an error without an id has none, or null where the revision wants that', () => {
  const { connection, receive, take } = bench();
  receive(7);
  connection.nullErrorId = true;
  receive(7);
  assert.deepEqual(take().map((sent) => [sent && 'id' in sent, sent?.['id']]), [[false, undefined], [true, null]]);
});

test('connection: a time that is up says the limit that was set, never what was left of it', async (t) => {
  const tick = mockTime(t);
  const { connection, receive } = bench({}, { maxTimeoutMs: 40 });
  const call = requestsOf(connection).request('m', {}, { timeoutMs: 30, onProgress: () => undefined });
  for (let passed = 0; passed < 40; passed += 5) {
    receive(progress(1, 1 + passed));
    tick(5);
  }
  await assert.rejects(call, { message: 'm: no answer within 40 ms' });
  const short = requestsOf(connection).request('m', {}, { timeoutMs: 5 });
  tick(5);
  await assert.rejects(short, { message: 'm: no answer within 5 ms' });
});
