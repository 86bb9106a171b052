import assert from 'node:assert/strict';
import test from 'node:test';
import type { CarrierReply } from '../../src/judge/carrier.ts';
import type { Arrival, JudgedConversation, SentToServer } from '../../src/judge/conversation.ts';
import { watchServer } from '../../src/judge/passive/watch.ts';
import { anything, flag, list, number, object, oneOf, text } from '../../src/judge/passive/shapes.ts';
import type { WireEntry } from '../../src/judge/verdict.ts';
import { isObject } from '../../src/jsonrpc/internal-exports.ts';
import { findRevision, revisions } from '../../src/protocol/revisions.ts';

// What the judge says about single messages of a server, in a made-up conversation: `id` a rule that is kept, `-id` one that is broken, and
// `?id` a dispute.

interface World {
  readonly version?: string;
  readonly http?: boolean;
  readonly stdio?: boolean;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly offered?: Readonly<Record<string, unknown>>;
  readonly agreed?: boolean;
  /** The requests of the judge. */
  readonly asked?: readonly Partial<SentToServer>[];
  readonly entries?: readonly WireEntry[];
  /** Messages that came before. */
  readonly before?: readonly (object | string)[];
  readonly compile?: () => never;
}

/** The verdicts about a message. */
function said(message: object | string, { version = '2025-11-25', http, stdio = false, capabilities = {}, offered = {}, agreed = true, asked = [], before = [], entries = [], compile }: World = {}, more: Partial<Arrival> = {}): string[] {
  const verdicts: string[] = [];
  const revision = findRevision(revisions, version) ?? assert.fail(version);
  const whole = asked.map((one, at) => ({ id: at + 1, method: 'tools/call', params: {}, text: '', at: 0, done: false, ...one }));
  const arrivals: Arrival[] = [];
  const arrive = (what: object | string, at: number): Arrival => {
    const line = typeof what === 'string' ? what : JSON.stringify(what);
    let json: unknown;
    try {
      json = JSON.parse(line);
    } catch {
      json = undefined;
    }
    const answers = isObject(json) && !('method' in json) ? whole.find(({ id }) => id === (json as { id?: unknown }).id) : undefined;
    const arrival = { text: line, json, batch: false, at, answers, replayed: false, event: undefined, exchange: undefined } as unknown as Arrival;
    arrivals.push(arrival);
    return arrival;
  };
  before.forEach((one, at) => arrive(one, at + 1));
  const arrival = Object.assign(arrive(message, before.length + 1), more);
  const note = (sign: string) => (ids: string | readonly string[]): void => {
    for (const id of typeof ids === 'string' ? [ids] : ids) verdicts.push(`${sign}${id}`);
  };
  const conversation = {
    revision, modern: revision.era === 'modern', kind: http ? 'http' : 'pipe', stdio, capabilities, offered, agreed, asked: whole, arrivals, entries,
    check(ids: string | readonly string[], kept: boolean, expected: string) {
      assert.ok(kept || expected !== '', `${String(ids)} says what it expected`);
      note(kept ? '' : '-')(ids);
    },
    dispute: note('?'),
  } as unknown as JudgedConversation;
  watchServer(compile as never).arrived(conversation, arrival);
  return verdicts;
}

const has = (verdicts: readonly string[], ...wanted: string[]): void => {
  for (const one of wanted) {
    const id = one.replace(/^[-?!]/, '');
    const found = verdicts.filter((verdict) => verdict.replace(/^[-?]/, '') === id);
    if (one.startsWith('!')) assert.deepEqual(found, [], `${id} is not judged`);
    else assert.ok(found.length > 0 && found.every((verdict) => verdict === one), `${one}, not ${JSON.stringify(found)} of ${verdicts.join()}`);
  }
};

const rpc = (more: object): object => ({ jsonrpc: '2.0', ...more });
const ask = (method: string, params: object = {}, id: unknown = 'q'): object => rpc({ id, method, params });
const tell = (method: string, params?: object): object => rpc({ method, ...params && { params } });
const answer = (result: unknown, id: unknown = 1): object => rpc({ id, result });
const fail = (error: unknown, id: unknown = 1): object => rpc({ id, error });

test('judge, in passing: any message', () => {
  has(said(tell('notifications/other')), 'base-59', '!stdio-1');
  has(said({ method: 'notifications/other' }), '-base-59');
  has(said({ jsonrpc: '1.0', method: 'notifications/other' }), '-base-59');
  for (const wrong of ['x', '[]', '5', 'null', '"x"']) has(said(wrong), '-base-59');
});

test('judge, in passing: a batch is a message of 2025-03-26 only', () => {
  const judged = (version: string): string[] => said(tell('notifications/other'), { version }, { batch: true }).filter((one) => one.endsWith('base-59'));
  assert.deepEqual(judged('2025-03-26'), ['base-59']);
  for (const version of ['2024-11-05', '2025-06-18', '2025-11-25']) assert.deepEqual(judged(version), ['base-59', '-base-59']);
});

test('judge, in passing: the lines of stdout', () => {
  const line = (message: object | string, before: readonly string[] = []): string[] => said(message, { stdio: true, before });
  has(line(tell('notifications/other')), 'stdio-1', 'stdio-4');
  has(line(`${JSON.stringify(tell('notifications/other'))}\r`), 'stdio-1');
  has(line(JSON.stringify(tell('notifications/other')).replace(',', ',\r')), '-stdio-1');
  has(line('log'), '-stdio-4', '!base-59');
  // A piece may become a message with the next line.
  has(line('{'), '!stdio-4', '!stdio-1');
  has(line('"method":"x"}', ['{"jsonrpc":"2.0",']), '-stdio-1', '!stdio-4');
  has(line('"}', ['{"jsonrpc":"2.0","method":"a']), '-stdio-1');
  has(line('"method":"x"}', ['log', '{"jsonrpc":"2.0",']), '-stdio-1');
  has(line('"method":"x"', ['{"jsonrpc":"2.0",']), '!stdio-1', '!stdio-4');
  has(line('log "x'), '-stdio-4');
  has(line('  "method":"x"}', ['{"jsonrpc":"2.0",']), '-stdio-1');
  // At most 200 lines are one message.
  const pieces = (count: number): string[] => ['{"list":[0', ...Array.from({ length: count }, () => ',1')];
  has(line(']}', pieces(199)), '-stdio-1');
  has(line(']}', pieces(200)), '!stdio-1');
  // Pieces that never became one are a log.
  has(line(tell('notifications/other'), ['{ a log']), 'stdio-1');
  assert.ok(line(tell('notifications/other'), ['{ a log']).includes('-stdio-4'));
  assert.ok(!line(tell('notifications/other'), ['{"jsonrpc":"2.0",', '"method":"x"}']).includes('-stdio-4'));
  assert.ok(!line(tell('notifications/other'), ['log']).includes('-stdio-4'));
  assert.ok(!line(tell('notifications/other'), ['{ a log', '{"jsonrpc":"2.0","method":"x"}']).includes('-stdio-4'));
});

test('judge, in passing: the ids of requests and notifications', () => {
  has(said(tell('notifications/other')), 'base-61');
  has(said(ask('notifications/other')), '-base-61');
  has(said(ask('ping')), 'base-68', 'base-65', 'base-66', 'base-67', 'base-3', 'lifecycle-14');
  has(said(ask('ping', {}, 7)), 'base-65');
  has(said(ask('ping', {}, null)), '-base-68', '-base-65');
  for (const id of [1.5, {}, true, 2 ** 53]) has(said(ask('ping', {}, id)), 'base-68', '-base-65');
  has(said(rpc({ method: 'ping' })), '-base-65');
  has(said(ask('ping'), { before: [ask('ping')] }), '-base-66', '-base-67');
  has(said(ask('ping'), { before: [ask('ping', {}, 'other'), answer({}, 'q')] }), 'base-66', 'base-67');
  has(said(ask('ping'), { version: '2026-07-28' }), '-base-3');
  has(said(ask('nothing')), '!lifecycle-14');
  has(said(ask('tools/list')), '-lifecycle-14');
  has(said(ask('elicitation/create')), 'lifecycle-14');
  has(said(ask('elicitation/create'), { version: '2025-03-26' }), '-lifecycle-14');
});

test('judge, in passing: responses', () => {
  const asked = [{ id: 1 }];
  has(said(answer({}), { asked }), 'base-69', 'base-71', 'base-70');
  has(said(answer({}), {}), '-base-70');
  has(said(answer({}), { asked: [{ id: 1, done: true }] }), '-base-70');
  for (const result of [null, 'x', []]) has(said(answer(result), { asked }), '-base-71');
  has(said(rpc({ id: 1 }), { asked }), '-base-69');
  has(said(rpc({ id: 1, result: {}, error: { code: 1, message: 'x' } }), { asked }), '-base-69');
  has(said(fail({ code: 1, message: 'x' }), { asked }), 'base-69', 'base-31', 'base-32', 'base-33', 'schema-7');
  for (const code of [1.5, '1', null]) has(said(fail({ code, message: 'x' }), { asked }), '-base-31', 'base-32');
  has(said(fail({ message: 'x' }), { asked }), '-base-31', '-base-32');
  has(said(fail({ code: 1 }), { asked }), 'base-31', '-base-32');
  has(said(fail({ code: 1, message: 5 }), { asked }), '-base-32');
  has(said(fail('x'), { asked }), '!base-31');
  has(said(fail({ code: 1, message: 'x' }, 9), { asked }), '-base-33', 'schema-7');
  has(said(fail({ code: 1, message: 'x' }, {}), { asked }), '-schema-7');
  for (const [version, verdict] of [['2024-11-05', 'schema-7'], ['2025-06-18', 'schema-7'], ['2025-11-25', '?schema-7'], ['2026-07-28', '?schema-7']] as const) {
    has(said(fail({ code: 1, message: 'x' }, null), { version }), verdict, '!base-33');
  }
  has(said(rpc({ error: { code: 1, message: 'x' } })), '!schema-7', '!base-33');
});

test('judge, in passing: results and codes of 2026-07-28', () => {
  const world = { version: '2026-07-28', asked: [{ id: 1 }] };
  const info = { 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } };
  has(said(answer({ resultType: 'complete', _meta: info }), world), 'base-72', 'base-75', 'base-16');
  has(said(answer({ _meta: info }), world), '-base-72', '!base-75');
  has(said(answer({ resultType: 5 }), world), '-base-72', '-base-75', '-base-16');
  has(said(answer({ resultType: 'task', _meta: { 'io.modelcontextprotocol/serverInfo': { name: 's' } } }), world), 'base-72', '-base-75', '-base-16');
  has(said(answer({ resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': { version: '1' } } }), world), '-base-16');
  has(said(answer({ resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': 'x' } }), world), '-base-16');
  has(said(answer({}), { asked: [{ id: 1 }] }), '!base-72');
  for (const [code, wrong] of [
    [-32700, []], [-32600, []], [-32603, []], [-32604, ['base-30']], [-32599, ['base-30']], [-32701, ['base-30']], [-32002, ['base-27']], [-32042, ['base-28']], [-32000, ['base-30']], [-31999, []],
    [-32020, []], [-32768, ['base-30']], [-32769, []], [-32019, ['base-30']], [-32099, ['base-26']], [-32100, ['base-30']], [-32050, ['base-26']], [1, []],
  ] as const) {
    const found = said(fail({ code, message: 'x' }), world).filter((one) => one.startsWith('-'));
    assert.deepEqual(found, wrong.map((id) => `-${id}`), String(code));
  }
  has(said(fail({ code: -32050, message: 'x' }), { asked: [{ id: 1 }] }), '!base-26');
});

test('judge, in passing: the error -32042 names elicitations', () => {
  const judged = (data: unknown, version = '2025-11-25'): string[] => said(fail({ code: -32042, message: 'x', data }), { version, asked: [{ id: 1 }] });
  const one = { mode: 'url', elicitationId: 'e', url: 'https://x/' };
  has(judged({ elicitations: [one] }), 'elicitation-52', 'elicitation-12', 'elicitation-51', 'elicitation-53');
  for (const data of [undefined, {}, { elicitations: 'x' }, { elicitations: [] }]) has(judged(data), '-elicitation-52', '-elicitation-12', '!elicitation-51');
  has(judged({ elicitations: [one, { ...one, url: 5 }] }), '-elicitation-51', 'elicitation-53');
  has(judged({ elicitations: [{ ...one, elicitationId: 5 }] }), '-elicitation-51');
  has(judged({ elicitations: ['x'] }), '-elicitation-51', '-elicitation-53');
  has(judged({ elicitations: [one, { ...one, mode: 'form' }] }), 'elicitation-51', '-elicitation-53');
  has(judged({ elicitations: [] }, '2025-06-18'), '!elicitation-52');
});

test('judge, in passing: the keys of _meta', () => {
  const judged = (key: string, where: (meta: object) => object = (_meta) => ({ _meta })): string[] =>
    said(tell('notifications/other', where({ [key]: 1 }))).filter((one) => /base-1[037]$/.test(one));
  assert.deepEqual(judged('a'), ['base-17']);
  assert.deepEqual(judged('com.example/a'), ['base-17', 'base-10', 'base-13']);
  assert.deepEqual(judged('a b'), ['-base-17']);
  assert.deepEqual(judged('com.example/-a'), ['-base-17']);
  assert.deepEqual(judged('1com/a'), ['-base-13']);
  assert.deepEqual(judged('com..example/a'), ['-base-10']);
  assert.deepEqual(judged('/a'), ['-base-10']);
  assert.deepEqual(judged('com-/-a'), ['-base-13', '-base-17']);
  assert.deepEqual(judged('a b', (meta) => ({ list: [{ deep: { _meta: meta } }] })), ['-base-17']);
  for (const name of ['structuredContent', 'data', 'inputSchema', 'outputSchema']) assert.deepEqual(judged('a b', (meta) => ({ [name]: { _meta: meta } })), []);
  const below = (depth: number) => (meta: object): object => depth === 0 ? { _meta: meta } : { a: below(depth - 1)(meta) };
  assert.deepEqual([judged('a b', below(11)), judged('a b', below(12))], [['-base-17'], []]);
});

test('judge, in passing: progress', () => {
  const asked = [{ id: 1, params: { _meta: { progressToken: 't' } } }];
  const progress = (more: object = {}): object => tell('notifications/progress', { progressToken: 't', progress: 2, ...more });
  has(said(progress({ total: 5, message: 'x' }), { asked }), 'form-progress', 'progress-8', 'progress-3', 'progress-2', 'progress-7', '!progress-11');
  for (const wrong of [{ progress: 'x' }, { progress: undefined }, { total: 'x' }, { message: 5 }, { progressToken: undefined }]) has(said(progress(wrong), { asked }), '-form-progress');
  has(said(progress({ progressToken: 'other' }), { asked }), '-progress-3', 'progress-8', '!progress-2');
  has(said(progress({ progressToken: 1.5 }), { asked }), '-progress-8', '-progress-3');
  has(said(progress({ progressToken: 1.5 }), { asked: [{ params: { _meta: { progressToken: 1.5 } } }] }), '?progress-8', 'progress-3');
  has(said(progress(), { asked: [{ ...asked[0], done: true }] }), '-progress-2', '-progress-7');
  has(said(progress(), { asked: [{ ...asked[0], done: true, params: { task: {}, _meta: { progressToken: 't' } } }] }), '!progress-2');
  has(said(progress(), { asked, before: [progress({ progress: 1 })] }), 'progress-11');
  has(said(progress(), { asked, before: [progress({ progress: 2 })] }), '-progress-11');
  has(said(progress(), { asked, before: [progress({ progress: 9, progressToken: 'other' }), tell('notifications/other', { progressToken: 't', progress: 9 })] }), '!progress-11');
  has(said(progress(), { asked, before: [progress({ progress: 9 }), progress({ progress: 1 })] }), 'progress-11');
  // Of an earlier request with the same token.
  has(said(progress(), { asked: [{ ...asked[0], at: 5 }], before: [progress({ progress: 9 })] }), '!progress-11');
  has(said(progress(), { asked, before: [progress({ progress: 'x' })] }), '!progress-11');
});

test('judge, in passing: logs', () => {
  const log = (more: object = {}): object => tell('notifications/message', { level: 'info', data: 1, ...more });
  const offered = { logging: {} };
  has(said(log({ logger: 'x' }), { offered }), 'form-message', 'logging-2', '!logging-10');
  for (const wrong of [{ level: 'loud' }, { level: 5 }, { data: undefined }, { logger: 5 }]) has(said(log(wrong), { offered }), '-form-message');
  has(said(log()), '-logging-2');
  has(said(log(), { agreed: false }), '!logging-2');
  const modern = { version: '2026-07-28', agreed: false };
  has(said(log(), modern), '!logging-2');
  has(said(log(), { ...modern, offered: { tools: {} } }), '-logging-2');
  const named = { params: { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } } };
  has(said(log(), { ...modern, asked: [{}, named] }), 'logging-10', 'logging-11');
  has(said(log(), { ...modern, asked: [{}] }), '-logging-10', 'logging-11');
  has(said(log(), { ...modern, asked: [{ ...named, done: true }] }), '-logging-10');
  has(said(log(), { ...modern, asked: [{ ...named, method: 'subscriptions/listen' }] }), '-logging-11');
  has(said(log({ _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } }), { ...modern, asked: [named] }), '-logging-11');
  has(said(log(), { ...modern, http: true, asked: [{ ...named, exchange: 3, done: true }] }, { exchange: 3 }), 'logging-10');
  has(said(log(), { ...modern, http: true, asked: [{ ...named, exchange: 4 }] }, { exchange: 3 }), '-logging-10');
});

test('judge, in passing: cancellations, completions and changes', () => {
  const cancel = (params?: object): object => tell('notifications/cancelled', params);
  has(said(cancel({ requestId: 'q' }), { before: [ask('ping')] }), 'schema-2', 'cancellation-4', 'cancellation-5');
  has(said(cancel({ requestId: 'q' })), '-cancellation-4', '-cancellation-5');
  has(said(cancel({ requestId: 'q' }), { before: [answer({}, 'q')] }), '-cancellation-4');
  for (const params of [undefined, {}]) has(said(cancel(params)), '-schema-2', '!cancellation-4');
  has(said(cancel({ requestId: 1.5 })), '-schema-2');
  has(said(cancel({ _meta: { 'io.modelcontextprotocol/related-task': {} } })), '!schema-2');
  has(said(cancel({ requestId: 5, _meta: { 'io.modelcontextprotocol/related-task': {} } })), 'schema-2');
  const modern = { version: '2026-07-28' };
  has(said(cancel({ requestId: 1 }), { ...modern, asked: [{ method: 'subscriptions/listen' }] }), 'cancellation-3', '!cancellation-4');
  has(said(cancel({ requestId: 1 }), { ...modern, asked: [{}] }), '-cancellation-3');
  has(said(cancel({ requestId: 9 }), { ...modern, asked: [{ method: 'subscriptions/listen' }] }), '-cancellation-3');

  const complete = (id: unknown): object => tell('notifications/elicitation/complete', { elicitationId: id });
  has(said(complete('e'), { before: [ask('elicitation/create', { elicitationId: 'e' })] }), 'elicitation-6', 'elicitation-7');
  has(said(complete('e'), { before: [ask('elicitation/create', { elicitationId: 'f' })] }), 'elicitation-6', '-elicitation-7');
  has(said(complete(5)), '-elicitation-6', '!elicitation-7');

  for (const [method, capability, setting, filter] of [
    ['notifications/tools/list_changed', 'tools', 'listChanged', 'toolsListChanged'], ['notifications/prompts/list_changed', 'prompts', 'listChanged', 'promptsListChanged'],
    ['notifications/resources/list_changed', 'resources', 'listChanged', 'resourcesListChanged'], ['notifications/resources/updated', 'resources', 'subscribe', 'resourceSubscriptions'],
  ] as const) {
    has(said(tell(method), { offered: { [capability]: { [setting]: true } } }), 'lifecycle-13', '!base-15');
    for (const offered of [{}, { [capability]: {} }, { [capability]: { [setting]: 1 } }, { other: { [setting]: true } }]) has(said(tell(method), { offered }), '-lifecycle-13');
    has(said(tell(method), { agreed: false }), '!lifecycle-13');
    const id = { _meta: { 'io.modelcontextprotocol/subscriptionId': '1' } };
    const listening = (notifications: object) => ({ version: '2026-07-28', asked: [{ method: 'subscriptions/listen', params: { notifications } }] });
    has(said(tell(method, id), listening({ [filter]: true })), 'base-15', 'subscriptions-5', '!lifecycle-13');
    has(said(tell(method), listening({ [filter]: true })), '-base-15', 'subscriptions-5');
    has(said(tell(method, id), listening({ [filter]: false })), '-subscriptions-5');
    has(said(tell(method, { _meta: { 'io.modelcontextprotocol/subscriptionId': '2' } }), listening({ [filter]: true })), 'base-15', '-subscriptions-5');
    has(said(tell(method, id), { version: '2026-07-28', asked: [{ params: { notifications: { [filter]: true } } }] }), '-subscriptions-5');
  }
});

test('judge, in passing: elicitations', () => {
  const form = (more: object = {}): object => ask('elicitation/create', { message: 'x', requestedSchema: { type: 'object', properties: { a: {} } }, ...more });
  const capabilities = { elicitation: { form: {}, url: {} } };
  has(said(form(), { capabilities }), '!roots-11', '!sampling-9', 'lifecycle-13', 'elicitation-4', 'elicitation-9', 'elicitation-14', 'elicitation-16', 'elicitation-60');
  has(said(form(), { capabilities: { elicitation: {} } }), 'elicitation-4');
  has(said(form(), { capabilities: { elicitation: { url: {} } } }), '-elicitation-4');
  has(said(form(), {}), '-lifecycle-13', '-elicitation-4');
  has(said(form({ mode: 'other' }), { capabilities }), '-elicitation-4', '-elicitation-9', '-elicitation-14');
  for (const wrong of [{ message: 5 }, { requestedSchema: 'x' }, { requestedSchema: undefined }]) has(said(form(wrong), { capabilities }), '-elicitation-9', '-elicitation-14');
  const field = (name: string, value: unknown = {}): object => form({ requestedSchema: { properties: { plain: {}, [name]: value } } });
  for (const name of ['password', 'Pass-Word', 'API_key', 'credit card number', 'cvv']) has(said(field(name), { capabilities }), '-elicitation-16', '-elicitation-60');
  for (const name of ['passwords', 'pass', 'card', 'token']) has(said(field(name), { capabilities }), 'elicitation-16');
  has(said(field('a', { title: 'Password' }), { capabilities }), '-elicitation-16');
  has(said(field('a', { format: 'password' }), { capabilities }), '-elicitation-16');
  has(said(field('a', { title: 5, format: 'email' }), { capabilities }), 'elicitation-16');
  has(said(field('a', 'x'), { capabilities }), 'elicitation-16');
  const url = (more: object = {}): object => ask('elicitation/create', { mode: 'url', message: 'x', url: 'https://x/', elicitationId: 'e', ...more });
  has(said(url(), { capabilities }), 'elicitation-4', 'schema-5', 'elicitation-9', 'elicitation-56', 'elicitation-55', '!elicitation-16');
  has(said(url(), { capabilities, before: [ask('elicitation/create', { elicitationId: 'e' }, 'p')] }), '-schema-5');
  has(said(url(), { capabilities, before: [ask('elicitation/create', { elicitationId: 'f' }, 'p'), ask('ping', { elicitationId: 'e' }, 'o')] }), 'schema-5');
  has(said(url({ elicitationId: 5 }), { capabilities }), '!schema-5');
  has(said(url(), { capabilities, version: '2025-06-18' }), '!schema-5');
  has(said(url({ url: 'x' }), { capabilities }), 'elicitation-9', '-elicitation-55');
  has(said(url({ url: 5 }), { capabilities }), '-elicitation-9', '-elicitation-55');
  has(said(url({ message: 5 }), { capabilities }), '-elicitation-9', 'elicitation-55');
  has(said(ask('roots/list'), { capabilities: { roots: {} } }), 'lifecycle-13', 'roots-11', '!elicitation-4', '!sampling-9');
  has(said(ask('roots/list')), '-lifecycle-13', '-roots-11');
  has(said(ask('toString')), '!lifecycle-13');
});

test('judge, in passing: sampling', () => {
  const capabilities = { sampling: { tools: {}, context: {} } };
  const message = (role: string, content: unknown = { type: 'text', text: 'x' }): object => ({ role, content });
  const sampling = (params: object, more: World = { capabilities }): string[] => said(ask('sampling/createMessage', params), more);
  has(sampling({ messages: [message('user')] }), 'sampling-9', 'sampling-22', '!sampling-4', '!sampling-18', '!schema-14');
  for (const messages of [undefined, 'x', ['x'], [{ role: 'user' }], [{ role: 5, content: {} }], [message('user'), { content: {} }]]) has(sampling({ messages }), '-sampling-9');
  has(sampling({ messages: [] }), 'sampling-9');
  const plain = { capabilities: { sampling: {} } };
  for (const params of [{ tools: [] }, { toolChoice: {} }]) has(sampling({ messages: [], ...params }, plain), '-sampling-22');
  has(sampling({ messages: [] }, plain), 'sampling-22');
  has(sampling({ messages: [], tools: [], toolChoice: {} }), 'sampling-22');
  has(sampling({ messages: [], includeContext: 'none' }, plain), 'sampling-4');
  has(sampling({ messages: [], includeContext: 'allServers' }, plain), '-sampling-4');
  has(sampling({ messages: [], includeContext: 'allServers' }), 'sampling-4');
  has(sampling({ messages: [] }, {}), '-lifecycle-13');
  const use = (...ids: string[]): object => message('assistant', ids.map((id) => ({ type: 'tool_use', id })));
  const results = (...ids: unknown[]): object => message('user', ids.map((toolUseId) => ({ type: 'tool_result', toolUseId })));
  has(sampling({ messages: [use('a', 'b'), results('b', 'a')] }), 'schema-14', 'sampling-18');
  has(sampling({ messages: [message('assistant', { type: 'tool_use', id: 'a' }), message('user', { type: 'tool_result', toolUseId: 'a' })] }), 'schema-14', 'sampling-18');
  for (const messages of [
    [use('a')], [use('a', 'b'), results('a')], [use('a'), message('user', [{ type: 'tool_result', toolUseId: 'a' }, { type: 'text' }])], [use('a'), message('assistant', [{ type: 'tool_result', toolUseId: 'a' }])],
  ]) has(sampling({ messages }), '-sampling-18');
  has(sampling({ messages: [use('a'), results('b')] }), '-schema-14', '-sampling-18');
  has(sampling({ messages: [results('a'), use('a'), results('a')] }), 'sampling-18');
  assert.deepEqual(sampling({ messages: [results('a'), use('a'), results('a')] }).filter((one) => one.endsWith('schema-14')), ['-schema-14', 'schema-14']);
  has(sampling({ messages: [use('a'), results(5)] }), '-schema-14');
  has(sampling({ messages: [message('user', [{ type: 'tool_use', id: 'a' }])] }), '!sampling-18');
});

test('judge, in passing: before notifications/initialized', () => {
  has(said(tell('notifications/message', { level: 'info', data: 1 }), { agreed: false }), 'lifecycle-12');
  has(said(tell('notifications/tools/list_changed'), { agreed: false }), '-lifecycle-12');
  has(said(tell('notifications/tools/list_changed'), { http: true }), '!lifecycle-12');
  const initialized = JSON.stringify(tell('notifications/initialized'));
  const after = (entry: object): string[] => said(tell('notifications/tools/list_changed'), { entries: [{ direction: 'sent', text: 'x', at: 0 }, entry as WireEntry] });
  has(after({ direction: 'sent', text: initialized, at: 0 }), '!lifecycle-12');
  has(after({ direction: 'received', text: initialized, at: 0 }), '-lifecycle-12');
  has(after({ direction: 'sent', text: 'notifications/initialized', at: 0 }), '-lifecycle-12');
  has(after(head(1, 'sent', {})), '-lifecycle-12');
  has(after({ kind: 'event', direction: 'received', exchange: 1, data: initialized, at: 0 }), '-lifecycle-12');
  has(said(tell('notifications/tools/list_changed'), { version: '2026-07-28' }), '!lifecycle-12');
});

test('judge, in passing: the questions in a result of 2026-07-28', () => {
  const world = { version: '2026-07-28', asked: [{ id: 1 }], capabilities: { roots: {}, elicitation: {} } };
  const round = (more: object): object => answer({ resultType: 'input_required', ...more });
  const roots = { method: 'roots/list' };
  has(said(round({ inputRequests: { a: roots } }), world), 'mrtr-23', 'mrtr-16', 'mrtr-1', 'mrtr-22', 'mrtr-21', 'base-5', 'mrtr-15', 'roots-11');
  has(said(round({ requestState: 's' }), world), 'mrtr-16', '!mrtr-1');
  has(said(round({}), world), '-mrtr-16');
  has(said(round({ inputRequests: { a: roots } }), { ...world, asked: [{ id: 1, method: 'tools/list' }] }), '-mrtr-23');
  for (const method of ['prompts/get', 'resources/read']) has(said(round({ requestState: 's' }), { ...world, asked: [{ id: 1, method }] }), 'mrtr-23');
  for (const one of [{ method: 'ping' }, {}, 'x']) has(said(round({ inputRequests: { a: one } }), world), '-mrtr-22');
  has(said(JSON.stringify(round({ inputRequests: { a: roots } })).replace('"a":', '"a":{"method":"roots/list"},"a":'), world), '-mrtr-21');
  has(said(round({ inputRequests: { a: roots } }), { ...world, capabilities: {} }), '-base-5', '-mrtr-15', '-roots-11');
  has(said(round({ inputRequests: { a: { method: 'elicitation/create', params: { message: 5 } } } }), world), '-elicitation-9');
  has(said(ask('roots/list'), world), '-mrtr-1');
  has(said(ask('roots/list'), { capabilities: { roots: {} } }), '!mrtr-1');
  has(said(answer({ resultType: 'complete', inputRequests: { a: roots } }), world), '!mrtr-16');
  has(said(round({ inputRequests: { a: roots } }), { asked: [{ id: 1 }] }), '!mrtr-16');
});

test('judge, in passing: lists, resources and prompts', () => {
  const got = (method: string, result: object, more: World = {}): string[] => said(answer(result), { asked: [{ id: 1, method }], ...more });
  const tool = (more: object = {}): object => ({ name: 'add', inputSchema: { type: 'object' }, ...more });
  const tools = (list: unknown, more: World = {}): string[] => got('tools/list', { tools: list }, more);
  has(tools([tool(), tool({ name: 'b' })]), 'tools-25', 'tools-23', 'tools-27', 'tools-21', '!base-78');
  has(tools([tool({ name: '' })]), '-tools-25', 'tools-23');
  has(tools([tool({ name: 'a b' })]), 'tools-25', '-tools-23');
  has(tools([tool({ name: 5 })]), '!tools-25', 'tools-27');
  assert.deepEqual(tools([tool(), tool()]).filter((one) => one.endsWith('tools-27')), ['tools-27', '-tools-27']);
  has(tools([tool({ inputSchema: undefined })]), '-tools-21');
  assert.deepEqual(tools([tool({ inputSchema: { type: 'string' } })]).filter((one) => one.endsWith('tools-21')), ['tools-21', '?tools-21']);
  for (const list of ['x', ['x'], []]) has(tools(list), '!tools-21');
  const bad = { compile: (): never => { throw new Error('bad'); } };
  assert.deepEqual(tools([tool({ outputSchema: {} })], bad).filter((one) => one.endsWith('base-78')), ['-base-78', '-base-78']);
  const dialect = (name: unknown): object => tool({ inputSchema: { type: 'object', $schema: name } });
  for (const name of ['https://json-schema.org/draft/2020-12/schema', 'https://json-schema.org/draft/2020-12/schema#', 5]) has(tools([dialect(name)], bad), '-base-78');
  has(tools([dialect('http://json-schema.org/draft-07/schema#')], bad), 'base-78');
  for (const [uri, verdict] of [['file:///a', 'resources-4'], ['a+b-c.1:x', 'resources-4'], ['note', '-resources-4'], ['1a:x', '-resources-4'], [5, '-resources-4'], [' a:b', '-resources-4']] as const) has(got('resources/list', { resources: [{ uri }] }), verdict);
  for (const [blob, verdict] of [['YQ==', 'resources-12'], ['', 'resources-12'], ['YWI=', 'resources-12'], ['YWJj', 'resources-12'], ['YQ', '-resources-12'], ['YQ=', '-resources-12'], ['Y_Q=', '-resources-12'], [5, '-resources-12'], [undefined, '!resources-12']] as const) has(got('resources/read', { contents: [{ blob }] }), verdict);
  const prompt = (content: unknown): string[] => got('prompts/get', { messages: [{ role: 'user', content }] });
  for (const [type, id] of [['image', 'prompts-11'], ['audio', 'prompts-1']] as const) {
    has(prompt({ type, data: 'YQ==', mimeType: 'a/b' }), id, '!prompts-5');
    for (const wrong of [{ data: 'YQ' }, { data: 5 }, { mimeType: 'a' }, { mimeType: 5 }, { mimeType: 'a/b/c' }, { mimeType: ' a/b' }, { mimeType: 'a/bé;x' }]) has(prompt({ type, data: 'YQ==', mimeType: 'a/b', ...wrong }), `-${id}`);
    for (const mimeType of ['a/b; charset=x', 'a/b  ;x', 'a/b;']) has(prompt({ type, data: 'YQ==', mimeType }), id);
  }
  const resource = (more: object = {}): string[] => prompt({ type: 'resource', resource: { uri: 'a:b', text: 'x', mimeType: 'a/b', ...more } });
  has(resource(), 'prompts-5', 'prompts-6', 'prompts-7', '!prompts-11');
  has(resource({ uri: 'b' }), '-prompts-5');
  has(resource({ uri: 5 }), '-prompts-5');
  has(resource({ text: undefined }), '-prompts-6');
  has(resource({ text: undefined, blob: 'YQ==' }), 'prompts-6');
  has(resource({ text: undefined, blob: 'YQ' }), '-prompts-6');
  for (const mimeType of [undefined, 'a', 5]) has(resource({ mimeType }), '-prompts-7');
  for (const content of ['x', undefined, { type: 'text' }, { type: 'resource' }, { type: 'other', resource: { uri: 'b' } }]) has(prompt(content), '!prompts-5', '!prompts-11');
  has(said(answer({ tools: [tool({ name: '' })] }), { asked: [{ id: 1, method: 'ping' }] }), '!tools-25');
  has(said(fail({ code: 1, message: 'x' }), { asked: [{ id: 1, method: 'tools/list' }] }), '!tools-25');
  has(said(answer({ tools: [tool()] }, 9), { asked: [{ id: 1, method: 'tools/list' }] }), '!tools-25');
  has(said(answer({ tools: [tool({ name: '' })] }), { asked: [{ id: 1, method: 'tools/list' }] }, { replayed: true }), '!tools-25', '!base-59');
});

/** The head of an HTTP exchange. */
const head = (exchange: number, direction: 'sent' | 'received', more: object): WireEntry => ({ kind: 'http', direction, exchange, headers: {}, at: 0, method: 'POST', path: '/mcp', ...more }) as WireEntry;

test('judge, in passing: the texts of refusals and documents over HTTP are not messages', () => {
  const over = (message: object | string, ...entries: WireEntry[]): string[] => said(message, { http: true, entries }, { exchange: 2 });
  has(over('no', head(2, 'received', { status: 200 })), '-base-59');
  has(over('no'), '-base-59');
  for (const status of [400, 404, 500]) has(over('no', head(2, 'received', { status })), '!base-59');
  has(over({ error: 'no' }, head(2, 'received', { status: 401 })), '!base-59');
  has(over(fail({ code: 1, message: 'x' }), head(2, 'received', { status: 400 })), 'base-59');
  has(over({ error: 'no' }, head(2, 'received', { status: 399 })), '-base-59');
  has(over('no', head(1, 'received', { status: 400 }), head(2, 'sent', { status: 400 })), '-base-59');
  has(over('no', head(2, 'received', { status: 400 }), head(2, 'received', { status: 200 })), '-base-59');
  has(over('{}', head(2, 'received', { status: 200, method: 'GET' })), '!base-59');
  has(over('{}', head(2, 'received', { status: 200, method: 'GET', headers: { 'content-type': 'Text/Event-Stream; charset=utf-8' } })), '-base-59');
  has(said('no', { entries: [head(2, 'received', { status: 400 })] }, { exchange: 2 }), '-base-59');
});

test('judge, in passing: on which stream a message is', () => {
  const on = (message: object, more: World, arrival: object = {}): string[] =>
    said(message, { http: true, entries: [head(2, 'sent', { method: 'GET' }), head(3, 'sent', {}), head(4, 'sent', { method: 'GET', headers: { 'last-event-id': 'x' } })], ...more }, { exchange: 2, event: {}, ...arrival } as Partial<Arrival>);
  has(on(tell('notifications/other'), {}), 'transports-4', 'transports-6', '!transports-12', '!transports-7');
  has(on(answer({}), {}), '-transports-4', 'transports-7');
  has(on(tell('notifications/progress', { progressToken: 't', progress: 1 }), {}), 'transports-4', '-transports-6');
  has(on(answer({}), {}, { exchange: 4 }), 'transports-4', 'transports-6');
  has(on(answer({}), {}, { exchange: 3 }), '!transports-4', 'transports-7');
  has(on(answer({}), { before: [answer({})] }, { exchange: 3 }), '-transports-7');
  has(on(answer({}), { before: [answer({})] }), 'transports-7');
  has(on(answer({}), { http: false }), '!transports-4');
  has(on(answer({}), {}, { event: undefined }), '!transports-4');
  has(on(answer({}), { version: '2026-07-28' }), '!transports-4', '!transports-6');
  has(on(tell('notifications/other'), {}, { event: { id: 'e' } }), 'transports-12', '!transports-11');
  has(on(tell('notifications/other'), {}, { event: { id: '' } }), '!transports-12');
  const modern = { version: '2026-07-28', asked: [{ exchange: 3, params: { _meta: { progressToken: 't' } } }] };
  const progress = (progressToken: unknown): object => tell('notifications/progress', { progressToken, progress: 1 });
  has(on(progress('t'), modern, { exchange: 3 }), 'streamable-http-21');
  has(on(progress('u'), modern, { exchange: 3 }), '-streamable-http-21');
  has(on(progress('t'), { ...modern, asked: [{ exchange: 3 }] }, { exchange: 3 }), '-streamable-http-21');
  has(on(progress('t'), modern), '!streamable-http-21');
  has(on(tell('notifications/other'), modern, { exchange: 3 }), '!streamable-http-21');
  has(on(progress('t'), { ...modern, version: '2025-11-25' }, { exchange: 3 }), '!streamable-http-21');
});

test('judge, in passing: each HTTP response', () => {
  const replied = (reply: Partial<CarrierReply>, message: string | undefined = JSON.stringify(ask('ping')), version = '2025-11-25'): string[] => {
    const verdicts: string[] = [];
    const revision = findRevision(revisions, version) ?? assert.fail();
    const conversation = {
      revision, modern: revision.era === 'modern', check: (id: string, kept: boolean, expected: string) => verdicts.push(assert.ok(kept || expected) ?? `${kept ? '' : '-'}${id}`),
    } as unknown as JudgedConversation;
    watchServer(undefined).replied(conversation, { method: 'POST', status: 200, headers: { 'content-type': 'application/json' }, stream: false, body: '{}', utf8: true, ...reply } as CarrierReply, message);
    return verdicts;
  };
  assert.deepEqual(replied({}), ['streamable-http-37', 'streamable-http-1', 'base-58']);
  assert.deepEqual(replied({ body: ' [1]' }), ['streamable-http-37', 'streamable-http-1', 'base-58']);
  for (const body of ['', 'x', '5', '"x"']) assert.deepEqual(replied({ body }), ['streamable-http-37', 'streamable-http-1', '-base-58'], body);
  assert.deepEqual(replied({ headers: { 'content-type': 'text/event-stream' }, stream: true, body: '' }), ['streamable-http-37', 'streamable-http-1']);
  assert.deepEqual(replied({ headers: {} }), ['-streamable-http-37']);
  assert.deepEqual(replied({ utf8: false }), ['-base-60', 'streamable-http-37', 'streamable-http-1', 'base-58']);
  for (const reply of [{ status: 202 }, { method: 'GET' }]) assert.deepEqual(replied(reply), []);
  for (const message of [undefined, 'x', '[]', JSON.stringify(tell('notifications/x')), JSON.stringify(answer({})), '{"id":1,"method":"ping"}', JSON.stringify(rpc({ id: 1, method: 5 }))]) assert.deepEqual(replied({}, message ?? ''), [], message);
  const type = { 'content-type': 'application/json' };
  const session = (id: string): object => ({ status: 202, headers: { ...type, 'mcp-session-id': id } });
  assert.deepEqual([replied(session('abc~!')), replied(session('')), replied(session('a b')), replied(session('é'))], [['transports-36'], ['-transports-36'], ['-transports-36'], ['-transports-36']]);
  assert.deepEqual(replied(session('abc'), '', '2026-07-28'), ['-streamable-http-11']);
  const stream = (value: object): object => ({ status: 202, stream: true, headers: { 'content-type': 'text/event-stream', ...value } });
  assert.deepEqual([replied(stream({}), '', '2026-07-28'), replied(stream({ 'x-accel-buffering': 'no' }), '', '2026-07-28'), replied(stream({}), '')], [['-streamable-http-22'], ['streamable-http-22'], []]);
});

test('judge, in passing: the form of each result', () => {
  const got = (method: string, result: object, more: World = {}): string[] => said(answer(result), { asked: [{ id: 1, method }], ...more });
  const tool = { name: 'a', inputSchema: {} };
  for (const [method, rule, right, ...wrong] of [
    ['initialize', 'form-initialize', { protocolVersion: 'v', capabilities: {}, serverInfo: { name: 's', version: '1' }, instructions: 'x' }, { protocolVersion: 5 }, { capabilities: 'x' }, { serverInfo: { name: 's' } }, { serverInfo: { version: '1' } }, { instructions: 5 }],
    ['server/discover', 'form-discover', { supportedVersions: ['v'], capabilities: {}, instructions: 'x' }, { supportedVersions: 'v' }, { supportedVersions: [5] }, { capabilities: 5 }, { instructions: 5 }],
    ['tools/list', 'form-tools-list', { tools: [{ ...tool, title: 't', description: 'd', outputSchema: {}, annotations: { title: 't', readOnlyHint: true, destructiveHint: true, idempotentHint: true, openWorldHint: false } }], nextCursor: 'c' },
      { tools: 'x' }, { nextCursor: 5 }, { tools: [{ inputSchema: {} }] }, { tools: [{ name: 'a' }] }, ...['title', 'description', 'outputSchema', 'annotations'].map((name) => ({ tools: [{ ...tool, [name]: 5 }] })),
      ...['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'].map((name) => ({ tools: [{ ...tool, annotations: { [name]: 5 } }] }))],
    ['tools/call', 'form-tools-call', { content: [{ type: 'text', text: 'x' }, { type: 'image', data: '', mimeType: 'a/b', annotations: { audience: ['user', 'assistant'], priority: 1 } }, { type: 'audio', data: '', mimeType: '' }, { type: 'resource', resource: { uri: 'a:b', text: '' } }, { type: 'resource', resource: { uri: 'a:b', blob: '' } }, { type: 'resource_link', uri: 'a:b', name: 'n' }], isError: true },
      { content: 'x' }, { content: ['x'] }, { content: [{}] }, { content: [{ type: 'other' }] }, { content: [{ type: 'toString' }] }, { content: [{ type: 'text' }] }, { content: [{ type: 'image', data: '' }] }, { content: [{ type: 'audio', mimeType: '' }] },
      { content: [{ type: 'resource', resource: { uri: 'a:b' } }] }, { content: [{ type: 'resource', resource: { text: '' } }] }, { content: [{ type: 'resource_link', uri: 'a:b' }] }, { content: [{ type: 'text', text: 'x', annotations: { audience: ['x'] } }] },
      { content: [{ type: 'text', text: 'x', annotations: { priority: '1' } }] }, { isError: 1 }],
    ['resources/list', 'form-resources-list', { resources: [{ uri: 'a:b', name: 'n', title: 't', description: 'd', mimeType: 'a/b', size: 1, annotations: {} }] }, { resources: [{ uri: 'a:b' }] }, { resources: [{ name: 'n' }] }, { resources: [{ uri: 'a:b', name: 'n', size: '1' }] }],
    ['resources/templates/list', 'form-templates-list', { resourceTemplates: [{ uriTemplate: 'a', name: 'n', title: 't', description: 'd', mimeType: 'm', annotations: {} }] }, { resourceTemplates: [{ name: 'n' }] }, { resourceTemplates: [{ uriTemplate: 'a' }] }],
    ['resources/read', 'form-resources-read', { contents: [{ uri: 'a:b', text: 'x', mimeType: 'm' }] }, { contents: [{ uri: 'a:b' }] }, { contents: [{ uri: 'a:b', text: 'x', mimeType: 5 }] }, { contents: {} }],
    ['prompts/list', 'form-prompts-list', { prompts: [{ name: 'n', title: 't', description: 'd', arguments: [{ name: 'a', description: 'd', required: true }] }] }, { prompts: [{}] }, { prompts: [{ name: 'n', arguments: [{}] }] }, { prompts: [{ name: 'n', arguments: [{ name: 'a', required: 1 }] }] }],
    ['prompts/get', 'form-prompts-get', { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], description: 'd' }, { messages: [{ role: 'system', content: { type: 'text', text: 'x' } }] }, { messages: [{ role: 'user', content: 'x' }] }, { description: 5 }],
  ] as const) {
    has(got(method, right), rule);
    for (const part of wrong) has(got(method, { ...right, ...part }), `-${rule}`);
    has(got(method, { ...wrong[0], resultType: 'input_required' }), `!${rule}`);
    has(got(method, { ...right, resultType: 'complete' }), rule);
  }
  has(got('initialize', { capabilities: {}, serverInfo: { name: 's', version: '1' } }), '-form-initialize', 'lifecycle-11');
  has(got('initialize', { capabilities: {}, serverInfo: {} }), '-lifecycle-11');
  has(got('prompts/get', { messages: 'x' }), '?prompts-16');
  has(got('prompts/get', { messages: [] }), '!prompts-16');
  has(got('other', {}), '!form-tools-call');
  has(got('toString', {}), '!form-tools-call');
  const complete = { completion: { values: ['x'], total: 1, hasMore: false } };
  has(got('completion/complete', complete, { offered: { completions: {} } }), 'form-complete');
  for (const wrong of [{}, { values: [5] }, { values: [], total: 'x' }, { values: [], hasMore: 1 }]) has(got('completion/complete', { completion: wrong }, { offered: { completions: {} } }), '-form-complete');
  has(got('completion/complete', {}), '!form-complete');
  has(got('completion/complete', {}, { version: '2024-11-05' }), '-form-complete');
  const asTask = { asked: [{ id: 1, method: 'tools/call', params: { task: {} } }] };
  has(got('tools/call', { task: {} }, asTask), '!form-tools-call');
  has(got('tools/call', {}, asTask), '-form-tools-call');
  has(got('tools/call', { task: {} }), '-form-tools-call');
  const discovered = (extensions: unknown): string[] => got('server/discover', { supportedVersions: [], capabilities: { extensions } }, { version: '2026-07-28' });
  has(discovered({ 'com.example/a': {} }), 'versioning-4');
  for (const wrong of [{ a: {} }, { 'com.example/a': {}, 'b c/d': {} }]) has(discovered(wrong), '-versioning-4');
  for (const none of [undefined, {}, 'x']) has(discovered(none), '!versioning-4');
});

test('judge, in passing: hints of caches, and content that a revision lacks', () => {
  const got = (method: string, result: object, version = '2026-07-28'): string[] => said(answer(result), { asked: [{ id: 1, method }], version });
  for (const [method, rule] of [
    ['prompts/list', 'caching-4'], ['resources/list', 'caching-5'], ['resources/read', 'caching-6'], ['resources/templates/list', 'caching-7'], ['server/discover', 'caching-8'], ['tools/list', 'caching-9'],
  ] as const) {
    for (const cacheScope of ['public', 'private']) has(got(method, { ttlMs: 0, cacheScope }), rule, 'caching-23');
    has(got(method, { ttlMs: 5 }), `-${rule}`, 'caching-23');
    has(got(method, { cacheScope: 'public' }), `-${rule}`, '!caching-23');
    has(got(method, { ttlMs: 5, cacheScope: 'shared' }), `-${rule}`);
    for (const ttlMs of [-1, '5']) has(got(method, { ttlMs, cacheScope: 'public' }), rule, '-caching-23');
    has(got(method, { ttlMs: -1 }, '2025-11-25'), `!${rule}`, '!caching-23');
  }
  has(got('tools/call', { ttlMs: 5 }), '!caching-23');
  const content = (type: unknown, version: string): string[] => [...got('tools/call', { content: [{ type }] }, version), ...got('prompts/get', { messages: ['x', { content: { type } }] }, version)].filter((one) => one.endsWith('lifecycle-14'));
  for (const [type, version, count] of [
    ['audio', '2024-11-05', 2], ['audio', '2025-03-26', 0], ['resource_link', '2025-03-26', 2], ['resource_link', '2025-06-18', 0], ['text', '2024-11-05', 0], ['toString', '2024-11-05', 0], [5, '2024-11-05', 0],
  ] as const) assert.deepEqual(content(type, version), Array.from({ length: count }, () => '?lifecycle-14'), `${type} ${version}`);
});

test('judge: the checks of forms name the first fault and its place', () => {
  const check = object({ a: text, 'b?': number, 'c?': list(oneOf('x', 'y')), 'd?': object({ e: flag }), 'f?': anything });
  for (const [value, fault] of [
    [{ a: '' }, undefined], [{ a: '', b: 1, c: ['x', 'y'], d: { e: false }, f: null, g: 1 }, undefined], ['x', 'at is not an object'], [{}, 'at.a is missing'], [{ a: 5 }, 'at.a is not a string'],
    [{ a: '', b: '1' }, 'at.b is not a number'], [{ a: '', c: 'x' }, 'at.c is not a list'], [{ a: '', c: ['x', 'z'] }, 'at.c[1] is not one of x, y'], [{ a: '', d: {} }, 'at.d.e is missing'],
    [{ a: '', d: { e: 0 } }, 'at.d.e is not a boolean'], [{ a: 5, b: 'x' }, 'at.a is not a string'],
  ] as const) assert.equal(check(value, 'at'), fault);
  assert.equal(object()({}, 'at'), undefined);
  assert.equal(anything(undefined, 'at'), 'at is missing');
});
