/**
 * `barewire/fleet/testing`: `engineTests` and `storeTests`: what every engine of a fleet has to pass.
 *
 * @module
 */

export { engineTests } from './engine-tests.ts';
export type { EngineTest, OpenedEngine } from './engine-tests.ts';
export { storeTests } from './store-tests.ts';
