import assert from 'node:assert/strict';
import test from 'node:test';
import { redact } from '../../src/host/redaction.ts';

// test/host/log-redaction draws random keys; here are the names, the kinds of values, and the limits.

test('redaction: a member whose name says that it is a secret is left out, whatever it holds; null and nothing are shown', () => {
  const secret = ['password', 'Passwd', 'passphrase', 'pass', 'clientSecret', 'refresh_token', 'Authorization', 'apiKey', 'api_key', 'api-key', 'cookie', 'credentials', 'privateKey', 'private-key'];
  for (const name of secret) {
    for (const value of ['short', 7, false, ['x'], { a: 1 }]) assert.deepEqual(redact({ [name]: value }), { [name]: '[redacted]' }, name);
    for (const value of [null, undefined]) assert.deepEqual(redact({ [name]: value }), { [name]: value }, name);
  }
  for (const name of ['passenger', 'passport', 'compass_reading', 'key', 'keyboard', 'author', 'maxTokens']) assert.deepEqual(redact({ [name]: 'short' }), { [name]: 'short' }, name);
});

test('redaction: of _meta only the keys of the protocol and of traces are shown', () => {
  const shown = { progressToken: 1, traceparent: '00-ab', 'io.modelcontextprotocol/x': 'y', nothing: null };
  assert.deepEqual(redact({ _meta: { ...shown, baggage: 'x', 'io.modelcontextprotocol/': 'x', xprogressToken: 1 } }), { _meta: { ...shown, baggage: '[redacted]', 'io.modelcontextprotocol/': '[redacted]', xprogressToken: '[redacted]' } });
  // The rule is for direct members of _meta only.
  assert.deepEqual(redact({ params: { baggage: 'x' }, _meta: { traceparent: { baggage: 'x' } } }), { params: { baggage: 'x' }, _meta: { traceparent: { baggage: 'x' } } });
});

test('redaction: what identifies a thing is shown by the name of its member, unless it is a session or a known kind of key', () => {
  const long = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4';
  for (const name of ['id', 'orderId', 'order_id', 'order-id', 'ids', 'userIDs', 'server', 'tool', 'call', 'principal', 'digest', 'formerly']) assert.deepEqual(redact({ [name]: long }), { [name]: long }, name);
  for (const name of ['sessionId', 'authId', 'servers', 'aserver', 'x']) assert.notDeepEqual(redact({ [name]: long }), { [name]: long }, name);
  for (const key of [`ghp_${'a1B2'.repeat(9)}`, 'AKIAABCDEFGHIJ234567', 'eyJhbGciOiJIUzI1NiJ9']) assert.deepEqual(redact({ id: key }), { id: '[redacted]' }, key);
  // A key's prefix in the middle of a word does not count, nor does a prefix with only eleven characters after it.
  for (const word of ['task-abcdefghijklmnop', 'sk-abcdefghij']) assert.deepEqual(redact({ id: word }), { id: word });
  assert.deepEqual(redact({ a: 'Bearer letters-only' }), { a: 'Bearer [redacted]' });
  assert.deepEqual(redact({ a: 'basic  letters-only, letters-only' }), { a: 'basic [redacted], letters-only' });
  assert.deepEqual(redact({ ids: ['x', long] }), { ids: ['x', long] });
});

test('redaction: each kind of value that JSON does not have is named', () => {
  const named = redact([Number.NaN, Infinity, -Infinity, 12n, 10n ** 300n, () => 1, Symbol('s'), undefined, null, true, 1.5]) as string[];
  assert.deepEqual(named.map((one) => (typeof one === 'string' ? one.slice(0, 24) : one)), ['[number NaN]', '[number Infinity]', '[number -Infinity]', '[bigint 12]', '[bigint 1000000000000000', '[function]', '[symbol]', undefined, null, true, 1.5]);
  assert.ok((named[4]?.length ?? 0) < 230);
  assert.equal(redact({ toJSON: () => 'said' }), 'said');
  assert.deepEqual(redact({ password: { toJSON: () => 'x' }, at: new Date(0), toJSON: 5 }), { password: '[redacted]', at: '1970-01-01T00:00:00.000Z', toJSON: 5 });
  const same = { a: 1, toJSON: () => same };
  assert.deepEqual(redact(same), { a: 1, toJSON: '[function]' });
  const broken = { get x(): never { throw new Error('not now'); } };
  assert.deepEqual(redact({ before: 1, broken, after: 2 }), { before: 1, broken: '[object that cannot be read: not now]', after: 2 });
  // The member's name also applies to the result of toJSON.
  assert.deepEqual(redact({ _meta: { toJSON: () => ({ baggage: 'x' }) } }), { _meta: { baggage: '[redacted]' } });
});

test('redaction: texts, names, lists, members, depth and the whole line have their limits, and say what is missing', () => {
  assert.equal(redact('ab '.repeat(1_333) + 'a'), 'ab '.repeat(1_333) + 'a');
  assert.equal(redact('ab '.repeat(1_334)), `${'ab '.repeat(1_333)}… (3 characters more)`);
  assert.equal(redact('aaa '.repeat(1_001)), `${'aaa '.repeat(1_000)}… (4 characters more)`);
  assert.equal(redact(`${'aaa '.repeat(999)}aaaa bc`), `${'aaa '.repeat(999)}aaaa… (3 characters more)`);
  // A cut goes through no key and no address: a part of one does not look like one.
  assert.equal(redact(`${' '.repeat(3_992)}sk9Zx71Qp4Lw82Mn55Tt`), `${' '.repeat(3_992)}… (20 characters more)`);
  assert.equal(redact(`https://${'a'.repeat(3_984)}:hunter2@h.example/`), '… (4011 characters more)');
  assert.deepEqual(redact({ ['n '.repeat(100)]: 1, ['m '.repeat(101)]: 2 }), { ['n '.repeat(100)]: 1, [`${'m '.repeat(100)}… (2 characters more) #1`]: 2 });
  assert.deepEqual(redact(Array(200).fill(0)), Array(200).fill(0));
  assert.deepEqual(redact(Array(203).fill(0)), [...Array<number>(200).fill(0), '… (3 items more)']);
  const wide = Object.fromEntries(Array.from({ length: 203 }, (_, at) => [`m${at}`, at]));
  const kept = redact(wide) as Record<string, unknown>;
  assert.deepEqual([Object.keys(kept).length, kept['m199'], kept['m200'], kept['…']], [201, 199, undefined, '3 members more']);
  let deep: unknown = 'end';
  for (let at = 0; at < 12; at++) deep = [deep];
  assert.ok(JSON.stringify(redact(deep)).includes('end'));
  assert.ok(JSON.stringify(redact([[deep]])).includes('nested too deep to log'));
  assert.ok(!JSON.stringify(redact([[deep]])).includes('end'));
  // 5,000 values: lists of a hundred, counting the lists themselves and the outermost one.
  const lists = Array.from({ length: 60 }, () => Array<number>(100).fill(7));
  const line = redact(lists) as unknown[];
  assert.equal(JSON.stringify(line).split('7').length - 1, 5_000 - 1 - 50 + (JSON.stringify(line).match(/17|7 items/g)?.length ?? 0));
  assert.equal(line.at(-1), '… (10 items more)');
  assert.deepEqual((line.at(-2) as unknown[]).at(-1), '… (51 items more)');
  const members = redact(Array.from({ length: 200 }, () => Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`m${at}`, 0])))) as Record<string, unknown>[];
  assert.equal(members.at(-2)?.['…'], '15 members more');
  // 200,000 characters: fifty texts of 4,000.
  const texts = redact(Array(60).fill('ab '.repeat(1_333) + 'a')) as string[];
  assert.deepEqual(texts.map((text) => text.length > 100), [...Array<boolean>(50).fill(true), ...Array<boolean>(10).fill(false)]);
  assert.equal(texts[50], '… (4000 characters more)');
});

test('redaction: an address shows neither its user nor its password, whatever its scheme; the name of a member that is cut shows no key', () => {
  for (const scheme of ['http', 'https', 'HTTPS', 'ws', 'postgresql', 'git+ssh', 'x']) {
    const shown = JSON.stringify(redact({ at: `${scheme}://ann:hunter2@h.example/a` }));
    assert.ok(shown.includes('h.example/a') && !shown.includes('hunter2'), shown);
  }
  const key = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4';
  assert.deepEqual(redact({ [`${'n '.repeat(40)}${key}${' n'.repeat(80)}`]: 1 }), { [`${'n '.repeat(40)}[redacted]${' n'.repeat(46)}… (68 characters more) #0`]: 1 });
});
