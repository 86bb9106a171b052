/** For engines and stores: what the promise gives. Rejects when that many milliseconds have passed. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the engine has not answered in time')), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * For engines: tries again where an attempt rejects, for `answerMs` milliseconds; then rejects with the last error. An
 * attempt may have been carried out although its answer was lost.
 */
export async function retrying<T>(answerMs: number, attempt: () => Promise<T>): Promise<T> {
  const until = performance.now() + answerMs;
  for (let tries = 1; ; tries++) {
    try {
      return await within(until - performance.now(), attempt());
    } catch (thrown) {
      const pause = Math.min(10 * tries, 100);
      if (performance.now() + pause >= until) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
