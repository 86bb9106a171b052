// Builds what a browser loads: dist/ui (index.html, page.js, page.css), which the local server serves, and
// dist/playground.html, one file that works from a disk without a network.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundled, playgroundScript } from './bundle.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
/** What playground.html should weigh, gzipped, the server inside included; and what it may not exceed, as barewire grows. */
const [budget, ceiling] = [135 * 1024, 209 * 1024];
/** What a browser loads of the local server's page before anything is pressed, in bytes as they are. */
const firstLoad = 200_000;

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

const [local, script, style, html] = await Promise.all([
  bundled({ entryPoints: ['src/local/page.ts'], format: 'esm', splitting: true, chunkNames: 'part-[hash]' }),
  playgroundScript(version).then(inScript),
  bundled({ entryPoints: ['src/ui/style.css'] }),
  readFile(`${here}src/ui/index.html`, 'utf8'),
]);

await rm(`${here}dist/ui`, { recursive: true, force: true });
await mkdir(`${here}dist/ui`, { recursive: true });
for (const [name, text] of Object.entries(local)) await writeFile(`${here}dist/ui/${name}`, text);
await writeFile(`${here}dist/ui/page.css`, style['style.css']);
await writeFile(`${here}dist/ui/index.html`, html);

// What a browser may do with the file: run this script, here and in its worker, use this style, and reach nothing.
const policy = [
  "default-src 'none'", `script-src ${hash(script)}`, 'worker-src blob:', `style-src ${hash(style['style.css'])}`,
  'img-src data: blob:', 'media-src data: blob:', "base-uri 'none'", "form-action 'none'",
].join('; ');
const scriptLine = '<script type="module" src="page.js"></script>';
const styleLine = '<link rel="stylesheet" href="page.css">';
if (!html.includes(scriptLine) || !html.includes(styleLine)) throw new Error(`src/ui/index.html lacks ${styleLine} or ${scriptLine}`);
const page = html
  .replace(styleLine, () => `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${style['style.css']}</style>`)
  .replace(scriptLine, () => `<script>${script}</script>`);
await writeFile(`${here}dist/playground.html`, page);

const size = gzipSync(page, { level: 9 }).length;
const first = [...loadedFirst(local, 'page.js')].reduce((sum, name) => sum + Buffer.byteLength(local[name]), Buffer.byteLength(style['style.css']) + Buffer.byteLength(html));
console.log(`playground.html: ${(size / 1024).toFixed(1)} KiB gzipped (budget ${budget / 1024}, ceiling ${ceiling / 1024}); the page's first load: ${(first / 1000).toFixed(1)} kB (budget ${firstLoad / 1000})`);
for (const [what, over] of [['playground.html', size - ceiling], ["the page's first load", first - firstLoad]]) {
  if (over <= 0) continue;
  console.error(`${what} is ${over} bytes over its budget`);
  process.exitCode = 1;
}
