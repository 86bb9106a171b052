// Taken before a test may replace them.
const { setTimeout, clearTimeout } = globalThis;

/** What `work` gives; where it does not come in time, the error says what did not. For waits that a broken rule would leave without an end. */
export function within<T>(what: string, work: Promise<T>, ms: number = 10_000): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} did not come within ${ms} ms`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
