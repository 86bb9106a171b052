import { quote } from '../../../jsonrpc/quote.ts';
import type { HeaderFields, RequestInfo } from './http-request.ts';
import type { HttpOptions } from './options.ts';

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** `host` without its port; '' where it is none. */
const hostName = (host: string): string => /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(host)?.[1] ?? '';

/** Judges where a request claims to come from; what is not allowed, or undefined. */
export function createGuard(options: HttpOptions): (request: RequestInfo) => string | undefined {
  const { allowedHosts = loopback, allowedOrigins } = options;

  // 2025-11-25 basic/transports#security-warning: a page that had its name rebound to this address gives
  // itself away by its Host, and by its Origin.
  function hostAllowed(host: string): boolean {
    if (allowedHosts === '*') return true;
    const given = host.toLowerCase();
    return allowedHosts.includes(given) || allowedHosts.includes(hostName(given));
  }

  function originAllowed(origin: string): boolean {
    if (allowedOrigins === '*') return true;
    const given = origin.toLowerCase();
    return allowedOrigins?.includes(given)
      ?? loopback.includes(hostName(/^https?:\/\/([^/]*)$/.exec(given)?.[1] ?? ''));
  }

  return (request) => {
    const host = request.header('host') ?? '';
    if (!hostAllowed(host)) return `host ${quote(host)}`;
    const origin = request.header('origin');
    return origin === undefined || originAllowed(origin) ? undefined : `origin ${quote(origin)}`;
  };
}

/**
 * The CORS fields of every answer to an allowed origin; for a preflight,
 * those that allow the request as well.
 */
export function corsFields(request: RequestInfo): HeaderFields | undefined {
  const origin = request.header('origin');
  if (origin === undefined) return undefined;
  const fields: HeaderFields = {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce',
    vary: 'Origin',
  };
  if (request.method === 'OPTIONS') {
    fields['access-control-allow-methods'] = 'GET, POST, DELETE';
    // Whatever it wants to send: the names of Mcp-Param headers cannot be listed.
    fields['access-control-allow-headers'] = request.header('access-control-request-headers')
      ?? 'Content-Type';
    fields['access-control-max-age'] = 600;
  }
  return fields;
}
