// One process in the mutated copy: child.mjs TASK. TASK is a file of { files, chosen, without, except, mutant, hits, mutants }, which is
// overwritten with the result. Without a mutant: which test reaches which of `mutants` mutants. With one ("none" for a control run): runs
// the chosen tests until one fails. Processes started by tests read the mutant from active.json (started.mjs).
import fs from 'node:fs';

// A test may replace functions of Node, also those that were imported by name, until it ends.
const { existsSync, readFileSync, writeFileSync } = fs;

const [, , task] = process.argv;
const { files, chosen, without, except = [], mutant, hits, mutants } = JSON.parse(readFileSync(task, 'utf8'));
const stryker = (globalThis.__stryker__ = { activeMutant: mutant ?? 'none', ...(hits !== undefined && { hitLimit: 1_000 + hits * 10, hitCount: 0 }) });

const active = new URL('../../dist/test/mutants/active.json', import.meta.url);
const started = (what) => writeFileSync(active, JSON.stringify(what));
started({ mutant });

/** The file for mutants reached by processes that test number N started; 0: while loading files, or before the first test. */
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

/**
 * Adds the mutants that started processes reached. Their count is unknown, but each process loads its files anew, so it is more than one.
 */
function addStarted(counts, number) {
  if (!existsSync(reachedFile(number))) return;
  for (const id of readFileSync(reachedFile(number), 'utf8').split(/\s+/)) if (id !== '') counts[Number(id)] += 2;
}
const reached = (counts) => Object.fromEntries([...counts].map((count, id) => [id, count]).filter(([, count]) => count > 0));

const { runFiles } = await import(new URL('../../dist/test/mutants/node-test.mjs', import.meta.url).href);

/** The first failing test kills the mutant: the others need not run. */
function failed(by) {
  writeFileSync(task, JSON.stringify({ by }));
  process.exit(1);
}
const times = await runFiles(files, { chosen, without, except, failed });

// Node's fetch sets a timeout for each response. If a later test of this process mocks the time, the timeout may fire after its parser was
// collected, and throws an error that no code can catch. It is not the failure of a test.
const late = [];
process.on('uncaughtException', (error) => late.push(error));
const isOfFetch = (error) => error instanceof TypeError && error.message.includes("'parser.deref(...)'");

process.on('exit', (code) => {
  if (code === 1 && late.length > 0 && late.every(isOfFetch)) process.exitCode = 0;
  else if (code !== 0) return;
  if (mutant === undefined) {
    addStarted(loading, 0);
    numbers.forEach((id, at) => addStarted(tests[id], at + 1));
  }
  const perTest = () => Object.fromEntries(Object.entries(tests).map(([id, counts]) => [id, reached(counts)]));
  writeFileSync(task, JSON.stringify({ times, ...(mutant === undefined && { coverage: { static: reached(loading), perTest: perTest() } }) }));
});
