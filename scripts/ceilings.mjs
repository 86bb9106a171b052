// Ceilings of figures, in a JSON file in the folder of their measurement: `{ NAME: { ceiling: { FIGURE: most }, wanted: { FIGURE:
// most } } }`. A ceiling is the current maximum of a figure: it is lowered with each saving, and raised only in a commit that
// gives the reason. `wanted` is the goal.
import { readFileSync, writeFileSync } from 'node:fs';

/** Reads a file of ceilings. */
export function readCeilings(url) {
  return JSON.parse(readFileSync(url, 'utf8'));
}

/**
 * Faults of figures `{ NAME: { FIGURE: value } }`, one per line: a figure above its ceiling, a name without a ceiling, and a
 * ceiling without a measured figure.
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

/** Lowers each ceiling to its figure. Raises none. */
export function lowered(found, ceilings) {
  return Object.fromEntries(Object.entries(ceilings).map(([name, { ceiling, ...more }]) => {
    const down = Object.entries(ceiling).map(([figure, most]) => [figure, Math.min(most, found[name]?.[figure] ?? most)]);
    return [name, { ceiling: Object.fromEntries(down), ...more }];
  }));
}

/** Writes ceilings to their file, one per line. */
export function writeCeilings(url, ceilings) {
  const spaced = (value) => JSON.stringify(value).replaceAll('{', '{ ').replaceAll('}', ' }').replaceAll(':', ': ').replaceAll(',', ', ');
  const lines = Object.entries(ceilings).map(([name, row]) => `  ${JSON.stringify(name)}: ${spaced(row)}`);
  writeFileSync(url, `{\n${lines.join(',\n')}\n}\n`);
}
