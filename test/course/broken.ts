import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { breaks } from './breaks.ts';
import type { Break } from './breaks.ts';
import { judge } from './chapter.ts';
import type { Check } from './chapter.ts';
import { chapters } from './chapters.ts';
import { Desk } from './desk.ts';

// npm run course:wrong: each wrong solution must fail the checks of its row. `--only TEXT` selects rows that contain the text.

const solution = fileURLToPath(new URL('../../../docs/course/solution/', import.meta.url));
// Long enough for a program that starts on a busy machine: a check that fails by timeout proves nothing.
const options = { startMs: 10_000, patienceMs: 3000 };

function checkOf(place: string): Check {
  const [chapter, at] = place.split('.').map(Number);
  const found = chapters.find(({ number }) => number === chapter)?.checks[(at ?? 0) - 1];
  if (!found) throw new Error(`there is no check ${place}`);
  return found;
}

/** Returns the differences between a row and the result of its checks. */
async function complaintsOf({ wrong, file, from, to, fails }: Break): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'barewire-wrong-'));
  try {
    await cp(solution, folder, { recursive: true });
    const source = await readFile(join(folder, file), 'utf8');
    if (source.split(from).length < 2) return [`${wrong}: ${file} does not have: ${from}`];
    await writeFile(join(folder, file), source.replaceAll(from, () => to));
    const complaints: string[] = [];
    for (const place of fails) {
      const { fault } = await judge(checkOf(place), new Desk({ command: [process.execPath, join(folder, 'main.mjs')], ...options }));
      if (!fault) complaints.push(`${wrong}: check ${place} does not see it`);
    }
    return complaints;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const only = process.argv[process.argv.indexOf('--only') + 1 || process.argv.length];
const chosen = breaks.filter((row) => only === undefined || JSON.stringify(row).includes(only));
const named = new Set(breaks.flatMap(({ fails }) => fails));
const complaints = chapters.flatMap(({ number, checks }) => checks.map((_, at) => `${number}.${at + 1}`))
  .filter((place) => !named.has(place)).map((place) => `no wrong solution fails check ${place}`);

const begun = Date.now();
const waiting = [...chosen];
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, async () => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) complaints.push(...await complaintsOf(next));
}));
for (const complaint of complaints) console.error(complaint);
const checks = chosen.reduce((sum, { fails }) => sum + fails.length, 0);
console.log(`${chosen.length} wrong solutions, ${checks} checks that fail for them, ${named.size} checks in all: `
  + `${complaints.length === 0 ? 'all as they should be' : `${complaints.length} are not as they should be`} (${((Date.now() - begun) / 1000).toFixed(0)} s)`);
process.exitCode = complaints.length === 0 ? 0 : 1;
