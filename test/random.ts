/** Random numbers in [0, 1), reproducible by seed: mulberry32, small, and good enough for tests. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws an item by weight; undefined if the list is empty. */
export function drawn<T>(random: () => number, among: readonly (readonly [weight: number, what: T])[]): T | undefined {
  let left = random() * among.reduce((sum, [weight]) => sum + weight, 0);
  return among.find(([weight]) => (left -= weight) < 0)?.[1];
}
