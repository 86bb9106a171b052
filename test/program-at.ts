import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The compiled file is dist/test/program-at.js.
const dist = fileURLToPath(new URL('../', import.meta.url));

/**
 * The file of a program below dist that a test starts, such as `test/cli/fixture-server.js`. In `npm test` it is a bundle, which
 * starts in half the processor time of the program and its hundred modules; scripts/tests/bundles.mjs makes one for each call of
 * this function with a literal.
 */
export function programAt(path: string): string {
  const bundles = process.env['BAREWIRE_BUNDLES'];
  return bundles === undefined ? join(dist, path) : join(bundles, path.replace(/\.js$/, '.mjs'));
}
