/**
 * `barewire/jsonrpc`: `decode`, `encode`, the framer, the connection.
 *
 * @module
 */

export { checkOptions } from '../bounds/options.ts';
export type { Kind, Shape } from '../bounds/options.ts';
export { Budget, defaultPeerBytes, defaultProcessBytes, peerBudget, processBudget } from '../bounds/budget.ts';
export { classify, decode, decodeValue, encode } from './message.ts';
export { Connection, defaultConnectionLimits } from './connection.ts';
export type { CancelledRequest, ConnectionHandlers, ConnectionLimits } from './connection.ts';
export { ConnectionError, errorCodes, RpcError } from './errors.ts';
export type { LocalFailure } from './errors.ts';
export { createFramer, defaultMaxMessageBytes } from './framing.ts';
export type { Framer, FramerEvents } from './framing.ts';
export { Cancelled, InboundRequest, notify } from './inbound-request.ts';
export type {
  Bag, Decoded, ErrorObject, Failure, Message, Notification, Params, Refusal, Request, RequestId, Response,
  Success, UncheckedResponse,
} from './message.ts';
export type { Outlet } from './inbound-request.ts';
export { PendingRequests } from './pending-requests.ts';
export type { Progress, RequestOptions, RequestRules } from './pending-requests.ts';
export { stopOf } from './stop.ts';
export type { Stop } from './stop.ts';
export { defaultMaxDepth, defaultMaxValues } from '../bounds/weight.ts';
export type { WeightLimits } from '../bounds/weight.ts';
export { gauges } from '../bounds/gauges.ts';
export type { Gauged, GaugedEndpoint, GaugedPeer, Gauges } from '../bounds/gauges.ts';
