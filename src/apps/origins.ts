import { quote } from '../bounds/quote.ts';

/** The number of characters of a declared domain: the longest name of a host, a scheme, a port. */
const maxChars = 280;

/** The host of a URL that may stand in a policy: letters, digits, hyphens and dots. No IPv6 address: a policy has no form for one. */
const plainHost = /^[a-z\d_-]{1,63}(?:\.[a-z\d_-]{1,63})*$/;

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|(?:[a-z\d-]+\.)+localhost)$/;

/** The schemes of secure origins, and of those on this machine. */
const secure = /^(?:https|wss):$/;
const plain = /^(?:http|ws):$/;

/**
 * A domain that an app declares, as the text of an origin: `https://a.example`, `wss://a.example:8443`,
 * `https://*.a.example`. Plain `http` and `ws` only for this machine. Throws a TypeError for everything else: a domain is
 * parsed and written anew, so that none can end a directive of the policy in which it stands.
 */
export function parseOrigin(domain: unknown): string {
  const fail = (why: string): never => {
    throw new TypeError(`the domain ${quote(domain)} ${why}`);
  };
  if (typeof domain !== 'string' || domain.length > maxChars) return fail('is not a text of at most 280 characters');
  const [, scheme = '', star = '', rest = ''] = /^([a-z]{2,5}:\/\/)(\*\.)?([^\s*]+)$/i.exec(domain) ?? [];
  if (!URL.canParse(scheme + rest)) return fail('is not an origin such as https://a.example');
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(scheme + rest);
  if (username !== '' || password !== '' || search !== '' || hash !== '' || pathname !== '/') return fail('is more than an origin');
  // A question mark, a hash or a backslash that names nothing leaves no trace in the parts.
  if (/[?#\\@]/.test(rest)) return fail('is more than an origin');
  if (!plainHost.test(hostname)) return fail('has a host that a policy cannot name');
  if (!secure.test(protocol) && !(plain.test(protocol) && loopback.test(hostname))) return fail('is neither secure (https, wss) nor on this machine');
  // A star over a whole top-level domain, or over numbers, would name hosts of everybody.
  if (star !== '' && (!hostname.includes('.') || /^[\d.]+$/.test(hostname))) return fail('has a star where a name of at least two parts must stand');
  return `${protocol}//${star}${hostname}${port === '' ? '' : `:${port}`}`;
}
