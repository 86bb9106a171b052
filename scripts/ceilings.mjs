// Ceilings of figures, in a JSON file beside what measures them: `{ NAME: { ceiling: { FIGURE: most }, wanted: { FIGURE: most } } }`.
// A ceiling is what a figure may not exceed today: it comes down with each saving, and goes up only in a commit that says why.
// `wanted` is what it should be.
import { readFileSync, writeFileSync } from 'node:fs';

/** Reads a file of ceilings. */
export function readCeilings(url) {
  return JSON.parse(readFileSync(url, 'utf8'));
}

/**
 * What is wrong with figures `{ NAME: { FIGURE: value } }`, a line each: a figure above its ceiling, a name without a
 * ceiling, and a ceiling of something that was not measured.
 */
export function faultsOf(found, ceilings) {
  const faults = [];
  for (const [name, figures] of Object.entries(found)) {
    if (ceilings[name] === undefined) {
      faults.push(`${name} has no ceiling`);
      continue;
    }
    for (const [figure, most] of Object.entries(ceilings[name].ceiling)) {
      if (!(figures[figure] <= most)) faults.push(`${name}: ${figure} ${figures[figure]}, above the ceiling of ${most}`);
    }
  }
  for (const name of Object.keys(ceilings)) if (found[name] === undefined) faults.push(`${name} has a ceiling, and was not measured`);
  return faults;
}

/** The ceilings with each that is above its figure brought down to it. None goes up. */
export function lowered(found, ceilings) {
  return Object.fromEntries(Object.entries(ceilings).map(([name, { ceiling, ...more }]) => {
    const down = Object.entries(ceiling).map(([figure, most]) => [figure, Math.min(most, found[name]?.[figure] ?? most)]);
    return [name, { ceiling: Object.fromEntries(down), ...more }];
  }));
}

/** Writes ceilings to their file, a line each. */
export function writeCeilings(url, ceilings) {
  const spaced = (value) => JSON.stringify(value).replaceAll('{', '{ ').replaceAll('}', ' }').replaceAll(':', ': ').replaceAll(',', ', ');
  const lines = Object.entries(ceilings).map(([name, row]) => `  ${JSON.stringify(name)}: ${spaced(row)}`);
  writeFileSync(url, `{\n${lines.join(',\n')}\n}\n`);
}
