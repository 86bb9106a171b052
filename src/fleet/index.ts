/**
 * `barewire/fleet`: `fleet`: sessions that any process opens; `memoryEngine`.
 *
 * @module
 */

export { Undeliverable } from './engine.ts';
export type { Bus, BusHandler, FleetEngine } from './engine.ts';
export { fleet } from './fleet.ts';
export type { Fleet, FleetOptions } from './fleet.ts';
export { memoryEngine } from './memory-engine.ts';
