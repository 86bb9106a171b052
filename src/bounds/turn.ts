/** Milliseconds that reading may go on before whatever else the process has to do. */
const turnMs = 8;

/** When the process began to read, without a pause of more than a millisecond since, and when it last read. */
let began = 0;
let last = 0;

/** Called before something is read. */
export function beginReading(): void {
  const now = Date.now();
  // Either way: a clock that was set back would not reach `began` for as long.
  if (Math.abs(now - last) > 1) began = now;
  last = now;
}

/** Called after it: whether so much was read that others are to have their turn. What is read waits for `othersFirst`. */
export function readEnough(): boolean {
  last = Date.now();
  return last - began >= turnMs;
}

/** What a reader waits for, so that others have their turn; undefined: it may read on. */
export function turnOfOthers(): Promise<void> | undefined {
  return readEnough() ? new Promise(othersFirst) : undefined;
}

/** Calls back once timers, and the streams of others, have had their turn. */
export function othersFirst(then: () => void): void {
  const resume = (): void => {
    began = last = Date.now();
    then();
  };
  if (typeof setImmediate === 'function') setImmediate(resume);
  else setTimeout(resume);
}
