import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };

/** These pass their arguments on to another program. */
const passOn = ['scripts/page.mjs', 'scripts/prepare.mjs', 'test/course/main.ts', 'test/coverage/run.mjs'];

/** These need nothing of `dist`, or are part of the build. `everything:client` is started once for each scenario, after a build. */
const unbuilt = [
  'api', 'build', 'everything:client', 'explore:faults', 'explore:mutants', 'judge:rules', 'one', 'prepare', 'publish:dry', 'reading', 'requirements', 'trips',
  'typecheck', 'verify',
];

/** The programs of `npm run`, by source file, without the command itself (`dist/lib/cli.js`) and single test files. */
const programs = [...new Set(Object.values(scripts).flatMap((script) =>
  [...script.matchAll(/(?:cd ([\w/]+) && [^&]+&& )?\bnode ([\w/.-]+\.m?js)/g)].map(([, folder, path = '']) =>
    (folder === undefined ? path : `${folder}/${path}`).replace(/^dist\/(test\/.*)\.js$/, '$1.ts'))))]
  .filter((path) => /^(?:scripts|test|bench)\//.test(path) && !/\.test\.m?[jt]s$/.test(path));

test('each program of npm run refuses a word that it does not know', () => {
  assert.ok(programs.length > 40, programs.join());
  const careless = programs.filter((path) => !passOn.includes(path) && !/\b(?:readWords|parseArgs)\(/.test(readFileSync(`${root}${path}`, 'utf8')));
  assert.deepEqual(careless, []);
});

/** The modules of `dist` that a program imports, itself or through others. */
function builtImports(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const imports = [...readFileSync(path, 'utf8').matchAll(/(?:\bfrom|\bimport) '(\.[^']+)'|\b(?:import|new URL)\(['`](\.[^'`]+)/g)].map(([, fixed, late]) => join(path, '..', fixed ?? late ?? ''));
  return imports.flatMap((one) => one.startsWith(`${root}dist/`) ? [one] : /\.m?js$/.test(one) && existsSync(one) ? builtImports(one, seen) : []);
}

test('a command of package.json begins with a build, unless its programs import nothing of dist', () => {
  const first = Object.entries(scripts).filter(([, command]) => !/^npm run build(?: --silent)?(?: &&|$)/.test(command)).map(([name]) => name);
  assert.deepEqual(first.sort(), unbuilt);
  for (const name of unbuilt) {
    for (const [, path = ''] of scripts[name]?.matchAll(/\bnode ((?:scripts|test)\/[\w/.-]+\.mjs)/g) ?? []) assert.deepEqual(builtImports(root + path), [], name);
  }
});

test('readWords: an unknown option, an unknown name, a name too many, and a text where a number belongs', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-words-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const program = (name: string, call: string) => {
    const path = join(folder, `${name}.mjs`);
    writeFileSync(path, `import { numberOf, readWords } from ${JSON.stringify(`file://${root}scripts/words.mjs`)};
      const { values, names } = ${call};
      console.log(JSON.stringify([numberOf(values.seed, 7, 'seed'), names]));`);
    return (...words: string[]): string => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...words], { encoding: 'utf8' });
      return `${status ?? ''} ${stdout}${stderr}`.trim();
    };
  };
  const listed = program('listed', "readWords({ seed: { type: 'string' } }, ['redis', 'folder'])");
  assert.equal(listed('redis', '--seed', '3'), '0 [3,["redis"]]');
  assert.equal(listed(), '0 [7,[]]');
  assert.equal(listed('--sed', '3'), "2 listed.mjs: Unknown option '--sed'");
  assert.equal(listed('radis'), '2 listed.mjs: unknown word "radis": expected redis, folder');
  assert.equal(listed('--seed', 'x'), '2 listed.mjs: --seed takes a number, not "x"');
  assert.equal(program('one', 'readWords({}, 1)')('a', 'b'), '2 one.mjs: unknown word "b"');
});
