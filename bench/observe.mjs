// The cost of `observe` per call over stdio: zero without the option, and little with an empty observer. Programs: the tree
// without it, the tree with it, and further commits; `tools/call` of 2025-11-25, 64 in flight.
//
//   node bench/observe.mjs [--commits A,B] [--rounds 5] [--ms 3000]    calls per second, and the server's processor time per call
//   node bench/observe.mjs --instructions [--commits A,B] [--seeds 3]  instructions per call, counted by valgrind: no clock, one core
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, closeSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { commitOf, copySources, fromSources, root } from '../scripts/trees.mjs';
import { echo, FIRST_ID, initialize, initialized } from './lib/messages.mjs';
import { endAll, running } from './lib/process.mjs';
import { median } from './lib/stats.mjs';
import { load, open } from './lib/stdio-load.mjs';
import { numberOf, readWords } from '../scripts/words.mjs';

const { values } = readWords({ commits: { type: 'string', default: '' }, rounds: { type: 'string' }, ms: { type: 'string' }, instructions: { type: 'boolean' }, seeds: { type: 'string' } });
const commits = values.commits.split(',').filter(Boolean);
const rounds = numberOf(values.rounds, 5, 'rounds');
const ms = numberOf(values.ms, 3000, 'ms');
const seeds = numberOf(values.seeds, 3, 'seeds');

const folder = mkdtempSync(join(tmpdir(), 'barewire-observe-'));
const text = 'The quick brown fox jumps over the lazy dog.';

const source = (options) => `
  import { McpServer } from 'barewire/server';
  import { serveStdio } from 'barewire/stdio';
  const server = new McpServer({ name: 'bench', version: '1.0.0' }, ${options});
  server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } }, ({ text }) => text);
  serveStdio(server);`;

async function program(name, tree, options) {
  const file = join(folder, `${name.replace(/\W/g, '-')}.mjs`);
  await build({
    stdin: { contents: source(options), resolveDir: tree, loader: 'js' }, absWorkingDir: tree, outfile: file, bundle: true, format: 'esm',
    platform: 'node', target: 'es2022', plugins: [fromSources(tree)], logLevel: 'warning',
  });
  return { name, file };
}

async function programs() {
  const found = [];
  for (const commit of commits) {
    const tree = join(folder, commitOf(commit));
    copySources(tree, commitOf(commit));
    found.push(await program(commit, tree, '{}'));
  }
  found.push(await program('off', root, '{}'));
  found.push(await program('on', root, '{ observe: (request, next) => next() }'));
  return found;
}

/** Measures: one warm process for each program, then blocks in turn, in an order that changes with each round. */
async function timed(all) {
  const figures = new Map(all.map(({ name }) => [name, { perSecond: [], cpuMicros: [] }]));
  const children = [];
  for (const { name, file } of all) {
    const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.complaints = '';
    running.add(child);
    await open(child);
    children.push({ name, child, firstId: FIRST_ID });
  }
  const block = async (one, forMs) => {
    const result = await load(one.child, echo(text), { inFlight: 64, ms: forMs, warmMs: 100, firstId: one.firstId, drain: true });
    if (result.errors > 0) throw new Error(`${one.name}: ${result.errors} answers have another length`);
    one.firstId = FIRST_ID + ((result.nextId - FIRST_ID) % 8_000_000);
    return result;
  };
  for (const one of children) await block(one, ms);
  for (let round = 0; round < rounds; round++) {
    const order = children.map((_, at) => children[(at + round) % children.length]);
    if (round % 2 === 1) order.reverse();
    for (const one of order) {
      const { perSecond, cpuMicros } = await block(one, ms);
      figures.get(one.name).perSecond.push(perSecond);
      figures.get(one.name).cpuMicros.push(cpuMicros);
    }
  }
  endAll();
  return figures;
}

/** Instructions per call: the difference of two runs with different numbers of calls. */
function counted({ file }, seed) {
  // All hot code is compiled before the first count ends.
  const [few, many] = [50_000, 150_000].map((calls) => {
    const { before, after } = echo(text);
    const input = join(folder, `calls-${calls}`);
    writeFileSync(input, [initialize(), initialized, ...Array.from({ length: calls }, (_, at) => `${before}${FIRST_ID + at}${after}`), ''].join('\n'));
    const [stdin, stdout] = [openSync(input, 'r'), openSync('/dev/null', 'w')];
    try {
      execFileSync('valgrind', [
        '--tool=cachegrind', '--cache-sim=no', '--smc-check=all-non-file', `--cachegrind-out-file=${join(folder, 'out')}`,
        process.execPath, `--hash-seed=${seed}`, `--random-seed=${seed}`, '--single-threaded', file,
      ], { stdio: [stdin, stdout, 'ignore'] });
    } finally {
      closeSync(stdin);
      closeSync(stdout);
    }
    const summary = execFileSync('sed', ['-n', 's/^summary: *//p', join(folder, 'out')], { encoding: 'utf8' });
    return { calls, instructions: Number(summary.split(/\s/)[0]) };
  });
  return (many.instructions - few.instructions) / (many.calls - few.calls);
}

try {
  const all = await programs();
  if (values.instructions) {
    let first;
    for (const one of all) {
      // The compiler's decisions vary with the seed by more than the difference of interest, so take the median over seeds.
      const counts = Array.from({ length: seeds }, (_, at) => counted(one, at + 1));
      const each = median(counts);
      first ??= each;
      console.log(`${one.name.padEnd(10)} ${Math.round(each).toLocaleString('en').padStart(9)} instructions a call  ${(each / first).toFixed(4)}  (${counts.map(Math.round).join(', ')})`);
    }
  } else {
    const figures = await timed(all);
    const base = figures.get(all[0].name);
    for (const [name, { perSecond, cpuMicros }] of figures) {
      const ratio = (of, to) => median(of.map((one, at) => one / to[at]));
      console.log(`${name.padEnd(10)} ${Math.round(median(perSecond)).toLocaleString('en').padStart(9)} calls/s  ${median(cpuMicros).toFixed(2)} µs of processor time a call`
        + `  ratios in turn ${ratio(perSecond, base.perSecond).toFixed(3)}, ${ratio(cpuMicros, base.cpuMicros).toFixed(3)}`);
    }
  }
} finally {
  endAll();
  rmSync(folder, { recursive: true, force: true });
}
