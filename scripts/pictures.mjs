// Writes the picture of the tour in README.md from the tour's output: node scripts/pictures.mjs (after `npm run build`). The
// other two come from `npm run screenshots --prefix page` and `npm run bench`.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const said = execFileSync(process.execPath, ['dist/lib/cli.js', 'tour', '--fast', '--defaults', '--yes'], {
  cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 * 1024 * 1024,
});
const lines = said.split('\n');
const from = lines.findIndex((line) => line.startsWith('── Opening'));
const to = lines.findIndex((line) => line.startsWith('── Resources'));
if (from < 0 || to < from) throw new Error('the tour does not begin with Opening, and come to Resources');

const [size, height, left, columns] = [13, 19, 20, 118];
const colours = { title: '#e6edf3', sent: '#79c0ff', received: '#7ee787', said: '#c9d1d9', quiet: '#8b949e' };
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '\u00a0');

function colourOf(line) {
  if (line.startsWith('──')) return colours.title;
  if (/^ +[\d.]+ →/.test(line)) return colours.sent;
  if (/^ +[\d.]+ ←/.test(line)) return colours.received;
  return /#[\w-]+$/.test(line) && !/^ {11}The/.test(line) ? colours.quiet : colours.said;
}

const shown = ['$ barewire tour', '', ...lines.slice(from, to)].map((line) => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line));
const texts = shown.map((line, i) => (line === '' ? '' : `<text x="${left}" y="${30 + i * height}" fill="${colourOf(line)}">${escaped(line)}</text>`));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
writeFileSync(`${root}docs/pictures/tour.svg`, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * left + Math.ceil(columns * size * 0.602)} ${40 + shown.length * height}" role="img">
<title>What barewire tour prints (${version}): the handshake with a server, message by message, each explained with its section</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="${size}">
${texts.filter((text) => text !== '').join('\n')}
</g>
</svg>
`);
