import type { Latin1 } from '../octets.ts';

/** `Latin1` by Node's `Buffer`. */
export const nodeLatin1: Latin1 = (bytes, from, to) =>
  (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).toString('latin1', from, to);
