import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineDiff } from '../../src/ui/parts/line-diff.ts';

const shown = (before: string, after: string): string => (lineDiff(before, after) ?? []).map(({ kind, lines }) => `${{ same: '=', added: '+', removed: '-' }[kind]}${lines.join('')}`).join(' ');
const lines = (text: string): string => [...text].join('\n');

test('lines that came and went stand between those that are the same', () => {
  for (const [before, after, expected] of [
    ['abc', 'abc', '=abc'], ['abc', 'axc', '=a -b +x =c'], ['abcabba', 'cbabac', '-ab =c +b =ab -b =a +c'], ['a', 'b', '-a +b'], ['abc', 'ab', '=ab -c'], ['bc', 'abc', '+a =bc'],
  ] as const) assert.equal(shown(lines(before), lines(after)), expected, `${before} ${after}`);
});

test('both texts come out of the parts again, whatever they are, with the fewest changes', () => {
  let seed = 7;
  const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 300; round++) {
    const [before, after] = [0, 1].map(() => lines(Array.from({ length: next(12) }, () => 'abc'[next(3)]).join(''))) as [string, string];
    const parts = lineDiff(before, after) ?? [];
    const without = (kind: string): string => parts.filter((one) => one.kind !== kind).flatMap((one) => one.lines).join('\n');
    assert.equal(without('added'), before);
    assert.equal(without('removed'), after);
    const changes = parts.filter(({ kind }) => kind !== 'same').reduce((sum, one) => sum + one.lines.length, 0);
    assert.equal(changes, fewest(before.split('\n'), after.split('\n')), JSON.stringify([before, after]));
  }
});

test('texts that share little are not compared', () => {
  const many = (word: string): string => Array.from({ length: 2_000 }, (_, at) => `${word} ${at}`).join('\n');
  assert.equal(lineDiff(many('a'), many('b')), undefined);
});

/** The smallest number of changed lines, by the table of longest common subsequences. */
function fewest(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++) for (let j = 1; j <= b.length; j++) (table[i] as number[])[j] = a[i - 1] === b[j - 1] ? (table[i - 1]?.[j - 1] ?? 0) + 1 : Math.max(table[i - 1]?.[j] ?? 0, table[i]?.[j - 1] ?? 0);
  return a.length + b.length - 2 * (table[a.length]?.[b.length] ?? 0);
}
