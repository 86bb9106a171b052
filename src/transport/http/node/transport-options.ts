import type { Agent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import type { Shape } from '../../../bounds/options.ts';
import { defaultHttpClientLimits } from '../client/options.ts';
import type { HttpClientLimits, HttpTransportOptions } from '../client/options.ts';
import type { HttpSender } from '../client/sender.ts';

/** The bounds of every HTTP client, and those of its connections. */
export interface NodeHttpClientLimits extends HttpClientLimits {
  /**
   * Connections; a further request waits for one, but for those whose answers are quick (answers to the server's
   * questions, notifications): there are as many spare ones for these. 256.
   */
  maxConnections: number;
  /** Connections of each kind that are kept when idle. 16. */
  maxIdleConnections: number;
  /**
   * Milliseconds that an idle connection is kept. Where the server says how long it keeps one (`Keep-Alive`), it is
   * let go a second before that. 4 s.
   */
  idleMs: number;
}

/** The limits that hold where none is given. */
export const defaultNodeHttpClientLimits: NodeHttpClientLimits = {
  ...defaultHttpClientLimits, maxConnections: 256, maxIdleConnections: 16, idleMs: 4000,
};

/** Sends requests in the place of `node:http`: `http1Client` of barewire/http1/node. */
export type HttpClientEngine = (origin: URL, options: NodeTransportOptions, limits: NodeHttpClientLimits) => HttpSender;

/** What `httpTransport` of `barewire/http` may be given. */
export interface NodeTransportOptions extends HttpTransportOptions {
  /** Holds the connections instead of one that is made here; its bounds, TLS settings and proxy are its own. */
  readonly agent?: Agent | HttpsAgent | undefined;
  /** For `https:`: which certificates are trusted (`ca`), and which is shown (`cert`, `key`). */
  readonly tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key' | 'passphrase' | 'pfx'> & {
    /** The name that the server's certificate must have. Default: the host of the address. */
    readonly servername?: string | undefined;
  } | undefined;
  /** A Unix socket, or a named pipe, that is connected to instead of the host of the address. */
  readonly socketPath?: string | undefined;
  /**
   * The address of an HTTP proxy, or `'environment'`: what `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`
   * say, loopback excepted. Default: none, and the environment is not read.
   */
  readonly proxy?: 'environment' | URL | (string & {}) | undefined;
  readonly limits?: Partial<NodeHttpClientLimits> | undefined;
  /** What speaks HTTP: `http1Client` of barewire/http1/node. Default, and through a proxy or an `agent`: `node:http`. */
  readonly engine?: HttpClientEngine | undefined;
}

/** For `checkOptions`. */
export const tlsShape: Shape<NonNullable<NodeTransportOptions['tls']>> = {
  ca: 'string or object or list', cert: 'string or object or list', key: 'string or object or list', passphrase: 'string',
  pfx: 'string or object or list', servername: 'string',
};
