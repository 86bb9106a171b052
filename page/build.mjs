// Builds what a browser loads: dist/ui (index.html, page.js, page.css), which the local server serves, and
// dist/playground.html, one file that works from a disk without a network.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { minify } from 'terser';
import { fromSources } from '../scripts/trees.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
/** What playground.html should weigh, gzipped, the server inside included; and what it may not exceed, as barewire grows. */
const [budget, ceiling] = [135 * 1024, 163.5 * 1024];
/** What a browser loads of the local server's page before anything is pressed, in bytes as they are. */
const firstLoad = 200_000;

/** @param {import('esbuild').BuildOptions} options */
async function bundled(options) {
  const { outputFiles } = await build({
    absWorkingDir: here, tsconfigRaw: {}, jsx: 'transform', jsxFactory: 'h', jsxFragment: 'Fragment', inject: ['src/ui/jsx.ts'], bundle: true, minify: true, write: false, target: 'es2022', charset: 'utf8', legalComments: 'none', logOverride: { 'ignored-bare-import': 'silent' },
    outdir: 'dist', ...options,
  });
  return Object.fromEntries(outputFiles.map(({ path, text }) => [path.slice(path.lastIndexOf('/') + 1), text]));
}

/** The travel example runs in a worker: what it uses of Node is there in a small form. */
const machine = {
  name: 'machine',
  setup(build) {
    const { onResolve } = build;
    // One file beside the page holds all that is loaded late.
    onResolve({ filter: /^\./ }, ({ kind, importer }) => (kind === 'dynamic-import' && !importer.endsWith('main.ts') ? { path: `${here}src/playground/more.ts` } : undefined));
    // The validator of the worker is the page's too.
    onResolve({ filter: /^barewire\/schema\/full$/ }, ({ resolveDir }) => build.resolve('barewire/schema', { resolveDir, kind: 'import-statement' }));
    // Its server has no address that the doctor could probe.
    onResolve({ filter: /^\.\/address\.ts$/ }, ({ importer }) => (/src[\\/]doctor[\\/]diagnose\.ts$/.test(importer) ? { path: `${here}src/playground/no-address.ts` } : undefined));
    // Parts are divided by files: through the index all of it would be in the first.
    onResolve({ filter: /^barewire\/transcript$/ }, ({ importer }) => (/(?:recordings|wire-actions)\.ts$/.test(importer) ? { path: `${here}../src/transcript/recorder.ts` } : undefined));
    onResolve({ filter: /^node:(timers\/promises|fs\/promises|path|url)$/ }, () => ({ path: `${here}src/playground/machine.ts` }));
  },
};

/** A script and what it imports before it runs. */
function loadedFirst(scripts, name, known = new Set()) {
  known.add(name);
  for (const [, one] of scripts[name].matchAll(/(?:^|[;}])import(?:[^"'();]*?from)?["']\.\/([^"']+)["']/g)) if (!known.has(one)) loadedFirst(scripts, one, known);
  return known;
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
/** Text inside an element that ends at `</script`: a string of JavaScript may be written otherwise there. */
const inScript = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');

const { version } = JSON.parse(await readFile(`${here}node_modules/barewire/package.json`, 'utf8'));
const define = { barewireVersion: JSON.stringify(version) };

const [local, playground, style, html] = await Promise.all([
  bundled({ entryPoints: ['src/local/page.ts'], format: 'esm', splitting: true, chunkNames: 'part-[hash]' }),
  // From the sources: modules that are alike stand nearer to each other than in what is published, which gzip rewards.
  bundled({ entryPoints: ['src/playground/main.ts'], format: 'esm', splitting: true, chunkNames: '[name]-[hash]', define, plugins: [machine, fromSources(fileURLToPath(new URL('..', import.meta.url)))] }),
  bundled({ entryPoints: ['src/ui/style.css'] }),
  readFile(`${here}src/ui/index.html`, 'utf8'),
]);

await rm(`${here}dist/ui`, { recursive: true, force: true });
await mkdir(`${here}dist/ui`, { recursive: true });
for (const [name, text] of Object.entries(local)) await writeFile(`${here}dist/ui/${name}`, text);
await writeFile(`${here}dist/ui/page.css`, style['style.css']);
await writeFile(`${here}dist/ui/index.html`, html);

/** A part as a function, which gets others from the registry. */
async function part(name) {
  const { code } = await transform(playground[name], { format: 'cjs', target: 'es2022', charset: 'utf8', minify: true });
  return `${JSON.stringify(name)}:function(module){${code.replaceAll(/\brequire\("\.\/([^"]+)"\)/g, 'playground.get("$1")').replaceAll(/\bimport\("\.\/([^"]+)"\)/g, 'playground.load("$1")')}}`;
}
const parts = async (names) => `playground.define({${(await Promise.all(names.map(part))).join()}});`;
const squeezed = async (text) => (await minify(text, { ecma: 2022, compress: { passes: 3, ecma: 2022 } })).code;
const begun = loadedFirst(playground, 'main.js');
// The page itself is begun by a dynamic import: its worker does not run it.
for (const [, name] of playground['main.js'].matchAll(/import\("\.\/([^"]+)"\)/g)) if (name.startsWith('page-')) loadedFirst(playground, name, begun);
const { 'registry.js': registry } = await bundled({ entryPoints: ['src/playground/registry.ts'], format: 'iife' });
const script = inScript(await squeezed(`${registry}${await parts([...begun])}playground.get("main.js");`));
const more = await squeezed(await parts(Object.keys(playground).filter((name) => !begun.has(name))));
// What a browser may do with the file: run this script, here and in its worker, use this style, and reach nothing.
const policy = [
  "default-src 'none'", `script-src ${hash(script)} 'nonce-playground' blob:`, 'worker-src blob:', `style-src ${hash(style['style.css'])}`,
  'img-src data: blob:', 'media-src data: blob:', "base-uri 'none'", "form-action 'none'",
].join('; ');
const scriptLine = '<script type="module" src="page.js"></script>';
const styleLine = '<link rel="stylesheet" href="page.css">';
if (!html.includes(scriptLine) || !html.includes(styleLine)) throw new Error(`src/ui/index.html lacks ${styleLine} or ${scriptLine}`);
const page = html
  .replace(styleLine, () => `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${style['style.css']}</style>`)
  .replace(scriptLine, () => `<script>${script}</script>`);
await writeFile(`${here}dist/playground.html`, page);
await writeFile(`${here}dist/playground-more.js`, more);

const size = gzipSync(page, { level: 9 }).length;
const first = [...loadedFirst(local, 'page.js')].reduce((sum, name) => sum + Buffer.byteLength(local[name]), Buffer.byteLength(style['style.css']) + Buffer.byteLength(html));
console.log(`playground.html: ${(size / 1024).toFixed(1)} KiB gzipped (budget ${budget / 1024}, ceiling ${ceiling / 1024}), and ${(gzipSync(more, { level: 9 }).length / 1024).toFixed(1)} KiB beside it; the page's first load: ${(first / 1000).toFixed(1)} kB (budget ${firstLoad / 1000})`);
for (const [what, over] of [['playground.html', size - ceiling], ["the page's first load", first - firstLoad]]) {
  if (over <= 0) continue;
  console.error(`${what} is ${over} bytes over its budget`);
  process.exitCode = 1;
}
