import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, LeftBehind, McpServer, NotAnswered, ToolError } from '../../src/server/index.ts';
import type { Question } from '../../src/server/index.ts';
import type { LoggingLevel } from '../../src/protocol/index.ts';
import { accept, asked, connect, later, modernMeta, textOf } from './peer.ts';
import type { Answer, Bag, Peer } from './peer.ts';

// Questions in the modern era: the result has them, and the client repeats the request with the answers. 2026-07-28 basic/patterns/mrtr.
// For attacks on the state, see request-state.test.ts.

const info = { name: 'test', version: '1' };
const text = { value: { type: 'string' } } as const;

/** Calls a tool repeatedly, with one set of answers each round. Returns the last answer, and each round's questions. */
async function rounds(peer: Peer, name: string, ...answers: Bag[]): Promise<{ last: Answer; questions: string[][] }> {
  let last = await peer.modern('tools/call', { name });
  const questions = [Object.keys(asked(last))];
  for (const inputResponses of answers) {
    last = await peer.modern('tools/call', { name, inputResponses, requestState: last.result?.['requestState'] });
    questions.push(Object.keys(asked(last)));
  }
  return { last, questions };
}

test('questions without keys are told apart by their place', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_args, ctx) => {
    const values: string[] = [];
    for (const message of ['a', 'b']) {
      const answer = await ctx.elicit(message, text);
      values.push(answer.action === 'accept' ? answer.content.value : answer.action);
    }
    values.push(`${(await ctx.roots()).length}`);
    return values.join();
  });
  const peer = await connect(server);
  const { last, questions } = await rounds(peer, 'ask',
    { 'elicitation/create#1': accept({ value: 'A' }) },
    { 'elicitation/create#2': accept({ value: 'B' }) },
    { 'roots/list#1': { roots: [] } },
  );
  assert.deepEqual(questions, [['elicitation/create#1'], ['elicitation/create#2'], ['roots/list#1'], []]);
  assert.equal(textOf(last), 'A,B,0');
  assert.equal('requestState' in (last.result ?? {}), false);
});

test('questions that open in the same turn go out together, also after other waiting', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_args, ctx) => {
    const one = async (key: string): Promise<string> => {
      await Promise.resolve();
      return (await ctx.elicit(key, text, { key })).action;
    };
    return (await Promise.all([one('a'), one('b'), one('c')])).join();
  });
  const peer = await connect(server);
  const { last, questions } = await rounds(peer, 'ask', {
    c: accept({ value: '' }), a: { action: 'decline' }, b: { action: 'cancel' },
  });
  assert.deepEqual(questions, [['a', 'b', 'c'], []]);
  assert.equal(textOf(last), 'decline,cancel,accept');
});

test('an answer that does not fit is asked for again with the reason, three times in all', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_args, ctx) =>
    (await ctx.elicit('Number?', { n: { type: 'integer' } }, { key: 'n' })).action);
  const peer = await connect(server);
  let answer = await peer.modern('tools/call', { name: 'ask' });
  const messages: unknown[] = [];
  for (const wrong of [accept({ n: 1.5 }), accept({}), accept({ n: 'x' })]) {
    messages.push(asked(answer)['n']?.params['message']);
    answer = await peer.modern('tools/call', {
      name: 'ask', inputResponses: { n: wrong }, requestState: answer.result?.['requestState'],
    });
  }
  assert.equal(messages[0], 'Number?');
  assert.match(String(messages[1]), /^Number\?\n\nThe last answer could not be used: n must be a whole number/);
  assert.match(String(messages[2]), /could not be used: n /);
  assert.match(textOf(answer), /^failed: elicitation\/create: no usable answer after 3 attempts/);
});

test('an answer of each kind is checked, and asked for again where it does not fit', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_args, ctx) => {
    const [form, page, said, roots] = await Promise.all([
      ctx.elicit('?', text, { key: 'form' }), ctx.elicitUrl('Go.', 'https://example.com/', { key: 'page' }),
      ctx.sample({ messages: [], maxTokens: 1 }, { key: 'model' }), ctx.roots({ key: 'roots' }),
    ]);
    return `${form.action} ${page.action} ${said.model} ${roots.length}`;
  });
  const peer = await connect(server);
  const message = { role: 'assistant', content: { type: 'text', text: 'ok' }, model: 'm' };
  const good = { form: { action: 'decline' }, page: { action: 'accept' }, model: message, roots: { roots: [{ uri: 'file:///a' }] } };
  const bad: Record<keyof typeof good, unknown[]> = {
    form: [{}, { action: 'maybe' }, { action: 'accept', content: { value: 7 } }, 'accept'],
    page: [{}, { action: 'maybe' }, []],
    model: [{}, { ...message, role: 'system' }, { ...message, content: 'ok' }, { ...message, model: undefined }, null],
    roots: [{}, { roots: {} }, { roots: [{ name: 'a' }] }, { roots: ['file:///a'] }, [{ uri: 'file:///a' }]],
  };
  for (const [key, wrong] of Object.entries(bad)) {
    for (const answer of wrong) {
      const { last, questions } = await rounds(peer, 'ask', { ...good, [key]: answer }, { [key]: good[key as keyof typeof good] });
      assert.deepEqual(questions, [['form', 'page', 'model', 'roots'], [key], []], `${key}: ${JSON.stringify(answer)}`);
      assert.equal(textOf(last), 'decline accept m 1');
    }
  }
});

test('a missing answer is asked for again, as it was', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_args, ctx) => (await ctx.elicit('?', text, { key: 'k' })).action);
  const peer = await connect(server);
  const { last, questions } = await rounds(
    peer, 'ask', {}, { other: accept({ value: '' }) }, { k: null as never }, { k: accept({ value: 'x' }) },
  );
  assert.deepEqual(questions, [['k'], ['k'], ['k'], ['k'], []]);
  assert.equal(textOf(last), 'accept');
  // Of several questions only the missing ones are asked again, whatever their kinds.
  server.tool('several', {}, async (_args, ctx) => {
    const [a, b, roots] = await Promise.all([ctx.elicit('a?', text, { key: 'a' }), ctx.elicit('b?', text, { key: 'b' }), ctx.roots({ key: 'c' })]);
    return `${a.action} ${b.action} ${roots.length}`;
  });
  const several = await rounds(peer, 'several', { b: { action: 'decline' } }, { c: { roots: [] } }, { a: { action: 'cancel' } });
  assert.deepEqual(several.questions, [['a', 'b', 'c'], ['a', 'c'], ['a'], []]);
  assert.equal(textOf(several.last), 'cancel decline 0');
});

test('an answer is never taken for another question under the same key', async () => {
  const server = new McpServer(info);
  let price = 10;
  server.tool('pay', {}, async (_args, ctx) => {
    const answer = await ctx.elicit(`Pay ${price}?`, { sure: { type: 'boolean' } }, { key: 'sure' });
    return `paid ${price}: ${answer.action}`;
  });
  const peer = await connect(server);
  const first = await peer.modern('tools/call', { name: 'pay' });
  price = 1000;
  const inputResponses = { sure: accept({ sure: true }) };
  const second = await peer.modern('tools/call', {
    name: 'pay', inputResponses, requestState: first.result?.['requestState'],
  });
  assert.equal(asked(second)['sure']?.params['message'], 'Pay 1000?');
  const third = await peer.modern('tools/call', {
    name: 'pay', inputResponses, requestState: second.result?.['requestState'],
  });
  assert.equal(textOf(third), 'paid 1000: accept');
});

test('a form that has changed is another question', async () => {
  const server = new McpServer(info);
  let maximum = 5;
  server.tool('ask', {}, async (_args, ctx) =>
    (await ctx.elicit('?', { n: { type: 'integer', maximum } }, { key: 'n' })).action);
  const peer = await connect(server);
  const first = await peer.modern('tools/call', { name: 'ask' });
  maximum = 6;
  const second = await peer.modern('tools/call', {
    name: 'ask', inputResponses: { n: accept({ n: 1 }) }, requestState: first.result?.['requestState'],
  });
  assert.deepEqual(Object.keys(asked(second)), ['n']);
});

test('answers without a state are matched by key alone, and unknown ones ignored', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_args, ctx) => {
    const a = await ctx.elicit('a?', text, { key: 'a' });
    const b = await ctx.elicit('b?', text, { key: '__proto__' });
    return `${a.action} ${b.action}`;
  });
  const peer = await connect(server);
  const inputResponses = JSON.parse('{"a":{"action":"decline","more":1},"__proto__":{"action":"cancel","_meta":{}},"z":7}') as Bag;
  assert.equal(textOf(await peer.modern('tools/call', { name: 'ask', inputResponses })), 'decline cancel');
  const half = await peer.modern('tools/call', { name: 'ask', inputResponses: { a: { action: 'decline' } } });
  assert.deepEqual(Object.keys(asked(half)), ['__proto__']);
  const state = half.result?.['requestState'];
  const whole = await peer.modern('tools/call', {
    name: 'ask', inputResponses: JSON.parse('{"__proto__":{"action":"cancel"}}') as Bag, requestState: state,
  });
  assert.equal(textOf(whole), 'decline cancel');
  for (const odd of [null, 7, 'x', [], [{ action: 'decline' }]]) {
    const answer = await peer.modern('tools/call', { name: 'ask', inputResponses: odd as never });
    assert.deepEqual(Object.keys(asked(answer)), ['a'], JSON.stringify(odd));
  }
});

test('once is made once over all rounds, and is the same value in each', async () => {
  const server = new McpServer(info);
  let made = 0;
  const seen: unknown[] = [];
  server.tool('ask', {}, async (_args, ctx) => {
    const value = await ctx.once('key', () => ({ made: ++made, at: new Date(0), gone: undefined }));
    const nothing = await ctx.once('nothing', () => {
      made++;
    });
    seen.push([value, nothing]);
    await ctx.elicit('a', text, { key: 'a' });
    await ctx.elicit('b', text, { key: 'b' });
    return `${made}`;
  });
  const peer = await connect(server);
  const { last } = await rounds(peer, 'ask', { a: accept({ value: '' }) }, { b: accept({ value: '' }) });
  assert.equal(textOf(last), '2');
  assert.equal(seen.length, 3);
  for (const value of seen) assert.deepEqual(value, [{ made: 1, at: '1970-01-01T00:00:00.000Z' }, null]);
});

test('what once is making when the questions go out is waited for, and kept', async () => {
  const server = new McpServer(info);
  let made = 0;
  const start = later<void>();
  const go = later<void>();
  server.tool('ask', {}, async (_args, ctx) => {
    const slow = ctx.once('slow', async () => {
      start.resolve();
      await go.promise;
      return ++made;
    });
    const [value] = await Promise.all([slow, ctx.elicit('?', text, { key: 'k' })]);
    return `${value} made: ${made}`;
  });
  const peer = await connect(server);
  const first = peer.modern('tools/call', { name: 'ask' });
  await start.promise;
  // The question stays open for several turns, and is not sent before the value is ready.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  let came = false;
  void first.then(() => (came = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(came, false);
  go.resolve();
  const { result } = await first;
  assert.equal(made, 1);
  const last = await peer.modern('tools/call', {
    name: 'ask', inputResponses: { k: accept({ value: '' }) }, requestState: result?.['requestState'],
  });
  assert.equal(textOf(last), '1 made: 1');
});

test('a run that is left behind is told by its signal, with a reason of its own', async () => {
  const server = new McpServer(info);
  const reasons: unknown[] = [];
  server.tool('ask', {}, async (_args, ctx) => {
    ctx.signal.addEventListener('abort', () => reasons.push(ctx.signal.reason));
    return (await ctx.elicit('?', text, { key: 'k' })).action;
  });
  const peer = await connect(server);
  const { last } = await rounds(peer, 'ask', { k: { action: 'decline' } });
  assert.equal(textOf(last), 'decline');
  assert.equal(reasons.length, 1);
  assert.ok(reasons[0] instanceof LeftBehind);
});

test('a generator that is left behind runs its finally and not its catch', async () => {
  for (const kind of ['sync', 'async'] as const) {
    const server = new McpServer(info);
    const events: string[] = [];
    const sync = function* (): Generator<Question, string, never> {
      events.push('start');
      try {
        return yield* ask.text('?', { key: 'k' });
      } catch (error) {
        events.push(`catch ${error instanceof NotAnswered ? error.action : String(error)}`);
        return 'caught';
      } finally {
        events.push('finally');
      }
    };
    const async = async function* (): AsyncGenerator<Question, string, never> {
      return yield* sync();
    };
    server.tool('ask', {}, kind === 'sync' ? sync : async);
    const peer = await connect(server);
    const { last } = await rounds(peer, 'ask', { k: accept({ value: 'x' }) });
    assert.equal(textOf(last), 'x');
    assert.deepEqual(events, ['start', 'finally', 'start', 'finally'], kind);
    events.length = 0;
    for (const action of ['decline', 'cancel']) {
      const answer = await peer.modern('tools/call', { name: 'ask', inputResponses: { k: { action } } });
      assert.equal(textOf(answer), 'caught');
      assert.deepEqual(events.splice(0), ['start', `catch ${action}`, 'finally']);
    }
  }
});

test('a cancelled round runs the finally of a generator too, and is not answered', async () => {
  const server = new McpServer(info);
  const ended = later<void>();
  server.tool('ask', {}, function* () {
    try {
      return yield* ask.text('?', { key: 'k' });
    } finally {
      ended.resolve();
    }
  });
  const peer = await connect(server);
  void peer.request('tools/call', { name: 'ask', _meta: modernMeta() }, 'call');
  peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'call' } });
  await ended.promise;
  assert.deepEqual(await peer.rest(), []);
});

test('a generator yields several questions at once', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, function* () {
    const [a, b] = (yield [ask.text('a', { key: 'a' }), ask.number('b', { key: 'b' })]) as [string, number];
    return `${a} ${b + 1}`;
  });
  const peer = await connect(server);
  const { last, questions } = await rounds(peer, 'ask', { a: accept({ value: 'x' }), b: accept({ value: 1 }) });
  assert.deepEqual(questions, [['a', 'b'], []]);
  assert.equal(textOf(last), 'x 2');
});

test('prompts and resources may ask too, templates included; nothing else may', async () => {
  const server = new McpServer(info);
  server.prompt('p', {}, async (ctx0, ctx) =>
    `${Object.keys(ctx0).length} ${(await ctx.elicit('?', text, { key: 'k' })).action}`);
  server.resource('note://one', {}, async (_uri, ctx) => (await ctx.elicit('?', text, { key: 'k' })).action);
  server.resourceTemplate('note://in/{box}', {}, async ({ box }, ctx) =>
    `${box} ${(await ctx.elicit('?', text, { key: 'k' })).action}`);
  const peer = await connect(server);
  const inputResponses = { k: { action: 'decline' } };
  for (const [method, params, said] of [
    ['prompts/get', { name: 'p' }, '0 decline'],
    ['resources/read', { uri: 'note://one' }, 'decline'],
    ['resources/read', { uri: 'note://in/box' }, 'box decline'],
  ] as const) {
    const first = await peer.modern(method, params);
    assert.equal(first.result?.['resultType'], 'input_required', method);
    const { result } = await peer.modern(method, {
      ...params, inputResponses, requestState: first.result?.['requestState'],
    });
    assert.match(JSON.stringify(result), new RegExp(`"text":"${said}"`));
  }
  // None of them sends its question as a request.
  assert.deepEqual(await peer.rest(), []);
  // A completer has no context for questions, and answers sent with a list request are ignored.
  assert.equal((await peer.modern('prompts/list', { inputResponses })).result?.['resultType'], 'complete');
});

test('a result that is there before its questions went out wins', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_args, ctx) => {
    void ctx.elicit('?', text);
    return 'never mind';
  });
  const peer = await connect(server);
  assert.equal(textOf(await peer.modern('tools/call', { name: 'ask' })), 'never mind');
  assert.deepEqual(await peer.rest(), []);
});

test('an error beside an open question wins', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_args, ctx) => {
    await Promise.all([ctx.elicit('?', text), Promise.reject(new ToolError('broken'))]);
    return '';
  });
  const peer = await connect(server);
  assert.equal(textOf(await peer.modern('tools/call', { name: 'ask' })), 'failed: broken');
});

test('what asks in vain in one run costs the process nothing', async () => {
  const server = new McpServer(info, { limits: { maxInFlight: 2 } });
  let runs = 0;
  let released = 0;
  server.tool('ask', {}, async (_args, ctx) => {
    runs++;
    ctx.defer(() => released++);
    return (await ctx.elicit('?', text)).action;
  });
  const peer = await connect(server);
  for (let times = 0; times < 200; times++) {
    const { result } = await peer.modern('tools/call', { name: 'ask' });
    assert.equal(result?.['resultType'], 'input_required');
  }
  assert.deepEqual(await peer.rest(), []);
  assert.deepEqual([runs, released], [200, 200]);
});

test('log and progress are sent in each round to whoever asked for them', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_args, ctx) => {
    ctx.log('warning', 'run');
    ctx.progress(1);
    return (await ctx.elicit('?', text, { key: 'k' })).action;
  });
  const peer = await connect(server);
  await rounds(peer, 'ask', { k: { action: 'decline' } });
  assert.deepEqual(await peer.rest(), []);
  const _meta = { ...modernMeta(), 'io.modelcontextprotocol/logLevel': 'warning', progressToken: 1 };
  const { result } = await peer.request('tools/call', { name: 'ask', _meta });
  await peer.request('tools/call', {
    name: 'ask', _meta, inputResponses: { k: { action: 'decline' } }, requestState: result?.['requestState'],
  });
  assert.deepEqual((await peer.rest()).map(({ method }) => method), [
    'notifications/message', 'notifications/progress', 'notifications/message', 'notifications/progress',
  ]);
});

test('a level of the log that does not exist is refused by name, whatever the client wants to see', async () => {
  const server = new McpServer(info);
  const thrown: unknown[] = [];
  server.tool('say', { input: { type: 'object', properties: { level: { type: 'string' } } } as const }, ({ level }, ctx) => {
    try {
      ctx.log(level as LoggingLevel, 'run');
    } catch (error) {
      thrown.push(error);
    }
    return 'said';
  });
  const peer = await connect(server);
  for (const wants of [undefined, 'debug', 'emergency'] as const) {
    const _meta = { ...modernMeta(), ...wants && { 'io.modelcontextprotocol/logLevel': wants } };
    for (const level of ['warn', 'Info', '', 'toString', 'emergency']) await peer.request('tools/call', { name: 'say', arguments: { level }, _meta });
  }
  assert.equal(thrown.length, 12);
  assert.ok(thrown.every((one) => one instanceof TypeError));
  assert.match(String(thrown[0]), /^TypeError: ctx\.log: there is no level warn, expected debug, info, .*, emergency$/);
  assert.deepEqual((await peer.rest()).map(({ params }) => params?.['level']), ['emergency', 'emergency']);
});

test('a handler may change its arguments: the state belongs to what was sent', async () => {
  const server = new McpServer(info);
  const input = {
    type: 'object',
    properties: { list: { type: 'array', items: { type: 'number' } }, limit: { type: 'number' } },
  } as const;
  server.tool('ask', { input }, async (args, ctx) => {
    args.limit ??= 10;
    args.list?.push(7);
    const answer = await ctx.elicit('?', text, { key: 'k' });
    return `${answer.action} ${args.limit} ${args.list}`;
  });
  const peer = await connect(server);
  const params = JSON.parse('{"name":"ask","arguments":{"list":[1],"__proto__":{"limit":3}}}') as Bag;
  const first = await peer.modern('tools/call', params);
  const last = await peer.modern('tools/call', {
    ...params, inputResponses: { k: { action: 'decline' } }, requestState: first.result?.['requestState'],
  });
  assert.equal(textOf(last), 'decline 10 1,7');
});
