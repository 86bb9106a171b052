// A device's server (three tools; with the validator; with a question) in each available engine: heap above an empty context,
// time of the first answer and of a call. `--write` puts the table into docs/constrained.md; `--calls N`, 1000; `--only NAME`:
// engines whose name begins so; `--ci`: those built within a minute. `--day`: see day.mjs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle, programs } from './bundle.mjs';
import { script } from './calls.mjs';
import { runDay } from './day.mjs';
import { complaint, engines, tooOld } from './engines.mjs';

const { values } = parseArgs({
  options: { write: { type: 'boolean' }, calls: { type: 'string', default: '1000' }, only: { type: 'string' }, ci: { type: 'boolean' }, day: { type: 'boolean' }, hours: { type: 'string' } },
});
const calls = Number(values.calls);
const page = fileURLToPath(new URL('../../docs/constrained.md', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'barewire-engines-'));

const file = (name, text) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** Replaces the lines between two marks of the page. */
function write(mark, lines) {
  const text = readFileSync(page, 'utf8');
  const [begin, end] = [`<!-- ${mark} -->\n`, `<!-- end of ${mark} -->`];
  if (!text.includes(begin) || !text.includes(end)) throw new Error(`docs/constrained.md has no marks ${mark}`);
  writeFileSync(page, `${text.slice(0, text.indexOf(begin) + begin.length)}${lines.join('\n')}\n${text.slice(text.indexOf(end))}`);
}

const words = { tools: 'three tools', validated: 'the same with the validator', asking: 'the same with questions', client: 'a client that calls it' };
const kib = (bytes) => (bytes === undefined ? '' : `${(bytes / 1024).toFixed(0)}`);
const whole = (figure) => figure?.toFixed(0) ?? '';

/** One row for each engine and program; prints an engine that could not run, which is a fault in CI. */
async function table(given) {
  const rows = [];
  let failed = false;
  for (const engine of engines) {
    if (values.only !== undefined && !engine.name.toLowerCase().startsWith(values.only.toLowerCase())) continue;
    if (values.ci && !engine.inCi) continue;
    const missing = engine.missing?.();
    if (missing) {
      console.log(`not run: ${engine.name}: ${missing}`);
      failed ||= Boolean(values.ci || values.write);
      continue;
    }
    engine.prepare?.(given);
    for (const program of engine.programs ?? ['tools', 'validated', 'asking']) {
      const { loaded, most, code, firstMs, callUs } = await engine.run(program, given);
      rows.push([engine.name, words[program], kib(code), kib(loaded), kib(most), whole(firstMs), whole(callUs)]);
      console.log(rows.at(-1).join(' | '));
    }
  }
  return { rows, failed };
}

try {
  if (values.day) {
    await runDay({ folder, hours: Number(values.hours ?? 24), write: values.write ? (lines) => write('day', lines) : undefined });
  } else {
    const files = {};
    for (const name of Object.keys(programs)) files[name] = file(`${name}.js`, await bundle(name));
    const { rows, failed } = await table({ folder, files, calls, lines: { none: file('none', script(calls, false)), questions: file('questions', script(calls, true)) } });
    const lowered = file('lowered.js', await bundle('tools', 'es2015'));
    const complaints = tooOld.map((engine) => `${engine.name}: ${complaint(engine, lowered) ?? 'not installed here'}`);
    console.log(complaints.join('\n'));
    if (values.write) {
      write('engines', ['| engine | program | code, KiB | heap loaded, KiB | heap at most, KiB | first answer, ms | a call, µs |', '|---|---|---:|---:|---:|---:|---:|', ...rows.map((row) => `| ${row.join(' | ')} |`)]);
    }
    if (failed) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
