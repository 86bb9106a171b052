import assert from 'node:assert/strict';
import test from 'node:test';
import { columnsOf, framed, rowsOf } from '../../src/host/node/frame.ts';
import { width } from '../../src/explain/safe-text.ts';
import { randomOf } from '../random.ts';

test('frame: each row begins with the mark, whatever the text does', () => {
  assert.deepEqual(framed('one\ntwo'), ['│ one', '│ two']);
  assert.deepEqual(framed('one\r\ntwo\rthree\n'), ['│ one', '│ two', '│ three']);
  assert.deepEqual(framed(''), ['│ ']);
  assert.deepEqual(framed('a\tb\x1b[2J'), ['│ a    b\\x1b[2J']);
  // Enough blanks to reach the next line of the screen, where the consent prompt would be.
  assert.deepEqual(framed(`${' '.repeat(17)}Run it? [y/N]`, { columns: 20 }), [`│ ${' '.repeat(17)}`, '│ Run it? [y/N]']);
});

test('frame: punctuation, arrows and the lines of tables take one column, and all else from U+1100 on two', () => {
  for (const [first, last, columns] of [[0x20, 0x10ff, 1], [0x1100, 0x200f, 2], [0x2010, 0x25ff, 1], [0x2600, 0xffff, 2], [0x10000, 0x1f64f, 2]] as const) {
    for (const code of [first, first + 1, last - 1, last]) assert.equal(columnsOf(String.fromCodePoint(code)), columns, code.toString(16));
    assert.equal(columnsOf(String.fromCodePoint(first, last)), 2 * columns);
  }
});

test('frame: rows end between words, where there is one to end at', () => {
  assert.deepEqual(framed('the quick brown fox jumps over', { columns: 16 }), ['│ the quick ', '│ brown fox ', '│ jumps over']);
  assert.deepEqual(framed('a abcdefghijklmnopqrst', { columns: 16 }), ['│ a abcdefghijk', '│ lmnopqrst']);
});

test('frame: what is left out is counted, and the count is no row of the text', () => {
  assert.deepEqual(framed('a\nb\nc\nd', { rows: 2 }), ['│ a', '│ b', '└ 3 characters more were left out']);
  const long = framed('x'.repeat(400_000), { columns: 80 });
  assert.equal(long.length, 31);
  assert.match(long[30] ?? '', /^└ 397,690 characters more were left out$/);
  assert.match(framed('\n'.repeat(1_000_000)).at(-1) ?? '', /^└ 999,970 characters/);
  assert.deepEqual(framed('└ 3 characters more'), ['│ └ 3 characters more']);
});

const pieces = ['a', ' ', '\n', '\r', '\r\n', '\t', '\x1b[2K', '\x1b]0;x\x07', '\u202e', '\u0301', '日', '😀', '👩‍💻', '\ud83d', '│', '└', '\u2028', '\0', '\u3164', '﷽', 'Run it? [y/N] '];

test('frame: no text leaves it: every row is marked and fits the screen, and all characters are shown or counted', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = randomOf(seed);
    const text = Array.from({ length: Math.floor(random() * 200) }, () => pieces[Math.floor(random() * pieces.length)]).join('');
    const columns = 13 + Math.floor(random() * 80);
    const most = 1 + Math.floor(random() * 20);
    const rows = framed(text, { columns, rows: most });
    const { used } = rowsOf(text, columns - 3, most);
    const counted = /^└ ([\d,]+) characters more were left out$/.exec(rows.at(-1) ?? '');
    const shown = counted ? rows.slice(0, -1) : rows;
    assert.ok(shown.length <= most, `seed ${seed}`);
    for (const row of shown) {
      assert.ok(row.startsWith('│ '), `seed ${seed}: ${JSON.stringify(row)}`);
      assert.ok(columnsOf(row) < columns && width(row) < columns, `seed ${seed}: ${JSON.stringify(row)}`);
      assert.doesNotMatch(row, /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u, `seed ${seed}`);
    }
    assert.equal(Number((counted?.[1] ?? '0').replaceAll(',', '')), text.length - used, `seed ${seed}`);
  }
});
