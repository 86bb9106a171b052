import assert from 'node:assert/strict';
import { test } from 'node:test';
import { style, wantsColour } from '../../src/host/node/style.ts';
import { table } from '../../src/cli/terminal.ts';
import { truncate, visible, width, wireLine } from '../../src/explain/safe-text.ts';

const paints = style(true);

test('colour: FORCE_COLOR, then NO_COLOR, then the terminal', () => {
  assert.equal(wantsColour({}, true), true);
  assert.equal(wantsColour({}, false), false);
  assert.equal(wantsColour({ NO_COLOR: '1' }, true), false);
  assert.equal(wantsColour({ NO_COLOR: '' }, true), true);
  assert.equal(wantsColour({ TERM: 'dumb' }, true), false);
  assert.equal(wantsColour({ FORCE_COLOR: '1' }, false), true);
  assert.equal(wantsColour({ FORCE_COLOR: '' }, false), true);
  assert.equal(wantsColour({ FORCE_COLOR: '0' }, true), false);
  assert.equal(wantsColour({ FORCE_COLOR: 'false' }, true), false);
  assert.equal(wantsColour({ FORCE_COLOR: '3', NO_COLOR: '1' }, false), true);
});

test('colour: paints close what they open, nest, and can be off', () => {
  assert.equal(paints.red('no'), '\x1b[31mno\x1b[39m');
  assert.equal(paints.bold(paints.red('no')), '\x1b[1m\x1b[31mno\x1b[39m\x1b[22m');
  assert.equal(paints.red(''), '');
  assert.equal(style(false).red('no'), 'no');
});

test('visible: nothing that a terminal obeys comes through', () => {
  assert.equal(visible('plain text, über, 日本, 👩‍💻'), 'plain text, über, 日本, 👩‍💻');
  assert.equal(visible('\x1b[2J\x1b]0;title\x07'), '\\x1b[2J\\x1b]0;title\\x07');
  assert.equal(visible('a\r\nb\tc\0'), 'a\\r\\nb\\tc\\x00');
  assert.equal(visible('\x9b31m\x85\x7f'), '\\x9b31m\\x85\\x7f');
  assert.equal(visible('a\u2028b\u2029'), 'a\\u{2028}b\\u{2029}');
  for (let code = 0; code < 0xa0; code++) {
    if (code >= 0x20 && code < 0x7f) continue;
    assert.match(visible(String.fromCharCode(code)), /^\\[nrtx]/, `U+${code.toString(16)}`);
  }
});

test('visible: what hides or turns the direction is shown', () => {
  assert.equal(visible('abc\u202etxt.exe'), 'abc\\u{202e}txt.exe');
  assert.equal(visible('\u2066\u200b\ufeff'), '\\u{2066}\\u{200b}\\u{feff}');
  assert.equal(visible('\u{e0041}'), '\\u{e0041}');
  assert.equal(visible('\ud83d|\ude00'), '\\u{d83d}|\\u{de00}');
});

test('width: colours take no column, wide characters two, marks none', () => {
  assert.equal(width(''), 0);
  assert.equal(width('abc'), 3);
  assert.equal(width(paints.bold(paints.cyan('abc'))), 3);
  assert.equal(width('日本'), 4);
  assert.equal(width('😀'), 2);
  assert.equal(width('e\u0301'), 1);
  assert.equal(width('ö…─'), 3);
});

test('truncate: text that fits is returned as it is', () => {
  for (const text of ['', 'abc', '日', paints.red('abc'), 'e\u0301fg']) assert.equal(truncate(text, 3), text);
});

test('truncate: at every width, whole characters, whole colours, no more columns than asked for', () => {
  const text = `a😀${paints.red('日b')}e\u0301${paints.bold('x😀y')}z`;
  for (let columns = 0; columns <= width(text) + 1; columns++) {
    const cut = truncate(text, columns);
    assert.ok(width(cut) <= columns, `${columns} columns`);
    assert.doesNotMatch(cut, /\p{Cs}/u, `${columns}: half a surrogate pair`);
    assert.doesNotMatch(cut.replace(/\x1b\[\d+m/g, ''), /\x1b/, `${columns}: half a colour`);
    if (columns >= width(text)) assert.equal(cut, text);
    else if (columns > 0) assert.match(cut, /…(\x1b\[0m)?$/);
  }
  assert.equal(truncate('abcdef', 4), 'abc…');
  assert.equal(truncate('ab😀def', 4), 'ab…');
  assert.equal(truncate('ae\u0301b', 2), 'a…');
  assert.equal(truncate(paints.red('abcdef'), 3), '\x1b[31mab…\x1b[0m');
});

test('wire lines: safe first, cut second, so that no escape of ours is taken for one of theirs', () => {
  assert.equal(wireLine('{"a":"\x1b[31m"}', 40), '{"a":"\\x1b[31m"}');
  assert.equal(wireLine('{"a":"\x1b[31m"}', 8), '{"a":"\\…');
  assert.equal(wireLine('x'.repeat(1000), 10), `${'x'.repeat(9)}…`);
  assert.equal(wireLine('abc', 3), 'abc');
  assert.equal(wireLine('abcdefghijklmnopq', 4), 'abc…');
});

test('wire lines: endless marks of no width end', () => {
  const line = wireLine(`ab${'\u0301'.repeat(1_000_000)}`, 20);
  assert.ok(line.length <= 81 && line.endsWith('…'), line);
  const pairs = wireLine(`${`e${'\u0301'.repeat(8)}`.repeat(8)}e${'\u0301'.repeat(6)}😀 and more`, 20);
  assert.doesNotMatch(pairs, /\p{Cs}/u);
  assert.doesNotMatch(pairs, /\\u/);
});

test('table: aligned by what is seen', () => {
  const lines = table(
    ['method', 'count', 'note'],
    [
      ['tools/list', '3', paints.green('ok')],
      ['ping', '12', '日本'],
    ],
    { right: [1] },
  );
  assert.deepEqual(lines, [
    'method      count  note',
    '──────────  ─────  ────',
    `tools/list      3  ${paints.green('ok')}`,
    'ping           12  日本',
  ]);
});

test('table: the widest cells give way, missing cells are empty', () => {
  const lines = table(['a', 'b'], [['x'.repeat(50), 'short'], ['y']], { columns: 20, head: paints.bold });
  assert.deepEqual(lines, [
    `${paints.bold('a')}              ${paints.bold('b')}`,
    '─────────────  ─────',
    `${'x'.repeat(12)}…  short`,
    'y',
  ]);
  for (const line of lines) assert.ok(width(line) <= 20);
});
