// Checks the manifest by running code: each exercise runs with access only to what its entries list, by every available means;
// and each forbidden kind of access is added to an exercise, to see which means detects it.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { kinds } from './kinds.mjs';
import { readSource } from './touches.mjs';
import { readWords } from '../../scripts/words.mjs';

const { values } = readWords({ write: { type: 'boolean' } });
const execute = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const top = fileURLToPath(new URL('../../', import.meta.url));
const { exports } = JSON.parse(readFileSync(`${top}package.json`, 'utf8'));
const listed = JSON.parse(readFileSync(`${top}capabilities.json`, 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'barewire-manifest-'));
const node26 = `${here}node_modules/node26/bin/node`;
const deno = `${here}node_modules/@deno/linux-x64-glibc/deno`;

/** Bundles an exercise with the published files. Resolves with the entries that it uses. */
async function bundle(file, out, format, code) {
  const used = new Set();
  await build({
    ...(code === undefined ? { entryPoints: [file] } : { stdin: { contents: code, resolveDir: here } }),
    bundle: true, format, ...(format === 'iife' && { globalName: 'exercise', footer: { js: 'globalThis.exercise = exercise;' } }),
    platform: 'neutral', external: ['node:*'], outfile: out, logLevel: 'error', target: 'es2022',
    plugins: [{
      name: 'published',
      setup({ onResolve }) {
        onResolve({ filter: /^barewire(\/|$)/ }, ({ path, importer }) => {
          if (!importer.includes('/dist/lib/')) used.add(path);
          return { path: join(top, exports[`.${path.slice('barewire'.length)}`].default) };
        });
      },
    }],
  });
  return [...used];
}

/** The combined permissions of some entries. */
function allowance(entries) {
  const allowed = {};
  for (const entry of entries) for (const [kind, names] of Object.entries(listed[entry])) allowed[kind] = [...new Set([...(allowed[kind] ?? []), ...names])];
  return allowed;
}

const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, DENO_NO_UPDATE_CHECK: '1' };
const run = (command, args) => execute(command, args, { env, timeout: 60_000, maxBuffer: 1 << 24 });

/** The means of enforcement: the kinds that each can refuse, and how to start it. */
const means = {
  'a realm with the listed names': {
    usable: (allowed) => !allowed.files && !allowed.processes && !allowed.environment && !Object.values(allowed).flat().some((name) => name.startsWith('node:') && name !== 'node:crypto'),
    format: 'iife',
    start: (out, allowed) => run(process.execPath, [`${here}run-in-context.mjs`, out, JSON.stringify(Object.values(allowed).flat())]),
  },
  'Node 20 --experimental-permission': {
    usable: () => true, format: 'esm', start: (out, allowed) => permission(process.execPath, '--experimental-permission', out, allowed, false),
  },
  'Node 26 --permission': {
    usable: () => true, format: 'esm', start: (out, allowed) => permission(node26, '--permission', out, allowed, true),
  },
  'Deno': {
    usable: (allowed) => !allowed.processes,
    format: 'esm',
    start: (out, allowed) => run(deno, ['run', '--no-prompt', '--no-config', `--allow-read=${here},${folder}`,
      ...(allowed.files ? [`--allow-write=${folder}`] : []), ...(allowed.network ? ['--allow-net=127.0.0.1'] : []),
      ...(allowed.environment ? ['--allow-env', '--allow-sys'] : []), `${here}run-plain.mjs`, out, folder]),
  },
};

function permission(node, flag, out, allowed, hasNet) {
  const flags = [flag, `--allow-fs-read=${here}*`, `--allow-fs-read=${folder}/*`,
    ...(allowed.files ? [`--allow-fs-write=${folder}/*`, '--allow-fs-read=/proc/*', '--allow-fs-read=/sys/*', '--allow-fs-write=/sys/fs/cgroup/*'] : []),
    ...(allowed.processes ? ['--allow-child-process'] : []), ...(hasNet && allowed.network ? ['--allow-net'] : []), '--no-warnings'];
  return run(node, [...flags, `${here}run-plain.mjs`, out, folder, JSON.stringify([...flags, `${here}run-plain.mjs`])]);
}

/** Access that a means refuses even if allowed. */
const beyond = {
  'task-folder.mjs': { 'Node 26 --permission': 'Node 26 has no fdatasync under --permission' },
  'folders.mjs': { 'Node 26 --permission': 'Node 26 has no fsync of an open file under --permission' },
};

const faults = [];
const covered = new Set();
for (const name of readdirSync(`${here}exercises`)) {
  const entries = [];
  for (const [by, { usable, format, start }] of Object.entries(means)) {
    const out = join(folder, `${name}.${format}.mjs`);
    const used = existsSync(out) ? entries[0] : await bundle(`${here}exercises/${name}`, out, format);
    entries[0] ??= used;
    used.forEach((entry) => covered.add(entry));
    const allowed = allowance(used);
    if (!usable(allowed)) continue;
    if (beyond[name]?.[by]) {
      console.log(`not    ${name.padEnd(18)} ${by}: ${beyond[name][by]}`);
      continue;
    }
    try {
      await start(out, allowed);
      console.log(`ok     ${name.padEnd(18)} ${by}`);
    } catch (error) {
      faults.push(`${name}, ${by}: ${String(error.stderr || error.stack).slice(0, 1500)}`);
      console.log(`FAILS  ${name.padEnd(18)} ${by}`);
    }
  }
}

// Each kind of access, added to an exercise of an entry that lists none.
const smuggled = {
  network: "await fetch('http://127.0.0.1:45671/').catch((error) => { if (/permission|access|NotCapable|denied/i.test(`${error} ${error.cause}`)) throw error; });",
  files: "(await import('node:fs')).writeFileSync('FOLDER/smuggled', '');",
  storage: 'indexedDB.open("a");',
  processes: "(await import('node:child_process')).spawnSync('true').error && (() => { throw new Error('no process'); })();",
  environment: 'if (process.env.PATH === undefined) throw new Error("no environment");',
  streams: 'console.log("smuggled");',
  clock: 'Date.now();',
  randomness: 'Math.random();',
  code: 'new Function("return 1")();',
  other: "new TextEncoder().encode('a');",
};
const found = {};
for (const [kind, code] of Object.entries(smuggled)) {
  found[kind] = [];
  for (const [by, { format, start }] of Object.entries(means)) {
    const out = join(folder, `smuggled-${kind}-${format}.mjs`);
    await bundle(undefined, out, format, `import { compile } from 'barewire/schema';\nexport async function run() { compile({}); ${code.replace('FOLDER', '/tmp')} }`);
    const caught = await start(out, allowance(['barewire/schema'])).then(() => false, (error) => by.startsWith('a realm') || /ERR_ACCESS_DENIED|NotCapable/.test(String(error.stderr)));
    if (caught) found[kind].push(by);
  }
}
const lines = kinds.map((kind) => `| ${kind} | ${found[kind].join(', ') || 'the syntax tree alone'} |`);
console.log(`\n| kind | refused at run time by |\n|---|---|\n${lines.join('\n')}`);
for (const entry of Object.keys(listed)) if (entry.startsWith('barewire') && !covered.has(entry)) console.log(`no exercise: ${entry}`);
if (values.write) {
  const page = `${top}docs/capabilities.md`;
  const text = readFileSync(page, 'utf8');
  const begin = '<!-- enforced -->\n';
  const end = '<!-- end -->';
  writeFileSync(page, `${text.slice(0, text.indexOf(begin) + begin.length)}| kind | refused at run time by |\n|---|---|\n${lines.join('\n')}\n${text.slice(text.indexOf(end))}`);
}

// Ways to a capability without a global name. The syntax tree must show each, with its kind.
const shapes = [
  ['code', "(() => {}).constructor('return process')();"],
  ['code', "[].flat['con' + 'structor']('return process')();"],
  ['code', "const { constructor: make } = () => {}; make('return process')();"],
  ['code', 'Error.prepareStackTrace = (_error, sites) => sites[0].getThis();'],
  ['code', "Object.defineProperty(Error, 'prepareStackTrace', { value: (_error, sites) => sites });"],
  ['code', 'const { getBuiltinModule: load } = process; load(`node:fs`);'],
  ['code', 'const load = process.getBuiltinModule; load(`node:fs`);'],
  ['environment', 'export const home = import.meta.url;'],
  ['streams', 'console._stdout.end();'],
  ['code', 'console._stdout.constructor(1);'],
];
shapes.forEach(([kind, code], at) => {
  const file = join(folder, `shape-${at}.js`);
  writeFileSync(file, code);
  if (![...readSource(file, folder).touched.values()].includes(kind)) faults.push(`not seen in the syntax tree as ${kind}: ${code}`);
});
rmSync(folder, { recursive: true, force: true });
const unfound = ['network', 'files', 'processes', 'environment', 'clock', 'randomness'].filter((kind) => found[kind].length === 0);
if (unfound.length > 0) faults.push(`smuggled and not found: ${unfound.join(', ')}`);
if (faults.length > 0) {
  console.error(`\n${faults.join('\n\n')}`);
  process.exitCode = 1;
}
