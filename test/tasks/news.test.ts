import assert from 'node:assert/strict';
import test, { mock } from 'node:test';
import type { TestContext } from 'node:test';
import { systemClock } from '../../src/bounds/clock.ts';
import type { Clock } from '../../src/bounds/clock.ts';
import { ConnectionError } from '../../src/jsonrpc/errors.ts';
import { metaKeys } from '../../src/protocol/meta.ts';
import { TaskClient } from '../../src/tasks/task-client.ts';
import type { TaskClientOptions } from '../../src/tasks/task-client.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { serveHttp } from '../../src/transport/http/node/serve.ts';
import { httpTransport } from '../../src/transport/http/node/index.ts';
import { everything, modern, RpcFault, Scripted } from '../client/scripted.ts';
import type { Script, Sent } from '../client/scripted.ts';
import { later } from '../server/peer.ts';
import type { Bag } from '../server/peer.ts';
import { made, tasksExtension } from './harness.ts';

/** With polling only, a client would wait for a minute. */
const slow = { pollIntervalMs: 60_000, statusIntervalMs: 1 };
const info = { name: 'test', version: '1' };
const textOf = ({ content }: { content: unknown[] }): unknown => (content[0] as { text: string }).text;

const task = (status: string, more: Bag = {}): Bag => ({
  taskId: 'one', status, createdAt: '2026-07-28T00:00:00.000Z', lastUpdatedAt: '2026-07-28T00:00:01.000Z',
  ttlMs: 3_600_000, pollIntervalMs: 60_000, ...more,
});
const done = task('completed', { lastUpdatedAt: '2026-07-28T00:00:02.000Z', result: { content: [{ type: 'text', text: 'done' }] } });
const result = (value: object): object => ({ resultType: 'complete', ...value });
const filterOf = (sent: Sent): Bag => sent.params?.['notifications'] as Bag;
const listens = ({ sent }: Scripted): Sent[] => sent.filter(({ method }) => method === 'subscriptions/listen');

function agree(wire: Scripted, { id }: Sent, notifications: object): void {
  wire.push({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta: { [metaKeys.subscriptionId]: id } } });
}

const tell = (wire: Scripted, { id }: Sent, params: Bag): void =>
  wire.push({ method: 'notifications/tasks', params: { ...params, _meta: { [metaKeys.subscriptionId]: id } } });

/** A client of a scripted server whose tool `job` is the task `one`. */
async function scripted(t: TestContext, script: Script, options: TaskClientOptions = {}): Promise<{ client: TaskClient; wire: Scripted; errors: Error[] }> {
  const errors: Error[] = [];
  const wire = new Scripted('http', modern((sent, to) => {
    if (sent.method === 'tools/call') return { resultType: 'task', ...task('working') };
    return script(sent, to);
  }, { ...everything, extensions: { [tasksExtension]: {} } }));
  const client = new TaskClient(info, { onError: (error) => errors.push(error), ...options });
  await client.connect(wire);
  t.after(() => client.close());
  return { client, wire, errors };
}

for (const kind of ['memory', 'http'] as const) {
  test(`${kind}: the server tells of the task: nobody looks, and a question is answered at once`, async (t) => {
    const { server } = made(t, { limits: slow });
    server.tool('ask', { task: 'required' }, async (_args, ctx) => {
      const { content } = await ctx.elicit('Name?', { name: { type: 'string' } }, { key: 'name' });
      return `for ${content?.name}`;
    });
    const client = new TaskClient(info, { era: 'modern', onElicit: () => ({ action: 'accept', content: { name: 'Ann' } }) });
    if (kind === 'http') {
      const http = await serveHttp(server);
      t.after(() => http.close({ drainMs: 0 }));
      await client.connect(httpTransport(http.url));
    } else await client.connect(memoryTransport(server));
    t.after(() => client.close());
    const all = await Promise.all([client.callTool('ask'), client.callTool('ask')]);
    assert.deepEqual(all.map(textOf), ['for Ann', 'for Ann']);
    assert.equal(textOf(await client.callTool('ask')), 'for Ann');
  });
}

test('one stream names all tasks that are followed, and is closed after the last', async (t) => {
  const { client, wire } = await scripted(t, (sent, to) => {
    if (sent.method !== 'subscriptions/listen') return new RpcFault(-32601);
    agree(to, sent, filterOf(sent));
    return undefined;
  });
  const first = wire.until('subscriptions/listen');
  const call = client.callTool('job');
  assert.deepEqual(filterOf(await first), { taskIds: ['one'] });
  const second = wire.until('subscriptions/listen');
  wire.answer = ((answer) => function patched(this: Scripted, id, value) {
    const { method } = this.sent.find((sent) => sent.id === id) ?? {};
    answer.call(this, id, method === 'tasks/get' ? result(task('working', { taskId: 'two' })) : value);
  })(wire.answer);
  const two = client.task('two');
  const both = await second;
  assert.deepEqual(filterOf(both), { taskIds: ['one', 'two'] });
  await new Promise(setImmediate);
  tell(wire, both, done);
  assert.equal(textOf(await call), 'done');
  const closed = new Promise<void>((resolve) => {
    wire.abandon = (id) => id === both.id && resolve();
  });
  tell(wire, both, { ...done, taskId: 'two' });
  assert.equal(textOf(await two.result()), 'done');
  await closed;
  assert.equal(listens(wire).length, 2);
});

test('a server that refuses, or agrees to nothing, is looked at, and not asked again', async (t) => {
  for (const refuses of [true, false]) {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { client, wire } = await scripted(t, (sent, to) => {
        if (sent.method === 'tasks/get') return result(done);
        if (refuses) return new RpcFault(-32601);
        agree(to, sent, {});
        return undefined;
      });
      for (let n = 0; n < 2; n++) {
        const call = client.callTool('job');
        for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate);
        mock.timers.tick(60_000);
        assert.equal(textOf(await call), 'done');
      }
      assert.equal(listens(wire).length, 1);
      assert.equal(wire.methods().filter((method) => method === 'tasks/get').length, 2);
    } finally {
      mock.timers.reset();
    }
  }
});

test('the interval of a server is held to 100 ms to 60 s', async (t) => {
  for (const [said, held] of [[1, 100], [86_400_000, 60_000]] as const) {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { client, wire } = await scripted(t, ({ method }) => (method === 'tasks/get' ? result(done) : new RpcFault(-32601)));
      wire.answer = ((answer) => function patched(this: Scripted, id, value) {
        const { method } = this.sent.find((sent) => sent.id === id) ?? {};
        answer.call(this, id, method === 'tools/call' ? { ...value, pollIntervalMs: said } : value);
      })(wire.answer);
      const call = client.callTool('job');
      for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate);
      mock.timers.tick(held - 1);
      for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate);
      assert.equal(wire.methods().includes('tasks/get'), false);
      mock.timers.tick(1);
      assert.equal(textOf(await call), 'done');
    } finally {
      mock.timers.reset();
    }
  }
});

test('what says less than the task is looked up; what is older than what is known counts for nothing', async (t) => {
  const looked = later<void>();
  let task2 = task('working', { statusMessage: 'half', lastUpdatedAt: '2026-07-28T00:00:05.000Z' });
  const { client, wire } = await scripted(t, (sent, to) => {
    if (sent.method === 'tasks/get') {
      looked.resolve();
      return result(task2);
    }
    agree(to, sent, filterOf(sent));
    return undefined;
  });
  const listening = wire.until('subscriptions/listen');
  const { task: handle } = await client.startTool('job');
  const stream = await listening;
  await new Promise(setImmediate);
  // A status without a result.
  tell(wire, stream, task('completed'));
  await looked.promise;
  task2 = { ...done, lastUpdatedAt: '2026-07-28T00:00:06.000Z' };
  await new Promise(setImmediate);
  // A look has overtaken this notification: the client looks again, and finds the end.
  tell(wire, stream, task('working', { statusMessage: 'a tenth' }));
  assert.equal(textOf(await handle?.result() as { content: unknown[] }), 'done');
  const messages: unknown[] = [];
  for await (const { status, message } of handle ?? []) messages.push([status, message]);
  assert.deepEqual(messages, [['working', undefined], ['working', 'half'], ['completed', undefined]]);
});

// ext-tasks, Task Update Requests: "SHOULD deduplicate `inputRequests` keys across consecutive polls".
test('each question of a task is asked and answered once, however often and beside whichever others the server lists it', async (t) => {
  const [asked, answered]: [string[], string[]] = [[], []];
  let latest: Bag = {};
  const { client, wire } = await scripted(t, (sent, to) => {
    if (sent.method === 'tasks/get') return result(latest);
    if (sent.method === 'tasks/update') {
      answered.push(...Object.keys(sent.params?.['inputResponses'] as Bag));
      return result({});
    }
    agree(to, sent, filterOf(sent));
    return undefined;
  }, { onElicit: ({ message }) => {
    asked.push(message);
    return { action: 'decline' };
  } });
  const listening = wire.until('subscriptions/listen');
  const { task: handle } = await client.startTool('job');
  const stream = await listening;
  await new Promise(setImmediate);
  for (const keys of [['one'], ['two', 'one'], ['one', 'two', 'three', 'four'], ['four', 'three', 'two', 'one']]) {
    latest = task('input_required', { inputRequests: Object.fromEntries(keys.map((key) => [
      key, { method: 'elicitation/create', params: { message: key, requestedSchema: { type: 'object', properties: {} } } },
    ])) });
    tell(wire, stream, latest);
    for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate);
  }
  tell(wire, stream, done);
  await handle?.result();
  assert.deepEqual([asked, answered], [['one', 'two', 'three', 'four'], ['one', 'two', 'three', 'four']]);
});

test('a stream that could not be opened is tried again at the next look, and one that drops is opened again', async (t) => {
  let streams = 0;
  const opened = [later<Sent>(), later<Sent>()];
  const { client, wire } = await scripted(t, (sent, to) => {
    if (sent.method === 'tasks/get') return result(task('working', { pollIntervalMs: streams === 1 ? 100 : 60_000 }));
    if (++streams === 1) return new ConnectionError('closed', 'no way');
    agree(to, sent, filterOf(sent));
    opened[streams - 2]?.resolve(sent);
    return undefined;
  });
  wire.answer = ((answer) => function patched(this: Scripted, id, value) {
    const { method } = this.sent.find((sent) => sent.id === id) ?? {};
    answer.call(this, id, method === 'tools/call' ? { ...value, pollIntervalMs: 100 } : value);
  })(wire.answer);
  const call = client.callTool('job');
  const first = await opened[0]?.promise as Sent;
  await new Promise(setImmediate);
  // The connection breaks: the client reopens the stream after a backoff.
  wire.receiver.failed(first.id as number, new ConnectionError('closed', 'cut'));
  const second = await opened[1]?.promise as Sent;
  await new Promise(setImmediate);
  tell(wire, second, done);
  assert.equal(textOf(await call), 'done');
});

test('a client that is connected again asks its new server, and who waits is told', async (t) => {
  const { server } = made(t, { limits: slow });
  const go = later<void>();
  server.tool('job', { task: 'required' }, async () => {
    await go.promise;
    return 'made';
  });
  const client = new TaskClient(info, { era: 'modern' });
  t.after(() => client.close());
  await client.connect(memoryTransport(server));
  const { task: handle } = await client.startTool('job');
  await client.close();
  await client.connect(memoryTransport(server));
  go.resolve();
  assert.equal(textOf(await handle?.result() as { content: unknown[] }), 'made');
});

test('a closed client keeps a process alive only for a task that the program waits for', async (t) => {
  const { server } = made(t, { limits: slow });
  const go = later<void>();
  server.tool('job', { task: 'required' }, async () => {
    await go.promise;
    return 'made';
  });
  const holding = new Set<symbol>();
  const clock: Clock = {
    ...systemClock,
    after(ms, run, background) {
      const one = Symbol();
      if (ms > 0 && !background) holding.add(one);
      const timer = systemClock.after(ms, () => {
        holding.delete(one);
        run();
      }, background);
      return {
        stop() {
          holding.delete(one);
          timer?.stop();
        },
      };
    },
  };
  const client = new TaskClient(info, { era: 'modern', clock });
  t.after(() => client.close());
  await client.connect(memoryTransport(server));
  const { task: handle } = await client.startTool('job');
  t.after(() => handle?.leave(new Error('the test is over')));
  await new Promise(setImmediate);
  assert.ok(holding.size > 0);
  await client.close();
  await new Promise(setImmediate);
  assert.equal(holding.size, 0);
  const result = handle?.result();
  await new Promise(setImmediate);
  assert.equal(holding.size, 1);
  await client.connect(memoryTransport(server));
  go.resolve();
  assert.equal(textOf(await result as { content: unknown[] }), 'made');
});

test('a stream names 500 tasks, and what is followed beyond them is looked at', async (t) => {
  const { client, wire } = await scripted(t, (sent, to) => {
    if (sent.method === 'tasks/get') return result(task('working', { taskId: sent.params?.['taskId'] }));
    agree(to, sent, filterOf(sent));
    return undefined;
  });
  const named = wire.until((sent) => sent.method === 'subscriptions/listen' && (filterOf(sent)['taskIds'] as unknown[]).length >= 500);
  const handles = Array.from({ length: 501 }, (_, n) => client.task(`t${n}`));
  t.after(() => handles.forEach((handle) => handle.leave(new Error('over'))));
  assert.equal((filterOf(await named)['taskIds'] as unknown[]).length, 500);
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  assert.ok(listens(wire).every((sent) => (filterOf(sent)['taskIds'] as unknown[]).length <= 500));
});
