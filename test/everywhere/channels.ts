import { fetchHandler, httpTransport } from '../../src/transport/http/fetch/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { messagePortTransport, serveMessagePort } from '../../src/transport/message-port.ts';
import { smokeServer } from './smoke.ts';
import type { Channel } from './smoke.ts';

/** Client and server in one program. */
export const memory: Channel = () => memoryTransport(smokeServer());

/** Client and server in one program, through requests and responses. */
export const http: Channel = () => {
  const handle = fetchHandler(smokeServer());
  return httpTransport('http://localhost/mcp', { fetch: (input, init) => handle(new Request(input, init)) });
};

/** Client and server at the two ends of a `MessageChannel`. */
export const messagePort: Channel = () => {
  const { port1, port2 } = new MessageChannel();
  serveMessagePort(smokeServer(), port1);
  return messagePortTransport(port2);
};
