import type { Agent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import type { Shape } from '../../../bounds/options.ts';
import { defaultHttpClientLimits } from '../client/options.ts';
import type { HttpClientLimits, HttpTransportOptions } from '../client/options.ts';
import type { HttpSender } from '../client/sender.ts';

/** The bounds of every HTTP client, and of its connections. */
export interface NodeHttpClientLimits extends HttpClientLimits {
  /**
   * Maximum connections; further requests wait for one. Quick requests (answers to the server's questions,
   * notifications) do not wait: they have as many spare connections. 256.
   */
  maxConnections: number;
  /** Idle connections that are kept, of each of the two kinds. 16. */
  maxIdleConnections: number;
  /**
   * Milliseconds that an idle connection is kept. If the server tells how long it keeps one (`Keep-Alive`), it is
   * closed a second before that. 4 s.
   */
  idleMs: number;
}

/** The defaults of `NodeHttpClientLimits`. */
export const defaultNodeHttpClientLimits: NodeHttpClientLimits = {
  ...defaultHttpClientLimits, maxConnections: 256, maxIdleConnections: 16, idleMs: 4000,
};

/** An HTTP implementation in place of `node:http`: `http1Client` from barewire/http1/node. */
export type HttpClientEngine = (origin: URL, options: NodeTransportOptions, limits: NodeHttpClientLimits) => HttpSender;

/** The options of `httpTransport` of `barewire/http`. */
export interface NodeTransportOptions extends HttpTransportOptions {
  /** Holds the connections, with its own bounds, TLS settings and proxy. Default: two agents made from these options. */
  readonly agent?: Agent | HttpsAgent | undefined;
  /** For `https:`: the trusted certificates (`ca`), and the client's own (`cert`, `key`). */
  readonly tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'pfx'> & {
    /** The name that the server's certificate must have. Default: the host of the URL. */
    readonly servername?: string | undefined;
  } | undefined;
  /** A Unix socket or a named pipe to connect to instead of the host of the URL. */
  readonly socketPath?: string | undefined;
  /**
   * The URL of an HTTP proxy, or `'environment'` to use `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`,
   * except for loopback. Default: no proxy, and the environment is not read.
   */
  readonly proxy?: 'environment' | URL | (string & {}) | undefined;
  readonly limits?: Partial<NodeHttpClientLimits> | undefined;
  /** The HTTP implementation: `http1Client` from barewire/http1/node. Default, and with `proxy` or `agent`: `node:http`. */
  readonly engine?: HttpClientEngine | undefined;
}

/** For `checkOptions`. */
export const tlsShape: Shape<NonNullable<NodeTransportOptions['tls']>> = {
  ca: 'string or object or list', cert: 'string or object or list', key: 'string or object or list', passphrase: 'string',
  pfx: 'string or object or list', servername: 'string',
};
