// Validation: measured by validation.mjs, where that is present. Its measureValidation({ quick }) returns
// `{ text, markdown }`: the same table for the terminal and for RESULTS.md.
import { existsSync } from 'node:fs';
import { here } from '../lib/process.mjs';

export const tables = {};
export const rounds = 1;

export async function round(bench) {
  if (!existsSync(here('validation.mjs'))) {
    bench.say('validation.mjs is not here; validation is not measured');
    return;
  }
  const { measureValidation } = await import('../validation.mjs');
  bench.include(await measureValidation({ quick: bench.quick }));
}
