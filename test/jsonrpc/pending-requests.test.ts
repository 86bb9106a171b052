import assert from 'node:assert/strict';
import { longestTimerMs } from '../../src/bounds/options.ts';
import { getEventListeners } from 'node:events';
import test from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';
import type { Notification, RequestId } from '../../src/jsonrpc/message.ts';
import { PendingRequests } from '../../src/jsonrpc/pending-requests.ts';
import { mockClock } from '../mock-clock.ts';

/** Requests to a peer that answers when the test says so. Progress tokens are the request ids. */
function pending() {
  const errors: Error[] = [];
  const faults: Error[] = [];
  const told: unknown[] = [];
  let sent = 0;
  const requests = new PendingRequests({
    clock: systemClock,
    outlet: {
      send(text) {
        const { method, params } = JSON.parse(text) as Notification;
        if (method === 'cancelled') told.push(params?.['requestId']);
        else sent++;
      },
    },
    limits: { timeoutMs: 0, maxTimeoutMs: 0 },
    closed: undefined,
    handlers: { error: (error) => errors.push(error) },
    fault: (make) => faults.push(make()),
  }, {
    withToken: (params) => ({ ...params }),
    progressOf: ({ method, params }) => method === 'progress'
      ? { token: params?.['token'] as RequestId, progress: { progress: params?.['at'] as number } } : undefined,
    cancellationOf: (requestId) => ({ jsonrpc: '2.0', method: 'cancelled', params: { requestId } }),
  });
  const answer = (id: RequestId, result: Record<string, unknown> = {}): boolean => requests.settle({ jsonrpc: '2.0', id, result });
  const report = (params: Notification['params'], method: string = 'progress'): void =>
    requests.notice({ jsonrpc: '2.0', method, ...params && { params } });
  return { requests, errors, faults, told, answer, report, sent: () => sent };
}

const caught = (promise: Promise<unknown>): Promise<Error> => promise.then(() => assert.fail('it resolved'), (error: Error) => error);

test('an answer to a request without a limit leaves the limit of others as it is', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const { requests, answer } = pending();
  const limited = caught(requests.request('limited', {}, { timeoutMs: 1000 }));
  const unlimited = requests.request('unlimited');
  assert.equal(answer(2), true);
  await unlimited;
  t.mock.timers.tick(1000);
  assert.equal((await limited).message, 'limited: no answer within 1000 ms');
});

test('the times of a request are 0 to what a timer can wait, and nothing else', async () => {
  for (const name of ['timeoutMs', 'maxTimeoutMs']) {
    const { requests, answer } = pending();
    for (const [at, ms] of [0, 1, longestTimerMs].entries()) {
      const asked = requests.request('m', {}, { [name]: ms });
      assert.equal(answer(at + 1), true, `${name} ${ms}`);
      await asked;
    }
    for (const ms of [-1, longestTimerMs + 1, Number.NaN, Infinity, '5', null]) {
      await assert.rejects(async () => requests.request('m', {}, { [name]: ms } as never), /timeoutMs|maxTimeoutMs/i, `${name} ${ms}`);
    }
  }
});

test('a signal of many requests is let go of by each that ends', async () => {
  const { requests, answer } = pending();
  const { signal } = new AbortController();
  const calls = [requests.request('a', {}, { signal }), requests.request('b', {}, { signal })];
  assert.equal(getEventListeners(signal, 'abort').length, 2);
  answer(1);
  requests.fail(2, new Error('lost'));
  await Promise.allSettled(calls);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a late answer is expected of each of the last 256 requests that were given up, once, and of none before', async () => {
  const { requests, answer } = pending();
  const calls: Promise<Error>[] = [];
  const giveUp = (): void => {
    calls.push(caught(requests.request('slow')));
    requests.fail(calls.length, new Error('given up'));
  };
  for (let i = 0; i < 256; i++) giveUp();
  assert.equal(answer(1), true, 'the first of 256');
  assert.equal(answer(1), false, 'a second answer');
  giveUp();
  giveUp();
  assert.equal(answer(2), false, 'the first of 257');
  assert.equal(answer(3), true);
  await Promise.all(calls);
});

test('a result that comes too late is handed to who asked for it, an error is not', async () => {
  const { requests, answer } = pending();
  const late: unknown[] = [];
  for (let i = 0; i < 2; i++) {
    const call = caught(requests.request('slow', {}, { onLate: (result) => late.push(result) }));
    requests.fail(i + 1, new Error('given up'));
    await call;
  }
  assert.equal(answer(1, { at: 'last' }), true);
  assert.equal(requests.settle({ jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'no' } }), true);
  assert.deepEqual(late, [{ at: 'last' }]);
});

test('an error without an id is the answer to the only request that waits, and to none of several', async () => {
  const { requests, answer } = pending();
  const unread = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } } as const;
  const unreadable = (): boolean => requests.settle(unread as unknown as Parameters<typeof requests.settle>[0]);
  assert.equal(unreadable(), false, 'nobody waits');
  const calls = [requests.request('a'), caught(requests.request('b'))];
  assert.equal(unreadable(), false, 'two wait');
  assert.equal(answer(1), true);
  assert.equal(unreadable(), true, 'one waits');
  await calls[0];
  assert.match(String(await calls[1]), /Parse error/);
});

test('a report of progress that nobody waits for is no fault and no error', async () => {
  const { requests, errors, faults, answer, report } = pending();
  const seen: number[] = [];
  const calls = [
    requests.request('deaf'),
    requests.request('follows', {}, { onProgress: ({ progress }) => seen.push(progress) }),
  ];
  report({ token: 1, at: 1 });
  report({ token: 2, at: 2 });
  report({ token: 3, at: 3 });
  report({ level: 'info' }, 'something else');
  answer(2);
  report({ token: 2, at: 4 });
  answer(1);
  await Promise.all(calls);
  assert.deepEqual([seen, errors, faults], [[2], [], []]);
});

test('a caller that stops waiting is told why, and the peer is told once', async () => {
  const { requests, told, answer, sent } = pending();
  const controller = new AbortController();
  const call = caught(requests.request('slow', {}, { signal: controller.signal }));
  controller.abort(new Error('enough'));
  assert.equal((await call).message, 'enough');
  assert.deepEqual(told, [1]);
  assert.equal(answer(1), true);
  assert.deepEqual([requests.size, sent()], [0, 1]);
});
