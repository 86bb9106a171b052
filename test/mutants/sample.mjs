// A seeded sample of mutants.
import { isText } from './report.mjs';

/** All in a seeded order; where a count is given, so many of the code, and a fifth as many literals of texts. */
export function sampleOf(mutants, count, random) {
  const shuffled = mutants.map((mutant) => ({ mutant, at: random() })).sort((a, b) => a.at - b.at).map(({ mutant }) => mutant);
  if (!count) return shuffled;
  return [...shuffled.filter((one) => !isText(one)).slice(0, count), ...shuffled.filter(isText).slice(0, Math.ceil(count / 5))];
}
