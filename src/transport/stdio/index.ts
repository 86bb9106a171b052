/**
 * `barewire/stdio`: `serveStdio`, `stdioTransport`.
 *
 * @module
 */

export { stdioTransport } from './client.ts';
export type { StdioTransportOptions } from './client.ts';
export { serveStdio } from './serve.ts';
export type { ServeStdioOptions, StdioServing } from './serve.ts';
