import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import type { Progress } from '../../src/jsonrpc/pending-requests.ts';
import { RpcError } from '../../src/jsonrpc/errors.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import { McpServer } from '../../src/server/mcp-server.ts';
import { memoryStore } from '../../src/tasks/memory-store.ts';
import { TaskClient } from '../../src/tasks/task-client.ts';
import { TaskCancelled } from '../../src/tasks/task-handle.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { serveHttp } from '../../src/transport/http/node/serve.ts';
import { httpTransport } from '../../src/transport/http/node/index.ts';
import { everything, legacy, modern, Scripted } from '../client/scripted.ts';
import type { Script } from '../client/scripted.ts';
import { later, modernMeta } from '../server/peer.ts';
import { declared, made, tasksExtension } from './harness.ts';
import { within } from '../within.ts';

type Era = 'legacy' | 'modern';
const limits = { pollIntervalMs: 100, statusIntervalMs: 1 };

function define(server: McpServer): void {
  server.tool('ask', { task: 'required' }, async (_args, ctx) => {
    const name = await ctx.elicit('Name?', { name: { type: 'string' } }, { key: 'name' });
    ctx.progress(1, 2, 'asked');
    const more = await ctx.elicit('Day?', { day: { type: 'string' } }, { key: 'day' });
    return `${name.content?.name} on ${more.content?.day}`;
  });
  server.tool('plain', {}, () => 'plain');
  server.tool('optional', { task: 'optional' }, (_args, ctx) => `on ${ctx.revision.version}`);
  server.tool('fails', { task: 'required' }, () => {
    throw new RpcError(4711, 'the oven is off', { oven: 1 });
  });
  server.tool('tool fails', { task: 'required' }, () => ({ content: [{ type: 'text', text: 'no flour' }], isError: true }));
}

const answers: ClientOptions = {
  onElicit: ({ message }) => ({ action: 'accept', content: message === 'Name?' ? { name: 'Ann' } : { day: 'Monday' } }),
};

async function client(t: TestContext, server: McpServer, era: Era, kind: 'memory' | 'http', options: ClientOptions = answers): Promise<TaskClient> {
  const one = new TaskClient({ name: 'test', version: '1' }, { era, ...options });
  if (kind === 'http') {
    const http = await serveHttp(server);
    t.after(() => http.close({ drainMs: 0 }));
    await one.connect(httpTransport(http.url));
  } else await one.connect(memoryTransport(server));
  t.after(() => one.close());
  return one;
}

const textOf = ({ content }: { content: unknown[] }): unknown => (content[0] as { text: string }).text;

for (const era of ['modern', 'legacy'] as const) {
  for (const kind of ['memory', 'http'] as const) {
    test(`${era}, ${kind}: callTool waits by itself, and answers each question once`, async (t) => {
      const { server } = made(t, { limits });
      define(server);
      const asked: string[] = [];
      const one = await client(t, server, era, kind, {
        onElicit: (question, context) => {
          asked.push(question.message);
          return answers.onElicit?.(question, context) ?? { action: 'cancel' };
        },
      });
      assert.equal(textOf(await within('the result of the task', one.callTool('ask'))), 'Ann on Monday');
      assert.deepEqual(asked, ['Name?', 'Day?']);
      assert.equal(textOf(await within('the result of the task', one.callTool('plain'))), 'plain');
      assert.equal(textOf(await within('an optional task', one.callTool('optional'))), `on ${era === 'modern' ? '2026-07-28' : '2025-11-25'}`);
      assert.equal((await within('the error of the tool', one.callTool('tool fails'))).isError, true);
      await assert.rejects(within('the error of the protocol', one.callTool('fails')), (error: RpcError) =>
        error instanceof RpcError && error.code === 4711 && JSON.stringify(error.data) === '{"oven":1}');
    });
  }

  test(`${era}: startTool gives a handle that tells of each change, and finds its task again after a restart`, async (t) => {
    const store = memoryStore();
    const { server } = made(t, { store, limits });
    define(server);
    const first = await client(t, server, era, 'memory', { onElicit: () => new Promise(() => {}) });
    const { task } = await first.startTool('ask');
    assert.ok(task);
    const seen: string[] = [];
    for await (const { status } of task) {
      seen.push(status);
      if (status === 'input_required') break;
    }
    assert.ok(seen.includes('input_required'));
    await first.close();
    // Another client, which knows only the id.
    const second = await client(t, server, era, 'memory');
    const again = second.task(task.id);
    const messages: unknown[] = [];
    for await (const { message } of again) messages.push(message);
    assert.equal(textOf(await again.result()), 'Ann on Monday');
    assert.equal(again.status, 'completed');
    assert.equal(again.message, '1 of 2: asked');
  });

  test(`${era}: aborting the signal cancels the task; cancel() does, and the result says so`, async (t) => {
    const { server } = made(t, { limits });
    const stopped = later<void>();
    server.tool('slow', { task: 'required' }, (_args, ctx) => new Promise((resolve) => {
      ctx.status('1 of 2: under way');
      ctx.signal.addEventListener('abort', () => {
        stopped.resolve();
        resolve('late');
      });
    }));
    const sent: { id: unknown; method: string; params?: { requestId?: unknown } }[] = [];
    const one = new TaskClient({ name: 'test', version: '1' }, { era, ...answers });
    await one.connect(memoryTransport(server, { trace: ({ direction, text }) => direction === 'sent' && sent.push(JSON.parse(text) as typeof sent[0]) }));
    t.after(() => one.close());
    const stop = new AbortController();
    // Abort only after the client knows that it is a task: earlier, the call itself would be cancelled.
    const onProgress = (): void => stop.abort(new Error('enough'));
    await assert.rejects(one.callTool('slow', {}, { signal: stop.signal, onProgress }), /enough/);
    await stopped.promise;
    const { task } = await one.startTool('slow');
    await task?.cancel();
    await assert.rejects(task?.result() ?? Promise.resolve(), TaskCancelled);
    const again = new AbortController();
    const { result } = await one.startTool('slow', {}, { signal: again.signal });
    const waiting = result();
    again.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    // Only the listen streams end with `notifications/cancelled`.
    const of = (wanted: string): typeof sent => sent.filter(({ method }) => method === wanted);
    assert.deepEqual([of('tools/call').length, of('tasks/cancel').length], [3, 3]);
    const listens = of('subscriptions/listen').map(({ id }) => id);
    assert.deepEqual(of('notifications/cancelled').filter(({ params }) => !listens.includes(params?.requestId)), []);
  });

  test(`${era}: nobody who could answer ends the waiting with the reason`, async (t) => {
    const { server } = made(t, { limits });
    define(server);
    const one = await client(t, server, era, 'memory', {
      onElicit: () => {
        throw new Error('nobody is at home');
      },
    });
    if (era === 'modern') await assert.rejects(one.callTool('ask'), /nobody is at home/);
    // A legacy server gets the error, and the form counts as cancelled.
    else assert.equal(textOf(await one.callTool('ask')), 'undefined on undefined');
  });

  test(`${era}: progress of a task reaches onProgress`, async (t) => {
    const { server } = made(t, { limits });
    const go = later<void>();
    server.tool('count', { task: 'required' }, async (_args, ctx) => {
      ctx.progress(2, 5, 'two');
      await go.promise;
      return 'done';
    });
    const one = await client(t, server, era, 'memory');
    const told: unknown[] = [];
    await one.callTool('count', {}, {
      onProgress: (progress) => {
        told.push(progress);
        go.resolve();
      },
    });
    // At 2025-11-25 from the progress notification, in 2026-07-28 from the status message: once in either case.
    assert.deepEqual(told.map((report) => {
      const { progress, total, message } = report as Progress;
      return { progress, total, message };
    }), [{ progress: 2, total: 5, message: 'two' }]);
  });
}

for (const [era, kind] of [['modern', 'memory'], ['modern', 'http'], ['legacy', 'memory'], ['legacy', 'http']] as const) {
  test(`${era}, ${kind}: a call that is cancelled before its task is known to the client leaves no task behind`, async (t) => {
    const inner = memoryStore();
    const [creating, noticed, go] = [later<void>(), later<void>(), later<void>()];
    const { server } = made(t, {
      limits,
      store: {
        ...inner,
        create: async (task) => {
          creating.resolve();
          await go.promise;
          await inner.create(task);
        },
      },
    }, {
      around: [(call, next) => {
        call.ctx.signal.addEventListener('abort', () => noticed.resolve());
        return next();
      }],
    });
    server.tool('slow', { task: 'required' }, () => new Promise<string>(() => {}));
    const one = await client(t, server, era, kind);
    const stop = new AbortController();
    const call = one.callTool('slow', {}, { signal: stop.signal });
    await creating.promise;
    stop.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
    const ended = new Promise<void>((resolve) => inner.watch((_id, change) => change === 'ended' && resolve()));
    // Over HTTP, a response that crosses the cancellation is lost together with the task id (docs/tasks.md).
    if (kind === 'http') await noticed.promise;
    go.resolve();
    await ended;
  });
}

// ext-tasks, Client Requirements: "the same trust model".
test('a question of a task has the checks of one that the server asks: declared, well formed, completed and judged', async (t) => {
  const properties = { seat: { type: 'string', default: 'aisle' }, age: { type: 'integer', minimum: 0 } };
  const form = { message: 'Seat?', requestedSchema: { type: 'object', properties, required: ['age'] } };
  const task = { taskId: 'one', createdAt: '', lastUpdatedAt: '', ttlMs: 60_000, pollIntervalMs: 100 };
  const play = async (inputRequests: object, onElicit?: ClientOptions['onElicit'], around?: ClientOptions['around']): Promise<unknown> => {
    let answered: unknown;
    const wire = new Scripted('pipe', modern(({ method, params }) => {
      if (method === 'tools/call') return { resultType: 'task', ...task, status: 'input_required', inputRequests };
      if (method === 'tasks/update') answered = params?.['inputResponses'];
      return { resultType: 'complete', ...task, status: answered ? 'completed' : 'input_required', ...answered ? { result: { content: [] } } : { inputRequests } };
    }, { tools: {}, extensions: { [tasksExtension]: {} } }));
    const one = new TaskClient({ name: 'test', version: '1' }, { era: 'modern', onElicit, around });
    await one.connect(wire);
    t.after(() => one.close());
    await within('the end of the task', one.callTool('job'));
    return answered;
  };
  const elicitation = { q: { method: 'elicitation/create', params: form } };
  const accept = (content: Record<string, unknown>): ClientOptions['onElicit'] => () => ({ action: 'accept', content });
  assert.deepEqual(await play(elicitation, accept({ age: 5 })), { q: { action: 'accept', content: { seat: 'aisle', age: 5 } } });
  await assert.rejects(play(elicitation, accept({ age: -1 })), /the content of the form is not valid: "age" must be at least 0/);
  await assert.rejects(play(elicitation), /did not declare/);
  const sampling = { q: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } };
  await assert.rejects(play(sampling, accept({})), /did not declare/);
  await assert.rejects(play({ q: { method: 'elicitation/create', params: { message: 'no form' } } }, accept({})), /requestedSchema/);
  await assert.rejects(play({ q: { method: 'ping' } }, accept({})), /not an input request/);
  // The `around` option also wraps the answering of these questions.
  const gathered: string[][] = [];
  await play(elicitation, accept({ age: 5 }), (answering) => ({ ...answering, gather: (method, requests, call) => {
    gathered.push([method, ...Object.keys(requests as object)]);
    return answering.gather(method, requests, call);
  } }));
  assert.deepEqual(gathered, [['tools/call', 'q']]);
});

test('a call that the server answers at once has no task', async (t) => {
  const { server } = made(t, { limits });
  define(server);
  const one = await client(t, server, 'modern', 'memory');
  const { task, result } = await one.startTool('plain');
  assert.equal(task, undefined);
  assert.equal(textOf(await result()), 'plain');
});

// 2025-06-18 server/tools#output-schema: clients SHOULD validate structured results.
test('the result of a task is checked against the output schema of its tool, as that of a call is', async (t) => {
  const outputSchema = { type: 'object', properties: { n: { type: 'integer' } } };
  const tools = ['job', 'plain'].map((name) => (
    { name, inputSchema: { type: 'object' }, outputSchema, execution: { taskSupport: name === 'job' ? 'required' : 'forbidden' } }));
  for (const era of ['legacy', 'modern'] as const) {
    let n: unknown;
    const script: Script = ({ method, params }) => {
      if (method === 'tools/list') return { tools, resultType: 'complete' };
      const result = { content: [], structuredContent: { n } };
      const task = { taskId: 'one', status: 'completed', createdAt: '', lastUpdatedAt: '', ttl: null, ttlMs: null, result };
      if (method !== 'tools/call' || params?.['name'] !== 'job') return { ...result, resultType: 'complete' };
      return era === 'modern' ? { ...task, resultType: 'task' } : { task };
    };
    const wire = new Scripted('pipe', era === 'modern' ? modern(script, { ...everything, extensions: { [tasksExtension]: {} } })
      : legacy(script, '2025-11-25', { ...everything, tasks: { requests: { tools: { call: {} } } } }));
    const one = new TaskClient({ name: 'test', version: '1' }, { era });
    await one.connect(wire);
    t.after(() => one.close());
    await one.listTools();
    for (const call of [
      () => one.callTool('job'), () => one.callTool('plain'), async () => (await one.startTool('job')).result(),
      async () => (await one.startTool('job')).task?.result(), async () => (era === 'modern' ? (await one.startTool('plain')).result() : one.callTool('plain')),
    ]) {
      n = 1;
      assert.deepEqual((await call())?.structuredContent, { n: 1 });
      n = 'one';
      await assert.rejects(call, /breaks its output schema: structuredContent\/n /, `${era}: ${call}`);
    }
  }
});

// 2025-11-25 basic/utilities/tasks#tool-level-negotiation.
test('2025-11-25: a tool that does not say that it may be a task is never called as one', async (t) => {
  const supports = { none: undefined, empty: {}, forbidden: { taskSupport: 'forbidden' }, optional: { taskSupport: 'optional' }, required: { taskSupport: 'required' } };
  const tasks = { requests: { tools: { call: {} } } };
  const task = { taskId: 'one', status: 'completed', createdAt: '', lastUpdatedAt: '', ttl: null };
  const wire = new Scripted('pipe', legacy(({ method, params }) => {
    if (method === 'tools/list') return { tools: Object.entries(supports).map(([name, execution]) => ({ name, inputSchema: { type: 'object' }, execution })) };
    return method === 'tools/call' && params?.['task'] ? { task } : { content: [] };
  }, '2025-11-25', { ...everything, tasks }));
  const one = new TaskClient({ name: 'test', version: '1' }, { era: 'legacy' });
  await one.connect(wire);
  t.after(() => one.close());
  const called = (): unknown[] => wire.sent.splice(0).filter(({ method }) => method === 'tools/call')
    .map(({ params }) => [params?.['name'], params?.['task'] !== undefined]);
  for (const name of Object.keys(supports)) await one.callTool(name);
  assert.deepEqual(called(), Object.keys(supports).map((name) => [name, name === 'required']));
  for (const name of ['none', 'empty', 'forbidden', 'unlisted']) {
    await assert.rejects(one.startTool(name), { name: 'RpcError', code: -32601, message: `Tool "${name}" cannot be called as a task` });
  }
  assert.deepEqual(called(), []);
  for (const name of ['optional', 'required']) assert.deepEqual(await (await one.startTool(name)).result(), { content: [] });
  assert.deepEqual(called(), [['optional', true], ['required', true]]);
});

test('2025-11-25: startTool makes a task where the tool says optional, and rejects where it cannot', async (t) => {
  const { server } = made(t, { limits });
  define(server);
  const one = await client(t, server, 'legacy', 'memory');
  const { task } = await one.startTool('optional');
  assert.equal(textOf(await task?.result() as { content: unknown[] }), 'on 2025-11-25');
  await assert.rejects(one.startTool('plain'), (error: RpcError) => error.code === -32601);
  // A tool registered after the list was read.
  server.tool('new', { task: 'optional' }, () => 'new');
  const { result } = await one.startTool('new');
  assert.equal(textOf(await result()), 'new');
});

test('2025-11-25: a server that has not declared tasks is asked for none', async (t) => {
  const server = new McpServer({ name: 'test', version: '1' });
  server.tool('plain', {}, () => 'plain');
  const sent: string[] = [];
  const one = new TaskClient({ name: 'test', version: '1' }, { era: 'legacy' });
  await one.connect(memoryTransport(server, { trace: ({ direction, text }) => direction === 'sent' && sent.push(text) }));
  t.after(() => one.close());
  const { task, result } = await one.startTool('plain');
  assert.equal(task, undefined);
  assert.equal(textOf(await result()), 'plain');
  assert.equal(textOf(await within('the result of the task', one.callTool('plain'))), 'plain');
  const calls = sent.map((text) => JSON.parse(text) as { method: string; params: object }).filter(({ method }) => method === 'tools/call');
  assert.deepEqual(calls.map(({ params }) => 'task' in params), [false, false]);
  // Whatever its tools declare, and whatever other task capabilities it has.
  for (const tasks of [undefined, {}, { list: {}, cancel: {} }, { requests: {} }, { requests: { tools: {} } }]) {
    const wire = new Scripted('pipe', legacy(({ method }) => (method === 'tools/list'
      ? { tools: [{ name: 'job', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }] } : { content: [] }),
    '2025-11-25', { ...everything, tasks }));
    const client = new TaskClient({ name: 'test', version: '1' }, { era: 'legacy' });
    await client.connect(wire);
    await client.callTool('job');
    await (await client.startTool('job')).result();
    const asked = wire.sent.filter(({ method }) => method === 'tools/call');
    assert.deepEqual(asked.map(({ params }) => params?.['task']), [undefined, undefined], JSON.stringify(tasks));
    await client.close();
  }
});

test('over HTTP each request about a task names it in Mcp-Name, and a wrong name is refused', async (t) => {
  const { server } = made(t, { limits });
  define(server);
  const http = await serveHttp(server);
  t.after(() => http.close({ drainMs: 0 }));
  const one = new TaskClient({ name: 'test', version: '1' }, { era: 'modern', ...answers });
  await one.connect(httpTransport(http.url));
  t.after(() => one.close());
  const { task } = await one.startTool('ask');
  assert.ok(task);
  const ask = async (name: string | undefined): Promise<unknown> => {
    const response = await fetch(http.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tasks/get', ...name !== undefined && { 'mcp-name': name },
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId: task.id, _meta: modernMeta(declared) } }),
    });
    const { error, result } = await response.json() as { error?: { code: number }; result?: { taskId: string } };
    return error?.code ?? result?.taskId;
  };
  assert.equal(await ask('another'), -32020);
  assert.equal(await ask(undefined), -32020);
  assert.equal(await ask(task.id), task.id);
  assert.equal(textOf(await task.result()), 'Ann on Monday');
});
