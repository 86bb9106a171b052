/** Milliseconds that the process may read before its other work gets a turn. */
const turnMs = 8;

/** When the process began to read without a pause of more than a millisecond, and when it last read. */
let began = 0;
let last = 0;

/** Call this before reading. */
export function beginReading(): void {
  const now = Date.now();
  // Compare in both directions: after the clock was set back, `now` would stay below `began` for that long.
  if (Math.abs(now - last) > 1) began = now;
  last = now;
}

/** Call this after reading. True: enough was read, and the reader must wait for `othersFirst` before it goes on. */
export function readEnough(): boolean {
  last = Date.now();
  return last - began >= turnMs;
}

/** The promise that a reader awaits to give others a turn; undefined: it may read on. */
export function turnOfOthers(): Promise<void> | undefined {
  return readEnough() ? new Promise(othersFirst) : undefined;
}

/** Calls `then` after timers and the streams of other peers have had their turn. */
export function othersFirst(then: () => void): void {
  const resume = (): void => {
    began = last = Date.now();
    then();
  };
  if (typeof setImmediate === 'function') setImmediate(resume);
  else setTimeout(resume);
}
