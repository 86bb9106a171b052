/**
 * `barewire/explain`: `explain`: a message as a sentence with its section; `visible` makes text from the wire safe to print.
 *
 * @module
 */

export { explain } from './explain.ts';
export type { Explanation } from './explain.ts';
export { explainHttp, httpLines } from './http.ts';
export { head, truncate, visible, visiblePieces, width, wireLine } from './safe-text.ts';
