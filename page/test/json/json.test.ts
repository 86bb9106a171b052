// JSON nodes keep the digits, duplicates and order of their text; a new layout keeps its tokens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneLine, pretty } from '../../src/json/layout.ts';
import { fitting, lexemesOf, parseNearest, print } from '../../src/json/lexemes.ts';
import { isRounded, lossesOf, nodeOfText, nodeOfValue } from '../../src/json/node.ts';
import type { JsonNode } from '../../src/json/node.ts';
import { isExact, isJsonNumber, numberOf } from '../../src/json/number.ts';

/** A pseudorandom generator with a seed: the same numbers in each run. */
function draw(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 4_294_967_296 * below);
  };
}

const numbers = ['0', '-0', '1.10', '9007199254740993', '1e400', '-1E-7', '0.1000000000000000000001', '12', '1e21', '100'];
const strings = ['""', '"a"', '"\\""', '"\\\\"', '"\\u2028{"', '"]},:"', '"\\\\\\""', '"é😀"', '"__proto__"'];
const spaces = ['', ' ', '\n', '\t\r\n  '];
const quoted = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** A random JSON text with spaces and duplicate members. */
function textOf(next: (below: number) => number, depth: number): string {
  const space = (): string => spaces[next(spaces.length)] ?? '';
  const string = (): string => strings[next(strings.length)] ?? '""';
  const kind = depth === 0 ? next(3) : next(5);
  if (kind === 0) return numbers[next(numbers.length)] ?? '0';
  if (kind === 1) return string();
  if (kind === 2) return ['true', 'false', 'null'][next(3)] ?? 'null';
  const items = Array.from({ length: next(4) }, () => space() + (kind === 3 ? '' : `${string()}${space()}:${space()}`) + textOf(next, depth - 1) + space());
  return kind === 3 ? `[${space()}${items.join(',')}]` : `{${space()}${items.join(',')}}`;
}

/** The text of a node, put together from its tokens. */
function written(node: JsonNode): string {
  if (node.kind === 'array') return `[${node.entries().map((one) => written(one.node)).join(',')}]`;
  if (node.kind === 'object') return `{${node.entries().map((one) => `${JSON.stringify(one.name)}:${written(one.node)}`).join(',')}}`;
  return node.lexeme;
}

/** The same text with each string as `JSON.stringify` writes it. */
const plainStrings = (text: string): string => text.replaceAll(quoted, (one) => JSON.stringify(JSON.parse(one)));

test('what is laid out has the tokens that it had, and a node finds every member', () => {
  const next = draw(11);
  const tokens = (text: string): readonly string[] => text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  for (let round = 0; round < 3_000; round++) {
    const text = textOf(next, 4);
    assert.deepEqual(tokens(pretty(text)), tokens(text), text);
    assert.equal(oneLine(text), tokens(text).join(''), text);
    assert.equal(plainStrings(written(nodeOfText(text))), plainStrings(oneLine(text)), text);
    const value: unknown = JSON.parse(text, (_name, one: unknown) => (typeof one === 'number' && (!Number.isFinite(one) || one === 0) ? 1 : one));
    assert.equal(written(nodeOfValue(value)), JSON.stringify(value), text);
  }
});

test('laid out as JSON.stringify does where nothing is lost', () => {
  for (const value of [{}, [], { a: [] }, { a: { b: [1, { c: 'x' }] }, d: null }, 'x', 7]) {
    assert.equal(pretty(JSON.stringify(value)), JSON.stringify(value, undefined, 2));
    assert.equal(oneLine(JSON.stringify(value, undefined, 3)), JSON.stringify(value));
  }
});

test('a text that is not JSON is refused, and one of ten megabytes or of thousands of levels is read', () => {
  for (const text of ['', '{', '{"a":01}', '[1,]', 'nul', '"a', '{"a" 1}']) assert.throws(() => nodeOfText(text), SyntaxError, text);
  const long = `{"a":"${'x\\"'.repeat(3_000_000)}","b":[${'1,'.repeat(500_000)}1]}`;
  assert.equal(nodeOfText(long).entries()[1]?.node.size, 500_001);
  assert.equal(oneLine(long), long);
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  assert.equal(nodeOfText(deep).size, 1);
  assert.equal(oneLine(pretty(deep)), deep);
});

test('numbers that JavaScript rounds are known, and others are not', () => {
  for (const lexeme of ['9007199254740993', '1e400', '-1e400', '0.1000000000000000000001', '123456789012345678901234567890', '1e-400']) assert.equal(isExact(lexeme), false, lexeme);
  for (const lexeme of ['0', '-0', '0.0', '1.10', '1e3', '1000', '1E+3', '0.1', '9007199254740992', '1e300', '5e-324']) assert.equal(isExact(lexeme), true, lexeme);
  assert.ok(isRounded(nodeOfText('9007199254740992')), 'beyond 2^53 a number may have been another');
  assert.ok(!isRounded(nodeOfText('9007199254740991')));
  assert.deepEqual(lossesOf(nodeOfText('{"a":1,"a":{"b":1e400,"b":[9007199254740993],"c":1.10}}')), { twice: 4, rounded: 2 });
  for (const [text, value] of [['+5', 5], ['.5', 0.5], ['5.', 5], ['1e400', Number.MAX_VALUE], ['-1e400', -Number.MAX_VALUE]] as const) assert.equal(numberOf(text), value);
  for (const text of ['', ' 5', '0x10', '1_000', 'Infinity', 'NaN', '1'.repeat(500)]) assert.equal(numberOf(text), undefined, text);
  assert.deepEqual(['1', '-0', '1.0e+5', '01', '+1', '.5', '1.', ''].map(isJsonNumber), [true, true, true, false, false, false, false, false]);
});

test('the lexemes of a text bring it back, at their place and nowhere else', () => {
  const next = draw(5);
  for (let round = 0; round < 1_000; round++) {
    const text = oneLine(textOf(next, 3));
    // JSON.parse keeps only the last of duplicate members.
    if (lossesOf(nodeOfText(text)).twice > 0) continue;
    assert.equal(print(parseNearest(text), lexemesOf(text)), plainStrings(text));
  }
  assert.deepEqual({ ...fitting({ a: 1, 'b/~': [2] }, { '/a': '1.0', '/b~1~0/0': '2e0', '/c': '3', '/a/x': '1' }) }, { '/a': '1.0', '/b~1~0/0': '2e0' });
  assert.deepEqual({ ...fitting({ a: 1, b: 2 }, { '/a': '5', '/b': '2"]' }) }, {}, 'a number that stands for another, and what is not a number');
  assert.equal(print({ a: 1.1, b: 'number' }, { '/a': '1.10' }, 2), '{\n  "a": 1.10,\n  "b": "number"\n}');
});
