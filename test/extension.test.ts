import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { McpClient } from '../src/client/index.ts';
import type { CallOptions, ClientOptions } from '../src/client/index.ts';
import type { CallToolResult, GetPromptResult } from '../src/protocol/index.ts';
import { errorCodes, McpServer, MissingCapabilityError, RawResult, RpcError } from '../src/server/index.ts';
import type { Context, Listener, TellListeners } from '../src/server/index.ts';
import { httpTransport } from '../src/transport/http/fetch/index.ts';
import { memoryTransport } from '../src/transport/memory.ts';
import type { Auth } from '../src/transport/auth.ts';
import type { ClientTransport } from '../src/transport/client-port.ts';
import type { TraceEntry } from '../src/transport/trace.ts';
import { connect, later } from './server/peer.ts';
import { serveHttp } from './transport/http/engine.ts';
import { within } from './within.ts';

// An extension built like io.modelcontextprotocol/tasks on the public extension interface of client and server: a call that
// returns a handle, its methods, questions in between, a key in the filter of listeners, a notification.

type Bag = Record<string, unknown>;

const id = 'com.example/jobs';
const info = { name: 'test', version: '1' };
const legacy = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;

interface Job extends Bag {
  jobId: string;
  status: 'working' | 'input_required' | 'completed';
}

/** The server's side, on any server. */
class Jobs {
  readonly jobs = new Map<string, { job: Job; owner: string | undefined; answers(given: Bag): void }>();
  readonly #tell: TellListeners;

  constructor(server: McpServer) {
    this.#tell = server.extend({
      id,
      settings: { list: false },
      resultTypes: ['job'],
      methods: {
        'jobs/get': ({ jobId }, ctx) => this.#of(jobId, ctx).job,
        'jobs/update': ({ jobId, inputResponses }, ctx) => {
          this.#of(jobId, ctx).answers(inputResponses as Bag);
          return {};
        },
        'jobs/ask': async (_params, ctx) => ctx.elicit('Now?', { a: { type: 'string' } }),
      },
      filters: {
        jobIds: (wanted, listener) => {
          if (!Array.isArray(wanted)) throw new RpcError(errorCodes.invalidParams, 'jobIds must be a list');
          const known = wanted.filter((jobId) => this.#visible(jobId, listener));
          return known.length > 0 ? known : undefined;
        },
      },
    });
  }

  #visible(jobId: unknown, { auth }: Listener): boolean {
    const entry = this.jobs.get(String(jobId));
    return entry !== undefined && entry.owner === auth?.principal;
  }

  #of(jobId: unknown, ctx: Context): { job: Job; answers(given: Bag): void } {
    const entry = this.#visible(jobId, ctx) ? this.jobs.get(String(jobId)) : undefined;
    if (!entry) throw new RpcError(errorCodes.invalidParams, 'no such job');
    return entry;
  }

  start(ctx: Context, jobId: string, answers: (given: Bag) => void = () => {}): Job & { resultType: string } {
    const job: Job = { jobId, status: 'working' };
    this.jobs.set(jobId, { job, owner: ctx.auth?.principal, answers });
    return { ...job, resultType: 'job' };
  }

  set(jobId: string, news: Partial<Job>): void {
    const { job } = this.jobs.get(jobId) ?? assert.fail(jobId);
    Object.assign(job, news);
    this.#tell('jobIds', 'notifications/jobs', { ...job, _meta: { 'com.example/n': 1 } },
      (jobIds) => (jobIds as string[]).includes(jobId));
  }
}

function server(): { server: McpServer; jobs: Jobs } {
  const made = new McpServer(info);
  const jobs = new Jobs(made);
  const anywhere = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] } as const;
  made.tool('bake', { output: anywhere }, (_args, ctx) => (
    ctx.meta?.['com.example/now'] ? { sum: 1 } : jobs.start(ctx, 'cake', (given) => {
      jobs.set('cake', { status: 'completed', result: { content: [], structuredContent: { sum: 2 }, given } });
    })));
  made.tool('polite', {}, (_args, ctx) =>
    (ctx.capabilities.extensions?.[id] ? jobs.start(ctx, 'tea') : 'Here is your tea.'));
  made.tool('unknown', {}, () => ({ resultType: 'nothing' }));
  made.tool('noting', {}, (_args, ctx) => {
    ctx.notify('notifications/jobs', { jobId: 'none', status: 'working' });
    return 'noted';
  });
  return { server: made, jobs };
}

/** The client's side: a call ends when its job does. `wait` runs between two polls. */
function extension(
  client: () => McpClient,
  wait: () => Promise<unknown>,
  heard: (job: Bag) => void = () => {},
): ClientOptions {
  return {
    extensions: {
      [id]: {
        settings: { version: 1 },
        resultTypes: {
          job: async (handle, method, { options: { signal }, answer }) => {
            assert.equal(method, 'tools/call');
            const about = { jobId: handle['jobId'] };
            const options: CallOptions = { signal, headers: { 'Mcp-Name': String(handle['jobId']) } };
            for (let job = handle; ; job = await client().request('jobs/get', about, options)) {
              if (job['status'] === 'completed') return job['result'] as Bag;
              if (job['status'] === 'input_required') {
                const inputResponses = await answer(job['inputRequests']);
                await client().request('jobs/update', { ...about, inputResponses }, options);
              } else await wait();
            }
          },
        },
        notifications: { 'notifications/jobs': heard },
      },
    },
  };
}

const turn = (): Promise<unknown> => new Promise(setImmediate);

interface Made {
  readonly client: McpClient;
  readonly jobs: Jobs;
  readonly errors: Error[];
  readonly trace: TraceEntry[];
  readonly heard: Bag[];
  /** Resolves with the next notification. */
  next(): Promise<Bag>;
}

async function over(
  t: TestContext, kind: 'memory' | 'http', options: ClientOptions = {},
  wait: (jobs: Jobs) => Promise<unknown> = turn, auth?: Auth,
): Promise<Made> {
  const { server: made, jobs } = server();
  const errors: Error[] = [];
  const trace: TraceEntry[] = [];
  const heard: Bag[] = [];
  let wake = (_job: Bag): void => {};
  let transport: ClientTransport;
  const see = (entry: TraceEntry): void => void trace.push(entry);
  if (kind === 'memory') transport = memoryTransport(made, { trace: see, ...auth && { auth } });
  else {
    const http = await serveHttp(made);
    t.after(() => http.close({ drainMs: 0 }));
    transport = httpTransport(http.url, { trace: see });
  }
  const client: McpClient = new McpClient(info, {
    onError: (error) => errors.push(error),
    ...extension(() => client, () => wait(jobs), (job) => {
      heard.push(job);
      wake(job);
    }),
    ...options,
  });
  await client.connect(transport);
  t.after(() => client.close());
  return { client, jobs, errors, trace, heard, next: () => new Promise((resolve) => (wake = resolve)) };
}

for (const kind of ['memory', 'http'] as const) {
  test(`${kind}: a call ends when its job does, with the answers to its questions`, async (t) => {
    const questions: string[] = [];
    const { client, errors } = await over(t, kind, {
      onElicit: ({ message }) => {
        questions.push(message);
        return { action: 'accept', content: { sure: true } };
      },
      validator: () => (value) => ({ valid: true, value }),
    }, async (jobs) => {
      jobs.set('cake', {
        status: 'input_required',
        inputRequests: {
          sugar: {
            method: 'elicitation/create',
            params: {
              mode: 'form',
              message: 'Sugar?',
              requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
            },
          },
        },
      });
    });
    assert.deepEqual(client.capabilities?.extensions, { [id]: { list: false } });
    await client.listTools();
    const { structuredContent, given } = await client.callTool('bake') as object as Bag;
    assert.deepEqual(structuredContent, { sum: 2 });
    assert.deepEqual(given, { sugar: { action: 'accept', content: { sure: true } } });
    assert.deepEqual(questions, ['Sugar?']);
    assert.deepEqual(errors, []);
  });

  test(`${kind}: listeners hear of their jobs alone`, async (t) => {
    let waiting = 0;
    const both = later<void>();
    const { client, jobs, errors, heard, next } = await over(t, kind, {}, () => {
      if (++waiting === 2) both.resolve();
      return later<void>().promise;
    });
    void client.callTool('bake').catch(() => {});
    void client.callTool('polite').catch(() => {});
    await both.promise;
    await client.callTool('noting');
    assert.equal(await client.listen('jobIds', ['none']), undefined);
    assert.deepEqual(await client.listen('jobIds', ['cake', 'none']), ['cake']);
    jobs.set('tea', { status: 'completed' });
    const told = next();
    jobs.set('cake', { status: 'completed' });
    const { _meta, ...job } = await told;
    assert.deepEqual(job, { jobId: 'cake', status: 'completed' });
    // The keys of the extension and of the subscription.
    assert.deepEqual(Object.keys(_meta as Bag), ['com.example/n', 'io.modelcontextprotocol/subscriptionId']);
    // The first notification belongs to a request, not to a subscription.
    assert.deepEqual(heard.map(({ jobId }) => jobId), ['none', 'cake']);
    await assert.rejects(client.listen('jobIds', 'cake'), /jobIds must be a list/);
    // The earlier agreement still holds.
    const again = next();
    jobs.set('cake', { status: 'working' });
    assert.equal((await again)['status'], 'working');
    assert.equal(await client.listen('jobIds', undefined), undefined);
    jobs.set('cake', { status: 'completed' });
    await client.ping();
    assert.equal(heard.length, 3);
    assert.match(
      errors.map(({ message }) => message).join(),
      /^subscriptions\/listen: the server did not agree to jobIds$/,
    );
  });
}

test('over HTTP the name that the extension mirrors goes into a header', async (t) => {
  const { server: made, jobs } = server();
  const http = await serveHttp(made);
  t.after(() => http.close({ drainMs: 0 }));
  const names: unknown[] = [];
  const client: McpClient = new McpClient(
    info, extension(() => client, async () => jobs.set('cake', { status: 'completed', result: { content: [] } })),
  );
  await client.connect(httpTransport(http.url, {
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      if (headers.get('mcp-method')?.startsWith('jobs/')) names.push(headers.get('mcp-name'));
      return fetch(url, init);
    },
  }));
  t.after(() => client.close());
  await client.callTool('bake');
  assert.deepEqual(names, ['cake']);
});

test('keys of `_meta` reach a handler as they came', async (t) => {
  const { client } = await over(t, 'memory');
  const { structuredContent } = await within('the result, and no job', client.request('tools/call', {
    name: 'bake', _meta: { 'com.example/now': true },
  }));
  assert.deepEqual(structuredContent, { sum: 1 });
  // 2025-11-25 basic/index#_meta: nothing is assumed about reserved keys, in requests and in results, in both eras.
  const odd = Object.fromEntries([
    'io.modelcontextprotocol/tomorrow', 'modelcontextprotocol.io/later', 'mcp.dev/new', 'tools.mcp.com/x', 'com.example/own', 'plain',
  ].map((key, value) => [key, { value }]));
  for (const revision of [...legacy, '2026-07-28'] as const) {
    const made = new McpServer(info);
    let seen: Readonly<Bag> | undefined;
    made.tool('seen', {}, (_args, { meta }) => {
      seen = meta;
      return { content: [], _meta: { ...odd } };
    });
    const asking = new McpClient(info, { revisions: [revision] });
    await asking.connect(memoryTransport(made));
    t.after(() => asking.close());
    const { _meta } = await asking.callTool('seen', {}, { meta: odd });
    for (const [key, value] of Object.entries(odd)) {
      assert.deepEqual([seen?.[key], (_meta as Bag | undefined)?.[key]], [value, value], `${key}, ${revision}`);
    }
  }
});

test('who did not declare the extension gets none of it', async () => {
  const { server: made } = server();
  const peer = await connect(made);
  const missing = { requiredCapabilities: { extensions: { [id]: {} } } };
  for (const [method, params] of [
    ['tools/call', { name: 'bake' }],
    ['jobs/get', { jobId: 'cake' }],
    ['subscriptions/listen', { notifications: { jobIds: ['cake'] } }],
  ] as const) {
    const { error } = await peer.modern(method, params, { extensions: {} });
    assert.equal(error?.code, errorCodes.missingClientCapability, method);
    assert.deepEqual(error?.data, missing);
  }
  const { result } = await peer.modern('tools/call', { name: 'polite' }, {});
  assert.deepEqual(result?.['content'], [{ type: 'text', text: 'Here is your tea.' }]);
});

const bag = (value: unknown): Bag => value as Bag;

test('a legacy client gets neither the result type nor the notifications, whether it declares the extension or not', async () => {
  for (const capabilities of [{}, { extensions: { [id]: {} } }]) {
    const { server: made, jobs } = server();
    const peer = await connect(made, { revision: '2025-11-25', capabilities });
    const { result } = await peer.call('bake');
    assert.equal(result?.['isError'], true);
    assert.match(JSON.stringify(result), /did not declare that it supports the extension com\.example\/jobs/);
    assert.equal(result?.['resultType'], undefined);
    jobs.set('cake', { status: 'completed' });
    assert.deepEqual(await peer.rest(), []);
  }
});

test('an extension is declared in every revision, with what its legacy part declares', async () => {
  const made = new McpServer(info);
  made.tool('a', {}, () => '');
  made.extend({ id: 'com.example/one', settings: { a: 1 }, legacy: {
    capabilities: (version) => ({ extensions: { 'com.example/old-one': { version } }, experimental: { one: {} } }),
  } });
  made.extend({ id: 'com.example/two', legacy: {
    capabilities: () => ({ extensions: { 'com.example/old-two': {} }, experimental: { two: {} } }), methods: { 'two/old': () => ({ old: true }) },
  } });
  made.extend({ id: 'com.example/new', revisions: ['2026-07-28', '2025-11-25'], methods: { 'new/get': () => ({}) } });
  for (const revision of legacy) {
    const { send, next, request } = await connect(made);
    send({ jsonrpc: '2.0', id: 'i', method: 'initialize', params: {
      protocolVersion: revision, capabilities: { extensions: { 'com.example/new': {} } }, clientInfo: info,
    } });
    const { capabilities } = bag(bag(await next())['result']);
    const isNew = revision === '2025-11-25';
    assert.deepEqual(bag(capabilities)['extensions'], {
      'com.example/one': { a: 1 }, 'com.example/old-one': { version: revision }, 'com.example/two': {}, 'com.example/old-two': {},
      ...isNew && { 'com.example/new': {} },
    }, revision);
    assert.deepEqual(bag(capabilities)['experimental'], { one: {}, two: {} });
    assert.deepEqual(bag(capabilities)['tools'], { listChanged: true });
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.equal((await request('new/get')).error?.code, isNew ? undefined : -32601, revision);
    assert.deepEqual((await request('two/old')).result, { old: true });
  }
  const { request } = await connect(made);
  const { result } = await request('server/discover', { _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
  } });
  assert.deepEqual(bag(bag(result)['capabilities'])['extensions'], { 'com.example/one': { a: 1 }, 'com.example/two': {}, 'com.example/new': {} });
});

test('what is open is for clients that declare nothing, and nothing else is', async () => {
  const made = new McpServer(info);
  made.extend({
    id,
    methods: { 'jobs/closed': () => ({}) },
    resultTypes: ['closed'],
    filters: { closed: () => true },
    open: { methods: { 'jobs/open': () => ({ a: 1 }) }, resultTypes: ['open'], filters: { open: () => true } },
  });
  for (const type of ['open', 'closed']) made.tool(type, {}, () => ({ resultType: type }));
  const peer = await connect(made);
  assert.equal((await peer.modern('jobs/open', {}, {})).result?.['a'], 1);
  assert.equal((await peer.modern('jobs/closed', {}, {})).error?.code, errorCodes.missingClientCapability);
  assert.equal((await peer.modern('tools/call', { name: 'open' }, {})).result?.['resultType'], 'open');
  assert.equal((await peer.modern('tools/call', { name: 'closed' }, {})).error?.code, errorCodes.missingClientCapability);
  void peer.modern('subscriptions/listen', { notifications: { open: 1 } }, {});
  assert.deepEqual((await peer.next()).params?.['notifications'], { open: true });
  const refused = await peer.modern('subscriptions/listen', { notifications: { closed: 1 } }, {});
  assert.equal(refused.error?.code, errorCodes.missingClientCapability);
  for (const revision of legacy) {
    const old = await connect(made, { revision, capabilities: {} });
    assert.deepEqual((await old.request('jobs/open')).result, { a: 1 }, revision);
    assert.equal((await old.request('jobs/closed')).error?.code, -32601, revision);
  }
  for (const open of [{ methods: { 'jobs/closed': () => ({}) } }, { resultTypes: ['open'] }, { filters: { closed: () => 1 } }]) {
    assert.throws(() => made.extend({ id: 'com.example/b', open }), /is already registered/);
  }
  assert.throws(() => made.extend({ id: 'com.example/b', resultTypes: ['b'], open: { resultTypes: ['b'] } }), /b is already registered/);
  assert.throws(() => made.extend({ id: 'com.example/b', revisions: ['2027-01-01'] }), RangeError);
});

test('legacy clients that declare the extension are told what its legacy part agrees with them', async () => {
  const made = new McpServer(info);
  const tell = made.extend({
    id,
    revisions: ['2026-07-28', '2025-11-25', '2025-06-18'],
    filters: { news: (wanted) => wanted, quiet: () => true },
    legacy: { filters: { news: ({ client }) => (client?.version === '2' ? undefined : client?.version) } },
  });
  const capabilities = { extensions: { [id]: {} } };
  const told = await connect(made, { revision: '2025-06-18', capabilities });
  const silent = [
    await connect(made, { revision: '2025-06-18', capabilities, version: '2' }),
    await connect(made, { revision: '2025-06-18', capabilities, version: '3' }),
    await connect(made, { revision: '2025-06-18', capabilities: {} }),
    await connect(made, { revision: '2025-03-26', capabilities }),
  ];
  tell('news', 'notifications/news', { left: 1 }, (agreed, { revision }) => agreed === '1' && revision.version === '2025-06-18');
  tell('quiet', 'notifications/quiet', {});
  assert.deepEqual(await told.rest(), [{ jsonrpc: '2.0', method: 'notifications/news', params: { left: 1 } }]);
  for (const peer of silent) assert.deepEqual(await peer.rest(), []);
  told.close();
  tell('news', 'notifications/news', { left: 2 });
});

test('calls take `meta`, in every revision and across rounds', async (t) => {
  const seen: unknown[] = [];
  const made = new McpServer(info);
  const see = ({ meta }: { readonly meta?: Bag | undefined }): void => void seen.push(meta?.['com.example/a']);
  made.tool('ask', {}, async (_args, ctx) => {
    see(ctx);
    await ctx.elicit('?', { a: { type: 'string' } });
    return '';
  });
  made.resource('x:y', { name: 'y' }, (_uri, ctx) => {
    see(ctx);
    return 'text';
  });
  made.prompt('p', { arguments: { q: { complete: () => ['v'] } } }, (_args, ctx) => {
    see(ctx);
    return 'text';
  });
  for (const revision of [...legacy, '2026-07-28']) {
    const wire: TraceEntry[] = [];
    const client = new McpClient(info, { revisions: [revision], cache: false, onElicit: () => ({ action: 'decline' }) });
    await client.connect(memoryTransport(made, { trace: (entry) => void wire.push(entry) }));
    t.after(() => client.close());
    wire.length = 0;
    const options: CallOptions = { meta: { 'com.example/a': revision } };
    if (revision >= '2025-06-18') await client.callTool('ask', {}, options);
    await client.readResource('x:y', options);
    await client.getPrompt('p', {}, options);
    await client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'q', value: 'v' }, undefined, options);
    await client.listTools(options);
    await client.listResources(options);
    await client.listResourceTemplates(options);
    await client.listPrompts(options);
    await client.request('prompts/list', { _meta: { 'com.example/a': 'replaced', 'com.example/b': 1 } }, options);
    const sent = wire.filter(({ direction }) => direction === 'sent').map(({ text }) => bag(JSON.parse(text)))
      .filter((message) => 'method' in message).map(({ params }) => bag(bag(params)['_meta']));
    assert.equal(sent.length, revision === '2026-07-28' ? 10 : revision >= '2025-06-18' ? 9 : 8);
    for (const meta of sent) assert.equal(meta['com.example/a'], revision);
    assert.equal(sent.at(-1)?.['com.example/b'], 1);
    await assert.rejects(client.callTool('ask', {}, { _meta: {} } as CallOptions), /options\._meta is unknown, did you mean meta\?/);
  }
  assert.deepEqual([...new Set(seen)], [...legacy, '2026-07-28']);
});

test('what belongs to one user is not told to another', async (t) => {
  const { client, jobs } = await over(t, 'memory', {}, () => later<void>().promise, { principal: 'ann' });
  void client.callTool('polite').catch(() => {});
  await client.ping();
  assert.deepEqual(await client.listen('jobIds', ['tea']), ['tea']);
  jobs.jobs.set('secret', { job: { jobId: 'secret', status: 'working' }, owner: 'bob', answers: () => {} });
  assert.deepEqual(await client.listen('jobIds', ['tea', 'secret']), ['tea']);
  await assert.rejects(client.request('jobs/get', { jobId: 'secret' }), /no such job/);
});

test('a method of an extension may not ask, and says so', async (t) => {
  const { client } = await over(t, 'memory', { onElicit: () => ({ action: 'decline' }) });
  await assert.rejects(within('the refusal', client.request('jobs/ask')), /jobs\/ask cannot ask the client/);
});

test('a result type that nobody registered is an error of the server', async (t) => {
  const { client } = await over(t, 'memory');
  const { content, isError } = await client.callTool('unknown');
  assert.equal(isError, true);
  assert.match(JSON.stringify(content), /unknown failed \(id/);
  // 2026-07-28 basic/index#resulttype: for every source of the result, with and without extensions.
  for (const extended of [false, true]) {
    const heard: string[] = [];
    const made = new McpServer(info, { onError: ({ message }) => heard.push(message) });
    const capabilities = { extensions: { [id]: {} } };
    if (extended) made.extend({ id, resultTypes: ['job'], methods: { 'jobs/get': () => ({ resultType: 'foo' }) } });
    const whole = (resultType: string): Bag => ({ content: [], structuredContent: {}, messages: [], resultType });
    for (const type of ['foo', 'complete']) {
      made.tool(type, {}, () => whole(type) as unknown as CallToolResult);
      made.tool(`late_${type}`, { output: { type: 'object' } }, async () => whole(type));
      made.prompt(type, {}, async () => whole(type) as unknown as GetPromptResult);
      made.resource(`a:${type}`, {}, () => new RawResult({ ...whole(type), contents: [] }) as never);
    }
    const peer = await connect(made);
    const requests = [
      ['tools/call', { name: 'foo' }], ['tools/call', { name: 'late_foo' }], ['prompts/get', { name: 'foo' }], ['resources/read', { uri: 'a:foo' }],
      ...extended ? [['jobs/get', {}] as const] : [],
    ] as const;
    for (const [method, params] of requests) {
      const { result, error } = await peer.modern(method, params, capabilities);
      assert.equal(result?.['resultType'] ?? 'complete', 'complete', method);
      // For a tool the failure is a result that the model reads.
      assert.equal(method === 'tools/call' ? result?.['isError'] : error?.code, method === 'tools/call' ? true : -32603, method);
    }
    assert.deepEqual(heard, requests.map(() => 'the handler returned a result of the unknown type "foo"'));
    for (const [method, params] of [
      ['tools/call', { name: 'complete' }], ['tools/call', { name: 'late_complete' }], ['prompts/get', { name: 'complete' }], ['resources/read', { uri: 'a:complete' }],
    ] as const) {
      assert.equal((await peer.modern(method, params, capabilities)).result?.['resultType'], 'complete', method);
    }
  }
});

test('names are registered once', () => {
  const { server: made } = server();
  const taken = { methods: { 'jobs/get': () => ({}) }, filters: { jobIds: () => 1 }, resultTypes: ['job'] };
  for (const [key, value] of Object.entries(taken)) {
    assert.throws(() => made.extend({ id: 'com.example/other', [key]: value }), /is already registered/, key);
  }
  // A refused extension leaves nothing behind.
  made.extend({ id: 'com.example/other', methods: { 'other/get': () => ({}) } });
});

test('filters of the core are honoured as before, beside those of extensions', async () => {
  const { server: made } = server();
  const peer = await connect(made);
  peer.send({ jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen', params: {
    notifications: {
      toolsListChanged: true, promptsListChanged: true, jobIds: ['none'], constructor: true,
      ...JSON.parse('{"__proto__":true}') as object,
    },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { extensions: { [id]: {} } },
    },
  } });
  assert.deepEqual((await peer.next()).params?.['notifications'], { toolsListChanged: true });
});

test('a cancelled call stops what is done for it', async (t) => {
  const started = later<void>();
  const { client } = await over(t, 'memory', {}, async () => {
    started.resolve();
    await turn();
  });
  const stop = new AbortController();
  const call = client.callTool('bake', undefined, { signal: stop.signal });
  await started.promise;
  stop.abort(new Error('enough'));
  await assert.rejects(call, /enough/);
});

test('without an extension that takes it, a result of its type is an error', async (t) => {
  const { client } = await over(t, 'memory', { extensions: { [id]: {} } });
  await assert.rejects(client.callTool('bake'), /the result has the unknown type "job"/);
  const none = await over(t, 'memory', { extensions: {} });
  await assert.rejects(
    none.client.callTool('bake'),
    (error: RpcError) => error.code === new MissingCapabilityError('', {}).code,
  );
  await assert.rejects(none.client.listen('jobIds', ['cake']), /did not declare/);
});

test('a legacy connection has no filter to listen with', async (t) => {
  const { client } = await over(t, 'memory', { era: 'legacy' });
  await assert.rejects(client.listen('jobIds', ['cake']), /has no subscriptions\/listen/);
});
