// The same tools in other languages: one call in both eras, and whole sessions of 50 users with a tool that returns its text, one
// that reads Redis and one that calls an HTTP service. `npm run bench -- languages`.
//
// All programs are started and warmed once, and then alternate: each mode runs in all of them before the next mode, and each
// round begins with another program. The rounds end early when the time is over.
import { modes, planFor } from '../languages/plans.mjs';
import { page } from '../languages/page.mjs';
import { chainNames, prepare, programs, start } from '../languages/peers.mjs';
import { familySum, load, openWorld } from '../languages/world.mjs';
import { cpuSeconds, end, peakMemory } from '../lib/process.mjs';

export const tables = {};

/** Seconds for everything except building; a full round takes less than two minutes. */
const allowed = 640;

export async function run(bench, rounds) {
  for (const chain of chainNames) {
    bench.say(`languages: ${chain} is built where its sources have changed`);
    // A program whose chain failed to build reports that itself.
    await prepare(chain).catch(() => undefined);
  }
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const lengths = bench.quick ? { warm: 300, lead: 100, ms: 400 } : { warm: 500, lead: 150, ms: 850 };
  const world = await openWorld(50);
  const runners = [];
  const samples = [];
  const faults = [];
  let done = 0;
  try {
    await startAll(bench, world, runners, faults);
    bench.say(`languages: ${runners.length} programs started after ${seconds().toFixed(0)} s`);
    for (const runner of runners) await warm(runner, lengths.warm, faults);
    const warmed = seconds();
    bench.say(`languages: warm after ${warmed.toFixed(0)} s`);
    for (let round = 0; round < rounds; round++) {
      const each = round === 0 ? 0 : (seconds() - warmed) / round;
      if (seconds() + each > allowed) break;
      for (const mode of Object.keys(modes)) {
        for (let i = 0; i < runners.length; i++) {
          const runner = runners[(i + round * 7) % runners.length];
          if (runner.program.modes.includes(mode) && !(runner.failed.get(mode) > 1)) await measure(runner, mode, round, lengths, samples, faults);
        }
      }
      done = round + 1;
      bench.say(`languages: round ${done} of ${rounds} after ${seconds().toFixed(0)} s`);
    }
    for (const runner of runners) runner.peak = familySum(runner.child.pid, peakMemory);
  } finally {
    await Promise.all(runners.map(({ child }) => end(child)));
    await world.close();
  }
  for (const fault of faults) bench.say(`    ${fault}`);
  const report = { samples, runners, faults, rounds: done, seconds: seconds(), lengths, redis: world.redis };
  const lines = page(report);
  bench.include({ text: lines.join('\n'), page: lines });
}

async function startAll(bench, world, runners, faults) {
  for (const [name, program] of Object.entries(programs)) {
    if (bench.onlyPeers && !bench.onlyPeers.includes(name)) continue;
    for (const one of program.alone || program.several ? [false] : [false, true]) {
      const columns = program.alone && !program.several ? ['many', 'one'] : [one ? 'one' : 'many'];
      try {
        runners.push({ name, program, columns, failed: new Map(), child: await start(program, one, world.env) });
      } catch (error) {
        faults.push(`${program.label}${one ? ', one thread' : ''} did not start: ${error.message.split('\n')[0]}`);
      }
    }
  }
}

/** Runs every mode once, three times as long for Java, which compiles while it runs. */
async function warm(runner, ms, faults) {
  for (const mode of runner.program.modes) {
    const times = runner.program.chain === 'java' ? 3 : 1;
    await attempt(runner, mode, faults, () => load(planFor(mode, runner.child.port, 0, ms * times)));
  }
}

async function measure(runner, mode, round, { lead, ms }, samples, faults) {
  const { child } = runner;
  const before = familySum(child.pid, cpuSeconds);
  const out = await attempt(runner, mode, faults, () => load(planFor(mode, child.port, lead, ms)));
  if (out === undefined) return;
  const micros = ((familySum(child.pid, cpuSeconds) - before) / out.all) * 1e6;
  for (const column of runner.columns) samples.push({ mode, column, name: runner.name, round, micros, ...out });
}

/** A run with an error does not count; after two of them the program is left out of the mode. */
async function attempt(runner, mode, faults, work) {
  const fail = (reason) => {
    runner.failed.set(mode, (runner.failed.get(mode) ?? 0) + 1);
    faults.push(`${runner.program.label}${runner.columns.includes('many') ? '' : ', one thread'}, ${mode}: ${reason.replace(/\s+/g, ' ').slice(0, 240)}`);
  };
  try {
    const out = await work();
    if (out.errors > 0) fail(`${out.errors} wrong answers, the first: ${out.reason}`);
    else if (out.unfinished > 0) fail(`${out.unfinished} of its users waited for an answer for 5 s`);
    else return out;
  } catch (error) {
    fail(error.killed ? 'not finished in time' : error.message);
  }
}
