import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linearPatterns } from '../../src/schema/index.ts';

/** A small generator of numbers, so that a failure can be repeated. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const ATOMS = [
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\w',
  '\\d',
  '-',
  '\\-',
  '😀',
  '\\u{1F600}',
  '[😀b]',
  '\\p{L}',
  '\\b',
  '^',
  '$',
  '\\u0061',
];
const QUANTIFIERS = ['', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?', '{0,2}?'];

function pattern(pick: (below: number) => number, depth: number): string {
  let text = '';
  for (let i = pick(4); i >= 0; i--) {
    const group = depth > 0 && pick(3) === 0;
    const kind =
      ['(', '(?:', '(?<n>', '(?=', '(?!'][text.includes('(?<n>') || depth < 3 ? pick(2) : pick(5)] ?? '(';
    const atom = group ? `${kind}${pattern(pick, depth - 1)})` : (ATOMS[pick(ATOMS.length)] ?? 'a');
    const quantifier = QUANTIFIERS[pick(QUANTIFIERS.length)] ?? '';
    text += atom + (/^(\^|\$|\\b|\(\?[=!])/.test(atom) ? '' : quantifier);
  }
  return pick(5) === 0 ? `${text}|${pattern(pick, 0)}` : text;
}

test('the linear matcher says what the engine says', () => {
  const pick = numbers(20260101);
  const characters = ['a', 'b', '-', '1', '😀', ' ', 'é', 'a', 'b'];
  let compared = 0;
  let matched = 0;
  for (let i = 0; i < 2_000; i++) {
    const source = pattern(pick, 3);
    let native: RegExp;
    try {
      native = new RegExp(source, 'u');
    } catch {
      continue;
    }
    // A filler that nothing consumes makes the number of ways too large for the engine's matcher.
    const test = linearPatterns(`(?:(?:q+)+)?(?:${source})`);
    for (let j = 0; j < 4; j++) {
      let text = '';
      for (let k = pick(7); k > 0; k--) text += characters[pick(characters.length)] ?? '';
      const expected = native.test(text);
      let steps = 0;
      assert.equal(
        test(text, (n) => (steps += n)),
        expected,
        `${source} on ${JSON.stringify(text)}`,
      );
      compared++;
      if (expected) matched++;
    }
  }
  assert.ok(compared > 2_500 && matched > 500 && matched < compared - 500, `${matched} of ${compared}`);
});

test('cheap patterns are left to the engine, and pay little', () => {
  let steps = 0;
  assert.equal(
    linearPatterns('^\\d{4}-\\d{2}$')('2026-01', (n) => (steps += n)),
    true,
  );
  assert.ok(steps < 1);
});
