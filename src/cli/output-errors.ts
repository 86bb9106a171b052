import { exitCodes } from './exit-codes.ts';
import type { CommandProcess } from './command-process.ts';

/**
 * Ends the process if stdout cannot be written: with success if its reader stopped early (`head`), else, as on a full disk, with an
 * error. If stderr cannot be written, nobody can be told, and the command continues: a relay passes messages on.
 */
export function endOnOutputError(proc: Pick<CommandProcess, 'stdout' | 'stderr' | 'exit'>): void {
  proc.stderr.on('error', () => {});
  proc.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return proc.exit(exitCodes.good);
    proc.stderr.write(`barewire: stdout could not be written: ${message}\n`);
    proc.exit(exitCodes.failed);
  });
}
