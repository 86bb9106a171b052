import assert from 'node:assert/strict';
import test from 'node:test';
import { classify, decode, encode } from '../../src/jsonrpc/message.ts';
import { failureText, notificationText, notify, Serialized, successText } from '../../src/jsonrpc/inbound-request.ts';
import type { Params, RequestId } from '../../src/jsonrpc/message.ts';

const v = '"jsonrpc":"2.0"';

for (const [text, kind] of [
  [`{${v},"id":1,"method":"ping"}`, 'request'],
  [`{${v},"id":"a","method":"ping","params":{}}`, 'request'],
  [`{${v},"id":"","method":"ping"}`, 'request'],
  [`{${v},"id":0,"method":"ping"}`, 'request'],
  [`{${v},"id":-7,"method":"ping"}`, 'request'],
  [`{${v},"id":9007199254740991,"method":"ping"}`, 'request'],
  [`{${v},"id":1.0,"method":"ping"}`, 'request'],
  [`{${v},"id":"9007199254740993","method":"ping"}`, 'request'],
  [`{${v},"method":"notifications/initialized"}`, 'notification'],
  [`{${v},"id":1,"result":{}}`, 'success'],
  [`{${v},"id":"a","result":{"resultType":"complete"}}`, 'success'],
  [`{${v},"id":1,"error":{"code":-32601,"message":"no"}}`, 'failure'],
  [`{${v},"id":null,"error":{"code":-32700,"message":"no"}}`, 'failure'],
  [`{${v},"error":{"code":-32700,"message":"no","data":[1]}}`, 'failure'],
] as const) {
  test(`decode: ${text} is a ${kind}`, () => {
    const decoded = decode(text);
    if (decoded.kind === 'batch' || decoded.kind === 'refusal') return assert.fail(decoded.kind);
    assert.equal(decoded.kind, kind);
    assert.deepEqual(decoded.message, JSON.parse(text));
    assert.deepEqual(decode(new TextEncoder().encode(text)), decoded);
    assert.deepEqual(classify(JSON.parse(text), text.length), decoded);
    assert.deepEqual(classify(JSON.parse(encode(decoded.message)), text.length), decoded);
  });
}

const refusals: readonly (readonly [text: string, code: number, id: RequestId | null, says: RegExp])[] = [
  ['', -32700, null, /^Parse error: /],
  ['hello', -32700, null, /hello/],
  ['{', -32700, null, /^Parse error: /],
  [`{${v},"id":1,"method":"ping"}}`, -32700, null, /position 40/],
  [`{${v},"id":1,"method":"ping"} {}`, -32700, null, /^Parse error: /],
  [`{'jsonrpc':'2.0'}`, -32700, null, /^Parse error: /],
  ['\ufeff{}', -32700, null, /^Parse error: /],
  ['NaN', -32700, null, /^Parse error: /],
  ['null', -32600, null, /must be an object/],
  ['1', -32600, null, /must be an object/],
  ['"ping"', -32600, null, /must be an object/],
  ['true', -32600, null, /must be an object/],
  ['[]', -32600, null, /batch must not be empty/],
  ['{}', -32600, null, /"jsonrpc"/],
  ['{"id":1,"method":"ping"}', -32600, 1, /"jsonrpc" must be "2.0"/],
  ['{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, 'a', /"jsonrpc" must be "2.0"/],
  ['{"jsonrpc":2.0,"id":1,"method":"ping"}', -32600, 1, /"jsonrpc" must be "2.0"/],
  [`{${v},"id":null,"method":"ping"}`, -32600, null, /"id" must be a string of at most 1024 characters or an integer within 2\^53/],
  [`{${v},"id":1.5,"method":"ping"}`, -32600, null, /"id" must be a string of at most 1024 characters or an integer within 2\^53/],
  [`{${v},"id":true,"method":"ping"}`, -32600, null, /"id" must be a string of at most 1024 characters or an integer within 2\^53/],
  [`{${v},"id":[1],"method":"ping"}`, -32600, null, /"id" must be a string of at most 1024 characters or an integer within 2\^53/],
  [`{${v},"id":{"a":1},"method":"ping"}`, -32600, null, /"id" must be a string of at most 1024 characters or an integer within 2\^53/],
  [`{${v},"id":9007199254740992,"method":"ping"}`, -32600, null, /within 2\^53/],
  [`{${v},"id":9007199254740993,"method":"ping"}`, -32600, null, /within 2\^53/],
  [`{${v},"id":-9007199254740992,"method":"ping"}`, -32600, null, /within 2\^53/],
  [`{${v},"id":1e400,"method":"ping"}`, -32600, null, /"id" must be/],
  [`{${v},"id":1,"method":5}`, -32600, 1, /"method" must be a string/],
  [`{${v},"id":1,"method":null}`, -32600, 1, /"method" must be a string/],
  [`{${v},"id":1,"method":"ping","params":[1]}`, -32600, 1, /"params" must be an object/],
  [`{${v},"id":1,"method":"ping","params":"x"}`, -32600, 1, /"params" must be an object/],
  [`{${v},"id":1,"method":"ping","params":null}`, -32600, 1, /"params" must be an object/],
  [`{${v},"method":"ping","params":7}`, -32600, null, /"params" must be an object/],
  [`{${v},"id":1}`, -32600, 1, /neither "method" nor "result" nor "error"/],
  [`{${v}}`, -32600, null, /neither "method" nor "result" nor "error"/],
  [`{${v},"result":{}}`, -32600, null, /"id" must be/],
  [`{${v},"id":null,"result":{}}`, -32600, null, /"id" must be/],
  [`{${v},"id":1.5,"result":{}}`, -32600, null, /"id" must be/],
  [`{${v},"id":1,"result":null}`, -32600, 1, /"result" must be an object/],
  [`{${v},"id":1,"result":[]}`, -32600, 1, /"result" must be an object/],
  [`{${v},"id":1,"result":"x"}`, -32600, 1, /"result" must be an object/],
  [`{${v},"id":1,"result":{},"error":{"code":1,"message":"x"}}`, -32600, 1, /both "result" and "error"/],
  [`{${v},"id":1,"error":"x"}`, -32600, 1, /"error" must have/],
  [`{${v},"id":1,"error":null}`, -32600, 1, /"error" must have/],
  [`{${v},"id":1,"error":{"code":"1","message":"x"}}`, -32600, 1, /integer "code"/],
  [`{${v},"id":1,"error":{"code":1.5,"message":"x"}}`, -32600, 1, /integer "code"/],
  [`{${v},"id":1,"error":{"code":1}}`, -32600, 1, /string "message"/],
  [`{${v},"id":1.5,"error":{"code":1,"message":"x"}}`, -32600, null, /"id" must be/],
];
for (const [text, code, id, says] of refusals) {
  test(`decode: refuses ${text === '' ? 'nothing at all' : text}`, () => {
    const decoded = decode(text);
    assert.equal(decoded.kind, 'refusal');
    if (decoded.kind !== 'refusal') return;
    assert.equal(decoded.error.code, code);
    assert.equal(decoded.id, id);
    assert.match(decoded.error.message, says);
  });
}

test('decode: bytes that are not UTF-8', () => {
  const decoded = decode(new Uint8Array([0x7b, 0xff, 0x7d]));
  assert.equal(decoded.kind, 'refusal');
  if (decoded.kind === 'refusal') assert.equal(decoded.error.code, -32700);
});

test('decode: a batch is not judged, its items are, whatever their kinds', () => {
  const decoded = decode(`[{${v},"id":1,"method":"a"},{${v},"method":"b"},{${v},"id":2,"result":{}},7,[],{}]`);
  assert.equal(decoded.kind, 'batch');
  if (decoded.kind !== 'batch') return;
  assert.deepEqual(
    decoded.values.map((value) => classify(value).kind),
    ['request', 'notification', 'success', 'refusal', 'refusal', 'refusal'],
  );
});

test('decode: keys with a meaning in JavaScript are data', () => {
  const text = `{${v},"id":1,"method":"m","params":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":1}}}}`;
  const decoded = decode(text);
  assert.equal(decoded.kind, 'request');
  if (decoded.kind !== 'request') return;
  assert.ok(Object.hasOwn(decoded.message.params ?? {}, '__proto__'));
  assert.equal(Object.getPrototypeOf(decoded.message.params), Object.prototype);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  assert.equal(encode(decoded.message), text);
});

for (const text of [
  `{"__proto__":{${v},"id":1,"method":"ping"}}`,
  `{${v},"__proto__":{"id":1,"method":"ping"}}`,
  `{${v},"id":1,"__proto__":{"method":"ping"}}`,
]) {
  test(`decode: a member is not found through a prototype: ${text}`, () => {
    assert.equal(decode(text).kind, 'refusal');
  });
}

test('decode: of two equal keys the last one counts, as JSON.parse has it', () => {
  const decoded = decode(`{${v},"id":1,"id":2,"method":"ping"}`);
  assert.ok(decoded.kind === 'request' && decoded.message.id === 2);
});

test('decode: deep nesting is refused or read, and never fatal', () => {
  const deep = `{${v},"id":1,"method":"m","params":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
  assert.ok(['request', 'refusal'].includes(decode(deep).kind));
});

// The functions with which a server writes its responses and notifications.
test('answers and notifications: one line, whatever the text', () => {
  const odd = { '\n': 'x\r\ny\u2028' };
  const notified = (method: string, params: Params): string => {
    let sent = '';
    notify({ closed: false, outlet: { send: (text) => (sent = text) } }, method, params);
    return sent;
  };
  for (const [text, message] of [
    [successText('a\n', odd), { jsonrpc: '2.0', id: 'a\n', result: odd }], [successText(1, new Serialized(() => JSON.stringify(odd))), { jsonrpc: '2.0', id: 1, result: odd }],
    [failureText('a\n', { code: 1, message: '\r\n', data: odd }), { jsonrpc: '2.0', id: 'a\n', error: { code: 1, message: '\r\n', data: odd } }],
    [notificationText('a\nb', odd), { jsonrpc: '2.0', method: 'a\nb', params: odd }],
    [notified('a\nb', odd), { jsonrpc: '2.0', method: 'a\nb', params: odd }],
  ] as const) {
    assert.doesNotMatch(text, /[\r\n]/);
    assert.deepEqual(JSON.parse(text), message);
  }
});

test('encode: one line, whatever the text', () => {
  const text = encode({ jsonrpc: '2.0', id: 1, result: { a: 'x\r\ny\u2028', '\n': 1 } });
  assert.doesNotMatch(text, /[\r\n]/);
  assert.deepEqual(JSON.parse(text), { jsonrpc: '2.0', id: 1, result: { a: 'x\r\ny\u2028', '\n': 1 } });
});

test('a line of a log is refused in our words, whatever braces and quotation marks it holds', () => {
  for (const line of ['starting {', 'info "ready"', 'error: [1, 2]', ' listening on 3000 {"a":1}']) {
    const decoded = decode(line);
    assert.equal(decoded.kind, 'refusal');
    assert.match(decoded.kind === 'refusal' ? decoded.error.message : '', /^Parse error: .* is not JSON$/, line);
  }
});
