// A copy of the tree whose sources contain all mutants, each behind a switch. It is built once.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Instrumenter } from '@stryker-mutator/instrumenter';

export const top = fileURLToPath(new URL('../../', import.meta.url));
const quiet = { debug() {}, info() {}, isDebugEnabled: () => false };

/** Entries that are not copied: they are built there or linked. */
const without = new Set(['.git', 'node_modules', 'dist']);

/**
 * Makes the copy in a folder, and returns its mutants: `{ id, file, line, column, mutator, original, replacement }`. `chosen` selects the
 * mutants to try. The copy holds only those, in that order, and the few others at the same pieces of code, because each mutant costs time
 * wherever it is reached. `count` is above all ids.
 */
export async function mutatedCopy(folder, files, chosen = (mutants) => mutants) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(top)) {
    if (!without.has(name)) cpSync(join(top, name), join(folder, name), { recursive: true, filter: (path) => basename(path) !== 'node_modules' });
  }
  symlinkSync(join(top, 'node_modules'), join(folder, 'node_modules'));
  const given = files.map((file) => ({ name: file, mutate: true, content: readFileSync(join(top, file), 'utf8') }));
  const kept = chosen((await instrumented(given)).mutants);
  const placed = new Map();
  for (const { file, location } of kept) placed.set(file, [...(placed.get(file) ?? []), location]);
  const { files: written, mutants } = await instrumented(given.filter(({ name }) => placed.has(name)).map((one) => ({ ...one, mutate: placed.get(one.name) })));
  const first = `import ${JSON.stringify(pathToFileURL(join(folder, 'dist/test/mutants/started.mjs')).href)};\n`;
  for (const { name, content } of written) writeFileSync(join(folder, name), countedByNumber(content).replace(/^(#!.*\n)?/, `$1${first}`));
  build(folder);
  publish(folder);
  const numbers = new Map(mutants.map((one) => [sameMutant(one), one.id]));
  const renumbered = kept.map((one) => ({ ...one, id: numbers.get(sameMutant(one)) }));
  if (renumbered.some(({ id }) => id === undefined)) throw new Error('a mutant that was drawn is not in the copy');
  return { mutants: renumbered, count: Math.max(-1, ...mutants.map(({ id }) => Number(id))) + 1 };
}

const sameMutant = ({ file, location, mutator, replacement }) => JSON.stringify([file, location, mutator, replacement]);

/** Instruments files with Stryker. `mutate` is true, or the exact places to change. */
async function instrumented(given) {
  const { files, mutants } = await new Instrumenter(quiet).instrument(given, { plugins: null, excludedMutations: [], ignorers: [exactly(given)] });
  const texts = new Map(given.map(({ name, content }) => [name, content.split('\n')]));
  const placed = mutants.filter(({ statusReason }) => statusReason !== elsewhere);
  return { files, mutants: placed.map(({ id, fileName, location, mutatorName, replacement }) =>
    ({ id, file: fileName, location, ...place(location), mutator: mutatorName, original: excerpt(texts.get(fileName), location), replacement })) };
}

const elsewhere = 'was not drawn';

/** Ignores nodes inside a chosen place that are not chosen themselves; Stryker would change everything inside it. */
function exactly(given) {
  let at = -1;
  return { shouldIgnore({ node }) {
    // Files come in order, and each begins with its Program node.
    if (node.type === 'Program') at += 1;
    const { mutate } = given[at];
    const { start, end } = node.loc;
    const holds = (one) => startsWithin(one, start) && endsWithin(one, end);
    return mutate === true || mutate.some(holds) ? undefined : elsewhere;
  } };
}

const startsWithin = ({ start }, { line, column }) => start.line + 1 > line || (start.line + 1 === line && start.column >= column);
const endsWithin = ({ end }, { line, column }) => end.line + 1 < line || (end.line + 1 === line && end.column <= column);

/**
 * Stryker's header counts in objects with string keys, which takes most of the time of a hot loop. This replaces it by the process's own
 * `cover`, which counts by number (child.mjs) or does nothing.
 */
function countedByNumber(content) {
  const header = /function stryCov_9fa48\(\) \{.*?\n\}\n/s;
  if (!content.includes('stryCov_9fa48')) return content;
  if (!header.test(content)) throw new Error("Stryker's header has changed: look at countedByNumber");
  return content.replace(header, 'const stryCov_9fa48 = globalThis.__stryker__?.cover ?? (() => {});\n')
    .replace(/stryCov_9fa48\(("\d+"(?:, "\d+")*)\)/g, (call) => call.replaceAll('"', ''));
}

/** Makes the package's published files re-export the mutated sources, for programs that import it by name. */
function publish(folder) {
  const { exports, bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const { types, default: file } of Object.values(exports)) {
    if (file === undefined) continue;
    const source = types.replace('./dist/types/', 'src/').replace('.d.ts', '.js');
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `export * from '../${source}';\n`);
  }
  writeFileSync(join(folder, bin.barewire), `#!/usr/bin/env node\nimport '../src/cli/main.js';\n`);
}

function build(folder) {
  const { status, stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '--noCheck', '--declaration', 'false', '--isolatedDeclarations', 'false'], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the mutated copy in ${folder} does not build: ${stdout.slice(0, 1000)}`);
  const standIn = join(folder, 'dist/test/mutants/node-test.mjs');
  mkdirSync(dirname(standIn), { recursive: true });
  for (const name of ['node-test.mjs', 'started.mjs']) cpSync(new URL(name, import.meta.url), join(dirname(standIn), name));
  const tests = join(folder, 'dist/test');
  for (const name of readdirSync(tests, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const path = join(tests, name);
    const text = readFileSync(path, 'utf8');
    if (text.includes(`from 'node:test'`)) writeFileSync(path, text.replaceAll(`from 'node:test'`, `from ${JSON.stringify(standIn)}`));
  }
}

/** Lines and columns from 1; Stryker counts both from 0. */
const place = ({ start }) => ({ line: start.line + 1, column: start.column + 1 });

function excerpt(lines, { start, end }) {
  if (start.line === end.line) return lines[start.line].slice(start.column, end.column);
  return [lines[start.line].slice(start.column), ...lines.slice(start.line + 1, end.line), lines[end.line].slice(0, end.column)].join('\n');
}

/** The sources of a folder, except the export lists (index.ts). */
export const sourcesOf = (folder) => readdirSync(join(top, 'src', folder), { recursive: true })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('index.ts')).sort().map((name) => `src/${folder}/${name}`);

/** Expands names and patterns (`test/x/*`) to test files. */
export const testsOf = (names) => names.flatMap((name) => {
  if (!name.endsWith('*')) return [name];
  const [folder, start] = [dirname(name), name.slice(dirname(name).length + 1, -1)];
  if (!existsSync(join(top, folder))) throw new Error(`no folder ${folder}`);
  return readdirSync(join(top, folder)).filter((file) => file.startsWith(start) && file.endsWith('.test.ts')).sort().map((file) => `${folder}/${file.slice(0, -'.test.ts'.length)}`);
});
