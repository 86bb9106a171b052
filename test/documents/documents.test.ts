import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { methods } from '../../src/protocol/methods.ts';
import { everyNth } from '../every-nth.ts';
import { anchorsOf, linksOf, projectOf, snippetsOf } from './snippets.ts';

const run = promisify(execFile);
// The compiled test is in dist/test/documents.
const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
  .map((file) => `docs/${file}`);
const taught = ['README.md', 'SKILL.md', ...pages];
const evidence = ['requirements', 'removals', 'mutants'].map((name) => `requirements/${name}.md`);
const documents = [...taught, ...evidence, 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];
const built = existsSync(join(root, 'dist/lib')) ? {} : { skip: 'dist/lib is not built' };

// Inside the package, so that `barewire/…` resolves as for a user.
const folder = join(root, 'dist/documents');

/** Compiles programs; returns the lines of the compiler's output. */
async function compiled(programs: ReadonlyMap<string, string>): Promise<string[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of programs) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'frameworks.d.ts'), read('test/documents/frameworks.d.ts'));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(projectOf(root)));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const said = await run(process.execPath, [tsc, '-p', folder], { cwd: folder }).then(
    ({ stdout }) => stdout, (error: { stdout?: unknown }) => String(error.stdout));
  return said.split('\n').filter((line) => line !== '');
}

describe('the snippets of README.md and docs/', { ...built, concurrency: 2 }, () => {
  const snippets = taught.flatMap((file) => snippetsOf(file, read(file)));
  const fileOf = (place: string): string => place.replace(/\W+/g, '-');
  // A wrong snippet is compiled with them, because most of the time goes into starting the compiler.
  const [wrong] = snippetsOf('wrong.md', 'Text.\n\n<!-- given: const a = 1; -->\n```ts\nconst b: string = a;\n```\n');
  let said: string[];
  before(async () => {
    said = await compiled(new Map([wrong ?? assert.fail(), ...snippets].map(({ place, program }) => [`${fileOf(place)}.ts`, program])));
  });

  test('there are many', () => {
    assert.ok(snippets.length > 40 && snippets.length < 400, String(snippets.length));
    assert.ok(snippets.filter(({ prints }) => prints !== undefined).length > 12);
  });

  test('all pass the type checker, as a user has the types', () => assert.deepEqual(said.filter((line) => !line.startsWith('wrong-')), []));

  test('a snippet that is wrong is found', () => {
    assert.equal(wrong?.place, 'wrong.md:5');
    assert.match(said.filter((line) => line.startsWith('wrong-')).join('\n'), /^wrong-md-5\.ts.*'number' is not assignable to type 'string'/);
    assert.throws(() => snippetsOf('x.md', '<!-- run -->\n\nText.'), /belongs to no snippet/);
  });

  for (const { place, prints } of snippets.filter(({ prints }) => prints !== undefined).filter((_, at) => at % everyNth(3) === 0)) {
    test(`${place} runs`, async () => {
      const file = join(folder, 'out', `${fileOf(place)}.js`);
      const running = run(process.execPath, [file], { timeout: 60_000 });
      // A stdio server ends when its input ends.
      running.child.stdin?.end();
      const { stdout, stderr } = await running;
      assert.equal(stderr, '');
      assert.equal(stdout.trim(), prints);
    });
  }
});

test('links between documents lead somewhere', () => {
  const dead: string[] = [];
  let links = 0;
  for (const file of documents) {
    for (const link of linksOf(read(file))) {
      links++;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      if (!existsSync(join(root, target))) dead.push(`${file}: ${link}`);
      else if (anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).has(anchor)) dead.push(`${file}: ${link}`);
    }
  }
  assert.ok(links > 40, String(links));
  assert.deepEqual(dead, []);
});

test('every page of docs/ is reached from its first page, which README.md names', () => {
  const linked = linksOf(read('docs/README.md')).map((link) => `docs/${link.split('#')[0]}`);
  assert.deepEqual(pages.filter((page) => page !== 'docs/README.md' && page.split('/').length === 2 && !linked.includes(page)), []);
  assert.ok(linksOf(read('README.md')).some((link) => link.startsWith('docs/')));
});

test('every entry of the package is in the table of entries', () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, unknown> };
  const rows = [...read('docs/README.md').matchAll(/^\| `(barewire[\w/-]*)` \|/gm)].map(([, entry]) => entry);
  const entries = Object.keys(exports).filter((key) => key !== './package.json').map((key) => `barewire${key.slice(1)}`);
  assert.deepEqual([...rows].sort(), entries.sort());
});

test('README.md is short enough to be read', () => {
  const words = read('README.md').replace(/<!--[^]*?-->/g, '').split(/\s+/).length;
  assert.ok(words <= 1000, `${words} words`);
});

test('the files that ARCHITECTURE.md and the glossary name are there', () => {
  const dead: string[] = [];
  let named = 0;
  for (const file of ['ARCHITECTURE.md', 'docs/decisions.md', 'docs/glossary.md']) {
    for (const [, path = ''] of read(file).matchAll(/`((?:[\w.-]+\/)+[\w.-]+)`/g)) {
      if (/^(notifications|resources|tools|prompts|sampling|elicitation|subscriptions|logging|completion|server)\/[a-z_]+$/i.test(path)) continue;
      if (path.startsWith('barewire/') || path.startsWith('io.modelcontextprotocol/') || Object.hasOwn(methods, path)) continue;
      named++;
      if (!existsSync(join(root, 'src', path)) && !existsSync(join(root, path))) dead.push(`${file}: ${path}`);
    }
  }
  assert.ok(named > 60, String(named));
  assert.deepEqual(dead, []);
});
