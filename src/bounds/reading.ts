import type { Clock } from './clock.ts';

/** Milliseconds that the process may read before timers and other streams run. */
const turnMs = 8;

/** When the process began to read without a pause of more than a millisecond, and when it last read. */
let began = 0;
let last = 0;

/** Call this before reading. */
export function beginReading(clock: Clock): void {
  const now = clock.monotonic();
  // Two connections may have different clocks; a jump between them also counts as a pause.
  if (Math.abs(now - last) > 1) began = now;
  last = now;
}

/** Call this after reading. True: the process has read for 8 ms, and the reader must call `othersFirst` before it reads on. */
export const readEnough = (clock: Clock): boolean => (last = clock.monotonic()) - began >= turnMs;

/** The promise that a reader awaits so that timers and other streams run; undefined: it may read on. */
export function turnOfOthers(clock: Clock): Promise<void> | undefined {
  return readEnough(clock) ? new Promise((resolve) => othersFirst(clock, resolve)) : undefined;
}

/** Calls `then` after due timers and the streams of other peers have run; at once if the runtime has no timers. */
export function othersFirst(clock: Clock, then: () => void): void {
  const resume = (): void => {
    began = last = clock.monotonic();
    then();
  };
  if (!clock.after(0, resume)) resume();
}

// Noise: bytes since the peer's last valid message. The connection to a peer that sends only noise is closed.

/** Bytes of noise counted for a line or an event that is not a message, in addition to its length. */
const lineBytes = 100;

/** 256 MiB: one hour of 400 log lines of 80 bytes per second. */
export const defaultMaxNoiseBytes: number = 268_435_456;

/**
 * The noise after a message that the codec decoded to this `kind`: a refusal adds noise, any other message resets it.
 */
export const noiseAfter = (noise: number, kind: string): number => (kind === 'refusal' ? noise + lineBytes : 0);

/** The reason for closing the connection to a peer that sends only noise. */
export const noiseFault = (limit: number): string => `it sent ${limit} bytes without a message`;
