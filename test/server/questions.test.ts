import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mockClock } from '../mock-clock.ts';
import { ask, McpServer, MissingCapabilityError, NotAnswered } from '../../src/server/index.ts';
import { accept, asked, connect, everything, later, textOf } from './peer.ts';
import type { Bag, Peer, Said } from './peer.ts';

// Questions in a legacy session, sent as requests to the client. For the modern era, see rounds.test.ts.

const info = { name: 'test', version: '1' };
const revision = '2025-11-25';
const name = { name: { type: 'string', minLength: 2 } } as const;

test('an answer that does not fit is asked for again with the reason, three times in all', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_args, ctx) => {
    const answer = await ctx.elicit('Name?', name);
    return answer.action === 'accept' ? answer.content.name : answer.action;
  });
  const peer = await connect(server, { revision });

  const third = peer.call('ask');
  for (const content of [{ name: 'x' }, {}, { name: 'Ada' }]) peer.answer(await peer.next(), accept(content));
  assert.equal(textOf(await third), 'Ada');

  const never = peer.call('ask');
  const messages: unknown[] = [];
  for (const answer of [accept({ name: 'x' }), {}, accept({ name: 7 })]) {
    const question = await peer.next();
    messages.push(question.params?.['message']);
    peer.answer(question, answer);
  }
  assert.deepEqual(messages, [
    'Name?',
    'Name?\n\nThe last answer could not be used: name length must be at least 2',
    'Name?\n\nThe last answer could not be used: it has no action',
  ]);
  assert.match(textOf(await never), /^failed: elicitation\/create: no usable answer after 3 attempts: name /);
  assert.deepEqual(await peer.rest(), []);
});

test('questions that are open together are answered in any order', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_args, ctx) => {
    const answers = await Promise.all(['a', 'b', 'c'].map((which) => ctx.elicit(which, { value: { type: 'string' } })));
    return answers.map((answer) => (answer.action === 'accept' ? answer.content.value : answer.action)).join();
  });
  const peer = await connect(server, { revision });
  const result = peer.call('ask');
  const questions: Said[] = [await peer.next(), await peer.next(), await peer.next()];
  for (const question of questions.reverse()) {
    peer.answer(question, accept({ value: `${question.params?.['message'] as string}!` }));
  }
  assert.equal(textOf(await result), 'a!,b!,c!');
});

test('a question that the client cannot answer is an error that the handler may catch', async () => {
  const server = new McpServer(info);
  const kinds = {
    elicit: (ctx) => ctx.elicit('Name?', name),
    elicitUrl: (ctx) => ctx.elicitUrl('Go.', 'https://example.com/'),
    sample: (ctx) => ctx.sample({ messages: [], maxTokens: 1 }),
    sampleTools: (ctx) =>
      ctx.sample({ messages: [], maxTokens: 1, tools: [{ name: 't', inputSchema: { type: 'object' } }] }),
    sampleChoice: (ctx) => ctx.sample({ messages: [], maxTokens: 1, toolChoice: { mode: 'auto' } }),
    sampleNoTools: (ctx) => ctx.sample({ messages: [], maxTokens: 1, tools: [] }),
    roots: (ctx) => ctx.roots(),
  } satisfies Record<string, (ctx: Parameters<Parameters<typeof server.tool>[2]>[1]) => Promise<unknown>>;
  for (const [kind, put] of Object.entries(kinds)) {
    server.tool(`${kind} caught`, {}, async (_args, ctx) => put(ctx).then(() => 'answered', (error: unknown) =>
      `${error instanceof MissingCapabilityError} ${JSON.stringify((error as MissingCapabilityError).data)}`));
    server.tool(kind, {}, async (_args, ctx) => `${await put(ctx)}`);
  }
  const missing: Record<keyof typeof kinds, Bag> = {
    elicit: { elicitation: { form: {} } },
    elicitUrl: { elicitation: { url: {} } },
    sample: { sampling: {} },
    sampleTools: { sampling: {} },
    sampleChoice: { sampling: {} },
    sampleNoTools: { sampling: {} },
    roots: { roots: {} },
  };
  const legacy = await connect(server, { revision, capabilities: {} });
  for (const [kind, requiredCapabilities] of Object.entries(missing)) {
    assert.equal(textOf(await legacy.callUnasked(`${kind} caught`)), `true ${JSON.stringify({ requiredCapabilities })}`);
    assert.match(textOf(await legacy.callUnasked(kind)), /^failed: The client did not declare/);
    // 2026-07-28 basic/index#error-codes: if the handler does not catch it, it is the response.
    assert.equal(
      textOf(await legacy.modern('tools/call', { name: `${kind} caught` }, {})),
      `true ${JSON.stringify({ requiredCapabilities })}`,
    );
    const { error } = await legacy.modern('tools/call', { name: kind }, {});
    assert.deepEqual([error?.code, error?.data], [-32021, { requiredCapabilities }]);
  }
  assert.deepEqual(await legacy.rest(), []);
  const urlOnly = await connect(server, { revision, capabilities: { elicitation: { url: {} }, sampling: {} } });
  assert.match(textOf(await urlOnly.callUnasked('elicit')), /^failed: /);
  const formOnly = await connect(server, { revision, capabilities: { elicitation: { form: {} } } });
  assert.match(textOf(await formOnly.callUnasked('elicitUrl')), /^failed: .*elicitation by URL/);
  for (const kind of ['sampleTools', 'sampleChoice', 'sampleNoTools']) {
    assert.match(textOf(await urlOnly.callUnasked(kind)), /^failed: .*tools in sampling/);
    const { error } = await urlOnly.modern('tools/call', { name: kind }, { sampling: {} });
    assert.deepEqual(error?.data, { requiredCapabilities: { sampling: { tools: {} } } });
  }
  // One mode does not include the other; a declaration without a mode means forms.
  for (const [kind, elicitation, needed] of [['elicit', { url: {} }, { form: {} }], ['elicitUrl', { form: {} }, { url: {} }], ['elicitUrl', {}, { url: {} }]] as const) {
    const { error } = await urlOnly.modern('tools/call', { name: kind }, { elicitation });
    assert.deepEqual(error?.data, { requiredCapabilities: { elicitation: needed } });
  }
});

test('what was declared to a revision that has no such question is not used', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_args, ctx) => (await ctx.elicit('Name?', name)).action);
  server.tool('visit', {}, async (_args, ctx) => (await ctx.elicitUrl('Go.', 'https://example.com/')).action);
  server.tool('sample', {}, async (_args, ctx) => (await ctx.sample({ messages: [], maxTokens: 1, tools: [] })).model);
  const peer = await connect(server, { revision: '2025-03-26' });
  assert.match(textOf(await peer.call('ask')), /^failed: The client did not declare/);
  const formsOnly = await connect(server, { revision: '2025-06-18' });
  assert.match(textOf(await formsOnly.callUnasked('visit')), /^failed: The client did not declare/);
  assert.match(textOf(await formsOnly.callUnasked('sample')), /^failed: The client did not declare that it supports tools in sampling/);
});

test('a form that a revision cannot show is the author\'s error, and names the property', async () => {
  const errors: string[] = [];
  const server = new McpServer(info, { onError: ({ message }) => errors.push(message) });
  server.tool('ask', {}, async (_args, ctx) =>
    (await ctx.elicit('Which?', { which: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } })).action);
  const peer = await connect(server, { revision: '2025-06-18' });
  assert.match(textOf(await peer.call('ask')), /^failed: ask failed \(id/);
  assert.match(errors[0] ?? '', /^the form cannot be sent in 2025-06-18: which: /);
});

test('questions wait until the client has said that it is ready', async () => {
  const server = new McpServer(info);
  server.tool('form', {}, async (_args, ctx) => (await ctx.elicit('Name?', name)).action);
  server.tool('page', {}, async (_args, ctx) => (await ctx.elicitUrl('Go.', 'https://example.com/')).action);
  server.tool('sample', {}, async (_args, ctx) => (await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 1 })).model);
  server.tool('roots', {}, async (_args, ctx) => `${(await ctx.roots()).length} roots`);
  for (const [tool, method, given, said] of [
    ['form', 'elicitation/create', { action: 'decline' }, 'decline'], ['page', 'elicitation/create', { action: 'cancel' }, 'cancel'],
    ['sample', 'sampling/createMessage', { role: 'assistant', content: { type: 'text', text: '' }, model: 'm' }, 'm'], ['roots', 'roots/list', { roots: [] }, '0 roots'],
  ] as const) {
    const peer = await connect(server);
    await peer.request('initialize', { protocolVersion: revision, capabilities: everything, clientInfo: info });
    const result = peer.call(tool);
    assert.deepEqual(await peer.rest(), [], tool);
    peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const question = await peer.next();
    assert.equal(question.method, method);
    peer.answer(question, given);
    assert.equal(textOf(await result), said);
  }
});

test('a cancelled call aborts the signal, and takes its question back', async () => {
  const server = new McpServer(info);
  const ended = later<unknown>();
  server.tool('ask', {}, async (_args, ctx) => {
    try {
      await ctx.elicit('Name?', name);
    } catch (error) {
      ended.resolve([ctx.signal.aborted, (ctx.signal.reason as Error).name, (error as Error).message]);
      throw error;
    }
    return 'never';
  });
  const peer = await connect(server, { revision });
  void peer.request('tools/call', { name: 'ask' }, 'call');
  const question = await peer.next();
  peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'call', reason: 'enough' } });
  assert.deepEqual(await ended.promise, [true, 'Cancelled', 'enough']);
  assert.deepEqual(await peer.rest(), [
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: question.id, reason: 'enough' } },
  ]);
});

test('a question that is not answered in time fails, and is taken back', async () => {
  const errors: string[] = [];
  const server = new McpServer(info, {
    limits: { questionTimeoutMs: 5 }, onError: ({ message }) => errors.push(message),
  });
  server.tool('ask', {}, async (_args, ctx) => (await ctx.elicit('Name?', name)).action);
  const peer = await connect(server, { revision });
  const answer = await peer.call('ask');
  assert.match(textOf(answer), /^failed: ask failed \(id/);
  assert.match(errors[0] ?? '', /^elicitation\/create: no answer within 5 ms/);
  assert.deepEqual((await peer.rest()).map(({ method }) => method), ['elicitation/create', 'notifications/cancelled']);
});

// 2025-11-25 basic/lifecycle#timeouts: a longest time holds, whatever the progress.
test('a client that reports progress on a question gets no more time for it', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const server = new McpServer(info, { limits: { questionTimeoutMs: 1000 }, onError: () => {} });
  server.tool('ask', {}, (_args, ctx) => ctx.elicit('Name?', name).then(({ action }) => action, ({ message }: Error) => message));
  const peer = await connect(server, { revision });
  const answer = peer.call('ask');
  const { id } = await peer.next();
  t.mock.timers.tick(999);
  peer.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
  t.mock.timers.tick(1);
  assert.match(textOf(await answer), /^elicitation\/create: no answer within 1000 ms/);
});

test('a question has five minutes where no time is given', async (t) => {
  mockClock(t.mock, { apis: ['setTimeout', 'Date'] });
  const server = new McpServer(info, { onError: () => {} });
  server.tool('ask', {}, (_args, ctx) => ctx.elicit('Name?', name).then(({ action }) => action, ({ message }: Error) => message));
  const peer = await connect(server, { revision });
  const answer = peer.call('ask');
  const { id } = await peer.next();
  t.mock.timers.tick(299_999);
  assert.deepEqual(await peer.rest(), []);
  t.mock.timers.tick(1);
  assert.match(textOf(await answer), /^elicitation\/create: no answer within 300000 ms/);
  assert.deepEqual((await peer.rest()).map(({ method, params }) => [method, params?.['requestId']]), [['notifications/cancelled', id]]);
});

test('a connection that ends fails the questions that are open', async () => {
  const server = new McpServer(info);
  const failed = later<Error>();
  server.tool('ask', {}, async (_args, ctx) => {
    await ctx.elicit('Name?', name).catch((error: Error) => failed.resolve(error));
    return '';
  });
  const peer = await connect(server, { revision });
  void peer.call('ask');
  await peer.next();
  peer.close();
  assert.match((await failed.promise).message, /clos/);
});

test('a generator yields its questions, alone and several together, and tells no from nothing', async () => {
  const server = new McpServer(info);
  server.tool('interview', {}, function* () {
    try {
      const [who, sure] = (yield [ask.text('Who?'), ask.confirm('Sure?')]) as [string, boolean];
      const colour = yield* ask.select('Colour?', ['red', 'blue']);
      return `${who} ${sure} ${colour}`;
    } catch (error) {
      if (!(error instanceof NotAnswered)) throw error;
      return `not answered: ${error.action}`;
    }
  });
  const peer = await connect(server, { revision });

  const full = peer.call('interview');
  const both = [await peer.next(), await peer.next()];
  peer.answer(both[1] as Said, accept({ value: true }));
  peer.answer(both[0] as Said, accept({ value: 'Ada' }));
  const colour = await peer.next();
  assert.deepEqual(colour.params?.['requestedSchema'], {
    type: 'object', properties: { value: { type: 'string', enum: ['red', 'blue'] } }, required: ['value'],
  });
  peer.answer(colour, accept({ value: 'red' }));
  assert.equal(textOf(await full), 'Ada true red');

  for (const action of ['decline', 'cancel']) {
    const ended = peer.call('interview');
    const [first, second] = [await peer.next(), await peer.next()];
    peer.answer(first, { action });
    peer.answer(second, accept({ value: true }));
    assert.equal(textOf(await ended), `not answered: ${action}`);
  }
});

test('ask: a date, an email address and several choices are forms of one field', async () => {
  const server = new McpServer(info);
  server.tool('interview', {}, function* () {
    const day = yield* ask.date('When?', { default: '2026-05-01' });
    const mail = yield* ask.email('Where to?');
    const some = yield* ask.selectMany('Which?', ['red', 'green', 'blue'], { minItems: 1, default: ['green'] });
    return `${day} ${mail} ${some.join('+')}`;
  });
  for (const rich of [true, false]) {
    const peer = await connect(server, { revision: rich ? '2025-11-25' : '2025-06-18' });
    const result = peer.call('interview');
    const asked = await peer.next();
    const schema = (said: Said): Record<string, unknown> => (said.params?.['requestedSchema'] as { properties: Record<string, Record<string, unknown>> }).properties;
    assert.deepEqual((schema(asked)['value'] as Record<string, unknown>)['format'], 'date');
    peer.answer(asked, accept({ value: '1 May' }));
    const again = await peer.next();
    assert.match(String(again.params?.['message']), /could not be used: value/);
    peer.answer(again, accept({ value: '2026-05-02' }));
    const mail = await peer.next();
    assert.deepEqual((schema(mail)['value'] as Record<string, unknown>)['format'], 'email');
    peer.answer(mail, accept({ value: 'ada@example.com' }));
    const which = await peer.next();
    if (rich) {
      assert.deepEqual(schema(which), { value: { type: 'array', items: { type: 'string', enum: ['red', 'green', 'blue'] }, minItems: 1, default: ['green'] } });
      peer.answer(which, accept({ value: [] }));
      peer.answer(await peer.next(), accept({ value: ['blue', 'red'] }));
    } else {
      assert.deepEqual(schema(which)['choice2'], { type: 'boolean', title: 'green', default: true });
      peer.answer(which, accept({ choice1: false, choice2: false, choice3: false }));
      peer.answer(await peer.next(), accept({ choice1: true, choice2: false, choice3: true }));
    }
    assert.equal(textOf(await result), '2026-05-02 ada@example.com red+blue');
  }
});

test('ask.secret sends the person to a page over TLS, and never to a form', async () => {
  const server = new McpServer(info);
  server.tool('key', {}, function* () {
    yield* ask.secret('Enter your key there', 'https://keys.example/enter');
    return 'entered';
  });
  const peer = await connect(server, { revision: '2025-11-25' });
  const result = peer.call('key');
  const asked = await peer.next();
  const { params } = asked;
  assert.deepEqual([params?.['mode'], params?.['url'], params?.['requestedSchema']], ['url', 'https://keys.example/enter', undefined]);
  peer.answer(asked, { action: 'accept' });
  assert.equal(textOf(await result), 'entered');
  assert.throws(() => ask.secret('?', 'http://keys.example/'), /is not an https address/);
  assert.throws(() => ask.secret('?', 'javascript:alert(1)'), TypeError);
  for (const url of ['http://127.0.0.1:8080/', 'http://localhost/', 'http://[::1]:1/']) ask.secret('?', url);
});

test('an asynchronous generator may wait between its questions', async () => {
  const server = new McpServer(info);
  server.tool('interview', {}, async function* () {
    const first = yield* ask.number('A number?');
    const doubled = await Promise.resolve(first * 2);
    const sure = yield* ask.confirm(`${doubled}?`);
    return `${doubled} ${sure}`;
  });
  const peer = await connect(server, { revision });
  const result = peer.call('interview');
  peer.answer(await peer.next(), accept({ value: 21 }));
  const second = await peer.next();
  assert.equal(second.params?.['message'], '42?');
  peer.answer(second, accept({ value: false }));
  assert.equal(textOf(await result), '42 false');
});

test('once makes a value once, whoever asks for it and when', async () => {
  const server = new McpServer(info);
  let made = 0;
  server.tool('once', {}, async (_args, ctx) => {
    const values = await Promise.all([ctx.once('key', async () => ++made), ctx.once('key', () => ++made)]);
    values.push(await ctx.once('key', () => ++made), await ctx.once('__proto__', () => 7));
    return values.join();
  });
  const peer = await connect(server, { revision });
  assert.equal(textOf(await peer.call('once')), '1,1,1,7');
  assert.equal(textOf(await peer.call('once')), '2,2,2,7');
});

test('what once could not make is tried again', async () => {
  const server = new McpServer(info);
  let attempts = 0;
  server.tool('once', {}, async (_args, ctx) => {
    const make = (): string => {
      if (++attempts === 1) throw new Error('not yet');
      return 'made';
    };
    await ctx.once('key', make).catch(() => {});
    return ctx.once('key', make);
  });
  const peer = await connect(server, { revision });
  assert.equal(textOf(await peer.call('once')), 'made');
});

test('an answer that nobody asked for is reported, and dropped', async () => {
  const errors: Error[] = [];
  const server = new McpServer(info, { onError: (error) => errors.push(error) });
  const peer = await connect(server, { revision });
  peer.send({ jsonrpc: '2.0', id: 99, result: {} });
  peer.send({ jsonrpc: '2.0', id: 'x', error: { code: 1, message: 'what' } });
  assert.equal((await peer.request('ping')).error, undefined);
  assert.deepEqual(errors.map(({ message }) => message), [
    'a response to a request that was not sent (id 99)',
    'a response to a request that was not sent (id "x"): what',
  ]);
});

test('a page to visit has a URL, and an id that no other question has', async (t) => {
  const errors: string[] = [];
  const server = new McpServer(info, { onError: ({ message }) => errors.push(message) });
  server.tool('visit', {
    input: { type: 'object', properties: { url: { type: 'string' }, id: { type: 'string' } } },
  }, async ({ url = 'https://example.com/', id }, ctx) =>
    (await ctx.elicitUrl('Visit', url, { key: 'same', elicitationId: id })).action);
  const peer = await connect(server, { revision });
  for (const url of ['not a url', '', '/sign-in', '//example.com/', 'example.com/sign-in', 'https://']) {
    assert.match(textOf(await peer.callUnasked('visit', { url })), /visit failed/, url);
  }
  assert.match(errors[0] ?? '', /elicitUrl: "not a url" is not a URL/);
  assert.match(textOf(await (await connect(server)).modern('tools/call', {
    name: 'visit', arguments: { url: 'not a url' },
  })), /visit failed/);
  const calls = [peer.call('visit'), peer.call('visit'), peer.call('visit', { id: 'mine' })];
  const ids: unknown[] = [];
  for (let n = 0; n < 3; n++) {
    const question = await peer.next();
    ids.push(question.params?.['elicitationId']);
    peer.answer(question, { action: 'accept' });
  }
  assert.deepEqual((await Promise.all(calls)).map(textOf), ['accept', 'accept', 'accept']);
  assert.equal(ids[2], 'mine');
  const visits = async (one: Peer): Promise<void> => {
    for (let n = 0; n < 20; n++) {
      const call = one.call('visit');
      const question = await one.next();
      ids.push(question.params?.['elicitationId']);
      one.answer(question, { action: 'accept' });
      await call;
    }
  };
  // Ids are unique in the server, not only on a connection.
  for (const one of [peer, await connect(server, { revision })]) await visits(one);
  // Without `randomUUID` the server makes ids in another way.
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: undefined, configurable: true });
  t.after(() => Reflect.deleteProperty(globalThis.crypto, 'randomUUID'));
  await visits(peer);
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every((id) => typeof id === 'string' && id !== ''));
});

test('messages that a client could not send to its model are the author\'s error', async () => {
  const errors: string[] = [];
  const server = new McpServer(info, { onError: ({ message }) => errors.push(message) });
  let messages: unknown;
  server.tool('sample', {}, async (_args, ctx) => {
    await ctx.sample({ messages: messages as never, maxTokens: 1 });
    return 'asked';
  });
  const text = { type: 'text', text: 'x' };
  const use = { type: 'tool_use', id: 'u', name: 'add', input: {} };
  const second = { ...use, id: 'v' };
  const result = { type: 'tool_result', toolUseId: 'u', content: [text] };
  const peer = await connect(server, { revision });
  const faults: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /messages must be a list/],
    [[{ role: 'system', content: text }], /messages\[0\]\.role/],
    [[{ role: 'user' }], /messages\[0\]\.content/],
    [[{ role: 'user', content: text }, { content: text }], /messages\[1\]\.role/],
    [[{ role: 'user', content: text }, { role: 'assistant', content: 'x' }], /messages\[1\]\.content/],
    [[{ role: 'user', content: [] }], /messages\[0\]\.content/],
    [[{ role: 'assistant', content: use }, { role: 'user', content: [result, text] }], /messages\[1\] mixes tool results/],
    [[{ role: 'assistant', content: use }, { role: 'user', content: text }], /messages\[1\]: tool result missing in request, for the tool use "u"/],
    [[{ role: 'assistant', content: use }], /messages: tool result missing in request, for the tool use "u"/],
    [[{ role: 'assistant', content: [use, second] }, { role: 'user', content: [result] }], /messages\[1\]: tool result missing in request, for the tool use "v"/],
    [[{ role: 'user', content: result }], /messages\[0\] has a tool result without its tool use/],
    [[{ role: 'assistant', content: use }, { role: 'user', content: [result, { ...result, toolUseId: 'v' }] }], /messages\[1\] has a tool result without its tool use/],
    [[{ role: 'assistant', content: use }, { role: 'user', content: result }, { role: 'assistant', content: text }, { role: 'user', content: result }], /messages\[3\] has a tool result without its tool use/],
    [[{ role: 'user', content: use }], /messages\[0\]\.content: tool_use is not allowed for the user/],
  ];
  for (const [given, why] of faults) {
    messages = given;
    assert.match(textOf(await peer.callUnasked('sample')), /sample failed/);
    assert.match(errors.pop() ?? '', why);
  }
  messages = [{ role: 'assistant', content: [text, use] }, { role: 'user', content: [result] }];
  const call = peer.call('sample');
  peer.answer(await peer.next(), { role: 'assistant', content: text, model: 'm' });
  assert.equal(textOf(await call), 'asked');
});

test('includeContext is left out for a client that did not declare it', async () => {
  const server = new McpServer(info);
  let includeContext: 'none' | 'thisServer' | 'allServers' = 'none';
  server.tool('sample', {}, async (_args, ctx) => {
    await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 1, includeContext }, { key: 'k' });
    return 'asked';
  });
  for (includeContext of ['thisServer', 'allServers'] as const) {
    for (const [sampling, expected] of [[{}, undefined], [{ tools: {} }, undefined], [{ context: {} }, includeContext]] as const) {
      const peer = await connect(server, { revision, capabilities: { sampling } });
      void peer.call('sample');
      assert.equal((await peer.next()).params?.['includeContext'], expected);
      const answer = await peer.modern('tools/call', { name: 'sample' }, { sampling });
      assert.equal(asked(answer)['k']?.params['includeContext'], expected);
      // An open question would keep its timer.
      peer.close();
    }
  }
});
