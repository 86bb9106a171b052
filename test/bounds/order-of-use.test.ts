import assert from 'node:assert/strict';
import test from 'node:test';
import { OrderOfUse } from '../../src/bounds/order-of-use.ts';
import { randomOf } from '../random.ts';

class One {
  older: One | undefined;
  newer: One | undefined;
  readonly name: number;
  constructor(name: number) {
    this.name = name;
  }
}

test('an order of use is that of a list which each use puts one at the end of', () => {
  const random = randomOf(7);
  const pick = (below: number): number => Math.floor(random() * below);
  const order = new OrderOfUse<One>();
  const list: One[] = [];
  for (let step = 0; step < 2000; step++) {
    const at = pick(list.length);
    const [one] = list.length > 0 && pick(3) > 0 ? list.splice(at, 1) : [];
    if (one) order.remove(one);
    if (one === undefined || pick(2) > 0) {
      const next = one ?? new One(step);
      order.add(next);
      list.push(next);
    }
    assert.deepEqual([...order].map(({ name }) => name), list.map(({ name }) => name));
    assert.equal(order.newest, list.at(-1));
    if (one && !list.includes(one)) assert.deepEqual([one.older, one.newer], [undefined, undefined]);
    if (list.length > 40) for (const left of list.splice(0, 30)) order.remove(left);
  }
});

test('the one that came last may be taken out before the next', () => {
  const order = new OrderOfUse<One>();
  for (let i = 0; i < 4; i++) order.add(new One(i));
  const seen: number[] = [];
  for (const one of order) {
    seen.push(one.name);
    if (one.name % 2 === 0) order.remove(one);
  }
  assert.deepEqual(seen, [0, 1, 2, 3]);
  assert.deepEqual([...order].map(({ name }) => name), [1, 3]);
});
