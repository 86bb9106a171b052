// The second half of `npm run build`: what is published. Each public entry is one file, with what the entries share
// in chunks, because a program starts faster from four files than from sixty. Names are short, and a source map beside each
// file leads to the sources, which are in the package too: `node --enable-source-maps` shows their lines in a stack.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

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
  minify: true,
  // Node prints the line that threw: a mistake of an author's filled the screen with 40 kB.
  lineLimit: 500,
  sourcemap: 'linked',
  sourcesContent: false,
  external: ['node:*'],
  logLevel: 'warning',
};

// esbuild makes a chunk of every set of modules that the same entries reach: left alone, ten for a server over pipes,
// and each costs half a millisecond at its start. Where every entry names all that this server shares with others,
// that is one chunk, and one more of JSON Schema. They hold nothing of Node, and nothing that a bundler cannot leave out.
const { metafile: { inputs } } = await build({ ...options, entryPoints, write: false, metafile: true });

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

const oneChunk = {
  name: 'one-chunk',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const file = relative(root, path).replaceAll('\\', '/');
      if (!nameOf.has(file) && file !== loadedLater) return undefined;
      const up = '../'.repeat(file.split('/').length - 1);
      const named = sharedWith(file).map((other, i) => `import * as shared${i} from '${up}${other}';`);
      return { contents: readFileSync(path, 'utf8') + named.join('\n'), loader: 'ts' };
    });
  },
};

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

rmSync(new URL('../dist/lib', import.meta.url), { recursive: true, force: true });
await build({ ...options, entryPoints, splitting: true, chunkNames: 'shared-[hash]', plugins: [oneChunk, fromEntries] });
// A subcommand is a chunk of its own, so that --help loads none.
await build({ ...options, entryPoints: { cli: 'src/cli/main.ts' }, splitting: true, chunkNames: 'cli-[name]-[hash]', plugins: [fromEntries] });

// The declarations that the entries reach, and no others.
const seen = new Set();
const copy = (file) => {
  if (seen.has(file)) return;
  seen.add(file);
  const text = readFileSync(`${root}dist/src/${file}`, 'utf8');
  const target = `${root}dist/types/${file}`;
  mkdirSync(dirname(target), { recursive: true });
  // The compiler indents by four; half of that is 4 kB less.
  writeFileSync(target, text.replace(/^( +)\1/gm, '$1'));
  for (const [, path] of text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)\.ts'/g)) copy(`${posix.join(posix.dirname(file), path)}.d.ts`);
};
rmSync(new URL('../dist/types', import.meta.url), { recursive: true, force: true });
for (const { types } of entries) copy(types.replace('./dist/types/', ''));
