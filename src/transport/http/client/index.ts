export type { HttpAuthorization, HttpRefusal, HttpTarget } from './authorization.ts';
export type { Cancellation } from './cancellation.ts';
export { httpTransport } from './fetch-sender.ts';
export type { FetchTransportOptions } from './fetch-sender.ts';
export { httpTrace } from './http-trace.ts';
export { defaultHttpClientLimits } from './options.ts';
export type { HeaderValues, HttpClientLimits, HttpTransportOptions } from './options.ts';
export type { HttpAnswer, HttpSend, HttpSender } from './sender.ts';
