/**
 * The internal exports of this folder (its door): what the kit may import from inside without all of index.ts. Separate from
 * the exports of `transport`, because these need Node.
 */

export { guarded, ownAddress } from './guarded.ts';
