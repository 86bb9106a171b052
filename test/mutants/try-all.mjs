import { keyOf } from './report.mjs';

/**
 * Tries each mutant, some beside each other. What slept too long is tried again alone, for the machine may have been slow.
 * Now and then the tests that killed one run without it: they must pass. What is not begun before `until` (of Date.now), or not tried again within `grace` ms after it, is `left`. `keep` is
 * told now and then what was seen so far, in the order in which it was tried.
 */
export async function tryAll(trial, chosen, { until = Infinity, grace = Infinity, keep = () => {}, atOnce = Number(process.env.MUTANTS_AT_ONCE ?? 2) } = {}) {
  const waiting = [...chosen];
  let tried = [];
  const slow = [];
  const controls = { of: 0, failed: 0 };
  const work = async () => {
    while (waiting.length > 0 && Date.now() < until) {
      const mutant = waiting.shift();
      const verdict = await trial.of(mutant);
      if (verdict.status === 'Timeout' && !verdict.sure) slow.push(mutant);
      else tried.push({ ...mutant, ...verdict });
      if (process.env.MUTANTS_SAY && !['Killed', 'Timeout'].includes(verdict.status)) console.log(JSON.stringify(keyOf({ ...mutant, ...verdict })));
      if (verdict.status === 'Killed' && tried.length % 20 === 0) {
        controls.of += 1;
        if (!(await trial.passesWithout(mutant))) {
          controls.failed += 1;
          const doubtful = new Set(tried.filter(({ by }) => trial.unsteady.includes(by)));
          tried = tried.filter((one) => !doubtful.has(one));
          waiting.push(...doubtful);
        }
      }
      if (tried.length % 10 === 0) keep({ tried, controls });
      if (tried.length % 50 === 0) console.log(`tried ${tried.length} of ${chosen.length}, ${tried.filter(({ status }) => status === 'Killed').length} killed, ${slow.length} slow`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  while (slow.length > 0 && Date.now() < until + grace) {
    const mutant = slow.shift();
    tried.push({ ...mutant, ...(await trial.of(mutant, 3)) });
  }
  return { tried: tried.sort((a, b) => Number(a.id) - Number(b.id)), controls, left: [...slow, ...waiting] };
}
