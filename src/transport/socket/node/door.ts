// What the kit takes from here beside the index.
export { openSocket } from './client.ts';
