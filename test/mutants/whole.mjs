// A sample over the whole of src: npm run mutants -- src --sample N --seed N [--minutes N]. One copy holds the mutants of all folders. Each
// is judged by the tests of its folder, in the order of the draw, so the mutants tried before the time ended are a sample of all.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { randomOf } from '../../dist/test/random.js';
import { mutatedCopy, sourcesOf, testsOf, top } from './copy.mjs';
import { folders } from './folders.mjs';
import { isText } from './report.mjs';
import { sampleOf } from './sample.mjs';
import { OutOfTime, Trial } from './trial.mjs';

const folderOf = ({ file }) => file.split('/')[1];

/** Tests that took too long in an earlier run of the folder. Measuring them again for all folders would take most of a short run. */
const tooLongBefore = (folder) => [...new Set(readdirSync(results).map((name) => JSON.parse(readFileSync(new URL(name, results), 'utf8')))
  .filter(({ what }) => what === folder).flatMap(({ tooLong }) => tooLong))];
const results = new URL('results/', import.meta.url);

/** The chosen mutants in the copy, the number of all mutants, and the trial that judges them. */
export async function wholeTrial(copy, count, seed) {
  // src/index.ts and src/clock.ts only re-export.
  const missing = readdirSync(join(top, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory() && !folders[entry.name]).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`test/mutants/folders.mjs has no tests for ${missing.join(', ')}`);
  let of;
  const { mutants: chosen, count: placed } = await mutatedCopy(copy, Object.keys(folders).flatMap(sourcesOf), (all) => {
    const code = all.filter((one) => !isText(one));
    of = { code: code.length, texts: all.length - code.length };
    return sampleOf(code, count, randomOf(seed));
  });
  return { chosen, of, trial: new WholeTrial(copy, placed) };
}

/**
 * Delegates to the trial of a mutant's folder, which is prepared at its first mutant. `mutants`: how many the copy has. `until` (of
 * Date.now): a preparation may take half of the time that is left; the folders that need more are `slow`, and their mutants throw OutOfTime.
 */
export class WholeTrial {
  #copy;
  #mutants;
  #until;
  #trials = new Map();
  /** The folders whose tests take too long to be prepared in the time. */
  slow = [];

  constructor(copy, mutants, until = Infinity) {
    this.#copy = copy;
    this.#mutants = mutants;
    this.#until = until;
  }

  async #trialOf(mutant) {
    const folder = folderOf(mutant);
    const made = this.#trials.get(folder);
    if (made) return made.trial;
    if (this.slow.includes(folder)) throw new OutOfTime();
    const { tests: names, longest } = folders[folder];
    const trial = new Trial(this.#copy, testsOf(names), { longest, known: tooLongBefore(folder), until: this.#until });
    try {
      const { tests, seconds } = await trial.prepare(this.#mutants, { once: true, until: (Date.now() + this.#until) / 2 });
      console.log(`${folder}: ${tests} tests of ${seconds} s`);
      this.#trials.set(folder, { trial, tests });
      return trial;
    } catch (error) {
      if (error instanceof OutOfTime) this.slow.push(folder);
      throw error;
    }
  }

  async of(mutant) {
    return (await this.#trialOf(mutant)).of(mutant);
  }

  async passesWithout(mutant) {
    return (await this.#trialOf(mutant)).passesWithout(mutant);
  }

  #all(what) {
    return [...new Set([...this.#trials.values()].flatMap(({ trial }) => trial[what]))];
  }

  get tooLong() {
    return this.#all('tooLong');
  }

  get unsteady() {
    return this.#all('unsteady');
  }

  /** Tests of several folders count once for each folder. */
  get tests() {
    return [...this.#trials.values()].reduce((sum, { tests }) => sum + tests, 0);
  }
}
