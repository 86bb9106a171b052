import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { apps, appsExtension, onlyForApps } from '../../src/apps/index.ts';
import { findAndCall, Host, HostError, memoryLog } from '../../src/host/index.ts';
import type { ApprovalRequest, Decision, HostOptions } from '../../src/host/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';

interface Made {
  readonly host: Host;
  readonly asked: ApprovalRequest[];
  readonly declared: unknown[];
  readonly log: () => Record<string, unknown>[];
}

function made(t: TestContext, decide: (request: ApprovalRequest) => Decision = () => ({ allow: 'once' }), options: Partial<HostOptions> = {}): Made {
  const [asked, declared, log] = [[] as ApprovalRequest[], [] as unknown[], memoryLog()];
  const servers = Object.fromEntries(['shop', 'bank'].map((name) => {
    const server = new McpServer({ name, version: '1' }, { onError: () => {} });
    // As other servers do, list all tools for every client.
    const board = apps(server, { undeclared: 'all' }).app(`ui://${name}/board`, {}, '<!doctype html><p>x');
    server.tool('show', { description: 'Shows', _meta: board.tool() }, (_args, { capabilities }) => (declared.push(capabilities.extensions), 'shown'));
    server.tool(`refresh_${name}`, { description: 'Refreshes the board', _meta: onlyForApps }, () => 'fresh');
    server.tool('think', { description: 'Thinks', _meta: { ui: { visibility: ['model'] } } }, () => 'thought');
    server.tool('odd', { description: 'Odd', _meta: { ui: { visibility: 'app' } } }, () => 'odd');
    return [name, server];
  }));
  const host = new Host({
    info: { name: 'host', version: '1' },
    servers: { shop: { command: 'shop' }, bank: { command: 'bank' } },
    transport: (name) => memoryTransport(servers[name] as McpServer),
    log, person: { approve: async (request) => (asked.push(request), decide(request)) }, ...options,
  });
  t.after(() => host.close());
  return { host, asked, declared, log: () => log.lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const noTool = (thrown: unknown): boolean => thrown instanceof HostError && thrown.code === 'no-such-tool';
const refused = (thrown: unknown): boolean => thrown instanceof HostError && thrown.code === 'refused';

test('host apps: a model gets no tool that is only for apps, by no way', async (t) => {
  const { host, log, asked } = made(t);
  assert.deepEqual((await host.tools()).map(({ server, tool }) => `${server}/${tool.name}`), ['shop/show', 'shop/think', 'bank/show', 'bank/think']);
  assert.deepEqual((await host.servers()).map(({ hidden }) => hidden), [['refresh_shop', 'odd'], ['refresh_bank', 'odd']]);
  await assert.rejects(host.call('shop/refresh_shop'), noTool);
  await assert.rejects(host.call('shop/odd'), noTool);
  const { call } = findAndCall(host);
  assert.doesNotMatch(JSON.stringify(await call('find_tools', { request: 'refresh the board' })), /refresh_shop/);
  await assert.rejects(call('call_tool', { name: 'shop/refresh_shop' }), noTool);
  assert.deepEqual(asked, []);
  assert.ok(log().some(({ kind, tool, decision, by }) => kind === 'decided' && tool === 'refresh_shop' && decision === 'refused' && by === 'visibility'));
});

test('host apps: a tool that its server hides from models afterwards leaves their list before anybody accepts the change', async (t) => {
  const server = new McpServer({ name: 's', version: '1' });
  const tool = server.tool('refresh', { description: 'Refreshes' }, () => 'fresh');
  const changes: unknown[] = [];
  const host = new Host({
    info: { name: 'host', version: '1' }, servers: { s: { command: 's' } }, transport: () => memoryTransport(server),
    onListed: () => listed(), person: { approve: async () => ({ allow: 'once' }), acceptChange: async (change) => (changes.push(change.name), true) },
  });
  t.after(() => host.close());
  let listed = (): void => {};
  const names = async (): Promise<string[]> => (await host.tools()).map((one) => one.tool.name);
  const after = async (_meta: { readonly ui: Readonly<Record<string, unknown>> }): Promise<void> => {
    const again = new Promise<void>((resolve) => (listed = resolve));
    tool.update({ _meta });
    await again;
  };
  assert.deepEqual(await names(), ['refresh']);
  await after(onlyForApps);
  assert.deepEqual([await names(), (await host.servers())[0]?.hidden, host.pendingChanges().map(({ name }) => name)], [[], ['refresh'], ['refresh']]);
  await assert.rejects(host.call('s/refresh'), noTool);
  assert.deepEqual(changes, []);
  await after({ ui: { visibility: ['model', 'app'] } });
  assert.deepEqual(await names(), ['refresh']);
  assert.equal((await host.call('s/refresh')).isError, undefined);
  assert.deepEqual(changes, ['refresh']);
});

test('host apps: a host without a screen declares nothing of apps', async (t) => {
  const { host, declared } = made(t);
  await host.call('shop/show');
  assert.deepEqual(declared, [undefined]);
  const seeing = made(t, undefined, {});
  assert.equal((await seeing.host.connect('shop')).capabilities?.extensions?.[appsExtension] !== undefined, true);
});

test('host apps: an app calls tools of its own server that are for apps, by consent, with its origin', async (t) => {
  const { host, asked, log } = made(t);
  const app = host.app('shop');
  assert.deepEqual((await app.callTool('refresh_shop')).content, [{ type: 'text', text: 'fresh' }]);
  assert.deepEqual((await app.callTool('show')).content, [{ type: 'text', text: 'shown' }]);
  assert.deepEqual(asked.map(({ server, tool, origin, why }) => [server, tool.name, origin, why]), [['shop', 'refresh_shop', 'app', 'default'], ['shop', 'show', 'app', 'default']]);
  assert.deepEqual(log().filter(({ kind }) => kind === 'asked').map(({ origin }) => origin), ['app', 'app']);
  for (const name of ['think', 'odd', 'refresh_bank', 'bank/refresh_bank', 'bank/show', 'shop/show', 'shop/refresh_shop', 'none', '__proto__']) await assert.rejects(app.callTool(name), noTool, name);
  assert.equal(asked.length, 2);
  assert.throws(() => host.app('none'), (thrown: HostError) => thrown.code === 'no-such-server');
});

test('host apps: rules and refusals hold for apps, and a rule may name them', async (t) => {
  const { host } = made(t, () => ({ allow: false, reason: 'no' }), { rules: [{ origin: 'app', tool: 'show', then: 'deny' }, { origin: 'model', tool: 'show', then: 'allow' }, { origin: 'app', tool: 'refresh_*', then: 'allow' }] });
  // A rule against apps hides no tool from a model.
  assert.ok((await host.tools()).some(({ server, tool }) => server === 'shop' && tool.name === 'show'));
  await host.call('shop/show');
  await assert.rejects(host.app('shop').callTool('show'), noTool);
  await host.app('shop').callTool('refresh_shop');
  const asking = made(t, () => ({ allow: false }));
  await assert.rejects(asking.host.app('shop').callTool('show'), refused);
});

test('host apps: a grant for the model is none for an app, nor the other way', async (t) => {
  const { host, asked } = made(t, () => ({ allow: 'session' }));
  await host.call('shop/show');
  await host.call('shop/show');
  assert.equal(asked.length, 1);
  await host.app('shop').callTool('show');
  await host.app('shop').callTool('show');
  assert.equal(asked.length, 2);
  assert.deepEqual((await host.grants()).map(({ origin }) => origin), [undefined, 'app']);
});

test('host apps: what an app reads is of its server, and is written down', async (t) => {
  const { host, log } = made(t);
  assert.equal((await host.app('shop').readResource('ui://shop/board')).contents.length, 1);
  await assert.rejects(host.app('shop').readResource('ui://bank/board'));
  assert.deepEqual(log().filter(({ kind }) => kind === 'app').map(({ server, uri }) => [server, uri]), [['shop', 'ui://shop/board'], ['shop', 'ui://bank/board']]);
});
