import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Heap } from '../../src/oauth/resource/heap.ts';
import { proofReplays } from '../../src/oauth/resource/proof-replays.ts';
import type { PresentedProof, ProofReplays } from '../../src/oauth/resource/proof-replays.ts';
import { everyNth } from '../every-nth.ts';
import { drawn, randomOf } from '../random.ts';

const life = 120_000;
const leeway = 30_000;

/** Checks a memory of proofs against the proofs that it has accepted: none may pass twice. */
class Held {
  at = 1_000_000_000_000;
  readonly accepted: PresentedProof[] = [];
  readonly #ids = new Set<string>();
  readonly #replays: ProofReplays;
  #made = 0;

  constructor(maxProofs: number) {
    this.#replays = proofReplays({ maxProofs }, () => this.at);
  }

  /** Like `checkProof`: a proof that is too old, or dated too far ahead, does not reach the memory. */
  present(proof: PresentedProof): boolean | undefined {
    if (proof.expires <= this.at || proof.created > this.at + leeway) return undefined;
    const isNew = this.#replays.add(proof) as boolean;
    const id = JSON.stringify([proof.principal, proof.key, proof.jti]);
    assert.ok(!(isNew && this.#ids.has(id)), `a proof passed twice: ${id}, made ${this.at - proof.created} ms ago`);
    if (isNew) {
      this.#ids.add(id);
      this.accepted.push(proof);
    }
    return isNew;
  }

  fresh(principal: string, key: string, created: number): boolean | undefined {
    return this.present({ principal, key, jti: `jti-${this.#made++}`, created, expires: created + life });
  }

  /** Presents one of the last thousand accepted proofs again. */
  replay(random: () => number): void {
    const { accepted } = this;
    const proof = accepted[accepted.length - 1 - Math.floor(random() * Math.min(1000, accepted.length))];
    if (proof) assert.notEqual(this.present(proof), true);
  }
}

test('proof replays: however many keys attackers have, and whatever dates they write, others are not refused', () => {
  let victims = 0;
  let attacks = 0;
  for (let seed = 1; seed <= 200; seed += everyNth(10)) {
    const random = randomOf(seed);
    const below = (n: number): number => Math.floor(random() * n);
    const attackers = 1 + below(4);
    const keys = 1 + below(12);
    // Room for about 50 proofs of each, and for far fewer than the attackers send.
    const held = new Held(50 * (attackers + 3));
    const skews = [0, below(20) - 10, below(20) - 10].map((seconds) => seconds * 1000);
    const dates = [() => 0, () => leeway, () => below(leeway), () => -below(life), () => below(2) * leeway - below(2) * life][below(5)] as () => number;
    for (let second = 0; second < 200; second++) {
      held.at += 1000;
      for (let i = below(30); i > 0; i--) {
        attacks++;
        const work = drawn(random, [
          [5, () => held.fresh(`attacker ${below(attackers)}`, `key ${below(keys)}`, held.at + dates())],
          [1, () => held.replay(random)],
        ]);
        work?.();
      }
      for (const [i, skew] of skews.entries()) {
        if (below(3) === 0) continue;
        // Two requests in the same second of a clock with whole seconds, with different keys.
        const created = Math.floor((held.at + skew) / 1000) * 1000;
        for (const key of ['laptop', 'phone']) {
          assert.equal(held.fresh(`victim ${i}`, key, created), true, `seed ${seed}: a victim was refused in second ${second}`);
          victims++;
        }
      }
    }
  }
  assert.ok(victims > 40_000 / everyNth(10) && attacks > 200_000 / everyNth(10), `${victims} proofs of victims, ${attacks} of attackers`);
});

test('proof replays: with more principals than are remembered, no proof passes twice, and one that was made right now passes', () => {
  let others = 0;
  for (let seed = 1; seed <= 200; seed += everyNth(10)) {
    const random = randomOf(seed);
    const below = (n: number): number => Math.floor(random() * n);
    const held = new Held(2 + below(60));
    const principals = 1 + below(200);
    for (let i = 0; i < 1000; i++) {
      held.at += 1 + below(random() < 0.01 ? 2 * life : 500);
      const work = drawn(random, [
        [3, () => held.fresh(`somebody ${below(principals)}`, `key ${below(3)}`, held.at + below(2 * leeway) - leeway)],
        [2, () => held.replay(random)],
        [1, () => {
          others++;
          assert.equal(held.fresh(`honest ${below(principals)}`, 'key', held.at), true, `seed ${seed}: refused at step ${i}`);
        }],
      ]);
      work?.();
    }
  }
  assert.ok(others > 20_000 / everyNth(10));
});

test('proof replays: a hundred thousand proofs under twelve keys, one dated ahead, and nobody else is refused', () => {
  const step = everyNth(10);
  for (const principalOf of [() => 'attacker', (key: string) => `attacker with ${key}`]) {
    const held = new Held(100_000 / step);
    let sent = 0;
    const send = (key: string, count: number, created: number): void => {
      for (let i = 0; i < count; i++) {
        held.fresh(principalOf(key), key, created);
        if (++sent % 1000 === 0) held.at += 1000;
      }
    };
    assert.equal(held.fresh('victim', 'key', held.at), true);
    for (let key = 0; key < 11; key++) send(`big ${key}`, 9000 / step, held.at);
    send('small', 1, held.at + leeway);
    for (const count of [1, 100 / step]) for (let key = 0; key < 11; key++) send(`big ${key}`, count, held.at);
    assert.equal(sent, 11 * 9100 / step + 12);
    for (let second = 0; second < 40; second++, held.at += 1000) assert.equal(held.fresh('victim', 'key', held.at), true);
  }
});

test('proof replays: who makes more proofs than are remembered shortens its own time, by its proofs that were made first', () => {
  const held = new Held(12);
  for (let i = 1; i <= 100; i++) assert.equal(held.fresh('busy', 'key', held.at - 1000 + i), true);
  // Eleven proofs and the principal are remembered. Of the time before that nothing is, so every older proof is refused, seen or not.
  const floor = held.at - 1000 + 89;
  assert.equal(held.fresh('busy', 'other key', floor), false);
  assert.equal(held.fresh('busy', 'other key', floor + 0.5), true);
  assert.equal(held.fresh('quiet', 'key', floor), true);
  assert.equal(held.fresh('quiet', 'key', floor - life / 2), true);
  // Expired proofs make room without shortening the remembered time.
  held.at += life + 1000;
  assert.equal(held.fresh('busy', 'key', held.at - life + 1), true);
});

test('proof replays: dates ahead are taken of a quarter as many principals as proofs are remembered', () => {
  const held = new Held(40);
  const ahead = Array.from({ length: 20 }, (_, i) => held.fresh(`ahead ${i}`, 'key', held.at + 1000));
  assert.deepEqual(ahead, [...Array<boolean>(10).fill(true), ...Array<boolean>(10).fill(false)]);
  // Principals that have a proof dated ahead may send more; the others may when those dates have come.
  assert.equal(held.fresh('ahead 0', 'key', held.at + 2000), true);
  held.at += 1000;
  assert.equal(held.fresh('ahead 15', 'key', held.at + 1000), true);
});

test('proof replays: the heap gives its items in order', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = randomOf(seed);
    const heap = new Heap<number>((number) => number);
    const model: number[] = [];
    for (let i = 0; i < 200; i++) {
      if (random() < 0.6) {
        const number = Math.floor(random() * 50);
        heap.add(number);
        model.push(number);
        model.sort((one, other) => one - other);
      } else assert.equal(heap.take(), model.shift());
      assert.deepEqual([heap.size, heap.first], [model.length, model[0]]);
    }
  }
});
