import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/schema/index.ts';
import { asking, Completion, McpServer, Prompts, Resources, ServerCore, Tools } from '../../src/server/index.ts';
import { accept, connect, textOf } from './peer.ts';

// A server put together from features: what it has not, it neither declares nor answers.

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
  const server = new ServerCore(info, { validator: compile });
  new Tools(server).add(
    'twice', { input: { type: 'object', properties: { n: { type: 'number' } } } }, ({ n = 1 }) => `${2 * n}`,
  );
  const legacy = await connect(server, { revision });
  const modern = await connect(server);
  assert.deepEqual((await modern.modern('server/discover')).result?.['capabilities'], {
    logging: {}, tools: { listChanged: true },
  });
  for (const ask of [legacy.request, modern.modern]) {
    assert.equal(textOf(await ask('tools/call', { name: 'twice', arguments: { n: 21 } })), '42');
    const wrong = await ask('tools/call', { name: 'twice', arguments: { n: 'x' } });
    assert.equal(wrong.result?.['isError'], true);
    assert.equal((await ask('prompts/list')).error?.code, notFound);
    assert.equal((await ask('resources/read', { uri: 'a:b' })).error?.code, notFound);
  }
});

test('a feature is found when there is something of it, and stays when that is taken out', async () => {
  const server = new ServerCore(info);
  const tools = new Tools(server);
  const peer = await connect(server, { revision });
  assert.equal((await peer.request('tools/list')).error?.code, notFound);
  const handle = tools.add('late', {}, () => 'here');
  assert.equal(textOf(await peer.request('tools/call', { name: 'late' })), 'here');
  handle.remove();
  assert.deepEqual((await peer.request('tools/list')).result?.['tools'], []);
});

test('without asking a handler has no questions, and with it has them in both eras', async () => {
  const plain = new ServerCore(info);
  new Tools(plain).add('look', {}, (_args, ctx) => `${'elicit' in ctx} ${ctx.revision}`);
  assert.equal(textOf(await (await connect(plain, { revision })).call('look')), `false ${revision}`);

  const server = new ServerCore(info, { asking: asking() });
  new Tools(server).add('ask', {}, async (_args, ctx) =>
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
  const server = new ServerCore(info);
  const prompts = new Prompts(server);
  const resources = new Resources(server);
  prompts.add('plan', { arguments: { city: { complete: () => ['Rome'] } } }, ({ city = '' }) => city);
  resources.addTemplate('city://{name}', {}, ({ name }) => name);
  const peer = await connect(server, { revision });
  assert.equal((await peer.request('resources/read', { uri: 'city://Rome' })).error, undefined);
  const params = { ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'city', value: '' } };
  assert.equal((await peer.request('completion/complete', params)).error?.code, notFound);
  new Completion(server, prompts, resources);
  assert.deepEqual((await peer.request('completion/complete', params)).result?.['completion'],
    { values: ['Rome'], total: 1, hasMore: false });
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
