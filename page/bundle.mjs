// How what a browser loads is bundled and made small.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { minify } from 'terser';
import { fromSources } from '../scripts/trees.mjs';
import { playground } from './playground.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

/**
 * Each file that comes of it, by its name.
 *
 * @param {import('esbuild').BuildOptions} options
 */
export async function bundled(options) {
  const { outputFiles } = await build({
    absWorkingDir: here, tsconfigRaw: {}, jsx: 'transform', jsxFactory: 'h', jsxFragment: 'Fragment', inject: ['src/ui/jsx.ts'], bundle: true, minify: true, write: false, target: 'es2022', charset: 'utf8', legalComments: 'none', logOverride: { 'ignored-bare-import': 'silent' },
    outdir: 'dist', ...options,
  });
  return Object.fromEntries(outputFiles.map(({ path, text }) => [path.slice(path.lastIndexOf('/') + 1), text]));
}

/** The one script of the playground, made small once. `without`: modules that are emptied, to see what they weigh. */
export async function playgroundBundle(version, without) {
  const { 'main.js': script } = await bundled({
    // From the sources: modules that are alike stand nearer to each other than in what is published, which gzip rewards.
    entryPoints: ['src/playground/main.ts'], format: 'iife', define: { barewireVersion: JSON.stringify(version) }, plugins: [playground(without), fromSources(fileURLToPath(new URL('..', import.meta.url)))],
  });
  return script;
}

/** The same, as small as it gets. */
export async function playgroundScript(version) {
  const { code } = await minify(await playgroundBundle(version), { ecma: 2022, compress: { passes: 3, ecma: 2022 } });
  return code;
}
