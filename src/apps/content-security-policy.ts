import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { quote } from '../bounds/quote.ts';

/** The domains that an app needs. Without a list, it reaches no domain of that kind. */
export interface AppCsp {
  /** For `fetch`, `XMLHttpRequest`, `WebSocket`. */
  readonly connectDomains?: readonly string[];
  /** For images, scripts, styles, fonts, media. */
  readonly resourceDomains?: readonly string[];
  /** For frames within the app. */
  readonly frameDomains?: readonly string[];
  /** For `<base href>`. */
  readonly baseUriDomains?: readonly string[];
}

// For `checkOptions`.
export const cspShape: Shape<AppCsp> = { connectDomains: 'list', resourceDomains: 'list', frameDomains: 'list', baseUriDomains: 'list' };

/** The number of characters of a declared domain: the longest name of a host, a scheme, a port. */
const maxChars = 280;

/** The host of a URL in a policy: letters, digits, hyphens and dots. A policy has no form for an IPv6 address. */
const plainHost = /^[a-z\d_-]{1,63}(?:\.[a-z\d_-]{1,63})*$/;

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|(?:[a-z\d-]+\.)+localhost)$/;

/** The schemes of secure origins, and of those on this machine. */
const secure = /^(?:https|wss):$/;
const plain = /^(?:http|ws):$/;

/**
 * Returns a domain that an app declares as the text of an origin: `https://a.example`, `wss://a.example:8443`, `https://*.a.example`. Plain
 * `http` and `ws` only for this machine. Throws a TypeError for everything else. The domain is parsed and written anew, so that it cannot
 * end a directive of its policy.
 */
export function parseOrigin(domain: unknown): string {
  const fail = (why: string): never => {
    throw new TypeError(`the domain ${quote(domain)} ${why}`);
  };
  if (typeof domain !== 'string' || domain.length > maxChars) return fail('is not a text of at most 280 characters');
  const [, scheme = '', star = '', rest = ''] = /^([a-z]{2,5}:\/\/)(\*\.)?([^\s*]+)$/i.exec(domain) ?? [];
  if (!URL.canParse(scheme + rest)) return fail('is not an origin such as https://a.example');
  const { protocol, hostname, port, pathname } = new URL(scheme + rest);
  if (pathname !== '/') return fail('is more than an origin');
  // In the text: an empty query, fragment or user name, or a backslash, leaves no trace in the parsed parts.
  if (/[?#\\@]/.test(rest)) return fail('is more than an origin');
  if (!plainHost.test(hostname)) return fail('has a host that a policy cannot name');
  if (!secure.test(protocol) && !(plain.test(protocol) && loopback.test(hostname))) return fail('is neither secure (https, wss) nor on this machine');
  // A star over a whole top-level domain, or over numbers, would cover other people's hosts.
  if (star !== '' && (!hostname.includes('.') || /^[\d.]+$/.test(hostname))) return fail('has a star before a name of fewer than two parts');
  return `${protocol}//${star}${hostname}${port === '' ? '' : `:${port}`}`;
}

/**
 * The Content-Security-Policy of an app's document, for the header of the document that holds it. Parses each domain again, and throws a
 * TypeError for one that is not an origin. Stricter than Apps, Content Security Policy Enforcement: no `'self'`, which would be the host's
 * own sandbox, and no targets for forms.
 */
export function contentSecurityPolicy(csp: AppCsp = {}): string {
  checkOptions('contentSecurityPolicy: csp', csp, cspShape);
  const { connectDomains = [], resourceDomains = [], frameDomains = [], baseUriDomains = [] } = csp;
  const [connect, resource, frame, base] = [connectDomains, resourceDomains, frameDomains, baseUriDomains].map((one) => one.map(parseOrigin));
  const directive = (name: string, fixed: readonly string[], domains: readonly string[] = []): string => {
    const sources = [...fixed, ...domains];
    return `${name} ${sources.length === 0 ? "'none'" : sources.join(' ')}`;
  };
  return [
    "default-src 'none'",
    directive('script-src', ["'unsafe-inline'"], resource),
    directive('style-src', ["'unsafe-inline'"], resource),
    directive('img-src', ['data:'], resource),
    directive('media-src', ['data:'], resource),
    directive('font-src', [], resource),
    directive('connect-src', [], connect),
    directive('frame-src', [], frame),
    directive('base-uri', [], base),
    "object-src 'none'",
    "worker-src 'none'",
    "form-action 'none'",
  ].join('; ');
}
