import { httpTransport as transport, serveHttp as serve } from '../../../src/transport/http/node/index.ts';
import { http1, http1Client } from '../../../src/transport/http1/node/index.ts';

/** Whether the engine refuses with 400 what has no meaning in HTTP/1.1, before the endpoint judges it. */
export const strict: boolean = process.env['BAREWIRE_ENGINE'] === 'http1';

/** `serveHttp` with the engine that is under test: where `BAREWIRE_ENGINE` says `http1` that one, otherwise `node:http`. */
export const serveHttp: typeof serve = (server, options = {}) =>
  serve(server, strict ? { engine: http1, ...options } : options);

/** `httpTransport` likewise. */
export const httpTransport: typeof transport = (url, options = {}) => transport(url, strict ? { engine: http1Client, ...options } : options);
