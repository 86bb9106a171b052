#!/usr/bin/env node
import { exitCodes } from './exit-codes.ts';
import { run } from './run.ts';

// A reader that stops early (`head`) is not an error.
process.stdout.on('error', () => process.exit(exitCodes.good));

void run(process.argv.slice(2), process).then((code) => {
  // Exit after all output is written. Remaining child processes are ended at exit.
  process.stdout.write('', () => process.exit(code));
});
