// npm run quint : the models of the lifecycle and of the lease, compared with the real code.
//   -- --short      the short form for CI
//   -- --seed N     seed of the simulator and of the explorer; 1
//   -- --samples N  random runs of each model; 1000, short 30
//   -- --runs N     complete runs of the explorer in each world; 300, short 12
//   -- --replays N  runs of each model replayed on the real code; 200, short 10
// The simulator is Quint's in TypeScript: the one in Rust is downloaded at its first use, and the symbolic one needs a server.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { leaseRuns, lifecycleRuns } from '../../dist/test/machines/projections.js';
import { replayLease, replayLifecycle, statesOf } from '../../dist/test/machines/replays.js';
import { accept } from './accept.mjs';
import { file, quint } from './quint.mjs';

const { values } = parseArgs({ options: {
  short: { type: 'boolean', default: false }, seed: { type: 'string', default: '1' }, samples: { type: 'string' }, runs: { type: 'string' }, replays: { type: 'string' },
} });
const { short, seed } = values;
const samples = values.samples ?? (short ? '30' : '1000');
const bounds = { maxRuns: Number(values.runs ?? (short ? 12 : 300)), seed: Number(seed) };
const replays = values.replays ?? (short ? '10' : '200');
/** As in lease.qnt and the world `task`. */
const leaseMs = 3000;
let failed = 0;

/** Runs one part, prints its result, and continues after a failure. */
async function part(what, run) {
  const began = performance.now();
  try {
    console.log(`ok      ${what}: ${await run()} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${what}: ${error.message.length > 4000 ? `${error.message.slice(0, 2000)}\n…\n${error.message.slice(-2000)}` : error.message}`);
  }
}

/** Runs the tests of a model, and checks its invariants in random runs. */
function simulate(name, main, steps, step = 'step') {
  const tests = quint('test', file(name), '--main', main, '--backend=typescript', '--max-samples=1');
  if (!tests.ok) throw new Error(tests.said);
  const { ok, said } = quint('run', file(name), '--main', main, '--backend=typescript', '--invariant=safe', '--max-samples', samples, '--max-steps', steps, '--step', step, '--seed', seed);
  if (!ok) throw new Error(said);
  return `${/(\d+) passing/.exec(tests.said)?.[1]} tests; ${samples} random runs of at most ${steps} steps keep the invariants`;
}

/** Replays runs of a model on the real code. */
async function play(name, main, steps, replay) {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-quint-'));
  try {
    const { ok, said } = quint('run', file(name), '--main', main, '--backend=typescript', '--mbt', '--n-traces', replays, '--max-samples', replays, '--max-steps', steps, '--seed', seed, '--out-itf', join(folder, 'run_{seq}.itf.json'));
    if (!ok) throw new Error(said);
    const actions = new Set();
    let played = 0;
    const all = readdirSync(folder);
    for (const one of all) {
      const states = statesOf(JSON.parse(readFileSync(join(folder, one), 'utf8')));
      for (const { actionTaken } of states) actions.add(actionTaken);
      played += await replay(states);
    }
    if (all.length !== Number(replays)) throw new Error(`${all.length} of ${replays} runs were written`);
    return `${all.length} runs of the model, ${played} steps, ${actions.size} actions, do the same on the real code`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await part('the model of the lifecycle', () => simulate('lifecycle.qnt', 'lifecycle', '40'));
await part('the model of the lifecycle, closed at any time', () => simulate('lifecycle.qnt', 'lifecycle', '20', 'stepAnyEnd'));
await part('the model of the lease, clocks alike', () => simulate('lease.qnt', 'lease_alike', '40'));
await part('the model of the lease, clocks that lag', () => simulate('lease.qnt', 'lease_lagging', '40'));
/** Runs with a missing step must not be accepted; otherwise the comparison could never fail. */
function refuse(model, name, runs) {
  const [long] = runs.filter(({ length }) => length > 4);
  try {
    accept(model, name, [long.slice(1)]);
  } catch (error) {
    if (!error.message.includes('does not allow')) throw error;
    return `without its first step, ${long[0]}, a run is refused`;
  }
  throw new Error(`a run without its first step, ${long[0]}, is taken for one of the model`);
}

const leases = `lease(lasts = ${leaseMs}, mostLag = 0)`;
const seen = { lifecycle: await lifecycleRuns(bounds), lease: await leaseRuns(bounds) };
await part('client and server', () => `${accept('lifecycle', 'lifecycle', seen.lifecycle)}; ${refuse('lifecycle', 'lifecycle', seen.lifecycle)}`);
await part('store and workers', () => `${accept(leases, 'lease', seen.lease)}; ${refuse(leases, 'lease', seen.lease)}`);
await part('the tables of the lifecycle', () => play('lifecycle.qnt', 'lifecycle', '40', replayLifecycle));
await part('the store in memory, clocks alike', () => play('lease.qnt', 'lease_alike', '40', (states) => replayLease(states, leaseMs)));
await part('the store in memory, clocks that lag', () => play('lease.qnt', 'lease_lagging', '40', (states) => replayLease(states, leaseMs)));
if (failed > 0) console.log(`${failed} parts failed`);
process.exitCode = failed > 0 ? 1 : 0;
