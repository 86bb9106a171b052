import type { Transform } from 'node:stream';

/**
 * The decompressor of a body: some servers compress although they were asked not to. `encoding` is the value of
 * `content-encoding`, in lower case. For an unknown encoding, it destroys `source`, the stream of the body, and rejects.
 */
export async function inflaterOf(encoding: string, source: { destroy(): unknown }): Promise<Transform> {
  const { createUnzip, createBrotliDecompress, constants } = await import('node:zlib');
  // createUnzip detects gzip and deflate itself.
  const make = { gzip: createUnzip, 'x-gzip': createUnzip, deflate: createUnzip, br: createBrotliDecompress }[encoding];
  if (make === undefined) {
    source.destroy();
    throw new Error(`the content encoding ${JSON.stringify(encoding.slice(0, 40))} is not known`);
  }
  // Flush every event at once, not when a block is full.
  return make({ flush: constants.Z_SYNC_FLUSH });
}
