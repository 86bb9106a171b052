// The system's clock of the chaos run: one for all of its processes, which all see it step at once. A file says how far it
// is ahead of the real one. Timers and the steady clock stay real.
import { fstatSync, openSync, readSync, writeSync } from 'node:fs';

const real = Date.now;
/** The file has numbers of 8 bytes: how far the clock is ahead now; then, for each step, when it was and how far ahead since. */
let file;
const now = new Float64Array(1);
const step = new Float64Array(2);

const ahead = () => {
  if (file === undefined) return 0;
  return readSync(file, now, 0, 8, 0) === 8 ? now[0] : 0;
};
Date.now = () => real() + ahead();

/** Takes the clock of this file: from now on `Date.now` goes by it. */
export const joinClock = (path) => void (file = openSync(path, 'r'));

/** Makes the file, and resolves with what sets the clock so many milliseconds ahead of the real one; negative: behind it. */
export function makeClock(path) {
  file = openSync(path, 'w+');
  let steps = 0;
  const set = (ms) => {
    step.set([real(), ms]);
    writeSync(file, step, 0, 16, 8 + 16 * steps++);
    now[0] = ms;
    writeSync(file, now, 0, 8, 0);
  };
  set(0);
  return set;
}

/** What a time of the real clock was by this one: file times, which the system sets. */
export function shownTime(ms) {
  const times = new Float64Array(fstatSync(file).size / 8);
  readSync(file, times, 0, times.byteLength, 0);
  for (let i = times.length - 2; i > 0; i -= 2) if (times[i] <= ms) return ms + times[i + 1];
  return ms;
}

/** The time of the real clock that is a time of this one now. */
export const keptTime = (ms) => ms - ahead();

/** Milliseconds since the epoch by a clock that nobody sets: for what the run notes. */
export const trueTime = () => performance.timeOrigin + performance.now();
