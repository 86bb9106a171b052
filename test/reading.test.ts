import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { randomOf } from './random.ts';

// The parts of npm run reading, on small test trees.

interface KeptFile { readonly path: string; readonly kept: number; readonly lines: number; readonly comments: number; readonly sha256: string }
interface Kept { readonly files: readonly KeptFile[]; readonly own: number; readonly bundled: number }
interface Program { readonly name: string; readonly also?: string; readonly code: string }
interface Stat { readonly path: string; readonly from: string | undefined; readonly added: number; readonly removed: number }
interface Lines { readonly files: readonly { readonly path: string; readonly kept: number }[] }
interface Change extends Stat { readonly state: string; readonly then: number | undefined; readonly now: number | undefined }

const script = (name: string): string => new URL(`../../scripts/${name}`, import.meta.url).href;
const { importsFirst }: {
  importsFirst(files: readonly string[], importsOf: (file: string) => Iterable<string>): string[];
} = await import(script('reading/order.mjs'));
const { commentLines }: { commentLines(source: string): number } = await import(script('reading/comments.mjs'));
const { keptOf, codeByFile, totalsOf }: {
  keptOf(tree: string, program: { code: string } | { file: string }): Promise<Kept>;
  codeByFile(bundle: string, files: ReadonlySet<string>): Map<string, number>;
  totalsOf(kept: Kept): { files: number; code: number; lines: number };
} = await import(script('reading/kept.mjs'));
const { changesOf, copyFiles, diffstat, parseNumstat, patch }: {
  changesOf(before: Lines, present: Lines, stats: readonly Stat[]): Change[];
  copyFiles(tree: string, files: readonly KeptFile[], folder: string): void;
  diffstat(folder: string): Stat[];
  parseNumstat(text: string): Stat[];
  patch(folder: string): string;
} = await import(script('reading/changes.mjs'));
const { readCeilings }: { readCeilings(url: URL): Record<string, { ceiling: object; wanted: object }> } = await import(script('ceilings.mjs'));
const { programNamed }: { programNamed(name: string): Program } = await import(script('programs.mjs'));
const { commitOf, copySources, root, sourceOf }: {
  commitOf(name: string): string;
  copySources(folder: string, commit?: string): void;
  root: string;
  sourceOf(tree: string, entry: string): string | undefined;
} = await import(script('trees.mjs'));

async function inFolder(use: (folder: string) => unknown): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-reading-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function write(tree: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
}

const manifest = JSON.stringify({ name: 'barewire', exports: { './server': { types: './dist/types/server/index.d.ts' }, './gone': { types: './dist/types/gone.d.ts' } } });
const limit = '/** How much. */\nexport const limit = 3;\nexport const other = 4;\n';
const small: Readonly<Record<string, string>> = {
  'package.json': manifest,
  'src/server/index.ts': "export { serve } from './serve.ts';\nexport { unused } from './unused.ts';\n",
  'src/server/serve.ts': "import { first } from './first.ts';\nimport { limit } from '../bounds/index.ts';\nimport type { Shape } from '../shape.ts';\n// Says so.\nexport class Served {\n  /** Kept by esbuild. */\n  count(): number { return limit + first; }\n}\nexport const serve = (shape: Shape): Served => (shape ? new Served() : new Served());\n",
  'src/server/first.ts': "export const first = 1;\n",
  'src/server/unused.ts': "export const unused = () => 1;\n",
  'src/bounds/index.ts': "export { limit, other } from './limit.ts';\n",
  'src/bounds/limit.ts': limit,
  'src/shape.ts': "export interface Shape { readonly a: number }\n",
};
const program = { code: "import { serve } from 'barewire/server';\nimport fs from 'somebody-else';\nconsole.log(serve({ a: 1 }), fs);\n" };

test('imports first, and folders are not left where that can be', () => {
  const imports: Readonly<Record<string, readonly string[]>> = { 'b/1': ['a/1'], 'b/2': ['a/2'], 'a/2': [], 'a/1': [], 'a/3': ['b/1'] };
  assert.deepEqual(importsFirst(['a/1', 'b/1', 'a/2', 'b/2', 'a/3'], (file) => imports[file] ?? []), ['a/1', 'a/2', 'b/1', 'b/2', 'a/3']);
  assert.deepEqual(importsFirst(['x', 'y', 'z'], (file) => ({ x: ['y', 'x'], y: ['x'], z: [] })[file] ?? []), ['z', 'x', 'y']);
});

test('imports first, for drawn graphs: every file once, none before what it imports', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = randomOf(seed);
    const files = Array.from({ length: 2 + Math.floor(random() * 20) }, (_, i) => `${'abc'[Math.floor(random() * 3)]}/${i}`);
    const imports = new Map(files.map((file, i) => [file, files.slice(0, i).filter(() => random() < 0.2)]));
    const given = files.map((file) => ({ file, at: random() })).sort((one, other) => one.at - other.at).map(({ file }) => file);
    const order = importsFirst(given, (file) => imports.get(file) ?? []);
    assert.deepEqual([...order].sort(), [...files].sort());
    for (const [file, others] of imports) {
      for (const other of others) assert.ok(order.indexOf(other) < order.indexOf(file), `seed ${seed}: ${file} before ${other}`);
    }
  }
});

test('lines that hold nothing but a comment', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['', 0], ['// a', 1], ['  // a\nlet b; // c', 1], ['/* a */', 1], ['/* a */ let b;', 0], ['/**\n * a\n\n * b\n */\nlet c;', 5],
    ['let a; /* b */\nlet c;', 0], ['/* a\nb */ let c;\n// d', 2], ['/*/\n a */', 2], ['https://a\n// b', 1],
  ];
  for (const [source, count] of cases) assert.equal(commentLines(source), count, JSON.stringify(source));
});

test('the lines of a bundle belong to the file that is named before them', () => {
  const bundle = 'var helper = 1;\n\n// src/a.ts\nlet a = 1;\n// no file\n  // none either\n  /** kept */\nlet b;\n\n// src/b.ts\nlet c;\n// <stdin>\nrun();\n';
  assert.deepEqual([...codeByFile(bundle, new Set(['src/a.ts', 'src/b.ts', '<stdin>']))], [['', 1], ['src/a.ts', 2], ['src/b.ts', 1], ['<stdin>', 1]]);
});

test('what is kept of a program: files in order with their lines and hashes; barrels, types and other packages are not', async () => {
  await inFolder(async (tree) => {
    write(tree, small);
    const kept = await keptOf(tree, program);
    assert.deepEqual(kept.files.map(({ path, kept: lines, lines: all, comments }) => [path, lines, all, comments]), [
      ['src/server/first.ts', 1, 1, 0], ['src/bounds/limit.ts', 1, 3, 1], ['src/server/serve.ts', 6, 9, 2],
    ]);
    assert.equal(kept.files[1]?.sha256, createHash('sha256').update(limit).digest('hex'));
    assert.equal(kept.own, 2);
    assert.deepEqual(totalsOf(kept), { files: 3, code: 10, lines: 11 });
    const file = join(tree, 'program.ts');
    writeFileSync(file, program.code);
    assert.deepEqual(await keptOf(tree, { file }), kept);
  });
});

test('a program that cannot be bundled says where it fails', async () => {
  await inFolder(async (tree) => {
    write(tree, small);
    await assert.rejects(keptOf(tree, { code: "import 'barewire/nowhere';" }), /^Error: <stdin>:1: package.json exports no barewire\/nowhere$/);
    await assert.rejects(keptOf(tree, { code: "import { more } from 'barewire/server'; more();" }), /<stdin>:1: No matching export .* "more"/);
    assert.equal(sourceOf(tree, 'barewire/server'), 'src/server/index.ts');
    assert.equal(sourceOf(tree, 'barewire/gone'), undefined);
  });
});

test('since a commit: changed, renamed, new, gone, and more kept of the same text', async () => {
  await inFolder(async (folder) => {
    const [then, now] = [join(folder, 'tree'), join(folder, 'later')];
    const long = Array.from({ length: 30 }, (_, i) => `export const value${i} = ${i};\n`).join('');
    const uses = (path: string, ...names: readonly string[]): string => `import { ${names} } from '${path}';\nconsole.log(${names});\n`;
    write(then, { ...small, 'src/long.ts': long, 'src/left.ts': 'export const left = 1;\n',
      'src/server/index.ts': `${small['src/server/index.ts']}import '../use.ts';\n`, 'src/use.ts': uses('./long.ts', 'value1') + uses('./left.ts', 'left') });
    write(now, { ...small, 'src/long.ts': long, 'src/fresh.ts': 'export const fresh = 1;\n',
      'src/server/index.ts': `${small['src/server/index.ts']}import '../use.ts';\n`,
      'src/use.ts': uses('./long.ts', 'value1') + uses('./fresh.ts', 'fresh') + uses('./bounds/limit.ts', 'other') });
    renameSync(join(now, 'src/long.ts'), join(now, 'src/longer.ts'));
    writeFileSync(join(now, 'src/use.ts'), uses('./longer.ts', 'value1') + uses('./fresh.ts', 'fresh') + uses('./bounds/limit.ts', 'other'));
    const [before, present] = [await keptOf(then, program), await keptOf(now, program)];
    copyFiles(then, before.files, join(folder, 'then'));
    copyFiles(now, present.files, join(folder, 'now'));
    const rows = changesOf(before, present, diffstat(folder));
    const shown = rows.map(({ state, path, from, added, removed, then: were, now: are }) => [state, path, from, added, removed, were, are]);
    assert.deepEqual(new Set(shown.map((row) => row.join(' '))), new Set([
      'renamed src/longer.ts src/long.ts 0 0 1 1', 'new src/fresh.ts  1 0  1', 'gone src/left.ts  0 1 1 ', 'changed src/use.ts  5 3 2 3',
      'more src/bounds/limit.ts  0 0 1 2',
    ]));
    assert.equal(shown.at(-1)?.[0], 'gone');
    assert.match(patch(folder), /^rename to now\/src\/longer\.ts$/m);
    assert.deepEqual(changesOf(present, present, []), []);
  });
});

test('what git writes of two folders is read in both of its forms', () => {
  assert.deepEqual(parseNumstat('1\t2\t\0then/src/a.ts\0now/src/a.ts\x003\t0\t\0/dev/null\0now/src/b.ts\x000\t4\t\0then/src/c.ts\0/dev/null\x005\t6\tnow/src/d.ts\0'), [
    { path: 'src/a.ts', from: undefined, added: 1, removed: 2 },
    { path: 'src/b.ts', from: undefined, added: 3, removed: 0 },
    { path: 'src/c.ts', from: undefined, added: 0, removed: 4 },
    { path: 'src/d.ts', from: undefined, added: 5, removed: 6 },
  ]);
  assert.deepEqual(parseNumstat('0\t0\t\0then/a.ts\0now/b.ts\0'), [{ path: 'b.ts', from: 'a.ts', added: 0, removed: 0 }]);
  assert.deepEqual(parseNumstat(''), []);
});

test('each program with ceilings is in the list, by the name that the list has first', () => {
  for (const [name, { ceiling, wanted }] of Object.entries(readCeilings(new URL(script('reading/ceilings.json'))))) {
    assert.equal(programNamed(name).name, name);
    assert.deepEqual([Object.keys(ceiling), Object.keys(wanted)], [['files', 'code'], ['files', 'lines']]);
  }
  assert.equal(programNamed('http-tools'), programNamed('http-server'));
  assert.throws(() => programNamed('http'), /no program "http": there are stdio-tools, .*everything$/);
});

test('the sources of the working tree and of a commit', async (t) => {
  await inFolder((folder) => {
    copySources(join(folder, 'present'));
    assert.ok(existsSync(join(folder, 'present/src/index.ts')));
    if (!existsSync(join(root, '.git'))) return t.diagnostic('no git here: a commit is not tried');
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
    assert.equal(commitOf('HEAD'), head);
    assert.throws(() => commitOf('--output=x'), /^Error: git knows no commit --output=x$/);
    copySources(join(folder, 'past'), head);
    assert.ok(existsSync(join(folder, 'past/src/index.ts')));
    assert.ok(!existsSync(join(folder, 'past/test')));
  });
});
