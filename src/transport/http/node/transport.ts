import { checkOptions } from '../../../bounds/options.ts';
import type { ClientTransport } from '../../client-port.ts';
import { httpTransportShape } from '../client/options.ts';
import { clientTransport } from '../client/transport.ts';
import { defaultNodeHttpClientLimits, tlsShape } from './transport-options.ts';
import type { NodeTransportOptions } from './transport-options.ts';
import { nodeSender } from './sender.ts';

/**
 * The client's side of Streamable HTTP over `node:http` and `node:https`: like `httpTransport` of
 * barewire/fetch, but several times faster. `url` is the MCP endpoint; throws a TypeError if it is not an HTTP URL.
 * Source: 2026-07-28 basic/transports/streamable-http.
 */
export function httpTransport(url: string | URL, options: NodeTransportOptions = {}): ClientTransport {
  checkOptions('httpTransport: options', options, {
    ...httpTransportShape, limits: defaultNodeHttpClientLimits, agent: 'object', socketPath: 'string', proxy: 'string or object', tls: tlsShape, engine: 'function',
  });
  const limits = { ...defaultNodeHttpClientLimits, ...options.limits };
  const send = options.proxy === undefined && !options.agent && options.engine || nodeSender;
  return clientTransport(url, options, send(new URL(url), options, limits));
}
