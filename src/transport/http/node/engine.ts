import type { Endpoint } from '../server/endpoint.ts';
import type { HttpServer } from './serve.ts';

/** The address and path to listen on. */
export interface ListenOptions {
  readonly port: number;
  readonly host: string;
  /** The path of the endpoint, for `url`. */
  readonly path: string;
}

/** An HTTP implementation in place of `node:http`: `http1` from barewire/http1/node. Rejects if it cannot listen on the port. */
export type HttpEngine = (endpoint: Endpoint, at: ListenOptions) => Promise<HttpServer>;
