import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { boundedPattern, weightOf } from '../../src/schema/patterns.ts';

/** Backtracks so much that the engine's matcher is not used; it matches nothing itself. */
const filler = '(?:(?:q+)+)?';

const texts = [
  '', 'a', 'b', 'A', 'ab', 'ba', 'aa', 'aaa', 'aaaa', 'aab', 'abab', 'abc', 'acb', 'a\nb', '\n', '\t', ' ', 'a b', '1', '12', 'a1', '1a', '_', '-', 'a-b', '\u0001',
  ']', '[', '\\', '/', '|', '(', ')', '(a)', 'a|b', '{', '}', 'a{2}', '.', '*', '+', '?', '^', '$', '^a$', ',', '=', '!', '<', '>', ':', 'k', 'u', 'x', 'p',
  'é', 'É', 'ß', 'я', '中', '😀', '😀😀', 'a😀', '😀a', '\ud83d', '\ude00', '\u2028', '0', '\0', 'c', 'd', 'D', 's', 'w', 'n', 'r',
];

// Each form of ECMA-262's patterns with the flag u, except those that only the engine can match.
const forms = [
  'a', '.', '\\.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\b', '\\B', '\\bb', 'a\\b', 'a\\B', '^', '$', '^a', 'a$', '^$', '^a$', '^ab$', '\\n', '\\t', '\\0', '\\cA', '\\cJ',
  '\\x61', '^\\x61b$', '\\u0061', '^\\u0061b$', '\\u{61}', '^\\u{61}b$', '\\u{1F600}', '^\\u{1f600}$', '\\uD83D\\uDE00', '^\\uD83D\\uDE00$', '^\\ud83d\\ude00a?$', '^\\ud83d$', '^\\ude00$',
  '^\\uD83D\\uDE00+$', '^(?:\\uD83D\\uDE00){2}$', '\\p{L}', '^\\p{L}$', '\\P{L}', '^\\P{L}+$', '^\\p{Script=Cyrillic}$', '^\\p{Lu}\\p{Ll}*$', '\\/', '\\\\', '^\\\\$', '\\[', '\\]', '\\(', '\\)', '^\\(a\\)$', '\\{', '\\}', '^a\\{2\\}$', '\\|', '^a\\|b$',
  '\\*', '\\+', '\\?', '\\^', '\\$', '^\\^a\\$$', '[ab]', '^[ab]+$', '[^ab]', '^[^ab]$', '[a-c]', '[^a-c]', '[\\]]', '^[\\]\\[]$', '[^\\]]', '[\\\\]', '^[\\\\\\]]$', '[(]', '[)|]', '[|]', '^[(|)]$', '^[a\\-b]+$', '[.]', '[$^]', '[\\d_]', '^[\\w-]+$', '[\\b]', '[😀]', '^[^😀]$', '[\\u{1F600}]',
  '[*+?{}]', '^[()a]+$', '[,<=!:>]', '[]', '[^]', '^[^]$', 'a|b', '^a|b$', '^(?:a|b)$', '(a)', '^(a)(b)$', '^(?<n>a)b$', '^(?<word>a)b$', '(?<word>b)+', '(?:ab)+', '^(?:ab)+$', '^(?:a|ab)(?:b|c)?$', '(?:)', '(|a)', '^(?:a|)$', '^(?:|a)b$', 'a||b', '|', '()', '^()$',
  'a*', '^a*$', 'a+', '^a+$', 'a?', '^a?$', '^a{2}$', '^a{2,}$', '^a{2,3}$', '^a{0}$', '^a{0,1}$', '^a{1,}b$', '^a{3,4}$', '^a*?$', '^a+?b?$', '^a??$', '^a{2}?$', '^a{2,}?$', '^a{1,2}?$', '^(?:a{2}){2}$', '^(?:a*)*$', '^(?:a?){3}$', '^(?:a|b){2,}$', '^.{2}$', '^.{10,}$', '^(?:ab){2}$', '^a{02}$',
  '(?=a)', '^(?=a)ab?$', '^(?=.*b)a', '^(?!a)', '^(?!a)b', '^(?!.*b).+$', '(?!)', '(?=)', '^(?:(?=a)a|b)+$', 'a(?=b)', 'a(?!b)', '^a(?!b)', '^(?!(?!a))a', '^(?=(?:a|b)$)', '^(?=a)(?=.b)', '^=$', '^!$', '^(?:=)$', '^(?:!)$', '^(=)$',
];

describe('each form says of each text what the engine says, matched here', () => {
  for (const form of forms) {
    test(form, () => {
      const native = new RegExp(form, 'u');
      const matches = boundedPattern(`${filler}(?:${form})`);
      assert.deepEqual(texts.filter((text) => matches(text, () => {})), texts.filter((text) => native.test(text)));
    });
  }
});

test('what only the engine can match is told from what looks like it', () => {
  const isRefused = (form: string): boolean => {
    const matches = boundedPattern(`${filler}(?:${form})()(?<n>)`);
    try {
      matches('a'.repeat(40), () => {});
      return false;
    } catch (error) {
      assert.ok(error instanceof RangeError && error.message === 'pattern');
      return true;
    }
  };
  for (const form of ['(?<=b)c', '(?<!b)c', '(b)\\1', '\\2', '\\k<n>', '(?:b|(?<=c))', '[b]+\\1', '(?=b\\1)']) assert.ok(isRefused(form), form);
  // Node 23 and later have modifiers.
  const known = (form: string): boolean => {
    try {
      return new RegExp(form, 'u') instanceof RegExp;
    } catch {
      return false;
    }
  };
  for (const form of ['(?i:b)', '(?-i:b)', '(?im-s:b)'].filter(known)) assert.ok(isRefused(form), form);
  for (const form of ['(?=b)', '(?!a)', '(?:b)', '(?<m>b)', '(b)', '\\0', '\\\\1', '\\\\k<n>', '[(?<=]b', '[\\\\1]b', '\\(\\?<=b', 'b1', 'k<n>', '\\u0031', '\\u{31}', '\\x31']) assert.ok(!isRefused(form), form);
});

// The total cost: 200 to compile each unit of the source, then 4 and a quarter of the engine's estimated steps; or 16 for each
// position if the pattern is matched here.
const paid = (source: string, text: string): number => {
  let sum = 0;
  boundedPattern(source)(text, (steps) => (sum += steps));
  return sum - 200 * weightOf(source);
};

test('the weight of a pattern is its length, and 500 more for each property', () => {
  for (const [source, weight] of [['', 0], ['abc', 3], ['\\p{L}', 505], ['\\P{L}\\p{Lu}', 1_011], ['p{L}', 4]] as const) assert.equal(weightOf(source), weight, source);
});

describe('what a pattern pays', () => {
  const table: readonly (readonly [source: string, text: string, steps: number])[] = [
    // The estimate is the steps from one start, times the starts: one, or the next power of two above the length.
    ['a', '', 4 + 0], ['a', 'a', 4 + 1], ['a', 'aa', 4 + 2], ['a', 'aaaa', 4 + 4], ['^a', 'aaaa', 4 + 0], ['^a|b', 'aaaa', 4 + 12], ['ab', 'aaaa', 4 + 6], ['a|b', 'aaaa', 4 + 10],
    ['(?:a|b)c', 'aaaa', 4 + 16], ['a*', 'aaaa', 4 + 20], ['a+', 'aaaa', 4 + 22], ['a?', 'aaaa', 4 + 6], ['a{3}', 'aaaa', 4 + 10], ['a{2,5}', 'aaaa', 4 + 14], ['a{2,}', 'aaaa', 4 + 24],
    ['(?:a|b){3}', 'aaaa', 4 + 244], ['(?:a*b){2}', 'aaaa', 4 + 6_160], ['(?=a*)b', 'aaaa', 4 + 24], ['(a)\\1', 'aaaa', 4 + 22], ['(?<=a)b', 'aaaa', 4 + 8],
    ['', 'a', 4 + 0], ['(?<word>a)\\k<word>', 'aaaa', 4 + 22], [`${'()'.repeat(10)}\\10`, 'aaaa', 4 + 38], [`${'()'.repeat(9)}\\9`, 'aaaa', 4 + 36],
    // Matched here: 16 for a start, for each position where an atom is tried, and for each position that is added.
    [filler, '', 16 * 4], [filler, 'a', 16 * 7], [`${filler}a`, 'aaa', 16 * 17], [`^${filler}a`, 'aaa', 16 * 6], [`${filler}ab`, 'abab', 16 * 23], [`${filler}a*`, 'aaa', 16 * 24],
    [`${filler}a{2}`, 'aaa', 16 * 24], [`${filler}a{1,2}b`, 'aab', 16 * 25], [`${filler}(?:a|b)`, 'ab', 16 * 18], [`${filler}(?=a)`, 'ab', 16 * 16], [`${filler}(?!a)`, 'ab', 16 * 16],
    ['(?:a|b)*', 'aaaa', 16 * 27], ['x*x*x*y', 'x'.repeat(31), 16 * 348],
    // The engine is used for up to 100,000 steps plus 100 per start, but never above ten million.
    ['^a{100097}', '', 4 + 25_025], ['^a{100098}', '', 16 * 3], ['a'.repeat(75), 'b'.repeat(65_536), 4 + 76 * 131_072 / 4], ['a'.repeat(76), 'b'.repeat(65_536), 16 * (65_536 + 65_537)],
    ['^a{9999995}()\\1', '', 4 + 2_500_000],
  ];
  for (const [source, text, steps] of table) {
    test(`${source.slice(0, 20)} on ${text.slice(0, 5)}: ${steps}`, () => assert.equal(paid(source, text), steps));
  }
  test('above ten million, what only the engine can match is refused', () => assert.throws(() => paid('^a{9999996}()\\1', ''), new RangeError('pattern')));
});
