import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { decode } from '../../src/jsonrpc/message.ts';
import { RpcError } from '../../src/jsonrpc/errors.ts';
import { legacy, modern, RpcFault, Scripted } from './scripted.ts';
import type { Script, Sent } from './scripted.ts';

const info = { name: 'tester', version: '1' };

async function connect(
  script: Script,
  options: ClientOptions = {},
): Promise<{ client: McpClient; wire: Scripted; errors: Error[] }> {
  const errors: Error[] = [];
  const wire = new Scripted('pipe', script);
  const client = new McpClient(info, { onError: (error) => errors.push(error), ...options });
  await client.connect(wire);
  return { client, wire, errors };
}

const form = {
  message: 'Seat?',
  requestedSchema: {
    type: 'object',
    properties: {
      seat: { type: 'string', enum: ['window', 'aisle'], default: 'aisle' },
      age: { type: 'integer', minimum: 0 },
    },
    required: ['age'],
  },
};
const sample = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 };
const sampled = { role: 'assistant', content: { type: 'text', text: 'Ho' }, model: 'm' } as const;

test('legacy: forms are completed and checked', async () => {
  let content: Record<string, unknown> | undefined;
  const { wire } = await connect(legacy(), {
    onElicit: ({ message }, { signal }) => {
      assert.equal(message, 'Seat?');
      assert.equal(signal.aborted, false);
      return { action: 'accept', content };
    },
  });
  content = { age: 5 };
  assert.deepEqual((await wire.ask('q1', 'elicitation/create', form)).result, {
    action: 'accept', content: { seat: 'aisle', age: 5 },
  });
  content = { age: -1 };
  assert.match(
    (await wire.ask('q2', 'elicitation/create', form)).error?.message ?? '',
    /the content of the form is not valid: "age" must be at least 0/,
  );
  content = undefined;
  assert.match((await wire.ask('q3', 'elicitation/create', form)).error?.message ?? '', /"age" is required/);
  assert.equal((await wire.ask('q4', 'elicitation/create', { message: 'x' })).error?.code, -32602);
  assert.equal((await wire.ask('q5', 'elicitation/create')).error?.code, -32602);
});

test('legacy: a refusal says no more than its action; an odd answer is an error', async () => {
  let action = 'decline';
  const { wire } = await connect(legacy(), { onElicit: () => ({ action: action as 'decline', content: { age: 5 } }) });
  assert.deepEqual((await wire.ask(1, 'elicitation/create', form)).result, { action: 'decline' });
  action = 'maybe';
  assert.match((await wire.ask(2, 'elicitation/create', form)).error?.message ?? '', /must answer with the action/);
});

test('legacy: pages, sampling, roots and pings', async () => {
  const { wire } = await connect(legacy(), {
    onElicitUrl: ({ url }) => ({ action: url === 'https://example.org/' ? 'accept' : 'cancel', content: { no: 1 } }),
    onSample: async ({ maxTokens }) => ({ ...sampled, model: String(maxTokens) }),
    roots: async () => [{ uri: 'file:///a' }],
  });
  const page = { mode: 'url', message: 'Pay', url: 'https://example.org/', elicitationId: 'e' };
  assert.deepEqual((await wire.ask(1, 'elicitation/create', page)).result, { action: 'accept' });
  assert.deepEqual((await wire.ask(2, 'sampling/createMessage', sample)).result, { ...sampled, model: '5' });
  assert.deepEqual((await wire.ask(3, 'roots/list')).result, { roots: [{ uri: 'file:///a' }] });
  assert.deepEqual((await wire.ask(4, 'ping')).result, {});
  assert.equal((await wire.ask(5, 'tasks/list')).error?.code, -32601);
  // The client declared URL mode, but not form mode.
  assert.equal((await wire.ask(6, 'elicitation/create', form)).error?.code, -32602);
  assert.equal((await wire.ask(7, 'sampling/createMessage', { ...sample, tools: [] })).error?.code, -32602);
});

test('legacy: what was not declared is not answered', async () => {
  const { wire } = await connect(legacy());
  for (const [id, method, params] of [
    [1, 'elicitation/create', form], [2, 'sampling/createMessage', sample], [3, 'roots/list', {}],
  ] as const) {
    assert.equal((await wire.ask(id, method, params)).error?.code, -32601, method);
  }
  const older = await connect(legacy(undefined, '2025-03-26'), { onElicit: () => ({ action: 'cancel' }) });
  assert.equal((await older.wire.ask(1, 'elicitation/create', form)).error?.code, -32601);
});

test('legacy: before the handshake is over only pings are answered', async () => {
  const answers: Promise<Sent>[] = [];
  await connect((sent, wire) => {
    if (sent.method === 'initialize') answers.push(wire.ask('a', 'ping'), wire.ask('b', 'roots/list'));
    return legacy()(sent, wire);
  }, { roots: [], era: 'legacy' });
  const [ping, roots] = await Promise.all(answers);
  assert.deepEqual(ping?.result, {});
  assert.equal(roots?.error?.code, -32600);
});

test('legacy: a question that the server takes back aborts its handler, and is not answered', async () => {
  let aborted: Promise<unknown> | undefined;
  const { wire } = await connect(legacy(), {
    onElicit: (_form, { signal }) => {
      aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
      return new Promise(() => {});
    },
  });
  wire.push({ id: 'q', method: 'elicitation/create', params: form });
  // A ping is answered while a person takes time.
  assert.deepEqual((await wire.ask('p', 'ping')).result, {});
  wire.push({ method: 'notifications/cancelled', params: { requestId: 'q' } });
  await aborted;
  assert.deepEqual((await wire.ask('q', 'ping')).result, {});
  assert.equal(wire.sent.filter(({ id, method }) => id === 'q' && method === undefined).length, 1);
});

test('legacy: other roots are told', async () => {
  const { client, wire } = await connect(legacy(), { roots: [{ uri: 'file:///a' }] });
  client.setRoots([{ uri: 'file:///b' }]);
  assert.equal(wire.sent.at(-1)?.method, 'notifications/roots/list_changed');
  assert.deepEqual((await wire.ask(1, 'roots/list')).result, { roots: [{ uri: 'file:///b' }] });
  // Setting the same list notifies too: its content may have changed.
  const list = [{ uri: 'file:///c' }];
  for (const times of [1, 2]) {
    client.setRoots(list);
    assert.equal(wire.methods().filter((method) => method === 'notifications/roots/list_changed').length, 1 + times);
  }
  const without = await connect(legacy());
  assert.throws(() => without.client.setRoots([]), /made without `roots`/);
  const silent = await connect(legacy(), { roots: [], capabilities: { roots: {} } });
  silent.client.setRoots([{ uri: 'file:///b' }]);
  assert.ok(!silent.wire.methods().includes('notifications/roots/list_changed'));
  const now = await connect(modern(), { roots: [] });
  now.client.setRoots([]);
  assert.deepEqual(now.wire.methods(), ['server/discover']);
});

test('modern: a request of the server is dropped and reported', async () => {
  const { wire, errors } = await connect(modern(), { onElicit: () => ({ action: 'cancel' }) });
  for (const method of ['elicitation/create', 'ping']) wire.push({ id: method, method, params: form });
  await new Promise(setImmediate);
  assert.deepEqual(wire.methods(), ['server/discover']);
  assert.deepEqual(errors.map(({ message }) => /request (\S+),/.exec(message)?.[1]), ['elicitation/create', 'ping']);
});

test('an unknown mode of an elicitation is refused, and not answered as a form', async () => {
  let asked = 0;
  const { wire } = await connect(legacy(), { onElicit: () => (asked++, { action: 'cancel' }) });
  // This client has not declared URL mode either.
  for (const mode of ['dance', 'url']) {
    const { error } = await wire.ask(mode, 'elicitation/create', { ...form, mode, url: 'https://example.org/', elicitationId: 'e' });
    assert.deepEqual([error?.code, asked], [-32602, 0], mode);
  }
  assert.deepEqual((await wire.ask('q2', 'elicitation/create', { ...form, mode: 'form' })).result, { action: 'cancel' });
});

test('roots are file:// URIs that stay where they are', async () => {
  const bad = [
    'http://x/', '/etc', 'file:relative', 'file:/etc', 'file:///a/../b', 'file:///a/%2e%2E/b', 'file:///a%2f..', 'file:///a/..', '',
    'file:///a\\..\\b', 'file:///a%5C..%5cb',
  ];
  for (const uri of bad) {
    assert.throws(() => new McpClient(info, { roots: [{ uri }] }), /a root must be a file:\/\/ URI/, uri);
    const { client, wire } = await connect(legacy(), { roots: async () => [{ uri }] });
    assert.match((await wire.ask('q', 'roots/list')).error?.message ?? '', /a root must be/);
    assert.throws(() => client.setRoots([{ uri }]), TypeError);
  }
  // Every root is checked.
  assert.throws(() => new McpClient(info, { roots: [{ uri: 'file:///a' }, { uri: 'http://x/' }] }), /a root must be a file:\/\/ URI/);
  const roots = [{ uri: 'file:///' }, { uri: 'file:///home/a..b/%C3%A9', name: 'a' }, { uri: 'file://host/share' }];
  const { wire } = await connect(legacy(), { roots });
  assert.deepEqual((await wire.ask('q', 'roots/list')).result, { roots });
});

test('the rules for tool results in sampling', async () => {
  const text = { type: 'text', text: 'x' };
  const use = (id: string): object => ({ type: 'tool_use', id, name: 't', input: {} });
  const got = (toolUseId: string): object => ({ type: 'tool_result', toolUseId, content: [] });
  const turn = (role: string, content: unknown): object => ({ role, content });
  const table: [object[], boolean][] = [
    [[turn('user', text)], true],
    [[turn('assistant', [text, use('a'), use('b')]), turn('user', [got('b'), got('a')])], true],
    [[turn('assistant', use('a')), turn('user', got('a')), turn('assistant', text)], true],
    [[turn('assistant', use('a'))], false],
    [[turn('assistant', use('a')), turn('user', text)], false],
    [[turn('assistant', [use('a'), use('b')]), turn('user', [got('a')])], false],
    [[turn('assistant', use('a')), turn('user', [got('a'), text])], false],
    [[turn('assistant', use('a')), turn('user', [text, got('a')])], false],
    [[turn('assistant', use('a')), turn('user', [got('a'), { type: 'image', data: 'AA==', mimeType: 'image/png' }])], false],
    [[turn('user', got('a'))], false],
    [[turn('assistant', use('a')), turn('user', [got('a'), got('b')])], false],
    [[turn('assistant', use('a')), turn('user', got('a')), turn('assistant', text), turn('user', got('a'))], false],
  ];
  let reached = 0;
  const { wire } = await connect(legacy(), { onSample: () => (reached++, sampled) });
  for (const [at, [messages, good]] of table.entries()) {
    const { error } = await wire.ask(at, 'sampling/createMessage', { messages, maxTokens: 5 });
    assert.equal(error?.code, good ? undefined : -32602, JSON.stringify(messages));
  }
  assert.equal(reached, 3);
  // This client has not declared `sampling.tools`.
  const withTools = { messages: [turn('user', text)], maxTokens: 5, tools: [{ name: 't', inputSchema: { type: 'object' } }] };
  const withChoice = { messages: [turn('user', text)], maxTokens: 5, toolChoice: { mode: 'auto' } };
  for (const [at, params] of [withTools, withChoice, { ...withTools, ...withChoice }, { ...withTools, tools: [] }].entries()) {
    assert.equal((await wire.ask(`tools-${at}`, 'sampling/createMessage', params)).error?.code, -32602, JSON.stringify(params));
    // In a round of a modern call the call rejects, and is not sent again.
    const inputRequests = { q: { method: 'sampling/createMessage', params } };
    const round = await connect(modern(() => ({ resultType: 'input_required', inputRequests })), { onSample: () => (reached++, sampled) });
    await assert.rejects(round.client.callTool('t'), (error: RpcError) => error.code === -32602, JSON.stringify(params));
    assert.equal(round.wire.sent.filter(({ method }) => method === 'tools/call').length, 1);
  }
  assert.equal(reached, 3);
});

test('notifications/elicitation/complete is told once, for an elicitation that is under way', async () => {
  const heard: unknown[] = [];
  const { client, wire } = await connect(legacy(() => new RpcFault(-32042, 'first', { elicitations: [{ elicitationId: 'e2' }] })), {
    onElicitUrl: () => ({ action: 'accept' }),
    onNotification: ({ params }) => heard.push(params?.['elicitationId']),
  });
  const complete = (elicitationId: unknown): void =>
    wire.push({ method: 'notifications/elicitation/complete', params: { elicitationId } });
  complete('e1');
  await wire.ask('q', 'elicitation/create', { mode: 'url', url: 'https://x.test/', elicitationId: 'e1', message: 'Go' });
  await assert.rejects(client.callTool('t'), /first/);
  for (const id of ['e1', 'e1', 'e2', 'e3', undefined]) complete(id);
  assert.deepEqual(heard, ['e1', 'e2']);
});

// 2025-11-25 schema, ElicitRequestURLParams.elicitationId: opaque.
test('the id of an elicitation is what the server wrote, to each character', async () => {
  const ids = ['E', 'e', ' e', 'e ', '1', '01', '1.0', '', 'é', 'e\u0301', '%65', '__proto__', 'constructor', 'e\n', 'x'.repeat(2000)];
  const urls = [...ids, 'https://example.org/?id=1'];
  const heard: unknown[] = [];
  const shown: unknown[] = [];
  const elicitations = urls.map((elicitationId) => ({ elicitationId: `${elicitationId}!` }));
  const { client, wire } = await connect(legacy(() => new RpcFault(-32042, 'first', { elicitations })), {
    onElicitUrl: ({ elicitationId }) => {
      shown.push(elicitationId);
      return { action: 'accept' };
    },
    onNotification: ({ params }) => heard.push(params?.['elicitationId']),
  });
  const complete = (elicitationId: string): void => wire.push({ method: 'notifications/elicitation/complete', params: { elicitationId } });
  for (const [at, elicitationId] of urls.entries()) {
    await wire.ask(at, 'elicitation/create', { mode: 'url', url: 'https://x.test/', elicitationId, message: 'Go' });
  }
  await assert.rejects(client.callTool('t'), /first/);
  const all = [...urls, ...urls.map((id) => `${id}!`)];
  // In reverse order, so that mistaken ids would show.
  for (const id of all.toReversed()) complete(id);
  assert.deepEqual([heard, shown], [all.toReversed(), urls]);
});

// Schema of each revision, JSONRPCError and JSONRPCErrorResponse. A modern client answers nothing: 2026-07-28 basic/transports/stdio.
test('what cannot be read of a server is refused under its own id, and without one only in a batch, with null', async () => {
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']) {
    const { wire } = await connect(version === '2026-07-28' ? modern() : legacy(undefined, version));
    const before = wire.sent.length;
    const ids = ['{}', '1.5', 'true', 'null', '""', '7', '-1'];
    for (const id of ids) wire.receiver.message(decode(`{"jsonrpc":"2.0","id":${id},"method":8}`));
    const own = version === '2026-07-28' ? [] : ['', 7, -1];
    assert.deepEqual(wire.sent.slice(before).map(({ id, error }) => [id, error?.code]), own.map((id) => [id, -32600]), version);
    if (version !== '2025-03-26') continue;
    wire.receiver.message(decode(`[${ids.map((id) => `{"jsonrpc":"2.0","id":${id},"method":8}`).join()}]`));
    const batch = Object.values(wire.sent.at(-1) ?? {}).filter((one) => one !== undefined) as Sent[];
    assert.deepEqual(batch.map(({ id, error }) => [id, error?.code]), [null, null, null, null, '', 7, -1].map((id) => [id, -32600]));
  }
});

// Each revision, basic: error codes are integers.
test('an error that a handler throws has an integer code', async () => {
  let code: unknown;
  const { wire } = await connect(legacy(), { onElicit: () => Promise.reject(new RpcError(code as number, 'no')) });
  for (const [at, [thrown, sent]] of ([[-32602, -32602], [4711, 4711], [1.5, -32603], [NaN, -32603], [Infinity, -32603], ['5', -32603], [undefined, -32603]] as const).entries()) {
    code = thrown;
    const { error } = await wire.ask(at, 'elicitation/create', form);
    assert.deepEqual([error?.code, error?.message], [sent, 'no'], String(thrown));
  }
});
