import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { explore } from './explorer.ts';
import { worlds } from './worlds.ts';

// npm run explore: runs the real code through every order of events in each world (test/explore/worlds).
//   -- --only NAME,…   these worlds
//   -- --runs N        complete runs of each world; 100,000, of a connection 1,000,000
//   -- --seconds N     time of each world; 3600
//   -- --seed N        seed that chooses the first ways; 1
//   -- --whole         depth first: for a space that is to be exhausted
//   -- --shown FILE    writes the steps of a counterexample to this file
//   -- --ci            limits for CI: all worlds together in less than two minutes

// Stack traces of errors that nobody reads would take a fifth of the time.
Error.stackTraceLimit = 0;

const { values } = parseArgs({ options: {
  only: { type: 'string' }, shown: { type: 'string' }, runs: { type: 'string' }, seconds: { type: 'string', default: '3600' }, seed: { type: 'string', default: '1' }, whole: { type: 'boolean', default: false }, ci: { type: 'boolean', default: false },
} });
const chosen = worlds.filter(({ name }) => values.only?.split(',').includes(name) ?? true);
if (chosen.length === 0) throw new Error(`no world is called ${values.only}: there are ${worlds.map(({ name }) => name).join(', ')}`);
const seconds = values.ci ? Math.floor(100 / worlds.length) : Number(values.seconds);
// SIGTERM ends the exploration of the current world and prints its figures.
let stopped = false;
process.on('SIGTERM', () => (stopped = true));
// Processor time in seconds, because other programs use the machine too.
console.log('world          complete    covered   outcomes  longest  cpu s  runs/s  exhausted');
for (const world of chosen) {
  const before = process.cpuUsage();
  const { complete, covered, outcomes, longest, exhausted, counterexample } = await explore(world, { maxRuns: Number(values.runs ?? (world.name === 'connection' ? 1_000_000 : 100_000)), maxMs: seconds * 1000, seed: Number(values.seed), whole: values.whole, stopped: () => stopped });
  stopped = false;
  const { user, system } = process.cpuUsage(before);
  const took = (user + system) / 1e6;
  const columns = [String(complete).padStart(8), String(covered).padStart(9), String(outcomes.size).padStart(9), String(longest).padStart(7), took.toFixed(0).padStart(6), ((complete + covered) / took).toFixed(0).padStart(6)];
  console.log(`${world.name.padEnd(13)}  ${columns.join('  ')}  ${exhausted ? 'yes' : 'no'}`);
  if (counterexample) {
    console.log(`\n${world.name}: ${counterexample.why}\n${counterexample.steps.map((step, n) => `${String(n + 1).padStart(4)}  ${step}`).join('\n')}\n`);
    if (values.shown !== undefined) writeFileSync(values.shown, JSON.stringify({ ...counterexample, runs: complete }));
    process.exitCode = 1;
  }
}
