/**
 * Consistent Overhead Byte Stuffing (Cheshire and Baker, 1999): encodes bytes without zeros, so that a zero ends a frame. Each
 * zero becomes the distance to the next one. The encoding of at most 254 bytes is one byte longer.
 */

/** Encodes the content of a frame (at most 254 bytes) for the wire. The only zero is the last byte, which ends the frame. */
export function stuff(content: Uint8Array): Uint8Array {
  const frame = new Uint8Array(content.length + 2);
  frame.set(content, 1);
  let distance = 1;
  for (let at = content.length; at >= 0; at--, distance++) {
    if (frame[at] !== 0) continue;
    frame[at] = distance;
    distance = 0;
  }
  return frame;
}

/** Decodes a frame, without its final zero, in place; undefined if the distances do not fit. */
export function unstuff(frame: Uint8Array): Uint8Array | undefined {
  for (let at = 0; at < frame.length;) {
    const distance = frame[at] as number;
    frame[at] = 0;
    at += distance;
    if (at === frame.length) return frame.subarray(1);
  }
  return undefined;
}
