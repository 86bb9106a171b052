import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

// The sources of the package and of the page, from dist/test/imports.test.js.
const root = fileURLToPath(new URL('../../src/', import.meta.url));
const page = fileURLToPath(new URL('../../page/src/', import.meta.url));

/** The folders that each folder may import. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'index.ts': [],
  'clock.ts': [],
  bounds: [],
  jsonrpc: [],
  schema: [],
  protocol: ['jsonrpc', 'schema'],
  transport: ['jsonrpc', 'schema', 'protocol'],
  server: ['jsonrpc', 'schema', 'protocol', 'transport'],
  client: ['jsonrpc', 'schema', 'protocol', 'transport'],
  explain: ['jsonrpc', 'schema', 'protocol', 'transport'],
  transcript: ['jsonrpc', 'schema', 'protocol', 'transport', 'explain'],
  oauth: ['jsonrpc', 'schema', 'protocol', 'transport'],
  tasks: ['jsonrpc', 'schema', 'protocol', 'transport', 'server', 'client'],
  fleet: ['jsonrpc', 'schema', 'protocol', 'transport', 'server'],
  skills: ['jsonrpc', 'schema', 'protocol', 'transport', 'server', 'client'],
  apps: ['jsonrpc', 'schema', 'protocol', 'transport', 'server', 'client'],
  host: ['jsonrpc', 'schema', 'protocol', 'transport', 'server', 'client', 'explain', 'oauth', 'tasks', 'skills', 'apps'],
  judge: ['jsonrpc', 'schema', 'protocol', 'transport', 'explain', 'transcript'],
  doctor: ['jsonrpc', 'schema', 'protocol', 'transport', 'client', 'explain', 'judge'],
  executables: ['jsonrpc', 'schema', 'protocol', 'transport', 'server'],
  cli: [
    'jsonrpc', 'schema', 'protocol', 'transport', 'server', 'client', 'explain', 'transcript', 'oauth', 'tasks', 'fleet',
    'skills', 'apps', 'host', 'doctor', 'judge', 'executables',
  ],
};
/** Folders that may import Node's modules. */
const nodeFolders: readonly string[] = [
  'transport/stdio/', 'transport/http/node/', 'transport/http1/node/', 'transport/serial/node/', 'transport/socket/node/', 'oauth/node/', 'tasks/node/', 'fleet/node/', 'skills/node/', 'host/node/',
  'executables/', 'cli/', 'judge/node/',
];

interface Import {
  readonly from: string;
  readonly to: string;
  /** `import type` is erased: it counts as a dependency, but not as a cycle at run time. */
  readonly typeOnly: boolean;
  /** The names in its braces; for `a as b`, the name used outside the importing file. */
  readonly names: readonly string[];
}

/** The names between braces; for `a as b`, the name used outside the file with the statement. */
const namesIn = (file: string, clause: string): string[] => [...clause.matchAll(/[\w$]+(?: as [\w$]+)?/g)]
  .map(([name]) => name.replace(/^type (?=\w)/, '').replace(file.endsWith('/internal-exports.ts') ? /^.* as / : / as .*$/, ''))
  .filter((name) => name !== 'from');

function importsOf(file: string, folder: string): Import[] {
  const text = readFileSync(join(folder, file), 'utf8')
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '');
  const found: Import[] = [];
  for (const match of text.matchAll(/^(?:import|export)(\s+type)?\s([\w$*{}\s,]+?\sfrom\s)?\s*['"]([^'"]+)['"]/gm)) {
    const names = namesIn(file, match[2] ?? '');
    found.push({ from: file, to: resolve(folder, file, match[3] as string), typeOnly: match[1] !== undefined, names });
  }
  for (const match of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g)) {
    found.push({ from: file, to: resolve(folder, file, match[1] as string), typeOnly: false, names: [] });
  }
  return found;
}

function resolve(folder: string, from: string, to: string): string {
  return to.startsWith('.') ? relative(folder, join(folder, dirname(from), to)).replaceAll('\\', '/') : to;
}

const sourcesIn = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file))
  .sort();

const files = sourcesIn(root);
const imports = files.flatMap((file) => importsOf(file, root));
const folderOf = (file: string): string => file.split('/', 1)[0] as string;

test('imports: the sources were found', () => {
  assert.ok(files.includes('jsonrpc/message.ts'));
  assert.ok(imports.some(({ from, to }) => from === 'jsonrpc/index.ts' && to === 'jsonrpc/message.ts'));
});

test('imports: every folder has its rule', () => {
  assert.deepEqual(files.filter((file) => allowed[folderOf(file)] === undefined), []);
});

test('imports: every arrow points the right way', () => {
  const wrong = imports.filter(({ from, to }) => {
    if (to.startsWith('node:')) return !nodeFolders.some((folder) => from.startsWith(folder));
    // A package, or a file outside the sources.
    if (!files.includes(to)) return true;
    const folder = folderOf(from);
    // `bounds` may be imported everywhere, and imports nothing.
    if (folderOf(to) === 'bounds') return false;
    return folderOf(to) !== folder && !allowed[folder]?.includes(folderOf(to));
  });
  assert.deepEqual(wrong.map(({ from, to }) => `${from} imports ${to}`), []);
});

/** The folders built on the protocol. */
const kit = ['oauth', 'tasks', 'fleet', 'skills', 'apps', 'host', 'executables', 'explain', 'transcript', 'doctor', 'judge', 'cli'];
/** The folders of the protocol, except `bounds`, which all may import. */
const protocol = ['jsonrpc', 'schema', 'protocol', 'transport', 'server', 'client'];
/** The kit imports only the index of `schema`. Modules that need Node have separate entries below `transport`. */
const doors = [
  'client/internal-exports.ts', 'jsonrpc/internal-exports.ts', 'protocol/internal-exports.ts', 'server/internal-exports.ts', 'transport/http/node/internal-exports.ts', 'transport/internal-exports.ts',
  'transport/socket/node/internal-exports.ts', 'transport/stdio/internal-exports.ts',
];

test('imports: the kit enters a folder of the protocol by its index or its door', () => {
  assert.deepEqual(files.filter((file) => file.endsWith('/internal-exports.ts') && protocol.includes(folderOf(file))), doors);
  const entering = imports.filter(({ from, to }) => kit.includes(folderOf(from)) && protocol.includes(folderOf(to)));
  for (const door of doors) assert.ok(entering.some(({ to }) => to === door), door);
  assert.deepEqual(entering.filter(({ to }) => !/^(\w+\/)+(index|internal-exports)\.ts$/.test(to)).map(({ from, to }) => `${from} imports ${to}`), []);
});

test('imports: a door is for the kit, and has nothing of its own', () => {
  for (const door of doors) {
    assert.deepEqual(imports.filter(({ from, to }) => to === door && !kit.includes(folderOf(from))).map(({ from }) => from), []);
    const code = readFileSync(join(root, door), 'utf8').replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '');
    assert.match(code, /^(\s*export (type )?\{[^}]*\} from '\.\/[^']+';)+\s*$/);
  }
});

test('imports: the kit takes everything that a door names', () => {
  for (const door of doors) {
    const entering = imports.filter(({ to }) => to === door);
    // An import of the whole file uses all its names.
    if (entering.some(({ names }) => names.length === 0)) continue;
    const taken = new Set(entering.flatMap(({ names }) => names));
    const named = imports.filter(({ from }) => from === door).flatMap(({ names }) => names);
    assert.deepEqual(named.filter((name) => !taken.has(name)), [], door);
  }
});

test('imports: the page takes from the package only its entries', () => {
  const { exports } = JSON.parse(readFileSync(join(root, '../package.json'), 'utf8')) as { exports: Record<string, unknown> };
  const taken = sourcesIn(page).flatMap((file) => importsOf(file, page)).map(({ to }) => to);
  const ours = taken.filter((to) => to.startsWith('barewire') || (to.startsWith('../') && !to.startsWith('../../dist/examples/')));
  assert.ok(ours.includes('barewire/client'));
  assert.deepEqual(ours.filter((to) => exports[to.replace('barewire', '.')] === undefined), []);
});

/** The files on import cycles. */
function inCircles(arrows: readonly Pick<Import, 'from' | 'to'>[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of arrows) next.set(from, [...next.get(from) ?? [], to]);
  const reaches = (from: string, goal: string, seen: Set<string>): boolean =>
    (next.get(from) ?? []).some((to) => to === goal || (!seen.has(to) && (seen.add(to), reaches(to, goal, seen))));
  return [...next.keys()].filter((file) => reaches(file, file, new Set()));
}

test('imports: nothing goes round in a circle', () => {
  assert.deepEqual(inCircles(imports.filter(({ typeOnly }) => !typeOnly)), []);
});

test('imports: folders refer to one another one way, types included; within a folder types may go round', () => {
  const between = imports.filter(({ to }) => files.includes(to))
    .map(({ from, to, typeOnly }) => ({ from: folderOf(from), to: folderOf(to), typeOnly }))
    .filter(({ from, to }) => from !== to);
  assert.ok(between.some(({ from, to, typeOnly }) => from === 'server' && to === 'protocol' && typeOnly));
  assert.deepEqual(inCircles(between), []);
});

test('imports: in the page nothing goes round in a circle, and no type either', () => {
  const found = sourcesIn(page).flatMap((file) => importsOf(file, page));
  assert.ok(found.some(({ from, to }) => from === 'ui/form/field.tsx' && to === 'ui/form/containers.tsx'));
  assert.deepEqual(inCircles(found), []);
});
