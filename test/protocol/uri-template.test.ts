import assert from 'node:assert/strict';
import test from 'node:test';
import { expandUriTemplate, uriTemplate } from '../../src/protocol/uri-template.ts';
import type { UriVariables } from '../../src/protocol/uri-template.ts';
import { everyNth } from '../every-nth.ts';

// The variables of RFC 6570, 3.2 (string values), and its examples of levels 1 to 3 in 1.2 and 3.2.
const values = {
  var: 'value',
  hello: 'Hello World!',
  half: '50%',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
};
const examples: readonly (readonly [template: string, uri: string])[] = [
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World%21'],
  ['{half}', '50%25'],
  ['O{empty}X', 'OX'],
  ['O{undef}X', 'OX'],
  ['{x,y}', '1024,768'],
  ['{x,hello,y}', '1024,Hello%20World%21,768'],
  ['?{x,empty}', '?1024,'],
  ['?{x,undef}', '?1024'],
  ['?{undef,y}', '?768'],
  ['map?{x,y}', 'map?1024,768'],
  ['{+var}', 'value'],
  ['{+hello}', 'Hello%20World!'],
  ['{+half}', '50%25'],
  ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
  ['{+base}index', 'http://example.com/home/index'],
  ['O{+empty}X', 'OX'],
  ['O{+undef}X', 'OX'],
  ['{+path}/here', '/foo/bar/here'],
  ['here?ref={+path}', 'here?ref=/foo/bar'],
  ['up{+path}{var}/here', 'up/foo/barvalue/here'],
  ['{+x,hello,y}', '1024,Hello%20World!,768'],
  ['{+path,x}/here', '/foo/bar,1024/here'],
  ['{#var}', '#value'],
  ['{#hello}', '#Hello%20World!'],
  ['{#half}', '#50%25'],
  ['foo{#empty}', 'foo#'],
  ['foo{#undef}', 'foo'],
  ['{#x,hello,y}', '#1024,Hello%20World!,768'],
  ['{#path,x}/here', '#/foo/bar,1024/here'],
  ['{.who}', '.fred'],
  ['{.who,who}', '.fred.fred'],
  ['{.half,who}', '.50%25.fred'],
  ['X{.var}', 'X.value'],
  ['X{.empty}', 'X.'],
  ['X{.undef}', 'X'],
  ['X{.x,y}', 'X.1024.768'],
  ['{/who}', '/fred'],
  ['{/half,who}', '/50%25/fred'],
  ['{/who,var}', '/fred/value'],
  ['{/var,empty}', '/value/'],
  ['{/var,undef}', '/value'],
  ['{/var,x}/here', '/value/1024/here'],
  ['{;who}', ';who=fred'],
  ['{;half}', ';half=50%25'],
  ['{;empty}', ';empty'],
  ['{;v,empty,who}', ';v=6;empty;who=fred'],
  ['{;v,undef,who}', ';v=6;who=fred'],
  ['{;x,y}', ';x=1024;y=768'],
  ['{;x,y,empty}', ';x=1024;y=768;empty'],
  ['{?who}', '?who=fred'],
  ['{?x,y}', '?x=1024&y=768'],
  ['{?x,y,empty}', '?x=1024&y=768&empty='],
  ['{?x,y,undef}', '?x=1024&y=768'],
  ['{&who}', '&who=fred'],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['{&x,y,empty}', '&x=1024&y=768&empty='],
  ['{&var,undef}', '&var=value'],
  // 2.1: a literal that a URI cannot contain is encoded. 2.3: names may be encoded or dotted.
  ['/ü/{var} ', '/%C3%BC/value%20'],
  ['{?a.b,%41}', ''],
];
for (const [template, uri] of examples)
  test(`RFC 6570: ${template} gives ${uri || 'nothing'}`, () => {
    const expand = (from: Record<string, string | undefined>): string => expandUriTemplate(template as string, from);
    assert.equal(expand(values), uri);
    const back = uriTemplate<string>(template as string).match(uri);
    // An unprefixed expression leaves no trace of an undefined variable, so it cannot be matched.
    if (/^O|undef,y/.test(template) && !back) return;
    // A value that would leave its path segment does not match.
    if (template === '{base}index') return assert.equal(back, undefined);
    assert.ok(back, 'matches what it gave');
    assert.equal(expand(back), uri);
  });

// A template, a URI, and the matched values; without values: no match.
const matches: readonly (readonly [template: string, uri: string, values?: Record<string, string>])[] = [
  [
    'weather://forecast/{city}/{date}',
    'weather://forecast/Oslo/2025-01-31',
    { city: 'Oslo', date: '2025-01-31' },
  ],
  [
    'weather://forecast/{city}/{date}',
    'weather://forecast/S%C3%A3o%20Paulo/x',
    { city: 'São Paulo', date: 'x' },
  ],
  ['weather://forecast/{city}/{date}', 'weather://forecast//x'],
  ['weather://forecast/{city}/{date}', 'weather://forecast/a/b/c'],
  ['weather://forecast/{city}/{date}', 'weather://forecast/a'],
  ['weather://forecast/{city}/{date}', 'Weather://forecast/a/b'],
  ['user://{email}', 'user://joe@example.com', { email: 'joe@example.com' }],
  ['a:{x}', 'a:b?c'],
  ['a:{x}', 'a:b#c'],
  // One segment, also after decoding.
  ['a:{x}', 'a:b%2Fc'],
  ['a:{x}', 'a:b%5Cc'],
  ['a:{x}', 'a:%2e%2e%2fetc'],
  ['a:{x}', 'a:%2e%2e'],
  ['a:{x}', 'a:..'],
  ['a:{x}', 'a:.'],
  ['a:{x}', 'a:b%00c'],
  ['a:{x}', 'a:b%0Ac'],
  ['a:{x}', 'a:...', { x: '...' }],
  ['a:b{/x}', 'a:b/%2e%2e'],
  ['a:b{;x}', 'a:b;x=%2F'],
  ['a:{+x}', 'a:../%2e%2e', { x: '../..' }],
  ['a:b{?x}', 'a:b?x=%2Fc', { x: '/c' }],
  ['a:{x}', 'a:%'],
  ['a:{x}', 'a:%4'],
  ['a:{x}', 'a:%FF'],
  ['a:{x}', 'a:%C3'],
  ['a:{x}', 'a:'],
  ['a:{x}', ''],
  ['a:{x}', 'a:ü b', { x: 'ü b' }],
  ['', '', {}],
  ['', 'a'],
  ['plain', 'plain', {}],
  ['plain', 'plain2'],
  // Each variable takes as little as possible, from left to right; optional parts are taken if present.
  ['{a}-{b}', 'x-y-z', { a: 'x', b: 'y-z' }],
  ['{a}{b}', 'xyz', { a: 'x', b: 'yz' }],
  ['{a,b}', 'x,y,z', { a: 'x', b: 'y,z' }],
  ['{a,b}', 'x', { a: 'x' }],
  ['{a,b}', ',x'],
  ['{name}{.ext}', 'a.tar.gz', { name: 'a', ext: 'tar.gz' }],
  ['{+path}/{name}', 'a/b/c', { path: 'a/b', name: 'c' }],
  ['{+a}/{b}.{c}', 'p.q/r/s.t', { a: 'p.q/r', b: 's', c: 't' }],
  ['file:///{+path}{?line}{#frag}', 'file:///a/b?line=3#x', { path: 'a/b', line: '3', frag: 'x' }],
  ['file:///{+path}{?line}', 'file:///a?b', { path: 'a?b' }],
  ['/a{/id}', '/a', {}],
  ['/a{/id}', '/a/', { id: '' }],
  ['/a{/x,y}', '/a/1', { x: '1' }],
  ['/a{/x,y}', '/a/1/2/3'],
  ['a{#x,y}', 'a#1,2,3', { x: '1', y: '2,3' }],
  ['a{#x,y}', 'a,2'],
  ['{;x,xy}', ';xy=1', { xy: '1' }],
  ['{;x,xy}', ';x;xy', { x: '', xy: '' }],
  ['{;x}y', ';xy', { x: '' }],
  ['{;x}', ';x=', { x: '' }],
  ['{?x,y}', '?y=2', { y: '2' }],
  ['{?x,y}', '&y=2'],
  ['{?x,y}', '?x=1?y=2', { x: '1?y=2' }],
  ['{?x,y}', '?y=2&x=1'],
  ['{?x}{&y}', '?x=1&y=2', { x: '1', y: '2' }],
  ['{?x}', '?x'],
  ['{?x}', '?xx=1'],
  ['{x}/{x}', 'a/a', { x: 'a' }],
  ['{x}/{x}', 'a/b'],
  ['{+x}', 'a%2fb c', { x: 'a/b c' }],
];
for (const [template, uri, expected] of matches)
  test(`${template || 'the empty template'} ${expected ? 'matches' : 'does not match'} ${uri}`, () => {
    assert.deepEqual(uriTemplate(template as string).match(uri), expected);
  });

test('variables are typed by the template', () => {
  const found = uriTemplate('weather://{city}/{+rest}{?units,lang}').match('weather://a/b?lang=en');
  assert.ok(found);
  const needed: { city: string; rest: string } = found;
  const units: string | undefined = found.units;
  // @ts-expect-error an optional variable may be missing
  const lang: string = found.lang;
  // @ts-expect-error the template has no such variable
  const other: unknown = found.other;
  assert.deepEqual([needed.city, needed.rest, units, lang, other], ['a', 'b', undefined, 'en', undefined]);
  const any: UriVariables<string> = uriTemplate('{a}' as string).match('b') ?? {};
  assert.equal(any['a'], 'b');
  const several: UriVariables<'{a,b}'> = { a: '1' };
  assert.deepEqual(uriTemplate('{a,b}').match('1'), several);
});

test('variables are listed once, in the order of the template', () => {
  assert.deepEqual(uriTemplate('{b}{?a,b,c.d}').variables, ['b', 'a', 'c.d']);
});

test('what is not a template is refused with its place', () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['a{', /at 1: an unpaired brace/],
    ['a}', /at 0: an unpaired brace/],
    ['ab{c}{d', /at 5: an unpaired brace/],
    ['{a}}', /at 0: an unpaired brace/],
    ['{a{b}}', /an unpaired brace/],
    ['{}', /"" is not a variable/],
    ['{a,}', /"" is not a variable/],
    ['{+}', /"" is not a variable/],
    ['{a b}', /"a b" is not/],
    ['{a..b}', /is not a variable/],
    ['{a%4}', /is not a variable/],
    ['{x:3}', /"x:3" is not a variable of levels 1 to 3/],
    ['{x*}', /"x\*" is not a variable of levels 1 to 3/],
    ['{=a}', /"=a" is not/],
    ['{|a}', /is not/],
    ['x'.repeat(2049), /more than 2048 characters/],
    ['{a}'.repeat(33), /more than 32 variables/],
  ];
  for (const [template, message] of refused)
    assert.throws(
      () => uriTemplate(template),
      (error: Error) => error instanceof SyntaxError && message.test(error.message),
      template,
    );
  assert.throws(() => uriTemplate('{a}{b}', { maxVariables: 1 }), SyntaxError);
  assert.throws(() => uriTemplate('{a}', { maxLength: 2 }), SyntaxError);
  assert.equal(uriTemplate('{a}', { maxUriLength: 2 }).match('abc'), undefined);
  assert.throws(() => expandUriTemplate('{a}', { a: '\ud800' }), URIError);
});

test('names of Object.prototype are names like any other', () => {
  const { match } = uriTemplate('{constructor}/{__proto__}' as string);
  assert.equal(expandUriTemplate('{constructor}/{__proto__}', {}), '/');
  const found = match('a/b');
  assert.deepEqual(Object.entries(found ?? {}), [
    ['constructor', 'a'],
    ['__proto__', 'b'],
  ]);
  assert.equal(Object.getPrototypeOf(found), Object.prototype);
});

test('what a template gives it matches, and the match gives it again', () => {
  let seed = 1;
  const below = (n: number): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
  const alphabet = [...'ab./,;=&?#!~ ', 'ü', '\u{1f600}', '/', '.'];
  const literals = ['/', '.', 'a', 'ab', '-', '?', '&', 'a='];
  const plain = (uri: string): string => decodeURIComponent(uri).replaceAll('=', '');
  let matched = 0;
  for (let round = 0; round < 20_000 / everyNth(20); round++) {
    let template = '';
    let traceable = true;
    const given: Record<string, string> = {};
    for (let i = below(4) + 1, n = 0; i > 0; i--) {
      if (below(2)) template += literals[below(literals.length)];
      const operator = ['', '+', '#', '.', '/', ';', '?', '&'][below(8)] ?? '';
      const names = Array.from({ length: below(3) + 1 }, () => `v${n++}`);
      for (const [j, name] of names.entries()) {
        const value = Array.from({ length: below(4) }, () => alphabet[below(alphabet.length)]).join('');
        if (below(5)) given[name] = value;
        // The first variable of an expression without a prefix must not be empty.
        if (!j && (operator === '' || operator === '+')) traceable &&= Boolean(given[name]);
        // A value that begins with the separator would read as an empty first value.
        // A value that is not one path segment does not match; a neighbour may take a part of it in another reading.
        traceable &&= !/^\.|\.$|\//.test(given[name] ?? '');
        if (!j && operator === '+' && names.length > 1) traceable &&= !given[name]?.startsWith(',');
      }
      template += `{${operator}${names.join()}}`;
    }
    const { match } = uriTemplate(template);
    const uri = expandUriTemplate(template, given);
    const found = match(uri);
    if (traceable) assert.ok(found, `${template} gave ${uri} for ${JSON.stringify(given)}`);
    // Neighbours may divide the characters differently: then different ones are percent-encoded, or `;v=` is `;v`.
    if (found) assert.equal(plain(expandUriTemplate(template, found)), plain(uri), template);
    if (found) matched++;
  }
  assert.ok(matched > 10_000 / everyNth(20));
});

test('hostile templates and URIs cost steps times characters', () => {
  const vars = (n: number, expression: (i: number) => string): string =>
    Array.from({ length: n }, (_, i) => expression(i)).join('');
  const templates = [
    vars(32, (i) => `{+v${i}}`),
    vars(32, (i) => `{+v${i}}a`),
    vars(32, (i) => `{v${i}}a`) + 'b',
    `{+${vars(31, (i) => `v${i},`)}z}b`,
    `{?${vars(31, (i) => `v${i},`)}z}b`,
    vars(32, (i) => `{.v${i}}`),
    '{+a}' + 'a'.repeat(2000) + '{+b}b',
  ];
  const uris = ['a', '.', 'a.', ',', 'a,', '/', '&v1=', '?', '%', '%41'].map((part) =>
    part.repeat(8192 / part.length),
  );
  // Trying all readings would take longer than the age of the universe: the assertion is that it finishes.
  for (const template of templates) for (const uri of uris) uriTemplate(template as string).match(uri);
  assert.equal(uriTemplate(templates[1] as string).match('a'.repeat(8192) + 'b'), undefined);
});
