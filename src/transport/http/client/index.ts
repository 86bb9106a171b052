export { httpTransport } from './transport.ts';
export { defaultHttpClientLimits } from './options.ts';
export type { HeaderValues, HttpClientLimits, HttpTransportOptions } from './options.ts';
