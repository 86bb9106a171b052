import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseTranscript } from '../../src/transcript/transcript.ts';
import { errorCodes, McpServer, prompts, resources, ServerCore, tools } from '../../src/server/index.ts';
import type { RpcError } from '../../src/server/index.ts';
import { accept, connect, everything, modernMeta, textOf } from '../server/peer.ts';
import type { Answer, Bag } from '../server/peer.ts';

// Rules of requirements/*.tsv that the server keeps by design, each in a case that would show a violation.

const info = { name: 'test', version: '1' };
const revision = '2025-11-25';
/** The sources of the library, without the judge. */
function* sources(): Generator<[name: string, text: string]> {
  const folder = fileURLToPath(new URL('../../../src/', import.meta.url));
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.ts') && !name.startsWith('judge')) yield [name, readFileSync(folder + name, 'utf8')];
  }
}
const sampled = { role: 'assistant', content: { type: 'text', text: 'ok' }, model: 'm' };

// 2026-07-28 server/tools#capabilities, server/prompts#capabilities, server/resources#capabilities.
test('lists do not differ from connection to connection', async () => {
  const server = new McpServer(info);
  for (const name of ['b', 'c', 'a']) {
    server.tool(name, {}, () => '');
    server.prompt(name, {}, () => '');
    server.resource(`a:${name}`, {}, () => '');
    server.resourceTemplate(`${name}:{x}`, {}, () => '');
  }
  const busy = await connect(server, { version: '2' });
  await busy.modern('tools/call', { name: 'a' });
  await busy.modern('prompts/get', { name: 'a' });
  await busy.modern('resources/read', { uri: 'a:b' });
  const fresh = await connect(server, { capabilities: {} });
  for (const [method, list, names] of [
    ['tools/list', 'tools', ['b', 'c', 'a']], ['prompts/list', 'prompts', ['b', 'c', 'a']], ['resources/list', 'resources', ['a:b', 'a:c', 'a:a']],
    ['resources/templates/list', 'resourceTemplates', ['b:{x}', 'c:{x}', 'a:{x}']],
  ] as const) {
    for (const peer of [busy, fresh, busy]) {
      const { result } = await peer.modern(method, {}, peer === fresh ? {} : undefined);
      assert.deepEqual((result?.[list] as Bag[]).map(({ name }) => name), names, method);
    }
  }
});

// The same sections as above.
test('each list holds what there is at that time for the caller', async () => {
  interface Entry {
    update(changes: { data: Bag }): void;
    remove(): void;
  }
  const kinds: readonly (readonly [method: string, list: string, add: (server: McpServer, name: string, data: Bag) => Entry])[] = [
    ['tools/list', 'tools', (server, name, data) => server.tool(name, { data }, () => '')],
    ['prompts/list', 'prompts', (server, name, data) => server.prompt(name, { data }, () => '')],
    ['resources/list', 'resources', (server, name, data) => server.resource(`a:${name}`, { name, data }, () => '')],
    ['resources/templates/list', 'resourceTemplates', (server, name, data) => server.resourceTemplate(`${name}:{x}`, { name, data }, () => '')],
  ];
  for (const [method, list, add] of kinds) {
    const server = new McpServer(info, { listFilter: {
      key: ({ auth }) => auth?.principal ?? '',
      shows: (_kind, _name, definition, { auth }) => auth?.principal === 'owner' || !(definition as { data?: Bag }).data?.['hidden'],
    } });
    const [first, hidden] = [add(server, 'a', {}), add(server, 'b', { hidden: true })];
    const [owner, guest] = [await connect(server, { auth: { principal: 'owner' } }), await connect(server, { auth: { principal: 'guest' } })];
    const holds = async (...expected: readonly (readonly string[])[]): Promise<void> => {
      for (const [at, peer] of [owner, guest, owner, guest].entries()) {
        const { result } = await peer.modern(method);
        assert.deepEqual((result?.[list] as Bag[]).map(({ name }) => name), expected[at % 2], method);
      }
    };
    await holds(['a', 'b'], ['a']);
    first.remove();
    await holds(['b'], []);
    add(server, 'c', {});
    await holds(['b', 'c'], ['c']);
    hidden.update({ data: {} });
    await holds(['b', 'c'], ['b', 'c']);
  }
});

const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'] as const;

/** A server with three entries in each list, one per page. */
function threeOfEach(options: Partial<ConstructorParameters<typeof McpServer>[1]> = {}): McpServer {
  const server = new McpServer(info, { pageSize: 1, ...options });
  for (const name of ['a', 'b', 'c']) {
    server.tool(name, {}, () => '');
    server.prompt(name, {}, () => '');
    server.resource(`${name}:x`, {}, () => '');
    server.resourceTemplate(`${name}:{x}`, {}, () => '');
  }
  return server;
}

// 2026-07-28 server/utilities/caching#cacheable-results, #interaction-with-pagination.
test('each page of each list says how long and for whom it may be kept, and has the scope of the first', async () => {
  for (const scope of ['public', 'private', undefined] as const) {
    const hint = scope && { ttlMs: 1000, scope };
    const peer = await connect(threeOfEach(hint && { cache: { tools: hint, prompts: hint, resources: hint, resourceTemplates: hint } }));
    for (const method of lists) {
      const hints: unknown[] = [];
      let cursor: unknown;
      do {
        const { result } = await peer.modern(method, cursor === undefined ? {} : { cursor });
        hints.push([result?.['resultType'], result?.['ttlMs'], result?.['cacheScope']]);
        cursor = result?.['nextCursor'];
      } while (cursor !== undefined);
      assert.deepEqual(hints, Array(3).fill(['complete', scope ? 1000 : 0, scope ?? 'private']), method);
    }
  }
  // A list that is filtered by requester must not be shared.
  const hint = { ttlMs: 1000, scope: 'public' } as const;
  const peer = await connect(threeOfEach({
    cache: { tools: hint, prompts: hint, resources: hint, resourceTemplates: hint }, listFilter: { key: () => 'all', shows: () => true },
  }));
  for (const method of lists) {
    let cursor: unknown;
    for (let page = 0; page < 3; page++) {
      const { result } = await peer.modern(method, cursor === undefined ? {} : { cursor });
      assert.deepEqual([result?.['ttlMs'], result?.['cacheScope']], [1000, 'private'], method);
      cursor = result?.['nextCursor'];
    }
  }
  // A server without hints declares that nothing may be cached.
  const [called, given, kept] = [tools(), prompts(), resources()];
  const plain = await connect(new ServerCore(info, { features: [called, given, kept] }));
  called.add('a', {}, () => '');
  given.add('a', {}, () => '');
  kept.add('a:b', {}, () => '');
  for (const method of ['server/discover', 'tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read']) {
    const { result } = await plain.modern(method, method === 'resources/read' ? { uri: 'a:b' } : {});
    assert.deepEqual([result?.['ttlMs'], result?.['cacheScope']], [0, 'private'], method);
  }
});

// Each revision, server/utilities/pagination#error-handling.
test('an invalid cursor of each list is -32602', async () => {
  const server = threeOfEach();
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', undefined]) {
    const peer = await connect(server, revision === undefined ? {} : { revision });
    for (const method of lists) {
      for (const cursor of ['', 'page2', '1', 7, null, {}, []]) {
        const { error } = await (revision === undefined ? peer.modern(method, { cursor }) : peer.request(method, { cursor }));
        assert.equal(error?.code, -32602, `${method} ${JSON.stringify(cursor)}`);
      }
    }
  }
});

// Each revision, server/utilities/pagination#implementation-guidelines: cursors are stable.
test('a cursor of each list holds while entries come and go', async () => {
  const server = new McpServer(info, { pageSize: 2 });
  const add = (name: string): { remove(): void }[] => [
    server.tool(name, {}, () => ''), server.prompt(name, {}, () => ''), server.resource(`${name}:x`, {}, () => ''),
    server.resourceTemplate(`${name}:{x}`, {}, () => ''),
  ];
  const [a, b] = ['a', 'b', 'c'].map(add);
  const peer = await connect(server);
  const page = async (method: string, cursor?: unknown): Promise<[names: string, nextCursor: unknown]> => {
    const { result = {} } = await peer.modern(method, cursor === undefined ? {} : { cursor });
    const [items] = Object.values(result).filter(Array.isArray) as Bag[][];
    return [(items ?? []).map(({ name }) => `${name}`.slice(0, 1)).join(''), result['nextCursor']];
  };
  const cursors = new Map<string, unknown>();
  for (const method of lists) {
    const [names, cursor] = await page(method);
    assert.equal(names, 'ab', method);
    cursors.set(method, cursor);
  }
  for (const entry of [...a ?? [], ...b ?? []]) entry.remove();
  add('d');
  for (const [method, cursor] of cursors) assert.deepEqual(await page(method, cursor), ['cd', undefined], method);
});

// Each revision with pings, basic/utilities/ping#behavior-requirements.
test('a ping is answered at once with nothing in its result, before the handshake and while a call runs', async () => {
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const server = new McpServer(info);
    server.tool('wait', {}, () => new Promise(() => {}));
    const early = await connect(server);
    assert.deepEqual((await early.request('ping')).result, {});
    const peer = await connect(server, { revision });
    void peer.call('wait');
    assert.deepEqual((await peer.request('ping')).result, {}, revision);
    assert.deepEqual(await peer.rest(), []);
    peer.close();
  }
});

// 2026-07-28 basic/patterns/subscriptions#opening-a-stream.
test('a subscription tells of what it asked for, and of nothing else, whatever changes', async () => {
  const server = new McpServer(info);
  const add = (name: string): void => {
    server.tool(name, {}, () => '');
    server.prompt(name, {}, () => '');
    server.resource(`${name}:x`, {}, () => '');
  };
  add('a');
  const changed = (list: string): string => `notifications/${list}/list_changed`;
  const wanted: [filter: Bag, methods: string[]][] = [
    [{}, []],
    [{ toolsListChanged: false, promptsListChanged: false, resourcesListChanged: false, resourceSubscriptions: [] }, []],
    [{ toolsListChanged: true }, [changed('tools')]],
    [{ promptsListChanged: true }, [changed('prompts')]],
    [{ resourcesListChanged: true }, [changed('resources')]],
    [{ resourceSubscriptions: ['a:x'] }, ['notifications/resources/updated']],
    [{ resourceSubscriptions: ['b:x'] }, []],
  ];
  const peers = await Promise.all(wanted.map(() => connect(server)));
  for (const [at, peer] of peers.entries()) {
    void peer.modern('subscriptions/listen', { notifications: wanted[at]?.[0] });
    assert.equal((await peer.next()).method, 'notifications/subscriptions/acknowledged');
  }
  add('c');
  server.resourceUpdated('a:x');
  for (const [at, peer] of peers.entries()) {
    assert.deepEqual((await peer.rest()).map(({ method }) => method), wanted[at]?.[1], JSON.stringify(wanted[at]?.[0]));
  }
  // A change in the same turn is sent after the acknowledgement.
  const hasty = await connect(server);
  void hasty.modern('subscriptions/listen', { notifications: { resourceSubscriptions: ['a:x'] } });
  server.resourceUpdated('a:x');
  assert.deepEqual((await hasty.rest()).map(({ method }) => method), ['notifications/subscriptions/acknowledged', 'notifications/resources/updated']);
});

// 2025-11-25 server/tools#tool-names.
test('names of tools differ by case', async () => {
  const server = new McpServer(info);
  server.tool('Book', {}, () => 'upper');
  server.tool('book', {}, () => 'lower');
  const peer = await connect(server, { revision });
  assert.deepEqual([textOf(await peer.call('Book')), textOf(await peer.call('book'))], ['upper', 'lower']);
  assert.match(textOf(await peer.call('BOOK')), /^error -32602/);
});

// 2025-11-25 basic/lifecycle#operation: only negotiated capabilities may be used.
test('a list that was not declared does not change for that client', async () => {
  const server = new McpServer(info);
  const before = await connect(server, { revision });
  server.tool('one', {}, () => '');
  const after = await connect(server, { revision });
  server.tool('two', {}, () => '');
  assert.equal((await after.next()).method, 'notifications/tools/list_changed');
  assert.deepEqual(await before.rest(), []);
});

// 2025-11-25 server/prompts#implementation-considerations.
test('arguments of a prompt are named strings', async () => {
  const server = new McpServer(info);
  server.prompt('plan', { arguments: { note: {}, city: { required: true }, day: { required: true } } }, ({ city, day }) => `to ${city} on ${day}`);
  const peer = await connect(server, { revision });
  for (const [given, says] of [
    [[], /arguments must be an object/], [{ city: 7, day: '1' }, /arguments\.city must be a string/], [{ city: 'Rome', day: 7 }, /arguments\.day must be a string/],
    [{ city: 'Rome', day: '1', note: null }, /arguments\.note must be a string/], [{}, /arguments\.city is missing/], [undefined, /arguments\.city is missing/],
    [{ city: 'Rome' }, /arguments\.day is missing/],
  ] as const) {
    for (const ask of [peer.request, peer.modern]) {
      const { error } = await ask('prompts/get', { name: 'plan', ...given && { arguments: given } });
      assert.equal(error?.code, -32602);
      assert.match(error.message, says);
    }
  }
});

// 2026-07-28 server/utilities/logging#per-request-log-level.
test('a request without a level gets no log message, whatever its severity and whichever handler logs', async () => {
  const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
  const server = new McpServer(info);
  const log = (ctx: { log(level: (typeof levels)[number], data: unknown): void }): string => {
    for (const level of levels) ctx.log(level, level);
    return '';
  };
  server.tool('t', {}, (_, ctx) => log(ctx));
  server.prompt('p', {}, (_, ctx) => log(ctx));
  server.resource('a:b', {}, (_, ctx) => log(ctx));
  const peer = await connect(server);
  for (const [method, params] of [['tools/call', { name: 't' }], ['prompts/get', { name: 'p' }], ['resources/read', { uri: 'a:b' }]] as const) {
    assert.equal((await peer.modern(method, params)).error, undefined);
    assert.deepEqual(await peer.rest(), []);
    for (const [at, level] of levels.entries()) {
      await peer.request(method, { ...params, _meta: { ...modernMeta(), 'io.modelcontextprotocol/logLevel': level } });
      assert.deepEqual((await peer.rest()).map((said) => said.params?.['data']), levels.slice(at), level);
    }
  }
});

// Each revision until 2025-11-25, server/utilities/logging#error-handling.
test('logging/setLevel refuses what is no level with -32602, and the level before stays', async () => {
  const server = new McpServer(info);
  server.tool('log', {}, (_, ctx) => {
    for (const level of ['info', 'error'] as const) ctx.log(level, level);
    return '';
  });
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', revision]) {
    const peer = await connect(server, { revision: version });
    assert.deepEqual((await peer.request('logging/setLevel', { level: 'error' })).result, {});
    for (const level of ['loud', '', 'INFO', ' info', 7, null, undefined, {}, ['info']]) {
      assert.equal((await peer.request('logging/setLevel', { level })).error?.code, -32602, JSON.stringify(level));
    }
    await peer.call('log');
    assert.deepEqual((await peer.rest()).map(({ params }) => params?.['data']), ['error']);
  }
});

// 2025-11-25 server/prompts#security: a handler's result is checked before it is sent.
test('messages of a prompt have a role and content, and what else a handler returns reaches nobody', async () => {
  const errors: Error[] = [];
  const server = new McpServer(info, { onError: (error) => errors.push(error) });
  const content = { type: 'text', text: 'go' } as const;
  const good = [{ role: 'user', content }, { role: 'assistant', content }] as const;
  let returned: unknown = good;
  server.prompt('plan', {}, () => returned as string);
  const peer = await connect(server, { revision });
  assert.deepEqual((await peer.request('prompts/get', { name: 'plan' })).result?.['messages'], good);
  for (const wrong of [
    { role: 'system', content }, { role: 'user' }, { role: 'user', content: 'go' }, { role: 'user', content: [content] }, { content }, null, 'go',
  ]) {
    returned = { messages: [good[0], wrong] };
    const { error } = await peer.request('prompts/get', { name: 'plan' });
    assert.match(error?.message ?? '', /^plan failed \(id /, JSON.stringify(wrong));
    assert.match(errors.pop()?.message ?? '', /^the handler returned messages\[1\] without role or content/);
  }
});

// 2025-11-25 server/resources#custom-uri-schemes.
test('a resource has a URI with a scheme', () => {
  const server = new McpServer(info);
  for (const uri of ['', 'not a uri', '1a:x', '/etc/passwd', 'a b:x', 'a/b:c', 'a_b:c', ':x', 'a:b c', 'a:b\n', 'a:"b"', 'a:b<c>']) {
    assert.throws(() => server.resource(uri, {}, () => ''), /not a URI \(RFC 3986\)/, uri);
  }
  server.resource('a+b.c-1:x', {}, () => '');
  for (const template of ['/{path}', '1a:{path}', 'a b:{path}', '-a:{path}']) {
    assert.throws(() => server.resourceTemplate(template, {}, () => ''), /it must begin with a scheme/, template);
  }
});

// 2026-07-28 basic/index#error-codes: reserved codes are only sent with their defined meaning.
test('the codes of this library are those of the specification', () => {
  const reserved = Object.values(errorCodes).filter((code) => code >= -32768 && code <= -32000);
  assert.deepEqual(reserved.sort((a, b) => a - b), [
    -32700, -32603, -32602, -32601, -32600, -32042, -32022, -32021, -32020, -32002,
  ]);
  // No source uses another code. Bounds of a range are compared, not sent; by its extension, an app gets -32000 from its host.
  for (const [name, source] of sources()) {
    for (const [line] of source.replace(/\/\*[^]*?\*\/|\/\/.*/g, '').matchAll(/^.*-32\d{3}\b.*$/gm)) {
      const ranges = line.replace(/within\(-?\w+, -?\w+\)|[<>]=? -\d+|refusedByHost = -32000/g, '');
      for (const [code] of ranges.matchAll(/-32\d{3}\b/g)) assert.ok(reserved.includes(Number(code) as never), `${name}: ${line.trim()}`);
    }
  }
});

// 2025-11-25 basic/index#implementation-requirements.
test('the documents say which dialects of JSON Schema there are', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const page = readFileSync(`${root}docs/schemas.md`, 'utf8');
  for (const dialect of ['2020-12', 'draft-07']) assert.ok(page.includes(dialect), dialect);
});

// 2026-07-28 basic/index#_meta; 2025-11-25 client/elicitation#identifying-the-user.
test('who a client says it is gives it nothing', async () => {
  const server = new McpServer(info);
  server.tool('who', {}, (_, ctx) => ctx.auth?.principal ?? 'nobody');
  server.tool('secret', { scopes: ['admin'] }, () => 'told');
  const peer = await connect(server, { auth: { principal: 'bob' } });
  const _meta = {
    ...modernMeta(), 'io.modelcontextprotocol/clientInfo': { name: 'alice', version: '1', principal: 'alice', scopes: ['admin'] },
  };
  assert.equal(textOf(await peer.request('tools/call', { name: 'who', _meta })), 'bob');
  assert.match(textOf(await peer.request('tools/call', { name: 'secret', _meta })), /^error /);
  // Nor does the `clientInfo` of a legacy handshake.
  const legacy = await connect(server, { auth: { principal: 'bob' }, revision });
  assert.equal(textOf(await legacy.call('who')), 'bob');
  // Without authentication, the client's name is not used instead.
  assert.equal(textOf(await (await connect(server, { revision })).call('who')), 'nobody');
  const open = await connect(server);
  assert.equal(textOf(await open.request('tools/call', { name: 'who', _meta })), 'nobody');
});

// 2026-07-28 basic/index#error-codes: the receiver of a code in the server range assumes no meaning.
test('a server reads no meaning into a code of a client', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, (_args, ctx) => ctx.elicit('Name?', { name: { type: 'string' } }).then(() => 'answered', ({ message, cause }: Error) => {
    const { code, data } = cause as RpcError;
    return JSON.stringify([code, data, message]);
  }));
  const peer = await connect(server, { revision });
  for (const code of [-32000, -32001, -32002, -32019, -32020, -32022, -32042, -32099, 1]) {
    const answer = peer.call('ask');
    const { id } = await peer.next();
    peer.send({ jsonrpc: '2.0', id, error: { code, message: 'as it came', data: { why: 1 } } });
    assert.equal(textOf(await answer), JSON.stringify([code, { why: 1 }, 'elicitation/create: as it came']));
    assert.deepEqual(await peer.rest(), []);
  }
  assert.equal((await peer.request('ping')).error, undefined);
});

// Each revision, server/tools#list-changed-notification, and the same for prompts and resources.
test('each list that changes is told to whoever was promised that', async () => {
  const kinds: readonly (readonly [list: string, add: (server: McpServer, name: string) => { update(changes: { title: string }): void; remove(): void }])[] = [
    ['tools', (server, name) => server.tool(name, {}, () => '')], ['prompts', (server, name) => server.prompt(name, {}, () => '')],
    ['resources', (server, name) => server.resource(`a:${name}`, {}, () => '')], ['resources', (server, name) => server.resourceTemplate(`${name}:{x}`, {}, () => '')],
  ];
  for (const [list, add] of kinds) {
    const server = new McpServer(info);
    const one = add(server, 'one');
    const legacy = await connect(server, { revision });
    const modern = await connect(server);
    void modern.modern('subscriptions/listen', { notifications: { [`${list}ListChanged`]: true } });
    assert.equal((await modern.next()).method, 'notifications/subscriptions/acknowledged');
    for (const change of [() => void add(server, 'two'), () => one.update({ title: 'One' }), () => one.remove()]) {
      change();
      for (const peer of [legacy, modern]) {
        assert.deepEqual((await peer.rest()).map(({ method }) => method), [`notifications/${list}/list_changed`], String(change));
      }
    }
  }
});

// Each revision, server/utilities/completion#error-handling.
test('a completion without its parameters, or with others, is -32602', async () => {
  const server = new McpServer(info);
  server.prompt('p', { arguments: { a: { complete: () => ['b'] } } }, () => '');
  server.resourceTemplate('a:{b}', { complete: { b: () => ['c'] } }, () => '');
  const whole = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } };
  const [now, old] = [await connect(server), await connect(server, { revision })];
  for (const ask of [now.modern, old.request]) assert.deepEqual(((await ask('completion/complete', whole)).result?.['completion'] as Bag)['values'], ['b']);
  for (const [changed, says] of [
    [{ ref: undefined }, 'ref'], [{ ref: {} }, 'ref.type'], [{ ref: { type: 'ref/prompt' } }, 'ref.name'],
    [{ ref: { type: 'ref/resource' } }, 'ref.uri'], [{ argument: undefined }, 'argument'], [{ argument: {} }, 'argument.name'],
    [{ argument: { name: 'a' } }, 'argument.value'], [{ argument: { name: 'a', value: 5 } }, 'argument.value'],
    [{ argument: { name: 'other', value: '' } }, 'argument.name'],
    [{ context: { arguments: { b: 5 } } }, 'context.arguments.b'], [{ context: 5 }, 'context.arguments'], [{ context: { arguments: ['b'] } }, 'context.arguments'],
  ] as const) {
    for (const ask of [now.modern, old.request]) {
      const { error } = await ask('completion/complete', { ...whole, ...changed });
      assert.equal(error?.code, -32602, JSON.stringify(changed));
      assert.ok(error?.message.includes(`params.${says} `), error?.message);
    }
  }
  for (const [uri, name] of [['a:{b}', 'c'], ['a:{c}', 'b']]) {
    for (const ask of [now.modern, old.request]) {
      assert.equal((await ask('completion/complete', { ref: { type: 'ref/resource', uri }, argument: { name, value: '' } })).error?.code, -32602);
    }
  }
});

// 2025-03-26 basic/lifecycle#initialization: initialize MUST NOT be part of a batch.
test('initialize in a batch is refused', async () => {
  const peer = await connect(new McpServer(info));
  peer.text(JSON.stringify([{
    jsonrpc: '2.0', id: 1, method: 'initialize',
    params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }]));
  const [answer, ...others] = await peer.rest() as unknown as Answer[];
  assert.deepEqual(others, []);
  assert.equal(answer?.error?.code, -32600);
});

// 2026-07-28 basic/patterns/cancellation.
test('a modern server cancels nothing', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_, ctx) => {
    await ctx.elicit('Name?', { name: { type: 'string' } });
    return '';
  });
  server.tool('fail', {}, () => {
    throw new Error('x');
  });
  server.tool('hang', {}, () => new Promise(() => {}));
  const peer = await connect(server);
  peer.text(JSON.stringify({
    jsonrpc: '2.0', id: 'watch', method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true }, _meta: modernMeta() },
  }));
  await peer.modern('tools/call', { name: 'ask' });
  await peer.modern('tools/call', { name: 'fail' });
  assert.equal((await peer.modern('tools/call', { name: 'none' })).error?.code, -32602);
  peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'watch' } });
  const methods = (await peer.rest()).map(({ method }) => method);
  assert.deepEqual(methods, ['notifications/subscriptions/acknowledged']);
  // Nor a call that still runs when the connection ends.
  void peer.modern('tools/call', { name: 'hang' });
  assert.deepEqual(await peer.rest(), []);
  peer.close();
  assert.deepEqual(await peer.rest(), []);
});

// Each revision, basic/utilities/progress (2026-07-28 basic/patterns/progress)#behavior-requirements.
test('a handler that goes on after its request has ended reports progress to nobody', async () => {
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', revision, undefined]) {
    const server = new McpServer(info, { onError: () => {} });
    let report = (_progress: number): void => {};
    server.tool('work', { input: { type: 'object', properties: { end: { type: 'string' } } } as const }, async ({ end }, ctx) => {
      report = (progress) => ctx.progress(progress);
      report(1);
      if (end === 'error') throw new Error('no');
      return end === 'result' ? 'done' : new Promise<string>(() => {});
    });
    const peer = await connect(server, version === undefined ? {} : { revision: version });
    const _meta = { ...version === undefined && modernMeta(), progressToken: 't' };
    for (const end of ['result', 'error', 'cancellation']) {
      const answered = peer.request('tools/call', { name: 'work', arguments: { end }, _meta }, end);
      if (end === 'cancellation') peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: end } });
      else await answered;
      assert.deepEqual((await peer.rest()).map(({ params }) => params), [{ progressToken: 't', progress: 1 }], end);
      report(2);
      assert.deepEqual(await peer.rest(), [], end);
    }
  }
});

// 2025-11-25 client/roots#implementation-guidelines.
test('changed roots reach the author, and what is under way goes on', async () => {
  let changes = 0;
  const server = new McpServer(info, { onRootsChanged: () => void changes++ });
  server.tool('ask', {}, async (_, ctx) => (await ctx.elicit('Name?', { name: { type: 'string' } })).content?.name ?? 'none');
  const peer = await connect(server, { revision, capabilities: { ...everything, roots: { listChanged: true } } });
  const answer = peer.call('ask');
  const question = await peer.next();
  peer.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  peer.answer(question, accept({ name: 'Ada' }));
  assert.equal(textOf(await answer), 'Ada');
  assert.equal(changes, 1);
});

// 2026-07-28 client/sampling#messages.
test('messages of one sampling are not in the next', async () => {
  const server = new McpServer(info);
  server.tool('sample', {}, async (_, ctx) => {
    for (const text of ['one', 'two']) {
      await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 1 });
    }
    return 'done';
  });
  const peer = await connect(server, { revision });
  const answer = peer.call('sample');
  for (const expected of ['one', 'two']) {
    const question = await peer.next();
    const messages = question.params?.['messages'] as Bag[];
    assert.deepEqual(messages.map(({ content }) => (content as Bag)['text']), [expected]);
    peer.answer(question, sampled);
  }
  assert.equal(textOf(await answer), 'done');
});

// 2025-11-25 basic/utilities/tasks#task-support-and-handling.
test('a call that asks for a task where there are none is a plain call', async () => {
  const server = new McpServer(info);
  server.tool('plain', {}, () => 'plain');
  for (const version of ['2025-06-18', revision]) {
    const peer = await connect(server, { revision: version });
    const answer = await peer.request('tools/call', { name: 'plain', task: { ttl: 1 } });
    assert.equal(textOf(answer), 'plain');
    assert.equal(answer.result?.['task'], undefined);
  }
});

// Schema of each revision, Error.message: SHOULD be limited to a concise single sentence.
test('the message of each error in the transcripts is one short sentence', () => {
  const folder = fileURLToPath(new URL('../../../test/transcripts/', import.meta.url));
  const messages = new Set<string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.wire')) continue;
    for (const { json } of parseTranscript(readFileSync(`${folder}${name}`, 'utf8')).lines) {
      const { error } = Object(json) as { error?: { message: string } };
      if (error) messages.add(error.message);
    }
  }
  assert.ok(messages.size > 20, `${messages.size} messages`);
  for (const message of messages) assert.match(message, /^(?!.*[.!?]\s)[^\n]{3,160}$/);
});

test('the message of each error that a source makes is one sentence', () => {
  const made = /(?:new RpcError\([^,()]+,|super\(\s*[^,()]+,|(?:invalidParams|invalidRequest|internalError|invalid|refusal|refuseWork)\((?:[^,()'`]+,)*)\s*(`(?:[^`\\]|\\.)*`|'(?:[^'\\]|\\.)*')/g;
  let count = 0;
  for (const [name, source] of sources()) {
    for (const [, message = ''] of source.matchAll(made)) {
      count++;
      assert.doesNotMatch(message.slice(1, -1).replace(/\$\{[^}]*\}/g, 'x'), /[.!?](?:\s|$)|\\n/, name);
    }
  }
  assert.ok(count > 80, `${count} messages`);
});

// 2026-07-28 basic/patterns/cancellation: MUST; basic/patterns/subscriptions#graceful-closure: SHOULD.
test('a subscription that the server ends is cancelled by name, and then answered with a result that names it', async () => {
  const server = new McpServer(info);
  server.tool('one', {}, () => '');
  const peer = await connect(server);
  const listening = [1, 2].map(() => peer.modern('subscriptions/listen', { notifications: { toolsListChanged: true } }));
  for (const _ of listening) assert.equal((await peer.next()).method, 'notifications/subscriptions/acknowledged');
  server.endSubscriptions();
  for (const one of listening) {
    const { id, result } = await one;
    const { method, params } = await peer.next();
    assert.equal(method, 'notifications/cancelled');
    assert.deepEqual(params, {
      _meta: { 'io.modelcontextprotocol/subscriptionId': id }, requestId: id, reason: 'the server ends the subscription',
    });
    assert.deepEqual(Object.keys(result ?? {}).sort(), ['_meta', 'resultType']);
    assert.equal(result?.['resultType'], 'complete');
    assert.equal((result?.['_meta'] as Bag)['io.modelcontextprotocol/subscriptionId'], id);
  }
  assert.deepEqual(await peer.rest(), []);
});
