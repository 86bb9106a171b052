// The measurements, as tables for the terminal and for RESULTS.md.
import { median, medianInterval, spread } from './stats.mjs';

/** If a load generator uses more than this share of a core, it is assumed to be the bottleneck. */
export const busyDriver = 0.85;

/**
 * The figures of one run. `samples(table, row, peer)` is a list of `{ round, value, detail }`; a peer without a measurement has a
 * reason instead.
 */
export function results() {
  const tables = new Map();
  const notes = [];
  const cell = (table, row, peer) => {
    const rows = tables.get(table) ?? tables.set(table, new Map()).get(table);
    const cells = rows.get(row) ?? rows.set(row, new Map()).get(row);
    return cells.get(peer) ?? cells.set(peer, { samples: [], reason: undefined }).get(peer);
  };
  return {
    tables,
    notes,
    record: (table, row, peer, round, value, detail) => cell(table, row, peer).samples.push({ round, value, detail }),
    /** Drops the measurements of a row. */
    forget(table, row) {
      tables.get(table)?.delete(row);
    },
    fail(table, row, peer, reason) {
      cell(table, row, peer).reason = reason;
    },
  };
}

/**
 * One cell's figures: the median, its spread, and the ratio to the bare program. The ratio is taken in each round, where both ran
 * under the same conditions; the result is the median of these ratios. A ratio has the direction of the figure: calls per second
 * divided by those of bare, milliseconds by milliseconds.
 */
export function figures(cells, peer, around = spread) {
  const { samples } = cells.get(peer);
  const values = samples.map((sample) => sample.value);
  const bare = cells.get('bare')?.samples ?? [];
  const byRound = new Map();
  for (const { round, value } of bare) byRound.set(round, [...(byRound.get(round) ?? []), value]);
  const ratios = [];
  const differences = [];
  for (const { round, value } of samples) {
    const base = median(byRound.get(round) ?? []);
    if (Number.isFinite(base)) {
      ratios.push(value / base);
      differences.push(value - base);
    }
  }
  const errors = samples.reduce((sum, { detail }) => sum + (detail?.errors ?? 0), 0);
  return {
    value: median(values),
    range: around(values),
    ratio: median(ratios),
    ratioRange: around(ratios),
    difference: median(differences),
    errors,
    count: samples.length,
    detail: samples.at(-1)?.detail,
  };
}

const number = (value) => {
  const size = Math.abs(value);
  return value.toLocaleString('en', { maximumFractionDigits: size >= 100 ? 0 : size >= 10 ? 1 : 2 });
};

function show(definition, cells, peer) {
  const cell = cells.get(peer);
  if (cell === undefined) return '';
  if (cell.samples.length === 0) return 'failed';
  const f = figures(cells, peer, definition.decided ? medianInterval : spread);
  const spreadText = f.count > 1 ? ` (${number(f.range[0])}–${number(f.range[1])})` : '';
  let out = `${number(f.value)}${spreadText}`;
  if (peer !== 'bare' && definition.difference && Number.isFinite(f.difference)) {
    out = `**${f.difference < 0 ? '−' : '+'}${number(Math.abs(f.difference))}** · ${out}`;
  } else if (peer !== 'bare' && !definition.alone && Number.isFinite(f.ratio)) {
    const range = f.count > 1 ? ` (${f.ratioRange[0].toFixed(2)}–${f.ratioRange[1].toFixed(2)})` : '';
    out = `**${f.ratio.toFixed(2)}**${range} · ${number(f.value)}`;
  }
  if (f.errors > 0) out += ` · ${number(f.errors)} errors`;
  if (f.detail?.goal && f.detail.count < f.detail.goal) out += ` (at ${number(f.detail.count)})`;
  return out;
}

/** The columns of a table, in the order of the peers' first appearance, bare first. */
export function peersOf(rows) {
  const order = ['bare', 'bare, batched', 'node:http', 'barewire', 'barewire/fetch', 'sdk v1', 'sdk v2', 'tmcp', 'mcp-lite', 'fastmcp'];
  const seen = new Set();
  for (const cells of rows.values()) for (const peer of cells.keys()) seen.add(peer);
  return [...order.filter((peer) => seen.has(peer)), ...[...seen].filter((peer) => !order.includes(peer))];
}

/** One table as markdown lines. */
export function markdown(definition, rows) {
  const peers = peersOf(rows);
  const lines = [
    `### ${definition.title}`,
    '',
    `| ${definition.unit} | ${peers.join(' | ')} |`,
    `|---|${peers.map(() => '---:|').join('')}`,
  ];
  const reasons = new Map();
  for (const [row, cells] of rows) {
    lines.push(`| ${row} | ${peers.map((peer) => show(definition, cells, peer)).join(' | ')} |`);
    for (const [peer, { reason }] of cells) if (reason) reasons.set(peer, reason);
  }
  const busy = [];
  const fewer = [];
  for (const [row, cells] of rows) {
    const [inFlight] = [...cells.values()].flatMap(({ samples }) => samples.map(({ detail }) => detail?.inFlight)).filter(Boolean);
    if (inFlight) fewer.push(`${row} (${inFlight})`);
    for (const peer of cells.keys()) {
      const share = median(cells.get(peer).samples.map(({ detail }) => detail?.driver));
      if (share > busyDriver) busy.push(`${peer}, ${row} (${Math.round(share * 100)} % of a core)`);
    }
  }
  if (busy.length > 0) lines.push('', `Limited by the load generator rather than by the program: ${busy.join('; ')}.`);
  if (fewer.length > 0) lines.push('', `Measured with fewer in flight, since the load generator was busy: ${fewer.join('; ')}.`);
  if (definition.decided) {
    const counts = [...rows.values()].map((cells) => cells.get('barewire')?.samples.length ?? 0);
    lines.push('', `Of bare and barewire ${Math.min(...counts)} rounds or more; in brackets the 80 % interval of the median.`);
  }
  if (definition.note) lines.push('', definition.note);
  for (const [peer, reason] of reasons) lines.push('', `\`${peer}\`: ${reason.replace(/\s+/g, ' ').slice(0, 300)}`);
  return lines;
}

/** The same table for a terminal: without markup, with aligned columns. */
export function plain(definition, rows) {
  const lines = markdown(definition, rows);
  const table = lines
    .filter((line) => line.startsWith('|') && !line.startsWith('|---'))
    .map((line) => line.slice(1, -1).replaceAll('**', '').split('|').map((field) => field.trim()));
  const widths = table[0].map((_, i) => Math.max(...table.map((fields) => fields[i].length)));
  const out = [definition.title];
  for (const fields of table) {
    out.push(`  ${fields.map((field, i) => (i === 0 ? field.padEnd(widths[i]) : field.padStart(widths[i]))).join('  ')}`);
  }
  const rest = lines.slice(4 + rows.size).filter((line) => line !== '');
  return [...out, ...rest.map((line) => `  ${line}`), ''];
}

/** A report in which these sections replace those with the same title; new ones are appended. */
export function withSections(text, sections) {
  const titleOf = (section) => section.split('\n')[0];
  const parts = text.split(/^(?=### )/m).map((part) => part.trimEnd());
  for (const section of sections) {
    const at = parts.findIndex((part) => titleOf(part) === titleOf(section));
    if (at < 0) parts.push(section);
    else parts[at] = section;
  }
  return `${parts.join('\n\n')}\n`;
}
