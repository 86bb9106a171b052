import type { Transform } from 'node:stream';

/**
 * What reads a compressed body: some servers compress although they were asked not to. `encoding`: what `content-encoding`
 * says, in lower case. Where Node does not know the encoding, it destroys `source`, from
 * which the body would come, and rejects.
 */
export async function inflaterOf(encoding: string, source: { destroy(): unknown }): Promise<Transform> {
  const { createUnzip, createBrotliDecompress, constants } = await import('node:zlib');
  // gzip and deflate tell themselves apart.
  const make = { gzip: createUnzip, 'x-gzip': createUnzip, deflate: createUnzip, br: createBrotliDecompress }[encoding];
  if (make === undefined) {
    source.destroy();
    throw new Error(`the content encoding ${JSON.stringify(encoding.slice(0, 40))} is not known`);
  }
  // An event must come out as soon as it is in, not when a block is full.
  return make({ flush: constants.Z_SYNC_FLUSH });
}
