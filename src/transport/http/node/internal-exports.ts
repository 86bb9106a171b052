/**
 * The internal exports of this folder (its door), apart from the one of `transport` because it needs Node: what the kit may take from inside without
 * the whole of index.ts.
 */

export { guarded, ownAddress } from './guarded.ts';
