import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import type { McpServer, ServerOptions } from '../../src/server/mcp-server.ts';
import { receiveTasks } from '../../src/tasks/legacy/client-receiver.ts';
import { TaskClient } from '../../src/tasks/task-client.ts';
import type { TaskClientOptions } from '../../src/tasks/task-client.ts';
import type { TasksOptions } from '../../src/tasks/options.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { httpTransport } from '../../src/transport/http/node/index.ts';
import { serveHttp } from '../../src/transport/http/node/serve.ts';
import { connect, everything, later, textOf } from '../server/peer.ts';
import type { Answer, Bag, Peer, Said } from '../server/peer.ts';
import { mockClock, steppedClock } from '../mock-clock.ts';
import { made } from './harness.ts';

// A server that sends its questions to a client of 2025-11-25 as tasks; the client holds the tasks.

const relatedTask = 'io.modelcontextprotocol/related-task';
const tasks = { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } };

function server(t: TestContext, options: TasksOptions = { askWithTasks: true }, more: ServerOptions = {}): McpServer {
  const { server: one } = made(t, { ...options, limits: { pollIntervalMs: 100, ttlMs: 60_000 } }, more);
  const sure = { sure: { type: 'boolean' } } as const;
  one.tool('ask', {}, async (_args, ctx) => {
    const { action, content } = await ctx.elicit('Sure?', sure);
    return `${action} ${content?.sure}`;
  });
  one.tool('durable', { task: 'required' }, async (_args, ctx) => {
    const { action, content } = await ctx.elicit('Sure?', sure, { key: 'sure' });
    return `${action} ${content?.sure}`;
  });
  one.tool('think', {}, async (_args, ctx) => {
    const { content } = await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }], maxTokens: 10 });
    return JSON.stringify(content);
  });
  one.prompt('ask', {}, async (_args, ctx) => `${(await ctx.elicit('Sure?', sure)).action}`);
  return one;
}

const legacy = (one: McpServer, capabilities: Bag = { ...everything, tasks }): Promise<Peer> =>
  connect(one, { revision: '2025-11-25', capabilities });

const taskOf = (taskId: string, more: Bag = {}): Bag => ({
  task: { taskId, status: 'working', createdAt: new Date().toISOString(), lastUpdatedAt: new Date().toISOString(), ttl: 60_000, ...more },
});

for (const kind of ['memory', 'http'] as const) {
  test(`${kind}: our client is asked with tasks, by calls, tasks and prompts`, async (t) => {
    const one = server(t);
    const seen: unknown[] = [];
    const options: TaskClientOptions = {
      onElicit: () => ({ action: 'accept', content: { sure: true } }),
      onSample: () => ({ role: 'assistant', content: { type: 'text', text: 'Because.' }, model: 'm' }),
    };
    const client = new TaskClient({ name: 'test', version: '1' }, {
      era: 'legacy', ...options,
      receive: false,
      around: (plain) => {
        const receiving = receiveTasks(plain);
        return {
          ...receiving,
          answer: (method, params, revision, abortable) => {
            seen.push(method);
            return receiving.answer(method, params, revision, abortable);
          },
        };
      },
    });
    if (kind === 'http') {
      const http = await serveHttp(one);
      t.after(() => http.close({ drainMs: 0 }));
      await client.connect(httpTransport(http.url));
    } else await client.connect(memoryTransport(one));
    t.after(() => client.close());
    assert.deepEqual((await client.callTool('ask')).content, [{ type: 'text', text: 'accept true' }]);
    assert.deepEqual((await client.callTool('durable')).content, [{ type: 'text', text: 'accept true' }]);
    assert.match(JSON.stringify(await client.callTool('think')), /Because/);
    assert.match(JSON.stringify(await client.getPrompt('ask')), /accept/);
    const methods = ['elicitation/create', 'elicitation/create', 'sampling/createMessage', 'elicitation/create'];
    assert.deepEqual(seen, methods.flatMap((method) => [method, 'tasks/result']));
  });
}

test('the question is created as a task, and its answer fetched by tasks/result', async (t) => {
  const clock = steppedClock();
  const peer = await legacy(server(t, undefined, { clock }));
  const called = peer.call('ask');
  const question = await peer.next();
  assert.equal(question.method, 'elicitation/create');
  assert.deepEqual(question.params?.['task'], { ttl: 60_000 });
  peer.answer(question, taskOf('t1'));
  const fetched = await peer.next();
  assert.deepEqual([fetched.method, fetched.params], ['tasks/result', { taskId: 't1' }]);
  // A status notification changes nothing.
  peer.send({ jsonrpc: '2.0', method: 'notifications/tasks/status', params: taskOf('t1', { status: 'completed' })['task'] });
  // The server waits for as long as the client keeps the task.
  clock.pass(59_000);
  peer.answer(fetched, { action: 'accept', content: { sure: false }, _meta: { [relatedTask]: { taskId: 't1' } } });
  assert.equal(textOf(await called), 'accept false');
});

test("a durable task's question says to which task of ours it belongs", async (t) => {
  const peer = await legacy(server(t));
  const begun = await peer.request('tools/call', { name: 'durable', task: {} });
  const { taskId } = begun.result?.['task'] as { taskId: string };
  const result = peer.request('tasks/result', { taskId });
  const next = async (): Promise<Said> => {
    for (;;) {
      const said = await peer.next();
      if (said.id !== undefined) return said;
    }
  };
  const question = await next();
  assert.deepEqual(question.params?.['_meta'], { [relatedTask]: { taskId } });
  peer.answer(question, taskOf('theirs'));
  peer.answer(await next(), { action: 'accept', content: { sure: true }, _meta: { [relatedTask]: { taskId: 'theirs' } } });
  assert.equal(textOf(await result), 'accept true');
});

test('who did not declare it, and whoever did not ask for it, sees plain questions', async (t) => {
  const cases: [McpServer, Bag, 'ask' | 'think'][] = [
    [server(t), everything, 'ask'],
    [server(t), { ...everything, tasks: { requests: { sampling: { createMessage: {} } } } }, 'ask'],
    [server(t), { ...everything, tasks: { requests: { elicitation: { create: {} } } } }, 'think'],
    [server(t), { ...everything, tasks: { list: {}, cancel: {} } }, 'think'],
    [server(t, {}), { ...everything, tasks }, 'ask'],
    [server(t, {}), { ...everything, tasks }, 'think'],
  ];
  for (const [one, capabilities, tool] of cases) {
    const peer = await legacy(one, capabilities);
    const called = peer.call(tool);
    const question = await peer.next();
    assert.equal('task' in (question.params ?? {}), false);
    peer.answer(question, tool === 'ask' ? { action: 'decline' } : { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' });
    assert.match(textOf(await called), tool === 'ask' ? /^decline undefined$/ : /"x"/);
  }
  const peer = await connect(server(t), { revision: '2025-06-18', capabilities: { ...everything, tasks } });
  const called = peer.call('ask');
  const question = await peer.next();
  assert.equal('task' in (question.params ?? {}), false);
  peer.answer(question, { action: 'decline' });
  await called;
});

test("the client's error is the error of the question; a result without a task is its fault", async (t) => {
  const peer = await legacy(server(t));
  const refuse = (said: Said): void => peer.send({ jsonrpc: '2.0', id: said.id, error: { code: -32603, message: 'no room' } });
  let called = peer.call('ask');
  refuse(await peer.next());
  assert.match(textOf(await called), /failed: elicitation\/create: no room/);
  called = peer.call('ask');
  peer.answer(await peer.next(), taskOf('t1'));
  refuse(await peer.next());
  assert.match(textOf(await called), /no room/);
  called = peer.call('ask');
  peer.answer(await peer.next(), { action: 'decline' });
  assert.equal((await called).result?.['isError'], true);
  assert.deepEqual(await peer.rest(), []);
});

/** Returns the next message with this method. */
async function until(peer: Peer, method: string): Promise<Said> {
  for (;;) {
    const said = await peer.next();
    if (said.method === method) return said;
  }
}

test('a call that is cancelled cancels the task that it asked with, also where that was still on its way', async (t) => {
  const peer = await legacy(server(t));
  const cancelCall = (requestId: number): void =>
    peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  void peer.request('tools/call', { name: 'ask' }, 71);
  peer.answer(await peer.next(), taskOf('t1'));
  const waiting = await until(peer, 'tasks/result');
  cancelCall(71);
  const said = await peer.rest();
  const of = (wanted: string): unknown[] => said.filter(({ method }) => method === wanted).map(({ params }) => params?.['taskId'] ?? params?.['requestId']);
  // The waiting request is cancelled by a notification only.
  assert.deepEqual([of('tasks/cancel'), of('notifications/cancelled')], [['t1'], [waiting.id]]);

  void peer.request('tools/call', { name: 'ask' }, 72);
  const question = await until(peer, 'elicitation/create');
  cancelCall(72);
  await until(peer, 'notifications/cancelled');
  peer.answer(question, taskOf('t2'));
  assert.deepEqual((await until(peer, 'tasks/cancel')).params, { taskId: 't2' });
  assert.deepEqual(await peer.rest(), []);
  peer.close();
});

// 2025-11-25 basic/lifecycle#timeouts: every request that is sent has a timeout.
test('a client that does not say how long it keeps the task is waited for as long as the server would have it kept', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  for (const ttl of [null, undefined, 0, -5, '5', {}, 1e9]) {
    const peer = await legacy(server(t));
    const called = peer.call('ask');
    peer.answer(await peer.next(), taskOf('t1', { ttl }));
    const waiting = await until(peer, 'tasks/result');
    t.mock.timers.tick(59_999);
    assert.deepEqual(await peer.rest(), [], String(ttl));
    peer.answer(waiting, { action: 'accept', content: { sure: true } });
    assert.equal(textOf(await called), 'accept true');
  }
});

test('an answer is waited for as long as its task is kept, and the task is then cancelled', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const peer = await legacy(server(t));
  const called = peer.call('ask');
  peer.answer(await peer.next(), taskOf('t1', { ttl: 5000 }));
  const waiting = await until(peer, 'tasks/result');
  t.mock.timers.tick(4999);
  assert.deepEqual(await peer.rest(), []);
  t.mock.timers.tick(1);
  assert.match(textOf(await called), /ask failed/);
  assert.deepEqual((await peer.rest()).map(({ method, params }) => [method, params?.['taskId'] ?? params?.['requestId']]), [
    ['notifications/cancelled', waiting.id], ['tasks/cancel', 't1'],
  ]);
});

test('a client whose call is cancelled while its task is on the way cancels the task', async (t) => {
  for (const era of ['legacy', 'modern'] as const) {
    const { server: one } = made(t);
    const held = later<void>();
    const begun = later<void>();
    const stopped = later<void>();
    one.tool('slow', { task: 'required' }, (_args, ctx) => new Promise((resolve) => {
      begun.resolve();
      ctx.signal.addEventListener('abort', () => {
        stopped.resolve();
        resolve('late');
      });
    }));
    const client = new TaskClient({ name: 'test', version: '1' }, { era });
    const inner = memoryTransport(one);
    const stop = new AbortController();
    const told: string[] = [];
    await client.connect({
      kind: 'pipe',
      open: (receiver) => inner.open({
        ...receiver,
        // The response to the call is held back until the caller has given up.
        message: (decoded) => {
          const text = JSON.stringify(decoded);
          if (!text.includes('"taskId"') || stop.signal.aborted) return receiver.message(decoded);
          void held.promise.then(() => receiver.message(decoded));
        },
      }),
      send: (text, message) => {
        told.push((JSON.parse(text) as Answer & { method: string }).method);
        // The cancellation does not arrive: the server has already created the task, so it would come too late.
        if (!text.includes('notifications/cancelled')) inner.send(text, message);
      },
      close: () => inner.close(),
    });
    t.after(() => client.close());
    const called = client.callTool('slow', {}, { signal: stop.signal });
    await begun.promise;
    stop.abort(new Error('enough'));
    await assert.rejects(called, /enough/);
    held.resolve();
    await stopped.promise;
    assert.equal(told.at(-1), 'tasks/cancel', era);
  }
});
