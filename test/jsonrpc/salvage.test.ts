import assert from 'node:assert/strict';
import test from 'node:test';
import { Connection } from '../../src/jsonrpc/connection.ts';
import { RpcError } from '../../src/jsonrpc/errors.ts';
import { createFramer } from '../../src/jsonrpc/framing.ts';
import type { Refusal } from '../../src/jsonrpc/message.ts';
import { readCancellation } from '../../src/protocol/cancellation.ts';
import { requestsOf } from '../../src/protocol/progress.ts';

/** The refusal of a too long line, read in chunks of a given size. */
function refused(line: string, chunk: number, maxBytes = 1000): Refusal {
  const seen: Refusal[] = [];
  const framer = createFramer({ line: () => assert.fail('a line'), refused: (one) => seen.push(one) }, maxBytes);
  const bytes = Buffer.from(`${line}\n`);
  for (let at = 0; at < bytes.length; at += chunk) framer.push(bytes.subarray(at, at + chunk));
  assert.equal(seen.length, 1);
  return seen[0] as Refusal;
}

const text = 'x'.repeat(2000);
// As the official SDKs and others write them: the id before or after the large member, or not kept.
const shapes: readonly (readonly [line: string, id: string | number | null, kind: 'answer' | 'call'])[] = [
  [`{"jsonrpc":"2.0","id":7,"result":{"text":"${text}"}}`, 7, 'answer'],
  [`{"result":{"text":"${text}"},"jsonrpc":"2.0","id":7}`, 7, 'answer'],
  [`{"result":{"text":"${text}"},"id":"a\\"b","jsonrpc":"2.0"}`, 'a"b', 'answer'],
  [`{ "id" : -3 , "jsonrpc" : "2.0" , "error" : {"code":1,"message":"${text}"} }`, -3, 'answer'],
  [`{"jsonrpc":"2.0","id":"q","method":"tools/call","params":{"text":"${text}"}}`, 'q', 'call'],
  [`{"method":"tools/call","params":{"text":"${text}"},"jsonrpc":"2.0","id":9}`, 9, 'call'],
  [`{"params":{"text":"${text}"},"method":"tools/call","jsonrpc":"2.0","id":9}`, 9, 'call'],
  [`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${text}"}}`, null, 'call'],
  // An `id` that is not the id of the message.
  [`{"jsonrpc":"2.0","result":{"text":"${text}","id":7}}`, null, 'answer'],
  [`{"jsonrpc":"2.0","result":{"text":"${text},\\"id\\":7"}}`, null, 'answer'],
  [`{"result":{"id":5,"text":"${text}"},"jsonrpc":"2.0"}`, null, 'answer'],
  [`{"result":{"text":"${text}"},"jsonrpc":"2.0","id":1.5}`, null, 'answer'],
  [`{"result":{"text":"${text}"},"jsonrpc":"2.0","id":"\\x"}`, null, 'answer'],
  [`[{"jsonrpc":"2.0","id":7,"result":{"text":"${text}"}}]`, null, 'answer'],
  [text, null, 'answer'],
];

for (const [line, id, kind] of shapes) {
  const ends = `${line.slice(0, 40)}…${line.slice(-30)}`;
  test(`a line above the limit: ${ends} is ${id === null ? 'of no known id' : `that of ${id}`}`, () => {
    for (const chunk of [1, 3, 100, 999, 1001, 5000]) {
      const refusal = refused(line, chunk);
      assert.equal(refusal.id, id, `chunks of ${chunk}`);
      assert.equal(refusal.error.message, 'Invalid request: the message is over the limit of 1000 bytes');
      assert.equal(refusal.responseFault !== undefined, kind === 'answer');
    }
  });
}

test('a line above the limit that is cut at every byte', () => {
  const [line] = shapes[1] as (typeof shapes)[number];
  for (let at = 1; at < line.length; at += 7) {
    const seen: Refusal[] = [];
    const framer = createFramer({ line: () => assert.fail('a line'), refused: (one) => seen.push(one) }, 1000);
    const bytes = Buffer.from(`${line}\n`);
    framer.push(bytes.subarray(0, at));
    framer.push(bytes.subarray(at));
    assert.deepEqual(seen.map(({ id }) => id), [7]);
  }
});

function asking(): { connection: Connection; calls: Promise<unknown>[]; errors: string[] } {
  const errors: string[] = [];
  const connection = new Connection({ send() {}, answer() {} }, {
    request: () => ({}), notification() {}, cancellation: readCancellation, error: ({ message }) => errors.push(message),
  });
  return { connection, calls: [], errors };
}

test('a call whose answer is above the limit fails at once, by its id', async () => {
  const { connection } = asking();
  const calls = [requestsOf(connection).request('a'), requestsOf(connection).request('b')];
  connection.receive(refused(`{"jsonrpc":"2.0","id":2,"result":{"text":"${text}"}}`, 100));
  await assert.rejects(calls[1] as Promise<unknown>, (error) => error instanceof RpcError
    && error.message === 'Invalid response: the message is over the limit of 1000 bytes');
  assert.equal(requestsOf(connection).size, 1);
  connection.close();
  await assert.rejects(calls[0] as Promise<unknown>);
});

test('a call that alone can have been meant fails at once, by elimination', async () => {
  const { connection } = asking();
  const large = refused(`{"jsonrpc":"2.0","result":{"text":"${text}"},"id":${' '.repeat(300)}1}`, 100);
  assert.equal(large.id, null);
  const [a, b] = [requestsOf(connection).request('a'), requestsOf(connection).request('b')];
  a.catch(() => {});
  connection.receive(large);
  assert.equal(requestsOf(connection).size, 2, 'one of two: nobody knows which');
  connection.receive({ kind: 'success', message: { jsonrpc: '2.0', id: 1, result: {} } });
  connection.receive(large);
  await assert.rejects(b, /over the limit of 1000 bytes/);
});

test('a request of ours that the peer could not read fails at once, by elimination', async () => {
  const { connection } = asking();
  const call = requestsOf(connection).request('a');
  connection.receive({
    kind: 'failure', message: { jsonrpc: '2.0', error: { code: -32600, message: 'over the limit of 1000 bytes' } },
  });
  await assert.rejects(call, /over the limit of 1000 bytes/);
});
