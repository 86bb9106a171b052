import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrontMatterError, readSkillDocument } from '../../src/skills/index.ts';

// test/skills/yaml compares the reader with the package `yaml`, on third-party skills and on mutated texts.

const read = (yaml: string): unknown => JSON.parse(JSON.stringify(readSkillDocument(`---\n${yaml}\n---\n`).frontmatter));

test('front matter: scalars have the types of the core schema', () => {
  assert.deepEqual(
    read('a: text here\nb: 1\nc: -1.5e3\nd: 0x1F\ne: 0o17\nf: true\ng: ~\nh:\ni: No\nj: 2026-01-01\nk: 1_000\nl: "1"\nm: \'it\'\'s\'\nn: 08'),
    { a: 'text here', b: 1, c: -1500, d: 31, e: 15, f: true, g: null, h: null, i: 'No', j: '2026-01-01', k: '1_000', l: '1', m: "it's", n: 8 },
  );
});

test('front matter: text over several lines is folded, or kept', () => {
  assert.deepEqual(read('a: one\n  two\n\n  three # a comment\nb: >-\n  one\n  two\n\n   more\n  end\nc: |\n  one\n\n  two\n\nd: |+2\n    x\n\ne: "a\\\n  b\n  c"'), {
    a: 'one two\nthree', b: 'one two\n\n more\nend', c: 'one\n\ntwo\n', d: '  x\n\n', e: 'ab c',
  });
});

test('front matter: block and flow collections', () => {
  assert.deepEqual(read('a:\n- x\n- y: 1\n  z: 2\n-\n  - deep\nb:\n  c: [1, "two", {d: e}]\n  f: {\n    g: h,\n    "i": [ ] }\nj: []'), {
    a: ['x', { y: 1, z: 2 }, ['deep']], b: { c: [1, 'two', { d: 'e' }], f: { g: 'h', i: [] } }, j: [],
  });
});

test('front matter: escapes', () => {
  assert.deepEqual(read('a: "\\x41\\u00e9\\U0001F600\\n\\t\\"\\\\\\/"'), { a: 'Aé😀\n\t"\\/' });
});

test('front matter: windows line ends and a byte order mark; the body is what follows', () => {
  const { frontmatter, body } = readSkillDocument('\ufeff---\r\na: |\r\n  b\r\n---\r\n# Body\n');
  assert.deepEqual({ ...frontmatter }, { a: 'b\n' });
  assert.equal(body, '# Body\n');
  assert.deepEqual(readSkillDocument('---\n---').body, '');
});

const refused: readonly (readonly [why: string, yaml: string, message: RegExp])[] = [
  ['an anchor', 'a: &x 1', /line 2: anchors are refused/],
  ['an alias', 'a: *x', /aliases/],
  ['a tag', 'a: !!str 1', /tags/],
  ['a directive', '%YAML 1.2', /a key with a colon/],
  ['a key with ?', '? a', /a key with a colon|keys with \?/],
  ['a second document', 'a: 1\n...\nb: 2', /line 3: a second document/],
  ['a key twice', 'a: 1\na: 2', /line 3: the key "a" occurs twice/],
  ['a key that is no string', '1: a', /must be a string/],
  ['the key __proto__', '__proto__: {a: b}', /__proto__ is refused/],
  ['the key __proto__ in braces', 'a: {"__proto__": 1}', /__proto__ is refused/],
  ['merging', '<<: a', /YAML 1.2 does not merge/],
  ['an infinity', 'a: .inf', /not a JSON number/],
  ['a number beyond JSON', 'a: 1e999', /not a JSON number/],
  ['a tab as indentation', 'a:\n\tb: 1', /line 3: a tab cannot indent a line/],
  ['a colon in a plain value', 'a: b: c', /must be quoted/],
  ['a list on the line of its key', 'a: - b', /- is not allowed here/],
  ['text behind a value', 'a: "b" c', /text follows/],
  ['a quotation mark that is missing', 'a: "b', /quotation mark is missing/],
  ['a quotation that is not indented', 'a: "b\nc"', /quotation mark is missing/],
  ['a flow collection that does not end', 'a: [b', /does not end/],
  ['a flow collection that is not indented', 'a: [\nb]', /more indentation/],
  ['an unknown escape', 'a: "\\q"', /escape \\q is unknown/],
  ['an escape without its digits', 'a: "\\u12"', /takes the 4 hexadecimal digits/],
  ['a line that is indented more', 'a: |\n  b\n c: d', /indented more/],
  ['a control character', 'a: \u0007', /control character/],
  ['a scalar as root', 'a', /a key with a colon/],
  ['too deep', `a: ${'['.repeat(40)}`, /nested more than 32 deep/],
];
for (const [why, yaml, message] of refused) {
  test(`front matter: refused: ${why}`, () => {
    assert.throws(() => read(yaml), (thrown: unknown) => thrown instanceof FrontMatterError && message.test(thrown.message));
  });
}

test('front matter: it begins on the first line, ends, and is bounded', () => {
  for (const text of ['', '# Body', ' ---\na: 1\n---\n', '---\na: 1\n', '--- \na: 1\n---\n']) assert.throws(() => readSkillDocument(text), FrontMatterError, text);
  assert.throws(() => readSkillDocument(`---\na: ${'x'.repeat(70_000)}\n---\n`), /longer than 65536/);
});

test('front matter: hostile texts take linear time', () => {
  for (const part of ['[', '- ', '"\\', ' ', 'a ', '#', '\n', ': ', 'a: |\n ', "'", '? ', '{a: ']) {
    const text = `---\na: ${part.repeat(Math.floor(60_000 / part.length))}\n---\n`;
    const began = performance.now();
    try {
      readSkillDocument(text);
    } catch (thrown) {
      assert.ok(thrown instanceof FrontMatterError, String(thrown));
    }
    // Quadratic work on 60,000 steps would take seconds.
    assert.ok(performance.now() - began < 2_000, part);
  }
});
