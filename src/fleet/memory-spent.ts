import type { SpentStore } from './engine.ts';

/** Remembers in memory what was used, each until it expires. */
export function memorySpent(): SpentStore {
  const spent = new Map<string, number>();
  let sweepAt = 1000;
  return {
    async spend(kind, name, expiresAt) {
      const key = `${kind} ${name}`;
      const now = Date.now();
      if ((spent.get(key) ?? 0) > now) return false;
      spent.set(key, expiresAt);
      if (spent.size > sweepAt) {
        for (const [known, at] of spent) if (at <= now) spent.delete(known);
        sweepAt = Math.max(1000, 2 * spent.size);
      }
      return true;
    },
  };
}
