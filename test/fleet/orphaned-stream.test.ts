import assert from 'node:assert/strict';
import test from 'node:test';
import { lastTexts } from '../../src/fleet/resumption.ts';

const question = (id: string | number): string => JSON.stringify({ jsonrpc: '2.0', id, method: 'elicitation/create', params: {} });
const progress = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } });
const answer = (id: number): string => JSON.stringify({ jsonrpc: '2.0', id, result: {} });

/** Describes each message in a few words. */
const words = (texts: readonly string[]): string[] => texts.map((text) => {
  const { id, method, params, error } = JSON.parse(text) as
    { id?: unknown; method?: string; params?: { requestId: unknown }; error?: { code: number } };
  return error ? `error ${error.code} of ${String(id)}` : `${method} ${String(params?.requestId)}`;
});

test('an orphaned stream, cut after each of its events: questions are withdrawn, the request gets an error, unless it has its answer', () => {
  const texts = [progress, question('p-1'), progress, question(7), answer(3)];
  const said = texts.map((_, end) => words(lastTexts(texts.slice(0, end), 3)));
  const cancelled = ['notifications/cancelled p-1', 'notifications/cancelled 7'];
  const error = 'error -32603 of 3';
  assert.deepEqual(said, [[error], [error], [cancelled[0], error], [cancelled[0], error], [...cancelled, error]]);
  assert.deepEqual(lastTexts(texts, 3), []);
});

test('the answer to another request, and a question with the id of the request, are no answer', () => {
  assert.deepEqual(words(lastTexts([answer(4)], 3)), ['error -32603 of 3']);
  assert.deepEqual(words(lastTexts([question(3)], 3)), ['notifications/cancelled 3', 'error -32603 of 3']);
});

test('the stream of a batch has no request: its error has an id of null where the revision has such an id', () => {
  assert.deepEqual(lastTexts([answer(3)], undefined, true).map((text) => (JSON.parse(text) as { id?: unknown }).id), [null]);
  assert.deepEqual(lastTexts([answer(3)], undefined).map((text) => 'id' in (JSON.parse(text) as object)), [false]);
});
