import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, McpServer, rehearse } from '../../src/server/index.ts';
import { accept } from './peer.ts';
import type { InputResponse } from '../../src/protocol/result-type.ts';

const info = { name: 'test', version: '1' };
const yes = accept({ sure: true }) as unknown as InputResponse;
const sure = { sure: { type: 'boolean' } } as const;

/** A shop whose first tool charges each time its handler runs; the second one uses `once`. */
function shop(): { server: McpServer; charges: string[] } {
  const server = new McpServer(info);
  const charges: string[] = [];
  const input = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] } as const;
  server.tool('buy twice', { input }, async ({ price }, ctx) => {
    charges.push(`${price}`);
    await ctx.elicit('Gift wrap?', sure, { key: 'wrap' });
    await ctx.elicit('A receipt?', sure, { key: 'receipt' });
    return 'bought';
  });
  server.tool('buy', { input }, async ({ price }, ctx) => {
    await ctx.once('charge', () => charges.push(`${price}`));
    ctx.log('info', 'charged');
    await ctx.elicit('Gift wrap?', sure, { key: 'wrap' });
    await ctx.once('wrap', () => 'wrapped');
    await ctx.elicit('A receipt?', sure, { key: 'receipt' });
    return 'bought';
  });
  return { server, charges };
}

test('a rehearsal shows what runs again', async () => {
  const { server, charges } = shop();
  const { result, rounds } = await rehearse(server, 'buy twice', { price: 10 }, { wrap: yes, receipt: yes });
  assert.deepEqual(result, { content: [{ type: 'text', text: 'bought' }] });
  assert.equal(rounds.length, 3);
  // Three charges for one purchase: the fault that a rehearsal shows to the author.
  assert.deepEqual(charges, ['10', '10', '10']);
});

test('a rehearsal shows what once made, and in which round', async () => {
  const { server, charges } = shop();
  const { rounds } = await rehearse(server, 'buy', { price: 10 }, { wrap: yes, receipt: yes });
  assert.deepEqual(charges, ['10']);
  assert.deepEqual(rounds.map(({ made, found }) => [made, found]), [
    [['charge'], []],
    [['wrap'], ['charge']],
    [[], ['charge', 'wrap']],
  ]);
  assert.deepEqual(rounds.map(({ questions }) => Object.keys(questions)), [['wrap'], ['receipt'], []]);
  assert.equal(rounds[0]?.questions['wrap']?.method, 'elicitation/create');
  assert.deepEqual(rounds.map(({ notifications }) => notifications.map(({ method }) => method)), [
    ['notifications/message'], ['notifications/message'], ['notifications/message'],
  ]);
});

test('answers may come in the order of the questions, or from a function', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, function* () {
    const name = yield* ask.text('Name?');
    const age = yield* ask.number('Age?');
    return `${name} ${age}`;
  });
  const answers = [accept({ value: 'Ada' }), accept({ value: 36 })] as unknown as InputResponse[];
  assert.deepEqual((await rehearse(server, 'ask', {}, answers)).result.content, [{ type: 'text', text: 'Ada 36' }]);
  const asked: string[] = [];
  const { rounds } = await rehearse(server, 'ask', {}, (key) => {
    asked.push(key);
    return answers[asked.length - 1] as InputResponse;
  });
  assert.deepEqual(asked, ['elicitation/create#1', 'elicitation/create#2']);
  assert.equal(rounds.length, 3);
});

test('each round gets its arguments afresh', async () => {
  const server = new McpServer(info);
  server.tool('spoil', {
    input: { type: 'object', properties: { list: { type: 'array', items: { type: 'number' } } }, required: ['list'] },
  }, async (args, ctx) => {
    args.list.push(7);
    await ctx.elicit('?', sure, { key: 'k' });
    return `${args.list}`;
  });
  const args = { list: [1] };
  assert.deepEqual((await rehearse(server, 'spoil', args, { k: yes })).result.content, [{ type: 'text', text: '1,7' }]);
  assert.deepEqual(args, { list: [1] });
});

test('what does not fit together is an error', async () => {
  const { server } = shop();
  await assert.rejects(rehearse(server, 'buy', { price: 10 }, { wrap: yes }), /no answer to the question "receipt"/);
  await assert.rejects(rehearse(server, 'buy', { price: 10 }, [yes]), /no answer to the question "receipt"/);
  await assert.rejects(
    rehearse(server, 'buy', { price: 10 }, { wrap: yes, receipt: yes, recipe: yes }),
    /answers without a question: recipe/,
  );
  await assert.rejects(
    rehearse(server, 'buy', { price: 10 }, () => yes, { maxRounds: 2 }),
    /"buy" still asks after 2 rounds/,
  );
  await assert.rejects(rehearse(server, 'sell', {}), { code: -32602 });
  await assert.rejects(rehearse(server, 'buy', { price: 10 }, {}, { capabilities: {} }), { code: -32021 });
  assert.equal((await rehearse(server, 'buy', { price: 'x' })).result.isError, true);
});

test('a rehearsal reports what a run leaves open, and what it gives back', async () => {
  const server = new McpServer(info);
  const counts = { opened: 0, closed: 0 };
  server.tool('careless', {}, async (_args, ctx) => {
    counts.opened++;
    try {
      await ctx.elicit('Sure?', sure, { key: 'sure' });
    } finally {
      counts.closed++;
    }
    return 'done';
  });
  server.tool('careful', {}, async (_args, ctx) => {
    counts.opened++;
    ctx.defer(() => counts.closed++);
    await ctx.elicit('Sure?', sure, { key: 'sure' });
    return 'done';
  });
  server.tool('generator', {}, async function* (_args, ctx) {
    counts.opened++;
    try {
      yield* ask.confirm('Sure?', { key: 'sure' });
    } finally {
      counts.closed++;
    }
    return ctx.revision.version;
  });
  const of = async (name: string, answer: InputResponse) => {
    const { rounds } = await rehearse(server, name, {}, { sure: answer });
    const found = rounds.map(({ leftOpen, released }) => [leftOpen, released]);
    const { opened, closed } = counts;
    counts.opened = counts.closed = 0;
    return { found, opened, closed };
  };
  assert.deepEqual(await of('careless', yes), { found: [[true, 0], [false, 0]], opened: 2, closed: 1 });
  assert.deepEqual(await of('careful', yes), { found: [[true, 1], [false, 1]], opened: 2, closed: 2 });
  const confirmed = accept({ value: true }) as unknown as InputResponse;
  assert.deepEqual(await of('generator', confirmed), { found: [[false, 0], [false, 0]], opened: 2, closed: 2 });
});

test('questions that are opened together go together, whatever the runtime has to wait with', async (t) => {
  const server = new McpServer(info);
  server.tool('two', {}, async (_args, ctx) => {
    await Promise.all([ctx.elicit('A?', {}), ctx.elicit('B?', {})]);
    return 'done';
  });
  const answer = { action: 'accept', content: {} } as const;
  const lacking: (keyof typeof globalThis)[] = ['process', 'setImmediate', 'setTimeout'];
  const before = lacking.map((name) => Object.getOwnPropertyDescriptor(globalThis, name) as PropertyDescriptor);
  const give = (): void => lacking.forEach((name, at) => Object.defineProperty(globalThis, name, before[at] as PropertyDescriptor));
  t.after(give);
  for (let gone = 0; gone <= lacking.length; gone++) {
    for (const name of lacking.slice(0, gone)) Object.defineProperty(globalThis, name, { value: undefined, configurable: true, writable: true });
    const rehearsed = rehearse(server, 'two', {}, [answer, answer]);
    const { rounds } = await rehearsed.finally(give);
    assert.deepEqual(rounds.map(({ questions }) => Object.keys(questions).length), [2, 0], `without ${lacking.slice(0, gone).join(', ')}`);
  }
});
