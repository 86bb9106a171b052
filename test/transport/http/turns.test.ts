import assert from 'node:assert/strict';
import test from 'node:test';
import { systemClock } from '../../../src/bounds/clock.ts';
import type { Decoded, Request } from '../../../src/jsonrpc/message.ts';
import { Turns } from '../../../src/transport/http/server/turns.ts';

const KiB = 1024;

function call(name: string, weight: number = 100): Decoded & { message: Request } {
  return { kind: 'request', weight, message: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } } };
}

test('turns: calls with long answers wait for one another, and nobody waits for them', async () => {
  const turns = new Turns(systemClock);
  const ran: string[] = [];
  const take = (decoded: Decoded, what: string): boolean => turns.take(decoded, () => ran.push(what));
  take(call('big'), 'first');
  turns.answered(call('big').message, 300 * KiB);
  let last = (): void => {};
  const all = new Promise<void>((resolve) => (last = resolve));
  take(call('big'), 'second');
  take(call('big'), 'third');
  turns.take(call('big'), () => {
    ran.push('fourth');
    last();
  });
  take(call('small'), 'another tool');
  take({ kind: 'notification', message: { jsonrpc: '2.0', method: 'big' } }, 'a notification');
  take(call('big', 5000), 'one whose parameters are not held uncharged');
  const many = call('big', 3000);
  Object.assign(many.message.params ?? {}, { arguments: Array(1000).fill({}) });
  take(many, 'one whose text is short, and whose values are many');
  assert.deepEqual(ran, [
    'first', 'another tool', 'a notification', 'one whose parameters are not held uncharged',
    'one whose text is short, and whose values are many',
  ]);
  await all;
  assert.deepEqual(ran.slice(5), ['second', 'third', 'fourth']);
});

test('turns: newer messages pass those that wait, for a while', async () => {
  const turns = new Turns(systemClock);
  turns.answered(call('big').message, 300 * KiB);
  let ran = false;
  turns.take(call('big'), () => (ran = true));
  let passed = 0;
  while (!ran) {
    turns.take(call('small'), () => passed++);
    await new Promise(setImmediate);
  }
  assert.ok(passed > 1);
});

test('turns: a tool whose last answer was short does not wait, and of those that wait there are a thousand at most', async () => {
  const turns = new Turns(systemClock);
  let ran = 0;
  turns.answered(call('big').message, 300 * KiB);
  for (let i = 0; i < 1000; i++) assert.equal(turns.take(call('big'), () => ran++), true);
  assert.equal(turns.take(call('big'), () => ran++), false);
  assert.equal(ran, 0);
  turns.answered(call('big').message, 10);
  assert.equal(turns.take(call('big'), () => ran++), true);
  assert.equal(ran, 1);
  // Run all of them: otherwise a timer would be left.
  while (ran < 1001) await new Promise(setImmediate);
});

test('turns: kinds differ by the target of the method only, and a long target is not kept', async () => {
  const turns = new Turns(systemClock);
  const ran: string[] = [];
  const of = (method: string, params: Record<string, string>): Decoded & { message: Request } => ({
    kind: 'request', weight: 100, message: { jsonrpc: '2.0', id: 1, method, params },
  });
  const read = (uri: string, name: string): Decoded & { message: Request } => of('resources/read', { uri, name });
  const long = 'x'.repeat(2000);
  for (const { message } of [read('a:b', 'one'), of('prompts/get', { name: long }), of('tools/list', { name: 'one' })]) {
    turns.answered(message, 300 * KiB);
  }
  // Each of them waits: a name that the method does not have, or a long one, makes no kind of its own.
  for (const decoded of [read('a:b', 'two'), of('prompts/get', { name: `${long}x` }), of('tools/list', { name: 'two' })]) {
    turns.take(decoded, () => ran.push('waited'));
  }
  turns.take(read('a:c', 'one'), () => ran.push('at once'));
  assert.deepEqual(ran, ['at once']);
  while (ran.length < 4) await new Promise(setImmediate);
});
