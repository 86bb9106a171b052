export { explain } from './explain.ts';
export type { Explanation } from './explain.ts';
export { truncate, visible, width, wireLine } from './safe-text.ts';
