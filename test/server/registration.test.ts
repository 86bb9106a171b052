import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpServer, tools } from '../../src/server/index.ts';
import { connect } from './peer.ts';
import type { Answer, Bag } from './peer.ts';

const info = { name: 'test', version: '1' };
const revision = '2025-11-25';
const names = ({ result }: Answer, list: string = 'tools'): unknown[] =>
  (result?.[list] as Bag[]).map(({ name }) => name);

test('a handle changes and removes what was registered, and the list follows', async () => {
  const server = new McpServer(info);
  const handle = server.tool('one', { description: 'before' }, () => '1');
  server.tool('two', {}, () => '2');
  const peer = await connect(server, { revision });
  handle.update({ description: 'after' });
  const { result } = await peer.request('tools/list');
  assert.deepEqual((result?.['tools'] as Bag[]).map(({ name, description }) => [name, description]), [
    ['one', 'after'], ['two', undefined],
  ]);
  handle.remove();
  handle.remove();
  assert.deepEqual(names(await peer.request('tools/list')), ['two']);
  assert.equal((await peer.call('one')).error?.code, -32602);
  assert.throws(() => handle.update({}), /"one" is not registered any more/);
});

test('a handle whose entry is gone does not touch a later one of the same name', async () => {
  const server = new McpServer(info);
  const gone = server.tool('one', {}, () => 'old');
  gone.remove();
  server.tool('one', {}, () => 'new');
  gone.remove();
  assert.throws(() => gone.update({}), /"one" is not registered any more/);
  const peer = await connect(server, { revision });
  assert.deepEqual(names(await peer.request('tools/list')), ['one']);
});

test('what is registered later is declared to clients that come later', async () => {
  const server = new McpServer(info);
  const offered = async (): Promise<string[]> => {
    const peer = await connect(server);
    const { result } = await peer.request('initialize', {
      protocolVersion: revision, capabilities: {}, clientInfo: info,
    });
    return Object.keys(result?.['capabilities'] as Bag).sort();
  };
  assert.deepEqual(await offered(), ['logging']);
  server.tool('one', {}, () => '');
  assert.deepEqual(await offered(), ['logging', 'tools']);
  server.prompt('ask', { arguments: { word: { complete: () => ['a'] } } }, () => '').remove();
  assert.deepEqual(await offered(), ['logging', 'prompts', 'tools']);
  const modern = await connect(server, { revision });
  const extensions = async (): Promise<unknown> =>
    ((await modern.modern('server/discover')).result?.['capabilities'] as Bag)['extensions'];
  assert.equal(await extensions(), undefined);
  server.extend({ id: 'com.example/late' });
  assert.deepEqual(await extensions(), { 'com.example/late': {} });
});

test('an update that cannot be leaves everything as it was', async () => {
  const server = new McpServer(info);
  const handle = server.tool(
    'one', { input: { type: 'object', properties: { a: { type: 'string' } } } }, ({ a }) => `${a}`,
  );
  assert.throws(() => handle.update({ input: { type: 'array' } }), /tool "one"\.definition\.input\.type is invalid, expected "object", not "array"/);
  const peer = await connect(server, { revision });
  assert.equal((await peer.call('one', { a: 1 })).result?.['isError'], true);
  handle.update({ description: 'new' });
  assert.equal((await peer.call('one', { a: 1 })).result?.['isError'], true);
});

test('changes in one turn are one notification for each list, and not before the client is ready', async () => {
  const server = new McpServer(info);
  const peer = await connect(server);
  const early = server.tool('early', {}, () => '');
  server.resource('note://one', {}, () => '');
  await peer.request('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: info });
  early.update({ description: 'between' });
  assert.deepEqual(await peer.rest(), []);
  peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  for (let count = 0; count < 10; count++) server.tool(`tool ${count}`, {}, () => '');
  server.resource('note://two', {}, () => '');
  server.resourceTemplate('note://{name}', {}, () => '');
  early.remove();
  assert.deepEqual((await peer.rest()).map(({ method }) => method), [
    'notifications/tools/list_changed', 'notifications/resources/list_changed',
  ]);
  // 2025-11-25 basic/lifecycle#operation: changes of a capability that the handshake did not declare are not announced.
  server.prompt('p', {}, () => '');
  assert.deepEqual(await peer.rest(), []);
  const informed = await connect(server, { revision });
  server.prompt('q', {}, () => '');
  assert.deepEqual((await informed.rest()).map(({ method }) => method), ['notifications/prompts/list_changed']);
  assert.deepEqual(await peer.rest(), []);
});

test('whoever has gone is told nothing', async () => {
  const server = new McpServer(info);
  server.resource('note://one', {}, () => '');
  const peer = await connect(server, { revision });
  await peer.request('resources/subscribe', { uri: 'note://one' });
  peer.close();
  server.tool('late', {}, () => '');
  server.resourceUpdated('note://one');
  assert.deepEqual(await peer.rest(), []);
});

test('a name is taken once', () => {
  const server = new McpServer(info);
  server.tool('one', {}, () => '');
  assert.throws(() => server.tool('one', {}, () => ''), /tool "one" is already registered/);
  server.resource('note://one', {}, () => '');
  assert.throws(() => server.resource('note://one', {}, () => ''), /resource "note:\/\/one" is already registered/);
  // Also before there is a server.
  const early = tools();
  early.add('one', {}, () => '');
  assert.throws(() => early.add('one', {}, () => ''), /tool "one" is already registered/);
});

test('names of the prototype are names like any other', async () => {
  const server = new McpServer(info);
  const peer = await connect(server, { revision });
  server.tool('other', {}, () => '');
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    assert.deepEqual(await peer.call(name), {
      jsonrpc: '2.0', id: (await peer.call('other')).id as number - 1,
      error: { code: -32602, message: `Unknown tool: ${name}` },
    });
    server.tool(name, {}, () => `this is ${name}`);
    assert.deepEqual((await peer.call(name)).result, { content: [{ type: 'text', text: `this is ${name}` }] });
    server.prompt(name, { arguments: { [name]: { required: true } } }, (args) => `${Object.keys(args)}`);
    const missing = await peer.request('prompts/get', { name, arguments: {} });
    assert.equal(missing.error?.message, `Invalid params: params.arguments.${name} is missing`);
    assert.equal((await peer.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'none' }, argument: { name, value: '' },
    })).error?.code, -32601);
  }
  assert.equal(({} as Bag)['polluted'], undefined);
});

test('arguments called __proto__ and constructor stay arguments', async () => {
  const server = new McpServer(info);
  server.tool('keys', { input: { type: 'object', additionalProperties: true } }, (args) =>
    `${Object.keys(args)} ${Object.getPrototypeOf(args) === Object.prototype} ${'polluted' in args}`);
  server.tool('none', {}, () => 'nothing');
  const peer = await connect(server, { revision });
  peer.text('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"keys","arguments":{"__proto__":{"polluted":1},"constructor":2}}}');
  assert.deepEqual((await peer.next() as unknown as Answer).result, {
    content: [{ type: 'text', text: '__proto__,constructor true false' }],
  });
  assert.equal(({} as Bag)['polluted'], undefined);
});

test('pages neither repeat nor hide what is there all the time, whatever comes and goes between them', async () => {
  const server = new McpServer(info, { pageSize: 2 });
  const handles = new Map(['a', 'b', 'c', 'd', 'e'].map((name) => [name, server.tool(name, {}, () => name)]));
  const peer = await connect(server, { revision });
  const first = await peer.request('tools/list');
  assert.deepEqual(names(first), ['a', 'b']);
  handles.get('a')?.remove();
  handles.get('b')?.remove();
  handles.get('d')?.update({ description: 'new' });
  server.tool('f', {}, () => 'f');
  const second = await peer.request('tools/list', { cursor: first.result?.['nextCursor'] });
  assert.deepEqual(names(second), ['c', 'd']);
  handles.get('e')?.remove();
  const third = await peer.request('tools/list', { cursor: second.result?.['nextCursor'] });
  assert.deepEqual(names(third), ['f']);
  assert.equal('nextCursor' in (third.result ?? {}), false);
  for (const cursor of ['', '0', 'zzz', 1, null, {}]) {
    assert.equal(
      (await peer.request('tools/list', { cursor })).error?.code,
      -32602,
      `cursor ${JSON.stringify(cursor)}`,
    );
  }
});

test('a list that was sent to one revision is not sent to another', async () => {
  const server = new McpServer(info);
  server.tool('one', { title: 'One', annotations: { readOnlyHint: true } }, () => '1');
  const old = await connect(server, { revision: '2024-11-05' });
  const current = await connect(server, { revision });
  const keys = ({ result }: Answer): string[] => Object.keys((result?.['tools'] as Bag[])[0] ?? {}).sort();
  for (let times = 0; times < 2; times++) {
    assert.deepEqual(keys(await old.request('tools/list')), ['inputSchema', 'name']);
    assert.deepEqual(keys(await current.request('tools/list')), ['annotations', 'inputSchema', 'name', 'title']);
    assert.deepEqual(Object.keys((await current.modern('tools/list')).result ?? {}).sort(), [
      '_meta', 'cacheScope', 'resultType', 'tools', 'ttlMs',
    ]);
    assert.deepEqual(Object.keys((await old.request('tools/list')).result ?? {}), ['tools']);
  }
  // Each member appears from the revision on that defines it.
  const whole = new McpServer(info);
  whole.tool('all', {
    title: 'All', description: 'd', annotations: { readOnlyHint: true }, icons: [{ src: 'https://x.example/i.png' }], _meta: { 'example.com/a': 1 }, output: { type: 'object' },
    execution: { taskSupport: 'optional' },
  }, () => ({
    resultType: 'complete', structuredContent: {},
    content: [{ type: 'audio', data: '', mimeType: 'audio/wav' }, { type: 'resource_link', uri: 'a:b', name: 'b' }],
  }));
  whole.prompt('all', {}, () => [
    { role: 'user', content: { type: 'audio', data: '', mimeType: 'audio/wav' } }, { role: 'user', content: { type: 'resource_link', uri: 'a:b', name: 'b' } },
  ]);
  const members = ['description', 'inputSchema', 'name'];
  for (const [version, more, ...content] of [
    ['2024-11-05', [], 'text', 'text'], ['2025-03-26', ['annotations'], 'audio', 'text'],
    ['2025-06-18', ['_meta', 'outputSchema', 'title'], 'audio', 'resource_link'], ['2025-11-25', ['execution', 'icons'], 'audio', 'resource_link'],
  ] as const) {
    members.push(...more);
    const peer = await connect(whole, { revision: version });
    assert.deepEqual(keys(await peer.request('tools/list')), members.toSorted(), version);
    const { result } = await peer.call('all');
    assert.deepEqual((result?.['content'] as Bag[]).map(({ type }) => type), content, version);
    const messages = (await peer.request('prompts/get', { name: 'all' })).result?.['messages'] as { content: Bag }[];
    assert.deepEqual(messages.map(({ content: { type } }) => type), content, version);
    assert.deepEqual(Object.keys(result ?? {}).sort(), ['content', ...version < '2025-06-18' ? [] : ['structuredContent']], version);
  }
});

test('suggestions are cut at a hundred, and counted', async () => {
  const server = new McpServer(info);
  server.prompt('p', {
    arguments: { n: { complete: async () => Array.from({ length: 150 }, (_, index) => `${index}`) } },
  }, () => '');
  const peer = await connect(server, { revision });
  const { result } = await peer.request('completion/complete', {
    ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'n', value: '' },
  });
  const { values, ...rest } = result?.['completion'] as { values: string[] };
  assert.equal(values.length, 100);
  assert.deepEqual(rest, { total: 150, hasMore: true });
});

test('capabilities are what there is to have, and are not taken back', async () => {
  const server = new McpServer(info);
  const handle = server.tool('one', {}, () => '');
  handle.remove();
  const peer = await connect(server);
  const { result } = await peer.request('initialize', {
    protocolVersion: revision, capabilities: {}, clientInfo: info,
  });
  assert.deepEqual(result?.['capabilities'], { logging: {}, tools: { listChanged: true } });
  assert.equal((await peer.request('resources/list')).error?.code, -32601);
  assert.equal((await peer.request('resources/subscribe', { uri: 'note://one' })).error?.code, -32601);
});

test('a server declares each thing that it has, and nothing else', async () => {
  const complete = () => ['a'];
  const kinds: Record<string, [(server: McpServer) => unknown, Record<string, unknown>]> = {
    nothing: [() => {}, {}],
    tools: [(server) => server.tool('t', {}, () => ''), { tools: { listChanged: true } }],
    prompts: [(server) => server.prompt('p', {}, () => ''), { prompts: { listChanged: true } }],
    resources: [(server) => server.resource('a:b', {}, () => ''), { resources: { subscribe: true, listChanged: true } }],
    templates: [(server) => server.resourceTemplate('a:{b}', {}, () => ''), { resources: { subscribe: true, listChanged: true } }],
    'completions of prompts': [
      (server) => server.prompt('p', { arguments: { a: { complete } } }, () => ''), { prompts: { listChanged: true }, completions: {} },
    ],
    'completions of another argument': [
      (server) => server.prompt('p', { arguments: { b: {}, a: { complete } } }, () => ''), { prompts: { listChanged: true }, completions: {} },
    ],
    'completions of templates': [
      (server) => server.resourceTemplate('a:{b}', { complete: { b: complete } }, () => ''), { resources: { subscribe: true, listChanged: true }, completions: {} },
    ],
  };
  for (const [kind, [register, declared]] of Object.entries(kinds)) {
    const server = new McpServer(info);
    register(server);
    const peer = await connect(server);
    const asked = kind === 'completions of templates' ? { ref: { type: 'ref/resource', uri: 'a:{b}' }, argument: { name: 'b', value: '' } }
      : { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } };
    const old = await connect(server, { revision });
    for (const ask of [peer.modern, old.request]) {
      assert.equal((await ask('completion/complete', asked)).error?.code, kind.startsWith('completions') ? undefined : -32601, kind);
    }
    assert.deepEqual((await peer.modern('server/discover')).result?.['capabilities'], { logging: {}, ...declared });
    const { result } = await peer.request('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: info });
    assert.deepEqual(result?.['capabilities'], { logging: {}, ...declared });
  }
});

test('definitions that cannot be are refused when they are made', () => {
  const server = new McpServer(info);
  assert.throws(
    () => server.tool('a', { input: { type: 'array' } }, () => ''),
    /tool "a"\.definition\.input\.type is invalid, expected "object", not "array"/,
  );
  assert.throws(
    () => server.tool('a', { input: { type: 'object', properties: { b: { minLength: 'one' } } } as unknown as { type: 'object' } }, () => ''),
    /#\/properties\/b\/minLength: must be a whole number from 0/,
  );
  // 2026-07-28 server/tools#tool: must be a JSON Schema object, and not null.
  for (const input of [null, 'object', 7, true, [], {}]) {
    assert.throws(() => server.tool('a', { input: input as never }, () => ''), /tool "a"\.definition\.input(?:\.type)? is (?:invalid|missing)/, JSON.stringify(input));
  }
  // 2025-11-25 basic/index#schema-validation, 2026-07-28 basic/index#ref-resolution: of arguments and of results alike.
  for (const part of ['input', 'output'] as const) {
    const define = (b: object, more: object = {}): unknown => server.tool('a', { [part]: { type: 'object', properties: { b }, ...more } }, () => '');
    assert.throws(() => define({ minLength: 'one' }), /#\/properties\/b\/minLength: must be a whole number from 0/);
    for (const $ref of ['#/$defs/none', 'https://example.com/schema', 'file:///schema.json']) assert.throws(() => define({ $ref }), { code: 'reference' });
    const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#' };
    assert.throws(() => define({ prefixItems: [] }, draft07), /"prefixItems" is not in the small dialect/);
    assert.throws(() => define({}, { $schema: 'http://json-schema.org/draft-04/schema#' }), /draft-04/);
  }
  assert.throws(() => server.resourceTemplate('note://{', {}, () => ''), /template/i);
  assert.throws(() => new McpServer(info, { revisions: ['2025-06-19'] }), RangeError);
});

const wellFormed = {
  'a': 1, 'a_b.c-d': 1, 'com.example/': 1, 'com.example/name': 1, 'io.modelcontextprotocol/ui': 1, 'x9-y.z/0': 1, '': 1,
};
const malformed = [
  'a_b/c', 'a~b/c', 'a:b/c', '_a', '-a', 'a-', 'a b', 'é', '/a', '.a/b', '1a/b', '-a/b', 'a-/b', 'a..b/c', 'a./b', 'a/b/c', 'a/_b', 'a/-b', 'a/b.', 'a/b-',
  'a.b_c/d', 'a.1b/c', 'a.-b/c', 'a.b-/c', 'a.b-.c/d',
];

// 2025-06-18 basic/index#_meta.
test('a definition with a malformed key in `_meta` is refused, at its registration and at its update', () => {
  for (const key of [...Object.keys(wellFormed), ...malformed]) {
    const server = new McpServer(info);
    const _meta = { good: 1, [key]: 1 };
    const registrations: [string, (meta: object) => { update(changes: object): void }][] = [
      ['tool "t"', (meta) => server.tool('t', meta, () => '')],
      ['prompt "p"', (meta) => server.prompt('p', meta, () => '')],
      ['resource "a:b"', (meta) => server.resource('a:b', meta, () => '')],
      ['resource template "a:{b}"', (meta) => server.resourceTemplate('a:{b}', meta, () => '')],
    ];
    for (const [what, register] of registrations) {
      if (!malformed.includes(key)) {
        register({ _meta });
        continue;
      }
      const refusal = { name: 'TypeError', message: `${what}: _meta has the malformed key ${JSON.stringify(key)}` };
      assert.throws(() => register({ _meta }), refusal);
      const handle = register({});
      assert.throws(() => handle.update({ _meta }), refusal);
    }
  }
});

// 2025-06-18 basic/index#_meta.
test('the author hears once of each malformed key in the `_meta` of a result, which goes out as it is', async () => {
  const heard: string[] = [];
  const server = new McpServer(info, {
    onError: ({ message }, { what, name, request }) => heard.push(`${what} ${name} (${request?.method}): ${message}`),
  });
  const bad = (key: string): object => ({ _meta: { [key]: 1, ...wellFormed } });
  const text = { type: 'text', text: '' } as const;
  const resource = { uri: 'a:b', text: '', ...bad('_embedded') };
  server.tool('t', {}, () => ({ content: [{ ...text, ...bad('_block') }, { type: 'resource', resource }], ...bad('_result') }));
  server.tool('later', {}, async () => ({ ...text, ...bad('_later') }));
  server.prompt('p', {}, () => [{ role: 'user', content: { ...text, ...bad('_message') } }]);
  server.resource('a:b', {}, (uri) => ({ uri, text: '', ...bad('com.example_/contents') }));
  const peer = await connect(server);
  for (let time = 0; time < 2; time++) {
    const { result } = await peer.modern('tools/call', { name: 't' });
    assert.equal((result?.['_meta'] as Bag)['_result'], 1);
    await peer.modern('tools/call', { name: 'later' });
    await peer.modern('prompts/get', { name: 'p' });
    await peer.modern('resources/read', { uri: 'a:b' });
  }
  const told = (place: string, key: string): string => `result ${place}: _meta has the malformed key "${key}"`;
  assert.deepEqual(heard, [
    told('t (tools/call)', '_result'), told('t (tools/call)', '_block'), told('t (tools/call)', '_embedded'),
    told('later (tools/call)', '_later'), told('p (prompts/get)', '_message'), told('a:b (resources/read)', 'com.example_/contents'),
  ]);
});

test('keys that are made up anew for each result do not fill the memory of the server', async () => {
  let calls = 0;
  let heard = 0;
  const server = new McpServer(info, { onError: () => heard++ });
  server.tool('t', {}, () => ({ content: [], _meta: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`_${calls}.${i}`, 1])) }));
  const peer = await connect(server, { revision });
  for (; calls < 5; calls++) await peer.call('t');
  assert.equal(heard, 1000);
});

test('a key of 257 characters is not looked at, because it would be kept', async () => {
  const heard: string[] = [];
  const server = new McpServer(info, { onError: ({ message }) => heard.push(message.slice(0, 32)) });
  server.tool('t', {}, () => ({ content: [], _meta: { [`_${'x'.repeat(256)}`]: 1, [`_${'x'.repeat(255)}`]: 1 } }));
  await (await connect(server, { revision })).call('t');
  assert.deepEqual(heard, ['_meta has the malformed key "_xx']);
});
