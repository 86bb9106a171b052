import assert from 'node:assert/strict';
import test from 'node:test';
import { visible, visiblePieces } from '../../src/explain/safe-text.ts';
import { everyNth } from '../every-nth.ts';

/**
 * Ranges of code points that are invisible, blank, or move their neighbours. From Unicode 16: DerivedCoreProperties
 * (Default_Ignorable_Code_Point), PropList (Bidi_Control, White_Space, Variation_Selector, Noncharacter_Code_Point), UnicodeData
 * (Cc, Cf, Cs, Co, Zl, Zp, Zs), and characters with an empty glyph. Written out, so that the test does not use the engine's
 * tables, as the code does.
 */
const unseen: readonly (readonly [from: number, to: number])[] = [
  // Cc, soft hyphen, NBSP
  [0x00, 0x1f], [0x7f, 0x9f], [0xa0, 0xa0], [0xad, 0xad],
  // Cf of Arabic and Syriac, the Arabic letter mark, the grapheme joiner
  [0x34f, 0x34f], [0x600, 0x605], [0x61c, 0x61c], [0x6dd, 0x6dd], [0x70f, 0x70f], [0x890, 0x891], [0x8e2, 0x8e2],
  // Hangul fillers, Ogham space, Khmer inherent vowels, Mongolian selectors
  [0x115f, 0x1160], [0x1680, 0x1680], [0x17b4, 0x17b5], [0x180b, 0x180f],
  // spaces, zero width, bidi controls, line ends, invisible operators
  [0x2000, 0x200f], [0x2028, 0x202f], [0x205f, 0x206f], [0x2800, 0x2800], [0x2d7f, 0x2d7f], [0x3000, 0x3000], [0x3164, 0x3164],
  // surrogates and private use
  [0xd800, 0xf8ff],
  [0xfdd0, 0xfdef], [0xfe00, 0xfe0f], [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff0, 0xfffc], [0xfffe, 0xffff],
  [0x1107f, 0x1107f], [0x110bd, 0x110bd], [0x110cd, 0x110cd], [0x13430, 0x1343f], [0x13441, 0x13442], [0x16fe4, 0x16fe4],
  [0x1bc9d, 0x1bc9d], [0x1bca0, 0x1bca3], [0x1d159, 0x1d159], [0x1d173, 0x1d17a], [0x1fffe, 0x1ffff],
  // tags, more variation selectors, and reserved code points among them
  [0xe0000, 0xe0fff], [0xf0000, 0x10ffff],
];

/** Visible characters for a person at a terminal or a page. */
const seen = /^[\x20-\x7e]*$/;

test('visible: no code point that is hidden, blank, or moves its neighbours comes through, wherever it stands', () => {
  let looked = 0;
  for (const [from, to] of unseen) {
    for (let code = from; code <= to; code += to - from > 4_000 ? everyNth(97) : 1) {
      const char = String.fromCodePoint(code);
      for (const text of [char, `a${char}b`, `日${char}本`, `1${char}1`, `😀${char}`, `${char}😀`, char.repeat(3)]) {
        // After an emoji these two select how it is drawn.
        if ((code === 0xfe0e || code === 0xfe0f) && text === `😀${char}`) continue;
        assert.ok(![...visible(text)].includes(char), `U+${code.toString(16)} in ${JSON.stringify(text)}`);
      }
      assert.match(visible(`a${char}b`), seen, `U+${code.toString(16)}`);
      looked++;
    }
  }
  assert.ok(looked > 1_500, `${looked}`);
});

test('visible: of all code points, those that no range names as hidden are as they were, or new to this engine', () => {
  const hidden = (code: number): boolean => unseen.some(([from, to]) => code >= from && code <= to);
  for (let code = 0; code <= 0x10ffff; code += everyNth(101)) {
    if (hidden(code)) continue;
    const char = String.fromCodePoint(code);
    const shown = visible(`a${char}`);
    if (shown === `a${char}`) continue;
    assert.match(char, /\p{Cn}/u, `U+${code.toString(16)} is shown as ${shown}`);
  }
});

test('visible: emoji and scripts that join their letters stay whole', () => {
  for (const text of ['👩‍💻', '❤️', '☎︎', '👩🏽‍🚀', '🏳️‍🌈', '1️⃣', '🇩🇪', 'می‌خواهم', 'क्‍ष', 'ශ්‍රී', 'നമ്മൾ', 'שָׁלוֹם', 'ไทยนี้', 'Việt Nam', 'e\u0301']) {
    assert.equal(visible(text), text, text);
  }
});

test('visible: a joiner or selector that changes nothing is shown', () => {
  assert.equal(visible('pass\u200dword'), 'pass\\u{200d}word');
  assert.equal(visible('pay\u200c'), 'pay\\u{200c}');
  assert.equal(visible('a\ufe0fb'), 'a\\u{fe0f}b');
  assert.equal(visible('1\ufe0fx'), '1\\u{fe0f}x');
  assert.equal(visible('❤\ufe0f\ufe0f'), '❤\ufe0f\\u{fe0f}');
  assert.equal(visible('👩\u200d\u200d💻'), '👩\\u{200d}\\u{200d}💻');
});

test('visible: marks stay upon letters of the text, and only so many', () => {
  assert.equal(visible('\u0338'), '\\u{338}', 'it would strike through what stands before the text');
  assert.equal(visible('\u202e\u0338x'), '\\u{202e}\\u{338}x', 'it would strike through the escape');
  const zalgo = visible(`a${'\u0316'.repeat(1_000)}b`);
  assert.equal([...zalgo].filter((char) => char === '\u0316').length, 8);
  assert.ok(zalgo.endsWith('\\u{316}b'));
});

test('visible: in pieces, what came and what is an escape take turns, and layout may stay', () => {
  assert.deepEqual(visiblePieces(''), ['']);
  assert.deepEqual(visiblePieces('abc'), ['abc']);
  assert.deepEqual(visiblePieces('a\u202e\u2066b\n\tc', '\n\t'), ['a', '\\u{202e}\\u{2066}', 'b\n\tc']);
  assert.deepEqual(visiblePieces('\0'), ['', '\\x00']);
});

test('visible: linear in the text', () => {
  const share = everyNth(4);
  const began = process.cpuUsage().user;
  for (const piece of ['a', '\u202e', '\u0316', 'a\u200d', '👩‍💻', 'می‌', '\ud83d', '1\ufe0f']) visible(piece.repeat(200_000 / share));
  assert.ok(process.cpuUsage().user - began < 8_000_000 / share);
});
