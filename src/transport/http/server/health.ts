import { checkOptions } from '../../../bounds/options.ts';
import type { HttpRequest } from './http-request.ts';
import type { EndpointServices } from './services.ts';
import type { FleetPort } from './sharing.ts';

/** Answers a health probe. Returns false for any other request. */
export type Health = (request: HttpRequest, services: EndpointServices, fleet: FleetPort | undefined) => boolean;

/**
 * The `health` option of `serveHttp`, `httpListener` and `fetchHandler`: GET and HEAD of `path` get 200 and
 * `ready`, or 503 and `unready` while the server closes or the engine of its fleet does not answer. The response has no
 * other information, and no request is refused: `allowedHosts` and `auth` do not apply, since a probe sends an address
 * as `Host` and no credentials.
 */
export function health(path = '/healthz'): Health {
  checkOptions('health: path', path, 'string');
  return (request, services, fleet) => {
    const { method } = request;
    if (request.path !== path || (method !== 'GET' && method !== 'HEAD')) return false;
    const answer = (up: boolean): void => {
      const ready = up && services.phase === 'open';
      const word = ready ? 'ready\n' : 'unready\n';
      request.respond(ready ? 200 : 503, method === 'GET' ? word : '', {
        'content-type': 'text/plain', 'content-length': word.length, 'cache-control': 'no-store',
      });
    };
    if (fleet && services.phase === 'open') void fleet.up().then(answer);
    else answer(true);
    return true;
  };
}
