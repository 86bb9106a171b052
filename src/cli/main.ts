#!/usr/bin/env node
import { endOnOutputError } from './output-errors.ts';
import { run } from './run.ts';

endOnOutputError(process);

void run(process.argv.slice(2), process).then((code) => {
  // Exit after all output is written. Remaining child processes are ended at exit.
  process.stdout.write('', () => process.exit(code));
});
