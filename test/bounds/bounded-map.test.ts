import assert from 'node:assert/strict';
import test from 'node:test';
import { BoundedMap } from '../../src/bounds/bounded-map.ts';
import { randomOf } from '../random.ts';

test('a bounded map is a list: what is set goes to its end, and one too many drops its first', () => {
  const random = randomOf(11);
  const pick = (below: number): number => Math.floor(random() * below);
  for (const max of [0, 1, 2, 7, 30]) {
    const map = new BoundedMap<number, number>(max);
    let list: [number, number][] = [];
    for (let step = 0; step < 2000; step++) {
      const key = pick(2 * max + 2);
      const known = list.find(([one]) => one === key);
      const others = list.filter(([one]) => one !== key);
      const what = pick(20);
      if (what === 0) {
        map.clear();
        list = [];
      } else if (what < 5) {
        assert.equal(map.delete(key), known !== undefined);
        list = others;
      } else if (what < 9) {
        assert.equal(map.get(key), known?.[1]);
      } else {
        map.set(key, step);
        list = [...others, [key, step] as [number, number]];
        list = list.slice(Math.max(0, list.length - max));
      }
      assert.deepEqual([...map], list);
      assert.equal(map.size, list.length);
    }
  }
});

test('a bounded map may lose each entry while it is gone through', () => {
  const map = new BoundedMap<number, string>(4);
  for (let i = 0; i < 4; i++) map.set(i, `${i}`);
  const seen: number[] = [];
  for (const [key] of map) {
    seen.push(key);
    if (key !== 2) map.delete(key);
  }
  assert.deepEqual(seen, [0, 1, 2, 3]);
  assert.deepEqual([...map], [[2, '2']]);
});
