// The picture: for each chosen row one group of bars with the length of the ratio to the bare program.
import { figures, peersOf } from './report.mjs';

// Distinguishable for colour-blind readers, and legible on white and on near-black.
const colours = {
  barewire: '#d55e00',
  'sdk v1': '#0072b2',
  'sdk v2': '#56b4e9',
  tmcp: '#009e73',
  'mcp-lite': '#cc79a7',
  fastmcp: '#8a8a8a',
};

const escape = (text) => text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]);

/** `chosen` is a list of `{ table, row, label }`. Rows without measurements are left out. */
export function picture(tables, chosen) {
  const groups = [];
  for (const { table, row, label } of chosen) {
    const rows = tables.get(table);
    const cells = rows?.get(row);
    if (!cells) continue;
    const bars = peersOf(rows)
      .filter((peer) => colours[peer] && cells.get(peer)?.samples.length > 0)
      .map((peer) => ({ peer, ratio: figures(cells, peer).ratio }))
      .filter(({ ratio }) => Number.isFinite(ratio));
    if (bars.length > 0) groups.push({ label, bars });
  }
  if (groups.length === 0) return undefined;

  const width = 760;
  const left = 90;
  const right = 60;
  const bar = 15;
  const scale = width - left - right;
  const most = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ ratio }) => ratio)));
  const x = (ratio) => left + (ratio / most) * scale;
  const parts = [];
  let y = 64;
  for (const { label, bars } of groups) {
    parts.push(`<text x="${left}" y="${y + 11}" class="label">${escape(label)}</text>`);
    y += 20;
    for (const { peer, ratio } of bars) {
      const length = Math.max(1, x(ratio) - left);
      parts.push(
        `<text x="${left - 8}" y="${y + 11}" text-anchor="end">${escape(peer)}</text>`,
        `<rect x="${left}" y="${y + 1}" width="${length.toFixed(1)}" height="${bar - 3}" fill="${colours[peer]}"/>`,
        `<text x="${(left + length + 6).toFixed(1)}" y="${y + 11}">${ratio.toFixed(2)}</text>`,
      );
      y += bar;
    }
    y += 12;
  }
  const height = y + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>Throughput as a share of a bare Node program</title>
<style>
text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328; }
.title { font-size: 15px; font-weight: 600; }
.label { font-weight: 600; }
.limit { stroke: #1f2328; stroke-dasharray: 3 3; }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3; } .limit { stroke: #e6edf3; } }
</style>
<text x="16" y="24" class="title">Throughput as a share of a bare Node program that does the same work</text>
<text x="16" y="44">Longer is better; the dashed line is the bare program, 1.00</text>
<line x1="${x(1).toFixed(1)}" y1="56" x2="${x(1).toFixed(1)}" y2="${height - 12}" class="limit"/>
${parts.join('\n')}
</svg>
`;
}
