/**
 * `barewire/fleet/node`: `clusterRelay`, `clusterEngine`: the bus of `node:cluster`.
 *
 * @module
 */

export { clusterEngine, clusterRelay } from './cluster.ts';
export type { ClusterEngineOptions, ClusterRelayOptions } from './cluster.ts';
export type { RelayedEngine } from './relay-engine.ts';
export type { Bus, BusHandler, FleetEngine } from '../engine.ts';
