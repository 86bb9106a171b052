import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { mockClock } from '../mock-clock.ts';
import { RpcError } from '../../src/jsonrpc/errors.ts';
import { decode } from '../../src/jsonrpc/message.ts';
import { ClientCore } from '../../src/client/client-core.ts';
import { answering } from '../../src/client/answering.ts';
import { receiveTasks } from '../../src/tasks/legacy/client-receiver.ts';
import { TaskClient } from '../../src/tasks/task-client.ts';
import type { TaskClientOptions } from '../../src/tasks/task-client.ts';
import type { ClientReceiver, ClientTransport } from '../../src/transport/client-port.ts';
import { later } from '../server/peer.ts';
import type { Answer, Bag } from '../server/peer.ts';

// A client that accepts questions as tasks, and a server that consists of messages only.

const relatedTask = 'io.modelcontextprotocol/related-task';
const form = { mode: 'form', message: 'Sure?', requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } } };
const question = { messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }], maxTokens: 10 };
const said = { role: 'assistant', content: { type: 'text', text: 'Because.' }, model: 'm' } as const;

interface Server {
  readonly capabilities: Bag;
  /** The notifications of the client. */
  readonly told: { method: string; params: Bag }[];
  ask(method: string, params?: Bag): Promise<Answer>;
  cancel(id: number): void;
}

type Connecting = Pick<ClientCore, 'connect' | 'close'>;

async function serverOf(t: TestContext, client: Connecting, revision: string = '2025-11-25'): Promise<Server> {
  let receiver: ClientReceiver | undefined;
  let capabilities: Bag = {};
  let lastId = 0;
  const waiting = new Map<unknown, (answer: Answer) => void>();
  const told: Server['told'] = [];
  const deliver = (message: Bag): void => receiver?.message(decode(JSON.stringify({ jsonrpc: '2.0', ...message })));
  const transport: ClientTransport = {
    kind: 'pipe',
    async open(to) {
      receiver = to;
    },
    send(text) {
      const message = JSON.parse(text) as Answer & { method?: string; params: Bag };
      if (message.method === 'initialize') {
        capabilities = message.params['capabilities'] as Bag;
        const result = { protocolVersion: revision, capabilities: {}, serverInfo: { name: 's', version: '1' } };
        queueMicrotask(() => deliver({ id: message.id, result }));
      } else if (message.method !== undefined) told.push({ method: message.method, params: message.params });
      else waiting.get(message.id)?.(message);
    },
    close: async () => {},
  };
  await client.connect(transport);
  t.after(() => client.close());
  return {
    capabilities, told,
    ask: (method, params) => new Promise((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      deliver({ id, method, params });
    }),
    cancel: (requestId) => deliver({ method: 'notifications/cancelled', params: { requestId } }),
  };
}

const made = (t: TestContext, options: TaskClientOptions, revision?: string): Promise<Server> =>
  serverOf(t, new TaskClient({ name: 'test', version: '1' }, { era: 'legacy', ...options }), revision);

/** Sends a question as a task, and returns the created task. */
async function begin(server: Server, method: string, params: Bag, task: unknown = {}): Promise<Bag & { taskId: string }> {
  const { result, error } = await server.ask(method, { ...params, task });
  assert.equal(error, undefined);
  return result?.['task'] as Bag & { taskId: string };
}

test('tasks are declared for the questions that there are handlers for, at 2025-11-25 alone', async (t) => {
  const onElicit: TaskClientOptions['onElicit'] = () => ({ action: 'decline' });
  const both = await made(t, { onElicit, onSample: () => said });
  assert.deepEqual(both.capabilities['tasks'], {
    list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
  });
  const one = await made(t, { onElicit });
  assert.deepEqual((one.capabilities['tasks'] as Bag)['requests'], { elicitation: { create: {} } });
  // A kind that is not declared is handled without a task, even if the request has `task`.
  assert.equal((await one.ask('sampling/createMessage', { ...question, task: {} })).error?.code, -32601);
  for (const [options, revision] of [
    [{}, '2025-11-25'], [{ onElicit, receive: false }, '2025-11-25'], [{ onElicit, revisions: ['2025-06-18'] }, '2025-06-18'],
  ] as const) {
    const server = await made(t, options, revision);
    assert.equal(server.capabilities['tasks'], undefined);
    assert.equal((await server.ask('tasks/list')).error?.code, -32601);
    if ('onElicit' in options) {
      assert.deepEqual((await server.ask('elicitation/create', { ...form, task: {} })).result, { action: 'decline' });
    }
  }
});

test('a question is answered at once with a task, whose result waits for the person', async (t) => {
  const person = later<boolean>();
  const asked: unknown[] = [];
  const server = await made(t, {
    onElicit: async (params) => {
      asked.push(params);
      return { action: 'accept', content: { sure: await person.promise } };
    },
  });
  const task = await begin(server, 'elicitation/create', form, { ttl: 60_000, taskId: 'mine' });
  assert.match(task.taskId, /^[0-9a-f]{40}$/);
  const { createdAt, lastUpdatedAt, ...rest } = task;
  assert.deepEqual(rest, { taskId: task.taskId, status: 'working', ttl: 60_000, pollInterval: 1000 });
  assert.equal(new Date(createdAt as string).toISOString(), createdAt);
  assert.equal(lastUpdatedAt, createdAt);
  assert.deepEqual((await server.ask('tasks/get', { taskId: task.taskId })).result, task);
  const results = [1, 2].map(() => server.ask('tasks/result', { taskId: task.taskId }));
  assert.equal(await Promise.race([...results, server.ask('ping').then(() => 'still blocked')]), 'still blocked');
  person.resolve(true);
  const wanted = { action: 'accept', content: { sure: true }, _meta: { [relatedTask]: { taskId: task.taskId } } };
  for (const { result } of await Promise.all(results)) assert.deepEqual(result, wanted);
  assert.deepEqual((await server.ask('tasks/result', { taskId: task.taskId })).result, wanted);
  assert.equal((await server.ask('tasks/get', { taskId: task.taskId })).result?.['status'], 'completed');
  // The handler gets the question without the task parameters.
  assert.deepEqual(asked, [form]);
  const status = server.told.filter(({ method }) => method === 'notifications/tasks/status');
  assert.deepEqual(status.map(({ params }) => [params['taskId'], params['status'], params['_meta']]), [
    [task.taskId, 'completed', undefined],
  ]);
});

test('sampling is a task too; its result says to which task it belongs, though the question belonged to another', async (t) => {
  const server = await made(t, { onSample: () => said });
  const { taskId } = await begin(server, 'sampling/createMessage', { ...question, _meta: { [relatedTask]: { taskId: 'theirs' } } });
  const { result } = await server.ask('tasks/result', { taskId });
  assert.deepEqual(result, { ...said, _meta: { [relatedTask]: { taskId } } });
});

// 2025-11-25 basic/utilities/tasks#associating-task-related-messages.
test('the parameter taskId names a task of the client, whatever the metadata says', async (t) => {
  const server = await made(t, { onElicit: () => new Promise(() => {}) });
  const [one, other] = [await begin(server, 'elicitation/create', form), await begin(server, 'elicitation/create', form)];
  const params = { taskId: one.taskId, _meta: { [relatedTask]: { taskId: other.taskId } } };
  assert.equal((await server.ask('tasks/get', params)).result?.['taskId'], one.taskId);
  assert.equal((await server.ask('tasks/cancel', params)).result?.['taskId'], one.taskId);
  assert.equal((await server.ask('tasks/result', params)).error?.message, 'The task was cancelled');
  assert.equal((await server.ask('tasks/get', { taskId: other.taskId })).result?.['status'], 'working');
});

// 2025-11-25 basic/utilities/tasks#associating-task-related-messages: the server's task. Its question is not a task of the client.
test("the answer to a question of a server's task names that task", async (t) => {
  const _meta = { [relatedTask]: { taskId: 'theirs' } };
  for (const receive of [undefined, false] as const) {
    const server = await made(t, { receive, onElicit: () => ({ action: 'decline' }), onSample: () => said, roots: [] });
    assert.deepEqual((await server.ask('elicitation/create', { ...form, _meta })).result, { action: 'decline', _meta });
    assert.deepEqual((await server.ask('sampling/createMessage', { ...question, _meta })).result, { ...said, _meta });
    assert.deepEqual((await server.ask('roots/list', { _meta })).result, { roots: [], _meta });
    assert.deepEqual((await server.ask('elicitation/create', form)).result, { action: 'decline' });
  }
});

test('what the request would have been refused with is the error of the result', async (t) => {
  const server = await made(t, {
    onElicit: () => {
      throw new RpcError(4711, 'nobody is at home', { floor: 1 });
    },
  });
  const first = await begin(server, 'elicitation/create', form);
  const { error } = await server.ask('tasks/result', { taskId: first.taskId });
  assert.deepEqual(error, { code: 4711, message: 'nobody is at home', data: { floor: 1 } });
  const { result } = await server.ask('tasks/get', { taskId: first.taskId });
  assert.deepEqual([result?.['status'], result?.['statusMessage']], ['failed', 'nobody is at home']);
  const again = await server.ask('tasks/cancel', { taskId: first.taskId });
  assert.deepEqual([again.error?.code, again.error?.message], [-32602, 'taskId: the task cannot be cancelled, it is failed already']);
  const second = await begin(server, 'elicitation/create', { message: 'no form' });
  assert.equal((await server.ask('tasks/result', { taskId: second.taskId })).error?.code, -32602);
  // Another error than an RpcError becomes an internal error.
  const broken = await made(t, { onElicit: () => Promise.reject(new Error('the bell is broken')) });
  const third = await begin(broken, 'elicitation/create', form);
  const { error: internal } = await broken.ask('tasks/result', { taskId: third.taskId });
  assert.deepEqual([internal?.code, internal?.message], [-32603, 'the bell is broken']);
});

test('cancelling stops the handler and is final: what comes late changes nothing', async (t) => {
  const stopped = later<unknown>();
  const late = later<void>();
  const server = await made(t, {
    onElicit: async (_params, { signal }) => {
      signal.addEventListener('abort', () => stopped.resolve(signal.reason));
      await late.promise;
      return { action: 'decline' };
    },
  });
  const { taskId } = await begin(server, 'elicitation/create', form);
  const blocked = server.ask('tasks/result', { taskId });
  const { result } = await server.ask('tasks/cancel', { taskId });
  assert.equal(result?.['status'], 'cancelled');
  assert.match(String(await stopped.promise), /the server cancelled the task/);
  assert.equal((await blocked).error?.code, -32603);
  late.resolve();
  await server.ask('ping');
  assert.equal((await server.ask('tasks/get', { taskId })).result?.['status'], 'cancelled');
  const again = await server.ask('tasks/cancel', { taskId });
  assert.equal(again.error?.code, -32602);
  assert.match(again.error?.message ?? '', /cancelled already/);
});

test('wrong ids, times and cursors are -32602; the list has pages', async (t) => {
  const server = await made(t, { onElicit: () => ({ action: 'cancel' }) });
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    assert.equal((await server.ask(method, { taskId: 'x' })).error?.code, -32602, method);
    assert.equal((await server.ask(method)).error?.code, -32602, method);
  }
  for (const task of [1, null, { ttl: -1 }, { ttl: 'long' }]) {
    assert.equal((await server.ask('elicitation/create', { ...form, task })).error?.code, -32602);
  }
  for (const cursor of ['x', '', 7, null, ['x']]) assert.equal((await server.ask('tasks/list', { cursor })).error?.code, -32602, String(cursor));
  assert.equal((await server.ask('tasks/update', { taskId: 'x' })).error?.code, -32601);
  const ids: unknown[] = [];
  for (let i = 0; i < 150; i++) ids.push((await begin(server, 'elicitation/create', form)).taskId);
  const first = (await server.ask('tasks/list')).result as { tasks: Bag[]; nextCursor: string };
  const second = (await server.ask('tasks/list', { cursor: first.nextCursor })).result as { tasks: Bag[]; nextCursor?: string };
  assert.deepEqual([...first.tasks, ...second.tasks].map(({ taskId }) => taskId), ids);
  assert.equal(second.nextCursor, undefined);
});

test('a server can make the client keep so many, so much and so long', async (t) => {
  const waits = later<void>();
  const server = await made(t, {
    receive: { maxReceived: 2, maxTtlMs: 5000 },
    onElicit: () => waits.promise.then(() => ({ action: 'cancel' as const })),
  });
  assert.equal((await begin(server, 'elicitation/create', form, { ttl: 1e9 }))['ttl'], 5000);
  await begin(server, 'elicitation/create', form);
  const { error } = await server.ask('elicitation/create', { ...form, task: {} });
  assert.deepEqual([error?.code, error?.message], [-32603, 'Too many tasks: the limit is 2']);

  const small = await made(t, {
    receive: { maxReceivedBytes: 20_000 },
    onSample: () => ({ ...said, content: { type: 'text', text: 'x'.repeat(30_000) } }),
  });
  const large = { ...question, systemPrompt: 'x'.repeat(30_000) };
  assert.match((await small.ask('sampling/createMessage', { ...large, task: {} })).error?.message ?? '', /limit is 20000 bytes/);
  // Released bytes are available again.
  for (let i = 0; i < 50; i++) {
    const { taskId } = await begin(small, 'sampling/createMessage', question);
    const refused = await small.ask('tasks/result', { taskId });
    assert.match(refused.error?.message ?? '', /does not fit/);
  }
});

test('a server may make so many requests for tasks in a second', async (t) => {
  mockClock(t.mock, { apis: ['Date'], now: 1_000_000 });
  const server = await made(t, { receive: { maxRequestsPerSecond: 2 }, onElicit: () => ({ action: 'cancel' as const }) });
  const { taskId } = await begin(server, 'elicitation/create', form);
  const said = await Promise.all(Array.from({ length: 10 }, () => server.ask('tasks/get', { taskId })));
  const refused = said.filter(({ error }) => error?.message === 'Too many requests for tasks: the limit is 2 a second');
  assert.equal(refused.length, 8);
  // Each of the methods counts.
  for (const method of ['tasks/result', 'tasks/cancel', 'tasks/list', 'tasks/get']) {
    assert.match((await server.ask(method, { taskId })).error?.message ?? '', /^Too many requests for tasks/, method);
  }
});

test('when it has expired a task is gone, its handler told, and whoever waits is answered', async (t) => {
  const stopped = later<unknown>();
  const server = await made(t, {
    onElicit: (_params, { signal }) => new Promise(() => {
      signal.addEventListener('abort', () => stopped.resolve(signal.reason));
    }),
  });
  // The client's own timer does not keep the process alive.
  const alive = setTimeout(() => {}, 10_000);
  t.after(() => clearTimeout(alive));
  const { taskId } = await begin(server, 'elicitation/create', form, { ttl: 20 });
  assert.equal((await server.ask('tasks/result', { taskId })).error?.code, -32603);
  assert.match(String(await stopped.promise), /the task has expired/);
  assert.equal((await server.ask('tasks/get', { taskId })).error?.code, -32602);
});

test('closing ends the tasks: another server finds none of them', async (t) => {
  const stopped = later<void>();
  const client = new TaskClient({ name: 'test', version: '1' }, {
    era: 'legacy',
    onElicit: (_params, { signal }) => new Promise(() => signal.addEventListener('abort', () => stopped.resolve())),
  });
  const first = await serverOf(t, client);
  const { taskId } = await begin(first, 'elicitation/create', form);
  await client.close();
  await stopped.promise;
  const second = await serverOf(t, client);
  assert.deepEqual((await second.ask('tasks/list')).result, { tasks: [] });
  assert.equal((await second.ask('tasks/get', { taskId })).error?.code, -32602);
});

test('a small client takes the part alone', async (t) => {
  const part = receiveTasks(answering({ onSample: () => said }));
  const server = await serverOf(t, new ClientCore({ name: 'small', version: '1' }, { era: 'legacy', answering: part }));
  const { taskId } = await begin(server, 'sampling/createMessage', question);
  assert.deepEqual((await server.ask('tasks/result', { taskId })).result?.['model'], 'm');
});

test('who asks for a result and gives up a thousand times has none of those requests open', async (t) => {
  const person = later<void>();
  const server = await made(t, { onElicit: () => person.promise.then(() => ({ action: 'decline' as const })) });
  const { taskId } = await begin(server, 'elicitation/create', form);
  for (let id = 2; id < 1102; id++) {
    void server.ask('tasks/result', { taskId });
    server.cancel(id);
  }
  person.resolve();
  const { result } = await server.ask('tasks/result', { taskId });
  assert.equal(result?.['action'], 'decline');
});
