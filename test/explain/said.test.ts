import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { explain, explainHttp } from '../../src/explain/index.ts';
import { block, blocks, capabilities, some } from '../../src/explain/words.ts';
import { head, truncate, width, wireLine } from '../../src/explain/safe-text.ts';
import type { EventTraceEntry, HttpTraceEntry } from '../../src/transport/trace.ts';

// The complete explanation of a message, one per line: [message, agreed revision, method of the request, what, section]. A person
// compared each sentence with its message and the specification; do the same for a new line.
const read = (file: string): unknown[] =>
  readFileSync(new URL(`../../../test/explain/${file}`, import.meta.url), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as unknown);

test('said.jsonl: the whole sentence and the section of each message', () => {
  const lines = read('said.jsonl') as [unknown, string | null, string | null, string, string][];
  assert.ok(lines.length > 140, `${lines.length} lines`);
  for (const [message, revision, asked, what, section] of lines) {
    assert.deepEqual(explain(message, 'received', revision ?? undefined, () => asked ?? undefined), { what, section }, JSON.stringify(message));
  }
});

test('said-http.jsonl: the whole sentence and the section of each head and event', () => {
  const lines = read('said-http.jsonl') as [HttpTraceEntry | EventTraceEntry, string | null, string, string][];
  assert.ok(lines.length > 60, `${lines.length} lines`);
  for (const [entry, revision, what, section] of lines) {
    assert.deepEqual(explainHttp(entry, revision ?? undefined), { what, section }, JSON.stringify(entry));
  }
});

test('an answer without an id that can be looked up asks nobody', () => {
  for (const id of [null, undefined, {}, true]) {
    explain({ jsonrpc: '2.0', id, result: {} }, 'received', undefined, () => assert.fail('asked for the method of no request'));
  }
});

test('content blocks, in words', () => {
  assert.equal(block({ type: 'image', mimeType: 'image/png', data: 'QUJD' }), 'image (image/png, 3 bytes)');
  assert.equal(block({ type: 'audio', mimeType: 'audio/wav' }), 'audio (audio/wav, 0 bytes)');
  assert.equal(block({ type: 'resource_link', uri: 'a://b' }), 'a link to a://b');
  assert.equal(block({ type: 'resource', resource: { uri: 'a://b' } }), 'the resource a://b');
  assert.equal(block({ type: 'tool_use', name: 'add' }), 'a call of the tool add');
  assert.equal(block({ type: 'tool_result' }), 'the result of a tool');
  assert.equal(block({ type: 'hologram' }), 'content of type hologram');
  assert.equal(blocks(undefined), 'nothing');
  assert.equal(blocks({ type: 'text', text: 'one' }), '"one"');
  assert.equal(blocks([{ type: 'text', text: 'one' }, { type: 'tool_result' }]), '"one", the result of a tool');
  assert.equal(some(['a', 'b', 'c', 'd', 'e', 'f']), 'a, b, c, d, e, f');
  assert.equal(some(['a', 'b', 'c', 'd', 'e', 'f', 'g']), 'a, b, c, d, e, f and 1 more');
  assert.equal(capabilities({ tools: { listChanged: false } }), 'tools');
});

test('a cut is exact: what just fits stays, one column more does not', () => {
  assert.equal(truncate('abcd', 4), 'abcd');
  assert.equal(truncate('abcde', 4), 'abc…');
  assert.equal(truncate('ab日本', 6), 'ab日本');
  assert.equal(truncate('ab日本', 5), 'ab日…');
  assert.equal(truncate('a', 0), '');
  assert.equal(truncate('\x1b[31mab\x1b[0m', 2), '\x1b[31mab\x1b[0m');
  assert.equal(truncate('\x1b[31mabc\x1b[0m', 2), '\x1b[31ma…\x1b[0m');
  assert.equal(truncate('ab\x1b[31mcd', 2), 'a…\x1b[0m', 'a colour behind the cut is left out');
  assert.equal(width('\x1b[31mab\x1b[0m'), 2);
  assert.equal(width('\x1b[2J'), 4, 'only colours take no columns');
  assert.equal(width('~'), 1);
  assert.equal(head('a😀b', 2), 'a');
  assert.equal(head('a😀b', 3), 'a😀');
  assert.equal(head('a😀', 3), 'a😀');
});

test('a line of the wire says that it was cut, however much of it was read', () => {
  assert.equal(wireLine('abc', 3), 'abc');
  assert.equal(wireLine('abcd', 3), 'ab…');
  assert.equal(wireLine('e\u0301'.repeat(2), 2), 'e\u0301e\u0301');
  // The line fits, and the rest of the text was not read.
  const marks = `e${'\u0301'.repeat(7)}`;
  const line = wireLine(`${marks}${marks}${'\u0301'.repeat(50)}`, 4);
  assert.ok(line.endsWith('…') && width(line) <= 4, JSON.stringify(line));
  assert.equal(line.match(/…/g)?.length, 1);
});
