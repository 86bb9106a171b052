import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { McpServer } from '../../src/server/index.ts';
import { requestStateSealer } from '../../src/server/modern/request-state.ts';
import { memoryStore, tasks } from '../../src/tasks/index.ts';
import type { StoredTask, TaskStore } from '../../src/tasks/index.ts';
import { accept, asked, connect, textOf } from '../server/peer.ts';
import type { Answer, Bag, Peer } from '../server/peer.ts';
import { declared, ModernTasks } from './harness.ts';

// A sealed state and a journal written by commit 662dd8c (recorded.json): today's server must continue both. The handlers are those of the
// recording.

const info = { name: 'test', version: '1' };
const text = { value: { type: 'string' } } as const;
const number = { n: { type: 'integer' } } as const;
const key = new Uint8Array(32).fill(7);

// The path is relative to dist/test/tasks/recorded.test.js.
const { state, task } = JSON.parse(readFileSync(new URL('../../../test/tasks/recorded.json', import.meta.url), 'utf8')) as {
  readonly state: string;
  readonly task: Omit<StoredTask, 'answers' | 'waiting'> & { readonly answers: Record<string, string>; readonly waiting: readonly string[] };
};

/** How often a recorded step ran again. */
let made = 0;

async function booking(): Promise<Peer> {
  const server = new McpServer(info, { requestState: { keys: [key], ttlMs: 1e13 } });
  server.tool('book', {}, async (_args, ctx) => {
    const { price } = await ctx.once('quote', () => {
      made++;
      return { price: 7 };
    });
    const name = await ctx.elicit('Name?', text);
    const seats = await ctx.elicit('Seats?', number, { key: 'seats' });
    return `${price} ${name.content?.value} ${seats.content?.n}`;
  });
  return connect(server);
}

const seats = (peer: Peer, n: number, requestState: unknown): Promise<Answer> =>
  peer.modern('tools/call', { name: 'book', inputResponses: { seats: accept({ n }) }, requestState });

test('a recorded state goes on: its answers and its values are found, and the open question gets its answer', async () => {
  made = 0;
  const last = await seats(await booking(), 3, state);
  assert.equal(textOf(last), '7 Ada 3');
  assert.equal(made, 0);
});

test('a recorded state says how often its question was put: after the third time the handler gets an error', async () => {
  const peer = await booking();
  const third = await seats(peer, 1.5, state);
  assert.deepEqual(Object.keys(asked(third)), ['seats']);
  const last = await seats(peer, 1.5, third.result?.['requestState']);
  assert.match(textOf(last), /no usable answer after 3 attempts/);
});

test('a state is sealed with the members and digests of the recorded one', async () => {
  const peer = await booking();
  const call = (inputResponses: Bag, from: Answer): Promise<Answer> =>
    peer.modern('tools/call', { name: 'book', inputResponses, requestState: from.result?.['requestState'] });
  const first = await peer.modern('tools/call', { name: 'book' });
  const second = await call({ 'elicitation/create#1': accept({ value: 'Ada' }) }, first);
  const third = await call({ seats: accept({ n: 1.5 }) }, second);
  const { open } = requestStateSealer({ keys: [key] });
  const bound = '[null,"tools/call",{"name":"book"}]';
  const { expires: _then, ...recorded } = await open(state, bound);
  const { expires: _now, ...written } = await open(third.result?.['requestState'], bound);
  assert.deepEqual(written, recorded);
});

/** A server whose store has the recorded task; the answer to `Meal?` is still missing. */
async function ordering(t: TestContext): Promise<{ client: ModernTasks; store: TaskStore }> {
  const store = memoryStore();
  const server = new McpServer(info);
  // Create it before there is a worker, which would take it at once.
  const { records, waiting: _open, answers, end: _none, ...created } = task;
  await store.create(created);
  // Each record with a question ended a run, and each answer came while its question was open.
  let written = 0;
  for (const [i, text] of records.entries()) {
    const { asked: put } = JSON.parse(text) as { readonly asked?: Bag };
    if (!put) continue;
    const leased = await store.lease(task.id, 30_000);
    assert.ok(leased);
    await store.release(leased.lease, written, records.slice(written, i + 1), Object.keys(put));
    written = i + 1;
    await store.answer(task.id, new Map(Object.entries(answers).filter(([name]) => name in put)));
  }
  const work = tasks(server, { store });
  t.after(() => work.close());
  server.tool('order', { task: 'required' }, async (_args, ctx) => {
    const { price } = await ctx.once('quote', () => ({ price: made++ }));
    const wrap = await ctx.version('wrap', 2);
    const sure = await ctx.elicit('Sure?', text, { key: 'sure' });
    const taken = await ctx.elicit('Seats?', number, { key: 'seats' });
    const [name, meal, stamp] = await Promise.all([
      ctx.elicit('Name?', text), ctx.elicit('Meal?', number), ctx.once('stamp', () => made++),
    ]);
    return [price, wrap, sure.content?.value, taken.content?.n, name.content?.value, meal.content?.n, stamp].join(' ');
  });
  return { client: await ModernTasks.to(server, { capabilities: declared }), store };
}

test('a recorded journal goes on: its steps and answers are found, one that was carried into the task among them', async (t) => {
  made = 0;
  const { client } = await ordering(t);
  const open = await client.get(task.id);
  assert.deepEqual(Object.keys(open['inputRequests'] as Bag), ['elicitation/create#4']);
  await client.update(task.id, { 'elicitation/create#4': accept({ n: 9 }) });
  const { status, result } = await client.ended(task.id);
  assert.equal(status, 'completed', JSON.stringify(result));
  assert.equal(textOf({ id: 0, result: result as Bag }), '7 1 yes 2 Ada 9 5');
  assert.equal(made, 0);
});

test('a question of a recorded journal is put again under a key that the journal has not used', async (t) => {
  const { client, store } = await ordering(t);
  await client.update(task.id, { 'elicitation/create#4': accept({ n: 1.5 }) });
  const again = await client.is(task.id, 'input_required');
  assert.deepEqual(Object.keys(again['inputRequests'] as Bag), ['elicitation/create#4~2']);
  const last = JSON.parse((await store.load(task.id))?.records.at(-1) ?? '{}') as { asked: Bag };
  // The same name and digest as the recorded question.
  const recorded = JSON.parse(task.records.at(-1) ?? '{}') as { asked: Bag };
  assert.deepEqual(last.asked, { 'elicitation/create#4~2': recorded.asked['elicitation/create#4'] });
});
