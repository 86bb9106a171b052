// Saved before a test may replace them.
const { setTimeout, clearTimeout } = globalThis;

/**
 * Resolves with the result of `work`; after the time limit it rejects, naming the missing event. For waits that a broken rule
 * would leave open for ever.
 */
export function within<T>(what: string, work: Promise<T>, ms: number = 10_000): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} did not come within ${ms} ms`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
