/**
 * `barewire/fleet/testing`: `engineTests` and `storeTests`: tests that every engine of a fleet must pass.
 *
 * @module
 */

export { engineTests } from './engine-tests.ts';
export type { EngineTest, OpenedEngine } from './engine-tests.ts';
export { storeTests } from './store-tests.ts';
