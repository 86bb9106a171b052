// The second half of `npm run build`: what is published. Each public entry is one file, with what the entries share
// in chunks, because a program starts faster from three small files than from sixty. The sources are for reading: with
// local names kept, the package would be 72 kB larger.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const entries = Object.values(manifest.exports).filter((entry) => typeof entry === 'object');

// dist/lib/server.js is built from the sources whose declarations the manifest names.
const entryPoints = Object.fromEntries(entries.map(({ default: file, types }) =>
  [basename(file, '.js'), types.replace('./dist/types/', './src/').replace('.d.ts', '.ts')]));

entryPoints.cli = './src/cli/main.ts';

rmSync(new URL('../dist/lib', import.meta.url), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints,
  outdir: 'dist/lib',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  minify: true,
  external: ['node:*'],
  chunkNames: 'shared-[hash]',
  logLevel: 'warning',
});

// The declarations that the entries reach, and no others.
const seen = new Set();
const copy = (file) => {
  if (seen.has(file)) return;
  seen.add(file);
  const text = readFileSync(`${root}dist/src/${file}`, 'utf8');
  const target = `${root}dist/types/${file}`;
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
  for (const [, path] of text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)\.ts'/g)) copy(`${posix.join(posix.dirname(file), path)}.d.ts`);
};
rmSync(new URL('../dist/types', import.meta.url), { recursive: true, force: true });
for (const { types } of entries) copy(types.replace('./dist/types/', ''));
