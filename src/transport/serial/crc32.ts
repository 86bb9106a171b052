/**
 * One step of CRC-32 (ISO-HDLC: reflected, polynomial 0xEDB88320) over some bytes. `state` is the result of the step before,
 * at first -1; the checksum is the last state, inverted. By bits and not by a table: a frame is short, and a table takes a
 * kilobyte.
 */
export function crc32(state: number, bytes: Uint8Array): number {
  for (const byte of bytes) {
    state ^= byte;
    for (let bit = 0; bit < 8; bit++) state = (state >>> 1) ^ (state & 1 ? 0xedb88320 : 0);
  }
  return state;
}
