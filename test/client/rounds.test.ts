import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectScripted as connect, everything, legacy, modern } from './scripted.ts';
import type { Script, Sent } from './scripted.ts';

const ask = (name: string): object => ({
  method: 'elicitation/create',
  params: {
    message: name,
    requestedSchema: { type: 'object', properties: { name: { type: 'string', default: name } } },
  },
});
const input = (rest: object): object => ({ resultType: 'input_required', ...rest });
const done = { resultType: 'complete', content: [{ type: 'text', text: 'done' }], messages: [], contents: [] };
const accept = (): { action: 'accept' } => ({ action: 'accept' });

test('answers go back with the state, under a new id, beside the same parameters', async () => {
  const results = [
    input({
      inputRequests: JSON.parse(`{ "a": ${JSON.stringify(ask('x'))}, "__proto__": { "method": "roots/list" } }`),
      requestState: 's "1" ü',
    }),
    input({ requestState: ' {"b": 2,\t"a": 1}\n' }),
    input({ requestState: '' }),
    input({ inputRequests: { b: ask('y') } }),
    done,
  ];
  const { client, wire } = await connect(modern(() => results.shift()), {
    onElicit: accept, roots: [{ uri: 'file:///a' }],
  });
  const result = await client.callTool('t', { q: 1 });
  assert.deepEqual(result.content, done.content);
  const calls = wire.sent.slice(1);
  assert.equal(new Set(calls.map(({ id }) => id)).size, 5);
  for (const { method, params } of calls) {
    assert.equal(method, 'tools/call');
    assert.equal(params?.['name'], 't');
    assert.deepEqual(params?.['arguments'], { q: 1 });
    const { progressToken, ...meta } = params?.['_meta'] as Record<string, unknown>;
    const { progressToken: first, ...metaOfFirst } = calls[0]?.params?.['_meta'] as Record<string, unknown>;
    assert.deepEqual(meta, metaOfFirst);
    assert.equal(typeof progressToken, typeof first);
  }
  const extras = calls.map(({ params = {} }) => {
    const { name: _, arguments: __, _meta, ...rest } = params;
    return rest;
  });
  assert.deepEqual(extras[0], {});
  assert.equal(JSON.stringify(extras[1]), JSON.stringify({
    inputResponses: JSON.parse(
      '{ "a": { "action": "accept", "content": { "name": "x" } }, "__proto__": { "roots": [{ "uri": "file:///a" }] } }',
    ),
    requestState: 's "1" ü',
  }));
  assert.deepEqual(extras[2], { requestState: ' {"b": 2,\t"a": 1}\n' });
  assert.deepEqual(extras[3], { requestState: '' });
  assert.deepEqual(extras[4], { inputResponses: { b: { action: 'accept', content: { name: 'y' } } } });
});

test('the state and the answers of a call go into no other call, beside it or after it', async () => {
  const { client, wire } = await connect(modern(({ params = {} }) => {
    const name = String(params['name']);
    const { requestState, inputResponses } = params;
    if (inputResponses) return { ...done, content: [{ type: 'text', text: JSON.stringify({ requestState, inputResponses }) }] };
    return input({ inputRequests: { [name]: ask(name) }, ...name !== 'c' && { requestState: `of ${name}` } });
  }), { onElicit: ({ message }) => ({ action: 'accept', content: { name: message } }) });
  const said = async (name: string): Promise<unknown> => (await client.callTool(name)).content;
  const told = (name: string, requestState?: string): unknown[] => [{
    type: 'text', text: JSON.stringify({ requestState, inputResponses: { [name]: { action: 'accept', content: { name } } } }),
  }];
  assert.deepEqual(await Promise.all([said('a'), said('b')]), [told('a', 'of a'), told('b', 'of b')]);
  // The first request of each call was sent before the second of the other.
  assert.deepEqual(wire.sent.slice(1).map(({ params }) => params?.['name']), ['a', 'b', 'a', 'b']);
  assert.deepEqual(await said('c'), told('c'));
  assert.deepEqual(wire.sent.slice(1).map(({ params }) => params?.['requestState']), [undefined, undefined, 'of a', 'of b', undefined, undefined]);
});

test('prompts and resources may ask; nothing else may', async () => {
  const once = (): Script =>
    modern((sent) => (sent.params?.['requestState'] === 's' ? done : input({ requestState: 's' })));
  await (await connect(once())).client.getPrompt('p');
  await (await connect(once())).client.readResource('a:b');
  await assert.rejects((await connect(once())).client.listTools(), /tools\/list: the server asks for input/);
});

test('questions that come together are asked together', async () => {
  const open: string[] = [];
  let release = (): void => {};
  const both = new Promise<void>((resolve) => { release = resolve; });
  const { client } = await connect(modern((sent) =>
    sent.params?.['inputResponses'] ? done : input({ inputRequests: { a: ask('a'), b: ask('b') } })), {
    onElicit: async ({ message }) => {
      open.push(message);
      if (open.length === 2) release();
      await both;
      return accept();
    },
  });
  await client.callTool('t');
  assert.deepEqual(open, ['a', 'b']);
});

test('a handler that fails fails the call, and stops the other questions', async () => {
  let stopped: Promise<unknown> | undefined;
  const { client, wire } = await connect(modern(() => input({ inputRequests: { a: ask('a'), b: ask('b') } })), {
    onElicit: ({ message }, { signal }) => {
      if (message === 'b') throw new Error('no person here');
      stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
      return new Promise(() => {});
    },
  });
  await assert.rejects(client.callTool('t'), /no person here/);
  await stopped;
  assert.equal(wire.sent.length, 2);
});

test('a form that is answered with what does not fit it fails the call, and nothing of it goes out', async () => {
  const { client, wire } = await connect(modern(() => input({ inputRequests: { a: ask('a') } })), {
    onElicit: () => ({ action: 'accept', content: { name: 5 } }),
  });
  await assert.rejects(client.callTool('t'), /the content of the form is not valid: "name" /);
  assert.equal(wire.sent.length, 2);
});

test('cancelling the call stops its questions', async () => {
  const controller = new AbortController();
  let stopped: Promise<unknown> | undefined;
  const { client, wire } = await connect(modern(() => input({ inputRequests: { a: ask('a') } })), {
    onElicit: (_form, { signal }) => {
      stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
      queueMicrotask(() => controller.abort(new Error('enough')));
      return new Promise(() => {});
    },
  });
  await assert.rejects(client.callTool('t', {}, { signal: controller.signal }), /enough/);
  await stopped;
  assert.equal(wire.sent.length, 2);
});

test('what was not declared, and what is no question, fails the call', async () => {
  for (const [request, pattern] of [
    [ask('a'), /did not declare/], [{ method: 'ping' }, /inputRequests\["k"\] is not an input request/],
    [5, /not an input request/],
    [{ method: 'tasks/x' }, /Method not found/],
  ] as const) {
    const { client, wire } = await connect(modern(() => input({ inputRequests: { k: request } })));
    await assert.rejects(client.callTool('t'), pattern);
    assert.equal(wire.sent.length, 2);
  }
  for (const odd of [{}, { inputRequests: [] }, { inputRequests: 5 }, { requestState: 5 }]) {
    const { client } = await connect(modern(() => input(odd)));
    await assert.rejects(client.callTool('t'), /tools\/call: /);
  }
});

test('rounds are bounded, and a server that asks nothing is asked again after a while', async (t) => {
  const waits: number[] = [];
  const real = globalThis.setTimeout;
  // The waits between rounds pass at once; the timeout of a request does not.
  t.mock.method(globalThis, 'setTimeout', (done: () => void, ms: number) => {
    if (ms >= 60_000) return real(done, ms);
    waits.push(ms);
    return setImmediate(done);
  });
  for (const [options, calls] of [[{}, 11], [{ limits: { maxRounds: 2 } }, 3]] as const) {
    let asked = 0;
    const { client, wire } = await connect(modern(() => (++asked > 2 * calls ? done : input({ requestState: 's' }))), options);
    await assert.rejects(client.callTool('t'), /asked for input more than \d+ times/);
    assert.equal(wire.sent.length - 1, calls);
  }
  const waited = waits.filter((ms) => ms !== 3000);
  assert.deepEqual(waited, [100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000, 5000, 100, 200]);
});

test('the questions of one round are bounded', async () => {
  const inputRequests = Object.fromEntries([1, 2, 3].map((n) => [n, { method: 'roots/list' }]));
  const { client } = await connect(modern(() => input({ inputRequests })), { limits: { maxQuestions: 2 } });
  await assert.rejects(client.callTool('t'), /asks 3 questions at once; the limit is 2/);
});

test('a call that is cancelled while it waits to be asked again rejects at once', async () => {
  const controller = new AbortController();
  const { client } = await connect(modern(() => {
    setImmediate(() => controller.abort(new Error('enough')));
    return input({ requestState: 's' });
  }));
  await assert.rejects(client.callTool('t', {}, { signal: controller.signal }), /enough/);
});

test('the questions of one round are bounded (maxQuestions)', async () => {
  let answered = 0;
  const inputRequests = Object.fromEntries(Array.from({ length: 4 }, (_, n) => [`q${n}`, ask('a')]));
  const { client } = await connect(modern(() => input({ inputRequests })), {
    limits: { maxQuestions: 3 },
    onElicit() {
      answered++;
      return { action: 'cancel' };
    },
  });
  await assert.rejects(client.callTool('t'), /asks 4 questions at once; the limit is 3/);
  assert.equal(answered, 0);
});

test('an unknown type of result is an error, an absent one is complete, a legacy one says nothing', async () => {
  const other = { resultType: 'org.example/other', content: [] };
  const { client } = await connect(modern(() => other));
  for (const [method, call] of [
    ['tools/call', () => client.callTool('t')], ['prompts/get', () => client.getPrompt('p')], ['resources/read', () => client.readResource('a:b')],
    ['tools/list', () => client.listTools()], ['resources/list', () => client.listResources()], ['prompts/list', () => client.listPrompts()],
    ['completion/complete', () => client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'n', value: '' })],
    ['org.example/do', () => client.request('org.example/do')],
  ] as const) {
    await assert.rejects(call(), { message: `${method}: the result has the unknown type "org.example/other"` });
  }
  const then = await connect(modern(({ params }) => (params?.['requestState'] ? other : input({ requestState: 's' }))));
  await assert.rejects(then.client.callTool('t'), /the result has the unknown type "org.example\/other"/);
  const odd = await connect(modern(() => ({ ...other, resultType: 'constructor' })), {
    extensions: { 'org.example/x': { resultTypes: {} } },
  });
  await assert.rejects(odd.client.callTool('t'), /unknown type "constructor"/);
  const absent = await connect(modern(() => ({ content: [] })));
  assert.deepEqual(await absent.client.callTool('t'), { content: [] });
  const late = await connect(modern(({ params }) => (params?.['requestState'] ? { content: [] } : input({ requestState: 's' }))));
  assert.deepEqual(await late.client.callTool('t'), { content: [] });
  const old = await connect(legacy(() => other));
  assert.deepEqual(await old.client.callTool('t'), other);
});

test('an extension takes results of its own type, also after rounds', async () => {
  const script: Script = (sent: Sent) => (sent.params?.['requestState'] ? { resultType: 'task', taskId: 5 } : input({ requestState: 's' }));
  const call = async (theirs: object, revisions?: string[]): Promise<object> => {
    const { client } = await connect(modern(script, { ...everything, ...theirs }), {
      extensions: {
        'org.example/tasks': { revisions, resultTypes: { task: async ({ taskId }, method) => ({ content: [], taskId, method }) } },
      },
    });
    return client.callTool('t');
  };
  const both = { extensions: { 'org.example/tasks': {} } };
  assert.deepEqual(await call(both), { content: [], taskId: 5, method: 'tools/call' });
  // 2026-07-28 basic/index#resulttype: only the types of extensions that both sides declare count.
  for (const [theirs, revisions] of [
    [{}], [{ extensions: {} }], [{ extensions: { 'org.example/other': {} } }], [{ extensions: null }], [both, ['2025-11-25']],
  ] as const) {
    await assert.rejects(call(theirs, revisions && [...revisions]), { message: 'tools/call: the result has the unknown type "task"' });
  }
});

test('questions of one round are bounded', async () => {
  const many = (count: number): object => Object.fromEntries(
    Array.from({ length: count }, (_, key) => [`k${key}`, { method: 'roots/list' }]),
  );
  for (const [options, limit] of [[{}, 100], [{ limits: { maxQuestions: 2 } }, 2]] as const) {
    const { client } = await connect(modern(() => input({ inputRequests: many(limit + 1) })), options);
    await assert.rejects(client.callTool('t'), { message: `tools/call: the server asks ${limit + 1} questions at once; the limit is ${limit}` });
  }
});
