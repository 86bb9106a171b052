// The suite as one file for each runtime, bundled from the published files (dist/lib), not the sources.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

// Maps src/server/index.ts to dist/lib/server.js, and so on.
const published = new Map(Object.values(manifest.exports)
  .filter((entry) => typeof entry === 'object')
  .map((entry) => [join(root, entry.types.replace('/dist/types/', '/src/').replace('.d.ts', '.ts')), join(root, entry.default)]));

const fromPublished = {
  name: 'from-published',
  setup(bundler) {
    bundler.onResolve({ filter: /\/src\// }, ({ path, resolveDir }) => {
      const file = published.get(join(resolveDir, path));
      return file === undefined ? { errors: [{ text: `package.json does not export ${path}` }] } : { path: file };
    });
  },
};

export async function makeBundles() {
  const out = mkdtempSync(join(tmpdir(), 'barewire-everywhere-'));
  const bundles = {};
  for (const [name, format] of [['process', 'esm'], ['page', 'iife'], ['worker', 'esm'], ['bare', 'iife'], ['outside', 'esm']]) {
    bundles[name] = join(out, `${name}.${format === 'esm' ? 'mjs' : 'js'}`);
    await build({
      absWorkingDir: root,
      entryPoints: [`test/everywhere/${name}.ts`],
      outfile: bundles[name],
      bundle: true,
      format,
      platform: 'neutral',
      target: 'es2022',
      minify: name === 'bare',
      external: ['node:*'],
      plugins: [fromPublished],
      // The published files import their chunks also where they use nothing of them.
      logOverride: { 'ignored-bare-import': 'silent' },
      logLevel: 'warning',
    });
  }
  return { out, bundles };
}
