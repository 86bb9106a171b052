import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('the table of limits in docs/limits.md is what the code says', () => {
  const { status, stderr } = spawnSync(process.execPath, [`${root}scripts/limits.mjs`, '--check'], { encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.equal(status, 0);
});

/** `name: value` in the options that a test gives, or the name in a test's title; not a member of a type. */
function isTested(name: string, tests: string): boolean {
  const given = `(?<![\\w.])${name}: (?!string|number|unknown|boolean|undefined)`;
  // JSON Schema has this name too, so only the options of a state or a template count.
  const option = name === 'maxLength' ? `requestState: \\{ ${given}|uriTemplate\\(.*${given}` : given;
  const shorthand = `limits: \\{(?: \\w+,)* ${name}(?:,[^}]*)? \\}`;
  return new RegExp(`${option}|${shorthand}|\\btest\\(\\s*[\`'"].*\\b${name}\\b`).test(tests);
}

test('every limit of the table is an option that a test gives, or named in the title of one', () => {
  const tests = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && file !== 'limits.test.ts')
    .map((file) => readFileSync(`${root}test/${file}`, 'utf8'))
    .join('\n');
  const rows = [...readFileSync(`${root}docs/limits.md`, 'utf8').matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
  assert.ok(rows.length > 40, String(rows.length));
  assert.deepEqual([...new Set(rows)].filter((name) => !isTested(name, tests)), []);
  assert.ok(!isTested('maxNothing', `${tests}\n  readonly maxNothing: number;\n// maxNothing\n`));
});
