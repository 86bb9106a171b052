/**
 * `barewire/fleet`: `fleet`: sessions that any process opens; `memoryEngine`.
 *
 * @module
 */

export { Undeliverable } from './engine.ts';
export type {
  Bus, BusHandler, FleetEngine, KeptSession, KeptStream, SessionStore, SpentStore, StoringEngine, StreamPart, StreamStore,
} from './engine.ts';
export { fleet } from './fleet.ts';
export type { Fleet, FleetOptions } from './fleet.ts';
export { memoryEngine } from './memory-engine.ts';
export type { MemoryEngineOptions } from './memory-engine.ts';
export { Inbox, Outbox, retrying, within } from './outbox.ts';
export type { Put } from './outbox.ts';
export { BusMessageRefused } from './sealed-bus.ts';
