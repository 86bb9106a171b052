// Replaces node:test in the mutated copy: collects the tests of all files, so that one process can run those for one mutant, one after the
// other.
import { after, afterEach, before, beforeEach, describe as suite, mock, test as run } from 'node:test';
// Imported, because a test may remove the global one.
import { performance } from 'node:perf_hooks';
import fs from 'node:fs';

// A test may replace functions of Node, also those that were imported by name, until it ends.
const { readFileSync } = fs;
const cpuUsage = process.cpuUsage.bind(process);

export { after, afterEach, before, beforeEach, mock };

const collected = [];
const stryker = (globalThis.__stryker__ ??= {});
const wanted = { file: '', suite: undefined, chosen: undefined, without: [], except: [], failed: undefined, times: {} };

function define(title, options, body) {
  if (typeof options === 'function') [options, body] = [{}, options];
  const id = `${wanted.file} ${wanted.suite === undefined ? '' : `${wanted.suite} > `}${title}`;
  const start = () => {
    if (options.skip || wanted.except.includes(id) || (wanted.chosen && !wanted.chosen.has(id))) return;
    run(title, options, async (context) => {
      const began = performance.now();
      const before = work();
      stryker.begin?.(id);
      try {
        await body(context);
      } catch (error) {
        wanted.failed?.(id);
        throw error;
      } finally {
        wanted.times[id] = { ms: performance.now() - began, work: work() - before };
      }
    });
  };
  if (wanted.suite === undefined) collected.push({ start, id });
  else start();
}

/** Milliseconds of processor time used by this process and by its ended children. */
function work() {
  const { user, system } = cpuUsage();
  let started = 0;
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    started = (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    // Without /proc, only the time of this process is known.
  }
  return (user + system) / 1000 + started;
}

export const test = Object.assign(define, { mock, before, after, beforeEach, afterEach });
export default test;

/** A suite whose tests run in sequence, so that reached code belongs to one test. */
export function describe(title, options, body) {
  if (typeof options === 'function') [options, body] = [{}, options];
  const { file } = wanted;
  collected.push({ id: `${file} ${title} > `, start: () => {
    if (wanted.without.includes(title)) return;
    suite(title, { ...options, concurrency: 1 }, () => {
      Object.assign(wanted, { file, suite: title });
      body();
      wanted.suite = undefined;
    });
  } });
}

/** Loads the files, then runs the chosen tests in their order, or all. No test runs while files are loading. */
export async function runFiles(files, { chosen, without, except, failed }) {
  Object.assign(wanted, { chosen: chosen && new Set(chosen), without, except, failed });
  for (const file of files) {
    wanted.file = file;
    await import(new URL(`../../${file}.test.js`, import.meta.url).href);
  }
  const rank = ({ id }) => (chosen ? chosen.findIndex((one) => (id.endsWith(' > ') ? one.startsWith(id) : one === id)) : 0);
  const ranked = collected.map((one) => ({ ...one, rank: rank(one) })).filter((one) => one.rank !== -1);
  for (const { start } of ranked.sort((a, b) => a.rank - b.rank)) start();
  return wanted.times;
}
