/**
 * `barewire/socket/node`: `serveSocket`, `socketTransport`: lines over a Unix socket or a named pipe.
 *
 * @module
 */

export { socketTransport } from './client.ts';
export type { SocketTransportOptions } from './client.ts';
export { serveSocket } from './serve.ts';
export type { ServeSocketOptions, SocketServer } from './serve.ts';
