// One process in the mutated copy: child.mjs TASK, a file of { files, chosen, without, except, mutant, hits, mutants } that
// is written over with what was seen. Without a mutant: which test reaches which of so many mutants. With one ("none" for a
// control run): the chosen tests, until one fails. Processes that tests start learn of it by active.json (started.mjs).
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const [, , task] = process.argv;
const { files, chosen, without, except = [], mutant, hits, mutants } = JSON.parse(readFileSync(task, 'utf8'));
const stryker = (globalThis.__stryker__ = { activeMutant: mutant ?? 'none', ...(hits !== undefined && { hitLimit: 1_000 + hits * 10, hitCount: 0 }) });

const active = new URL('../../dist/test/mutants/active.json', import.meta.url);
const started = (what) => writeFileSync(active, JSON.stringify(what));
started({ mutant });

/** What processes reached that were started by the test with this number; 0: while files were loaded, or before the first test. */
const reachedFile = (number) => `${task}-reached-${number}`;
const numbers = [];

/** How often each mutant is reached while files are loaded, and by each test. */
const loading = new Uint32Array(mutants ?? 0);
const tests = {};
if (mutant === undefined) {
  let now = loading;
  stryker.cover = (...ids) => {
    for (let i = 0; i < ids.length; i++) now[ids[i]] += 1;
  };
  started({ reached: reachedFile(0) });
  stryker.begin = (id) => {
    now = tests[id] ??= new Uint32Array(mutants);
    started({ reached: reachedFile(numbers.push(id)) });
  };
}

/** Adds what started processes reached. How often is not known: more than once, for each process loads its files anew. */
function addStarted(counts, number) {
  if (!existsSync(reachedFile(number))) return;
  for (const id of readFileSync(reachedFile(number), 'utf8').split(/\s+/)) if (id !== '') counts[Number(id)] += 2;
}
const reached = (counts) => Object.fromEntries([...counts].map((count, id) => [id, count]).filter(([, count]) => count > 0));

const { runFiles } = await import(new URL('../../dist/test/mutants/node-test.mjs', import.meta.url).href);

/** A mutant is killed by the first test that fails: the others need not run. */
function failed(by) {
  writeFileSync(task, JSON.stringify({ by }));
  process.exit(1);
}
const times = await runFiles(files, { chosen, without, except, failed });
process.on('exit', (code) => {
  if (code !== 0) return;
  if (mutant === undefined) {
    addStarted(loading, 0);
    numbers.forEach((id, at) => addStarted(tests[id], at + 1));
  }
  const perTest = () => Object.fromEntries(Object.entries(tests).map(([id, counts]) => [id, reached(counts)]));
  writeFileSync(task, JSON.stringify({ times, ...(mutant === undefined && { coverage: { static: reached(loading), perTest: perTest() } }) }));
});
