/**
 * `barewire/http1/node`: HTTP/1.1 on `node:net` and `node:tls`, in the place of `node:http`.
 *
 * @module
 */

export { http1Client } from './client.ts';
export { http1, http1Engine } from './engine.ts';
export type { Http1EngineOptions, ServerTls } from './engine.ts';
export { defaultHttp1Limits } from '../limits.ts';
export type { DecoderLimits, Http1Limits } from '../limits.ts';
export type { HttpClientEngine } from '../../http/node/transport-options.ts';
export type { HttpEngine, ListenOptions } from '../../http/node/engine.ts';
