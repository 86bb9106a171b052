import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedPattern } from '../../src/schema/patterns.ts';
import { everyNth } from '../every-nth.ts';

/** A small random generator with a seed, so that failures are reproducible. */
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

test('the matcher says what the engine says', () => {
  const pick = numbers(20260101);
  const characters = ['a', 'b', '-', '1', '😀', ' ', 'é', 'a', 'b'];
  let compared = 0;
  let matched = 0;
  for (let i = 0; i < 2_000 / everyNth(4); i++) {
    const source = pattern(pick, 3);
    let native: RegExp;
    try {
      native = new RegExp(source, 'u');
    } catch {
      continue;
    }
    // The filler, which matches nothing, makes the number of paths too large for the engine's matcher.
    const test = boundedPattern(`(?:(?:q+)+)?(?:${source})`);
    for (let j = 0; j < 4; j++) {
      let text = '';
      for (let k = pick(7); k > 0; k--) text += characters[pick(characters.length)] ?? '';
      const expected = native.test(text);
      let steps = 0;
      assert.equal(
        test(text, (n: number) => (steps += n)),
        expected,
        `${source} on ${JSON.stringify(text)}`,
      );
      compared++;
      if (expected) matched++;
    }
  }
  assert.ok(compared > 2_500 / everyNth(4) && matched > compared / 5 && matched < compared * 0.8, `${matched} of ${compared}`);
});

/** A pattern, with a backtracking matcher that counts its steps. */
interface Counted {
  source: string;
  /** Calls `on` for each end of a match that begins at `at`, until it returns true. */
  match(text: string, at: number, on: (end: number) => boolean): boolean;
}

/** Thrown when a count becomes too large. */
const tooMany = new Error('too many steps');

/** Random backtracking patterns of characters, alternatives, groups and repetitions. */
function backtracking(pick: (below: number) => number, step: () => void): (depth: number) => Counted {
  const character = (): Counted => {
    const source = ['a', 'b', '[ab]', '.'][pick(4)] ?? 'a';
    const expression = new RegExp(`^${source}$`);
    return { source, match: (text, at, on) => (step(), expression.test(text[at] ?? '') && on(at + 1)) };
  };
  const series = (pieces: Counted[]): Counted => ({
    source: pieces.map(({ source }) => source).join(''),
    match(text, at, on) {
      const from = (index: number, at: number): boolean => {
        const piece = pieces[index];
        return piece ? piece.match(text, at, (end) => from(index + 1, end)) : on(at);
      };
      return from(0, at);
    },
  });
  const repeated = (piece: Counted): Counted => {
    const [sign, min, max] = ([
      ['*', 0, Infinity], ['+', 1, Infinity], ['?', 0, 1], ['{3}', 3, 3], ['{2,5}', 2, 5], ['{40}', 40, 40], ['{2,}', 2, Infinity],
    ] as const)[pick(7)] ?? ['*', 0, Infinity];
    const round = (text: string, at: number, count: number, on: (end: number) => boolean): boolean =>
      (count < max && piece.match(text, at, (end) => (end > at || count < min) && round(text, end, count + 1, on))) ||
      (count >= min && on(at));
    return { source: piece.source + sign, match: (text, at, on) => (step(), round(text, at, 0, on)) };
  };
  const make = (depth: number): Counted => series(Array.from({ length: 1 + pick(4) }, () => {
    let piece = character();
    if (depth > 0 && pick(3) === 0) {
      const [one, other] = [make(depth - 1), make(depth - 1)];
      piece =
        pick(2) ? { source: `(?:${one.source})`, match: one.match }
        : {
            source: `(?:${one.source}|${other.source})`,
            match: (text, at, on) => (step(), one.match(text, at, on) || other.match(text, at, on)),
          };
    }
    return pick(2) ? repeated(piece) : piece;
  }));
  return make;
}

test('no pattern takes more steps than the limit allows, and few need more', () => {
  const pick = numbers(20261121);
  const make = backtracking(pick, () => {});
  const limit = new RangeError('work');
  let answered = 0;
  for (let i = 0; i < 400 / everyNth(8); i++) {
    const source = `${pick(2) ? '^' : ''}(?:${make(3).source})!`;
    const text = Array.from({ length: 10 ** pick(5) }, () => 'aaab'[pick(4)]).join('');
    let paid = 0;
    try {
      const found = boundedPattern(source)(text, (steps) => {
        if ((paid += steps) > 1e7) throw limit;
      });
      assert.equal(found, false);
      answered++;
    } catch (error) {
      assert.equal(error, limit, source);
    }
  }
  assert.ok(answered > 300 / everyNth(8), String(answered));
});

test('the estimate for the engine is never below what a backtracking engine takes', () => {
  const pick = numbers(7);
  let taken = 0;
  let compared = 0;
  const make = backtracking(pick, () => {
    if (++taken > 2e6) throw tooMany;
  });
  for (let i = 0; i < 3_000; i++) {
    const { source, match } = make(2);
    const text = Array.from({ length: pick(40) }, () => 'aaab'[pick(4)]).join('');
    // A back reference needs the engine's matcher: the estimate is paid, or the pattern is refused.
    let paid = 0;
    try {
      boundedPattern(`(?:${source})!()\\1`)(text, (steps) => (paid += steps));
    } catch (error) {
      assert.equal((error as Error).message, 'pattern');
      continue;
    }
    paid -= 200 * (source.length + 9);
    taken = 0;
    for (let at = 0; at <= text.length; at++) match(text, at, () => false);
    assert.ok(taken <= 4 * (paid - 3), `${source} on ${text}: ${taken} steps, estimated ${4 * paid}`);
    compared++;
  }
  assert.ok(compared > 1_000, String(compared));
});

test('a match pays a few steps, and once for compiling', () => {
  const steps: number[] = [];
  const test = boundedPattern('^\\d{4}-\\d{2}$');
  for (let i = 0; i < 2; i++) {
    assert.equal(test('2026-01', (n) => steps.push(n)), true);
  }
  assert.deepEqual(steps, [200 * 13, 7, 7]);
});
