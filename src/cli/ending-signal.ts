import { exitCodes } from './exit-codes.ts';

/** Waits for SIGINT or SIGTERM; resolves with the exit code that it stands for. A second one ends the process at once. */
export function endingSignal(): Promise<number> {
  return new Promise((resolve) => {
    let told = false;
    // Not `once`: while somebody listens, nobody else ends the process for the signal.
    for (const [signal, code] of [['SIGINT', exitCodes.interrupted], ['SIGTERM', 143]] as const) {
      process.on(signal, () => {
        if (told) process.exit(code);
        told = true;
        resolve(code);
      });
    }
  });
}
