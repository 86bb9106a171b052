/**
 * The door of this folder, apart from the one of `transport` because it needs Node: what the kit may take from inside without
 * the whole of index.ts.
 */

export { guarded, ownAddress } from './guarded.ts';
