import assert from 'node:assert/strict';
import test from 'node:test';
import { compareTranscripts, httpRecorder, MockServer, parseTranscript, recorder, Replay } from '../../src/transcript/index.ts';
import { difference, fill, isPlaceholder } from '../../src/transcript/difference.ts';
import { createPlaceholders, layout } from '../../src/transcript/placeholders.ts';
import { filled, identity } from '../../src/transcript/replay.ts';
import type { HttpTrace } from '../../src/transport/trace.ts';

const text = (message: object): string => JSON.stringify({ jsonrpc: '2.0', ...message });
const known = (...entries: [string, unknown][]): Map<string, unknown> => new Map(entries);

test('difference: where, what was expected, and what came', () => {
  const cases: [unknown, unknown, string | undefined][] = [
    [{ a: [1, { b: 'x' }] }, { a: [1, { b: 'x' }] }, undefined],
    [{ a: [1, { b: 'x' }] }, { a: [1, { b: 'y' }] }, '/a/1/b: expected "x", got "y"'],
    [{ a: [1] }, { a: [1, 2] }, '/a: expected 1 items, got 2'],
    [{ a: 1 }, { a: 1, b: 2 }, '/b: expected nothing, got 2'],
    [{ a: 1, b: undefined }, { a: 1 }, '/b: is missing'],
    [{ a: [] }, { a: {} }, '/a: expected an array, got an object'],
    [{ a: null }, { a: {} }, '/a: expected null, got an object'],
    [{ a: {} }, { a: null }, '/a: expected an object, got null'],
    [0, -0, ': expected 0, got 0'],
    [NaN, NaN, undefined],
    ['<any>', { x: 1 }, undefined],
    ['<any>', undefined, ': is missing'],
    ['<state 1>', undefined, ': is missing'],
    ['<State>', 'x', ': expected "<State>", got "x"'],
    ['<a> b', 'x', ': expected "<a> b", got "x"'],
    ['b <a>', 'x', ': expected "b <a>", got "x"'],
    // Names of Object.prototype's members are ordinary members of a message.
    [{ toString: 1 }, {}, '/toString: is missing'],
    [{}, JSON.parse('{"__proto__": 1}'), '/__proto__: expected nothing, got 1'],
  ];
  for (const [expected, got, what] of cases) assert.equal(difference(expected, got, known()), what, JSON.stringify([expected, got]));
});

test('a placeholder keeps the first value that it meets; one that is defined as itself is only a text', () => {
  const values = known();
  assert.equal(difference({ a: '<id 1>', b: '<id 1>' }, { a: 5, b: 5 }, values), undefined);
  assert.equal(values.get('<id 1>'), 5);
  assert.equal(difference({ c: '<id 1>' }, { c: 6 }, values), '/c (<id 1>): expected 5, got 6');
  assert.equal(difference('<any>', 'x', known(['<any>', '<any>'])), ': expected "<any>", got "x"');
  assert.equal(difference('<any>', '<any>', known(['<any>', '<any>'])), undefined);
  assert.deepEqual([...known(['<any>', 1])].length, 1);
  assert.equal(isPlaceholder('<state 1>'), true);
  assert.equal(isPlaceholder('a <state 1>'), false);
  assert.equal(isPlaceholder('<state 1> a'), false);
  assert.deepEqual(fill({ a: ['<x>', null, 1], b: { c: '<x>' } }, known(['<x>', { deep: true }])), { a: [{ deep: true }, null, 1], b: { c: { deep: true } } });
  assert.throws(() => fill(['<y>'], known()), /no value is known for <y>/);
});

test('a placeholder that nothing has given a value has its own name', () => {
  const map = known(['<a>', 5]);
  assert.deepEqual(filled({ id: '<a>', more: ['<token>', '<the other>'], text: 'plain' }, map), { id: 5, more: ['token', 'the other'], text: 'plain' });
  assert.deepEqual(filled('<token>', map), 'token');
});

test('a transcript: arrows, continued lines, definitions, the first paragraph; what is neither is named by its line', () => {
  const { lines, defined, title } = parseTranscript([
    'Two lines', 'of prose.', '', 'More prose.', '<meta> is {"a":', '    1}', '--> {"jsonrpc": "2.0",', '    "id": 1}', '-!> no JSON {', '<-- {"x": 1}', '<!- also none', '<~~ {"y": 2}',
  ].join('\n'));
  assert.equal(title, 'Two lines of prose.');
  assert.deepEqual([...defined], [['<meta>', { a: 1 }]]);
  assert.deepEqual(lines, [
    { from: 'client', raw: false, anyOrder: false, json: { jsonrpc: '2.0', id: 1 }, at: 7 },
    { from: 'client', raw: true, anyOrder: false, json: 'no JSON {', at: 9 },
    { from: 'server', raw: false, anyOrder: false, json: { x: 1 }, at: 10 },
    { from: 'server', raw: true, anyOrder: false, json: 'also none', at: 11 },
    { from: 'server', raw: false, anyOrder: true, json: { y: 2 }, at: 12 },
  ]);
  assert.equal(parseTranscript('--> {}').title, '');
  assert.throws(() => parseTranscript('A.\n--> {\n'), { name: 'SyntaxError', message: /^line 2: / });
  assert.throws(() => parseTranscript('A.\n\n<x> is {\n'), { name: 'SyntaxError', message: /^line 3: / });
  for (const line of ['-> {}', '  {"a": 1}', '<x>', '- a list']) {
    assert.throws(() => parseTranscript(`A.\n${line}`), { message: 'line 2 is neither prose nor a message' }, line);
  }
  assert.equal(parseTranscript('Prose with --> an arrow inside.').lines.length, 0);
});

test('a recorder marks answers that may come in any order, but only while several requests are open', () => {
  const { add } = recorder();
  const arrows = [
    add('client', text({ id: 1, method: 'a' })),
    add('server', text({ method: 'notifications/x' })),
    add('server', text({ id: 9, method: 'roots/list' })),
    add('client', text({ id: 9, result: {} })),
    add('client', text({ method: 'notifications/y' })),
    add('client', text({ id: 2, method: 'b' })),
    add('server', text({ id: 2, method: 'roots/list' })),
    add('server', text({ id: 2, result: {} })),
    add('server', text({ id: 1, result: {} })),
    add('client', 'no\r\n\nJSON'),
  ];
  assert.deepEqual(arrows.map((line) => line.slice(0, 3)), ['-->', '<--', '<--', '-->', '-->', '-->', '<~~', '<~~', '<--', '-!>']);
  assert.equal(arrows.at(-1), '-!> no JSON\n');
});

test('layout: one line where it fits in 120 columns, else a member a line, indented', () => {
  assert.equal(layout({ a: [1, { b: null }], c: 'x' }, 4, 4), '{"a": [1, {"b": null}], "c": "x"}');
  const fits = { a: 'x'.repeat(108) };
  assert.equal(JSON.stringify(fits).length + 1 + 4, 121);
  assert.match(layout(fits, 4, 4), /\n/);
  assert.doesNotMatch(layout(fits, 4, 3), /\n/);
  const long = 'y'.repeat(130);
  assert.equal(layout({ a: { b: long, list: [long, 1] } }, 4, 4), [
    '{', '    "a": {', `      "b": "${long}",`, '      "list": [', `        "${long}",`, '        1', '      ]', '    }', '  }',
  ].join('\n'));
  assert.equal(layout(long, 4, 4), `"${long}"`);
  assert.equal(layout([long], 2, 0), `[\n  "${long}"\n  ]`);
});

test('placeholders: what a server makes anew, what a client brings back, and nothing else', () => {
  const made = createPlaceholders();
  const json = (from: 'client' | 'server', value: unknown): unknown => made.message(from, JSON.stringify(value))?.json;
  assert.deepEqual(json('server', { nextCursor: 'c', taskId: 't', elicitationId: 'e', requestState: 's', cursor: 'c2', list: [{ taskId: 't2' }] }),
    { nextCursor: '<cursor 1>', taskId: '<task 1>', elicitationId: '<page 1>', requestState: '<state 1>', cursor: 'c2', list: [{ taskId: '<task 2>' }] });
  assert.deepEqual(json('client', { cursor: 'c', taskId: 't2', elicitationId: 'e', requestState: 's', text: 'c', nextCursor: 'c' }),
    { cursor: '<cursor 1>', taskId: '<task 2>', elicitationId: '<page 1>', requestState: '<state 1>', text: 'c', nextCursor: 'c' });
  assert.deepEqual(json('client', { taskId: 'own' }), { taskId: 'own' });
  assert.equal(made.known('t'), '<task 1>');
  assert.equal(made.known('other'), 'other');
  assert.equal(made.of('session', 'new'), '<session 1>');
  assert.equal(made.of('session', 'new'), '<session 1>');
  assert.equal(made.message('client', '{"a":"<x>","b":"<x>"}')?.definitions, '<x> is "<x>"\n');
  assert.equal(made.message('client', '{"a":"<x>"}')?.definitions, '', 'a text is defined once');
  // 15 digits are exact, 16 may not be; digits in a string do not matter.
  assert.deepEqual(made.message('client', '{"n":123456789012345}')?.json, { n: 123456789012345 });
  assert.equal(made.message('client', '{"n":1234567890123456}'), undefined);
  assert.equal(made.message('client', '{"n":0.1234567890123456}'), undefined);
  assert.deepEqual(made.message('client', '{"t":"1234567890123456\\""}')?.json, { t: '1234567890123456"' });
});

type Entry = Parameters<HttpTrace>[0];
const http = (exchange: number, method: string, status: number | undefined, headers: Record<string, string> = {}): Entry =>
  ({ kind: 'http', direction: status === undefined ? 'sent' : 'received', exchange, method, path: '/mcp', headers, at: 0, ...status !== undefined && { status } });
const message = (exchange: number, direction: 'sent' | 'received', body: string, event?: { id?: string; event?: string; retry?: number }): Entry =>
  ({ kind: 'message', direction, exchange, text: body, at: 0, ...event && { event } });

test('a transcript of HTTP: heads with what matters, bodies, streams with their events, and how each ends', () => {
  const { add, end } = httpRecorder();
  const written = [
    add(http(1, 'POST', undefined, { accept: 'a/b', 'user-agent': 'x', authorization: 'redacted', 'mcp-param-city': 'Oslo', 'mcp-session-id': 'abc' })),
    add(message(1, 'sent', text({ id: 1, method: 'tools/list' }))),
    add(http(1, 'POST', 200, { 'content-type': 'text/event-stream; charset=utf-8', date: 'now' })),
    add(message(1, 'received', text({ id: 1, result: {} }), { id: 'e-1', event: 'message', retry: 5 })),
    add({ kind: 'event', direction: 'received', exchange: 1, event: { id: 'e-2' }, data: '', at: 0 }),
    end(1),
    end(1, 'cut'),
    add(http(2, 'GET', undefined, { 'last-event-id': 'e-2', 'mcp-session-id': 'abc' })),
    add(http(2, 'GET', 200, { 'content-type': 'Text/event-stream' })),
    add({ kind: 'event', direction: 'received', exchange: 2, event: { event: 'endpoint' }, data: '/m\r\n?x', at: 0 }),
    end(2, 'cut'),
    add(http(3, 'POST', undefined)),
    add(message(3, 'sent', 'no JSON')),
    add(http(3, 'POST', 400, { 'content-type': 'application/json' })),
    add(message(3, 'received', text({ id: null, error: { code: -32700, message: 'No' } }))),
    end(3),
    add(http(4, 'DELETE', undefined)),
    add(http(4, 'DELETE', 204)),
    end(4),
  ].join('');
  assert.equal(written, `--> 1 POST /mcp
    Accept: a/b
    mcp-param-city: Oslo
    Mcp-Session-Id: <session 1>
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
<-- 1 200
    Content-Type: text/event-stream; charset=utf-8
<-- 1 event
    event: message
    id: <event 1>
    retry: 5
    {"jsonrpc": "2.0", "id": 1, "result": {}}
<-- 1 event
    id: <event 2>
    data: \n<-- 1 end
--> 2 GET /mcp
    Last-Event-ID: <event 2>
    Mcp-Session-Id: <session 1>
<-- 2 200
    Content-Type: Text/event-stream
<-- 2 event
    event: endpoint
    data: /m ?x
-x- 2
The body of the following message is not JSON and was left out.
--> 3 POST /mcp
<-- 3 400
    Content-Type: application/json
    {"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "No"}}
--> 4 DELETE /mcp
<-- 4 204
`);
});

const wire = (...lines: string[]): ReturnType<typeof parseTranscript> => parseTranscript(['Test.', ...lines].join('\n'));
const call = (id: unknown, params: object): string => text({ id, method: 'tools/call', params });

test('a mock server takes the call that fits best: never another name, first what is unused, then what is equal', () => {
  const server = new MockServer(wire(
    `--> ${call(1, { name: 'a', arguments: { n: 1 } })}`, `<-- ${text({ id: 1, result: { said: 'n is 1' } })}`,
    `--> ${call(2, { name: 'a', arguments: { n: 2 } })}`, `<-- ${text({ id: 2, result: { said: 'n is 2' } })}`,
    `--> ${text({ id: 3, method: 'resources/read', params: { uri: 'a://b' } })}`, `<-- ${text({ id: 3, result: { said: 'read' } })}`,
  ));
  const said = (body: string): unknown => (JSON.parse(server.receive(body)[0] ?? '{}') as { result?: { said?: unknown }; error?: { code: unknown } });
  assert.deepEqual(said(call(10, { name: 'a', arguments: { n: 2 } })), { jsonrpc: '2.0', id: 10, result: { said: 'n is 2' } });
  assert.deepEqual(said(call(11, { name: 'a', arguments: { n: 2 } })), { jsonrpc: '2.0', id: 11, result: { said: 'n is 2' } }, 'equal goes before unused');
  assert.deepEqual(said(call(12, { name: 'a', arguments: { n: 9 } })), { jsonrpc: '2.0', id: 12, result: { said: 'n is 1' } }, 'unused goes before used');
  for (const [method, params, code] of [['resources/read', { uri: 'a://c' }, -32601], ['resources/read', {}, -32601], ['tools/call', { name: 'a', uri: 'a://b' }, -32601]] as const) {
    const [answered] = server.receive(text({ id: 13, method, params }));
    assert.equal((JSON.parse(answered ?? '') as { error: { code: number } }).error.code, code, method);
  }
  assert.deepEqual(server.receive(text({ method: 'notifications/other' })), [], 'an unknown notification gets no answer');
  assert.deepEqual(server.receive(text({ id: 'unasked', result: {} })), []);
  assert.deepEqual(server.receive(text({ id: 5, result: {} })), []);
});

test('a mock server: what belongs to an answer ends with it, with the client\'s next line where there is no answer, and never holds that of another request', () => {
  const notes = (texts: readonly string[]): unknown[] => texts.map((one) => JSON.parse(one) as { id?: unknown; method?: unknown }).map(({ id, method }) => method ?? id);
  const crossing = new MockServer(wire(
    `--> ${text({ id: 1, method: 'a' })}`, `--> ${text({ id: 2, method: 'b' })}`,
    `<-- ${text({ method: 'n/1' })}`, `<-- ${text({ id: 2, result: {} })}`, `<-- ${text({ method: 'n/2' })}`, `<-- ${text({ id: 1, result: {} })}`,
  ));
  assert.deepEqual(notes(crossing.receive(text({ id: 'x', method: 'a' }))), ['n/1', 'n/2', 'x']);
  assert.deepEqual(notes(crossing.receive(text({ id: 'y', method: 'b' }))), ['n/1', 'y', 'n/2']);
  // `a` gets no response: the following messages belong to it until the client's next message.
  const silent = new MockServer(wire(
    `--> ${text({ id: 1, method: 'a' })}`, `<-- ${text({ method: 'n/1' })}`, `--> ${text({ id: 2, method: 'b' })}`, `<-- ${text({ method: 'n/2' })}`, `<-- ${text({ id: 2, result: {} })}`,
  ));
  assert.deepEqual(notes(silent.receive(text({ id: 7, method: 'a' }))), ['n/1']);
  assert.deepEqual(notes(silent.receive(text({ id: 8, method: 'b' }))), ['n/2', 8]);
  // A notification has no response; repeated, it triggers the same messages again. A repeated request only gets its response
  // again.
  const told = new MockServer(wire(
    `--> ${text({ method: 'n/go' })}`, `<-- ${text({ method: 'n/1' })}`, `--> ${text({ id: 2, method: 'b' })}`, `<-- ${text({ method: 'n/2' })}`, `<-- ${text({ id: 2, result: {} })}`,
  ));
  for (let n = 0; n < 2; n++) assert.deepEqual(notes(told.receive(text({ method: 'n/go' }))), ['n/1']);
  assert.deepEqual(notes(told.receive(text({ id: 3, method: 'b' }))), ['n/2', 3]);
  assert.deepEqual(notes(told.receive(text({ id: 4, method: 'b' }))), [4]);
  // A recorded server text is not a client message.
  const raw = new MockServer(wire(`--> ${text({ id: 1, method: 'a' })}`, '<!- {oops', `<-- ${text({ id: 1, result: {} })}`));
  assert.deepEqual(raw.receive('{oops'), []);
  assert.deepEqual(raw.receive(text({ id: 5, method: 'a' })), ['{oops', text({ id: 5, result: {} })]);
});

test('a mock server answers a text that is no message only where the transcript has the same', () => {
  const server = new MockServer(wire(
    '-!> {oops', `<-- ${text({ id: null, error: { code: -32700, message: 'No' } })}`,
    '--> [{"jsonrpc": "2.0", "id": 1, "method": "a"}, {"jsonrpc": "2.0", "id": 2, "method": "b"}]', '<-- [{"jsonrpc": "2.0", "id": 1, "result": {}}]',
    `--> ${text({ id: 3, method: 'listen' })}`, '<!- raw text', `<-- ${text({ id: 3, result: {} })}`,
  ));
  assert.deepEqual(server.receive('{oops'), [text({ id: null, error: { code: -32700, message: 'No' } })]);
  assert.deepEqual(server.receive('{other'), []);
  assert.deepEqual(server.receive('[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]'), ['[{"jsonrpc":"2.0","id":1,"result":{}}]']);
  assert.equal(server.receive('[{"jsonrpc":"2.0","id":7,"method":"listen"},{"jsonrpc":"2.0","id":8,"method":"ping"}]').join('\n'),
    ['raw text', text({ id: 7, result: {} }), text({ id: 8, result: {} })].join('\n'), 'another batch is taken apart');
});

test('a replay: a raw line is compared as it stands, and what the other side cancels by the id that it chose', () => {
  const transcript = wire(
    `--> ${text({ id: 1, method: 'a' })}`, '<!- {oops', `<-- ${text({ id: 9, method: 'ask' })}`, `<-- ${text({ method: 'notifications/cancelled', params: { requestId: 9, reason: 'late' } })}`, `<-- ${text({ id: 1, result: {} })}`,
  );
  for (const [said, reason, fits] of [['{oops', 'late', true], ['{ops', 'late', false], ['{oops', 'early', false]] as const) {
    const replay = new Replay(transcript, 'client');
    replay.begin();
    for (const one of [said, text({ id: 33, method: 'ask' }), text({ method: 'notifications/cancelled', params: { requestId: 33, reason } }), text({ id: 1, result: {} })]) replay.receive(one);
    assert.equal(replay.differences.length === 0, fits, `${said} ${reason}: ${JSON.stringify(replay.differences)}`);
  }
});

test('a replay: any order only among its neighbours, raw texts exactly, and nothing beyond the last line', () => {
  const transcript = wire(
    `--> ${text({ id: 1, method: 'a' })}`, `--> ${text({ id: 2, method: 'b' })}`,
    `<~~ ${text({ id: 1, result: { n: 1 } })}`, `<~~ ${text({ id: 2, result: { n: 2 } })}`, `<-- ${text({ method: 'notifications/last' })}`, '<!- the end',
  );
  const replay = new Replay(transcript, 'client');
  assert.equal(replay.begin().length, 2);
  assert.equal(replay.waitsFor?.at, 4);
  replay.receive(text({ id: 2, result: { n: 2 } }));
  assert.equal(replay.waitsFor?.at, 4);
  replay.receive(text({ id: 1, result: { n: 1 } }));
  replay.receive(text({ method: 'notifications/last' }));
  assert.equal(replay.waitsFor?.at, 7);
  replay.receive('the end');
  assert.deepEqual(replay.differences, []);
  assert.equal(replay.waitsFor, undefined);
  replay.receive(text({ id: 3, result: {} }));
  replay.receive('[]');
  replay.receive('nothing');
  assert.deepEqual(replay.differences, [
    { at: 0, what: 'expected nothing more, got the answer to 3' }, { at: 0, what: 'expected nothing more, got a batch' }, { at: 0, what: 'expected nothing more, got no message' },
  ]);
  assert.deepEqual(compareTranscripts(transcript, wire(`--> ${text({ id: 1, method: 'a' })}`)).map(({ at, what }) => [at, what]), [
    [3, 'b did not come: the session ended'], [4, 'the answer to 1 did not come: the session ended'], [5, 'the answer to 2 did not come: the session ended'],
  ]);
  assert.equal(identity({ method: 'x'.repeat(100) }).length, 80);
  assert.throws(() => new Replay(transcript, 'client', { ignore: [] } as object), { code: 'unknown_option' });
});

test('tokens and subscriptions are those of the peer that is here', () => {
  const subscription = 'io.modelcontextprotocol/subscriptionId';
  const replay = new Replay(wire(
    `--> ${text({ id: 5, method: 'subscriptions/listen', params: { _meta: { progressToken: 'p', other: 1 } } })}`,
    `<-- ${text({ method: 'notifications/x', params: { _meta: { [subscription]: 5 }, a: 1 } })}`,
    `<-- ${text({ method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } })}`,
    `<-- ${text({ id: 5, result: { _meta: { [subscription]: 5, b: 2 } } })}`,
  ), 'server');
  replay.begin();
  const sent = replay.receive(text({ id: 'mine', method: 'subscriptions/listen', params: { _meta: { progressToken: 7, other: 1 } } }));
  assert.deepEqual(sent, [
    text({ method: 'notifications/x', params: { _meta: { [subscription]: 'mine' }, a: 1 } }),
    text({ method: 'notifications/progress', params: { progressToken: 7, progress: 1 } }),
    text({ id: 'mine', result: { _meta: { [subscription]: 'mine', b: 2 } } }),
  ]);
  assert.deepEqual(replay.differences, []);
});
