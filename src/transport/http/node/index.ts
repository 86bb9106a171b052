/**
 * `barewire/http`: `serveHttp`, `httpListener`; `httpTransport` over `node:http`.
 *
 * @module
 */

export type { HttpEngine, ListenOptions } from './engine.ts';
export { guarded, guardedUpgrade, ownAddress } from './guarded.ts';
export type { GuardOf } from './guarded.ts';
export { httpListener } from './request-listener.ts';
export type { HttpListener, NodeRequest } from './request-listener.ts';
export { serveHttp } from './serve.ts';
export type { HttpServer, ServeHttpOptions } from './serve.ts';
export { httpTransport } from './transport.ts';
export { defaultNodeHttpClientLimits } from './transport-options.ts';
export type { HttpClientEngine, NodeHttpClientLimits, NodeTransportOptions } from './transport-options.ts';
export { httpTrace } from '../client/http-trace.ts';
export type {
  Cancellation, HeaderValues, HttpAnswer, HttpAuthorization, HttpClientLimits, HttpRefusal, HttpSend, HttpSender, HttpTarget, HttpTransportOptions,
} from '../client/index.ts';
export type { Authenticate, Authenticated, Authenticator, Documents } from '../server/admission.ts';
export type { CloseOptions, Endpoint } from '../server/endpoint.ts';
export { memoryEventStore } from '../server/event-store.ts';
export type { EventStore, MissedMessages } from '../server/event-store.ts';
export type { GuardOptions } from '../server/origin-validation.ts';
export { health } from '../server/health.ts';
export type { Health } from '../server/health.ts';
export type { RequestInfo } from '../server/http-request.ts';
export { rateLimit } from '../server/rate-limit.ts';
export type { RateLimitOptions } from '../server/rate-limit.ts';
export { httpServerTrace } from '../server/http-server-trace.ts';
export type { HttpServerTrace } from '../server/tracing.ts';
export { httpObserver } from '../server/http-observer.ts';
export type { BeginHttp, HttpBegin, HttpEnd, ObserveHttp } from '../server/http-observer.ts';
export { defaultHttpLimits } from '../server/options.ts';
export type { HttpLimits, HttpOptions } from '../server/options.ts';
export { AccessDenied } from '../../auth.ts';
export type { Auth, AuthRefusal, RateRefusal } from '../../auth.ts';
export type { EventTraceEntry, HttpTrace, HttpTraceEntry, Trace, TracedEvent, TraceEntry } from '../../trace.ts';
export { gauges } from '../../../bounds/gauges.ts';
export type { Gauged, GaugedEndpoint, GaugedPeer, Gauges } from '../../../bounds/gauges.ts';
