import type { Latin1 } from '../octets.ts';

/** Octets as text, by what Node has for it. */
export const nodeLatin1: Latin1 = (bytes, from, to) =>
  (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).toString('latin1', from, to);
