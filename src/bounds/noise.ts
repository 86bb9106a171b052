/** What a line or an event that is not a message counts, beside its bytes. */
const lineBytes = 100;

/** 256 MiB: an hour of seven hundred lines a second. */
export const defaultMaxNoiseBytes: number = 268_435_456;

/**
 * The noise after a message of this `kind`, or after a refusal (`kind` as the codec decoded it). Noise: bytes since
 * the peer's last message.
 */
export const noiseAfter = (noise: number, kind: string): number => (kind === 'refusal' ? noise + lineBytes : 0);

/** The reason for giving up a peer that sends only noise. */
export const noiseFault = (limit: number): string => `it sent ${limit} bytes without a message among them`;
