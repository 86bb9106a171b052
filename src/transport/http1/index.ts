/**
 * `barewire/http1`: HTTP/1.1 as a codec, and a server for any byte stream.
 *
 * @module
 */

export type { BodyLength, DecoderEvent } from './body-decoder.ts';
export type { HttpFault } from './fault.ts';
export type { FieldSection } from './field-section.ts';
export { chunk, fieldLine, lastChunk, requestLine, statusLine } from './head-writer.ts';
export { http1Server } from './http1-server.ts';
export type { Http1Connection, Http1Options, Http1Server } from './http1-server.ts';
export { defaultDecoderLimits, defaultHttp1Limits } from './limits.ts';
export type { DecoderLimits, Http1Limits } from './limits.ts';
export type { DecoderOptions, MessageDecoder } from './message-decoder.ts';
export type { Latin1 } from './octets.ts';
export type { Pipe } from './pipe.ts';
export { requestDecoder } from './request-decoder.ts';
export type { RequestHead } from './request-decoder.ts';
export { responseDecoder } from './response-decoder.ts';
export type { ResponseHead } from './response-decoder.ts';
