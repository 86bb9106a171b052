// The second half of `npm run build`: the published files. Each public entry is one file, with shared code in chunks, because a
// program starts faster from four files than from sixty. The files are not minified: a stack trace names functions, the throwing
// line is readable, and a comment before each module names its source. Each file has a source map to the sources, which are in
// the package too: `node --enable-source-maps` shows their lines in a stack.
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

// Maps dist/lib/server.js to its source by the declarations that the manifest names.
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

// esbuild makes a chunk for every set of modules reached by the same entries: by default ten for a stdio server, and each costs
// half a millisecond at its start. If every entry imports all the modules that this server shares with others, they form one
// chunk, plus one for JSON Schema. They contain no Node modules, and only code that a bundler can remove.
const throughAll = (file) => throughDoors(file, { alsoIndexes: true });
const { metafile: { inputs } } = await build({ ...options, entryPoints, plugins: [sources(throughAll)], write: false, metafile: true });

// Entries built on these (host, oauth, tasks) import them as published files: see fromEntries.
const base = ['server', 'client', 'stdio', 'http', 'fetch', 'memory', 'message-port', 'schema', 'jsonrpc', 'protocol'];
const baseFiles = new Set(base.map((name) => entryPoints[name]));

/** The modules of an entry. For a later entry, without the base entries that it imports. */
function reached(file, later, into = new Set()) {
  into.add(file);
  for (const { path, external, kind } of inputs[file].imports) {
    if (!external && kind === 'import-statement' && !into.has(path) && !(later && baseFiles.has(path))) reached(path, later, into);
  }
  return into;
}

const reaches = Object.entries(entryPoints).map(([name, file]) => [name, reached(file, !base.includes(name))]);
const reachedBy = new Map(reaches);

// JSON Schema is a separate chunk: a client loads it at the first tool with an output schema.
const loadedLater = 'src/schema/compile.ts';
const isSchema = (file) => file.startsWith('src/schema/');
const shared = new Set();
for (const name of ['server', 'stdio']) {
  for (const file of reachedBy.get(name)) {
    if (reaches.some(([other, theirs]) => other !== name && theirs.has(file))) shared.add(file);
  }
}

/** The files of the shared chunks that an entry must import, so that each stays one chunk. */
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

/** A plugin that reads the sources with `read`. */
function sources(read) {
  return { name: 'sources', setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, ({ path }) => ({ contents: read(path), loader: 'ts' })) };
}

// The command and the later entries are treated as programs: code of the base entries that they use through an index.ts is
// imported from the published file. Otherwise they would split that file, and a stdio server would load more.
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
 * Names a chunk by its content, since stack traces show it: its only source file, or the folder with more than half of its files,
 * or `mixed`.
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

/** Bundles entries, names their chunks (with `prefix`), and writes the files. */
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
// Each subcommand is a separate chunk, so that --help loads none.
await publish({ cli: 'src/cli/main.ts' }, { prefix: 'cli-', mixed: 'shared', plugins: [sources(throughDoors), fromEntries] });

// Only the declarations that the entries reach.
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
