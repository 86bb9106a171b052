// The first import of each mutated source. In a process that a test has started, it does the work of child.mjs: sets the active mutant, or
// records the reached ones. `active.json` in the same folder has { mutant, reached }.
import { appendFileSync, readFileSync } from 'node:fs';

const stryker = (globalThis.__stryker__ ??= {});
if (stryker.activeMutant === undefined) {
  stryker.activeMutant = 'none';
  try {
    const { mutant, reached } = JSON.parse(readFileSync(new URL('active.json', import.meta.url), 'utf8'));
    if (mutant !== undefined) stryker.activeMutant = mutant;
    else if (reached !== undefined) stryker.cover = remember(reached);
  } catch {
    // The file does not exist while no test runs. A process that may not read it has no mutant.
  }
}

/** Appends each mutant to a file when it is first reached, because the process may be killed at any moment. */
function remember(file) {
  const seen = new Set();
  return (...ids) => {
    const fresh = ids.filter((id) => !seen.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) seen.add(id);
    try {
      appendFileSync(file, `${fresh.join(' ')}\n`);
    } catch {
      // A process without the right to write is not counted.
    }
  };
}
