import { checkOptions } from '../../bounds/options.ts';
import { createEndpoint } from '../http/server/endpoint.ts';
import type { CloseOptions } from '../http/server/endpoint.ts';
import { checkHttpOptions, httpShape } from '../http/server/options.ts';
import type { HttpOptions } from '../http/server/options.ts';
import type { ServerPort } from '../server-port.ts';
import { Connections } from './connections.ts';
import { defaultHttp1Limits } from './limits.ts';
import type { Http1Limits } from './limits.ts';
import type { Pipe } from './pipe.ts';

/** The options of `http1Server`. */
export interface Http1Options extends HttpOptions {
  /** The limits of its connections. */
  http1?: Partial<Http1Limits> | undefined;
}

/** One connection, for the code that reads its octets. */
export interface Http1Connection {
  /** Takes received octets. Their buffer must not be changed afterwards. */
  push(bytes: Uint8Array): void;
  /** The client has ended its side. */
  ended(): void;
  /** The connection is closed. */
  closed(): void;
  /** All written octets were sent. */
  read(): void;
}

/** Serves HTTP/1.1 over any byte stream. */
export interface Http1Server {
  /** Serves a connection. Undefined: there are too many connections, and the pipe was broken off. */
  connect(pipe: Pipe): Http1Connection | undefined;
  /** Call this once a second if the runtime has no timers. */
  tick(): void;
  /** Serves requests until none is in flight, for at most `drainMs` (default 5 seconds); then it ends every connection. */
  close(options?: CloseOptions): Promise<void>;
}

/**
 * Serves a server over HTTP/1.1 on any byte stream: a device's sockets, a pair of streams. On Node, use `http1` from
 * barewire/http1/node, which also listens.
 */
export function http1Server(server: ServerPort, options: Http1Options = {}): Http1Server {
  checkHttpOptions('http1Server', server, options, { ...httpShape, http1: defaultHttp1Limits });
  const { http1, ...http } = options;
  const endpoint = createEndpoint(server, http);
  const connections = new Connections(endpoint, http1);
  return {
    connect: (pipe) => connections.add(pipe),
    tick: () => connections.tick(),
    async close(given = {}) {
      checkOptions('close: options', given, { drainMs: 0 });
      connections.closing = true;
      await endpoint.close(given);
      for (const connection of connections) connection.finish();
      await connections.empty();
    },
  };
}
