import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { answering } from '../../src/client/index.ts';
import { Abortable } from '../../src/jsonrpc/inbound-request.ts';
import { findRevision, revisions } from '../../src/protocol/revisions.ts';
import type { Revision } from '../../src/protocol/revisions.ts';
import { receiveTasks } from '../../src/tasks/legacy/client-receiver.ts';
import { defaultReceivedTaskLimits, defaultTaskLimits } from '../../src/tasks/limits.ts';
import { TaskClient } from '../../src/tasks/task-client.ts';
import { serveHttp } from '../../src/transport/http/node/serve.ts';
import { httpTransport } from '../../src/transport/http/fetch/index.ts';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import type { NewTask } from '../../src/tasks/store.ts';
import { legacy, modern, Scripted } from '../client/scripted.ts';
import type { Script } from '../client/scripted.ts';
import { connect, everything, later } from '../server/peer.ts';
import type { Answer, Bag, Peer } from '../server/peer.ts';
import { declared, made, ModernTasks, tasksExtension } from '../tasks/harness.ts';
import { steppedClock } from '../mock-clock.ts';
import { within } from '../within.ts';

// Rules of requirements/tasks.tsv that are kept by design, each in a case that would show a violation.

const revision = '2025-11-25';
const relatedTask = 'io.modelcontextprotocol/related-task';

async function waiting(t: TestContext): Promise<Peer> {
  const { server } = made(t);
  server.tool('wait', { task: 'required' }, () => new Promise<string>(() => {}));
  return connect(server, { revision, capabilities: everything });
}

async function begin(peer: Peer): Promise<string> {
  const { result } = await peer.request('tools/call', { name: 'wait', task: {} });
  return (result?.['task'] as { taskId: string }).taskId;
}

// 2025-11-25 basic/utilities/tasks#related-task-metadata
test('the parameter taskId names the task, whatever the metadata says', async (t) => {
  const peer = await waiting(t);
  const [one, other] = [await begin(peer), await begin(peer)];
  const params = { taskId: one, _meta: { [relatedTask]: { taskId: other } } };
  assert.equal((await peer.request('tasks/get', params)).result?.['taskId'], one);
  assert.equal((await peer.request('tasks/cancel', params)).result?.['taskId'], one);
  assert.equal((await peer.request('tasks/result', params)).error?.message, 'The task was cancelled');
  assert.equal((await peer.request('tasks/get', { taskId: other })).result?.['status'], 'working');
});

// 2025-11-25 basic/utilities/tasks#task-id-requirements
test('ids of tasks are unique and random in every digit', async (t) => {
  const peer = await waiting(t);
  // A client that receives task-augmented requests makes the ids.
  const asked = receiveTasks(answering({ onSample: () => new Promise(() => {}) }), { maxReceived: 1000 });
  const question = { messages: [{ role: 'user', content: { type: 'text', text: 'Why?' } }], maxTokens: 1, task: {} };
  t.after(() => asked.end?.());
  const made = {
    server: () => begin(peer),
    client: async () => {
      const created = await asked.answer('sampling/createMessage', question, findRevision(revisions, revision) as Revision, new Abortable());
      return (created as { task: { taskId: string } }).task.taskId;
    },
  };
  for (const [side, make] of Object.entries(made)) {
    const ids = new Set<string>();
    for (let n = 0; n < 500; n++) ids.add(await make());
    assert.equal(ids.size, 500, side);
    for (let digit = 0; digit < 40; digit++) {
      const seen = new Set(Array.from(ids, (id) => id[digit]));
      // 500 random ids miss one of the sixteen values once in 10^13 runs; a digit that is not random has far fewer values.
      assert.ok(seen.size >= 15, `${side}, digit ${digit}: ${[...seen].join('')}`);
    }
  }
  // Ids are bytes of the runtime's cryptographic source only, so they cannot be guessed.
  const drawn: string[] = [];
  const source = globalThis.crypto.getRandomValues.bind(globalThis.crypto);
  t.mock.method(globalThis.crypto, 'getRandomValues', (array: Uint8Array) => {
    source(array);
    drawn.push(Buffer.from(array).toString('hex'));
    return array;
  });
  for (const [side, make] of Object.entries(made)) {
    drawn.length = 0;
    // Ids are cut from a stock of such bytes: the first ones come from an earlier draw.
    while (drawn.length === 0) await make();
    const id = await make();
    assert.ok(drawn.join('').includes(id), `${side}: ${id} is not among ${drawn.join()}`);
  }
});

// ext-tasks, Capability Negotiation.
test('a task is a result of tools/call only', async () => {
  const wire = new Scripted('pipe', modern(() => ({
    resultType: 'task', taskId: 'x', status: 'working', createdAt: new Date().toISOString(), lastUpdatedAt: new Date().toISOString(), ttlMs: 1, messages: [],
  }), { tools: {}, prompts: {}, resources: {}, completions: {}, extensions: { [tasksExtension]: {} } }));
  const client = new TaskClient({ name: 'test', version: '1' }, { era: 'modern' });
  await client.connect(wire);
  for (const [method, call] of [
    ['prompts/get', () => client.getPrompt('p')], ['resources/read', () => client.readResource('a:b')],
    ['tools/list', () => client.listTools()], ['resources/list', () => client.listResources()], ['tasks/get', () => client.request('tasks/get', { taskId: 'x' })],
    ['completion/complete', () => client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'n', value: '' })],
  ] as const) {
    await assert.rejects(call(), { message: `${method}: the result is a task, which only tools/call may return` });
  }
  await client.close();
});

// ext-tasks, Task Creation.
test('a task is stored before the client learns of it', async (t) => {
  const store = memoryStore();
  const { create } = store;
  const go = later<void>();
  let stored = false;
  const { server } = made(t, {
    store: Object.assign(store, {
      create: async (task: NewTask) => {
        await go.promise;
        await create.call(store, task);
        stored = true;
      },
    }),
  });
  server.tool('wait', { task: 'required' }, () => new Promise<string>(() => {}));
  const peer = await connect(server);
  let learned = false;
  const begun = peer.modern('tools/call', { name: 'wait' }, declared).then(() => {
    learned = true;
    return stored;
  });
  // Everything that could arrive meanwhile has arrived.
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(learned, false);
  go.resolve();
  assert.equal(await begun, true);
});

// ext-tasks, Protocol Errors; 2025-11-25 basic/utilities/tasks#protocol-errors.
test('a store that fails is -32603, and says nothing of the inside', async (t) => {
  const fails = (): Promise<never> => Promise.reject(new Error('disk 7 is gone'));
  for (const call of ['create', 'load', 'answer', 'end', 'list'] as const) {
    const { server } = made(t, { store: Object.assign(memoryStore(), { [call]: fails }) });
    server.tool('ask', { task: 'required' }, async (_args, ctx) => (await ctx.elicit('Sure?', { sure: { type: 'boolean' } }, { key: 'sure' })).action);
    const [modern, older] = [await ModernTasks.to(server), await connect(server, { revision, capabilities: everything })];
    const taskId = call === 'load' || call === 'create' ? 'x' : await modern.begin('ask');
    if (call === 'answer') await modern.is(taskId, 'input_required');
    const ask: Record<typeof call, () => Promise<Answer>[]> = {
      create: () => [modern.peer.modern('tools/call', { name: 'ask' }), older.request('tools/call', { name: 'ask', task: {} })],
      load: () => [
        ...['tasks/get', 'tasks/update', 'tasks/cancel'].map((method) => modern.peer.modern(method, { taskId, inputResponses: {} })),
        ...['tasks/get', 'tasks/result', 'tasks/cancel'].map((method) => older.request(method, { taskId })),
      ],
      answer: () => [modern.update(taskId, { sure: { action: 'decline' } })],
      end: () => [modern.cancel(taskId), older.request('tasks/cancel', { taskId })],
      list: () => [older.request('tasks/list')],
    };
    const answers = ask[call]();
    assert.ok(answers.length > 0);
    for (const { error } of await Promise.all(answers)) {
      assert.equal(error?.code, -32603, call);
      assert.doesNotMatch(error.message, /disk/);
      if (call === 'create') assert.equal(error.message, 'The task could not be stored');
    }
  }
});

// 2025-11-25 basic/utilities/tasks#task-cancellation: "before sending the response".
test('a task is cancelled before its requestor is told so', async (t) => {
  for (const era of ['modern', 'legacy'] as const) {
    const store = memoryStore();
    const { end } = store;
    const go = later<void>();
    let over = false;
    const { server } = made(t, {
      store: Object.assign(store, {
        end: async (...given: Parameters<typeof end>) => {
          await go.promise;
          over = true;
          return end.apply(store, given);
        },
      }),
    });
    server.tool('wait', { task: 'required' }, () => new Promise<string>(() => {}));
    const peer = await connect(server, era === 'modern' ? { capabilities: declared } : { revision, capabilities: everything });
    const taskId = era === 'modern' ? (await peer.modern('tools/call', { name: 'wait' })).result?.['taskId'] : await begin(peer);
    const params = { taskId };
    const cancelled = (era === 'modern' ? peer.modern('tasks/cancel', params) : peer.request('tasks/cancel', params)).then(({ error }) => [error, over]);
    // Everything that could arrive meanwhile has arrived.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(over, false);
    go.resolve();
    assert.deepEqual(await cancelled, [undefined, true], era);
  }
});

// ext-tasks, Streamable HTTP Routing Headers.
test('over HTTP a client names the task in Mcp-Name', async (t) => {
  const { server } = made(t, { limits: { pollIntervalMs: 100 } });
  server.tool('ask', { task: 'required' }, async (_args, ctx) => (await ctx.elicit('Sure?', { sure: { type: 'boolean' } }, { key: 'sure' })).action);
  const http = await serveHttp(server);
  t.after(() => http.close({ drainMs: 0 }));
  const named: [method: string, header: unknown, id: unknown][] = [];
  const client = new TaskClient({ name: 'test', version: '1' }, { era: 'modern', onElicit: () => ({ action: 'decline' }) });
  await client.connect(httpTransport(http.url, {
    fetch: (url, init) => {
      const { method, params } = JSON.parse(String(init?.body)) as { method: string; params: { taskId?: string } };
      if (method.startsWith('tasks/')) named.push([method, new Headers(init?.headers).get('mcp-name'), params.taskId]);
      return fetch(url, init);
    },
  }));
  t.after(() => client.close());
  const { task } = await client.startTool('ask');
  await task?.result();
  await task?.cancel();
  await client.request('tasks/get', { taskId: task?.id });
  assert.deepEqual([...new Set(named.map(([method]) => method))].sort(), ['tasks/cancel', 'tasks/get', 'tasks/update']);
  for (const [method, header, id] of named) assert.deepEqual([header, id], [task?.id, task?.id], method);
  // An id that must be encoded in a header: 2026-07-28 basic/transports/streamable-http#standard-request-headers.
  named.length = 0;
  await assert.rejects(client.task('Aufgabe ☃').result());
  assert.deepEqual(named, [['tasks/get', `=?base64?${Buffer.from('Aufgabe ☃').toString('base64')}?=`, 'Aufgabe ☃']]);
});

// 2025-11-25 basic/utilities/tasks#ttl-and-resource-management, and schema.ts, Task.
test('a task says when it was made, when it last changed and how long it is kept', async (t) => {
  const clock = steppedClock();
  const { server } = made(t, { limits: { statusIntervalMs: 1 } }, { clock });
  const [started, go] = [later<void>(), later<void>()];
  let runs = 0;
  server.tool('wait', { task: 'required' }, async (_args, ctx) => {
    if (runs++ === 0) ctx.status('begun');
    started.resolve();
    await go.promise;
    await ctx.elicit('Sure?', { sure: { type: 'boolean' } }, { key: 'sure' });
    return new Promise<string>(() => {});
  });
  const [peer, modern] = [await connect(server, { revision, capabilities: everything }), await ModernTasks.to(server)];
  const begun = clock.now();
  const { task } = (await peer.request('tools/call', { name: 'wait', task: { ttl: 1e12 } })).result as { task: Bag };
  const taskId = String(task['taskId']);
  /** The task's times from tasks/get and tasks/list, once it satisfies the condition. */
  const when = async (satisfies: (task: Bag) => boolean): Promise<unknown> => {
    await modern.when(taskId, satisfies);
    const got = (await peer.request('tasks/get', { taskId })).result;
    assert.deepEqual((await peer.request('tasks/list')).result, { tasks: [got] });
    return [got?.['createdAt'], got?.['lastUpdatedAt'], got?.['ttl']];
  };
  const times = (changed: number): unknown => [new Date(begun).toISOString(), new Date(changed).toISOString(), 604_800_000];
  assert.deepEqual([task['createdAt'], task['lastUpdatedAt'], task['ttl']], times(begun));
  assert.deepEqual(await when(() => true), times(begun));
  // A status message, a question, its answer and the end each count as a change.
  await started.promise;
  clock.pass(1_000);
  const [, noted] = await when(({ statusMessage }) => statusMessage === 'begun') as string[];
  assert.ok(Date.parse(String(noted)) > begun, String(noted));
  go.resolve();
  assert.deepEqual(await when(({ status }) => status === 'input_required'), times(begun + 1_000));
  clock.pass(1_000);
  await modern.update(taskId, { sure: { action: 'decline' } });
  assert.deepEqual(await when(({ status }) => status === 'working'), times(begun + 2_000));
  clock.pass(1_000);
  const cancelled = (await peer.request('tasks/cancel', { taskId })).result ?? {};
  assert.deepEqual([cancelled['createdAt'], cancelled['lastUpdatedAt'], cancelled['ttl']], times(begun + 3_000));
  assert.deepEqual(await when(({ status }) => status === 'cancelled'), times(begun + 3_000));
  assert.equal((await peer.request('tools/call', { name: 'wait', task: {} })).result?.['task'] !== undefined, true);
  const { tasks } = (await peer.request('tasks/list')).result as { tasks: Bag[] };
  assert.deepEqual(tasks.map(({ ttl }) => ttl), [604_800_000, 86_400_000]);
});

// 2025-11-25 basic/utilities/tasks#task-isolation-and-access-control
test('what protects a task where callers are not told apart is said in docs/tasks.md', () => {
  const page = readFileSync(fileURLToPath(new URL('../../../docs/tasks.md', import.meta.url)), 'utf8').replace(/\s+/g, ' ');
  assert.match(page, /Without `auth` all tasks of a store have the same owner: whoever knows the id of a task, 160 random bits, can read, answer and cancel it/);
});

// 2025-11-25 basic/utilities/tasks#error-handling
test('errors of tasks name the parameter and say what is wrong', async (t) => {
  const peer = await waiting(t);
  const id = await begin(peer);
  await peer.request('tasks/cancel', { taskId: id });
  for (const [method, params, says] of [
    ['tasks/get', { taskId: 'none' }, /taskId: unknown task/],
    ['tasks/get', {}, /taskId must be a string/],
    ['tasks/cancel', { taskId: id }, /taskId: the task cannot be cancelled, it is cancelled already/],
    ['tasks/list', { cursor: 'x' }, /cursor is not a cursor of this list/],
    ['tools/call', { name: 'wait', task: { ttl: 'long' } }, /task.ttl must be a number of milliseconds/],
  ] as const) {
    const { error } = await peer.request(method, params as Bag);
    assert.equal(error?.code, -32602, method);
    assert.match(error.message, says);
  }
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
    for (const taskId of [undefined, null, 7, ['x'], 'none']) {
      assert.equal((await peer.request(method, { taskId })).error?.code, -32602, `${method} ${String(taskId)}`);
    }
  }
});

// 2025-11-25 basic/utilities/tasks#input-required-status
test('over HTTP tasks/get is answered with JSON, and not with a stream', async (t) => {
  const { server } = made(t);
  server.tool('wait', { task: 'required' }, () => new Promise<string>(() => {}));
  const http = await serveHttp(server);
  t.after(() => http.close({ drainMs: 0 }));
  let session: string | null = null;
  const post = (method: string, params: Bag, id?: number): Promise<Response> => fetch(http.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': revision,
      ...session !== null && { 'mcp-session-id': session },
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
  });
  const opened = await post('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'a', version: '1' } }, 1);
  session = opened.headers.get('mcp-session-id');
  // Nor are callers without credentials distinguished there, so there is no tasks/list.
  assert.deepEqual(((await opened.json() as { result: { capabilities: Bag } }).result.capabilities)['tasks'], { cancel: {}, requests: { tools: { call: {} } } });
  await (await post('notifications/initialized', {})).text();
  const created = /"taskId":"(\w+)"/.exec(await (await post('tools/call', { name: 'wait', task: {} }, 2)).text());
  const answer = await post('tasks/get', { taskId: created?.[1] }, 3);
  assert.equal(answer.headers.get('content-type')?.split(';')[0], 'application/json');
  assert.equal((await answer.json() as { result: Bag }).result['status'], 'working');
});

const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
const state = (status: string): Bag => ({
  taskId: 'one', status, createdAt: '2025-11-25T00:00:00Z', lastUpdatedAt: '2025-11-25T00:00:00Z', ttl: 60_000, pollInterval: 100,
});

async function client(t: TestContext, script: Script): Promise<{ one: TaskClient; wire: Scripted }> {
  const wire = new Scripted('http', legacy((sent, to) => {
    if (sent.method === 'tools/list') return { tools: [{ name: 'job', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }] };
    if (sent.method === 'tools/call') return { task: state('working') };
    return script(sent, to);
  }, revision, capabilities));
  const one = new TaskClient({ name: 'test', version: '1' });
  await one.connect(wire);
  t.after(() => one.close());
  return { one, wire };
}

// 2025-11-25 basic/utilities/tasks#result-retrieval
test('a client that waits for a result looks at the task meanwhile', async (t) => {
  const looked = later<void>();
  let looks = 0;
  let blocked: unknown;
  const { one, wire } = await client(t, (sent) => {
    if (sent.method === 'tasks/result') {
      blocked = sent.id;
      return undefined;
    }
    if (blocked !== undefined && ++looks === 2) looked.resolve();
    return state('input_required');
  });
  const call = one.callTool('job');
  await within('the second look at the task', looked.promise);
  wire.answer(blocked as number, { content: [{ type: 'text', text: 'done' }] });
  wire.push({ method: 'notifications/tasks/status', params: state('completed') });
  assert.deepEqual((await call).content, [{ type: 'text', text: 'done' }]);
});

// 2025-11-25 basic/utilities/tasks#input-required-status: "all required input", whether or not a worker is free.
test('with the last of its answers a task leaves input_required, and not before', async (t) => {
  const { server } = made(t, { limits: { maxRunning: 1 } });
  const begun = later<void>();
  server.tool('ask', { task: 'required' }, async (_args, ctx) => {
    const [one, two] = await Promise.all(['one', 'two'].map((key) => ctx.elicit(key, { sure: { type: 'boolean' } }, { key })));
    return `${one?.action} ${two?.action}`;
  });
  server.tool('wait', { task: 'required' }, () => {
    begun.resolve();
    return new Promise<string>(() => {});
  });
  const client = await ModernTasks.to(server);
  const older = await connect(server, { revision, capabilities: everything });
  const taskId = await client.begin('ask');
  await client.is(taskId, 'input_required');
  await client.begin('wait');
  await begun.promise;
  const states = async (): Promise<unknown[]> => [(await client.get(taskId))['status'], (await older.request('tasks/get', { taskId })).result?.['status']];
  await client.update(taskId, { one: { action: 'decline' } });
  assert.deepEqual(await states(), ['input_required', 'input_required']);
  await client.update(taskId, { two: { action: 'decline' } });
  assert.deepEqual(await states(), ['working', 'working']);
});

// 2025-11-25 basic/utilities/tasks#associating-task-related-messages: "Requestors SHOULD NOT include".
test('what a client asks about a task carries no metadata of it', async (t) => {
  const asked = new Map<string | undefined, unknown>();
  const { one } = await client(t, ({ method, params }) => {
    asked.set(method, params);
    return method === 'tasks/result' ? { content: [] } : state(method === 'tasks/get' && asked.has('tasks/result') ? 'completed' : 'input_required');
  });
  const { task } = await one.startTool('job');
  await task?.cancel();
  await task?.result();
  assert.deepEqual([...asked].sort(), ['tasks/cancel', 'tasks/get', 'tasks/result'].map((method) => [method, { taskId: 'one' }]));
});

// 2025-11-25 basic/utilities/tasks#input-required-status: on whatever stream.
test('a client hears of a task on any stream', async (t) => {
  const { one, wire } = await client(t, ({ method }) => (method === 'tasks/result' ? { content: [] } : undefined));
  const { task } = await one.startTool('job');
  assert.ok(task);
  wire.push({ method: 'notifications/tasks/status', params: { ...state('working'), statusMessage: 'half' } });
  wire.push({ method: 'notifications/tasks/status', params: state('completed') });
  await within('the end of the task', task.result());
  assert.equal(task.status, 'completed');
});

// 2025-11-25 basic/utilities/tasks#task-isolation-and-access-control: limits of tasks are documented.
test('docs/limits.md says of each limit of tasks what holds where none is given', () => {
  const page = readFileSync(fileURLToPath(new URL('../../../docs/limits.md', import.meta.url)), 'utf8');
  const units: Record<string, number> = { '': 1, ms: 1, second: 1e3, seconds: 1e3, hour: 3_600_000, hours: 3_600_000, days: 86_400_000, MiB: 1_048_576 };
  for (const [heading, limits] of [['`tasks`: `limits`', defaultTaskLimits], ['`ReceivedTaskLimits`', defaultReceivedTaskLimits]] as const) {
    const [, table = ''] = /^((?:\| `.*\n)+)/.exec(page.slice(page.indexOf('\n', page.indexOf(`| **${heading}**`)) + 1)) ?? [];
    const said = Array.from(table.matchAll(/^\| `(\w+)` \| ([\d,]+) ?(\w*) \|/gm),
      ([, name = '', number = '', unit = '']) => [name, Number(number.replaceAll(',', '')) * (units[unit] ?? NaN)]);
    assert.deepEqual(Object.fromEntries(said), limits, heading);
  }
});
