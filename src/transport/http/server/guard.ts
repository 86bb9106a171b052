import type { Exchange, HeaderFields, RequestInfo } from './http-request.ts';
import type { HttpOptions } from './options.ts';

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** What a POST's `Accept` allows as its answer. */
export interface Accepted {
  readonly json: boolean;
  readonly sse: boolean;
}

const both: Accepted = { json: true, sse: true };
const jsonOnly: Accepted = { json: true, sse: false };
const sseOnly: Accepted = { json: false, sse: true };

let lastAccept: string | undefined;
let lastAccepted: Accepted | undefined = both;

/**
 * Reads an `Accept` header; one that is missing accepts everything. RFC 9110, 12.5.1, without its weights.
 */
export function readAccept(header: string | undefined): Accepted | undefined {
  // A client says the same each time.
  if (header === lastAccept) return lastAccepted;
  lastAccept = header;
  const text = header?.toLowerCase() ?? '*/*';
  const any = text.includes('*/*');
  const json = any || text.includes('application/json') || text.includes('application/*');
  const sse = any || text.includes('text/event-stream') || text.includes('text/*');
  return lastAccepted = json ? (sse ? both : jsonOnly) : sse ? sseOnly : undefined;
}

export function isJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || /^application\/json\s*(?:;|$)/i.test(contentType ?? '');
}

/** `host` without its port; '' where it is none. */
const hostName = (host: string): string => /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(host)?.[1] ?? '';

/** Judges where a request claims to come from; what is not allowed, or undefined. */
export function createGuard(options: HttpOptions): (request: RequestInfo) => string | undefined {
  const { allowedHosts = loopback, allowedOrigins } = options;
  let lastHost: string | undefined;

  // 2025-11-25 basic/transports#security-warning: a page that had its name rebound to this address gives
  // itself away by its Host, and by its Origin.
  function hostAllowed(host: string): boolean {
    if (allowedHosts === '*' || host === lastHost) return true;
    const given = host.toLowerCase();
    const allowed = allowedHosts.includes(given) || allowedHosts.includes(hostName(given));
    if (allowed) lastHost = host;
    return allowed;
  }

  function originAllowed(origin: string): boolean {
    if (allowedOrigins === '*') return true;
    const given = origin.toLowerCase();
    return allowedOrigins?.includes(given)
      ?? loopback.includes(hostName(/^https?:\/\/([^/]*)$/.exec(given)?.[1] ?? ''));
  }

  return (request) => {
    const host = request.header('host') ?? '';
    if (!hostAllowed(host)) return `host ${JSON.stringify(host)}`;
    const origin = request.header('origin');
    return origin === undefined || originAllowed(origin) ? undefined : `origin ${JSON.stringify(origin)}`;
  };
}

/**
 * The CORS fields of every answer to an allowed origin; for a preflight,
 * those that allow the request as well.
 */
export function corsFields(exchange: Exchange): HeaderFields | undefined {
  const origin = exchange.header('origin');
  if (origin === undefined) return undefined;
  const fields: HeaderFields = {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Mcp-Session-Id, WWW-Authenticate',
    vary: 'Origin',
  };
  if (exchange.method === 'OPTIONS') {
    fields['access-control-allow-methods'] = 'GET, POST, DELETE';
    // Whatever it wants to send: the names of Mcp-Param headers cannot be listed.
    fields['access-control-allow-headers'] = exchange.header('access-control-request-headers')
      ?? 'Content-Type';
    fields['access-control-max-age'] = 600;
  }
  return fields;
}
