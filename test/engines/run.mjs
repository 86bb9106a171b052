// A device's server (three tools; with the validator; with a question) in each engine that can be had here: what its heap holds above an
// empty context, how long the first answer and a call take. `--write` puts the table into docs/constrained.md; `--calls N`, 1000.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ng from '@jitl/quickjs-ng-wasmfile-release-sync';
import classic from '@jitl/quickjs-wasmfile-release-sync';
import { bundle } from './bundle.mjs';
import { inWasm } from './wasm.mjs';

const { values } = parseArgs({ options: { write: { type: 'boolean' }, calls: { type: 'string', default: '1000' } } });
const calls = Number(values.calls);
const here = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'barewire-engines-'));
const has = (tool) => !spawnSync(tool, ['--version']).error || !spawnSync(tool, ['version']).error;

const file = async (name) => {
  const path = join(folder, `${name}.js`);
  writeFileSync(path, await bundle(name));
  return path;
};
const programs = { tools: await file('tools'), validated: await file('validated'), asking: await file('asking'), client: await file('client') };
const asksIn = (name) => (name === 'asking' ? 'questions' : 'none');
const printed = (command, args) => JSON.parse(execFileSync(command, args, { encoding: 'utf8' }));

const engines = [
  {
    name: 'QuickJS-ng, native, 64 bits, from bytecode', missing: has('cargo') ? undefined : 'there is no cargo',
    prepare() {
      execFileSync('cargo', ['build', '--release', '--quiet', '--manifest-path', `${here}quickjs-ng/Cargo.toml`, '--target-dir', join(tmpdir(), 'barewire-engines-target')], { stdio: 'inherit' });
    },
    run: (name) => printed(join(tmpdir(), 'barewire-engines-target/release/barewire-quickjs-ng'), [name === 'client' ? 'client' : 'server', programs[name], programs.validated, String(calls), asksIn(name)]),
    also: ['client'],
  },
  { name: 'QuickJS-ng, WebAssembly, 32 bits', run: (name) => inWasm(ng, readFileSync(programs[name], 'utf8'), calls, name === 'asking') },
  { name: 'QuickJS, WebAssembly, 32 bits', run: (name) => inWasm(classic, readFileSync(programs[name], 'utf8'), calls, name === 'asking') },
  {
    name: 'goja (Go)', missing: has('go') ? undefined : 'there is no go',
    prepare() {
      execFileSync('go', ['build', '-o', join(folder, 'goja'), '.'], { cwd: `${here}goja`, stdio: 'inherit' });
    },
    run: (name) => printed(join(folder, 'goja'), [programs[name], String(calls), asksIn(name)]),
  },
];

const words = { tools: 'three tools', validated: 'the same with the validator', asking: 'the same with questions', client: 'a client that calls it' };
const kib = (bytes) => (bytes === undefined || bytes <= 0 ? '' : `${(bytes / 1024).toFixed(0)}`);
const rows = [];
let failed = false;
for (const { name, missing, prepare, run, also = [] } of engines) {
  if (missing) {
    console.log(`not run: ${name}: ${missing}`);
    failed ||= Boolean(process.env.CI);
    continue;
  }
  prepare?.();
  for (const program of ['tools', 'validated', 'asking', ...also]) {
    const { loaded, most, code, firstMs, callUs } = await run(program);
    rows.push([name, words[program], kib(code), kib(loaded), kib(most), firstMs.toFixed(0), callUs.toFixed(0)]);
    console.log(rows.at(-1).join(' | '));
  }
}
rmSync(folder, { recursive: true, force: true });
if (values.write) {
  const page = `${here}../../docs/constrained.md`;
  const text = readFileSync(page, 'utf8');
  const [begin, end] = ['<!-- engines -->\n', '<!-- end of engines -->'];
  const table = ['| engine | program | code, KiB | heap loaded, KiB | heap at most, KiB | first answer, ms | a call, µs |', '|---|---|---:|---:|---:|---:|---:|', ...rows.map((row) => `| ${row.join(' | ')} |`)];
  writeFileSync(page, `${text.slice(0, text.indexOf(begin) + begin.length)}${table.join('\n')}\n${text.slice(text.indexOf(end))}`);
}
if (failed) process.exitCode = 1;
