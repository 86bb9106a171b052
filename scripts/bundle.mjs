// The second half of `npm run build`: what is published. Each public entry is one file, with what the entries share
// in chunks, because a program starts faster from four files than from sixty. The files are not minified: a stack names
// functions, the line that threw can be read, and a comment before each module names its source. A source map beside each
// file leads to the sources, which are in the package too: `node --enable-source-maps` shows their lines in a stack.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { throughDoors } from './internal-exports.mjs';
import { readWords } from './words.mjs';

readWords();

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const entries = Object.values(manifest.exports).filter((entry) => typeof entry === 'object');

// dist/lib/server.js is built from the sources whose declarations the manifest names.
const entryPoints = Object.fromEntries(entries.map(({ default: file, types }) =>
  [basename(file, '.js'), types.replace('./dist/types/', 'src/').replace('.d.ts', '.ts')]));
const nameOf = new Map(Object.entries(entryPoints).map(([name, file]) => [file, name]));

const options = {
  absWorkingDir: root,
  outdir: 'dist/lib',
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  sourcemap: 'linked',
  sourcesContent: false,
  external: ['node:*'],
  logLevel: 'warning',
};

// esbuild makes a chunk of every set of modules that the same entries reach: left alone, ten for a server over pipes,
// and each costs half a millisecond at its start. Where every entry names all that this server shares with others,
// that is one chunk, and one more of JSON Schema. They hold nothing of Node, and nothing that a bundler cannot leave out.
const throughAll = (file) => throughDoors(file, { alsoIndexes: true });
const { metafile: { inputs } } = await build({ ...options, entryPoints, plugins: [sources(throughAll)], write: false, metafile: true });

// Entries that build on these (host, oauth, tasks) import them as published files: see fromEntries.
const base = ['server', 'client', 'stdio', 'http', 'fetch', 'memory', 'message-port', 'schema', 'jsonrpc', 'protocol'];
const baseFiles = new Set(base.map((name) => entryPoints[name]));

/** What an entry is made of. A later entry is not made of the base entries that it imports. */
function reached(file, later, into = new Set()) {
  into.add(file);
  for (const { path, external, kind } of inputs[file].imports) {
    if (!external && kind === 'import-statement' && !into.has(path) && !(later && baseFiles.has(path))) reached(path, later, into);
  }
  return into;
}

const reaches = Object.entries(entryPoints).map(([name, file]) => [name, reached(file, !base.includes(name))]);
const reachedBy = new Map(reaches);

// JSON Schema is a chunk of its own: a client loads it at the first tool that has an output schema.
const loadedLater = 'src/schema/compile.ts';
const isSchema = (file) => file.startsWith('src/schema/');
const shared = new Set();
for (const name of ['server', 'stdio']) {
  for (const file of reachedBy.get(name)) {
    if (reaches.some(([other, theirs]) => other !== name && theirs.has(file))) shared.add(file);
  }
}

/** The files of the shared chunks that an entry has to name, so that each remains one chunk. */
function sharedWith(file) {
  const schemas = file === loadedLater || [...reachedBy.get(nameOf.get(file))].some((other) => isSchema(other) && shared.has(other));
  return [...shared].filter((other) => other !== file && (isSchema(other) ? schemas : file !== loadedLater));
}

const oneChunk = sources((path) => {
  const file = relative(root, path).replaceAll('\\', '/');
  if (!nameOf.has(file) && file !== loadedLater) return throughAll(path);
  const up = '../'.repeat(file.split('/').length - 1);
  const named = sharedWith(file).map((other, i) => `import * as shared${i} from '${up}${other}';`);
  return throughAll(path) + named.join('\n');
});

/** A plugin that reads the sources by `read`. */
function sources(read) {
  return { name: 'sources', setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, ({ path }) => ({ contents: read(path), loader: 'ts' })) };
}

// The command and the later entries are programs like any other: what they use of the base entries through an index.ts,
// they import from the published file. Otherwise they would split that file, and a server over pipes would load more.
const fromEntries = {
  name: 'from-entries',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/.*\/index\.ts$/ }, ({ path, resolveDir, importer }) => {
      const own = relative(root, importer).replaceAll('\\', '/');
      const name = nameOf.get(relative(root, posix.join(resolveDir, path)).replaceAll('\\', '/'));
      const later = !/^src\/(jsonrpc|schema|protocol|transport|server|client)\//.test(own);
      return name !== undefined && later && (base.includes(name) || own.startsWith('src/cli/'))
        ? { path: `./${name}.js`, external: true }
        : undefined;
    });
  },
};

/**
 * The name of a chunk, after what is in it, since stacks show it: its only source file, else the folder that holds more than
 * half of its files, else `mixed`.
 */
function chunkName(sources, mixed) {
  const paths = sources.map((path) => path.replace(/^src\/(cli\/(commands\/)?)?|\.ts$/g, ''));
  if (paths.length === 1) return paths[0].replaceAll('/', '-');
  let folder = '';
  for (;;) {
    const counts = new Map();
    for (const path of paths) {
      const end = path.startsWith(folder) ? path.indexOf('/', folder.length) + 1 : 0;
      if (end > 0) counts.set(path.slice(0, end), (counts.get(path.slice(0, end)) ?? 0) + 1);
    }
    const most = [...counts].find(([, count]) => count > paths.length / 2);
    if (most === undefined) break;
    [folder] = most;
  }
  return folder === '' ? mixed : `${folder.replaceAll('/', '-')}parts`;
}

/** Bundles entries, names their chunks (`prefix` stands before each name), and writes the files. */
async function publish(entryPoints, { prefix = '', mixed, plugins }) {
  const { outputFiles, metafile } = await build({
    ...options, entryPoints, plugins, splitting: true, chunkNames: 'chunk-[hash]', write: false, metafile: true,
  });
  const names = new Map();
  for (const [path, { entryPoint, inputs }] of Object.entries(metafile.outputs)) {
    const old = basename(path, '.js');
    if (!/^chunk-[A-Z0-9]{8}$/.test(old) || path.endsWith('.map')) continue;
    const name = `${prefix}${chunkName(entryPoint === undefined ? Object.keys(inputs) : [entryPoint], mixed)}`;
    const taken = new Set([...names.values(), ...Object.keys(entryPoints)]);
    let free = name;
    for (let i = 2; taken.has(free); i++) free = `${name}-${i}`;
    names.set(old, free);
  }
  const renamed = (text) => text.replace(/chunk-[A-Z0-9]{8}/g, (old) => names.get(old) ?? old);
  for (const { path, text } of outputFiles) writeFileSync(renamed(path), renamed(text));
}

const lib = new URL('../dist/lib', import.meta.url);
rmSync(lib, { recursive: true, force: true });
mkdirSync(lib, { recursive: true });
await publish(entryPoints, { mixed: 'core', plugins: [oneChunk, fromEntries] });
// A subcommand is a chunk of its own, so that --help loads none.
await publish({ cli: 'src/cli/main.ts' }, { prefix: 'cli-', mixed: 'shared', plugins: [sources(throughDoors), fromEntries] });

// The declarations that the entries reach, and no others.
const seen = new Set();
const copy = (file) => {
  if (seen.has(file)) return;
  seen.add(file);
  const text = throughDoors(`${root}dist/src/${file}`);
  const target = `${root}dist/types/${file}`;
  mkdirSync(dirname(target), { recursive: true });
  // The compiler indents by four; half of that is 4 kB less.
  writeFileSync(target, text.replace(/^( +)\1/gm, '$1'));
  for (const [, path] of text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)\.ts'/g)) copy(`${posix.join(posix.dirname(file), path)}.d.ts`);
};
rmSync(new URL('../dist/types', import.meta.url), { recursive: true, force: true });
for (const { types } of entries) copy(types.replace('./dist/types/', ''));
