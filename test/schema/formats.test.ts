import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compile } from '../../src/schema/full/index.ts';
import { formats } from '../../src/schema/index.ts';

// Each format at its edges. The JSON Schema suite (`npm run schema-suite`) tests more; this runs in `npm test`.

const table: Readonly<Record<string, readonly [yes: readonly string[], no: readonly string[]]>> = {
  date: [
    ['2024-02-29', '2000-02-29', '2026-12-31', '2026-04-30', '0001-01-01'],
    ['2023-02-29', '1900-02-29', '2026-04-31', '2026-06-31', '2026-13-01', '2026-00-10', '2026-01-00', '2026-01-32', '26-01-01', '2026-1-01', 'x2026-01-01', '2026-01-01x', 'abcd-01-01'],
  ],
  time: [
    ['23:59:59Z', '00:00:00.123z', '12:00:00+23:59', '23:59:60Z', '01:29:60+01:30', '15:59:60-08:00'],
    ['24:00:00Z', '23:60:00Z', '23:59:61Z', '12:00:60Z', '12:00:00', '12:00:00+24:00', '12:00:00+00:60', '12:00Z', '12:00:00.Z', 'x12:00:00Z', '12:00:00Zx'],
  ],
  'date-time': [['2026-01-01T00:00:00Z', '2026-01-01t00:00:00z'], ['2026-01-01 00:00:00Z', '2026-01-01', '2026-02-30T00:00:00Z', '2026-01-01T25:00:00Z']],
  duration: [
    ['P1D', 'P2W', 'P10W', 'P1Y2M3D', 'P12M', 'P1M10D', 'PT1H2M3S', 'PT36H', 'PT10M5S', 'PT30S', 'P1DT12H', 'P1Y', 'PT0S', 'P10Y10M10D', 'P10M10D', 'P10Y', 'P10Y1M', 'P1Y2M', 'P10D', 'PT10H10M10S', 'PT10H10M', 'PT10M10S', 'PT1H2M', 'PT10M', 'PT10S', 'P10Y10M10DT10H10M10S'],
    ['P', 'PT', 'P1', '1D', 'P1W2D', 'P1D2M', 'PT1S2M', 'P1Y2D', 'PT1H2S', 'P-1D', 'P1DT', 'xP1D', 'P1Dx', 'PD', 'PTH', 'P1YT', 'P1Y1', 'P1Y2D3M', 'PT1M2H', 'P1.5D'],
  ],
  ipv4: [['0.0.0.0', '255.255.255.255', '10.2.103.9'], ['256.0.0.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.4x', 'x1.2.3.4', '1.2.3.1000', '1..2.3']],
  ipv6: [
    ['::', '::1', '1::', '1:2:3:4:5:6:7:8', 'abcd:EF01::', '::ffff:1.2.3.4', '1:2:3:4:5:6:1.2.3.4', '1::8'],
    ['1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1::2::3', '12345::', 'g::', '1.2.3.4::', '::1.2.3', '1:2:3:4:5:6:7:8::', '1:2:3:4:5:6:7:1.2.3.4', ':1:2:3:4:5:6:7', '::1x', '::x1', '1:2:3::4:5:6::7:8', '::1.2.3.4:5', '1.2.3.4::5:6', '::1.2.3.256'],
  ],
  uuid: [['123e4567-e89b-12d3-a456-426614174000', 'ABCDEF01-2345-6789-ABCD-EF0123456789'], ['123e4567e89b12d3a456426614174000', '123e4567-e89b-12d3-a456-42661417400', '123e4567-e89b-12d3-a456-4266141740000', 'g23e4567-e89b-12d3-a456-426614174000', 'x123e4567-e89b-12d3-a456-426614174000', '123e4567-e89b-12d3-426614174000']],
  uri: [
    ['a:', 'http://a', 'http://u:p@h:80/p/q?x=1#f', 'urn:a:b', 'http://[::1]/', 'http://[v1.a:b]/', 'a+b-c.1:x', 'http://h/%C3%BC', 'x://h?a/b?c#d/e?f', 'http://h:/', 'http://host.example:80/', 'http://[v1f.ab]/', 'http://[V1.a]/'],
    ['a', '/a', '//h', '1a:b', 'http://a b', 'http://h/%C', 'http://h/%zz', 'http://ü', 'http://[::g]/', 'http://[1.2.3.4]/', 'http://[vx.a]/', 'http://h:80x/', 'http://a@b@c/', 'http://a\\b', 'http://<h>/', 'http://h/<', 'http://h?<', 'http://h#<', 'http://h#a#b', 'http://u<@h', 'http://[xv1.a]/', 'http://[v1.a"]/', 'http://[v1g.a]/', 'http://[v1.]/'],
  ],
  'uri-reference': [['', 'a', '/a', '//h', '?q', '#f', 'a/b:c', 'http://a', 'urn:a:b', 'a:b:c', '//h/a:b', './a:b'], ['a b', ':a', '1:a', 'ü', '//ü', '\\', 'a b:c']],
  iri: [['http://ü/ä?\ue000#ö', 'http://a', 'http://bücher.example:80/'], ['ü', 'http://h/\ue000', 'http://h#\ue000', 'http://a b']],
  'iri-reference': [['ü', '/ä', '//ö'], ['a b', '\ue000', ':ü']],
  email: [
    ['a@b', 'a.b@c.d', 'a+b@c.example', '"a b"@c', '"a\\"b"@c', 'a@[1.2.3.4]', 'a@[IPv6:::1]', `${'a'.repeat(64)}@b`, 'ab.cd.ef@g', 'a.bc@d'],
    ['a', '@b', 'a@', '.a@b', 'a.@b', 'a..b@c', 'a b@c', '"a@b', 'a@b c', 'a@[1.2.3]', 'a@[IPv6:1.2.3.4]', 'a@[::1]', `${'a'.repeat(65)}@b`, 'ü@b', 'a@ü', 'a@-b', 'ab', 'abc', 'a@x[1.2.3.4]', 'a@[1.2.3.4]x', 'a@[1.2.3.4].b'],
  ],
  'idn-email': [['ü@ä', 'a@b', '"ü ä"@b', 'aü.bü@c', 'aü.bü.cü@d', '"a\\ü"@b'], ['ü ä@b', 'ü', '@ä', '.ü@b', 'ü..ä@b', `${'ü'.repeat(65)}@b`, 'ab', 'a b@c', 'a.(b@c', 'aü.b c@d', '"a\n"@b']],
  hostname: [
    ['a', 'a.b', 'a-b', '1a', 'a'.repeat(63), 'xn--nxasmm1c', 'A.B', `${'a.'.repeat(126)}a`, 'axn--b', 'xn--tda', 'aa--a'],
    ['', '.', 'a.', '-a', 'a-', 'a_b', 'a b', 'a'.repeat(64), 'ü', 'xn--', 'xn--a', 'xn--X', 'xn--zzz-', `${'a.'.repeat(126)}aa`, 'a..b', 'xn---tda', 'xn--99999999', 'xn--9999', 'a.xn--ü', `${'a.'.repeat(301)}a`],
  ],
  'idn-hostname': [
    ['ü', 'bücher.example', 'faß', 'a', '例え', 'ァ・ア', 'xn--nxasmm1c', 'l·l', 'ά', '͵β', 'א׳ב', 'אב', 'א1', 'ا١', 'ا۰', 'क्‍ष', 'a。b', 'a．b', '\u05d0\u05b0', 'a.אב', 'a1.אב', 'xn--tda', 'אבְ', 'א́', 'א-ב', 'ü-ä', 'üab--c', 'abc--d', 'faß', 'ςα', 'א1ב'],
    ['a·l', '-ü', 'ü-', '\u0301a', '〱', 'aa--ü', 'ü..a', 'l·', '·l', '͵', '׳ב', '・', 'a・b', '١۰', 'אa', 'aא.b', '1א', 'ا1١', 'a\u200db', 'Ü', '\u212b', 'ü'.repeat(64), 'ü b', 'xn--X', ' ', 'a-א.b', '1.אב', 'xn---tda', 'אaב', '☃ü', 'ü☃', 'ü', 'aª', 'ﬁn', 'aa--a', 'xn--99999999', 'a.xn---tda', 'ü.xn--tda-'],
  ],
  'uri-template': [
    ['', 'a', '{a}', '{+a,b}', '/x{?a,b*,c:12}', '{a.b}', '{%41}', '%41', 'ü', '{a:9999}', '{,a}', '{=a}', '{ab}', '{a,bc}', '{a.bc,d.ef}', '{%41%42}', '{a%41b}', '{a,%41}', '{a,b%41}', '{a,b%41c.d}', '{a,%41%42}'],
    ['{', '}', '{}', '{a', 'a}', '{a b}', '{a:0}', '{a:10000}', '{a,}', '{,}', '{.}', '{a..b}', '%4', '%zz', 'a b', '<a>', '{a**}', '{%4}', '{a,b:0}', '{a,b.}', '{a,%4}', '{a%4}', '{%zz}', '{a,%zz}', '{a%zz}', '{a,b%zz}', '{a,b%4}', '{a,b..c}', '{%4,a}'],
  ],
  'json-pointer': [['', '/', '/a/b', '/~0~1', '/a~1b'], ['a', '/~', '/~2', '/a~', '#/a', 'a/b']],
  'relative-json-pointer': [['0', '1', '10/a', '0#', '2/~0', '0/'], ['', '/a', '01', '-1', '0#a', '1a', '0/~2', '#', '0##']],
  regex: [['a', '^[a-z]+$', '\\p{L}', '(?<n>a)\\k<n>'], ['(', '[', 'a{2,1}', '\\a', '\\p{Foo}']],
};

test('every format is in the table', () => {
  assert.deepEqual(Object.keys(table).sort(), Object.keys(formats).sort());
});

for (const [format, [yes, no]] of Object.entries(table)) {
  test(`format ${format}: what is one, and what is none`, () => {
    const validate = compile({ format }, { formats });
    assert.deepEqual(yes.filter((text) => !validate(text).valid), [], 'refused');
    assert.deepEqual(no.filter((text) => validate(text).valid), [], 'taken');
    assert.ok(validate(7).valid, 'only a string can have a format');
  });
}
