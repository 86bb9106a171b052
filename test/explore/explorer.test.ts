import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { everyNth } from '../every-nth.ts';
import { explore, replay } from './explorer.ts';
import type { Kind, World } from './explorer.ts';
import { found } from './found.ts';
import { Ways } from './ways.ts';
import { worlds } from './worlds.ts';

/** A world of counters. Each counter counts up to its number in steps that touch the places named by `touches`. */
function counters(most: readonly number[], touches: (at: number) => string[], check: (counts: readonly number[]) => void = () => {}): Kind {
  return {
    name: 'counters',
    what: 'counters',
    make(): World {
      const counts = most.map(() => 0);
      return {
        steps: () => most.flatMap((max, at) => ((counts[at] as number) < max ? [{
          name: `${at} to ${(counts[at] as number) + 1}`, touches: touches(at), run: () => void (counts[at] = (counts[at] as number) + 1),
        }] : [])),
        check: () => check(counts),
        finish: () => counts.join(),
      };
    },
  };
}

test('the explorer runs every order of steps that touch the same, and each once', async () => {
  const { complete, covered, outcomes, longest, exhausted } = await explore(counters([2, 3], () => ['one place']));
  // (2 + 3)! / (2! 3!)
  assert.deepEqual([complete, covered, outcomes.size, longest, exhausted], [10, 0, 1, 5, true]);
});

test('of orders that differ only in steps that commute it runs one', async () => {
  const { complete, exhausted } = await explore(counters([3, 3, 3], (at) => [`${at}`]));
  assert.deepEqual([complete, exhausted], [1, true]);
  const half = await explore(counters([2, 2, 1], (at) => (at < 2 ? ['a'] : ['b'])));
  assert.equal(half.complete, 6);
  const all = await explore(counters([2, 1], (at) => (at === 0 ? ['a'] : ['*'])));
  assert.equal(all.complete, 3);
});

test('a fault is found in whatever order it happens, and its steps are a run that shows it again', async () => {
  const kind = counters([2, 2], () => ['a'], ([first = 0, second = 0]) => {
    if (first === 0 && second === 2) throw new Error('the second overtook');
  });
  const { counterexample, exhausted } = await explore(kind);
  assert.deepEqual([counterexample, exhausted], [{ steps: ['1 to 1', '1 to 2'], why: 'the second overtook' }, false]);
  assert.equal(await replay(kind, counterexample?.steps ?? []), 'the second overtook');
  assert.equal(await replay(kind, ['0 to 1', '1 to 1']), undefined);
});

test('taken at random, the ways of a space that is small are all taken; of more than are held some are dropped, and that is told', async () => {
  const depths: number[] = [];
  const ways = new Ways<string>(4);
  for (const [at, way] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) ways.add(at, way);
  assert.deepEqual([ways.size, ways.dropped], [4, true]);
  while (ways.size > 0) depths.push('abcdef'.indexOf(ways.take(() => 0.99)));
  assert.deepEqual(depths, [3, 2, 1, 0]);
  for (const whole of [true, false]) {
    const { complete, exhausted } = await explore(counters([3, 3], () => ['a']), { whole });
    assert.deepEqual([complete, exhausted], [20, true]);
  }
});

test('what need not happen happens at each place and not at all, and a fault that it makes is found', async () => {
  const sometimes = (check?: (counts: readonly number[]) => void): Kind => {
    const kind = counters([2, 1], () => ['a'], check);
    return {
      ...kind,
      make(): World {
        const world = kind.make() as World;
        return { ...world, steps: () => world.steps().map((step) => (step.name.startsWith('1 ') ? { ...step, optional: true } : step)) };
      },
    };
  };
  for (const whole of [true, false]) {
    const { complete, outcomes, exhausted } = await explore(sometimes(), { whole });
    assert.deepEqual([complete, [...outcomes].sort(), exhausted], [4, [['2,0', 1], ['2,1', 3]], true]);
  }
  const { counterexample } = await explore(sometimes(([first = 0, second = 0]) => {
    if (first === 2 && second === 1) throw new Error('both');
  }));
  assert.deepEqual(counterexample?.why, 'both');
  assert.equal(await replay(sometimes(), ['0 to 1', '0 to 2']), undefined);
});

test('a run that does not come to its end, and a world that does not do the same again, are faults', async () => {
  const endless = await explore(counters([1000], () => ['a']), { maxSteps: 20 });
  assert.equal(endless.counterexample?.why, 'more than 20 steps');
  let made = 0;
  const other: Kind = { ...counters([1], () => ['a']), make: () => counters(made++ === 0 ? [1, 1] : [0, 0], () => ['a']).make() as World };
  await assert.rejects(explore(other), /the world does not do the same each time/);
  const twins: Kind = { ...counters([1], () => ['a']), make: () => ({ ...counters([1], () => ['a']).make() as World, steps: () => [1, 2].map(() => ({ name: 'one', touches: [], run() {} })) }) };
  await assert.rejects(explore(twins), /two steps have one name: one; one/);
});

for (const kind of worlds) {
  test(`explore: the first runs of the world "${kind.name}" break no invariant`, async () => {
    const { complete, counterexample, exhausted } = await explore(kind, { maxRuns: 25 / everyNth(5) });
    assert.equal(counterexample, undefined);
    assert.ok(complete >= 25 / everyNth(5) || exhausted);
  });
}

for (const { world, what, steps } of found) {
  test(`explore: what was found is mended: ${what.slice(0, 60)}…`, async () => {
    const kind = worlds.find(({ name }) => name === world);
    assert.ok(kind);
    assert.equal(await replay(kind, steps), undefined);
  });
}

test('explore: the text that each fault of npm run explore:faults replaces occurs once in its file, and its world exists', () => {
  const root = new URL('../../../', import.meta.url);
  const faults = JSON.parse(readFileSync(new URL('test/explore/faults.json', root), 'utf8')) as Record<'name' | 'world' | 'file' | 'from', string>[];
  const stale = faults.filter(({ world, file, from }) =>
    readFileSync(new URL(file, root), 'utf8').split(from).length !== 2 || !worlds.some(({ name }) => name === world));
  assert.deepEqual(stale.map(({ name }) => name), []);
});
