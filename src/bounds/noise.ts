/** What one line, or one event, that is no message counts beside its bytes. */
const lineBytes = 100;

/** 256 MiB: an hour of seven hundred lines a second. */
export const defaultMaxNoiseBytes: number = 268_435_456;

/** How much noise there is after a message of this `kind`, or a refusal (`kind` of what was decoded). Noise: bytes since the peer's last message. */
export const noiseAfter = (noise: number, kind: string): number => (kind === 'refusal' ? noise + lineBytes : 0);

/** Why a peer is not worth being read any more. */
export const onlyNoise = (limit: number): string => `it sent ${limit} bytes without a message among them`;
