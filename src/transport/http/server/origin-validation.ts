import { quote } from '../../../bounds/quote.ts';
import type { HeaderFields, McpFields, RequestInfo } from './http-request.ts';

/** The requests that a listener accepts, by their `Host`, `Origin` and `Sec-Fetch-Site`. */
export interface GuardOptions {
  /**
   * Hosts that the `Host` header may name; without a port, every port; '*' for all. Default: localhost,
   * 127.0.0.1 and [::1], against DNS rebinding.
   */
  allowedHosts?: readonly string[] | '*' | undefined;
  /**
   * Origins that the `Origin` header may name; '*' for all, 'own' for `http://` plus the `Host` header. Default:
   * those with a loopback host.
   */
  allowedOrigins?: readonly string[] | '*' | 'own' | undefined;
  /**
   * Top-level navigations of a browser, which carry no `Origin`. `refused`: those from another site are refused, like
   * other requests from there. `allowed`: those from another site are accepted. `only`: from a browser, only navigations
   * are accepted. Default `refused`.
   */
  navigation?: 'refused' | 'allowed' | 'only' | undefined;
}

/** Checks one request. Returns the part that is not allowed, in words; undefined if the request is accepted. */
export type Guard = (request: Pick<RequestInfo, 'header'>, fields: Pick<McpFields, 'host' | 'origin' | 'site'>) => string | undefined;

const loopback: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Values of `Sec-Fetch-Site` that are not from another site. Fetch Metadata, section 2.4. */
const ownSites: readonly string[] = ['same-origin', 'same-site', 'none'];

/** `host` without its port; '' if it is not a host. */
const hostName = (host: string): string => /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(host)?.[1] ?? '';

/** Throws a TypeError for an entry that no header can equal, such as the URL of a page in place of its origin. */
function checkEntries(option: string, entries: readonly string[] | string | undefined, form: RegExp, wanted: string): void {
  for (const one of Array.isArray(entries) ? entries as readonly string[] : []) {
    if (!form.test(one)) throw new TypeError(`options.${option}: ${quote(one)} is not ${wanted}`);
  }
}

/**
 * Makes the guard of a listener: the only place that checks `Host`, `Origin` and `Sec-Fetch-Site`. A request
 * without `Origin` and `Sec-Fetch-Site` comes from a program, or from a browser too old to send the latter.
 */
export function createGuard({ allowedHosts = loopback, allowedOrigins, navigation }: GuardOptions): Guard {
  checkEntries('allowedHosts', allowedHosts, /^[^\s/*A-Z]+$/, 'a host name such as trips.example, in lower case');
  checkEntries('allowedOrigins', allowedOrigins, /^(null|[a-z][^\s/*A-Z]*:\/\/[^\s/*A-Z]*)$/, 'an origin such as https://trips.example, in lower case');
  // 2025-11-25 basic/transports#security-warning: a page whose name was rebound to this address still sends that
  // name as its Host, and in its Origin.
  function hostAllowed(host: string): boolean {
    return allowedHosts === '*' || allowedHosts.includes(host) || allowedHosts.includes(hostName(host));
  }

  function originAllowed(origin: string, host: string): boolean {
    if (allowedOrigins === '*') return true;
    const given = origin.toLowerCase();
    if (allowedOrigins === 'own') return given === `http://${host}`;
    return allowedOrigins?.includes(given)
      ?? loopback.includes(hostName(/^https?:\/\/([^/]*)$/.exec(given)?.[1] ?? ''));
  }

  // An `<img>`, a link and a form of another site send a GET without `Origin`; a browser still sends the site.
  function siteAllowed(site: string, request: Pick<RequestInfo, 'header'>): boolean {
    const navigates = request.header('sec-fetch-mode') === 'navigate' && request.header('sec-fetch-dest') === 'document';
    if (navigation === 'only') return navigates;
    return ownSites.includes(site) || allowedOrigins === '*' || (navigation === 'allowed' && navigates);
  }

  return (request, { host: given, origin, site }) => {
    const host = (given ?? '').toLowerCase();
    if (!hostAllowed(host)) return `host ${quote(host)}`;
    if (origin !== undefined) return originAllowed(origin, host) ? undefined : `origin ${quote(origin)}`;
    return site === undefined || siteAllowed(site, request) ? undefined : `request of a page (Sec-Fetch-Site: ${quote(site)})`;
  };
}

/** The CORS fields of every response to an allowed origin; for a preflight, also those that allow the request. */
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
    // Allow the requested headers: the names of `Mcp-Param` headers are not known here.
    fields['access-control-allow-headers'] = request.header('access-control-request-headers')
      ?? 'Content-Type';
    fields['access-control-max-age'] = 600;
  }
  return fields;
}
