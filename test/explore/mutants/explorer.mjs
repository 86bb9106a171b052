// Gives mutants of a copy to the explorer, each in a process of its own.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Seconds of processor time that the worlds may take for one mutant; the clock of the wall says nothing where others use the machine. */
const mostWork = 120;

export class Explorer {
  #folder;
  #bounds;
  #reach;
  #tasks = 0;

  /** `bounds`: the seed, and complete runs of each world. */
  constructor(folder, bounds) {
    this.#folder = folder;
    this.#bounds = bounds;
  }

  /** Runs all worlds without a mutant: none may be broken, and each says which mutants it reaches. */
  async prepare(mutants) {
    const { status, reach, broken } = await this.#run({ mutants });
    if (status !== 0 || broken) throw new Error(`the worlds break without a mutant: ${broken?.why ?? status}`);
    this.#reach = reach;
  }

  /** What the explorer says of a mutant: killed, alive, or not reached; `gone`: the sources have no such mutant. */
  async of(mutant) {
    if (mutant === undefined) return { explored: 'gone' };
    const loaded = this.#reach['']?.[mutant.id] ?? 0;
    const worlds = Object.keys(this.#reach).filter((name) => name !== '' && (loaded > 0 || this.#reach[name][mutant.id]));
    if (worlds.length === 0) return { explored: 'not reached' };
    const hits = Object.values(this.#reach).reduce((sum, counts) => sum + (counts[mutant.id] ?? 0), 0);
    const { status, broken } = await this.#run({ mutant: mutant.id, hits, worlds });
    if (broken) return { explored: 'killed', world: broken.world, why: broken.why };
    // A process that does not end in its time, dies, or waits for what nothing will bring.
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
