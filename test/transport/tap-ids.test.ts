import assert from 'node:assert/strict';
import test from 'node:test';
import { decode } from '../../src/jsonrpc/message.ts';
import { tapIds } from '../../src/transport/tap-ids.ts';

const answer = (id: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result: {} });

test('an injected request has an id that its answer is known by, and so has its progress token', () => {
  const ids = tapIds();
  const own = ids.own('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":1}}}');
  const { id, params: { _meta: { progressToken } } } = JSON.parse(own) as { id: string; params: { _meta: { progressToken: string } } };
  assert.deepEqual([id, progressToken], ['page-1', 'page-2']);
  assert.equal(ids.forClient(decode(answer(id))), undefined);
  // A text that already has such ids, or none, is unchanged.
  for (const text of [own, '{ "jsonrpc": "2.0", "method": "notifications/initialized" }', answer(1)]) assert.equal(ids.own(text), text);
});

test('of a batch the client gets what is not ours', () => {
  const ids = tapIds();
  const rest = ids.forClient(decode(`[${answer('page-1')},${answer(7)}]`));
  assert.deepEqual(rest?.kind === 'batch' && rest.values, [JSON.parse(answer(7))]);
  assert.equal(ids.forClient(decode(`[${answer('page-1')},${answer('page-2')}]`)), undefined);
});

test('a text that is not JSON is not injected with the id of a request that waits, until that has its answer', () => {
  for (const end of ['settled', 'answered', 'cleared']) {
    const ids = tapIds();
    const text = '{"jsonrpc":"2.0","id":5,"method":';
    assert.equal(ids.own(text), text);
    ids.asked(5);
    assert.throws(() => ids.own(text), /waits for an answer/);
    if (end === 'settled') ids.settled(5);
    else if (end === 'cleared') ids.clear();
    else assert.ok(ids.forClient(decode(answer(5))));
    assert.equal(ids.own(text), text);
  }
});

test('over a pipe an injected text that cannot be read is answered without an id, once; of others the client hears', () => {
  const error = decode('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}');
  const broken = '{"jsonrpc":';
  const ids = tapIds();
  ids.outgoing(broken, decode(broken), true);
  assert.equal(ids.forClient(error), undefined);
  assert.equal(ids.forClient(error), error);
  assert.match(String(ids.outgoing(broken, decode(broken), false).id), /^page-/);
  assert.equal(ids.forClient(error), error);
  ids.outgoing(broken, decode(broken), true);
  ids.clear();
  assert.equal(ids.forClient(error), error);
});
