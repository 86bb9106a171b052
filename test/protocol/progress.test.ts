import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { mockClock } from '../mock-clock.ts';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { systemClock } from '../../src/bounds/clock.ts';
import { cancellationOf, readCancellation } from '../../src/protocol/cancellation.ts';
import { ProgressReports, readProgress } from '../../src/protocol/progress.ts';

const paramsOf = (text: string | undefined): { progressToken: unknown; progress: number } | undefined =>
  text === undefined ? undefined : JSON.parse(text).params;

test('progress: a token is a string or an integer; anything else wants no reports', () => {
  for (const progressToken of [null, 1.5, true, {}, [1], 2 ** 53, 'x'.repeat(2000), undefined]) {
    assert.equal(ProgressReports.of({ progressToken }, systemClock), undefined);
  }
  assert.equal(ProgressReports.of(undefined, systemClock), undefined);
  for (const progressToken of ['', 'a', 0, -7]) {
    assert.equal(paramsOf(ProgressReports.of({ progressToken }, systemClock)?.next(1))?.progressToken, progressToken);
  }
});

test('progress: each report is above the last', () => {
  const reports = new ProgressReports('t', systemClock);
  const sent = [NaN, 1, 1, 0.5, -Infinity, 2, NaN, 3].map((progress) => paramsOf(reports.next(progress))?.progress);
  assert.deepEqual(sent.filter((progress) => progress !== undefined), [1, 2, 3]);
});

test('progress: the text of a report is what JSON makes of the whole notification', () => {
  for (const token of ['t', '"}\u2028', -7]) {
    const reports = new ProgressReports(token, systemClock);
    for (const [progress, total, message] of [[-0], [1e21, 2e300], [1e22, undefined, '"}'], [2e300, 2e300, '']] as const) {
      const params = { progressToken: token, progress, total, message };
      assert.equal(reports.next(progress, total, message), JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));
    }
  }
});

test('progress: reports in a loop are thinned out, the one that reaches the total is not', () => {
  mockClock(mock, { apis: ['Date'] });
  const reports = new ProgressReports(1, systemClock);
  let sent = 0;
  for (let i = 1; i < 100_000; i++) if (reports.next(i, 100_000)) sent++;
  assert.equal(sent, 100);
  assert.equal(paramsOf(reports.next(100_000, 100_000))?.progress, 100_000);
  mock.timers.tick(10_000);
  let later = 0;
  for (let i = 0; i < 1000; i++) if (reports.next(100_001 + i)) later++;
  assert.equal(later, 100);
  mock.reset();
});

test('progress: a clock that is set back changes nothing', () => {
  const clock = manualClock(86_400_000);
  const reports = new ProgressReports(1, clock);
  for (let i = 1; i <= 200; i++) reports.next(i);
  clock.tick(0);
  assert.equal(reports.next(201), undefined);
  clock.tick(1_000);
  let later = 0;
  for (let i = 202; i < 402; i++) if (reports.next(i)) later++;
  assert.equal(later, 50);
});

test('progress: a malformed report names its token and no progress, one for a token that is none is nothing', () => {
  const report = (params: Record<string, unknown>): unknown =>
    readProgress({ jsonrpc: '2.0', method: 'notifications/progress', params });
  for (const progress of [undefined, null, '1', NaN]) {
    assert.deepEqual(report({ progressToken: 1, progress }), { token: 1, progress: undefined });
  }
  assert.equal(report({ progressToken: 1.5, progress: 1 }), undefined);
  assert.equal(readProgress({ jsonrpc: '2.0', method: 'other', params: { progressToken: 1 } }), undefined);
});

test('cancellation: what is malformed cancels nothing, initialize is not cancelled, reasons are short', () => {
  const read = (params?: Record<string, unknown>): unknown =>
    readCancellation({ jsonrpc: '2.0', method: 'notifications/cancelled', ...params && { params } });
  for (const requestId of [undefined, null, 1.5, true, {}]) assert.equal(read({ requestId }), undefined);
  assert.equal(read(), undefined);
  assert.deepEqual(read({ requestId: 1, reason: 7 }), { id: 1, reason: 'The client cancelled the request' });
  assert.deepEqual(read({ requestId: 'a', reason: 'b' }), { id: 'a', reason: 'b' });
  assert.equal(cancellationOf(1, 'initialize', 'x'), undefined);
  const told = cancellationOf(1, 'tools/call', new Error('x'.repeat(1e6)));
  assert.ok(JSON.stringify(told).length < 400);
});

test('progress: a notification without parameters is none of a request', () => {
  assert.equal(readProgress({ jsonrpc: '2.0', method: 'notifications/progress' }), undefined);
  assert.equal(readProgress({ jsonrpc: '2.0', method: 'n', params: { progressToken: 1, progress: 1 } }), undefined);
});
