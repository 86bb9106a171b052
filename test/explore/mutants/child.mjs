// One process in the mutated copy: child.mjs TASK. TASK is a file of { mutant, hits, mutants, worlds, seed, runs }, which is overwritten
// with the result: the world that the mutant broke, or, without a mutant, how often each world reaches each of `mutants` mutants.
import { readFileSync, writeFileSync } from 'node:fs';

const [, , path] = process.argv;
const { mutant, hits, mutants, worlds: chosen, seed, runs } = JSON.parse(readFileSync(path, 'utf8'));
const stryker = (globalThis.__stryker__ = { activeMutant: mutant ?? 'none', ...(hits !== undefined && { hitLimit: 10_000 + hits * 10, hitCount: 0 }) });

const counts = { '': new Uint32Array(mutants ?? 0) };
let now = counts[''];
if (mutant === undefined) {
  stryker.cover = (...ids) => {
    for (let i = 0; i < ids.length; i++) now[ids[i]] += 1;
  };
}
const dist = new URL('../../../dist/test/', import.meta.url);
const { explore } = await import(new URL('explore/explorer.js', dist).href);
const { worlds } = await import(new URL('explore/worlds.js', dist).href);
const { ownWorlds } = await import(new URL('machines/worlds.js', dist).href);

// An uncaught exception or unhandled rejection kills the mutant too.
let broken;
let current = '';
const breaks = (why) => {
  writeFileSync(path, JSON.stringify({ broken: broken ??= { world: current, why } }));
  process.exit(1);
};
for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, (error) => breaks(`nobody catches: ${error?.message ?? error}`));

for (const world of [...worlds, ...ownWorlds]) {
  if (chosen && !chosen.includes(world.name)) continue;
  current = world.name;
  now = counts[current] = new Uint32Array(mutants ?? 0);
  try {
    const { counterexample } = await explore(world, { maxRuns: runs, seed });
    if (counterexample) breaks(counterexample.why);
  } catch (error) {
    breaks(error.message);
  }
}
const reached = (all) => Object.fromEntries([...all].map((count, id) => [id, count]).filter(([, count]) => count > 0));
writeFileSync(path, JSON.stringify({ reach: Object.fromEntries(Object.entries(counts).map(([name, all]) => [name, reached(all)])) }));
