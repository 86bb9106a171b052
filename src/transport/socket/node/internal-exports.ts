// The exports of this folder for other folders of this package, in addition to index.ts.
export { openSocket } from './client.ts';
