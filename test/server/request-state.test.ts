import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mockClock } from '../mock-clock.ts';
import { McpServer, spentStates } from '../../src/server/index.ts';
import type { RequestStateOptions, SpentStates, StateCipher } from '../../src/server/index.ts';
import { accept, asked, connect, modernMeta, textOf } from './peer.ts';
import type { Answer, Bag, Peer, PeerOptions } from './peer.ts';
import { openQuestions } from '../../src/server/modern/request-state.ts';

// Attacks on `requestState`.
// 2026-07-28 basic/patterns/mrtr#server-requirements-basic-workflow: it comes back from an attacker.

const info = { name: 'test', version: '1' };
const answers = { sure: accept({ sure: true }) };

function paying(requestState?: RequestStateOptions, onError: (error: Error) => void = () => {}): McpServer {
  const server = new McpServer(info, { onError, ...requestState && { requestState } });
  const input = { type: 'object', properties: { price: { type: 'number' }, note: { type: 'object' } } } as const;
  for (const name of ['pay', 'sell']) {
    server.tool(name, { input }, async ({ price }, ctx) => {
      const answer = await ctx.elicit(`${name} ${price}?`, { sure: { type: 'boolean' } }, { key: 'sure' });
      return `${name} ${price}: ${answer.action}`;
    });
  }
  server.prompt('pay', { arguments: { price: {} } }, async ({ price }, ctx) =>
    `${(await ctx.elicit(`pay ${price}?`, { sure: { type: 'boolean' } }, { key: 'sure' })).action}`);
  server.resource('pay://10', {}, async (_uri, ctx) =>
    (await ctx.elicit('pay?', { sure: { type: 'boolean' } }, { key: 'sure' })).action);
  return server;
}

const pay = { name: 'pay', arguments: { price: 10 } };

async function stateOf(peer: Peer, params: Bag = pay, method: string = 'tools/call'): Promise<string> {
  const { result } = await peer.modern(method, params);
  assert.equal(result?.['resultType'], 'input_required');
  return result?.['requestState'] as string;
}

function refused(answer: Answer, why: RegExp = /^Invalid params: params\.requestState /): void {
  assert.equal(answer.error?.code, -32602, JSON.stringify(answer));
  assert.match(answer.error?.message ?? '', why);
}

async function paidWith(peer: Peer, requestState: unknown, params: Bag = pay): Promise<Answer> {
  return peer.modern('tools/call', { ...params, inputResponses: answers, requestState });
}

test('a state that comes back as it went is taken', async () => {
  const peer = await connect(paying());
  assert.equal(textOf(await paidWith(peer, await stateOf(peer))), 'pay 10: accept');
});

test('each byte changed, each bit of it: refused', async () => {
  const peer = await connect(paying());
  const state = await stateOf(peer);
  const bytes = Buffer.from(state, 'base64url');
  assert.equal(bytes.toString('base64url'), state);
  for (let at = 0; at < bytes.length; at++) {
    for (const bit of [1, 2, 4, 8, 16, 32, 64, 128]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ bit;
      refused(await paidWith(peer, changed.toString('base64url')));
    }
  }
});

test('each character changed, and other spellings of the same bytes: refused', async () => {
  const peer = await connect(paying());
  const state = await stateOf(peer);
  for (let at = 0; at < state.length; at++) {
    for (const other of ['A', 'b', '-', '_', '=', ' ', '\n', '\u0000', 'é', '']) {
      const changed = state.slice(0, at) + other + state.slice(at + 1);
      if (changed !== state) refused(await paidWith(peer, changed));
    }
  }
  for (const changed of [
    `${state}=`, `${state}==`, ` ${state}`, `${state}\n`, state.replaceAll('_', '/').replaceAll('-', '+') + ' ',
  ]) {
    refused(await paidWith(peer, changed));
  }
});

test('cut anywhere, at either end: refused', async () => {
  const peer = await connect(paying());
  const state = await stateOf(peer);
  for (let length = 0; length < state.length; length++) {
    refused(await paidWith(peer, state.slice(0, length)));
    refused(await paidWith(peer, state.slice(state.length - length)));
  }
});

test('what is no string, or too long: refused', async () => {
  const peer = await connect(paying({ maxLength: 1000 }));
  for (const state of [null, 7, true, {}, [], [await stateOf(peer)]]) {
    refused(await paidWith(peer, state), /must be a string/);
  }
  refused(await paidWith(peer, 'A'.repeat(1001)), /over the limit of 1000 characters/);
});

test('a state is not sealed when it would not be opened, and the author is told why', async () => {
  const heard: string[] = [];
  const server = new McpServer(info, { requestState: { maxLength: 100 }, onError: ({ message }) => void heard.push(message) });
  server.tool('ask', {}, async (_args, ctx) => (await ctx.elicit('?', { sure: { type: 'boolean' } })).action);
  const peer = await connect(server);
  const { error } = await peer.modern('tools/call', { name: 'ask' });
  assert.equal(error?.code, -32603);
  assert.match(error?.message ?? '', /^ask failed \(id \d+\)$/);
  assert.equal(heard.length, 1);
  assert.match(heard[0] ?? '', /requestState; the limit is 100/);
});

test('brought to another tool, prompt, resource, method or argument: refused', async () => {
  const peer = await connect(paying());
  const state = await stateOf(peer);
  for (const params of [
    { name: 'sell', arguments: { price: 10 } },
    { name: 'pay', arguments: { price: 1000 } },
    { name: 'pay', arguments: { price: 10, note: {} } },
    { name: 'pay', arguments: {} },
    { name: 'pay' },
    { ...pay, more: 1 },
  ]) refused(await paidWith(peer, state, params), /does not belong to this request/);
  refused(await peer.modern('prompts/get', {
    name: 'pay', arguments: { price: '10' }, inputResponses: answers, requestState: state,
  }));
  refused(await peer.modern('resources/read', { uri: 'pay://10', inputResponses: answers, requestState: state }));
  const fromPrompt = await stateOf(peer, { name: 'pay', arguments: { price: '10' } }, 'prompts/get');
  refused(await paidWith(peer, fromPrompt));
  refused(await peer.modern('prompts/get', {
    name: 'pay', arguments: { price: '11' }, inputResponses: answers, requestState: fromPrompt,
  }));
  // The same parameters with another method.
  const both = { name: 'pay', arguments: {} };
  refused(await peer.modern('prompts/get', { ...both, inputResponses: answers, requestState: await stateOf(peer, both) }));
  refused(await paidWith(peer, await stateOf(peer, both, 'prompts/get'), both));
});

test('the order in which parameters are written says nothing', async () => {
  const peer = await connect(paying());
  const state = await stateOf(peer, { name: 'pay', arguments: { price: 10, note: { a: 1, b: { c: 2, d: 3 } } } });
  const again = await paidWith(peer, state, {
    arguments: { note: { b: { d: 3, c: 2 }, a: 1 }, price: 10 }, name: 'pay',
  });
  assert.equal(textOf(again), 'pay 10: accept');
  refused(await paidWith(peer, state, { arguments: { note: { b: { d: 2, c: 3 }, a: 1 }, price: 10 }, name: 'pay' }));
});

test('brought by somebody else: refused', async () => {
  const server = paying();
  const as = (principal?: string): Promise<Peer> =>
    connect(server, principal === undefined ? {} : { auth: { principal } } satisfies PeerOptions);
  const [ada, bob, nobody, empty] = [await as('ada'), await as('bob'), await as(), await as('')];
  const state = await stateOf(ada);
  for (const other of [bob, nobody, empty]) refused(await paidWith(other, state));
  refused(await paidWith(ada, await stateOf(nobody)));
  refused(await paidWith(empty, await stateOf(nobody)));
  // No principal can be written so that it matches another one's request.
  const sly = await as('ada","tools/call');
  refused(await paidWith(sly, state));
  assert.equal(textOf(await paidWith(ada, state)), 'pay 10: accept');
  // Nor can another client of the same user use it, if clients are known.
  const by = (clientId: string): Promise<Peer> => connect(server, { auth: { principal: 'ada', clientId } });
  const [app, other] = [await by('app'), await by('other')];
  const own = await stateOf(app);
  for (const peer of [other, ada]) refused(await paidWith(peer, own));
  refused(await paidWith(app, state));
  assert.equal(textOf(await paidWith(app, own)), 'pay 10: accept');
});

test('sealed with another key: refused; with one that was in use before: taken', async () => {
  const key = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
  const [first, second] = [key(1), key(2)];
  const before = await connect(paying({ keys: [first] }));
  const during = await connect(paying({ keys: [second, first] }));
  const after = await connect(paying({ keys: [second] }));
  const elsewhere = await connect(paying());
  const old = await stateOf(before);
  const current = await stateOf(during);
  assert.equal(textOf(await paidWith(during, old)), 'pay 10: accept');
  assert.equal(textOf(await paidWith(after, current)), 'pay 10: accept');
  refused(await paidWith(after, old));
  refused(await paidWith(before, current));
  refused(await paidWith(elsewhere, old));
  refused(await paidWith(before, await stateOf(elsewhere)));
  // Without keys, each server makes its own.
  refused(await paidWith(await connect(paying()), await stateOf(elsewhere)));
});

test('a key of the wrong length is an error, not a weaker seal', async () => {
  const heard: string[] = [];
  const peer = await connect(paying({ keys: [new Uint8Array(16)] }, ({ message }) => void heard.push(message)));
  const { error } = await peer.modern('tools/call', pay);
  assert.match(error?.message ?? '', /^pay failed \(id \d+\)$/);
  assert.match(heard.join(), /^a key of requestState has 32 bytes, not 16$/);
});

test('a lapsed state is refused', async (t) => {
  const peer = await connect(paying({ ttlMs: 1000 }));
  mockClock(t.mock, { apis: ['Date'], now: 1_000_000 });
  const state = await stateOf(peer);
  t.mock.timers.setTime(1_000_999);
  assert.equal(textOf(await paidWith(peer, state)), 'pay 10: accept');
  t.mock.timers.setTime(1_001_000);
  refused(await paidWith(peer, state), /has expired/);
  for (const ttlMs of [0, -1]) {
    const late = await connect(paying({ ttlMs }));
    refused(await paidWith(late, await stateOf(late)), /has expired/);
  }
  // The default is ten minutes.
  const plain = await connect(paying());
  const kept = await stateOf(plain);
  t.mock.timers.setTime(1_001_000 + 599_999);
  assert.equal(textOf(await paidWith(plain, kept)), 'pay 10: accept');
  t.mock.timers.setTime(1_001_000 + 600_000);
  refused(await paidWith(plain, kept), /has expired/);
});

test('no two states are alike, and none shows what it holds', async () => {
  const server = new McpServer(info);
  server.tool('ask', {}, async (_args, ctx) => {
    await ctx.once('secret', () => 'the wine is poisoned');
    return (await ctx.elicit('?', { sure: { type: 'boolean' } })).action;
  });
  const peer = await connect(server);
  const states = new Set<string>();
  for (let times = 0; times < 50; times++) states.add(await stateOf(peer, { name: 'ask' }));
  assert.equal(states.size, 50);
  for (const state of states) assert.ok(!Buffer.from(state, 'base64url').includes('poisoned'));
});

test('a state brought to a request that never asks does nothing, and one that is wrong is still refused', async () => {
  const server = paying();
  server.tool('plain', {}, () => 'plain');
  const peer = await connect(server);
  refused(await peer.modern('tools/call', { name: 'plain', requestState: 'x' }));
  assert.equal((await peer.modern('tools/list', { requestState: 'x' })).error, undefined);
});

test('the answers of one round cannot be changed in the next, and are those of that round', async () => {
  const server = new McpServer(info);
  server.tool('two', {}, async (_args, ctx) => {
    const price = await ctx.elicit('Price?', { price: { type: 'number' } }, { key: 'price' });
    const shown = price.action === 'accept' ? price.content.price : 'none';
    const sure = await ctx.elicit(`Pay ${shown}?`, { sure: { type: 'boolean' } }, { key: 'sure' });
    return `${shown}: ${sure.action}`;
  });
  const peer = await connect(server);
  const first = await stateOf(peer, { name: 'two' });
  const second = await peer.modern('tools/call', {
    name: 'two', inputResponses: { price: accept({ price: 10 }) }, requestState: first,
  });
  assert.equal(asked(second)['sure']?.params['message'], 'Pay 10?');
  // `price` is no longer open: an answer to it is ignored.
  const third = await peer.modern('tools/call', {
    name: 'two',
    inputResponses: { price: accept({ price: 1000 }), sure: accept({ sure: true }) },
    requestState: second.result?.['requestState'],
  });
  assert.equal(textOf(third), '10: accept');
  // An answer to a question that was not open in this state is ignored too.
  const early = await peer.modern('tools/call', {
    name: 'two', inputResponses: { sure: accept({ sure: true }), price: accept({ price: 1000 }) }, requestState: first,
  });
  assert.equal(asked(early)['sure']?.params['message'], 'Pay 1000?');
});

test('metadata may change between rounds; what the client can do is asked each time', async () => {
  const peer = await connect(paying());
  const state = await stateOf(peer);
  const { result } = await peer.request('tools/call', {
    ...pay, inputResponses: answers, requestState: state, _meta: { ...modernMeta(), progressToken: 'p' },
  });
  assert.equal(result?.['resultType'], 'complete');
  const { error } = await peer.modern('tools/call', { ...pay, inputResponses: answers, requestState: state }, {});
  assert.equal(error?.code, -32021);
});

test('what one runtime seals, another opens: the module of Node and WebCrypto make the same bytes', async () => {
  const keys = [new Uint8Array(32).fill(7)];
  const node = await connect(paying({ keys }));
  const state = await stateOf(node);
  const { getBuiltinModule } = process;
  // As in a worker with WebCrypto only. The server checks when it first needs a cipher.
  Object.assign(process, { getBuiltinModule: undefined });
  try {
    const worker = await connect(paying({ keys }));
    assert.equal(textOf(await paidWith(worker, state)), 'pay 10: accept');
    refused(await paidWith(worker, state.slice(0, -4)));
    refused(await paidWith(worker, state, { ...pay, arguments: { price: 11 } }));
    assert.equal(textOf(await paidWith(node, await stateOf(worker))), 'pay 10: accept');
    refused(await paidWith(await connect(paying()), await stateOf(await connect(paying()))));
  } finally {
    Object.assign(process, { getBuiltinModule });
  }
});

// A11: a client that sends a state twice makes the code after the question run twice.
for (const [kind, singleUse] of [
  ['this process', true],
  ['a store of several', undefined],
] as const) {
  test(`singleUse, in ${kind}: a state opens once`, async () => {
    const spent = new Map<string, number>();
    const store: SpentStates = {
      async spend(id, expiresAt) {
        await Promise.resolve();
        if (spent.has(id)) return false;
        spent.set(id, expiresAt);
        return true;
      },
    };
    const server = new McpServer({ name: 'test', version: '1' }, { requestState: { singleUse: singleUse ?? store } });
    let booked = 0;
    server.tool('book', {}, async (_args, ctx) => {
      await ctx.elicit('Sure?', { sure: { type: 'boolean' } }, { key: 'sure' });
      return `booked ${++booked}`;
    });
    const peer = await connect(server);
    const { result } = await peer.modern('tools/call', { name: 'book' });
    const retry = {
      name: 'book', requestState: result?.['requestState'], inputResponses: { sure: accept({ sure: true }) },
    };
    assert.equal(textOf(await peer.modern('tools/call', retry)), 'booked 1');
    for (let again = 0; again < 3; again++) {
      assert.match((await peer.modern('tools/call', retry)).error?.message ?? '', /requestState was used before/);
    }
    assert.equal(booked, 1);
    if (!singleUse) for (const [id, expires] of spent) assert.ok(id.length === 16 && expires > Date.now());
  });
}

/** A cipher like a secure element: the content of a token never leaves it. */
function element(): StateCipher & { sealed: number } {
  const held = new Map<string, { bound: string; text: string }>();
  return {
    sealed: 0,
    seal(bound, text) {
      const token = `element-${String(++this.sealed).padStart(8, '0')}`;
      held.set(token, { bound, text });
      return token;
    },
    async open(bound, sealed) {
      const found = held.get(sealed);
      if (found?.bound !== bound) throw new Error('not sealed here, or not for this');
      return found.text;
    },
  };
}

test('functions that are handed in seal: what they refuse is refused, and keys are rotated as others', async () => {
  const [first, second] = [element(), element()];
  const key = new Uint8Array(32).fill(7);
  const before = await connect(paying({ keys: [first, key] }));
  const state = await stateOf(before);
  assert.equal(state, 'element-00000001');
  assert.equal(textOf(await paidWith(before, state)), 'pay 10: accept');
  refused(await paidWith(before, `${state}x`), /does not belong to this request/);
  refused(await paidWith(before, state, { name: 'sell', arguments: { price: 10 } }), /does not belong to this request/);
  const after = await connect(paying({ keys: [second, first] }));
  assert.equal(textOf(await paidWith(after, state)), 'pay 10: accept', 'an earlier one opens');
  assert.equal(await stateOf(after), 'element-00000001');
  assert.equal(second.sealed, 1);
  // A plain key in the list opens the states that it has sealed.
  const plain = await stateOf(await connect(paying({ keys: [key] })));
  assert.equal(textOf(await paidWith(before, plain)), 'pay 10: accept');
});

test('singleUse, in a store that fails: the call fails, its author is told why, and its caller is not', async () => {
  const heard: string[] = [];
  const url = 'redis://user:hunter2@db';
  const peer = await connect(paying({ singleUse: { spend: () => Promise.reject(new Error(url)) } }, ({ message }) => heard.push(message)));
  const { error } = await paidWith(peer, await stateOf(peer));
  assert.match(error?.message ?? '', /^pay failed \(id \d+\)$/);
  assert.deepEqual(heard, [url]);
});

test('without singleUse a state opens again: what follows the question is done twice', async () => {
  const server = new McpServer({ name: 'test', version: '1' });
  let booked = 0;
  server.tool('book', {}, async (_args, ctx) => {
    await ctx.elicit('Sure?', { sure: { type: 'boolean' } }, { key: 'sure' });
    return `booked ${++booked}`;
  });
  const peer = await connect(server);
  const { result } = await peer.modern('tools/call', { name: 'book' });
  const retry = {
    name: 'book', requestState: result?.['requestState'], inputResponses: { sure: accept({ sure: true }) },
  };
  await peer.modern('tools/call', retry);
  assert.equal(textOf(await peer.modern('tools/call', retry)), 'booked 2');
});

test('the memory of spent states is bounded, and never lets one open twice', () => {
  const spent = spentStates(3);
  const soon = Date.now() + 60_000;
  for (const [at, id] of ['a', 'b', 'c', 'd', 'e'].entries()) assert.equal(spent.spend(id, soon + at), true, id);
  // Each is refused, forgotten or remembered.
  for (const [at, id] of ['a', 'b', 'c', 'd', 'e'].entries()) assert.equal(spent.spend(id, soon + at), false, id);
  // A state that would be forgotten first looks the same as a forgotten one.
  assert.equal(spent.spend('early', soon), false);
  assert.equal(spent.spend('late', soon + 10), true);
  // If the memory is full, a new state that would be forgotten first is refused at once.
  const full = spentStates(1);
  assert.equal(full.spend('a', soon + 1), true);
  assert.equal(full.spend('b', soon), false);
  // Expired states make room.
  const old = spentStates(1);
  assert.equal(old.spend('a', Date.now() - 1), true);
  assert.equal(old.spend('b', soon), true);
});

test('open questions: who waits is told when a client returns one of them, and of nothing else', async () => {
  let now = 0;
  const questions = openQuestions(() => now);
  const [one, other] = ['a'.repeat(20), 'b'.repeat(20)];
  questions.sent(one, 10);
  questions.sent(other, 20);
  let told = 0;
  for (const wait of [questions.answered(), questions.answered()]) void wait.then(() => told++);
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  await turn();
  assert.deepEqual([told, questions.open, questions.asked], [0, 2, true]);
  questions.returned('c'.repeat(20));
  await turn();
  assert.deepEqual([told, questions.open], [0, 2]);
  questions.returned(one);
  await turn();
  assert.deepEqual([told, questions.open], [2, 1]);
  // It was returned already; and a later wait is for a later answer.
  void questions.answered().then(() => told++);
  questions.returned(one);
  await turn();
  assert.equal(told, 2);
  now = 19;
  assert.equal(questions.open, 1);
  now = 20;
  assert.equal(questions.open, 0);
});
