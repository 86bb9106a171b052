import assert from 'node:assert/strict';
import test from 'node:test';
import { keptAnswer } from '../../src/fleet/kept-answer.ts';
import type { Outlet } from '../../src/jsonrpc/inbound-request.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A `keptAnswer`, with the recorded calls of its functions. */
function bench(room?: Outlet['room']) {
  const said: unknown[][] = [];
  let settle: { resolve: (kept: boolean) => void; reject: (fault: Error) => void } | undefined;
  const response: Outlet = {
    send: (text) => said.push(['send', text]),
    answer: (text, code) => said.push(['answer', text, code]),
    ...room && { room },
  };
  const answer = keptAnswer({
    response,
    keep: () => new Promise((resolve, reject) => {
      said.push(['keep']);
      settle = { resolve, reject };
    }),
    message: 'It cannot be kept', data: { code: 'away' },
    report: (thrown) => said.push(['report', (thrown as Error).message]),
    done: () => said.push(['done']),
  });
  return { said, answer, kept: () => settle };
}

const result = '{"jsonrpc":"2.0","id":"a","result":{}}';

test('a result goes out once it is kept, and what is said meanwhile does not wait', async () => {
  const { said, answer, kept } = bench();
  answer.send('note');
  answer.answer(result);
  answer.send('later');
  await turn();
  assert.deepEqual(said, [['send', 'note'], ['keep'], ['send', 'later']]);
  kept()?.resolve(true);
  await turn();
  assert.deepEqual(said.slice(3), [['answer', result, undefined], ['done']]);
});

test('a result that cannot be kept becomes an error with the id of its request', async () => {
  const { said, answer, kept } = bench();
  answer.answer(result);
  kept()?.reject(new Error('no store'));
  await turn();
  const error = { code: -32603, message: 'It cannot be kept', data: { code: 'away' } };
  const [, reported, [, text, code] = [], done] = said;
  assert.deepEqual([reported, code, done], [['report', 'no store'], -32603, ['done']]);
  assert.deepEqual(JSON.parse(String(text)), { jsonrpc: '2.0', id: 'a', error });
});

test('a request that was refused while its result was kept gets no other answer', async () => {
  const { said, answer, kept } = bench();
  answer.answer(result);
  kept()?.resolve(false);
  await turn();
  assert.deepEqual(said, [['keep'], ['done']]);
});

test('errors, and the missing answer of a cancelled request, keep nothing and go at once', () => {
  const { said, answer } = bench();
  answer.answer(undefined);
  answer.answer('{"error":{}}', -32602);
  assert.deepEqual(said, [['answer', undefined, undefined], ['answer', '{"error":{}}', -32602]]);
});

test('there is as much room as its response has', () => {
  assert.equal(bench().answer.room?.(1), true);
  assert.equal(bench((length) => length < 10).answer.room?.(10), false);
});
