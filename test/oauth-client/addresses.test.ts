import assert from 'node:assert/strict';
import test from 'node:test';
import { isPrivate } from '../../src/oauth/client/addresses.ts';
import { randomOf } from '../random.ts';

// IANA's registries of special-purpose addresses (RFC 6890 and later) and of multicast, written again, and addresses that clouds reserve.
// The checks here use numbers, not prefixes.
const v4Blocks: readonly string[] = [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24',
  '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4',
  '240.0.0.0/4', '255.255.255.255/32', '168.63.129.16/32',
];
const v6Blocks: readonly string[] = [
  '::/128', '::1/128', '64:ff9b:1::/48', '100::/64', '100:0:0:1::/64', '2001::/23', '2001::/32', '2001:2::/48', '2001:10::/28', '2001:20::/28', '2001:30::/28',
  '2001:db8::/32', '2620:4f:8000::/48', '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8',
];

const v4Number = (text: string): bigint => text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
const v4Text = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');

function v6Number(text: string): bigint {
  const [head = '', tail] = text.split('::');
  const parts = (half: string): string[] => (half === '' ? [] : half.split(':'));
  const [left, right] = [parts(head), parts(tail ?? '')];
  const all = tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
  return all.reduce((sum, part) => sum * 65536n + BigInt(`0x${part}`), 0n);
}
const v6Groups = (value: bigint): string[] => Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 65535n).toString(16));
const v6Text = (value: bigint): string => v6Groups(value).join(':');
/** As in a URL, with the longest run of zeros left out. */
const asInUrl = (value: bigint): string => new URL(`http://[${v6Text(value)}]/`).hostname;

interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

const ranges = (blocks: readonly string[], width: number, number: (text: string) => bigint): Range[] => blocks.map((block) => {
  const [text = '', bits = '0'] = block.split('/');
  const size = 1n << BigInt(width - Number(bits));
  return { from: number(text), to: number(text) + size - 1n };
});
const v4Ranges = ranges(v4Blocks, 32, v4Number);
const v6Ranges = ranges(v6Blocks, 128, v6Number);
const isIn = (value: bigint, all: readonly Range[]): boolean => all.some(({ from, to }) => from <= value && value <= to);

const privateV4 = (value: bigint): boolean => isIn(value, v4Ranges);
const embedded = (value: bigint, shift: bigint): boolean => privateV4((value >> shift) & 0xffffffffn);

function privateV6(value: bigint): boolean {
  if (value >> 32n === 0xffffn || value >> 32n === v6Number('64:ff9b::') >> 32n) return embedded(value, 0n);
  if (value >> 112n === 0x2002n) return embedded(value, 80n);
  const id = (value >> 32n) & 0xffffffffn;
  if ((id === 0x5efen || id === 0x02005efen) && embedded(value, 0n)) return true;
  return value >> 125n !== 1n || isIn(value, v6Ranges);
}

/** The ends of each block, their neighbours, and an address within. */
function* around(all: readonly Range[], width: bigint): Generator<bigint> {
  for (const { from, to } of all) {
    for (const value of [from - 1n, from, from + 1n, (from + to) / 2n, to - 1n, to, to + 1n]) if (value >= 0n && value < 1n << width) yield value;
  }
}

test('addresses: each block of IPv4 is refused from its first to its last address, and what is next to it is judged by itself', () => {
  const seen = [...around(v4Ranges, 32n)];
  for (const value of seen) assert.equal(isPrivate(v4Text(value)), privateV4(value), v4Text(value));
  const random = randomOf(4);
  for (let i = 0; i < 20_000; i++) {
    const value = BigInt(Math.floor(random() * 2 ** 32));
    assert.equal(isPrivate(v4Text(value)), privateV4(value), v4Text(value));
  }
  assert.ok(seen.some((value) => !privateV4(value)));
});

test('addresses: IPv4 within IPv6 is judged as what it is, in every form', () => {
  for (const value of around(v4Ranges, 32n)) {
    const dotted = v4Text(value);
    const [high, low] = [(value >> 16n).toString(16), (value & 65535n).toString(16)];
    for (const text of [`::ffff:${dotted}`, `::ffff:${high}:${low}`, `64:ff9b::${dotted}`, `2002:${high}:${low}::`, `2002:${high}:${low}:1::5`, `[::ffff:${high}:${low}]`]) {
      assert.equal(isPrivate(text), privateV4(value), text);
    }
    // IPv4-compatible, and translated within a network: no public server has such addresses.
    for (const text of [`::${dotted}`, `::ffff:0:${dotted}`, `64:ff9b:1::${dotted}`, `fe80::5efe:${dotted}`]) assert.equal(isPrivate(text), true, text);
    for (const id of ['0:5efe', '200:5efe']) assert.equal(isPrivate(`2a00:1:2:3:${id}:${high}:${low}`), privateV4(value), `ISATAP ${dotted}`);
  }
});

test('addresses: each block of IPv6 is refused from its first to its last address, and nothing outside of 2000::/3 is public', () => {
  const seen = [...around(v6Ranges, 128n)];
  for (const value of seen) {
    for (const text of [v6Text(value), asInUrl(value), asInUrl(value).toUpperCase()]) assert.equal(isPrivate(text), privateV6(value), text);
  }
  const random = randomOf(6);
  for (let i = 0; i < 20_000; i++) {
    // Half of them are in 2000::/3, many near the blocks in it.
    const first = [0x2000 + Math.floor(random() * 0x2000), Math.floor(random() * 0x10000), 0x2001, 0x2620, 0x3fff, 0x2002][Math.floor(random() * 6)] ?? 0;
    const rest = Array.from({ length: 7 }, () => (random() < 0.5 ? 0 : Math.floor(random() * 0x10000)));
    const value = [first, ...rest].reduce((sum, group) => sum * 65536n + BigInt(group), 0n);
    assert.equal(isPrivate(v6Text(value)), privateV6(value), v6Text(value));
  }
  assert.ok(seen.some((value) => !privateV6(value)));
});

test('addresses: what is no address, and nearly looks like one, is not public', () => {
  for (const text of ['1.2.3.256', '999.1.1.1', '1.2.3', '8.8.8.8.8', 'host.1', '::1::2', '2a00:1', '2a00:1:2:3:4:5:6:7:8', '2a00::g', '2a00::12345', ':', ':::', '2a00:1:2:3:4:5:6:7::', '::ffff:1.2.3', '[::', 'fe80::1%eth0', '']) {
    assert.equal(isPrivate(text), true, text);
  }
  assert.equal(isPrivate('2a00:1:2:3::1%eth0'), false);
});

test('addresses: names that resolve inside a machine or a network are refused, however they are written; names that only look so are not', () => {
  const inside = ['localhost', 'localdomain', 'local', 'internal', 'intranet', 'private', 'lan', 'home', 'corp', 'mail', 'svc', 'cluster', 'consul', 'test', 'arpa'];
  for (const name of inside) {
    for (const host of [`a.${name}`, `a.b-c.${name}`, `A.${name.toUpperCase()}`, `a.${name}.`, `a.${name}..`, name, `${name}.`]) assert.equal(isPrivate(host), true, host);
    for (const host of [`${name}.example.com`, `a${name}.com`, `${name}.com`, `a.my${name}`, `a.${name}x`]) assert.equal(isPrivate(host), false, host);
  }
  for (const host of ['vault.default.svc', 'vault.default.svc.cluster.local', 'nas.home.arpa', '1.0.0.10.in-addr.arpa', 'metadata.google.internal', 'printer', 'host.docker.internal']) {
    assert.equal(isPrivate(host), true, host);
  }
  for (const host of ['as.example.com', 'login.microsoftonline.com', 'a.b.c.d.e.co', 'xn--bcher-kva.example', '1password.com', '0x7f.example.com']) assert.equal(isPrivate(host), false, host);
});

test('addresses: a text of any length is judged in a moment', () => {
  for (const text of [`${'1.'.repeat(100_000)}1`, `${'1'.repeat(200_000)}:`, ':'.repeat(200_000), `${'.'.repeat(200_000)}a`, `a${'.'.repeat(200_000)}`, `${'a.'.repeat(100_000)}local`, `${'1:'.repeat(100_000)}1.1.1.1`]) {
    const began = process.cpuUsage().user;
    isPrivate(text);
    assert.ok(process.cpuUsage().user - began < 500_000, text.slice(0, 10));
  }
});
