import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { AppError, appMimeType, appOf, apps, appsExtension, declaresApps, isVisibleTo, loadApp, onlyForApps, showsApps } from '../../src/apps/index.ts';
import type { AppDefinition, AppsOptions } from '../../src/apps/index.ts';
import { McpClient } from '../../src/client/index.ts';
import type { RpcError } from '../../src/jsonrpc/index.ts';
import type { ReadResourceResult } from '../../src/protocol/index.ts';
import { McpServer } from '../../src/server/index.ts';
import type { ServerOptions } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

const html = '<!doctype html><title>Board</title><p>Board';
const uri = 'ui://shop/board';
const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;

function serverWith(options: AppsOptions = {}, given: ServerOptions = {}): McpServer {
  const server = new McpServer({ name: 's', version: '1' }, { onError: () => {}, ...given });
  const board = apps(server, options).app(uri, { name: 'board', csp: { connectDomains: ['https://api.example'] }, prefersBorder: true }, html);
  server.tool('show', { description: 'Shows', _meta: board.tool() }, (_args, { capabilities }) => (declaresApps(capabilities) ? 'on a screen' : 'as text'));
  server.tool('refresh', { description: 'Refreshes', _meta: board.tool(['app']) }, () => 'fresh');
  server.tool('log', { description: 'Logs', _meta: onlyForApps }, () => 'logged');
  server.tool('plain', { description: 'Plain' }, () => 'plain');
  return server;
}

async function clientOf(t: TestContext, server: McpServer, revision: string, declares: boolean): Promise<McpClient> {
  const client = new McpClient({ name: 'c', version: '1' }, { revisions: [revision], ...declares && { extensions: { [appsExtension]: showsApps } } });
  await client.connect(memoryTransport(server));
  t.after(() => client.close());
  return client;
}

for (const revision of revisions) {
  test(`apps: a client with a screen gets all, and one without it texts, ${revision}`, async (t) => {
    const server = serverWith();
    // Tools have `_meta` since 2025-06-18.
    const early = revision < '2025-06-18';
    const seeing = await clientOf(t, server, revision, true);
    assert.deepEqual(seeing.capabilities?.extensions, early ? undefined : { [appsExtension]: {} });
    if (early) return assert.deepEqual((await seeing.listTools()).map(({ name, _meta }) => [name, _meta]), [['show', undefined], ['plain', undefined]]);
    const tools = await seeing.listTools();
    assert.deepEqual(tools.map(({ name }) => name), ['show', 'refresh', 'log', 'plain']);
    assert.deepEqual(tools.map(appOf), [uri, uri, undefined, undefined]);
    assert.deepEqual(tools.map((tool) => [isVisibleTo(tool, 'model'), isVisibleTo(tool, 'app')]), [[true, true], [false, true], [false, true], [true, true]]);
    assert.deepEqual((await seeing.listResources()).map((one) => [one.uri, one.mimeType]), [[uri, 'text/html;profile=mcp-app']]);
    const app = await loadApp((one) => seeing.readResource(one), uri);
    assert.deepEqual(app, { uri, html, meta: { csp: { connectDomains: ['https://api.example'] }, prefersBorder: true }, faults: [] });
    assert.deepEqual((await seeing.callTool('show')).content, [{ type: 'text', text: 'on a screen' }]);
    assert.deepEqual((await seeing.callTool('refresh')).content, [{ type: 'text', text: 'fresh' }]);

    const blind = await clientOf(t, server, revision, false);
    assert.deepEqual((await blind.listTools()).map(({ name }) => name), ['show', 'plain']);
    assert.deepEqual(await blind.listResources(), []);
    assert.deepEqual((await blind.callTool('show')).content, [{ type: 'text', text: 'as text' }]);
    await assert.rejects(blind.callTool('refresh'), (error: RpcError) => error.code === -32602 && /Unknown tool: refresh/.test(error.message));
    // The document exists, because a tool in the app's list names it.
    assert.equal((await loadApp((one) => blind.readResource(one), uri)).html, html);
  });
}

test('apps: `undeclared: "all"` shows everybody the same', async (t) => {
  const client = await clientOf(t, serverWith({ undeclared: 'all' }), '2026-07-28', false);
  assert.deepEqual((await client.listTools()).map(({ name }) => name), ['show', 'refresh', 'log', 'plain']);
  assert.equal((await client.listResources()).length, 1);
});

test('apps: a list filter of the server stands, and functions around handlers do', async (t) => {
  const around: string[] = [];
  const server = serverWith({}, {
    listFilter: { key: () => '', shows: (_kind, name) => name !== 'plain' },
    around: [(call, next) => (around.push(call.name), next())],
  });
  const [seeing, blind] = [await clientOf(t, server, '2026-07-28', true), await clientOf(t, server, '2026-07-28', false)];
  assert.deepEqual((await seeing.listTools()).map(({ name }) => name), ['show', 'refresh', 'log']);
  assert.deepEqual((await blind.listTools()).map(({ name }) => name), ['show']);
  await assert.rejects(seeing.callTool('plain'), /Unknown tool/);
  await seeing.callTool('refresh');
  assert.deepEqual(around, ['refresh']);
});

test('apps: a declaration without the type of documents is none', () => {
  for (const settings of [{}, { mimeTypes: [] }, { mimeTypes: 'text/html;profile=mcp-app' }, { mimeTypes: ['text/html'] }]) {
    assert.equal(declaresApps({ extensions: { [appsExtension]: settings } }), false);
  }
  assert.equal(declaresApps({}), false);
  assert.equal(declaresApps({ extensions: { [appsExtension]: { mimeTypes: [appMimeType] } } }), true);
});

test('apps: a document that is made for each read', async (t) => {
  const server = new McpServer({ name: 's', version: '1' }, { onError: () => {} });
  let made = 0;
  const all = apps(server);
  all.app('ui://a', {}, () => `${html}${++made}`);
  const bad = all.app('ui://bad', {}, async () => 'a fragment');
  const client = await clientOf(t, server, '2026-07-28', true);
  assert.equal((await loadApp((one) => client.readResource(one), 'ui://a')).html, `${html}1`);
  assert.equal((await loadApp((one) => client.readResource(one), 'ui://a')).html, `${html}2`);
  await assert.rejects(client.readResource('ui://bad'));
  bad.remove();
  assert.deepEqual((await client.listResources({ fresh: true })).map((one) => one.uri), ['ui://a']);
});

const wrong: readonly (readonly [why: string, at: string, definition: AppDefinition, html: string, message: RegExp])[] = [
  ['a URI of another scheme', 'https://shop.example/board', {}, html, /must begin with ui:\/\//],
  ['white space in the URI', 'ui://a b', {}, html, /must begin with ui:\/\//],
  ['ui:// within the URI', 'https://shop.example/ui://board', {}, html, /must begin with ui:\/\//],
  ['no slashes in the URI', 'ui:board', {}, html, /must begin with ui:\/\//],
  ['text before the doctype', uri, {}, `Board ${html}`, /begins with <!doctype html>/],
  ['a fragment', uri, {}, '<p>Board', /begins with <!doctype html>/],
  ['a domain that is a policy', uri, { csp: { connectDomains: ['https://a; script-src *'] } }, html, /connectDomains: the domain/],
  ['a domain with a path', uri, { csp: { resourceDomains: ['https://a.example/x'] } }, html, /more than an origin/],
  ['a domain without a scheme', uri, { csp: { frameDomains: ['a.example'] } }, html, /not an origin/],
];
for (const [why, at, definition, document, message] of wrong) {
  test(`apps: refused: ${why}`, () => {
    const all = apps(new McpServer({ name: 's', version: '1' }));
    assert.throws(() => all.app(at, definition, document), (error: Error) => error instanceof TypeError && message.test(error.message));
  });
}

test('apps: visibility names somebody', () => {
  const board = apps(new McpServer({ name: 's', version: '1' })).app(uri, {}, html);
  assert.deepEqual(board.tool(), { ui: { resourceUri: uri } });
  assert.throws(() => board.tool([]), /must name "model", "app" or both/);
  assert.throws(() => board.tool(['user' as never]), /visibility\[0\]/);
});

const contents = (content: object): ReadResourceResult => ({ contents: [content as ReadResourceResult['contents'][number]] });
const bad: readonly (readonly [why: string, result: ReadResourceResult, code: AppError['code']])[] = [
  ['another type', contents({ uri, mimeType: 'text/html', text: html }), 'mime-type'],
  ['another profile', contents({ uri, mimeType: 'text/html;profile=mcp-app2', text: html }), 'mime-type'],
  ['no type', contents({ uri, text: html }), 'mime-type'],
  ['another URI', contents({ uri: 'ui://other', mimeType: appMimeType, text: html }), 'content'],
  ['no content', { contents: [] }, 'content'],
  ['two contents', { contents: [...contents({ uri, mimeType: appMimeType, text: html }).contents, ...contents({ uri, mimeType: appMimeType, text: html }).contents] }, 'content'],
  ['a fragment', contents({ uri, mimeType: appMimeType, text: 'hello' }), 'content'],
  ['neither text nor bytes', contents({ uri, mimeType: appMimeType }), 'unreadable'],
  ['no Base64', contents({ uri, mimeType: appMimeType, blob: '*' }), 'unreadable'],
  ['no UTF-8', contents({ uri, mimeType: appMimeType, blob: '/////w==' }), 'unreadable'],
  ['too many bytes', contents({ uri, mimeType: appMimeType, text: html.padEnd(2000, 'é') }), 'too-large'],
  ['too many bytes in Base64', contents({ uri, mimeType: appMimeType, blob: 'A'.repeat(4000) }), 'too-large'],
];
for (const [why, result, code] of bad) {
  test(`apps: not loaded: ${why}`, async () => {
    await assert.rejects(loadApp(async () => result, uri, { maxBytes: 2000 }), (error: AppError) => error instanceof AppError && error.code === code);
  });
}

test('apps: loaded from bytes; the list counts only where the content says nothing', async () => {
  const blob = btoa(html);
  const listed = { uri, _meta: { ui: { csp: { connectDomains: ['https://listed.example'] } } } };
  const read = async (): Promise<ReadResourceResult> => contents({ uri, mimeType: appMimeType, blob });
  assert.deepEqual(await loadApp(read, uri, { listed }), { uri, html, meta: { csp: { connectDomains: ['https://listed.example'] } }, faults: [] });
  assert.deepEqual((await loadApp(read, uri, { listed: { ...listed, uri: 'ui://other' } })).meta, {});
  const own = async (): Promise<ReadResourceResult> => contents({ uri, mimeType: appMimeType, blob, _meta: { ui: {} } });
  assert.deepEqual((await loadApp(own, uri, { listed })).meta, {});
  for (const other of ['https://shop.example/', 'https://shop.example/ui://board', 'ui:board']) {
    await assert.rejects(loadApp(read, other), (error: AppError) => error.code === 'uri', other);
  }
});

test('apps: what a tool says of itself is read as it may be', () => {
  assert.equal(appOf({ _meta: { 'ui/resourceUri': uri } }), uri);
  for (const _meta of [undefined, {}, { ui: 'x' }, { ui: { resourceUri: 7 } }, { ui: { resourceUri: 'https://a.example' } }, { ui: Object.create({ resourceUri: uri }) as object }]) {
    assert.equal(appOf({ ..._meta && { _meta } }), undefined);
  }
  for (const visibility of ['app', 'model', {}, null, [], [['model']]]) {
    assert.equal(isVisibleTo({ _meta: { ui: { visibility } } }, 'model'), false, JSON.stringify(visibility));
    assert.equal(isVisibleTo({ _meta: { ui: { visibility } } }, 'app'), false, JSON.stringify(visibility));
  }
});
