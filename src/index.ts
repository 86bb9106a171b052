/**
 * barewire has one entry for each thing that a program may need, so that nothing is loaded that is not used. This
 * entry says where they are; it holds no code.
 *
 * ```ts
 * import { McpServer } from 'barewire/server';
 * import { serveStdio } from 'barewire/stdio';
 * ```
 *
 * @module
 */

/** Where each thing is: its entry by its name. */
export const entries: Readonly<Record<string, string>> = {
  McpServer: 'barewire/server',
  McpClient: 'barewire/client',
  'serveStdio, stdioTransport': 'barewire/stdio',
  'serveHttp, httpListener': 'barewire/http',
  http1: 'barewire/http1/node',
  'fetchHandler, httpTransport': 'barewire/fetch',
  'serveMessagePort, messagePortTransport': 'barewire/message-port',
  memoryTransport: 'barewire/memory',
  'compile, FromSchema': 'barewire/schema',
  'decode, encode': 'barewire/jsonrpc',
  revisions: 'barewire/protocol',
  Host: 'barewire/host',
};
