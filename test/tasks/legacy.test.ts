import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { clockOf, mockClock } from '../mock-clock.ts';
import { RpcError } from '../../src/jsonrpc/errors.ts';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import { RequestRate } from '../../src/tasks/request-rate.ts';
import type { McpServer } from '../../src/server/mcp-server.ts';
import { accept, connect, everything, later } from '../server/peer.ts';
import type { Answer, Bag, Peer, PeerOptions, Said } from '../server/peer.ts';
import { made } from './harness.ts';

const relatedTask = 'io.modelcontextprotocol/related-task';
const sure = { sure: { type: 'boolean' } } as const;
const related = (said: Said | Answer): unknown =>
  ((('params' in said ? said.params : (said as Answer).result)?.['_meta'] as Bag | undefined)?.[relatedTask] as Bag | undefined)?.['taskId'];

const legacy = (server: McpServer, options: PeerOptions = {}): Promise<Peer> =>
  connect(server, { revision: '2025-11-25', ...options });

async function begin(peer: Peer, name: string, task: Bag = {}, more: Bag = {}): Promise<string> {
  const { result, error } = await peer.request('tools/call', { name, arguments: {}, task, ...more });
  assert.equal(error, undefined);
  return (result?.['task'] as Bag)['taskId'] as string;
}

async function until(peer: Peer, taskId: string, status: string): Promise<Bag> {
  for (let looks = 0; looks < 2000; looks++) {
    const { result, error } = await peer.request('tasks/get', { taskId });
    assert.equal(error, undefined);
    if (result?.['status'] === status) return result;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`the task is not ${status}`);
}

function server(t: TestContext): McpServer {
  const { server: one } = made(t);
  one.tool('greet', {}, () => 'hello');
  one.tool('optional', { task: 'optional' }, () => 'done');
  one.tool('required', { task: 'required' }, () => 'done');
  one.tool('maybe', { task: () => true }, () => 'done');
  one.tool('ask', { task: 'optional' }, async (_args, ctx) => {
    const answer = await ctx.elicit('Sure?', sure, { key: 'sure' });
    return `${answer.action} ${answer.content?.sure}`;
  });
  one.tool('tool error', { task: 'optional' }, () => ({ content: [{ type: 'image', data: '', mimeType: 'image/png' }, { type: 'text', text: 'no flour' }], isError: true }));
  one.tool('protocol error', { task: 'optional' }, () => {
    throw new RpcError(4711, 'the oven is off', { oven: 1 });
  });
  one.tool('slow', { task: 'optional' }, (_args, ctx) => new Promise((resolve) => {
    ctx.signal.addEventListener('abort', () => resolve('late'));
  }));
  return one;
}

test('2025-11-25: tasks are declared, and the tools say which may be one', async (t) => {
  const one = server(t);
  const peer = await connect(one);
  const { result } = await peer.request('initialize', {
    protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' },
  });
  const { tasks: declared, extensions } = result?.['capabilities'] as Bag;
  assert.deepEqual(declared, { list: {}, cancel: {}, requests: { tools: { call: {} } } });
  assert.equal(extensions, undefined);
  const { result: listed } = await peer.request('tools/list');
  const executions = Object.fromEntries((listed?.['tools'] as { name: string; execution?: unknown }[])
    .map(({ name, execution }) => [name, execution]));
  assert.deepEqual([executions['greet'], executions['optional'], executions['required'], executions['maybe']], [
    undefined, { taskSupport: 'optional' }, { taskSupport: 'required' }, { taskSupport: 'optional' },
  ]);
});

test('other revisions have none of it', async (t) => {
  const one = server(t);
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18']) {
    const peer = await legacy(one, { revision });
    const { result } = await peer.request('tools/list');
    assert.equal(JSON.stringify(result).includes('execution'), false, revision);
    assert.equal((await peer.request('tasks/get', { taskId: 'x' })).error?.code, -32601, revision);
    const { error } = await peer.call('required');
    assert.equal(error?.code, -32601);
    assert.match(String(error?.message), new RegExp(`runs only as a task, which ${revision} does not have`));
    assert.deepEqual((await peer.request('tools/call', { name: 'optional', task: {} })).result?.['content'], [{ type: 'text', text: 'done' }]);
  }
});

test('the client decides: with `task` a task, without it a plain call, and -32601 where that is not possible', async (t) => {
  const peer = await legacy(server(t));
  const created = await peer.request('tools/call', { name: 'optional', arguments: {}, task: { ttl: 5000, taskId: 'mine' } });
  const { task } = created.result as { task: Bag };
  assert.deepEqual(Object.keys(created.result as Bag), ['task']);
  assert.deepEqual([task['status'], task['ttl'], task['pollInterval']], ['working', 5000, 1000]);
  assert.match(String(task['taskId']), /^[0-9a-f]{40}$/);
  assert.deepEqual((await peer.call('optional')).result?.['content'], [{ type: 'text', text: 'done' }]);
  assert.deepEqual((await peer.call('maybe')).result?.['content'], [{ type: 'text', text: 'done' }]);
  assert.deepEqual((await peer.call('required')).error?.code, -32601);
  for (const name of ['maybe', 'required']) assert.match(await begin(peer, name), /^[0-9a-f]{40}$/);
  const needless = await peer.request('tools/call', { name: 'greet', task: {} });
  assert.equal(needless.error?.code, -32601);
  for (const bad of [7, 'x', [], { ttl: 'long' }, { ttl: -1 }]) {
    assert.equal((await peer.request('tools/call', { name: 'optional', task: bad })).error?.code, -32602, JSON.stringify(bad));
  }
  // A longer time is cut to the limit.
  const long = await peer.request('tools/call', { name: 'optional', task: { ttl: 1e15 } });
  assert.equal((long.result as { task: Bag }).task['ttl'], 604_800_000);
});

// basic/utilities/tasks#ttl-and-resource-management: "or `null` for unlimited".
test('a task that is kept without end says so, in each answer', async (t) => {
  const { server: one } = made(t, { limits: { ttlMs: Infinity, maxTtlMs: Infinity } });
  one.tool('slow', { task: 'optional' }, () => new Promise<string>(() => {}));
  const peer = await legacy(one);
  const { task } = (await peer.request('tools/call', { name: 'slow', task: {} })).result as { task: Bag };
  const params = { taskId: task['taskId'] };
  const { tasks } = (await peer.request('tasks/list')).result as { tasks: Bag[] };
  const [got, cancelled] = [await peer.request('tasks/get', params), await peer.request('tasks/cancel', params)];
  assert.deepEqual([task['ttl'], got.result?.['ttl'], tasks[0]?.['ttl'], cancelled.result?.['ttl']], [null, null, null, null]);
});

test('arguments that do not fit are an error where a task is wanted, since nothing else would be understood', async (t) => {
  const one = server(t);
  one.tool('typed', { task: 'optional', input: { type: 'object', properties: { n: { type: 'number' } } } }, () => '');
  const peer = await legacy(one);
  const { error } = await peer.request('tools/call', { name: 'typed', arguments: { n: 'x' }, task: {} });
  assert.equal(error?.code, -32602);
  assert.equal((await peer.call('typed', { n: 'x' })).result?.['isError'], true);
});

test('tasks/result waits for the result, and names the task', async (t) => {
  const one = server(t);
  const go = later<void>();
  one.tool('wait', { task: 'optional' }, async () => {
    await go.promise;
    return 'there';
  });
  const whole = { content: [{ type: 'text' as const, text: 'n is 1' }], structuredContent: { n: 1 }, _meta: { 'com.example/own': 2 } };
  one.tool('whole', { task: 'optional', output: { type: 'object', properties: { n: { type: 'number' } } } as const }, () => whole);
  const peer = await legacy(one);
  const id = await begin(peer, 'wait');
  const result = peer.request('tasks/result', { taskId: id });
  assert.equal((await until(peer, id, 'working'))['status'], 'working');
  go.resolve();
  const answer = await result;
  assert.deepEqual(answer.result?.['content'], [{ type: 'text', text: 'there' }]);
  assert.equal(related(answer), id);
  // The result can be fetched again.
  assert.deepEqual((await peer.request('tasks/result', { taskId: id })).result, answer.result);
  const done = await until(peer, id, 'completed');
  assert.equal('_meta' in done, false);
  // The call's own result, with the task's metadata added.
  const plain = (await peer.call('whole')).result;
  assert.deepEqual(plain, whole);
  const other = await begin(peer, 'whole');
  assert.deepEqual((await peer.request('tasks/result', { taskId: other })).result, {
    ...plain, _meta: { ...whole._meta, [relatedTask]: { taskId: other } },
  });
});

test('a question is a request on the stream of tasks/result, and names the task', async (t) => {
  const peer = await legacy(server(t));
  const id = await begin(peer, 'ask');
  await until(peer, id, 'input_required');
  const result = peer.request('tasks/result', { taskId: id });
  let question = await peer.next();
  while (question.method !== 'elicitation/create') question = await peer.next();
  assert.equal(related(question), id);
  assert.equal(question.params?.['message'], 'Sure?');
  peer.answer(question, { ...accept({ sure: true }), _meta: { [relatedTask]: { taskId: id } } });
  assert.deepEqual((await result).result?.['content'], [{ type: 'text', text: 'accept true' }]);
  // The other kinds of questions too.
  const one = server(t);
  one.tool('ask all', { task: 'optional' }, async (_args, ctx) => {
    await Promise.all([ctx.sample({ messages: [], maxTokens: 1 }, { key: 'model' }), ctx.roots({ key: 'roots' }), ctx.elicit('Sure?', sure, { key: 'sure' })]);
    return 'asked';
  });
  const other = await legacy(one);
  const all = await begin(other, 'ask all');
  await until(other, all, 'input_required');
  const asked = other.request('tasks/result', { taskId: all });
  const answers: Bag = {
    'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'Why?' }, model: 'm' }, 'roots/list': { roots: [] }, 'elicitation/create': { action: 'decline' },
  };
  const named: Bag = {};
  while (Object.keys(named).length < 3) {
    const said = await other.next();
    if (said.id === undefined) continue;
    named[said.method] = related(said);
    other.answer(said, answers[said.method]);
  }
  assert.deepEqual(named, Object.fromEntries(Object.keys(answers).map((method) => [method, all])));
  assert.deepEqual((await asked).result?.['content'], [{ type: 'text', text: 'asked' }]);
});

test('a question is put again to whoever asks for the result after a restart, and counts once', async (t) => {
  const store = memoryStore();
  const first = made(t, { store: { ...store, close: async () => {} } }).server;
  const define = (to: McpServer): void => void to.tool('ask', { task: 'optional' }, async (_args, ctx) =>
    (await ctx.elicit('Sure?', sure, { key: 'sure' })).action);
  define(first);
  const peer = await legacy(first);
  const id = await begin(peer, 'ask');
  await until(peer, id, 'input_required');
  void peer.request('tasks/result', { taskId: id });
  let question = await peer.next();
  while (question.method !== 'elicitation/create') question = await peer.next();
  // The connection closes before the answer.
  peer.close();
  const second = made(t, { store }).server;
  define(second);
  const again = await legacy(second);
  const results = [again.request('tasks/result', { taskId: id }), again.request('tasks/result', { taskId: id })];
  const questions: Said[] = [await again.next()];
  again.answer(questions[0] as Said, { action: 'decline' });
  for (const answer of await Promise.all(results)) assert.deepEqual(answer.result?.['content'], [{ type: 'text', text: 'decline' }]);
  // Two requests wait for the result, but the person was asked once.
  assert.deepEqual((await again.rest()).filter(({ method }) => method === 'elicitation/create'), []);
});

test('a client that refuses the question: a form counts as cancelled', async (t) => {
  const peer = await legacy(server(t));
  const id = await begin(peer, 'ask');
  await until(peer, id, 'input_required');
  const result = peer.request('tasks/result', { taskId: id });
  let question = await peer.next();
  while (question.method !== 'elicitation/create') question = await peer.next();
  peer.send({ jsonrpc: '2.0', id: question.id, error: { code: -32601, message: 'no' } });
  assert.deepEqual((await result).result?.['content'], [{ type: 'text', text: 'cancel undefined' }]);
});

test('a tool that fails has failed here, and its result is still the result; a protocol error is the error', async (t) => {
  const one = server(t);
  const peer = await legacy(one);
  const tool = await begin(peer, 'tool error');
  const failed = await until(peer, tool, 'failed');
  assert.equal(failed['statusMessage'], 'no flour');
  const { result } = await peer.request('tasks/result', { taskId: tool });
  assert.equal(result?.['isError'], true);
  // The message is the error, not the last progress; a tool without a text gets a default message.
  one.tool('half', { task: 'optional' }, (_args, ctx) => {
    ctx.progress(1, 2);
    return { content: [{ type: 'text', text: 'no flour' }], isError: true };
  });
  one.tool('silent', { task: 'optional' }, () => ({ content: [], isError: true }));
  for (const [name, message] of [['half', 'no flour'], ['silent', 'The tool has failed']] as const) {
    assert.equal((await until(peer, await begin(peer, name), 'failed'))['statusMessage'], message);
  }
  const protocol = await begin(peer, 'protocol error');
  assert.match(String((await until(peer, protocol, 'failed'))['statusMessage']), /the oven is off/);
  const { error } = await peer.request('tasks/result', { taskId: protocol });
  assert.deepEqual(error, { code: 4711, message: 'the oven is off', data: { oven: 1 } });
});

test('cancelling answers with the cancelled task; a second time is -32602; its result is an error', async (t) => {
  const peer = await legacy(server(t));
  const id = await begin(peer, 'slow');
  const waiting = peer.request('tasks/result', { taskId: id });
  const { result } = await peer.request('tasks/cancel', { taskId: id });
  assert.equal(result?.['status'], 'cancelled');
  assert.match(String((await waiting).error?.message), /cancelled/);
  const again = await peer.request('tasks/cancel', { taskId: id });
  assert.equal(again.error?.code, -32602);
  assert.match(String(again.error?.message), /it is cancelled already/);
  for (const [name, status] of [['optional', 'completed'], ['tool error', 'failed'], ['protocol error', 'failed']] as const) {
    const done = await begin(peer, name);
    await until(peer, done, status);
    const { error } = await peer.request('tasks/cancel', { taskId: done });
    assert.deepEqual([error?.code, error?.message], [-32602, `taskId: the task cannot be cancelled, it is ${status} already`], name);
    assert.equal((await peer.request('tasks/get', { taskId: done })).result?.['status'], status);
  }
});

test('tasks/list has the own tasks, in pages; a cursor that is none is -32602', async (t) => {
  const one = server(t);
  const ann = await legacy(one, { auth: { principal: 'ann' } });
  const bob = await legacy(one, { auth: { principal: 'bob' } });
  const ids: string[] = [];
  for (let i = 0; i < 103; i++) ids.push(await begin(ann, 'optional'));
  const first = (await ann.request('tasks/list')).result as { tasks: Bag[]; nextCursor: string };
  assert.equal(first.tasks.length, 100);
  const second = (await ann.request('tasks/list', { cursor: first.nextCursor })).result as { tasks: Bag[]; nextCursor?: string };
  assert.equal(second.nextCursor, undefined);
  assert.deepEqual([...first.tasks, ...second.tasks].map(({ taskId }) => taskId).sort(), [...ids].sort());
  // No related-task metadata: the tasks have their ids.
  assert.deepEqual([Object.keys(first), Object.keys(second)], [['tasks', 'nextCursor'], ['tasks']]);
  for (const task of [...first.tasks, ...second.tasks]) assert.equal('_meta' in task, false);
  for (const other of [bob, await legacy(one)]) assert.deepEqual((await other.request('tasks/list')).result, { tasks: [] });
  for (const cursor of [7, 'x', '', '000000000000000-../x']) {
    assert.equal((await ann.request('tasks/list', { cursor })).error?.code, -32602);
  }
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    assert.equal((await bob.request(method, { taskId: ids[0] })).error?.code, -32602, method);
  }
});

test('the client is told of states, and of progress under the token of the call', async (t) => {
  const one = server(t);
  const [reported, go] = [later<void>(), later<void>()];
  one.tool('count', { task: 'optional' }, async (_args, ctx) => {
    ctx.progress(1, 3, 'one');
    reported.resolve();
    await go.promise;
    const answer = await ctx.elicit('Sure?', sure, { key: 'sure' });
    return answer.action;
  });
  const peer = await legacy(one);
  const id = await begin(peer, 'count', {}, { _meta: { progressToken: 'tok' } });
  await reported.promise;
  const progress = await peer.next();
  assert.deepEqual(progress, {
    jsonrpc: '2.0', method: 'notifications/progress',
    params: { progressToken: 'tok', progress: 1, total: 3, message: 'one', _meta: { [relatedTask]: { taskId: id } } },
  });
  go.resolve();
  const states: string[] = [];
  while (!states.includes('input_required')) {
    const said = await peer.next();
    assert.equal(said.method, 'notifications/tasks/status');
    assert.equal(said.params?.['taskId'], id);
    assert.equal(related(said), undefined);
    states.push(said.params?.['status'] as string);
  }
  const result = peer.request('tasks/result', { taskId: id });
  for (let said = await peer.next(); ; said = await peer.next()) {
    if (said.method !== 'elicitation/create') continue;
    peer.answer(said, { action: 'decline' });
    break;
  }
  await result;
  while (!states.includes('completed')) {
    const said = await peer.next();
    // The run that continues with the answer repeats the earlier reports.
    assert.equal(said.method, 'notifications/tasks/status');
    states.push(said.params?.['status'] as string);
  }
  assert.ok(states.indexOf('input_required') < states.indexOf('completed'));
  // No notifications come after the end of a task.
  assert.deepEqual(await peer.rest(), []);
});

// 2025-11-25 basic/utilities/progress#behavior-requirements.
test('progress has the token of the call to the end of the task, and none comes after a task is completed, failed or cancelled', async (t) => {
  for (const end of ['completed', 'failed', 'cancelled']) {
    const one = server(t);
    const [first, go, over] = [later<void>(), later<void>(), later<void>()];
    let report = (_progress: number): void => {};
    one.tool('count', { task: 'optional' }, async (_args, ctx) => {
      report = (progress) => ctx.progress(progress);
      ctx.signal.addEventListener('abort', () => over.resolve());
      report(1);
      first.resolve();
      await go.promise;
      report(2);
      if (end === 'failed') throw new Error('no flour');
      return end === 'cancelled' ? new Promise<string>(() => {}) : 'done';
    });
    const peer = await legacy(one);
    const id = await begin(peer, 'count', {}, { _meta: { progressToken: 'tok' } });
    await first.promise;
    go.resolve();
    if (end === 'cancelled') {
      for (let reports = 0; reports < 2;) if ((await peer.next()).method === 'notifications/progress') reports++;
      await peer.request('tasks/cancel', { taskId: id });
      await over.promise;
    } else {
      await until(peer, id, end);
    }
    const told = (await peer.rest()).filter(({ method }) => method === 'notifications/progress').map(({ params }) => [params?.['progressToken'], params?.['progress']]);
    if (end !== 'cancelled') assert.deepEqual(told, [['tok', 1], ['tok', 2]]);
    report(3);
    assert.deepEqual(await peer.rest(), [], end);
  }
});

// Only on a connection in memory or on the process's own stdin there are no other clients. Over HTTP, a socket, WebSockets, MQTT, a serial
// line or a port there may be.
test('without authentication, where others may connect, nobody is told apart: no tasks/list', async (t) => {
  for (const modern of [false, true]) {
    const one = server(t);
    const texts: string[] = [];
    const peer = one.connect({ send: () => {}, answer: (text) => void texts.push(text ?? '') }, { modern });
    const { decode } = await import('../../src/jsonrpc/message.ts');
    const say = async (message: Bag): Promise<Bag> => {
      peer.receive(decode(JSON.stringify({ jsonrpc: '2.0', ...message })));
      while (texts.length === 0) await new Promise(setImmediate);
      return JSON.parse(texts.shift() as string) as Bag;
    };
    const { result } = await say({ id: 1, method: 'initialize', params: {
      protocolVersion: '2025-11-25', capabilities: everything, clientInfo: { name: 'x', version: '1' },
    } }) as { result: { capabilities: Bag } };
    assert.deepEqual(result.capabilities['tasks'], { cancel: {}, requests: { tools: { call: {} } } });
    const { error } = await say({ id: 2, method: 'tasks/list' }) as { error: Bag };
    assert.equal(error['code'], -32601);
  }
});

test('who asks for tasks is let go of when the second is over, though nobody asks again', (t) => {
  mockClock(t.mock, { apis: ['Date', 'setTimeout'], now: 5_400 });
  const rate = new RequestRate(2);
  rate.count({});
  t.mock.timers.tick(700);
  rate.count({});
  assert.equal(rate.size, 1, 'the requester of the second before is gone');
  t.mock.timers.tick(300);
  assert.equal(rate.size, 1, 'this second is not over');
  t.mock.timers.tick(1000);
  assert.equal(rate.size, 0);
});

// 2025-11-25 basic/utilities/tasks#task-isolation-and-access-control.
test('each principal may make so many requests for tasks in a second, and others do not suffer for it', async (t) => {
  mockClock(t.mock, { apis: ['Date'], now: 1_000_000 });
  const { server: one } = made(t, { limits: { maxRequestsPerSecond: 2 } });
  one.tool('optional', { task: 'optional' }, () => 'done');
  const [mine, also, other, nobody, stranger] = await Promise.all([
    { auth: { principal: 'ann' } }, { auth: { principal: 'ann' } }, { auth: { principal: 'bob' } }, {}, {},
  ].map((options) => legacy(one, options)));
  const methods = ['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/list'];
  // Each of the four methods counts.
  const refusals = async (peers: (Peer | undefined)[]): Promise<number> => {
    const answers = await Promise.all(peers.map((peer, at) => peer?.request(methods[at % 4] as string, { taskId: 'x' })));
    return answers.filter((answer) => answer?.error?.message === 'Too many requests for tasks: the limit is 2 a second').length;
  };
  assert.equal(await refusals(Array.from({ length: 10 }, (_, i) => (i % 2 ? mine : also))), 8, 'one principal over two connections');
  assert.equal(await refusals([other, other]), 0);
  assert.equal(await refusals(Array.from({ length: 10 }, () => nobody)), 8, 'nobody in particular, over one connection');
  assert.equal(await refusals([stranger, stranger]), 0);
});

test('requests for tasks are counted anew in each second', () => {
  let now = 5_999;
  const rate = new RequestRate(2, clockOf(() => now));
  rate.count('a');
  rate.count('a');
  rate.count('b');
  assert.throws(() => rate.count('a'), { code: -32603, message: 'Too many requests for tasks: the limit is 2 a second' });
  now = 6_000;
  rate.count('a');
  // The clock was set back.
  now = 1_000;
  rate.count('a');
  rate.count('a');
  assert.throws(() => rate.count('a'));
});
