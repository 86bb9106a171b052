import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Places } from '../../../bounds/places.ts';
import type { HttpClientEngine } from '../../http/node/transport-options.ts';
import type { HttpSend } from '../../http/client/sender.ts';
import { ClientConnection } from './client-connection.ts';

/**
 * Our own HTTP/1.1 for a client: `httpTransport(url, { engine: http1Client })`. Connections are kept and reused, the last
 * used one first. With a proxy or an `agent`, requests still use `node:http`.
 */
export const http1Client: HttpClientEngine = (origin, { tls, socketPath }, limits) => {
  const { maxConnections, maxIdleConnections, idleMs } = limits;
  const idle: ClientConnection[] = [];
  // Quick requests must not wait behind those whose responses may take long: each kind has its own limit.
  const places = { lasting: new Places(maxConnections), quick: new Places(maxConnections) };
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  const safe = origin.protocol === 'https:';
  const port = Number(origin.port || (safe ? 443 : 80));

  async function dial(): Promise<Socket> {
    const to = socketPath === undefined ? { host, port } : { path: socketPath };
    if (!safe) return connect({ ...to, noDelay: true });
    const { connect: connectSafely } = await import('node:tls');
    // RFC 6066, 3: an IP address is not a server name.
    const servername = tls?.servername ?? (/^[\d.]+$|:/.test(host) ? '' : host);
    return connectSafely({ ...to, ...tls, servername, ALPNProtocols: ['http/1.1'] });
  }

  async function connection(): Promise<ClientConnection> {
    for (let found = idle.pop(); found; found = idle.pop()) if (found.usable) return found;
    const made: ClientConnection = new ClientConnection(await dial(), idleMs, {
      free() {
        const kept = idle.length < maxIdleConnections;
        if (kept) idle.push(made);
        return kept;
      },
      gone() {
        const at = idle.indexOf(made);
        if (at >= 0) idle.splice(at, 1);
      },
    });
    return made;
  }

  return {
    async send(request: HttpSend) {
      const own = request.lasting ? places.lasting : places.quick;
      await own.take();
      try {
        request.cancellation.check();
        const to = await connection();
        if (request.cancellation.cancelled) to.end();
        request.cancellation.check();
        return await to.ask(request, () => own.free());
      } catch (error) {
        own.free();
        throw error;
      }
    },
    close() {
      for (const one of idle.splice(0)) one.end();
    },
  };
};
