// The second half of `npm run build`: what is published. Each public entry is one file, with what the entries share
// in chunks, because a program starts faster from three files than from sixty. Readable: nothing is minified.
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

// dist/lib/server.js is built from the sources whose declarations the manifest names.
const entryPoints = Object.fromEntries(
  Object.values(manifest.exports)
    .filter((entry) => typeof entry === 'object')
    .map((entry) => [entry.default.match(/lib\/(.+)\.js$/)[1], entry.types.replace('./dist/', './').replace('.d.ts', '.ts')]),
);

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
  external: ['node:*'],
  chunkNames: 'shared-[hash]',
  logLevel: 'warning',
});
