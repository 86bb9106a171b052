// The first import of each mutated source. In a process that a test has started it does what child.mjs does in its own:
// it says which mutant is active, or remembers which are reached. `active.json` beside it has { mutant, reached }.
import { appendFileSync, readFileSync } from 'node:fs';

const stryker = (globalThis.__stryker__ ??= {});
if (stryker.activeMutant === undefined) {
  stryker.activeMutant = 'none';
  try {
    const { mutant, reached } = JSON.parse(readFileSync(new URL('active.json', import.meta.url), 'utf8'));
    if (mutant !== undefined) stryker.activeMutant = mutant;
    else if (reached !== undefined) stryker.cover = remember(reached);
  } catch {
    // There is no such file while no test runs, and a process without the permission to read it has no mutant.
  }
}

/** Adds to a file each mutant that is reached for the first time, at once: such a process may be killed at any moment. */
function remember(file) {
  const seen = new Set();
  return (...ids) => {
    const fresh = ids.filter((id) => !seen.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) seen.add(id);
    try {
      appendFileSync(file, `${fresh.join(' ')}\n`);
    } catch {
      // A process that may not write is not counted.
    }
  };
}
