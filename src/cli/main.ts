#!/usr/bin/env node
import { exitCodes } from './exit-codes.ts';
import { run } from './run.ts';

// A reader that stops reading (`head`) is not a failure of ours.
process.stdout.on('error', () => process.exit(exitCodes.good));

void run(process.argv.slice(2), process).then((code) => {
  // Everything is written first; children that are left are ended at exit.
  process.stdout.write('', () => process.exit(code));
});
