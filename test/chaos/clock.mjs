// The system clock of the chaos run, shared by all its processes, so that all see each step at once. A file holds how far it is
// ahead of the real clock. Timers and the steady clock stay real.
import { fstatSync, openSync, readSync, writeSync } from 'node:fs';

const real = Date.now;
/** The file holds 8-byte numbers: the clock's current lead in ms; then for each step its time and the lead after it. */
let file;
const now = new Float64Array(1);
const step = new Float64Array(2);

const ahead = () => {
  if (file === undefined) return 0;
  return readSync(file, now, 0, 8, 0) === 8 ? now[0] : 0;
};
Date.now = () => real() + ahead();

/** Makes `Date.now` of this process follow the clock in this file. */
export const joinClock = (path) => void (file = openSync(path, 'r'));

/** Creates the file; returns a function that sets the clock ahead of the real one, in milliseconds (negative: behind). */
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

/** Converts a time of the real clock to this clock: for file times, which the system sets. */
export function shownTime(ms) {
  const times = new Float64Array(fstatSync(file).size / 8);
  readSync(file, times, 0, times.byteLength, 0);
  for (let i = times.length - 2; i > 0; i -= 2) if (times[i] <= ms) return ms + times[i + 1];
  return ms;
}

/** Converts a time of this clock to the real clock, by the current lead. */
export const keptTime = (ms) => ms - ahead();

/** Milliseconds since the epoch by a clock that no blow changes: for the records of the run. */
export const trueTime = () => performance.timeOrigin + performance.now();
