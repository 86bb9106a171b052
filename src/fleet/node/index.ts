/**
 * `barewire/fleet/node`: `serveWorkers`: several processes on one port; `clusterRelay`, `clusterEngine`: the bus of `node:cluster`.
 *
 * @module
 */

export { clusterEngine, clusterRelay } from './cluster.ts';
export type { ClusterEngineOptions, ClusterRelayOptions } from './cluster.ts';
export { serveWorkers } from './workers.ts';
export type { WorkerContext, Workers, WorkersOptions } from './workers.ts';
export type { RelayedEngine } from './relay-engine.ts';
export type { CloseOptions, HttpServer } from '../../transport/http/node/index.ts';
export type { Bus, BusHandler, FleetEngine } from '../engine.ts';
