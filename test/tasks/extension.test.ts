import assert from 'node:assert/strict';
import test from 'node:test';
import { RpcError } from '../../src/jsonrpc/errors.ts';
import { asked, accept, connect, everything, later, modernMeta } from '../server/peer.ts';
import type { Bag } from '../server/peer.ts';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import { declared, made, ModernTasks, tasksExtension } from './harness.ts';
import { within } from '../within.ts';

const sure = { sure: { type: 'boolean' } } as const;
const missing = { requiredCapabilities: { extensions: { [tasksExtension]: {} } } };
const textOf = (task: Bag): unknown => ((task['result'] as Bag)['content'] as { text: string }[])[0]?.text;

test('a call becomes a task, which can be found at once and ends with the result of the call', async (t) => {
  const { server, errors } = made(t);
  const go = later<string>();
  server.tool('bake', { task: 'optional', input: { type: 'object', properties: { what: { type: 'string' } } } },
    async ({ what }) => `${what} ${await go.promise}`);
  const client = await ModernTasks.to(server);
  const { result } = await within('the task', client.peer.modern('tools/call', { name: 'bake', arguments: { what: 'cake', taskId: 'mine' }, taskId: 'mine' }));
  const { taskId, createdAt, lastUpdatedAt, _meta, ...rest } = result as Bag;
  assert.deepEqual(rest, { resultType: 'task', status: 'working', ttlMs: 86_400_000, pollIntervalMs: 1000 });
  assert.match(String(taskId), /^[0-9a-f]{40}$/);
  assert.equal(new Date(createdAt as string).toISOString(), createdAt);
  assert.equal(lastUpdatedAt, createdAt);
  const working = await client.get(taskId as string);
  assert.equal(working['status'], 'working');
  assert.equal(working['resultType'], 'complete');
  go.resolve('is ready');
  const done = await client.is(taskId as string, 'completed');
  assert.deepEqual(done['result'], { resultType: 'complete', content: [{ type: 'text', text: 'cake is ready' }] });
  // The result is complete: also its structured content and its own metadata.
  const whole = { content: [{ type: 'text' as const, text: 'n is 1' }], structuredContent: { n: 1 }, _meta: { 'com.example/own': 2 } };
  server.tool('whole', { task: 'optional', output: { type: 'object', properties: { n: { type: 'number' } } } as const }, () => whole);
  assert.deepEqual((await client.ended(await client.begin('whole')))['result'], { resultType: 'complete', ...whole });
  // The result of tasks/cancel is `complete` too; the harness checks the others.
  assert.deepEqual((await client.cancel(taskId as string)).result?.['resultType'], 'complete');
  assert.deepEqual(errors, []);
});

test('a question puts the task into input_required and ends the run; its answer starts the next', async (t) => {
  const { server, work } = made(t);
  let runs = 0;
  let left: unknown;
  server.tool('delete', { task: 'required' }, async (_args, ctx) => {
    runs++;
    ctx.signal.addEventListener('abort', () => (left = ctx.signal.reason));
    const answer = await ctx.elicit('Sure?', sure, { key: 'sure' });
    return answer.action === 'accept' && answer.content.sure ? 'Deleted' : 'Kept';
  });
  const client = await ModernTasks.to(server);
  const id = await client.begin('delete');
  const waiting = await client.is(id, 'input_required');
  assert.deepEqual(Object.keys(asked({ id: 0, result: waiting })), ['sure']);
  assert.equal(asked({ id: 0, result: waiting })['sure']?.method, 'elicitation/create');
  // No run and no handler wait for the person.
  assert.equal(work.running, 0);
  assert.match(String(left), /ended with a question/);
  const { result } = await client.update(id, { sure: accept({ sure: true }) });
  const { _meta, ...ack } = result as Bag;
  assert.deepEqual(ack, { resultType: 'complete' });
  assert.equal(textOf(await client.ended(id)), 'Deleted');
  assert.equal(runs, 2);
});

test('several questions at once: answered one by one, unknown and repeated keys are ignored', async (t) => {
  const { server } = made(t);
  server.tool('ask', { task: 'optional' }, async (_args, ctx) => {
    const [one, two] = await Promise.all([
      ctx.elicit('One?', { a: { type: 'string' } }, { key: 'one' }), ctx.elicit('Two?', { a: { type: 'string' } }, { key: 'two' }),
    ]);
    return `${one.content?.a} ${two.content?.a}`;
  });
  const client = await ModernTasks.to(server);
  const id = await client.begin('ask');
  const waiting = await client.is(id, 'input_required');
  assert.deepEqual(Object.keys(asked({ id: 0, result: waiting })).sort(), ['one', 'two']);
  assert.equal((await client.update(id, { none: accept({}), one: accept({ a: 'first' }) })).error, undefined);
  const between = await client.get(id);
  assert.equal(between['status'], 'input_required');
  assert.deepEqual(Object.keys(asked({ id: 0, result: between })), ['two']);
  assert.equal((await client.update(id, { one: accept({ a: 'again' }) })).error, undefined);
  await client.update(id, { two: accept({ a: 'second' }) });
  assert.equal(textOf(await client.ended(id)), 'first second');
  assert.equal((await client.update(id, { two: accept({ a: 'late' }) })).error, undefined);
});

test('an answer that cannot be used is asked for again under another key, three times in all', async (t) => {
  const { server } = made(t);
  server.tool('seat', { task: 'optional' }, async (_args, ctx) => {
    const form = await ctx.elicit('Seat?', { seat: { type: 'string', enum: ['window', 'aisle'] } }, { key: 'seat' });
    return `${form.content?.seat}`;
  });
  const client = await ModernTasks.to(server);
  const id = await client.begin('seat');
  await client.is(id, 'input_required');
  await client.update(id, { seat: accept({ seat: 'roof' }) });
  const again = await client.when(id, (task) => asked({ id: 0, result: task })['seat~2'] !== undefined);
  assert.match(String(asked({ id: 0, result: again })['seat~2']?.params['message']), /The last answer could not be used/);
  await client.update(id, { 'seat~2': accept({ seat: 'aisle' }) });
  assert.equal(textOf(await client.ended(id)), 'aisle');

  const other = await client.begin('seat');
  for (const key of ['seat', 'seat~2', 'seat~3']) {
    await within(key, client.when(other, (task) => asked({ id: 0, result: task })[key] !== undefined));
    await client.update(other, { [key]: accept({ seat: 'wing' }) });
  }
  const failed = await client.ended(other);
  assert.equal(failed['status'], 'completed');
  assert.match(String(textOf(failed)), /no usable answer after 3 attempts/);
});

test('what a tool reports is completed with isError; a protocol error is failed', async (t) => {
  const { server, errors } = made(t);
  server.tool('tool', { task: 'optional' }, () => ({ content: [{ type: 'text', text: 'no flour' }], isError: true }));
  server.tool('protocol', { task: 'optional' }, () => {
    throw new RpcError(4711, 'the oven is off', { oven: 1 });
  });
  const client = await ModernTasks.to(server);
  const tool = await client.ended(await client.begin('tool'));
  assert.equal(tool['status'], 'completed');
  assert.equal((tool['result'] as Bag)['isError'], true);
  const protocol = await client.ended(await client.begin('protocol'));
  assert.equal(protocol['status'], 'failed');
  assert.deepEqual(protocol['error'], { code: 4711, message: 'the oven is off', data: { oven: 1 } });
  assert.equal(protocol['statusMessage'], 'the oven is off');
  assert.equal('result' in protocol, false);
  // A result that JSON cannot represent: the handler has run, and does not run again.
  let runs = 0;
  server.tool('odd', { task: 'optional' }, () => ({ content: [{ type: 'text', text: 'x', _meta: { runs: BigInt(++runs) } }] }));
  const odd = await client.ended(await client.begin('odd'));
  assert.deepEqual([odd['status'], odd['error'], runs], ['failed', { code: -32603, message: 'the result cannot be written as JSON' }, 1]);
  assert.deepEqual(errors.map(({ name }) => name), ['RpcError', 'TypeError']);
});

test('cancelling is final: the handler is told, its late result is dropped, a second time is acknowledged', async (t) => {
  const { server } = made(t);
  const [begun, stopped, over] = [later<void>(), later<unknown>(), later<void>()];
  server.tool('slow', { task: 'optional' }, async (_args, ctx) => {
    ctx.signal.addEventListener('abort', () => stopped.resolve(ctx.signal.reason));
    begun.resolve();
    await over.promise;
    return 'too late';
  });
  const client = await ModernTasks.to(server);
  const id = await client.begin('slow');
  await begun.promise;
  assert.equal((await client.cancel(id)).error, undefined);
  assert.match(String(await stopped.promise), /cancelled/);
  over.resolve();
  assert.equal((await client.get(id))['status'], 'cancelled');
  assert.equal((await client.cancel(id)).error, undefined);
  assert.equal((await client.get(id))['status'], 'cancelled');
});

test('who did not declare the extension: required is -32021, the rest answers plainly, the methods are -32021', async (t) => {
  const { server } = made(t);
  server.tool('required', { task: 'required' }, () => 'r');
  server.tool('optional', { task: 'optional' }, async (_args, ctx) => {
    ctx.status('ignored');
    return `${await ctx.once('a', ({ attempt, idempotencyKey }) => `${attempt} ${idempotencyKey.length > 10}`)} ${await ctx.version('v', 3)}`;
  });
  let decided = 0;
  server.tool('maybe', { task: () => ++decided > 0 }, () => 'm');
  const peer = await connect(server);
  // Each request declares its capabilities: those of other requests on the connection do not count.
  assert.equal((await peer.modern('tools/call', { name: 'required' }, declared)).result?.['resultType'], 'task');
  const required = await peer.modern('tools/call', { name: 'required' });
  assert.equal(required.error?.code, -32021);
  assert.deepEqual(required.error?.data, missing);
  assert.match(required.error.message, /the extension io\.modelcontextprotocol\/tasks/);
  const others = { ...everything, extensions: { 'com.example/other': {} } };
  assert.equal((await peer.modern('tools/call', { name: 'required' }, others)).error?.code, -32021);
  assert.deepEqual((await peer.modern('tools/call', { name: 'optional' }, others)).result?.['content'], [{ type: 'text', text: '1 true 3' }]);
  const plain = await peer.modern('tools/call', { name: 'optional' });
  assert.deepEqual(plain.result?.['content'], [{ type: 'text', text: '1 true 3' }]);
  assert.deepEqual((await peer.modern('tools/call', { name: 'maybe' })).result?.['content'], [{ type: 'text', text: 'm' }]);
  // A client of an earlier revision cannot declare it, even in its handshake.
  const older = await connect(server, { revision: '2025-11-25', capabilities: declared });
  assert.deepEqual((await older.call('optional')).result?.['content'], [{ type: 'text', text: '1 true 3' }]);
  assert.deepEqual((await older.call('maybe')).result?.['content'], [{ type: 'text', text: 'm' }]);
  assert.equal((await older.call('required')).error?.code, -32601);
  assert.equal(decided, 0);
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const { error } = await peer.modern(method, { taskId: 'x', inputResponses: {} });
    assert.deepEqual([error?.code, error?.data], [-32021, missing], method);
  }
  const { error } = await peer.modern('subscriptions/listen', { notifications: { taskIds: ['x'] } });
  assert.deepEqual([error?.code, error?.data], [-32021, missing]);
  for (const method of ['tasks/list', 'tasks/result']) {
    assert.equal((await peer.modern(method, { taskId: 'x' }, declared)).error?.code, -32601, method);
  }
});

test('a function decides each call, may ask first, and hands on what it asked and made', async (t) => {
  const { server } = made(t);
  const made_: string[] = [];
  server.tool('trip', {
    task: async ({ far }, ctx) => {
      if (!far) return false;
      await ctx.once('quote', () => made_.push('decision'));
      const name = await ctx.elicit('Who?', { name: { type: 'string' } }, { key: 'name' });
      return name.action === 'accept';
    },
    input: { type: 'object', properties: { far: { type: 'boolean' } } },
  }, async ({ far }, ctx) => {
    if (!far) return 'near';
    await ctx.once('quote', () => made_.push('handler'));
    const name = await ctx.elicit('Who?', { name: { type: 'string' } }, { key: 'name' });
    const more = await ctx.elicit('When?', { day: { type: 'string' } }, { key: 'day' });
    return `${name.content?.name} on ${more.content?.day}`;
  });
  const client = await ModernTasks.to(server);
  assert.equal((await client.peer.modern('tools/call', { name: 'trip', arguments: {} })).result?.['resultType'], 'complete');
  const first = await client.peer.modern('tools/call', { name: 'trip', arguments: { far: true } });
  assert.equal(first.result?.['resultType'], 'input_required');
  assert.equal('taskId' in (first.result as Bag), false);
  const second = await client.peer.modern('tools/call', {
    name: 'trip', arguments: { far: true }, requestState: first.result?.['requestState'],
    inputResponses: { name: accept({ name: 'Alice' }) },
  });
  assert.equal(second.result?.['resultType'], 'task');
  for (const key of ['requestState', 'inputRequests']) assert.equal(key in (second.result as Bag), false);
  const id = second.result?.['taskId'] as string;
  const waiting = await client.is(id, 'input_required');
  assert.deepEqual(Object.keys(asked({ id: 0, result: waiting })), ['day']);
  await client.update(id, { day: accept({ day: 'Monday' }) });
  assert.equal(textOf(await client.ended(id)), 'Alice on Monday');
  assert.deepEqual(made_, ['decision']);
  // A key that was answered before the task is not asked again, although the answer does not fit the new question.
  server.tool('age', {
    task: async (_args, ctx) => (await ctx.elicit('Who?', { name: { type: 'string' } }, { key: 'who' })).action === 'accept',
  }, async (_args, ctx) => `${(await ctx.elicit('How old?', { age: { type: 'integer' } }, { key: 'who' })).content?.age}`);
  const question = await client.peer.modern('tools/call', { name: 'age' });
  const begun = await client.peer.modern('tools/call', {
    name: 'age', requestState: question.result?.['requestState'], inputResponses: { who: accept({ name: 'Alice' }) },
  });
  const other = begun.result?.['taskId'] as string;
  assert.deepEqual(Object.keys(asked({ id: 0, result: await client.is(other, 'input_required') })), ['who~2']);
  await client.update(other, { 'who~2': accept({ age: 7 }) });
  assert.equal(textOf(await client.ended(other)), '7');
  // A `task` function that decides without a question.
  server.tool('maybe', { task: ({ far }) => far === true, input: { type: 'object', properties: { far: { type: 'boolean' } } } }, () => 'm');
  for (const [far, type] of [[true, 'task'], [false, 'complete']] as const) {
    assert.equal((await client.peer.modern('tools/call', { name: 'maybe', arguments: { far } })).result?.['resultType'], type);
  }
});

test('progress and status become the status message, the latest of them', async (t) => {
  const { server } = made(t, { limits: { statusIntervalMs: 1 } });
  const steps = [later<void>(), later<void>(), later<void>()];
  server.tool('count', { task: 'optional' }, async (_args, ctx) => {
    ctx.progress(3, 10, 'baking');
    await steps[0]?.promise;
    ctx.status('cooling');
    await steps[1]?.promise;
    ctx.progress(7, 10);
    await steps[2]?.promise;
    ctx.status('All done');
    return 'done';
  });
  const client = await ModernTasks.to(server);
  const id = await client.begin('count');
  for (const [i, message] of ['3 of 10: baking', 'cooling', '7 of 10'].entries()) {
    await client.when(id, (task) => task['statusMessage'] === message);
    steps[i]?.resolve();
  }
  assert.equal((await client.ended(id))['statusMessage'], 'All done');
});

test('for a task neither progress nor a log message is sent, whatever its call asked for', async (t) => {
  const { server } = made(t);
  server.tool('work', { task: 'optional' }, async (_args, ctx) => {
    ctx.progress(1, 2);
    ctx.log('error', 'wrong');
    const form = await ctx.elicit('Go?', { go: { type: 'boolean' } }, { key: 'go' });
    ctx.progress(2, 2);
    ctx.log('error', 'wrong again');
    return form.action;
  });
  const client = await ModernTasks.to(server);
  const _meta = { ...modernMeta(declared), progressToken: 1, 'io.modelcontextprotocol/logLevel': 'debug' };
  const { result } = await client.peer.request('tools/call', { name: 'work', _meta });
  const id = result?.['taskId'] as string;
  void client.peer.modern('subscriptions/listen', { notifications: { taskIds: [id] } });
  await client.is(id, 'input_required');
  await client.update(id, { go: accept({ go: true }) });
  await client.ended(id);
  const told = (await client.peer.rest()).map(({ method }) => method);
  assert.ok(told.includes('notifications/tasks'));
  assert.deepEqual(told.filter((method) => method === 'notifications/progress' || method === 'notifications/message'), []);
});

test('listeners hear of their tasks: each state whole, nothing of other people\'s', async (t) => {
  const { server } = made(t);
  server.tool('ask', { task: 'optional' }, async (_args, ctx) => {
    const answer = await ctx.elicit('Sure?', sure, { key: 'sure' });
    return answer.action;
  });
  const ann = await ModernTasks.to(server, { auth: { principal: 'ann' } });
  const bob = await ModernTasks.to(server, { auth: { principal: 'bob' } });
  const id = await ann.begin('ask');
  await ann.is(id, 'input_required');
  const listen = (client: ModernTasks): void => void client.peer.modern('subscriptions/listen', { notifications: { taskIds: [id] } });
  listen(bob);
  listen(ann);
  const acknowledged = await ann.peer.next();
  assert.equal(acknowledged.method, 'notifications/subscriptions/acknowledged');
  assert.deepEqual(acknowledged.params?.['notifications'], { taskIds: [id] });
  const now = await ann.peer.next();
  assert.equal(now.method, 'notifications/tasks');
  assert.equal(now.params?.['status'], 'input_required');
  assert.deepEqual(Object.keys(now.params?.['inputRequests'] as Bag), ['sure']);
  await ann.update(id, { sure: { action: 'decline' } });
  const heard: unknown[] = [];
  for (let said = await ann.peer.next(); ; said = await ann.peer.next()) {
    heard.push(said.params?.['status']);
    if (said.params?.['status'] !== 'completed') continue;
    assert.equal(textOf(said.params), 'decline');
    break;
  }
  assert.deepEqual(heard.filter((status) => status !== 'working'), ['completed']);
  assert.deepEqual((await bob.peer.rest()).map(({ method }) => method), ['notifications/subscriptions/acknowledged']);
});

test('a listener hears of a task once for each change, and nothing is read for it after the end', async (t) => {
  const inner = memoryStore();
  let loads = 0;
  const watchers: ((id: string) => void)[] = [];
  const { server } = made(t, {
    store: {
      ...inner,
      load: (id) => {
        loads += 1;
        return inner.load(id);
      },
      watch: (listener) => {
        watchers.push((id) => listener(id, 'answered' as never));
        return inner.watch(listener);
      },
    },
  });
  server.tool('ask', { task: 'optional' }, async (_args, ctx) => (await ctx.elicit('Sure?', sure, { key: 'sure' })).action);
  const client = await ModernTasks.to(server);
  const id = await client.begin('ask');
  await client.is(id, 'input_required');
  void client.peer.modern('subscriptions/listen', { notifications: { taskIds: [id] } });
  await client.peer.next();
  assert.equal((await client.peer.next()).params?.['status'], 'input_required');
  const changed = async (): Promise<number> => {
    const before = loads;
    for (const tell of watchers) tell(id);
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
    return loads - before;
  };
  assert.ok(await changed() > 0);
  assert.deepEqual(await client.peer.rest(), [], 'nothing has changed');
  await client.update(id, { sure: { action: 'decline' } });
  while ((await client.peer.next()).params?.['status'] !== 'completed');
  await changed();
  assert.equal(await changed(), 0);
  assert.deepEqual(await client.peer.rest(), []);
});

test('a task belongs to its principal on every method', async (t) => {
  const { server } = made(t);
  server.tool('ask', { task: 'optional' }, async (_args, ctx) => (await ctx.elicit('Sure?', sure, { key: 'sure' })).action);
  const ann = await ModernTasks.to(server, { auth: { principal: 'ann' } });
  const bob = await ModernTasks.to(server, { auth: { principal: 'bob' } });
  const nobody = await ModernTasks.to(server);
  const id = await ann.begin('ask');
  await ann.is(id, 'input_required');
  for (const other of [bob, nobody]) {
    for (const [method, more] of [['tasks/get', {}], ['tasks/update', { inputResponses: { sure: { action: 'accept' } } }], ['tasks/cancel', {}]] as const) {
      const { error } = await other.peer.modern(method, { taskId: id, ...more });
      const { error: unknown } = await other.peer.modern(method, { taskId: 'f'.repeat(40), ...more });
      assert.equal(error?.code, -32602, method);
      assert.deepEqual(error, unknown, 'it does not say whether there is such a task');
    }
  }
  assert.equal((await ann.get(id))['status'], 'input_required');
});

test('bad parameters are -32602', async (t) => {
  const { server } = made(t);
  const client = await ModernTasks.to(server);
  for (const [method, params] of [
    ['tasks/get', {}], ['tasks/get', { taskId: 7 }], ['tasks/get', { taskId: '../../etc' }], ['tasks/get', { taskId: '__proto__' }],
    ['tasks/update', { taskId: 'x' }], ['tasks/update', { taskId: 'x', inputResponses: [] }], ['tasks/cancel', { taskId: null }],
    ['subscriptions/listen', { notifications: { taskIds: 'x' } }], ['subscriptions/listen', { notifications: { taskIds: [1] } }],
  ] as const) {
    assert.equal((await client.peer.modern(method, params)).error?.code, -32602, `${method} ${JSON.stringify(params)}`);
  }
  const many = await client.peer.modern('subscriptions/listen', { notifications: { taskIds: Array(1001).fill('x') } });
  assert.deepEqual([many.error?.code, many.error?.message], [-32602, 'Invalid params: params.notifications.taskIds: more than 1000']);
});

test('there is a bound on tasks in all, of one principal, on the journal and on the result', async (t) => {
  const { server } = made(t, { limits: { maxTasks: 3, maxTasksPerPrincipal: 2, maxJournalBytes: 2000, maxResultBytes: 1000 } });
  server.tool('long', { task: 'optional' }, () => 'x'.repeat(2000));
  server.tool('wide', { task: 'optional' }, async (_args, ctx) => {
    for (let i = 0; ; i++) await ctx.once(`step ${i}`, () => 'y'.repeat(100));
  });
  const ann = await ModernTasks.to(server, { auth: { principal: 'ann' } });
  const bob = await ModernTasks.to(server, { auth: { principal: 'bob' } });
  assert.match(String((await ann.ended(await ann.begin('long')))['statusMessage']), /the result takes \d+ characters; the limit is 1000/);
  assert.match(String((await ann.ended(await ann.begin('wide')))['statusMessage']), /the task has written \d+ characters; the limit is 2000/);
  assert.match(String((await ann.peer.modern('tools/call', { name: 'long' })).error?.message), /of one principal: the limit is 2/);
  await bob.begin('long');
  assert.match(String((await bob.peer.modern('tools/call', { name: 'long' })).error?.message), /Too many tasks: the limit is 3/);
});

test('the bound holds for calls that come at once', async (t) => {
  const { server } = made(t, { limits: { maxTasks: 5 } });
  server.tool('wait', { task: 'optional' }, () => new Promise<string>(() => {}));
  const client = await ModernTasks.to(server);
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.peer.modern('tools/call', { name: 'wait' })));
  assert.equal(answers.filter(({ error }) => error === undefined).length, 5);
});

test('a task whose time is over is gone', async (t) => {
  const { server } = made(t, { limits: { ttlMs: 1 } });
  server.tool('quick', { task: 'optional' }, () => 'q');
  const client = await ModernTasks.to(server);
  const id = await client.begin('quick');
  const until = performance.now() + 10_000;
  for (let code: number | undefined; code !== -32602;) {
    assert.ok(performance.now() < until, 'the task is still there');
    code = (await client.peer.modern('tasks/get', { taskId: id })).error?.code;
  }
});

test('a durable tool whose tasks end with the process: the author is told once', async (t) => {
  const { server, errors } = made(t);
  server.tool('job', { task: 'required', durable: true }, () => 'done');
  server.tool('other', { task: 'required' }, () => 'done');
  const client = await ModernTasks.to(server);
  for (const name of ['other', 'job', 'job']) await client.ended(await client.begin(name));
  assert.deepEqual(errors.map(({ message }) => message), [
    'tool "job" is durable, but its tasks end with this process: give tasks() a lasting store',
  ]);
  const kept = made(t, { store: { ...memoryStore(), durable: true } });
  kept.server.tool('job', { task: 'required', durable: true }, () => 'done');
  const other = await ModernTasks.to(kept.server);
  await other.ended(await other.begin('job'));
  assert.deepEqual(kept.errors, []);
});

test('who listens to what is followed already is told its state, and the store is not asked again', async (t) => {
  const inner = memoryStore();
  let loads = 0;
  const { server } = made(t, { store: { ...inner, load: (id) => {
    loads++;
    return inner.load(id);
  } } });
  server.tool('wait', { task: 'required' }, () => new Promise<string>(() => {}));
  const client = await ModernTasks.to(server);
  const ids = [await client.begin('wait'), await client.begin('wait')];
  const heard = async (): Promise<unknown[]> => {
    void client.peer.modern('subscriptions/listen', { notifications: { taskIds: ids } });
    const said = [await client.peer.next(), await client.peer.next(), await client.peer.next()];
    return said.map(({ method, params }) => [method, params?.['taskId']]);
  };
  const wanted = [['notifications/subscriptions/acknowledged', undefined], ...ids.map((id) => ['notifications/tasks', id])];
  assert.deepEqual(await heard(), wanted);
  const before = loads;
  void client.peer.modern('subscriptions/listen', { notifications: { taskIds: ids } });
  const said = [];
  // Both streams get the notifications, after the acknowledgement.
  for (let n = 0; n < 5; n++) said.push((await client.peer.next()).method);
  assert.deepEqual(said, ['notifications/subscriptions/acknowledged', ...Array.from({ length: 4 }, () => 'notifications/tasks')]);
  assert.equal(loads, before);
});
