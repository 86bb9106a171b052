import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adaptSchema, compile } from '../../src/schema/index.ts';
import {
  asking, batches, changes, completion, extend, guards, McpServer, prompts, resources, ServerCore, structured, tools,
} from '../../src/server/index.ts';
import type { Context } from '../../src/server/index.ts';
import { accept, connect, textOf } from './peer.ts';

// A server built from features: it neither declares nor serves the features that it lacks.

const info = { name: 'test', version: '1' };
const revision = '2025-11-25';
const notFound = -32601;

test('a core without features declares logging, and finds no method', async () => {
  const peer = await connect(new ServerCore(info));
  const { result } = await peer.modern('server/discover');
  assert.deepEqual(result?.['capabilities'], { logging: {} });
  for (const method of ['tools/list', 'tools/call', 'resources/read', 'prompts/get', 'completion/complete']) {
    assert.equal((await peer.modern(method)).error?.code, notFound, method);
  }
});

test('tools alone: served in both eras, and nothing else is', async () => {
  const numbers = tools({ validator: compile });
  const server = new ServerCore(info, { features: [numbers] });
  numbers.add(
    'twice', { input: { type: 'object', properties: { n: { type: 'number' } } } }, ({ n = 1 }) => `${2 * n}`,
  );
  const legacy = await connect(server, { revision });
  const modern = await connect(server);
  assert.deepEqual((await modern.modern('server/discover')).result?.['capabilities'], {
    logging: {}, tools: {},
  });
  for (const ask of [legacy.request, modern.modern]) {
    assert.equal(textOf(await ask('tools/call', { name: 'twice', arguments: { n: 21 } })), '42');
    const wrong = await ask('tools/call', { name: 'twice', arguments: { n: 'x' } });
    assert.equal(wrong.result?.['isError'], true);
    assert.equal((await ask('prompts/list')).error?.code, notFound);
    assert.equal((await ask('resources/read', { uri: 'a:b' })).error?.code, notFound);
  }
});

test('without changes nothing is declared of them or told, and with them it is, in both eras', async () => {
  const quiet = tools();
  const [said, kept] = [prompts(), resources()];
  const plain = new ServerCore(info, { features: [quiet, said, kept] });
  quiet.add('a', {}, () => '');
  said.add('a', {}, () => '');
  kept.add('note://a', {}, () => '');
  const declared = { logging: {}, tools: {}, prompts: {}, resources: {} };
  assert.deepEqual((await (await connect(plain)).modern('server/discover')).result?.['capabilities'], declared);
  assert.deepEqual((await (await connect(plain)).request('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: info })).result?.['capabilities'], declared);
  const stays = await connect(plain, { revision });
  const { error } = await (await connect(plain)).modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  assert.equal(error?.code, notFound);
  quiet.add('b', {}, () => '');
  assert.deepEqual(await stays.rest(), []);

  const told = tools();
  const some = resources();
  const part = changes();
  const server = new ServerCore(info, { features: [told, some], changes: part });
  told.add('a', {}, () => '');
  some.add('note://a', {}, () => 'a');
  const legacy = await connect(server, { revision });
  const modern = await connect(server);
  assert.deepEqual((await modern.modern('server/discover')).result?.['capabilities'], {
    logging: {}, tools: { listChanged: true }, resources: { subscribe: true, listChanged: true },
  });
  void modern.modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  told.add('b', {}, () => '');
  assert.deepEqual((await legacy.rest()).map(({ method }) => method), ['notifications/tools/list_changed']);
  assert.deepEqual((await modern.rest()).map(({ method }) => method), [
    'notifications/subscriptions/acknowledged', 'notifications/tools/list_changed',
  ]);
  assert.throws(() => new ServerCore(info, { changes: part }), /is already in a server/);
});

test('2025-03-26 is served with batches alone', async () => {
  const versions = (server: ServerCore): string[] => server.revisions.map(({ version }) => version);
  assert.deepEqual(versions(new ServerCore(info)), ['2026-07-28', '2025-11-25', '2025-06-18', '2024-11-05']);
  assert.throws(() => new ServerCore(info, { revisions: ['2025-03-26', '2025-11-25'] }), /2025-03-26 needs `batches`/);
  const server = new ServerCore(info, { revisions: ['2025-03-26', '2025-11-25'], batches });
  assert.deepEqual(versions(server), ['2025-11-25', '2025-03-26']);
  const peer = await connect(server, { revision: '2025-03-26' });
  peer.text('[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]');
  assert.equal((await peer.rest()).length, 1);
  assert.equal(new McpServer(info).revisions.length, 5);
});

test('a feature is found when there is something of it, and stays when that is taken out', async () => {
  const some = tools();
  const server = new ServerCore(info, { features: [some] });
  const peer = await connect(server, { revision });
  assert.equal((await peer.request('tools/list')).error?.code, notFound);
  const handle = some.add('late', {}, () => 'here');
  assert.equal(textOf(await peer.request('tools/call', { name: 'late' })), 'here');
  handle.remove();
  assert.deepEqual((await peer.request('tools/list')).result?.['tools'], []);
});

test('without asking a handler has no questions, and with it has them in both eras', async () => {
  const looking = tools();
  const plain = new ServerCore(info, { features: [looking] });
  looking.add('look', {}, (_args, ctx) => `${'elicit' in ctx} ${ctx.revision.version}`);
  assert.equal(textOf(await (await connect(plain, { revision })).call('look')), `false ${revision}`);

  const questions = tools<Context>();
  const server = new ServerCore(info, { asking: asking(), features: [questions] });
  questions.add('ask', {}, async (_args, ctx) =>
    (await ctx.elicit('Sure?', { sure: { type: 'boolean' } }, { key: 'sure' })).action);
  const modern = await connect(server);
  const { result } = await modern.modern('tools/call', { name: 'ask' });
  assert.equal(result?.['resultType'], 'input_required');
  const inputResponses = { sure: accept({ sure: true }) };
  const answer = await modern.modern('tools/call', {
    name: 'ask', inputResponses, requestState: result?.['requestState'],
  });
  assert.equal(textOf(answer), 'accept');
  const legacy = await connect(server, { revision, capabilities: { elicitation: {} } });
  const call = legacy.call('ask');
  legacy.answer(await legacy.next(), accept({ sure: true }));
  assert.equal(textOf(await call), 'accept');
});

test('prompts and templates without completion are served, and have no suggestions', async () => {
  const plans = prompts();
  const cities = resources();
  const server = new ServerCore(info, { features: [plans, cities] });
  plans.add('plan', { arguments: { city: { complete: () => ['Rome'] } } }, ({ city = '' }) => city);
  cities.addTemplate('city://{name}', {}, ({ name }) => name);
  const peer = await connect(server, { revision });
  assert.equal((await peer.request('resources/read', { uri: 'city://Rome' })).error, undefined);
  const params = { ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'city', value: '' } };
  assert.equal((await peer.request('completion/complete', params)).error?.code, notFound);
});

test('completion, handed in beside what it completes', async () => {
  const plans = prompts();
  plans.add('plan', { arguments: { city: { complete: () => ['Rome'] } } }, ({ city = '' }) => city);
  const cities = resources();
  const server = new ServerCore(info, { features: [plans, cities, completion(plans, cities)] });
  const peer = await connect(server, { revision });
  const params = { ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'city', value: '' } };
  assert.deepEqual((await peer.request('completion/complete', params)).result?.['completion'],
    { values: ['Rome'], total: 1, hasMore: false });
});

test('a feature belongs to one server', () => {
  const some = tools();
  new ServerCore(info, { features: [some] });
  assert.throws(() => new ServerCore(info, { features: [some] }), /is already in a server/);
  some.add('a', {}, () => '');
});

test('the whole server is the core with every feature', async () => {
  const server = new McpServer(info);
  server.tool('a', {}, () => '');
  server.resource('a:b', {}, () => '');
  server.prompt('a', { arguments: { b: { complete: () => [] } } }, () => '');
  const { result } = await (await connect(server)).modern('server/discover');
  assert.deepEqual(Object.keys(result?.['capabilities'] as object).sort(),
    ['completions', 'logging', 'prompts', 'resources', 'tools']);
});

test('schemas of libraries, scopes, list filters and extensions are parts that a core is given', async () => {
  const schema = {
    '~standard': {
      version: 1, vendor: 'test', validate: (value: unknown) => ({ value }),
      jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
    },
  } as const;
  assert.throws(() => tools().add('no', { input: schema }, () => ''), /needs tools\(\{ schemas: adaptSchema \}\)/);
  assert.throws(() => tools().add('no', { output: {} }, () => ({})), /needs tools\(\{ structured \}\)/);
  const bare = tools();
  const sender = { revision: { version: '2026-07-28', era: 'modern', place: 4 }, client: info, capabilities: {}, logLevel: undefined } as const;
  assert.equal(new ServerCore(info, { features: [tools()] }).toolInput('secret', sender, undefined, undefined), undefined);
  const errors: string[] = [];
  const open = new ServerCore(info, { features: [bare], onError: ({ message }) => errors.push(message) });
  bare.add('secret', { scopes: ['a'] }, () => 'told');
  // Without `guards`, no caller reaches the handler.
  assert.match(textOf(await (await connect(open)).modern('tools/call', { name: 'secret' })), /secret failed/);
  assert.deepEqual(errors, ['a server with `scopes` needs `guards: guards()`']);

  const some = tools({ schemas: adaptSchema, structured });
  const server = new ServerCore(info, {
    features: [some],
    guards: guards({
      around: [({ name }, next) => name === 'secret' ? `(${String(next())})` : next()],
      listFilter: { key: () => '', shows: (_kind, name) => name !== 'hidden' },
    }),
  });
  some.add('secret', { scopes: ['a'], input: schema }, () => 'told');
  some.add('hidden', {}, () => '');
  some.add('sum', { output: { type: 'object' } }, () => ({ sum: 5 }));
  extend(server, { id: 'com.example/x', methods: { 'x/get': () => ({ x: 1 }) } });
  const peer = await connect(server);
  const { result } = await peer.modern('tools/list');
  assert.deepEqual((result?.['tools'] as { name: string }[]).map(({ name }) => name), ['secret', 'sum']);
  assert.equal(textOf(await peer.modern('tools/call', { name: 'secret' })), '(told)');
  assert.deepEqual((await peer.modern('tools/call', { name: 'sum' })).result?.['structuredContent'], { sum: 5 });
  assert.equal((await peer.modern('x/get')).error?.code, -32021);
  const declared = await peer.modern('x/get', {}, { extensions: { 'com.example/x': {} } });
  assert.equal(declared.result?.['x'], 1);
});
