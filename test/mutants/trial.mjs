// Tries the mutants of a copy, each in a separate process that runs the tests that reach it, until the first failure.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notAsked, without } from './folders.mjs';
import { Watch } from './watch.mjs';

/**
 * A test that needs more processor time without a mutant is not run, because each survivor would cost as much. Milliseconds; a folder may
 * override it.
 */
const longestByDefault = 2_000;

/** How long a process may sleep continuously: nothing that tests wait for takes that long. Milliseconds. */
const asleep = 2_000;

/** For one mutant, tests are run, fastest first, up to this much processor time. Milliseconds. */
const mostWork = 30_000;

/** With more failures without a mutant than this, the copy must be broken. */
const mostFailures = 16;

/**
 * A mutant may kill processes that it should not. In a PID namespace it sees only those of its tests. Only root may create one. The first
 * process of a namespace must wait for orphans that end, which a shell does and Node does not: a test that waits for the end of one would
 * see it forever.
 */
const alone = ['unshare', '--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--', 'sh', '-c', '"$@"; exit $?', 'sh'];
export const mayBeAlone = spawnSync(alone[0], [...alone.slice(1), 'true'], { stdio: 'ignore' }).status === 0;

const endless = { work: 300_000, asleep: 30_000, ms: 900_000 };

/** The time given for a run is over: what it asked for is undecided. */
export class OutOfTime extends Error {}

export class Trial {
  #folder;
  #files;
  #longest;
  #until;
  #known;
  #coverage;
  #times;
  #tasks = 0;
  /** Tests that are not run because they take too long. */
  tooLong = [];
  /** Tests that are not run because they failed without a mutant. */
  unsteady = [];

  /** `known`: tests that took too long in an earlier run. `until`: no process runs after it (of Date.now); see OutOfTime. */
  constructor(folder, files, { longest = longestByDefault, known = [], until = Infinity } = {}) {
    this.#folder = folder;
    this.#known = known;
    this.#files = files;
    this.#longest = longest;
    this.#until = until;
  }

  /**
   * Runs all tests twice without a mutant: first for their coverage, then for their times. A test that fails twice is not run later.
   * `once`: takes both from one run, for tests that start processes and take long; the times then include the counting. `until`: throws
   * OutOfTime if it has not ended by then.
   */
  async prepare(mutants, { once = false, until = this.#until } = {}) {
    const { coverage, times: counted } = await this.#pass({ mutants }, until);
    const { times } = once ? { times: counted } : await this.#pass({ mutant: 'none' }, until);
    this.#coverage = coverage;
    this.#times = times;
    this.tooLong = [...this.#known, ...Object.keys(times).filter((id) => times[id].work > this.#longest)];
    return { tests: Object.keys(times).length, seconds: Math.round(Object.values(times).reduce((sum, { work }) => sum + work, 0) / 100) / 10 };
  }

  async #pass(task, until) {
    const failures = [];
    for (;;) {
      const seen = await this.#run({ files: this.#files, without, except: [...notAsked, ...this.#known, ...this.unsteady], ...task }, endless, until);
      if (seen.status === 0) return seen;
      // A single failure may come from a busy machine.
      const again = failures.includes(seen.by);
      failures.push(seen.by);
      if (seen.by === undefined || failures.length > mostFailures) throw new Error(`the tests fail without a mutant: ${[...failures, seen.ended ?? seen.status].join('; ')}\n${seen.said}`);
      if (!again) continue;
      console.log(`fails without a mutant, and is not asked: ${seen.by}`);
      this.unsteady.push(seen.by);
    }
  }

  /**
   * The status of a mutant: Killed, Survived, NoCoverage, Timeout, or Undecided, with the test that killed it. A mutant that exceeds a
   * limit is tried again with three times the limit. It is a Timeout if it used up its processor time, or if all its processes slept:
   * neither depends on the load of the machine. If only the clock ended it, it is Undecided.
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

  /** Whether the tests for a mutant pass now without it. A failing test is not run any more: its earlier kills prove nothing. */
  async passesWithout(mutant) {
    const { status, by } = await this.#ask(this.#testsOf(mutant.id).tests, 'none', undefined, 3);
    if (status === 0) return true;
    console.log(`fails without a mutant, and is not asked any more: ${by ?? 'the process'}`);
    if (by !== undefined) this.unsteady.push(by);
    return false;
  }

  /** The tests that reach a mutant, fastest first, and how many more exceed the time limit. */
  #testsOf(id) {
    const { static: loading, perTest } = this.#coverage;
    // Code that runs once, when a file is loaded or at a first use, may affect every test.
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
    // A test that waits for another program may sleep for its whole duration.
    const slowest = Math.max(...chosen.map((id) => this.#times[id].ms));
    return this.#run({ files, chosen, without, mutant, hits }, { work: patience * (1_500 + 2 * sum('work')), asleep: patience * (asleep + slowest), ms: patience * (120_000 + 10 * sum('ms')) });
  }

  /**
   * Runs one process. Returns its exit code or the limit that ended it, and its output. Processes and files left by tests are removed.
   * Throws OutOfTime if the process was ended at `until`.
   */
  async #run(task, most, until = this.#until) {
    const left = until - Date.now();
    if (left <= 0) throw new OutOfTime();
    const seen = await this.#process(task, { ...most, ms: Math.min(most.ms, left) });
    if (seen.ended === 'ms' && left <= most.ms) throw new OutOfTime();
    return seen;
  }

  #process(task, most) {
    const path = join(this.#folder, `task-${(this.#tasks += 1)}.json`);
    // Outside the copy: below its package.json, a program without an extension would count as a module.
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
          // No process of its group is left.
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
