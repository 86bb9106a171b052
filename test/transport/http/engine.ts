import { httpTransport as transport, serveHttp as serve } from '../../../src/transport/http/node/index.ts';
import { http1, http1Client } from '../../../src/transport/http1/node/index.ts';

/** True if the engine itself refuses malformed HTTP/1.1 with 400, before the endpoint sees it. */
export const strict: boolean = process.env['BAREWIRE_ENGINE'] === 'http1';

/** `serveHttp` with the engine under test: `http1` if `BAREWIRE_ENGINE` is `http1`, otherwise `node:http`. */
export const serveHttp: typeof serve = (server, options = {}) =>
  serve(server, strict ? { engine: http1, ...options } : options);

/** `httpTransport` with the engine under test. */
export const httpTransport: typeof transport = (url, options = {}) => transport(url, strict ? { engine: http1Client, ...options } : options);
