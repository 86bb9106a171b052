import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '../../src/explain/explain.ts';
import { methods, revisions } from '../../src/explain/phrases.ts';

// The methods of each revision's schema.ts.
const shared = [
  'notifications/cancelled',
  'notifications/progress',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'prompts/list',
  'prompts/get',
  'notifications/prompts/list_changed',
  'tools/list',
  'tools/call',
  'notifications/tools/list_changed',
  'notifications/message',
  'sampling/createMessage',
  'completion/complete',
  'roots/list',
];
const first = [
  ...shared,
  'initialize',
  'notifications/initialized',
  'ping',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
  'notifications/roots/list_changed',
];
const specified: Readonly<Record<string, readonly string[]>> = {
  '2024-11-05': first,
  '2025-03-26': first,
  '2025-06-18': [...first, 'elicitation/create'],
  '2025-11-25': [
    ...first,
    'elicitation/create',
    'notifications/elicitation/complete',
    'tasks/get',
    'tasks/result',
    'tasks/cancel',
    'tasks/list',
    'notifications/tasks/status',
  ],
  '2026-07-28': [
    ...shared,
    'server/discover',
    'subscriptions/listen',
    'notifications/subscriptions/acknowledged',
    'elicitation/create',
  ],
};
const SECTION = /^\d{4}-\d{2}-\d{2} (basic|client|server)(\/[a-z-]+)*(#[a-z-]+)?$/;

const call = (method: string, params?: unknown): unknown =>
  method.startsWith('notifications/')
    ? { jsonrpc: '2.0', method, params }
    : { jsonrpc: '2.0', id: 7, method, params };
const answer = (result: unknown): unknown => ({ jsonrpc: '2.0', id: 7, result });
const failure = (code: number, message: string, data?: unknown): unknown => ({
  jsonrpc: '2.0',
  id: 7,
  error: { code, message, data },
});

test('the table has every method of every revision, and no other', () => {
  assert.deepEqual(Object.keys(specified), revisions);
  assert.deepEqual([...methods.keys()].sort(), [...new Set(Object.values(specified).flat())].sort());
});

for (const revision of revisions) {
  test(`${revision}: its methods have a section of it, the others are said to be absent`, () => {
    for (const [method, { kind }] of methods) {
      assert.equal(kind === 'notification', method.startsWith('notifications/'), method);
      const { what, section } = explain(call(method, {}), 'sent', revision);
      assert.match(section, SECTION, method);
      assert.match(what, /^(The client|The server|This side) \S/);
      const here = specified[revision]?.includes(method) ?? false;
      assert.equal(section.startsWith(revision), here, `${method}: ${section}`);
      assert.equal(what.includes(`not in ${revision}`), !here, `${method}: ${what}`);
      if (kind === 'notification' || !here) continue;
      for (const message of [answer({}), failure(-32602, 'No'), failure(-32601, 'No')]) {
        const answered = explain(message, 'received', revision, () => method);
        assert.match(answered.section, SECTION);
        assert.ok(answered.section.startsWith(revision), `${method}: ${answered.section}`);
      }
    }
  });
}

/** A message, its explanation and the section; of 2025-11-25 by default. */
type Case = readonly [
  message: unknown,
  what: string,
  section: string,
  revision?: string | undefined,
  asked?: string | undefined,
];
const cases: readonly Case[] = [
  [
    call('initialize', {
      protocolVersion: '2025-06-18',
      clientInfo: { name: 'tour', version: '1.0' },
      capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
    }),
    'The client says hello as tour 1.0, proposes 2025-06-18, ' +
      'can do: roots (listChanged), sampling, elicitation (form, url)',
    '2025-06-18 basic/lifecycle#initialization',
  ],
  [
    answer({
      protocolVersion: '2025-03-26',
      serverInfo: { name: 'travel', title: 'Travel desk', version: '2' },
      capabilities: { tools: { listChanged: false }, resources: { subscribe: true } },
    }),
    'The server is Travel desk 2, settles on 2025-03-26, offers: tools, resources (subscribe)',
    '2025-03-26 basic/lifecycle#initialization',
    '2025-03-26',
    'initialize',
  ],
  [
    call('tools/call', {
      name: 'add',
      arguments: { a: 1, b: 'two', c: [1, 2], d: { e: 1 } },
      _meta: { progressToken: 3 },
    }),
    'The client calls the tool add (a: 1, b: "two", c: [2], d: {e}) [progress as 3]',
    '2025-11-25 server/tools#calling-tools',
  ],
  [
    answer({
      content: [
        { type: 'text', text: 'a\nb' },
        { type: 'image', data: 'A'.repeat(4096), mimeType: 'image/png' },
        {},
      ],
    }),
    'The server answers "a\\nb", image (image/png, 3 KiB) and 1 more',
    '2025-11-25 server/tools#calling-tools',
    '2025-11-25',
    'tools/call',
  ],
  [
    answer({ content: [{ type: 'text', text: 'no such city' }], isError: true }),
    'The server reports that the tool failed: "no such city"',
    '2025-11-25 server/tools#calling-tools',
    '2025-11-25',
    'tools/call',
  ],
  [
    answer({ tools: Array.from({ length: 8 }, (_, i) => ({ name: `t${i}` })), nextCursor: 'x' }),
    'The server lists 8 tools: t0, t1, t2, t3, t4, t5 and 2 more; more on the next page',
    '2025-11-25 server/tools#listing-tools',
    '2025-11-25',
    'tools/list',
  ],
  [
    answer({ resultType: 'complete', prompts: [{ name: 'plan' }], ttlMs: 60000, cacheScope: 'public' }),
    'The server lists 1 prompt: plan; fresh for 60 s, public',
    '2026-07-28 server/prompts#listing-prompts',
    '2026-07-28',
    'prompts/list',
  ],
  [
    answer({ resources: [] }),
    'The server lists no resources',
    '2025-11-25 server/resources#listing-resources',
    '2025-11-25',
    'resources/list',
  ],
  [
    answer({
      contents: [
        { uri: 'a://b', text: 'hello' },
        { uri: 'a://c', blob: 'AAAA' },
      ],
    }),
    'The server gives a://b "hello", a://c (3 bytes)',
    '2025-11-25 server/resources#reading-resources',
    '2025-11-25',
    'resources/read',
  ],
  [
    call('notifications/progress', { progressToken: 3, progress: 2, total: 8, message: 'half' }),
    'The other side has come to 2 of 8 (25 %) with 3: "half"',
    '2025-11-25 basic/utilities/progress#progress-flow',
  ],
  [
    call('notifications/cancelled', { requestId: 5, reason: 'too slow' }),
    'The other side no longer wants an answer to request 5: "too slow"',
    '2026-07-28 basic/patterns/cancellation#cancellation-flow',
    '2026-07-28',
  ],
  [
    call('notifications/message', { level: 'info', logger: 'db', data: { rows: 3, ms: 9 } }),
    'The server logs (info, db): {rows, ms}',
    '2025-11-25 server/utilities/logging#log-message-notifications',
  ],
  [
    call('completion/complete', {
      ref: { type: 'ref/prompt', name: 'plan' },
      argument: { name: 'city', value: 'par' },
    }),
    'The client asks how "par" could go on, for city of plan',
    '2025-11-25 server/utilities/completion#requesting-completions',
  ],
  [
    answer({ completion: { values: ['Paris', 'Parma'], total: 5 } }),
    'The server proposes 2 values of 5: Paris, Parma',
    '2025-11-25 server/utilities/completion#completion-results',
    '2025-11-25',
    'completion/complete',
  ],
  [
    call('elicitation/create', {
      message: 'Which seat?',
      requestedSchema: { type: 'object', properties: { seat: {}, note: {} }, required: ['seat'] },
    }),
    'The server asks the user "Which seat?" (seat, note?)',
    '2025-06-18 client/elicitation#creating-elicitation-requests',
    '2025-06-18',
  ],
  [
    call('elicitation/create', { mode: 'url', message: 'Pay', url: 'https://example.org/pay' }),
    'The server asks the user to visit https://example.org/pay: "Pay"',
    '2025-11-25 client/elicitation#url-mode-elicitation-requests',
  ],
  [
    answer({ action: 'accept', content: { seat: 'window', confirm: true } }),
    'The client returns what the user entered (seat: "window", confirm: true)',
    '2025-11-25 client/elicitation#response-actions',
    '2025-11-25',
    'elicitation/create',
  ],
  [
    call('sampling/createMessage', {
      messages: [{ role: 'user', content: { type: 'text', text: 'Best flight?' } }],
      maxTokens: 100,
    }),
    'The server asks the client\'s model, with 1 message, for at most 100 tokens: "Best flight?"',
    '2025-11-25 client/sampling#creating-messages',
  ],
  [
    answer({ task: { taskId: 'T1', status: 'working' } }),
    'The server makes it the task T1: working',
    '2025-11-25 basic/utilities/tasks#creating-tasks',
    '2025-11-25',
    'tools/call',
  ],
  [
    answer({
      resultType: 'input_required',
      inputRequests: { ok: { method: 'elicitation/create', params: { message: 'Sure?' } } },
      requestState: 's',
    }),
    'The server needs answers first: ok: asks the user "Sure?" [with state to send back]',
    '2026-07-28 basic/patterns/mrtr#inputrequiredresult',
    undefined,
    'tools/call',
  ],
  [
    call('tools/call', {
      name: 'book',
      inputResponses: { ok: { action: 'accept' } },
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' },
    }),
    'The client calls the tool book [again, with answers to: ok]',
    '2026-07-28 basic/patterns/mrtr#client-requirements-basic-workflow',
    undefined,
  ],
  [
    call('subscriptions/listen', {
      notifications: { toolsListChanged: true, resourceSubscriptions: ['a://b'] },
    }),
    'The client wants to be told of: toolsListChanged, a://b',
    '2026-07-28 basic/patterns/subscriptions#opening-a-stream',
    undefined,
  ],
  [
    call('notifications/tools/list_changed', { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } }),
    'The server says that its tools have changed [for subscription 1]',
    '2026-07-28 server/tools#list-changed-notification',
    '2026-07-28',
  ],
  [
    answer({
      supportedVersions: ['2025-11-25', '2026-07-28'],
      capabilities: { extensions: { 'a/b': {} } },
      ttlMs: 0,
    }),
    'The server speaks 2025-11-25, 2026-07-28, offers: extensions (a/b)',
    '2026-07-28 server/discover#response',
    '2026-07-28',
    'server/discover',
  ],
  [
    failure(-32602, 'Unknown tool: x'),
    'The server refuses tools/call: invalid parameters (-32602), "Unknown tool: x"',
    '2025-11-25 server/tools#error-handling',
    '2025-11-25',
    'tools/call',
  ],
  [
    failure(-32602, 'No'),
    'The client refuses elicitation/create: invalid parameters (-32602), "No"',
    '2025-06-18 basic/index#responses',
    '2025-06-18',
    'elicitation/create',
  ],
  [
    failure(-32022, 'No', { supported: ['2025-11-25'], requested: '1999-01-01' }),
    'The other side refuses request 7: the revision is not spoken (-32022), "No": 2025-11-25 would be',
    '2026-07-28 basic/versioning#protocol-version-negotiation',
    undefined,
  ],
  [
    { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } },
    'The other side refuses a message: not JSON (-32700), "Parse error"',
    '2024-11-05 basic/messages#responses',
    '2024-11-05',
  ],
  [
    call('vendor/thing', {}),
    'The other side sends the request vendor/thing, which no revision has',
    '2025-11-25 basic/index#requests',
  ],
  [
    [call('ping'), call('ping'), answer({})],
    'The other side sends a batch: 2 calls, 1 answer',
    '2025-03-26 basic/index#batching',
    '2025-03-26',
  ],
  [
    [call('ping')],
    'The other side sends a batch: 1 call, no answers [not in 2025-06-18]',
    '2025-03-26 basic/index#batching',
    '2025-06-18',
  ],
  [
    { jsonrpc: '2.0', method: 'tools/list' },
    'The client asks for the tools [without an id: no answer]',
    '2025-11-25 server/tools#listing-tools',
  ],
  [answer({ x: 1 }), 'The other side answers request 7', '2025-11-25 basic/index#result-responses'],
  ['{"jsonrpc"', 'The other side sends a line that is not JSON', '2025-11-25 basic/index#messages'],
  [{}, 'The other side sends JSON that is not a JSON-RPC message', '2024-11-05 basic/messages', '2024-11-05'],
];

for (const [message, what, section, revision, asked] of cases.map((one) =>
  one.length === 3 ? ([...one, '2025-11-25', undefined] as const) : one,
)) {
  test(`explained: ${what}`, () => {
    assert.deepEqual(
      explain(message, 'received', revision, () => asked),
      { what, section },
    );
  });
}

test('who speaks: the role where the method has one, the direction where it has not', () => {
  assert.match(explain(call('ping'), 'sent').what, /^This side /);
  assert.match(explain(call('ping'), 'received').what, /^The other side /);
  assert.match(explain(answer({}), 'sent', undefined, () => 'ping').what, /^This side is alive/);
  assert.match(explain(answer({}), 'sent', undefined, () => 'tools/call').what, /^The server /);
  assert.match(explain(answer({}), 'sent', undefined, () => 'roots/list').what, /^The client /);
});

test('the question of an answer is looked up by its id', () => {
  const asked = (id: string | number): string | undefined => (id === 'a' ? 'ping' : undefined);
  assert.match(
    explain({ jsonrpc: '2.0', id: 'a', result: {} }, 'received', undefined, asked).what,
    /is alive/,
  );
  assert.match(
    explain({ jsonrpc: '2.0', id: 'b', result: {} }, 'received', undefined, asked).what,
    /request b/,
  );
});

test('a revision that nobody knows is no revision', () => {
  assert.equal(
    explain(call('ping'), 'sent', '1999-01-01').section,
    '2025-11-25 basic/utilities/ping#message-format',
  );
  const hello = call('initialize', { protocolVersion: '__proto__' });
  assert.equal(explain(hello, 'sent').section, '2025-11-25 basic/lifecycle#initialization');
});

test('whatever a peer sends, one short line that is safe to print', () => {
  const deep = JSON.parse('['.repeat(5000) + ']'.repeat(5000)) as unknown;
  const evil = `\x1b[2J\u202e${'\n'.repeat(3)}${'x'.repeat(10_000)}`;
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`${evil}${i}`, evil]));
  const values = [null, true, -1, 1e308, '', evil, [], [null, evil, {}], {}, { __proto__: null }, many, deep];
  const names = [
    'name',
    'uri',
    'arguments',
    'content',
    'message',
    'capabilities',
    'tools',
    'contents',
    'messages',
  ];
  names.push(
    'clientInfo',
    'serverInfo',
    'requestedSchema',
    'completion',
    'argument',
    'ref',
    'task',
    '_meta',
    'data',
  );
  names.push(
    'inputRequests',
    'notifications',
    'values',
    'action',
    'mode',
    'error',
    'supported',
    'elicitations',
    'id',
  );
  for (const value of values) {
    const all = Object.fromEntries(names.map((name) => [name, value]));
    const nested = Object.fromEntries(names.map((name) => [name, [all, all, all]]));
    for (const body of [value, all, nested]) {
      const messages = [...methods.keys(), evil, 'constructor', '__proto__'].flatMap(
        (method) =>
          [
            [call(method, body), method],
            [answer(body), method],
            [
              answer({ resultType: 'input_required', inputRequests: { [evil]: { method, params: body } } }),
              method,
            ],
            [{ jsonrpc: '2.0', id: value, error: body }, method],
            [failure(-32022, evil, body), method],
            [failure(-32042, evil, body), method],
          ] as const,
      );
      for (const [message, method] of [...messages, [body, ''], [[body], '']] as const) {
        const { what, section } = explain(message, 'received', evil, () => method);
        assert.match(section, SECTION);
        assert.doesNotMatch(what, /[\p{Cc}\p{Cf}\p{Cs}]/u);
        assert.ok(what.length < 800, `${what.length}: ${what}`);
      }
    }
  }
});
