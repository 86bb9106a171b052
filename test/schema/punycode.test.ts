import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domainToASCII, domainToUnicode } from 'node:url';
import { formats } from '../../src/schema/index.ts';
import { random } from '../hostile/mutations.ts';

// Compares with Node's own Punycode (RFC 3492).

const isHostname = (name: string): boolean => !!formats['hostname']?.test(name);
const isInternational = (name: string): boolean => !!formats['idn-hostname']?.test(name);

/** Left-to-right letters, each range of one script, close together and far apart. */
const ranges = [[0x61, 0x7a], [0xe0, 0xf6], [0x3b1, 0x3c1], [0x430, 0x44f], [0x3042, 0x3050], [0x4e00, 0x4eff], [0xac00, 0xacff], [0x20000, 0x200ff], [0x1e00, 0x1e00]] as const;

test('labels of random letters: both forms are host names, and what is written otherwise is none', () => {
  const { int, pick, chance } = random(3);
  const letter = ([from, to]: readonly [number, number]): string => String.fromCodePoint(from + int(to - from + 1)).toLowerCase();
  let tried = 0;
  for (let i = 0; i < 1_500; i++) {
    const some = [pick(ranges), pick(ranges), ...(chance(0.3) ? ranges : [])];
    const label = Array.from({ length: 1 + int(chance(0.2) ? 40 : 8) }, () => letter(pick(some))).join('').normalize('NFC');
    const ascii = domainToASCII(label);
    if (!ascii.startsWith('xn--') || ascii.length > 63 || domainToUnicode(ascii) !== label || !/^..(?!--)/u.test(label)) continue;
    tried++;
    assert.ok(isHostname(ascii) && isInternational(ascii) && isInternational(label), `${label} is ${ascii}`);
    assert.ok(!isHostname(label), label);
    assert.ok(isHostname(ascii.toUpperCase()), ascii);
    // One digit added, removed or changed: the result is another name, or not a name.
    const at = 4 + int(ascii.length - 4);
    const digit = 'abcdefghijklmnopqrstuvwxyz0123456789'.charAt(int(36));
    for (const other of [ascii.slice(0, at) + digit + ascii.slice(at + 1), ascii.slice(0, at) + ascii.slice(at + 1), ascii + digit]) {
      const unicode = isHostname(other) ? domainToUnicode(other) : '';
      // Empty if Node does not know a character of the engine's tables.
      if (unicode !== '') assert.equal(domainToASCII(unicode), other);
    }
  }
  assert.ok(tried > 800, String(tried));
});

test('names are as long as 253 characters, labels as long as 63, in ASCII', () => {
  const label = 'ü'.repeat(57);
  const ascii = domainToASCII(label);
  const longest = `${'ü'.repeat(200)}`;
  let most = '';
  for (let length = 1; length <= longest.length; length++) if (isInternational(longest.slice(0, length))) most = longest.slice(0, length);
  assert.equal(`xn--${domainToASCII(most).slice(4)}`.length, 63);
  assert.ok(ascii.length <= 63 === isInternational(label));
  const name = (rest: number): string => [most, most, most, 'a'.repeat(rest)].join('.');
  assert.ok(isInternational(name(253 - 3 * 64)));
  assert.ok(!isInternational(name(254 - 3 * 64)));
});

test('the bias is adapted at its bound (RFC 3492 section 6.1)', () => {
  // A label decoded with another bias is not a name. Five letters before a syllable so far from them that the adapted delta is
  // 455 or a neighbour.
  for (let point = 0xb200; point < 0xb300; point += 3) {
    const label = `aaaaa${String.fromCodePoint(point)}\ud7a0`;
    assert.ok(isHostname(domainToASCII(label)) && isInternational(label), label);
  }
});
