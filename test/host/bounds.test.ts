import assert from 'node:assert/strict';
import test from 'node:test';
import { memoryLog } from '../../src/host/activity-log.ts';
import { Host } from '../../src/host/host.ts';
import type { HostOptions } from '../../src/host/options.ts';
import { admitted, defaultListingLimits } from '../../src/host/listed-items.ts';
import type { ItemKind } from '../../src/host/listed-items.ts';
import { catalogueName } from '../../src/host/names.ts';
import { comparePins } from '../../src/host/pins.ts';
import type { Pin } from '../../src/host/pins.ts';
import { redact } from '../../src/host/redaction.ts';
import { memoryStore } from '../../src/host/store.ts';
import type { Tool } from '../../src/protocol/tools.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { randomOf } from '../random.ts';
import { scripted } from './scripted-server.ts';

/** Processor time of this process in milliseconds; other programs do not count. */
async function work(run: () => unknown): Promise<number> {
  const began = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({ name, inputSchema: { type: 'object' }, ...more });

function hostOf(t: { after(run: () => Promise<void>): void }, list: () => readonly unknown[], options: Partial<HostOptions> = {}): { readonly host: Host; readonly errors: string[] } {
  const errors: string[] = [];
  const host = new Host({
    info: { name: 'host', version: '1.0.0' }, servers: { s: { command: 's' } },
    transport: () => scripted(({ method }) => (method === 'tools/list' ? { tools: list() } : { content: [] })).transport,
    rules: [{ then: 'allow' }],
    onError: (error) => errors.push(error.message),
    ...options,
  });
  t.after(() => host.close());
  return { host, errors };
}

test('bounds: a tool whose name passes 1,024 characters is left out and reported once, and the others stay', async (t) => {
  const { host, errors } = hostOf(t, () => [tool('a'), tool('_'.repeat(100_000)), tool('b'.repeat(1_024)), tool('c'.repeat(1_025))]);
  assert.deepEqual((await host.tools()).map(({ tool: { name } }) => name), ['a', 'b'.repeat(1_024)]);
  await host.refresh('s');
  assert.equal(errors.length, 1);
  assert.match(errors[0] ?? '', /2 of 4 tools were left out: "_{80}"\.\.\. has 100000 characters, and 1024 are allowed; /);
  await host.call('s/a');
});

test('bounds: what is too deep, too large or listed twice is left out, and the others stay', async (t) => {
  const deep = JSON.parse(`{"type":"object","properties":${'{"a":'.repeat(300)}1${'}'.repeat(301)}`) as Tool['inputSchema'];
  const { host, errors } = hostOf(t, () => [
    tool('good'),
    tool('deep', { inputSchema: deep }), tool('large', { description: 'x'.repeat(1_048_577) }), tool('good', { description: 'another' }),
    tool('half', { description: 'of a pair: \ud83d' }),
  ]);
  assert.deepEqual((await host.tools()).map(({ tool: { name } }) => name), ['good', 'half'], errors.join());
  assert.match(errors.join(), /3 of 5 tools were left out: .*too deep.*listed twice/);
  await host.call('s/half');
});

test('bounds: more tools than are allowed are left out', () => {
  const limits = { ...defaultListingLimits, maxListed: 10 };
  const { kept, left } = admitted('tool', Array.from({ length: 1_000 }, (_, i) => tool(`t${i}`)), limits);
  assert.equal(kept.length, 10);
  assert.match(left, /990 of 1000 tools were left out: more than 10; /);
  assert.ok(left.length < 500);
});

/** An item of any list. */
type Named = { readonly name: string; readonly [member: string]: unknown };

test('bounds: prompts, resources and templates likewise', () => {
  const long = 'x'.repeat(2_000);
  const cases: readonly (readonly [ItemKind, Named, Named])[] = [
    ['prompt', { name: 'p' }, { name: long }],
    ['resource', { name: 'r', uri: `file:///${long}` }, { name: long, uri: 'a:b' }],
    ['template', { name: 't', uriTemplate: 'a:{b}' }, { name: long, uriTemplate: 'a:{b}' }],
  ];
  for (const [kind, good, bad] of cases) {
    assert.deepEqual(admitted(kind, [good, good, bad], defaultListingLimits).kept, [good, good], kind);
  }
});

test('bounds: names are made in linear time, and each is one for a model', async () => {
  for (const piece of ['_', '-', 'é', ' _', '__a', '\ud83d']) {
    const name = await catalogueName('s', piece.repeat(500_000 / piece.length));
    assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
  }
  const spent = await work(async () => {
    for (let i = 0; i < 20; i++) await catalogueName('_'.repeat(100_000), '_'.repeat(1_000_000));
  });
  assert.ok(spent < 2_000, `${spent} ms`);
});

test('names: a name follows from server and tool alone, and no two tools share one', async () => {
  // Two names with the same 32-bit hash, which an earlier version used: the order of the list then decided which tool was meant.
  const [one, two] = [`${'x'.repeat(60)}_6pwu`, `${'x'.repeat(60)}_d5fa`];
  assert.notEqual(await catalogueName('s', one), await catalogueName('s', two));
  const parts = ['a', '_', '__', 'b', '-', ' ', '.', 'é', 'x'.repeat(40)];
  const given = new Map<string, string>();
  for (let seed = 1; seed <= 300; seed++) {
    const random = randomOf(seed);
    const text = (): string => Array.from({ length: 1 + Math.floor(random() * 4) }, () => parts[Math.floor(random() * parts.length)]).join('');
    const [server, name] = [text(), text()];
    const made = await catalogueName(server, name);
    assert.match(made, /^[A-Za-z0-9_-]{1,64}$/);
    const pair = JSON.stringify([server, name]);
    assert.equal(given.get(made) ?? pair, pair, made);
    given.set(made, pair);
  }
  assert.equal(await catalogueName('files', 'read_file'), 'files__read_file');
  assert.equal(await catalogueName('a', 'b__c'), 'a__b__c');
  assert.notEqual(await catalogueName('a__b', 'c'), 'a__b__c');
  // A tool whose own name equals the hashed name of another tool.
  const hashed = await catalogueName('my server', 'x');
  assert.ok(!hashed.includes('__'));
  assert.notEqual(await catalogueName('my', hashed.slice(3)), hashed);
});

test('names: a server cannot take the name that a model was told of another server\'s tool', async (t) => {
  const tools: Record<string, string[]> = { 'a__b': ['c'], a: [] };
  const host = new Host({
    info: { name: 'host', version: '1.0.0' }, servers: { 'a__b': { command: 'x' }, a: { command: 'x' } },
    transport: (name) => scripted(({ method }) => (method === 'tools/list' ? { tools: tools[name]?.map((one) => tool(one)) } : { content: [{ type: 'text', text: name }] })).transport,
    rules: [{ then: 'allow' }],
  });
  t.after(() => host.close());
  const [told] = await host.tools();
  assert.equal(told?.server, 'a__b');
  tools['a__b'] = [];
  tools['a'] = ['b__c', told?.name ?? ''];
  await Promise.all([host.refresh('a'), host.refresh('a__b')]);
  await assert.rejects(host.call(told?.name ?? ''), { code: 'no-such-tool' });
});

test('names: what names tools of two servers is refused', async (t) => {
  const tools: Record<string, string> = { a: 'b/c', 'a/b': 'c' };
  const host = new Host({
    info: { name: 'host', version: '1.0.0' }, servers: { a: { command: 'x' }, 'a/b': { command: 'x' } },
    transport: (name) => scripted(({ method }) => (method === 'tools/list' ? { tools: [tool(tools[name] ?? '')] } : { content: [] })).transport,
    rules: [{ then: 'allow' }],
  });
  t.after(() => host.close());
  const names = (await host.tools()).map(({ name }) => name);
  assert.equal(new Set(names).size, 2);
  await assert.rejects(host.call('a/b/c'), { code: 'ambiguous-name' });
  for (const name of names) await host.call(name);
});

const pins = (count: number, body: (i: number) => string): Record<string, Pin> => Object.fromEntries(Array.from({ length: count }, (_, i) =>
  [`old${i}`, { digest: `${i}`, tool: tool(`old${i}`, { description: body(i) }) }]));

test('bounds: thousands of tools gone and thousands new are compared in linear time', async () => {
  const compare = (count: number): Promise<number> => work(async () => {
    const changes = await comparePins('s', pins(count, (i) => `was ${i} ${'x'.repeat(500)}`), Array.from({ length: count }, (_, i) => tool(`new${i}`, { description: `is ${i} ${'x'.repeat(500)}` })));
    assert.equal(changes.length, 2 * count);
  });
  await compare(100);
  const spent = await compare(2_000);
  assert.ok(spent < 4_000, `${spent} ms`);
  // All have the same body, so each new tool counts as a renamed old one.
  const renamed = await comparePins('s', pins(3_000, () => 'same'), Array.from({ length: 3_000 }, (_, i) => tool(`new${i}`, { description: 'same' })));
  assert.ok(renamed.every(({ kind }) => kind === 'renamed'));
  assert.equal(new Set(renamed.map(({ formerly }) => formerly)).size, 3_000);
});

test('bounds: a listing of 8 MB that changes whole costs seconds at most, with its log', async (t) => {
  let round = 0;
  const log = memoryLog();
  const { host } = hostOf(t, () => Array.from({ length: 8 }, (_, i) => tool(`t${i}`, { description: `${round} ${'eyJ-eyJ-bearer '.repeat(66_000)}` })), { log });
  const spent = await work(async () => {
    await host.tools();
    round = 1;
    await host.refresh('s');
    await host.flushed();
  });
  assert.equal(host.pendingChanges().length, 8);
  assert.ok(spent < 6_000, `${spent} ms`);
  assert.ok(log.lines.every((line) => line.length < 250_000));
});

test('bounds: new tools in every listing fill no store and no log: once there are too many, they wait for a person', async (t) => {
  let round = 0;
  const log = memoryLog();
  const store = memoryStore();
  const { host } = hostOf(t, () => Array.from({ length: 50 }, (_, i) => tool(`r${round}-${i}`, { description: 'x'.repeat(10_000) })), { log, store, limits: { maxListed: 100 } });
  await host.tools();
  for (round = 1; round <= 10; round++) await host.refresh('s');
  const kept = JSON.stringify(await store.get('pins/s'));
  assert.ok(kept.length < 100 * 10_500, `${kept.length}`);
  assert.deepEqual([...new Set(host.pendingChanges().map(({ kind }) => kind))], ['new']);
  assert.equal(host.pendingChanges().length, 50);
  await assert.rejects(host.call('s/r10-0'), { code: 'tool-changed', message: /is new, and needs approval/ });
});

test('bounds: arguments that are nested deeper than what judges them goes are refused, before anybody is asked', async (t) => {
  const log = memoryLog();
  const server = new McpServer({ name: 's', version: '1.0.0' });
  let ran = 0;
  server.tool('t', { input: { type: 'object' } }, () => `${++ran}`);
  const asked: unknown[] = [];
  const host = new Host({
    info: { name: 'host', version: '1.0.0' }, servers: { s: { command: 's' } }, transport: () => memoryTransport(server), log,
    rules: [{ args: { path: '/etc/**' }, then: 'deny' }, { args: { path: '/home/**' }, then: 'allow' }],
    person: { approve: async ({ args }) => (asked.push(args), { allow: 'once' }) },
  });
  t.after(() => host.close());
  const nested = (levels: number, inner: unknown): unknown => {
    let value = inner;
    for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { path: value };
    return value;
  };
  for (const levels of [200, 1_000, 5_000, 200_000]) {
    for (const inner of ['/etc/passwd', '/home/x', 1]) {
      await assert.rejects(host.call('s/t', { path: nested(levels, inner) }), { code: 'refused', message: /its arguments exceed the limit of 200 levels/ });
    }
  }
  assert.deepEqual([ran, asked], [0, []]);
  const listed = (inner: unknown): unknown => Array.from({ length: 150 }).reduce((value) => [value], inner);
  await assert.rejects(host.call('s/t', { path: listed('/etc/passwd') }), { code: 'refused', message: /a rule denies it/ });
  assert.ok(await host.call('s/t', { path: listed(1) }));
  assert.equal(ran, 1);
});

test('bounds: one line of the log is redacted in linear time, whatever is in it', async () => {
  const attacks = ['eyJ-', 'bearer ', 'eyJaaaaaaaa.', 'sk_', 'a.', '_', '\ud83d', 'basic\t', 'xoxa', 'eyJaaaaaaaa.eyJaaaaaaaa.'];
  for (const piece of attacks) {
    const text = piece.repeat(4_000 / piece.length);
    const spent = await work(() => redact({ list: Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => text)) }));
    assert.ok(spent < 1_000, `${piece}: ${spent} ms`);
  }
  const circle: Record<string, unknown> = {};
  for (let i = 0; i < 200; i++) circle[`m${i}`] = circle;
  const spent = await work(() => redact(circle));
  assert.ok(spent < 1_000, `${spent} ms`);
});

test('bounds: of a host are its options', async (t) => {
  const { host, errors } = hostOf(t, () => [tool('a'), tool('abc'), tool('b', { description: 'x'.repeat(80) })], { limits: { maxNameChars: 2, maxDefinitionChars: 80 } });
  assert.deepEqual((await host.tools()).map(({ tool: { name } }) => name), ['a']);
  assert.match(errors.join(), /"abc" has 3 characters, and 2 are allowed; "b" takes 141 characters, and 80 are allowed/);
});
