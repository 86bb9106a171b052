// Grouping of wire entries into exchanges: legacy and modern, over stdio and HTTP, complete, cancelled, lost, with several rounds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireEntry, WireMessage } from '../../src/messages.ts';
import { Exchanges, standingOf, tookOf } from '../../src/ui/wire/exchanges.ts';

let seq = 0;
function message(change: Partial<WireMessage>): WireEntry {
  const text = change.text ?? '{}';
  return {
    kind: 'message', seq: ++seq, at: seq, server: 'one', connection: 1, direction: 'sent', exchange: null, text, chars: text.length, whole: true, shape: 'request',
    method: 'tools/call', rpcId: '1', answers: null, ms: null, sentence: '', section: '', origin: 'peer', event: null, ...change,
  };
}
const request = (rpcId: string, change: Partial<WireMessage> = {}): WireEntry => message({ rpcId, ...change });
const answer = (to: WireEntry, text = '{"result":{}}', change: Partial<WireMessage> = {}): WireEntry => message({
  direction: to.direction === 'sent' ? 'received' : 'sent', shape: 'result', rpcId: to.kind === 'message' ? to.rpcId : '', answers: to.seq, exchange: to.exchange, text, ...change,
});
const http = (exchange: number, status: number | null): WireEntry => ({
  kind: 'http', seq: ++seq, at: seq, server: 'one', connection: 1, direction: status === null ? 'sent' : 'received', exchange, method: 'POST', path: '/mcp', status, headers: {}, sentence: '', section: '',
});
const mark = (what: 'opened' | 'closed'): WireEntry => ({ kind: 'mark', seq: ++seq, at: seq, server: 'one', connection: 1, direction: 'sent', exchange: null, what, why: '' });

/** The exchanges: the indexes of their entries, and their state. */
function folded(...entries: WireEntry[]): (readonly [places: readonly number[], standing: string])[] {
  const made = new Exchanges();
  for (const entry of entries) made.add(entry);
  return made.list.map((one) => [[one.lead, ...one.inside].map((entry) => entries.indexOf(entry)), standingOf(one)]);
}

test('requests that overlap keep their own answers, progress and heads of HTTP', () => {
  const [first, second] = [request('1', { exchange: 7 }), request('2', { exchange: 8 })];
  const progress = message({ direction: 'received', shape: 'notification', method: 'notifications/progress', rpcId: '', answers: first.seq, exchange: 7 });
  assert.deepEqual(folded(first, http(7, null), second, http(8, null), http(8, 200), answer(second), http(7, 200), progress, answer(first)), [[[0, 1, 6, 7, 8], 'done'], [[2, 3, 4, 5], 'done']]);
});

test('the head of a POST goes before its message, and is inside what that begins or goes on with', () => {
  const carried = (exchange: number, one: (exchange: number) => WireEntry): WireEntry[] => [http(exchange, null), one(exchange)];
  const [headOne, call] = carried(1, (exchange) => request('1', { exchange }));
  assert.ok(headOne && call);
  const asks = message({ direction: 'received', method: 'elicitation/create', rpcId: '9', exchange: 1 });
  const [headTwo, said] = carried(2, (exchange) => answer(asks, '{"result":{}}', { exchange }));
  const [headThree, note] = carried(3, (exchange) => message({ shape: 'notification', method: 'notifications/initialized', rpcId: '', exchange }));
  assert.ok(headTwo && said && headThree && note);
  assert.deepEqual(folded(headOne, call, http(1, 200), asks, headTwo, said, http(2, 202), answer(call), headThree, note, http(3, 202)), [[[1, 0, 2, 3, 4, 5, 6, 7], 'done'], [[9, 8, 10], 'single']]);
  // The error in the body of an HTTP response has no id.
  const [head, refused] = carried(4, (exchange) => request('2', { exchange }));
  assert.ok(head && refused);
  assert.deepEqual(folded(head, refused, http(4, 401), message({ direction: 'received', shape: 'error', method: '', rpcId: '', exchange: 4 }), mark('closed')), [[[1, 0, 2, 3], 'login'], [[4], 'single']]);
  // A GET carries no sent message.
  assert.deepEqual(folded({ ...http(5, null), method: 'GET' } as WireEntry, http(5, 200), message({ direction: 'received', shape: 'notification', rpcId: '', exchange: 5 })), [[[0, 1], 'single'], [[2], 'single']]);
});

test('what belongs to no request stands for itself', () => {
  const listening = http(3, 200);
  const over = message({ direction: 'received', shape: 'notification', method: 'notifications/tools/list_changed', rpcId: '', exchange: 3 });
  const unasked = message({ direction: 'received', shape: 'result', rpcId: '99' });
  const batch = message({ shape: 'batch', method: '', rpcId: '' });
  assert.deepEqual(folded(listening, over, unasked, batch, request('1')), [[[0], 'single'], [[1], 'single'], [[2], 'single'], [[3], 'single'], [[4], 'open']]);
});

test('a question is inside the one call that waits, and beside two', () => {
  const call = request('1');
  const asks = message({ direction: 'received', method: 'elicitation/create', rpcId: '"q"' });
  const entries = [call, asks, answer(asks), answer(call)];
  assert.deepEqual(folded(...entries), [[[0, 1, 2, 3], 'done']]);
  const [one, other] = [request('1'), request('2')];
  const unclear = message({ direction: 'received', method: 'elicitation/create', rpcId: '"q"' });
  assert.deepEqual(folded(one, other, unclear, answer(unclear)), [[[0], 'open'], [[1], 'open'], [[2, 3], 'done']]);
});

test('over HTTP the stream says which call a question belongs to', () => {
  const [one, other] = [request('1', { exchange: 4 }), request('2', { exchange: 5 })];
  const asks = message({ direction: 'received', method: 'sampling/createMessage', rpcId: '9', exchange: 5 });
  assert.deepEqual(folded(one, other, asks, answer(asks, '{}', { exchange: 6 })), [[[0], 'open'], [[1, 2, 3], 'open']]);
});

test('a result that asks for input and the request that answers it are rounds of one exchange', () => {
  const state = 's'.repeat(300);
  const first = request('1');
  const wants = answer(first, `{"result":{"resultType":"input_required","requestState":"${state}"}}`);
  assert.deepEqual(folded(first, wants), [[[0, 1], 'input']]);
  const again = request('2', { text: `{"params":{"requestState":"${state}","inputResponses":{}}}` });
  const entries = [first, wants, again, answer(again)];
  assert.deepEqual(folded(...entries), [[[0, 1, 2, 3], 'done']]);
  const stranger = request('3', { text: '{"params":{"requestState":"another"}}' });
  assert.equal(folded(...entries, stranger).length, 2);
});

test('a request that was not accepted and is sent again is one exchange with its retries', () => {
  const retriesOf = (...entries: WireEntry[]): (number | string)[] => {
    const made = new Exchanges();
    for (const entry of entries) made.add(entry);
    return made.list.flatMap((one) => [one.retries, one.rounds, standingOf(one), tookOf(one) ?? 'no time']);
  };
  // After a login or a redirect the same message is sent in another HTTP request.
  for (const [status, standing] of [[401, 'login'], [307, 'open']] as const) {
    const first = request('1', { exchange: 1 });
    const tries = [http(1, null), first, http(1, status)];
    assert.deepEqual(folded(...tries), [[[1, 0, 2], standing]]);
    const again = request('1', { exchange: 2 });
    const whole = [...tries, http(2, null), again, http(2, 200), answer(again)];
    assert.deepEqual(folded(...whole), [[[1, 0, 2, 3, 4, 5, 6], 'done']]);
    assert.deepEqual(retriesOf(...whole), [1, 1, 'done', (whole[6]?.at ?? 0) - first.at]);
    assert.deepEqual(folded(...whole.slice(0, 5)), [[[1, 0, 2, 3, 4], 'open']], 'it waits again');
    // Another id is another call.
    assert.equal(folded(...tries, http(2, null), request('2', { exchange: 2 })).length, 2);
  }
  // The session is lost: a new one is opened first, and the call gets another id.
  const call = (id: string, exchange: number, token: number, args = '{"a":1}'): WireEntry => request(id, { exchange, text: `{"params":{"_meta":{"progressToken":${token}},"arguments":${args}}}` });
  const sent = (exchange: number, headers: Readonly<Record<string, string>>): WireEntry => ({ ...http(exchange, null), headers } as WireEntry);
  const inSession = { 'mcp-session-id': '[redacted]' };
  const opening = request('9', { method: 'initialize', exchange: 4 });
  const expired = [sent(3, inSession), call('3', 3, 3), http(3, 404), http(4, null), opening, http(4, 200), answer(opening)];
  const after = call('10', 5, 10);
  assert.deepEqual(folded(...expired, sent(5, inSession), after, http(5, 200), answer(after)), [[[1, 0, 2, 7, 8, 9, 10], 'done'], [[4, 3, 5, 6], 'done']]);
  assert.equal(folded(...expired, sent(5, inSession), call('10', 5, 10, '{"a":2}')).length, 3, 'other arguments');
  assert.equal(folded(sent(3, {}), call('3', 3, 3), http(3, 404), call('10', 5, 10)).length, 2, 'no session');
  // The server reports a mismatch; the client lists the tools before it repeats the call.
  const [first, list, second] = [call('1', 1, 1), request('2', { method: 'tools/list', exchange: 2 }), call('3', 3, 3)];
  const mismatch = answer(first, '{"error":{"code":-32020}}', { shape: 'error' });
  const retried = [first, http(1, 400), mismatch, list, answer(list), second, answer(second, '{"error":{"code":-32020}}', { shape: 'error' })];
  assert.deepEqual(folded(...retried), [[[0, 1, 2, 5, 6], 'error'], [[3, 4], 'done']]);
  assert.deepEqual(retriesOf(...retried).slice(0, 3), [1, 1, 'error']);
  const third = call('4', 4, 4);
  assert.deepEqual(retriesOf(...retried, third, answer(third)).slice(0, 3), [2, 1, 'done']);
  // A failed call that a person repeats is a new exchange.
  const failed = request('1');
  assert.equal(folded(failed, answer(failed, '{"error":{"code":-32602}}', { shape: 'error' }), request('2')).length, 2);
  // A refused answer of the person does not count for the call.
  const asking = request('1', { exchange: 1 });
  const asks = message({ direction: 'received', method: 'elicitation/create', rpcId: '9', exchange: 1 });
  assert.deepEqual(folded(asking, asks, http(2, null), answer(asks, '{}', { exchange: 2 }), http(2, 400)), [[[0, 1, 2, 3, 4], 'open']]);
  // Arguments nested too deep for a comparison cause no failure.
  const deep = (id: string): WireEntry => call(id, 1, 1, `${'['.repeat(8_000)}${']'.repeat(8_000)}`);
  const bottom = deep('1');
  assert.equal(folded(bottom, answer(bottom, '{"error":{"code":-32020}}', { shape: 'error' }), deep('2')).flatMap(([places]) => places).length, 3);
});

test('cancelled, lost, failed, failed by the tool, and the probe of a client of both eras', () => {
  const call = request('1');
  const cancel = message({ shape: 'notification', method: 'notifications/cancelled', rpcId: '', text: '{"params":{"requestId":1}}' });
  assert.deepEqual(folded(call, cancel), [[[0, 1], 'cancelled']]);
  const theirs = message({ direction: 'received', shape: 'notification', method: 'notifications/cancelled', rpcId: '', text: '{"params":{"requestId":1}}' });
  assert.deepEqual(folded(request('1'), theirs), [[[0], 'open'], [[1], 'single']]);
  assert.deepEqual(folded(request('1'), mark('closed')), [[[0], 'lost'], [[1], 'single']]);
  const probe = request('1', { method: 'server/discover' });
  assert.deepEqual(folded(probe, answer(probe, '{"error":{}}', { shape: 'error' })), [[[0, 1], 'probe']]);
  const [bad, wrong] = [request('1'), request('2')];
  assert.deepEqual(folded(bad, answer(bad, '{}', { shape: 'error' }), wrong, answer(wrong, '{"result":{"isError":true}}')), [[[0, 1], 'error'], [[2, 3], 'tool error']]);
});

test('texts that are not JSON, or whose members are of other kinds, join nothing and harm nothing', () => {
  for (const text of ['"requestState"', '{"params":7,"x":"requestState"}', '{"params":{"requestState":{"a":1}}}', 'null "requestState"', '{"params":{"requestId":{"__proto__":1}}}']) {
    const cancel = message({ shape: 'notification', method: 'notifications/cancelled', rpcId: '', text });
    assert.deepEqual(folded(request('1', { text }), cancel), [[[0], 'open'], [[1], 'single']]);
  }
});

test('what was cleared is forgotten, and an exchange of which something is held stays', () => {
  const made = new Exchanges();
  const [gone, kept] = [request('1'), request('2')];
  const last = [gone, kept, answer(gone), answer(kept)];
  for (const entry of last) made.add(entry);
  made.release(last[2]?.seq ?? 0);
  assert.deepEqual(made.list.map(({ lead }) => lead), [kept]);
  assert.equal(made.of(gone.seq), undefined);
  assert.equal(made.of(last[3]?.seq ?? 0)?.lead, kept);
});

test('a hundred thousand entries are joined in well under a second', () => {
  const made = new Exchanges();
  const began = performance.now();
  for (let at = 0; at < 50_000; at++) {
    const call = request(String(at));
    made.add(call);
    made.add(answer(call));
  }
  const took = performance.now() - began;
  console.log(`# joined in ${Math.round(took)} ms`);
  assert.equal(made.list.length, 50_000);
  assert.ok(took < 5_000, `${took} ms`);
});
