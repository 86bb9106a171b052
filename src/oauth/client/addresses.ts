import { OAuthError } from '../errors.ts';
import { requireSecure } from '../fetch-json.ts';

/** What tells the addresses of a host name, as text. On Node: `(name) => lookup(name, { all: true })`. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** IPv4 blocks that are no public unicast address: first address and length of the prefix (RFC 6890). */
const privateBlocks: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12],
  ['192.0.0.0', 24], ['192.0.2.0', 24], ['192.168.0.0', 16], ['198.18.0.0', 15], ['198.51.100.0', 24],
  ['203.0.113.0', 24], ['224.0.0.0', 3],
];
/** Names that resolve inside a machine or a network (RFC 6761, RFC 6762, RFC 8375; `.internal` and its kin). */
const privateName = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/;

/**
 * Whether a host is certainly not on the public internet: a literal address of a private block, or a name that is
 * reserved for local use. What any other name resolves to cannot be seen here.
 */
export function isPrivate(hostname: string): boolean {
  const host = bare(hostname);
  if (host.includes(':')) return isPrivateV6(host);
  const v4 = toNumber(host);
  if (v4 !== undefined) return isPrivateV4(v4);
  return privateName.test(host) || !host.includes('.');
}

/** The host as it stands in a URL, without the brackets of IPv6 and the dot of the root. */
function bare(hostname: string): string {
  return hostname.toLowerCase().replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function toNumber(host: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host)?.slice(1).map(Number);
  return parts?.reduce((sum, part) => sum * 256 + part, 0);
}

function isPrivateV4(address: number): boolean {
  return privateBlocks.some(([from, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor((toNumber(from) as number) / size);
  });
}

function isPrivateV6(host: string): boolean {
  const groups = expand(host);
  if (groups === undefined) return true;
  const [first = 0, second = 0] = groups;
  const v4 = (high: number): boolean => isPrivateV4((groups[high] as number) * 65536 + (groups[high + 1] as number));
  // Only 2000::/3 is public. In it: 2001:db8::/32 is for documents, and 6to4 (2002::/16) holds an IPv4 address.
  if (first === 0x2002) return v4(1);
  if (first === 0x2001 && second === 0xdb8) return true;
  // NAT64 (64:ff9b::/96) and IPv4-mapped addresses (::ffff:0:0/96).
  // 64:ff9b:1::/48 is translation within a network (RFC 8215).
  if (first === 0x64 && second === 0xff9b) return groups.slice(2, 6).some((group) => group !== 0) || v4(6);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) return v4(6);
  return (first & 0xe000) !== 0x2000;
}

function expand(host: string): number[] | undefined {
  const text = host.replace(/(\d+\.\d+\.\d+\.\d+)$/, (dotted) => {
    const value = toNumber(dotted) ?? 0;
    return `${Math.floor(value / 65536).toString(16)}:${(value % 65536).toString(16)}`;
  }).replace(/%.*$/, '');
  const [head = '', tail] = text.split('::', 2);
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 0) return undefined;
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right].map((group) => parseInt(group, 16));
  return groups.some(Number.isNaN) ? undefined : groups;
}

/** Which addresses the documents of a server may name. */
export interface AddressRules {
  /** The MCP server. Where its own host is private, so may be what it names. */
  readonly server: URL;
  /** Let a public server name private addresses. */
  readonly allowPrivate: boolean;
  /** Resolves a name first, so that one with a private address is refused, too. */
  readonly lookup?: Lookup | undefined;
}

/**
 * A check for each URL that a server's document names.
 *
 * - https, or http to loopback (2026-07-28 basic/authorization/security-considerations#communication-security).
 * - Where the MCP server is public, no private address. Literal addresses and reserved names are judged; other names
 *   only with `lookup`, and even then the name may resolve differently when the connection is made.
 */
export function addressCheck({ server, allowPrivate, lookup }: AddressRules): (url: URL, document: string) => Promise<void> {
  const guarded = !allowPrivate && !isPrivate(server.hostname);
  return async (url, document) => {
    checkSecure(url, document);
    if (!guarded) return;
    const refuse = (what: string): never => {
      throw new OAuthError('private_address', `${document}: ${url.host} ${what}, and the server that named it, ${server.host}, is public`);
    };
    if (isPrivate(url.hostname)) refuse('is a private address');
    // A name that cannot be resolved here may be resolved by a proxy; then nothing is known of it.
    const addresses = await lookup?.(bare(url.hostname)).catch(() => []) ?? [];
    if (addresses.some(isPrivate)) refuse('resolves to a private address');
  };
}

/** Throws unless `url` is https, or http to this machine, and holds no user. */
export function checkSecure(url: URL, document: string): void {
  if (url.username !== '' || url.password !== '') {
    throw new OAuthError('insecure_url', `${document}: the URL on ${url.host} has a user in it`);
  }
  requireSecure(url, document);
}
