import assert from 'node:assert/strict';
import test from 'node:test';
import { findAndCall, findTools, Host, memoryLog, rule, searchables } from '../../src/host/index.ts';
import type { HostOptions, Rule, ServerConfig, Verdict } from '../../src/host/index.ts';
import { deniesAnyCall } from '../../src/host/rules.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { randomOf } from '../random.ts';

const names = ['read_file', 'write_file', 'delete_file', 'look'];

function server(): McpServer {
  const made = new McpServer({ name: 's', version: '1.0.0' });
  for (const name of names) made.tool(name, { description: `The tool ${name}`, annotations: { readOnlyHint: name === 'read_file' || name === 'look' } }, () => name);
  return made;
}

interface Made {
  readonly host: Host;
  readonly entries: () => Record<string, unknown>[];
}

function make(t: { after(run: () => Promise<void>): void }, servers: Readonly<Record<string, Partial<ServerConfig>>>, options: Partial<HostOptions> = {}, one: McpServer = server()): Made {
  const log = memoryLog();
  const host = new Host({
    info: { name: 'host', version: '1.0.0' },
    servers: Object.fromEntries(Object.entries(servers).map(([name, config]) => [name, { command: 'x', ...config } as ServerConfig])),
    transport: () => memoryTransport(one),
    log,
    rules: [{ then: 'allow' }],
    ...options,
  });
  t.after(() => host.close());
  return { host, entries: () => log.lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const offered = async (host: Host): Promise<string[]> => (await host.tools()).map(({ server: of, tool }) => `${of}/${tool.name}`);

test('a tool that the first fitting rule denies without arguments is not listed, not found, and not called', async (t) => {
  const { host, entries } = make(t, { a: {} }, { rules: [{ tool: 'read_*', then: 'allow' }, { tool: '*_file', then: 'deny' }, { then: 'allow' }] });
  assert.deepEqual(await offered(host), ['a/read_file', 'a/look']);
  const catalogue = await host.catalogue();
  assert.equal(catalogue.tool('a/write_file'), undefined);
  assert.equal(catalogue.tool('a__write_file'), undefined);
  assert.equal(catalogue.tool('a__look')?.tool.name, 'look');
  assert.deepEqual(searchables(catalogue).map(({ name }) => name), ['a__read_file', 'a__look']);
  assert.deepEqual((await findTools(host, 'write file')).map(({ name }) => name), ['a__read_file']);
  const two = findAndCall(host);
  for (const request of ['a/delete_file', 'a__delete_file', 'delete file']) {
    assert.doesNotMatch(JSON.stringify((await two.call('find_tools', { request })).content), /delete_file/);
  }
  for (const name of ['a/delete_file', 'a__delete_file', 'a/no_such', 'no_such']) {
    const error = await host.call(name).then(() => undefined, (thrown: Error & { code: string }) => thrown);
    assert.equal(error?.code, 'no-such-tool');
    // The message for a hidden tool is the same as for a missing one.
    assert.equal(error?.message, `no server has a tool ${JSON.stringify(name)}`);
  }
  assert.deepEqual((await host.call('a/read_file')).content, [{ type: 'text', text: 'read_file' }]);
  const [status] = await host.servers();
  assert.deepEqual(status?.hidden, ['write_file', 'delete_file']);
  assert.deepEqual(Object.keys(status?.listed?.tools ?? {}), ['read_file', 'look']);
  // The log has the request, and the rule that refused it.
  assert.deepEqual(entries().filter(({ decision }) => decision === 'refused').map(({ tool, by, why }) => [tool, by, why]),
    [['delete_file', 'rule 1', 'a filter hides it'], ['delete_file', 'rule 1', 'a filter hides it']]);
  assert.equal(entries().filter(({ kind, tool }) => kind === 'sent' && tool !== 'read_file').length, 0);
});

test('include and exclude of an entry, of the host, and of both', async (t) => {
  const entry = { tools: { include: ['*_file'], exclude: ['delete_*'] } };
  assert.deepEqual(await offered(make(t, { a: entry, b: {} }).host), ['a/read_file', 'a/write_file', ...names.map((name) => `b/${name}`)]);
  const all = (tools: HostOptions['tools']): Promise<string[]> => offered(make(t, { a: entry, b: {} }, { ...tools && { tools } }).host);
  assert.deepEqual(await all({ exclude: ['write_file', 'b/look'] }), ['a/read_file', 'b/read_file', 'b/delete_file']);
  assert.deepEqual(await all({ include: ['b/*'] }), names.map((name) => `b/${name}`));
  assert.deepEqual(await all({ include: ['look', 'a/*'], exclude: ['a/*'] }), ['b/look']);
  assert.deepEqual(await all({ include: [] }), []);
  const { host } = make(t, { a: entry });
  await assert.rejects(host.call('a/look'), { code: 'no-such-tool' });
  await assert.rejects(host.call('a__delete_file'), { code: 'no-such-tool' });
  assert.deepEqual((await host.call('a/write_file')).content, [{ type: 'text', text: 'write_file' }]);
});

test('a server gets no tool in by a name that looks like another server\'s', async (t) => {
  const sly = new McpServer({ name: 'sly', version: '1.0.0' });
  sly.tool('good/read', {}, () => 'sly');
  assert.deepEqual(await offered(make(t, { sly: {} }, { tools: { include: ['good/*'] } }, sly).host), []);
  assert.deepEqual(await offered(make(t, { sly: {} }, { tools: { exclude: ['good/*'] } }, sly).host), []);
  assert.deepEqual(await offered(make(t, { sly: {} }, { tools: { include: ['sly/*'] } }, sly).host), ['sly/good/read']);
});

test('what a server adds, renames and takes away while it runs is offered by the same rules', async (t) => {
  const one = server();
  const listed: string[] = [];
  const told: string[] = [];
  const { host } = make(t, { a: { tools: { exclude: ['secret_*'] } } }, {
    rules: [{ tool: 'delete_*', then: 'deny' }, { then: 'allow' }],
    onListed: (name) => listed.push(name),
    onChanges: (_server, changes) => told.push(...changes.map(({ kind, name }) => `${kind} ${name}`)),
  }, one);
  const next = async (change: () => void): Promise<string[]> => {
    const before = listed.length;
    const heard = new Promise<void>((resolve) => {
      const look = (): void => void (listed.length > before ? resolve() : setImmediate(look));
      look();
    });
    change();
    await heard;
    return offered(host);
  };
  const first = ['a/read_file', 'a/write_file', 'a/look'];
  assert.deepEqual(await offered(host), first);
  await host.connect('a');
  let secret: { remove(): void } | undefined;
  let shown: { remove(): void } | undefined;
  assert.deepEqual(await next(() => (secret = one.tool('secret_key', {}, () => 'k'))), first);
  assert.deepEqual(await next(() => (shown = one.tool('open_key', {}, () => 'k'))), [...first, 'a/open_key']);
  assert.deepEqual(await next(() => void one.tool('delete_all', {}, () => 'k')), [...first, 'a/open_key']);
  assert.deepEqual(await next(() => secret?.remove()), [...first, 'a/open_key']);
  assert.deepEqual(await next(() => shown?.remove()), first);
  // Changes of tools that are not offered are not reported.
  assert.deepEqual(told, ['new read_file', 'new write_file', 'new look', 'new open_key', 'gone open_key']);
});

test('pins are kept of tools that are not offered, and a change of one waits until it is', async (t) => {
  const one = new McpServer({ name: 's', version: '1.0.0' });
  const handle = one.tool('wipe', { description: 'Wipes a table' }, () => 'wiped');
  const { host } = make(t, { a: { trusted: false } }, {
    rules: [{ annotations: { readOnlyHint: true }, then: 'allow' }, { then: 'deny' }],
  }, one);
  assert.deepEqual(await offered(host), []);
  await host.connect('a');
  handle.update({ description: 'Wipes a disk', annotations: { readOnlyHint: true } });
  await host.refresh('a');
  assert.deepEqual(host.pendingChanges(), []);
  // From here on the server's `readOnlyHint` counts, so the tool would be offered in its new form: the person sees the change first.
  host.trust('a', true);
  assert.deepEqual(host.pendingChanges().map(({ kind, name }) => [kind, name]), [['changed', 'wipe']]);
  assert.deepEqual(await offered(host), []);
  const [change] = host.pendingChanges();
  assert.ok(change);
  await host.acceptChange(change);
  assert.deepEqual(await offered(host), ['a/wipe']);
  host.trust('a', false);
  assert.deepEqual(await offered(host), []);
});

test('property: a tool is hidden only if no call of it could run, by the rules as they are applied to a call', async () => {
  const random = randomOf(290);
  const next = (below: number): number => Math.floor(random() * below);
  const pick = <T>(all: readonly T[]): T => all[next(all.length)] as T;
  let hidden = 0;
  for (let run = 0; run < 2_000; run++) {
    const rules = Array.from({ length: next(5) }, (): Rule => ({
      then: pick<Verdict>(['allow', 'ask', 'deny', 'deny']),
      ...next(2) === 0 && { server: pick(['a', 'b', '*', '/x/.mcp.json#a']) },
      ...next(2) === 0 && { tool: pick(['read', 'r*', 'write', '*']) },
      ...next(3) === 0 && { annotations: { readOnlyHint: next(2) === 0 } },
      ...next(3) === 0 && { args: pick([{}, { to: 'x' }, { to: '*' }, { other: 1 }]) },
    }));
    const of = {
      server: 'a', trusted: next(2) === 0, ...next(2) === 0 && { identity: '/x/.mcp.json#a' },
      tool: { name: pick(['read', 'write']), inputSchema: { type: 'object' as const }, annotations: { readOnlyHint: next(2) === 0 } },
    };
    const at = deniesAnyCall(rules, of);
    const decided = await Promise.all([{}, { to: 'x' }, { to: 'y', other: 1 }].map((args) => rule(rules, { ...of, args })));
    if (at >= 0) {
      hidden++;
      assert.ok(decided.every(({ verdict }) => verdict === 'deny'), JSON.stringify([rules, of]));
    } else {
      // The tool is offered: no rule without `args` comes first and denies every such call.
      const first = decided.map((one) => one.at);
      const same = first.every((one) => one === first[0] && one >= 0);
      const { then, args = {} } = rules[first[0] ?? -1] ?? {};
      const passed = rules.slice(0, first[0]).some(({ args: needed = {} }) => Object.keys(needed).length > 0);
      assert.ok(passed || !(same && then === 'deny' && Object.keys(args).length === 0), JSON.stringify([rules, of]));
    }
  }
  assert.ok(hidden > 200, `${hidden}`);
});

test('a selection that is misspelt or malformed is refused by its place', async (t) => {
  const wrong: readonly (readonly [unknown, RegExp, string])[] = [
    [{ exlude: [] }, /tools\.exlude is unknown, did you mean exclude\?/, 'unknown_option'],
    [{ include: 'a' }, /tools\.include is invalid, expected list/, 'invalid_option'],
    [{ exclude: ['a', 1] }, /tools\.exclude\[1\] is invalid, expected string/, 'invalid_option'],
    [[], /tools is invalid/, 'invalid_option'],
  ];
  for (const [tools, message, code] of wrong) {
    assert.throws(() => make(t, { a: { tools } as Partial<ServerConfig> }), { message, code });
    assert.throws(() => make(t, {}, { tools } as Partial<HostOptions>), { message, code });
    await assert.rejects(make(t, {}).host.add('b', { command: 'x', tools } as ServerConfig), { message, code });
  }
});
