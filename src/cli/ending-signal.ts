import { exitCodes } from './exit-codes.ts';
import type { CommandProcess } from './command-process.ts';

/** Waits for SIGINT or SIGTERM; resolves with its exit code. A second signal ends the process at once. */
export function endingSignal(proc: CommandProcess): Promise<number> {
  return new Promise((resolve) => {
    let told = false;
    // Not `once`: a signal with a listener no longer ends the process, so a second signal needs one too.
    for (const [signal, code] of [['SIGINT', exitCodes.interrupted], ['SIGTERM', 143]] as const) {
      proc.on(signal, () => {
        if (told) proc.exit(code);
        told = true;
        resolve(code);
      });
    }
  });
}
