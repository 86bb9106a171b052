// A seeded sample of mutants.
import { isText } from './report.mjs';

/** All mutants in a seeded order. With `count`: that many code mutants, and a fifth as many string literals. */
export function sampleOf(mutants, count, random) {
  const shuffled = mutants.map((mutant) => ({ mutant, at: random() })).sort((a, b) => a.at - b.at).map(({ mutant }) => mutant);
  if (!count) return shuffled;
  return [...shuffled.filter((one) => !isText(one)).slice(0, count), ...shuffled.filter(isText).slice(0, Math.ceil(count / 5))];
}
