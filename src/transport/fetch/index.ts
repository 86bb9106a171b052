export { fetchHandler } from './handler.ts';
export type { FetchHandler } from './handler.ts';
// The client's half: export { httpTransport } from '../http-client/transport.ts';
export type { CloseOptions } from '../http-server/endpoint.ts';
export { memoryEventStore } from '../http-server/event-store.ts';
export type { EventStore, Replay } from '../http-server/event-store.ts';
export type { RequestInfo } from '../http-server/exchange.ts';
export { defaultHttpLimits } from '../http-server/options.ts';
export type { HttpLimits, HttpOptions } from '../http-server/options.ts';
