/**
 * `barewire/clock`: `systemClock`, `manualClock`.
 *
 * @module
 */

export { systemClock } from './bounds/clock.ts';
export type { Clock, Timer } from './bounds/clock.ts';
export { manualClock } from './bounds/manual-clock.ts';
export type { ManualClock } from './bounds/manual-clock.ts';
