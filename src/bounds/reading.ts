import type { Clock } from './clock.ts';

/** Milliseconds that the process may read before its other work gets a turn. */
const turnMs = 8;

/** When the process began to read without a pause of more than a millisecond, and when it last read. */
let began = 0;
let last = 0;

/** Call this before reading. */
export function beginReading(clock: Clock): void {
  const now = clock.monotonic();
  // Two connections may have different clocks: of those only one knows how long the process has read.
  if (Math.abs(now - last) > 1) began = now;
  last = now;
}

/** Call this after reading. True: enough was read, and the reader must wait for `othersFirst` before it goes on. */
export const readEnough = (clock: Clock): boolean => (last = clock.monotonic()) - began >= turnMs;

/** The promise that a reader awaits to give others a turn; undefined: it may read on. */
export function turnOfOthers(clock: Clock): Promise<void> | undefined {
  return readEnough(clock) ? new Promise((resolve) => othersFirst(clock, resolve)) : undefined;
}

/** Calls `then` after timers and the streams of other peers have had their turn; at once where the loop has no other turn. */
export function othersFirst(clock: Clock, then: () => void): void {
  const resume = (): void => {
    began = last = clock.monotonic();
    then();
  };
  if (!clock.after(0, resume)) resume();
}

// Noise: bytes since the peer's last message. A peer that sends only noise is given up.

/** What a line or an event that is not a message counts, beside its bytes. */
const lineBytes = 100;

/** 256 MiB: an hour of seven hundred lines a second. */
export const defaultMaxNoiseBytes: number = 268_435_456;

/**
 * The noise after a message of this `kind`, or after a refusal (`kind` as the codec decoded it).
 */
export const noiseAfter = (noise: number, kind: string): number => (kind === 'refusal' ? noise + lineBytes : 0);

/** The reason for giving up a peer that sends only noise. */
export const noiseFault = (limit: number): string => `it sent ${limit} bytes without a message among them`;
