import { OAuthError } from '../errors.ts';
import { requireSecure } from '../fetch-json.ts';

/** Resolves a host name to its addresses, as text. On Node: `(name) => lookup(name, { all: true })`. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/**
 * IPv4 blocks that are not public unicast addresses: first address and length of the prefix. All of IANA's registry
 * of special purposes (RFC 6890 and later), including blocks that it calls global (192.31.196.0, 192.52.193.0,
 * 192.175.48.0): they are anycast, so the nearest network answers there. And 168.63.129.16, where every virtual
 * machine of Azure reaches its host.
 */
const privateV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['168.63.129.16', 32], ['169.254.0.0', 16], ['172.16.0.0', 12],
  ['192.0.0.0', 24], ['192.0.2.0', 24], ['192.31.196.0', 24], ['192.52.193.0', 24], ['192.88.99.0', 24], ['192.168.0.0', 16],
  ['192.175.48.0', 24], ['198.18.0.0', 15], ['198.51.100.0', 24], ['203.0.113.0', 24], ['224.0.0.0', 3],
];
/**
 * The same for IPv6 within 2000::/3; outside of it no IPv6 address is public. Protocol assignments with Teredo,
 * benchmarking and ORCHID (2001::/23), documentation (two blocks), AS112.
 */
const privateV6: readonly (readonly [groups: readonly number[], bits: number])[] = [
  [[0x2001, 0], 23], [[0x2001, 0xdb8], 32], [[0x2620, 0x4f, 0x8000], 48], [[0x3fff, 0], 20],
];
/**
 * Names that resolve inside a machine or a network: RFC 6761, RFC 6762, everything in .arpa (RFC 8375), `.internal`,
 * the names that ICANN does not delegate because networks use them (home, corp, mail), and those of Kubernetes,
 * Consul and routers.
 */
const privateName = /(^|\.)(localhost|localdomain|local|internal|intranet|private|lan|home|corp|mail|svc|cluster|consul|test|arpa)$/;

/**
 * Whether a host is certainly not on the public internet: a literal address of a private block, or a name that is
 * reserved for local use. Other names are not resolved here.
 */
export function isPrivate(hostname: string): boolean {
  const host = bare(hostname);
  if (host.includes(':')) return isPrivateV6(host);
  const v4 = toNumber(host);
  if (v4 !== undefined) return isPrivateV4(v4);
  // If the last label has only digits, the host is an IPv4 address or invalid (WHATWG URL, 3.5).
  if (/(^|\.)\d+$/.test(host)) return true;
  return privateName.test(host) || !host.includes('.');
}

/** The host of a URL, without the brackets of IPv6 and trailing dots. */
function bare(hostname: string): string {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  let end = host.length;
  while (host[end - 1] === '.') end--;
  return host.slice(0, end);
}

function toNumber(host: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host)?.slice(1).map(Number);
  return parts?.every((part) => part < 256) ? parts.reduce((sum, part) => sum * 256 + part, 0) : undefined;
}

function isPrivateV4(address: number): boolean {
  return privateV4.some(([from, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(address / size) === Math.floor((toNumber(from) as number) / size);
  });
}

function isPrivateV6(host: string): boolean {
  const groups = expand(host);
  if (groups === undefined) return true;
  const [first = 0, second = 0] = groups;
  const v4 = (high: number): boolean => isPrivateV4((groups[high] as number) * 65536 + (groups[high + 1] as number));
  // A 6to4 address (2002::/16) leads to the IPv4 address in it.
  if (first === 0x2002) return v4(1);
  // NAT64 (64:ff9b::/96) and IPv4-mapped addresses (::ffff:0:0/96) also contain an IPv4 address. 64:ff9b:1::/48 is for
  // translation within a network (RFC 8215).
  if (first === 0x64 && second === 0xff9b) return groups.slice(2, 6).some((group) => group !== 0) || v4(6);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) return v4(6);
  // ISATAP (RFC 5214): with any prefix, the router sends it to the IPv4 address in it.
  if ((groups[4] === 0 || groups[4] === 0x200) && groups[5] === 0x5efe && v4(6)) return true;
  return (first & 0xe000) !== 0x2000 || privateV6.some(([from, bits]) => begins(groups, from, bits));
}

/** Whether the first `bits` bits of two addresses are the same. */
function begins(groups: readonly number[], from: readonly number[], bits: number): boolean {
  return from.every((group, i) => {
    const rest = 16 - Math.min(16, Math.max(0, bits - 16 * i));
    return group >> rest === (groups[i] as number) >> rest;
  });
}

function expand(host: string): number[] | undefined {
  const [plain = ''] = host.split('%', 1);
  const last = plain.lastIndexOf(':') + 1;
  const dotted = toNumber(plain.slice(last));
  const text = dotted === undefined ? plain
    : `${plain.slice(0, last)}${Math.floor(dotted / 65536).toString(16)}:${(dotted % 65536).toString(16)}`;
  const [head = '', tail, more] = text.split('::', 3);
  if (more !== undefined) return undefined;
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right];
  return groups.every((group) => /^[\da-f]{1,4}$/.test(group)) ? groups.map((group) => parseInt(group, 16)) : undefined;
}

/** The addresses that the documents of a server may name. */
export interface AddressRules {
  /** The MCP server. If its own host is private, it may name private addresses. */
  readonly server: URL;
  /** True: a public server may name private addresses. */
  readonly allowPrivate: boolean;
  /** Resolves a name first, so that a name with a private address is refused too. */
  readonly lookup?: Lookup | undefined;
}

/**
 * A check for each URL that a server's document names.
 *
 * - https, or http to loopback (2026-07-28 basic/authorization/security-considerations#communication-security).
 * - If the MCP server is public, no private address. Literal addresses and reserved names are checked; other names only
 *   with `lookup`, and even then the name may resolve differently when the connection is made.
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
    // If the name cannot be resolved here, a proxy may still resolve it; then this check knows nothing about it.
    const addresses = await lookup?.(bare(url.hostname)).catch(() => []) ?? [];
    if (addresses.some(isPrivate)) refuse('resolves to a private address');
  };
}

/** Throws unless `url` is https, or http to this machine, and has no user part. */
export function checkSecure(url: URL, document: string): void {
  if (url.username !== '' || url.password !== '') {
    throw new OAuthError('insecure_url', `${document}: the URL on ${url.host} contains a user name`);
  }
  requireSecure(url, document);
}
