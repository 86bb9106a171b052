import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Names by which a browser on this machine reaches a port of the loopback interface. */
const names: readonly string[] = ['127.0.0.1', 'localhost'];

/**
 * Whether a request names this server by an address of this machine. A page whose host name was made to resolve to
 * 127.0.0.1 sends that name, and is refused.
 */
export function isOurHost(host: string | undefined, port: number): boolean {
  return names.some((name) => host === `${name}:${port}` || (port === 80 && host === name));
}

/** Whether a WebSocket is opened by a page of this very server: its origin is the address that it was asked by. */
export function isOurUpgrade({ headers: { host, origin } }: IncomingMessage, port: number): boolean {
  return isOurHost(host, port) && origin === `http://${host}`;
}

/** Compares in a time that does not depend on what is given. */
export function isToken(given: unknown, token: string): boolean {
  if (typeof given !== 'string') return false;
  const [one, two] = [Buffer.from(given), Buffer.from(token)];
  return one.length === two.length && timingSafeEqual(one, two);
}
