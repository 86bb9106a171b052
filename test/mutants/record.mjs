// The verdicts of a run, one line per mutant, written at once: --record FILE. A run with the same file continues an interrupted one.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { keyOf } from './report.mjs';

const nameOf = (mutant) => {
  const { file, line, column, mutator, original, replacement } = keyOf(mutant);
  return JSON.stringify([file, line, column, mutator, original, replacement]);
};

/** `run` identifies a run: its target, seed, size and commit. A run can only continue a record with the same value. */
export function recordIn(path, run) {
  const [first, ...lines] = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  const own = JSON.stringify(run);
  if (first === undefined) appendFileSync(path, `${own}\n`);
  else if (first !== own) throw new Error(`${path} is of another run: ${first}`);
  // The last verdict of a mutant counts: a mutant is tried again if the test that killed it also fails without it.
  const verdicts = new Map(lines.map((line) => JSON.parse(line)).map(({ name, ...verdict }) => [name, verdict]));
  return {
    seen: (mutants) => mutants.flatMap((mutant) => (verdicts.has(nameOf(mutant)) ? [{ ...mutant, ...verdicts.get(nameOf(mutant)) }] : [])),
    add: (mutant) => appendFileSync(path, `${JSON.stringify({ name: nameOf(mutant), status: mutant.status, by: mutant.by, left: mutant.left })}\n`),
  };
}
