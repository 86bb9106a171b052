import { loadavg } from 'node:os';
import { keyOf } from './report.mjs';
import { OutOfTime } from './trial.mjs';

/** Two processes at once only if the machine is otherwise idle. */
const jobsNow = () => Number(process.env.MUTANTS_AT_ONCE ?? (loadavg()[0] < 1 ? 2 : 1));

/**
 * Tries each mutant. From time to time the tests that killed one run without it and must pass. Mutants not begun before `until` (of
 * Date.now), or that the trial has no time for, are `left`. `keep` is called from time to time with the results so far. `record` provides
 * the verdicts of an earlier run of the same sample, and gets each new verdict at once.
 */
export async function tryAll(trial, chosen, { until = Infinity, keep = () => {}, atOnce = jobsNow(), record } = {}) {
  let tried = record?.seen(chosen) ?? [];
  const known = new Set(tried.map(({ id }) => id));
  const waiting = chosen.filter(({ id }) => !known.has(id));
  const controls = { of: 0, failed: 0 };
  const late = [];
  /** A verdict, or undefined if the time was over before it. */
  const inTime = (verdict) => verdict.catch((error) => {
    if (!(error instanceof OutOfTime)) throw error;
  });
  const control = async (mutant) => {
    const passes = await inTime(trial.passesWithout(mutant));
    if (passes === undefined) return;
    controls.of += 1;
    if (passes) return;
    controls.failed += 1;
    const doubtful = new Set(tried.filter(({ by }) => trial.unsteady.includes(by)));
    tried = tried.filter((one) => !doubtful.has(one));
    waiting.unshift(...doubtful);
  };
  const work = async () => {
    while (waiting.length > 0 && Date.now() < until) {
      const mutant = waiting.shift();
      const verdict = await inTime(trial.of(mutant));
      if (!verdict) {
        late.push(mutant);
        continue;
      }
      tried.push({ ...mutant, ...verdict });
      record?.add({ ...mutant, ...verdict });
      if (process.env.MUTANTS_SAY && !['Killed', 'Timeout'].includes(verdict.status)) console.log(JSON.stringify(keyOf({ ...mutant, ...verdict })));
      if (verdict.status === 'Killed' && tried.length % 20 === 0) await control(mutant);
      if (tried.length % 10 === 0) keep({ tried, controls });
      if (tried.length % 50 === 0) console.log(`tried ${tried.length} of ${chosen.length}, ${tried.filter(({ status }) => status === 'Killed').length} killed`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { tried: tried.sort((a, b) => Number(a.id) - Number(b.id)), controls, left: [...late, ...waiting] };
}
