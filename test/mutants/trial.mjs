// Tries mutants of a copy, each in a process of its own that runs the tests that reach it and ends at the first failure.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notAsked, without } from './folders.mjs';
import { Watch } from './watch.mjs';

/** A test that needs more processor time without a mutant is not asked, for each survivor would cost as much. Milliseconds; a folder may say otherwise. */
const longestByDefault = 2_000;

/** How long a process may sleep without a pause: tests wait for what happens, and nothing takes that long. Milliseconds. */
const asleep = 2_000;

/** Tests of one mutant are asked, the fastest first, until they would take so much processor time. Milliseconds. */
const mostWork = 30_000;

/** Failures without a mutant after which something must be wrong with the copy. */
const mostFailures = 16;

/**
 * A mutant may kill processes that it should not: in a PID namespace of its own it finds none but those of its tests. Only root
 * may make one.
 */
const alone = ['unshare', '--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--'];
export const mayBeAlone = spawnSync(alone[0], [...alone.slice(1), 'true'], { stdio: 'ignore' }).status === 0;

const endless = { work: 300_000, asleep: 30_000, ms: 900_000 };

export class Trial {
  #folder;
  #files;
  #longest;
  #known;
  #coverage;
  #times;
  #tasks = 0;
  /** Tests that are not asked because they take too long. */
  tooLong = [];
  /** Tests that are not asked because they failed without a mutant. */
  unsteady = [];

  /** `known` are tests of which an earlier run has seen that they take too long. */
  constructor(folder, files, longest = longestByDefault, known = []) {
    this.#folder = folder;
    this.#known = known;
    this.#files = files;
    this.#longest = longest;
  }

  /**
   * Runs all tests twice without a mutant: what they reach, then how long they take. One that fails twice is not asked. `once`: tests
   * that start processes take so long that both are seen in one run, and the counting is part of their time.
   */
  async prepare(mutants, once = false) {
    const { coverage, times: counted } = await this.#pass({ mutants });
    const { times } = once ? { times: counted } : await this.#pass({ mutant: 'none' });
    this.#coverage = coverage;
    this.#times = times;
    this.tooLong = [...this.#known, ...Object.keys(times).filter((id) => times[id].work > this.#longest)];
    return { tests: Object.keys(times).length, seconds: Math.round(Object.values(times).reduce((sum, { work }) => sum + work, 0) / 100) / 10 };
  }

  async #pass(task) {
    const failures = [];
    for (;;) {
      const seen = await this.#run({ files: this.#files, without, except: [...notAsked, ...this.#known, ...this.unsteady], ...task }, endless);
      if (seen.status === 0) return seen;
      // A busy machine makes a test fail once.
      const again = failures.includes(seen.by);
      failures.push(seen.by);
      if (seen.by === undefined || failures.length > mostFailures) throw new Error(`the tests fail without a mutant: ${[...failures, seen.ended ?? seen.status].join('; ')}\n${seen.said}`);
      if (!again) continue;
      console.log(`fails without a mutant, and is not asked: ${seen.by}`);
      this.unsteady.push(seen.by);
    }
  }

  /**
   * The status of a mutant: Killed, Survived, NoCoverage, Timeout, or Undecided, with the test that killed it. What did not end
   * in its time is tried once more with three times as much. It is a timeout where it used up its processor time, or where
   * all its processes slept: neither depends on how busy the machine is. Where only the clock ended it, nothing is decided.
   */
  async of(mutant) {
    const verdict = await this.#try(mutant, 1);
    return verdict.ended ? this.#decided(await this.#try(mutant, 3)) : verdict;
  }

  #decided({ ended, ...verdict }) {
    return ended === undefined ? verdict : { status: ended === 'ms' ? 'Undecided' : 'Timeout' };
  }

  async #try(mutant, patience) {
    const { tests, left } = this.#testsOf(mutant.id);
    if (tests.length === 0) return { status: 'NoCoverage' };
    const { status, by, ended } = await this.#ask(tests, mutant.id, this.#hits(mutant.id), patience);
    return ended ? { ended } : status === 0 ? { status: 'Survived', tests: tests.length, ...(left > 0 && { left }) } : { status: 'Killed', by: by ?? 'the process' };
  }

  /**
   * Whether the tests that judged a mutant pass without it, now. One that fails is not asked any more: it says nothing of
   * the mutants that it has killed.
   */
  async passesWithout(mutant) {
    const { status, by } = await this.#ask(this.#testsOf(mutant.id).tests, 'none', undefined, 3);
    if (status === 0) return true;
    console.log(`fails without a mutant, and is not asked any more: ${by ?? 'the process'}`);
    if (by !== undefined) this.unsteady.push(by);
    return false;
  }

  /** The tests that reach a mutant, the fastest first, and how many more there are than may be asked. */
  #testsOf(id) {
    const { static: loading, perTest } = this.#coverage;
    // What runs once, when a file is loaded or when something is made at its first use, may matter to each test.
    const reach = loading[id] || this.#hits(id) === 1 ? Object.keys(this.#times) : Object.keys(perTest).filter((test) => perTest[test][id]);
    const asked = reach.filter((test) => this.#times[test] && this.#times[test].work <= this.#longest && !this.unsteady.includes(test)).sort((a, b) => this.#times[a].ms - this.#times[b].ms);
    let work = 0;
    const tests = asked.filter((test) => (work += this.#times[test].work) <= mostWork);
    return { tests, left: asked.length - tests.length };
  }

  #hits(id) {
    const { static: loading, perTest } = this.#coverage;
    return Object.values(perTest).reduce((sum, hits) => sum + (hits[id] ?? 0), loading[id] ?? 0);
  }

  #ask(chosen, mutant, hits, patience) {
    const files = this.#files.filter((file) => chosen.some((id) => id.startsWith(`${file} `)));
    const sum = (what) => chosen.reduce((all, id) => all + this.#times[id][what], 0);
    // A test that waits for another program may sleep for as long as it takes.
    const slowest = Math.max(...chosen.map((id) => this.#times[id].ms));
    return this.#run({ files, chosen, without, mutant, hits }, { work: patience * (1_500 + 2 * sum('work')), asleep: patience * (asleep + slowest), ms: patience * (120_000 + 10 * sum('ms')) });
  }

  /** One process: its exit code, or by which limit it was ended, and what it wrote. What tests leave behind goes with it. */
  #run(task, most) {
    const path = join(this.#folder, `task-${(this.#tasks += 1)}.json`);
    // Beside the copy: under its package.json a program without an extension would be taken for a module.
    const scratch = `${this.#folder}-tmp-${this.#tasks}`;
    writeFileSync(path, JSON.stringify(task));
    mkdirSync(scratch);
    const output = openSync(`${path}-output`, 'w');
    return new Promise((resolve) => {
      const [command, ...args] = [...mayBeAlone ? alone : [], process.execPath, '--no-warnings', '--test-reporter=tap', join(this.#folder, 'test/mutants/child.mjs'), path];
      const child = spawn(command, args,
        { cwd: this.#folder, stdio: ['ignore', output, output], detached: true, env: { ...process.env, TMPDIR: scratch } });
      const endAll = () => {
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          // Nothing of its group is left.
        }
      };
      const watch = new Watch(child.pid, most, endAll);
      child.on('exit', (code) => {
        endAll();
        watch.end();
        closeSync(output);
        const { by, times, coverage } = JSON.parse(readFileSync(path, 'utf8'));
        const said = readFileSync(`${path}-output`, 'utf8').slice(-3000);
        for (const name of readdirSync(this.#folder)) if (join(this.#folder, name).startsWith(path)) rmSync(join(this.#folder, name));
        rmSync(scratch, { recursive: true, force: true });
        resolve({ status: watch.ended ? 'ended' : code, ended: watch.ended, by, times, coverage, said });
      });
    });
  }
}
