import assert from 'node:assert/strict';
import test from 'node:test';
import { editJson } from '../../src/host/node/json-edit.ts';
import { withoutComments } from '../../src/host/node/json-with-comments.ts';
import { everyNth } from '../every-nth.ts';
import { randomOf } from '../random.ts';

const parse = (text: string): Record<string, Record<string, unknown>> => JSON.parse(withoutComments(text)) as Record<string, Record<string, unknown>>;

test('a member is set, replaced and removed where it stands; comments, order and indentation stay', () => {
  const text = '{\n    // mine\n    "theme": "dark", // stays\n    "mcpServers": {\n        "a": { "command": "a" }, // of a\n        /* b */ "b": { "command": "b", "args": ["}", "//"] }, // last\n    }, }\n';
  assert.equal(editJson(text, ['mcpServers', 'c'], { command: 'c' }), text.replace('// last\n', '// last\n        "c": {\n            "command": "c"\n        }\n'));
  assert.equal(editJson(text, ['mcpServers', 'a'], 1), text.replace('{ "command": "a" }', '1'));
  assert.equal(editJson(text, ['mcpServers', 'b'], undefined), text.replace('"b": { "command": "b", "args": ["}", "//"] },', ''));
  assert.equal(editJson(text, ['mcpServers', 'none'], undefined), text);
  assert.equal(editJson('{}\n', ['mcpServers', 'a'], { url: 'x' }), '{\n  "mcpServers": {\n    "a": {\n      "url": "x"\n    }\n  }\n}\n');
  assert.equal(editJson('{"a":1}', ['mcpServers', 'b'], 2), '{"a":1,\n  "mcpServers": {\n    "b": 2\n  }\n}');
  assert.equal(editJson('{\n  "m": {\n    "a": 1,\n    "b": 2\n  }\n}', ['m', 'b'], undefined), '{\n  "m": {\n    "a": 1\n  }\n}');
  assert.equal(editJson('{\n  "m": {\n    "a": 1,\n    "b": 2\n  }\n}', ['m', 'a'], undefined), '{\n  "m": {\n    "b": 2\n  }\n}');
});

test('commas: one is set where the last member has none, behind comments or not, and one is taken with the last member', () => {
  const cases: [string, unknown, string][] = [
    // A comma after a comment is a separator; a comma within a comment is not.
    ['{"m": {"a": 1 /* , */}}', 2, '{"m": {"a": 1, /* , */\n    "b": 2\n  }}'],
    ['{"m": {"a": 1 /* x */ , }}', 2, '{"m": {"a": 1 /* x */ ,\n    "b": 2\n  }}'],
    ['{"m": {"a": 1 // ,\n}}', 2, '{"m": {"a": 1, // ,\n    "b": 2\n  }}'],
    ['{"m": {"a": 1 // x\n,}}', 2, '{"m": {"a": 1 // x\n,\n    "b": 2\n  }}'],
    ['{"m": {}}', 2, '{"m": {\n    "b": 2\n  }}'], ['{"m": { /* none */ }}', 2, '{"m": { /* none */\n    "b": 2\n  }}'],
    // The new value replaces the old one, whatever its type.
    ...['1', '-1.5e3', 'true', '"}"', '"\\""', '["]", {"x": "}"}]', '{"b": {"y": ["{"]}}', '{}', '[]', 'null'].map((old): [string, unknown, string] => [`{"m": {"b": ${old} }}`, 'new', '{"m": {"b": "new" }}']),
    // A removed member goes with its own comma, or with the one before it.
    ['{"m": {"a": 1, "b": 2}}', undefined, '{"m": {"a": 1 }}'], ['{"m": {"b": 2, "a": 1}}', undefined, '{"m": { "a": 1}}'], ['{"m": {"b": 2}}', undefined, '{"m": {}}'],
    ['{"m": {"a": 1, /* x */ "b": 2 /* y */}}', undefined, '{"m": {"a": 1 /* x */  /* y */}}'], ['{"m": {"b": 2 /* y */, "a": 1}}', undefined, '{"m": { /* y */ "a": 1}}'],
    ['{"m": {"a": 1 /* , */ , "b": 2}}', undefined, '{"m": {"a": 1 /* , */  }}'],
    // A line with only this member is removed, also with CRLF; a line with other content stays.
    ['{"m": {\r\n\t"b": 2,\r\n\t"a": 1\r\n}}', undefined, '{"m": {\r\n\t"a": 1\r\n}}'], ['{"m": {\n  "b": 2, // of b\n  "a": 1\n}}', undefined, '{"m": {\n   // of b\n  "a": 1\n}}'],
    ['{"m": { "b": 2,\n "a": 1 }}', undefined, '{"m": { \n "a": 1 }}'],
  ];
  for (const [text, value, expected] of cases) assert.equal(editJson(text, ['m', 'b'], value), expected, text);
  assert.equal(editJson('{"m": {"a": 1}} // last', ['m', 'b'], 2), '{"m": {"a": 1,\n    "b": 2\n  }} // last');
  assert.equal(editJson('// {\n{"m": {"a": 1}}', ['n', 'b'], undefined), '// {\n{"m": {"a": 1}}');
  // The file's indentation: that of the first indented member.
  assert.equal(editJson('{\n\t"m": {}\n}', ['m', 'b'], [1]), '{\n\t"m": {\n\t\t"b": [\n\t\t\t1\n\t\t]\n\t}\n}');
  assert.equal(editJson('{"x": {"b": 1}, "m": {"x": 1}}', ['m', 'b'], 2), '{"x": {"b": 1}, "m": {"x": 1,\n    "b": 2\n  }}');
});

test('what is no object is refused', () => {
  for (const text of ['', '[]', 'null', '{"mcpServers": []}', '{"mcpServers": "{}"}', '{', '{"mcpServers": {}} x', '{"mcpServers": {"a": 1, "a": 2}}', '{"mcpServers": {}, "mcpServers": {}}']) assert.throws(() => editJson(text, ['mcpServers', 'a'], 1), text);
});

/** Draws JSON with comments. Returns the text and its comments. */
function drawn(random: () => number): { readonly text: string; readonly comments: readonly string[] } {
  const below = (most: number): number => Math.floor(random() * most);
  const comments: string[] = [];
  const blank = (): string => {
    const made = Array.from({ length: below(3) }, () => {
      const kind = below(5);
      if (kind > 1) return [' ', '\n', '\t', '  '][below(4)] ?? '';
      // Comments with confusing content: quotes, braces, commas, the other kind of comment.
      const comment = kind === 0 ? `// ${comments.length} , } " {` : `/* ${comments.length} , ] " // */`;
      comments.push(comment);
      return kind === 0 ? `${comment}\n` : comment;
    });
    return made.join('');
  };
  const string = (): string => JSON.stringify(['a', 'b', '__proto__', '"', '\\', '//', '/*', '{', '},', 'ü', 'mcpServers'][below(11)] ?? '');
  const value = (depth: number): string => {
    const kind = depth > 3 ? below(3) : below(5);
    if (kind < 2) return string();
    if (kind === 2) return ['1', '-2.5e3', 'true', 'null'][below(4)] ?? '0';
    return kind === 3 ? object(depth) : list(Array.from({ length: below(4) }, () => value(depth + 1)), '[', ']');
  };
  const list = (parts: readonly string[], open: string, close: string): string =>
    `${open}${parts.map((part) => `${blank()}${part}${blank()}`).join(',')}${parts.length > 0 && below(3) === 0 ? ',' : ''}${blank()}${close}`;
  const object = (depth: number): string => list(Array.from({ length: below(5) }, () => `${string()}${blank()}:${blank()}${value(depth + 1)}`), '{', '}');
  const servers = `"mcpServers"${blank()}:${blank()}${object(1)}`;
  const root = below(4) === 0 ? object(0) : list([`"first":${blank()}1`, servers, ...below(2) === 0 ? [`"last": ${value(1)}`] : []], '{', '}');
  const text = `${blank()}${root}${blank()}`;
  // Comments of parts that were not used are not in the text.
  return { text, comments: comments.filter((comment) => text.includes(comment)) };
}

test('generated texts: what is read back is what was set, everything else is as it was, and no comment is lost but in what is replaced', () => {
  const step = everyNth(20);
  let [edited, refused] = [0, 0];
  for (let seed = 1; seed <= 20_000; seed += step) {
    const { text, comments } = drawn(randomOf(seed));
    const before = parse(text);
    const servers = Object.hasOwn(before, 'mcpServers') ? before['mcpServers'] : {};
    const [name, value] = [['a', 'b', 'new', '__proto__'][seed % 4] ?? '', seed % 3 === 0 ? undefined : { command: 'x', args: ['//', '}'] }];
    if (typeof servers !== 'object' || servers === null || Array.isArray(servers)) {
      assert.throws(() => editJson(text, ['mcpServers', name], value), `seed ${seed}`);
      refused++;
      continue;
    }
    let after: string;
    try {
      after = editJson(text, ['mcpServers', name], value);
    } catch (thrown) {
      assert.match(String(thrown), new RegExp(`TypeError: (?:mcpServers|${name}) occurs several times`), `seed ${seed}`);
      continue;
    }
    const now = parse(after);
    const had = Object.hasOwn(servers, name);
    if (value === undefined) {
      const left = Object.hasOwn(now, 'mcpServers') ? Object.keys(now['mcpServers'] ?? {}) : [];
      assert.deepEqual(left, Object.keys(servers).filter((one) => one !== name), `seed ${seed}`);
      if (!had) assert.equal(after, text);
    } else {
      assert.deepEqual(Object.entries(now['mcpServers'] ?? {}).find(([one]) => one === name)?.[1], value, `seed ${seed}\n${text}\n${after}`);
      const others = (of: object): unknown => Object.entries(of).filter(([one]) => one !== name);
      assert.deepEqual(others(now['mcpServers'] ?? {}), others(servers), `seed ${seed}`);
    }
    const rest = (of: object): unknown => Object.entries(of).filter(([one]) => one !== 'mcpServers');
    assert.deepEqual(rest(now), rest(before), `seed ${seed}`);
    if (!had) for (const comment of comments) assert.ok(after.includes(comment), `seed ${seed}: ${comment}\n${text}\n${after}`);
    edited++;
  }
  assert.ok(edited > 100 && refused > 3, `${edited} edited, ${refused} refused`);
});
