import { exitCodes } from './exit-codes.ts';
import type { CommandProcess } from './command-process.ts';

/** Waits for SIGINT or SIGTERM; resolves with the exit code that it stands for. A second one ends the process at once. */
export function endingSignal(proc: CommandProcess): Promise<number> {
  return new Promise((resolve) => {
    let told = false;
    // Not `once`: while somebody listens, nobody else ends the process for the signal.
    for (const [signal, code] of [['SIGINT', exitCodes.interrupted], ['SIGTERM', 143]] as const) {
      proc.on(signal, () => {
        if (told) proc.exit(code);
        told = true;
        resolve(code);
      });
    }
  });
}
