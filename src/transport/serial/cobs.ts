/**
 * Consistent Overhead Byte Stuffing (Cheshire and Baker, 1999): bytes without zeros, so that a zero ends a frame. For at most
 * 254 bytes it takes one more. Each zero becomes the distance to the next one.
 */

/** The content of a frame (at most 254 bytes) as it goes over the wire: with no zero but the last byte, which ends it. */
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

/** The content of a frame that came without the zero that ends it, in place; undefined where the distances do not fit. */
export function unstuff(frame: Uint8Array): Uint8Array | undefined {
  for (let at = 0; at < frame.length;) {
    const distance = frame[at] as number;
    frame[at] = 0;
    at += distance;
    if (at === frame.length) return frame.subarray(1);
  }
  return undefined;
}
