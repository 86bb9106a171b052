// What a run has seen, a line for each mutant, written at once: --record FILE. A run with the same file goes on where the
// last one was interrupted.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { keyOf } from './report.mjs';

const nameOf = (mutant) => {
  const { file, line, column, mutator, original, replacement } = keyOf(mutant);
  return JSON.stringify([file, line, column, mutator, original, replacement]);
};

/** `run` is what two runs must have in common so that the second can go on: what is mutated, the seed, the size, the commit. */
export function recordIn(path, run) {
  const [first, ...lines] = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  const own = JSON.stringify(run);
  if (first === undefined) appendFileSync(path, `${own}\n`);
  else if (first !== own) throw new Error(`${path} is of another run: ${first}`);
  // The last verdict of a mutant counts: one whose test turned out to fail without it is tried again.
  const verdicts = new Map(lines.map((line) => JSON.parse(line)).map(({ name, ...verdict }) => [name, verdict]));
  return {
    seen: (mutants) => mutants.flatMap((mutant) => (verdicts.has(nameOf(mutant)) ? [{ ...mutant, ...verdicts.get(nameOf(mutant)) }] : [])),
    add: (mutant) => appendFileSync(path, `${JSON.stringify({ name: nameOf(mutant), status: mutant.status, by: mutant.by, left: mutant.left })}\n`),
  };
}
