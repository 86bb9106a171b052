import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notificationText } from '../../src/jsonrpc/inbound-request.ts';
import { McpServer, RawResult, ToolError } from '../../src/server/index.ts';
import type { Around, Context, Need, Requester } from '../../src/server/index.ts';
import { accept, connect, later, textOf } from './peer.ts';
import type { Bag } from './peer.ts';

const info = { name: 'test', version: '1' };
const revision = '2025-11-25';

test('what stands around handlers sees the call, in order, and may change or refuse it', async () => {
  const seen: string[] = [];
  const outer: Around<Context> = async ({ kind, name, definition, args }, next) => {
    seen.push(`${kind} ${name} ${JSON.stringify((definition as { data?: unknown }).data)} ${JSON.stringify(args)}`);
    const value = await next();
    return typeof value === 'string' ? `<${value}>` : value;
  };
  const inner: Around<Context> = ({ kind, args }, next) => {
    if (kind === 'tool' && (args as Bag)['word'] === 'bad') throw new ToolError('not that word');
    return next(kind === 'tool' ? { word: `${(args as Bag)['word']}!` } : args);
  };
  const server = new McpServer(info, { around: [outer, inner] });
  server.tool('say', {
    input: { type: 'object', properties: { word: { type: 'string' } } }, data: { cost: 3 },
  }, ({ word }) => `${word}`);
  server.prompt('plan', { arguments: { city: {} } }, ({ city }) => `to ${city}`);
  server.resource('note://one', {}, () => 'one');
  server.resourceTemplate('note://{name}/x', {}, ({ name }, _ctx, uri) => `${name} ${uri}`);
  const peer = await connect(server, { revision });
  assert.equal(textOf(await peer.call('say', { word: 'hi' })), '<hi!>');
  assert.equal(textOf(await peer.call('say', { word: 'bad' })), 'failed: not that word');
  const prompt = await peer.request('prompts/get', { name: 'plan', arguments: { city: 'Rome' } });
  assert.deepEqual(prompt.result?.['messages'], [{ role: 'user', content: { type: 'text', text: '<to Rome>' } }]);
  const template = await peer.request('resources/read', { uri: 'note://two/x' });
  assert.deepEqual(template.result?.['contents'], [{ uri: 'note://two/x', text: '<two note://two/x>' }]);
  assert.deepEqual(seen, [
    'tool say {"cost":3} {"word":"hi"}', 'tool say {"cost":3} {"word":"bad"}', 'prompt plan undefined {"city":"Rome"}',
    'resource note://{name}/x undefined {"name":"two"}',
  ]);
  // `data` is not sent to clients.
  assert.deepEqual(Object.keys(((await peer.request('tools/list')).result?.['tools'] as object[])[0] ?? {}),
    ['name', 'inputSchema']);
});

test('what stands around a handler that asks, asks in both eras', async () => {
  const server = new McpServer(info, { around: [(_call, next) => next()] });
  server.tool('ask', {}, async function* () {
    return 'no question';
  } as never);
  server.tool('form', {}, async (_args, ctx) => (await ctx.elicit('Sure?', { sure: { type: 'boolean' } })).action);
  const legacy = await connect(server, { revision });
  const call = legacy.call('form');
  legacy.answer(await legacy.next(), accept({ sure: true }));
  assert.equal(textOf(await call), 'accept');
  assert.equal(textOf(await legacy.call('ask')), 'no question');
  const modern = await connect(server);
  const { result } = await modern.modern('tools/call', { name: 'form' });
  assert.equal(result?.['resultType'], 'input_required');
});

test('a call may be answered with a result of another shape, and the client be told of it later', async () => {
  let requester: Requester | undefined;
  const server = new McpServer(info, {
    around: [(call, next) => {
      if (call.params['task'] === undefined) return next();
      requester = call.requester;
      return new RawResult({ task: { taskId: 't1', status: 'working' } });
    }],
  });
  server.extend({
    id: 'com.example/tasks',
    legacy: {
      capabilities: (version) => version === '2025-11-25' ? { tasks: { list: {} } } as never : undefined,
      methods: { 'tasks/get': ({ taskId }) => ({ taskId, status: 'done' }) },
    },
  });
  server.tool('slow', { execution: { taskSupport: 'optional' } }, () => 'done');
  const peer = await connect(server, { revision });
  assert.deepEqual((await peer.request('tools/call', { name: 'slow', task: {} })).result,
    { task: { taskId: 't1', status: 'working' } });
  assert.equal(textOf(await peer.call('slow')), 'done');
  requester?.announce?.(notificationText('notifications/tasks/status', { taskId: 't1' }));
  assert.deepEqual(await peer.rest(), [
    { jsonrpc: '2.0', method: 'notifications/tasks/status', params: { taskId: 't1' } },
  ]);
  assert.deepEqual((await peer.request('tasks/get', { taskId: 't1' })).result, { taskId: 't1', status: 'done' });
  const [tool] = (await peer.request('tools/list')).result?.['tools'] as Bag[];
  assert.deepEqual(tool?.['execution'], { taskSupport: 'optional' });

  for (const version of ['2025-06-18', undefined] as const) {
    const other = await connect(server, version ? { revision: version } : {});
    const ask = version ? other.request : other.modern;
    assert.equal((await ask('tasks/get', { taskId: 't1' })).error?.code, -32601);
    const [listed] = (await ask('tools/list')).result?.['tools'] as Bag[];
    assert.equal(listed?.['execution'], undefined);
  }
});

test('a tool that says what it needs is refused before it runs', async () => {
  let runs = 0;
  const server = new McpServer(info);
  const needs: Record<Need, Bag> = {
    'elicitation': { elicitation: {} },
    'elicitation.url': { elicitation: { url: {} } },
    'sampling': { sampling: {} },
    'sampling.tools': { sampling: { tools: {} } },
    'roots': { roots: {} },
  };
  for (const need of Object.keys(needs) as Need[]) {
    server.tool(need, { needs: [need] }, () => `${++runs}`);
  }
  const peer = await connect(server);
  for (const [name, has] of Object.entries(needs)) {
    const { error } = await peer.modern('tools/call', { name }, {});
    assert.equal(error?.code, -32021, name);
    assert.equal(runs, 0);
    assert.equal((await peer.modern('tools/call', { name }, has)).error, undefined, name);
    assert.equal(runs, 1);
    runs = 0;
    const legacy = await connect(server, { revision, capabilities: {} });
    assert.match(textOf(await legacy.call(name)), /^failed: The client did not declare/);
    assert.equal(runs, 0);
  }
});

test('a caller whose token does not reach the scopes is denied before the handler runs', async () => {
  const server = new McpServer(info);
  let runs = 0;
  server.tool('pay', { scopes: ['pay'] }, () => `${++runs}`);
  const lacks = (scopes: readonly string[]) => scopes.includes('pay')
    ? { status: 403, challenge: 'Bearer error="insufficient_scope"', message: 'pay is needed' } as const
    : undefined;
  const poor = await connect(server, { auth: { principal: 'a', lacks } });
  assert.equal((await poor.modern('tools/call', { name: 'pay' })).error?.message, 'pay is needed');
  assert.equal(runs, 0);
  const rich = await connect(server, { auth: { principal: 'b', lacks: () => undefined } });
  assert.equal(textOf(await rich.modern('tools/call', { name: 'pay' })), '1');
});

test('a list filter hides entries from some callers, and makes each list once a key', async () => {
  let asked = 0;
  const server = new McpServer(info, {
    cache: { tools: { ttlMs: 1000, scope: 'public' } },
    listFilter: {
      key: ({ auth }) => auth?.principal ?? '',
      shows: (_kind, name, _definition, { auth }) => {
        asked++;
        return name !== 'admin' || auth?.principal === 'root';
      },
    },
  });
  server.tool('admin', {}, () => 'done');
  server.tool('open', {}, () => 'done');
  const peers = {
    root: await connect(server, { auth: { principal: 'root' } }),
    guest: await connect(server, { auth: { principal: 'guest' } }),
  };
  const names = async (who: 'root' | 'guest'): Promise<unknown[]> => {
    const { result } = await peers[who].modern('tools/list');
    assert.equal(result?.['cacheScope'], 'private');
    return (result?.['tools'] as Bag[]).map(({ name }) => name);
  };
  assert.deepEqual(await names('root'), ['admin', 'open']);
  assert.deepEqual(await names('guest'), ['open']);
  asked = 0;
  assert.deepEqual(await names('root'), ['admin', 'open']);
  assert.deepEqual(await names('guest'), ['open']);
  assert.equal(asked, 0);
  assert.equal((await peers.guest.modern('tools/call', { name: 'admin' })).error?.message, 'Unknown tool: admin');
  assert.equal(textOf(await peers.root.modern('tools/call', { name: 'admin' })), 'done');
});

test('the names that extensions add are told apart by what they name', async () => {
  const server = new McpServer(info);
  server.extend({ id: 'com.example/x', methods: { 'x/get': () => ({}) } });
  server.tool('structured', { output: { type: 'object' } }, () => ({ resultType: 'x/get', n: 1 }));
  const peer = await connect(server);
  const { result, error } = await peer.modern('tools/call', { name: 'structured' });
  assert.equal(error, undefined);
  assert.deepEqual(result?.['structuredContent'], { resultType: 'x/get', n: 1 });
  // A method, a filter and a result type may share a name.
  server.extend({ id: 'com.example/y', resultTypes: ['x/get'], filters: { 'x/get': () => true } });
});

test('what a run takes is given back when it ends, finished, failed or left behind, last first', async () => {
  const events: string[] = [];
  const errors: string[] = [];
  const server = new McpServer(info, { onError: ({ message }, { what }) => errors.push(`${what} ${message}`) });
  const left = later<void>();
  server.tool('take', {
    input: { type: 'object', properties: { fail: { type: 'boolean' } } },
  }, async ({ fail }, ctx) => {
    events.push('open');
    ctx.defer(() => {
      events.push('close first');
      left.resolve();
    });
    ctx.defer(async () => {
      await Promise.resolve();
      events.push('close second');
      throw new Error('stuck');
    });
    if (fail) throw new ToolError('failed');
    await ctx.elicit('Sure?', { sure: { type: 'boolean' } });
    return 'never in this round';
  });
  const peer = await connect(server);
  assert.equal(textOf(await peer.modern('tools/call', { name: 'take', arguments: { fail: true } })), 'failed: failed');
  assert.deepEqual(events.splice(0), ['open', 'close second', 'close first']);
  const again = later<void>();
  left.promise = again.promise;
  left.resolve = again.resolve;
  const { result } = await peer.modern('tools/call', { name: 'take' });
  assert.equal(result?.['resultType'], 'input_required');
  await again.promise;
  assert.deepEqual(events, ['open', 'close second', 'close first']);
  assert.deepEqual(errors, ['release stuck', 'release stuck']);
});
