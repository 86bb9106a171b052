import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { checkOptions } from '../../../bounds/options.ts';
import type { Shape } from '../../../bounds/options.ts';
import { createGuard } from '../server/origin-validation.ts';
import { mcpFields } from '../server/http-request.ts';
import type { Guard, GuardOptions } from '../server/origin-validation.ts';

/** Returns the guard options for the port that received a request. Called once with port 0, to check the options. */
export type GuardOf = (port: number) => GuardOptions;

// For `checkOptions`.
const guardShape: Shape<GuardOptions> = {
  allowedHosts: 'list or "*"', allowedOrigins: 'list or "*" or "own"', navigation: '"refused" or "allowed" or "only"',
};

/**
 * A listener for `http.createServer` with a guard: refused requests get 403, and do not reach `serve`.
 * Every listener of this project is made by this function, or by `serveHttp`, `httpListener` and `fetchHandler`, which
 * have the same guard. Throws a TypeError for an unknown or malformed option.
 */
export function guarded(
  options: GuardOf, serve: (request: IncomingMessage, response: ServerResponse) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  const judge = nodeGuard('guarded', options);
  return (request, response) => {
    const what = judge(request);
    if (what === undefined) return serve(request, response);
    const head = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
    response.writeHead(403, head).end(`Forbidden: the ${what} is not allowed\n`);
  };
}

/** Like `guarded`, for `server.on('upgrade', …)`. */
export function guardedUpgrade(
  options: GuardOf, serve: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const judge = nodeGuard('guardedUpgrade', options);
  return (request, socket, head) => {
    if (judge(request) === undefined) return serve(request, socket, head);
    // Node has removed its own listeners from the socket.
    socket.on('error', () => socket.destroy());
    socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  };
}

function nodeGuard(place: string, options: GuardOf): (request: IncomingMessage) => string | undefined {
  checkOptions(`${place}: options`, options, 'function');
  checkOptions(`${place}: options`, options(0), guardShape);
  let made: { readonly port: number; readonly guard: Guard } | undefined;
  return ({ headers, socket: { localPort: port = 0 } }) => {
    if (made?.port !== port) made = { port, guard: createGuard(options(port)) };
    const header = (name: string): string | undefined => {
      const value = headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    return made.guard({ header }, mcpFields(header));
  };
}

/** The options of a listener that accepts these names of this machine with its own port, and only its own origin. */
export const ownAddress = (names: readonly string[], navigation?: GuardOptions['navigation']): GuardOf => (port) => {
  const hosts = names.flatMap((name) => (port === 80 ? [`${name}:${port}`, name] : [`${name}:${port}`]));
  return { allowedHosts: hosts, allowedOrigins: 'own', navigation };
};
