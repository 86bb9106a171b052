// Runs the explorer on the mutants of a copy, each in a separate process.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Seconds of processor time for all worlds of one mutant. Wall-clock time would also count other programs on the machine. */
const mostWork = 120;

export class Explorer {
  #folder;
  #bounds;
  #reach;
  #tasks = 0;

  /** `bounds`: the seed, and the number of complete runs of each world. */
  constructor(folder, bounds) {
    this.#folder = folder;
    this.#bounds = bounds;
  }

  /** Runs all worlds without a mutant. None may break, and each reports the mutants that it reaches. */
  async prepare(mutants) {
    const { status, reach, broken } = await this.#run({ mutants });
    if (status !== 0 || broken) throw new Error(`the worlds break without a mutant: ${broken?.why ?? status}`);
    this.#reach = reach;
  }

  /** The explorer's verdict on a mutant: killed, alive, or not reached; `gone`: the sources do not have this mutant any more. */
  async of(mutant) {
    if (mutant === undefined) return { explored: 'gone' };
    const loaded = this.#reach['']?.[mutant.id] ?? 0;
    const worlds = Object.keys(this.#reach).filter((name) => name !== '' && (loaded > 0 || this.#reach[name][mutant.id]));
    if (worlds.length === 0) return { explored: 'not reached' };
    const hits = Object.values(this.#reach).reduce((sum, counts) => sum + (counts[mutant.id] ?? 0), 0);
    const { status, broken } = await this.#run({ mutant: mutant.id, hits, worlds });
    if (broken) return { explored: 'killed', world: broken.world, why: broken.why };
    // With another status, the process exceeded its time, crashed, or waited for an event that never happens.
    return status === 0 ? { explored: 'alive' } : { explored: 'killed', why: `the process ends with ${status}` };
  }

  #run(task) {
    const path = join(this.#folder, `explore-${(this.#tasks += 1)}.json`);
    writeFileSync(path, JSON.stringify({ ...this.#bounds, ...task }));
    const child = join(this.#folder, 'test/explore/mutants/child.mjs');
    return new Promise((resolve, reject) => {
      spawn('sh', ['-c', `ulimit -t ${task.mutant === undefined ? 10 * mostWork : mostWork}; exec "$@"`, 'sh', process.execPath, '--no-warnings', child, path], { cwd: this.#folder, stdio: 'ignore' })
        .on('error', reject)
        .on('exit', (code, signal) => {
          const { reach, broken } = JSON.parse(readFileSync(path, 'utf8'));
          rmSync(path);
          resolve({ status: code ?? signal, reach, broken });
        });
    });
  }
}
