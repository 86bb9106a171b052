// The internal exports of this folder: what the kit takes from here beside the index.
export { openSocket } from './client.ts';
