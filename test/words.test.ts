import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> };

/** These pass their arguments on to another program. */
const passOn = ['scripts/page.mjs', 'scripts/prepare.mjs', 'test/course/run.mjs', 'test/coverage/run.mjs'];

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
