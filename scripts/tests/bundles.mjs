// Bundles of the programs that test files start by `programAt` (test/program-at.ts), because loading their modules takes most of
// their processor time. `import.meta.url` is the place of the bundle. Tests that run without scripts/test.mjs (as those of
// test/removals and test/mutants do) start the compiled programs themselves.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, stop } from 'esbuild';

/** Writes to `folder` a bundle of each program of `dist` that a compiled test names. */
export async function bundlePrograms(dist, folder) {
  const tests = readdirSync(join(dist, 'test'), { recursive: true }).filter((file) => file.endsWith('.js'));
  const names = new Set(tests.flatMap((file) => [...readFileSync(join(dist, 'test', file), 'utf8').matchAll(/\bprogramAt\(['"]([^'"]+)['"]\)/g)].map(([, name]) => name)));
  await build({
    entryPoints: [...names].map((name) => join(dist, name)), outbase: dist, outdir: folder, outExtension: { '.js': '.mjs' },
    bundle: true, format: 'esm', platform: 'node', target: 'es2022', logLevel: 'warning',
  });
  // Ends esbuild's process, which would otherwise run as long as the tests.
  await stop();
}
