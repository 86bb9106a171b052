import type { Endpoint } from '../server/endpoint.ts';
import type { HttpServer } from './serve.ts';

/** Where an engine listens. */
export interface ListenOptions {
  readonly port: number;
  readonly host: string;
  /** The path of the endpoint, for `url`. */
  readonly path: string;
}

/** Listens and speaks HTTP in the place of `node:http`: `http1` of barewire/http1/node. Rejects where the port cannot be had. */
export type HttpEngine = (endpoint: Endpoint, at: ListenOptions) => Promise<HttpServer>;
