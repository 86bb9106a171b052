import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { breaks } from './breaks.ts';
import { check } from './chapter.ts';
import { chapters } from './chapters.ts';
import { exam } from './exam.ts';
import { demand, having, mismatch, object, rule } from './fault.ts';
import { splitCommand } from './program.ts';

// Checks of the course without starting a program. `npm run course:check` starts the solutions.

const root = fileURLToPath(new URL('../../../', import.meta.url));
const pages = readdirSync(`${root}docs/course`).filter((name) => /^\d\d-.*\.md$/.test(name)).sort();
const sources = readdirSync(`${root}docs/course/solution`).map((name) => readFileSync(`${root}docs/course/solution/${name}`, 'utf8'));

test('every chapter has its page, in order, which is linked and says how it is checked', () => {
  assert.deepEqual(chapters.map(({ number }) => number), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  assert.equal(pages.length, chapters.length);
  const index = readFileSync(`${root}docs/course/README.md`, 'utf8');
  for (const { number, title } of chapters) {
    const page = pages[number - 1] ?? '';
    const text = readFileSync(`${root}docs/course/${page}`, 'utf8');
    assert.ok(text.startsWith(`# ${number}. ${title}\n`), page);
    assert.ok(text.includes(`npm run course -- ${number} "`), page);
    assert.ok(text.includes('**Read:**') && text.includes('## Exercise'), page);
    assert.ok(index.includes(`[${title}](${page})`), page);
  }
});

test('the links of the course lead to files', () => {
  for (const page of ['README.md', ...pages]) {
    for (const [, link = ''] of readFileSync(`${root}docs/course/${page}`, 'utf8').matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      assert.doesNotThrow(() => readdirOrRead(`${root}docs/course/${link}`), `${page}: ${link}`);
    }
  }
});

function readdirOrRead(path: string): void {
  try {
    readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
  }
}

test('every check names a section of the specification that is there', () => {
  const headings = JSON.parse(readFileSync(`${root}test/specification/headings.json`, 'utf8')) as Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  for (const { title, section } of [...chapters, exam].flatMap(({ checks }) => checks)) {
    const [, revision = '', page = '', heading] = /^(\S+) ([^#]+)(?:#(.*))?$/.exec(section) ?? [];
    const list = headings[revision]?.[page];
    assert.ok(list && (heading === undefined || list.includes(heading)), `${title}: ${section}`);
  }
});

test('every check has a wrong solution that it has to see, and each break is one of the reference', () => {
  const named = new Set(breaks.flatMap(({ fails }) => fails));
  const all = chapters.flatMap(({ number, checks }) => checks.map((_, at) => `${number}.${at + 1}`));
  assert.deepEqual(all.filter((place) => !named.has(place)), []);
  assert.deepEqual([...named].filter((place) => !all.includes(place)), []);
  for (const { wrong, file, from, to } of breaks) {
    assert.ok(readFileSync(`${root}docs/course/solution/${file}`, 'utf8').includes(from), `${wrong}: ${file} does not have ${from}`);
    assert.notEqual(from, to, wrong);
  }
});

test('the reference solution is under 400 lines, and knows nothing of barewire', () => {
  const lines = sources.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
  assert.ok(lines < 400, String(lines));
  for (const text of sources) {
    for (const [, from = ''] of text.matchAll(/from '([^']+)'/g)) assert.match(from, /^(node:|\.\/)/);
  }
});

test('a pattern takes more than it names, and says where a value does not fit', () => {
  assert.equal(mismatch({ a: 1, b: [{ c: object }] }, { a: 1, b: [{ c: {}, d: 2 }], e: 3 }, ''), undefined);
  assert.equal(mismatch({ a: { b: 1 } }, { a: { b: '1' } }, '')?.message, 'expected a.b to be 1; came "1"');
  assert.equal(mismatch({ a: [1, 2] }, { a: [1] }, '')?.message, 'expected a to be [1, 2]; came [1]');
  assert.equal(mismatch({ a: having({ n: 1 }, 2) }, { a: [2, { n: 1, m: 1 }] }, ''), undefined);
  assert.match(mismatch({ a: having({ n: 1 }, 3) }, { a: [2, { n: 1 }] }, '')?.expected ?? '', /a list with \{n: 1\} and 3/);
  assert.match(mismatch({ toString: rule('a text', (value) => typeof value === 'string') }, {}, '')?.message ?? '', /nothing there/);
});

test('an error, or a tool that failed, where a result was wanted is shown as that', () => {
  const came = (pattern: unknown, value: unknown): string => {
    try {
      demand(pattern, value);
    } catch (thrown) {
      return (thrown as Error).message;
    }
    return 'fits';
  };
  const wanted = { jsonrpc: '2.0', id: 1, result: { tools: object } };
  assert.equal(came(wanted, { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'no tools' } }),
    'expected the result of 1 to be {tools: an object}; came the error {"code":-32601,"message":"no tools"}');
  assert.match(came(wanted, { jsonrpc: '2.0', id: 1, result: { isError: true, content: [{ type: 'text', text: 'the disk is full' }] } }), /came a tool that failed \(isError\): .*the disk is full/);
  assert.equal(came({ result: { isError: true, content: [] } }, { result: { isError: true, content: [1] } }), 'expected result.content to be []; came [1]');
  assert.equal(came(wanted, { jsonrpc: '2.0', id: 1, result: {} }), 'expected result.tools to be an object; came nothing there');
  assert.equal(came({ error: { code: 1 } }, { error: { code: 2 } }), 'expected error.code to be 1; came 2');
});

test('a command is split as a shell would split it', () => {
  assert.deepEqual(splitCommand('python3 "/home/my files/my.py" -u \'a b\'c'), ['python3', '/home/my files/my.py', '-u', 'a bc']);
});

test('a check that a rule of the judge demands stands in the section of that rule, and has its words', () => {
  const ruled = chapters.flatMap(({ checks }) => checks).filter(({ rule }) => rule !== undefined);
  assert.ok(ruled.length >= 40, `${ruled.length} checks`);
  for (const { title, section, rule } of ruled) assert.ok(rule?.places.some((place) => `${place.revision} ${place.section}` === section), title);
  assert.throws(() => check('a batch', '2025-11-25 base-19', async () => {}), RangeError);
});
