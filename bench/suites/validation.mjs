// Validation: measured by validation.mjs, where that is present.
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
