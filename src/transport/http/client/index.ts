export { httpTransport } from './fetch-sender.ts';
export type { FetchTransportOptions } from './fetch-sender.ts';
export { httpTrace } from './http-trace.ts';
export { defaultHttpClientLimits } from './options.ts';
export type { HeaderValues, HttpAuthorization, HttpClientLimits, HttpRefusal, HttpTarget, HttpTransportOptions } from './options.ts';
export type { Cancellation, HttpAnswer, HttpSend, HttpSender } from './sender.ts';
