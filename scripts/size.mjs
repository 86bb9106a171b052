// npm run size: compares the size of typical programs, bundled, minified and gzipped, with their budgets. A budget is the goal. A
// ceiling is the current maximum: it is lowered with each saving, raised only in a commit that adds a feature (for the sources:
// also when one long function becomes several files), and removed when the budget is met. Exits 1 when a ceiling is exceeded or
// an entry cannot be bundled.
//
//   node scripts/size.mjs              the table
//   node scripts/size.mjs --why NAME   the source files in a bundle, largest first
//   node scripts/size.mjs --parts      the stdio server's size without each of its parts
//   node scripts/size.mjs --json       the figures as JSON
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { programNamed } from './programs.mjs';
import { fromSources, root } from './trees.mjs';
import { readWords } from './words.mjs';

const KIB = 1024;

// Every chunk of a program counts; with `firstLoad` only those that load at the start of a page or a worker.
const entries = [
  { ...programNamed('stdio-tools'), budget: 12 * KIB, ceiling: 14.03 * KIB },
  { ...programNamed('serial-lines'), budget: 10 * KIB, ceiling: 13.36 * KIB },
  { ...programNamed('serial-frames'), budget: 11.5 * KIB, ceiling: 15.82 * KIB },
  { ...programNamed('stdio-server'), budget: 16.5 * KIB, ceiling: 20.39 * KIB },
  { ...programNamed('http-server'), budget: 25.5 * KIB, ceiling: 31.55 * KIB },
  { ...programNamed('server-card'), ceiling: 33.44 * KIB },
  { ...programNamed('protected'), ceiling: 40.96 * KIB },
  { ...programNamed('mcp-server'), ceiling: 38.37 * KIB },
  { ...programNamed('tasks-server'), ceiling: 54.07 * KIB },
  { ...programNamed('fleet-server'), ceiling: 45.03 * KIB },
  { ...programNamed('http-caller'), budget: 16 * KIB, ceiling: 21.79 * KIB },
  { ...programNamed('http-client'), what: 'McpClient over HTTP: every part, first load', ceiling: 28.01 * KIB, firstLoad: true },
  { ...programNamed('http-client'), name: 'http-client-2', what: 'the same and the validator that it loads later', ceiling: 34.35 * KIB },
  { ...programNamed('schema-full'), ceiling: 9.23 * KIB },
  { ...programNamed('oauth-login'), ceiling: 35.94 * KIB },
  { ...programNamed('oauth-service'), ceiling: 33.23 * KIB },
  { ...programNamed('validator'), ceiling: 7.20 * KIB },
  { ...programNamed('host'), ceiling: 42.12 * KIB },
  { ...programNamed('tap'), ceiling: 4.02 * KIB },
  { ...programNamed('transcript'), ceiling: 5.43 * KIB },
  { ...programNamed('explain'), ceiling: 8.60 * KIB },
  { ...programNamed('doctor'), ceiling: 16.80 * KIB },
  { ...programNamed('judge'), ceiling: 64.73 * KIB },
  { ...programNamed('everything'), budget: 68 * KIB, ceiling: 85.22 * KIB },
];

/** Ceilings of the unpacked package: executable files and types, and files for reading. */
const packageRows = [
  { name: 'package', what: 'package: code and types, unpacked', ceiling: 3106.3 * 1000, holds: (path) => !isForReading(path) },
  { name: 'package-src', what: 'package: sources, source maps and guides', ceiling: 5446.6 * 1000, holds: isForReading },
];

function isForReading(path) {
  return path.startsWith('src/') || path.startsWith('docs/') || path.endsWith('.map') || ['SKILL.md', 'llms.txt'].includes(path);
}

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Resolves imports of barewire to the published files. */
const fromPublished = {
  name: 'from-published',
  setup(bundler) {
    bundler.onResolve({ filter: new RegExp(`^${manifest.name}(/|$)`) }, ({ path }) => {
      const file = manifest.exports[`.${path.slice(manifest.name.length)}`]?.default;
      if (file === undefined) return { errors: [{ text: `package.json exports no ${path}` }] };
      const found = join(root, file);
      return existsSync(found) ? { path: found, sideEffects: false } : { errors: [{ text: `no ${file}: run npm run build` }] };
    });
  },
};

// The parts of a stdio server, by feature. Shared code belongs to no part.
const parts = {
  'JSON Schema': ['compile', 'validator', 'reader', 'kinds', 'checks', 'messages', 'patterns', 'equality', 'combinations', 'objects',
    'arrays', 'typed', 'scalars', 'run', 'pointer', 'values', 'errors'].map((name) => `schema/${name}`),
  'Standard Schema': ['schema/standard-schema'],
  'questions and forms': ['protocol/form', 'protocol/form-rules', 'protocol/form-formats', 'server/question', 'server/question'],
  'rounds, sealed state': ['server/modern/modern-exchange', 'server/modern/request-state', 'server/modern/aes-gcm', 'jsonrpc/base64'],
  'resources, URI templates': ['server/resources', 'server/watched-resources', 'protocol/uri-template'],
  'extensions': ['server/extensions'],
  'scopes, list filters, around': ['server/guards'],
  'structured results': ['server/structured-content'],
  'prompts': ['server/prompts'],
  'completion': ['server/completion'],
  'subscriptions': ['server/modern/subscriptions'],
  'answers to older revisions': ['server/older-revisions'],
  'questions to the peer, batches': ['jsonrpc/pending-requests', 'jsonrpc/stop', 'jsonrpc/batch', 'protocol/requests', 'server/legacy/moments'],
  'pipes': ['transport/stdio/serve', 'transport/stdio/writer', 'jsonrpc/framing', 'bounds/budget'],
};

/** Replaces files in a bundle by empty exports. */
const without = (files) => ({
  name: 'without',
  setup(bundler) {
    bundler.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!files.includes(relative(`${root}src`, path).replace(/\.ts$/, ''))) return undefined;
      const names = [...readFileSync(path, 'utf8').matchAll(/^export (?:async )?(?:const|function\*?|class|let) ([\w$]+)/gm)];
      return { contents: names.map(([, name]) => `export const ${name} = 0;`).join('\n'), loader: 'ts' };
    });
  },
});

async function bundle({ code, platform, firstLoad = false }, leftOut) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: root, loader: 'js' },
    absWorkingDir: root,
    outdir: 'out',
    bundle: true,
    splitting: firstLoad,
    minify: true,
    format: 'esm',
    platform,
    target: 'es2022',
    write: false,
    metafile: true,
    logLevel: 'silent',
    plugins: leftOut ? [fromSources(root), without(leftOut)] : [fromPublished],
  });
  const chunks = new Set();
  const load = (path) => {
    if (chunks.has(path)) return;
    chunks.add(path);
    for (const { path: other, external, kind } of metafile.outputs[path].imports) if (!external && kind === 'import-statement') load(other);
  };
  load(relative(root, outputFiles.find(({ path }) => path.endsWith('stdin.js')).path));
  const bytes = Buffer.concat(outputFiles.filter(({ path }) => chunks.has(relative(root, path))).map(({ contents }) => contents));
  return { minified: bytes.length, gzipped: gzipSync(bytes, { level: 9 }).length, metafile };
}

const missing = (error) => error.errors?.map(({ text }) => text).join('; ') ?? error.message;

const kib = (bytes) => `${(bytes / KIB).toFixed(2)} KiB`;

const { values } = readWords({ why: { type: 'string' }, parts: { type: 'boolean' }, json: { type: 'boolean' } });
if (values.why !== undefined) {
  const entry = entries.find(({ name }) => name === values.why);
  if (entry === undefined) {
    console.error(`--why wants one of ${entries.map(({ name }) => name).join(', ')}`);
    process.exit(2);
  }
  const { minified, gzipped, metafile } = await bundle({ ...entry, firstLoad: false }, []).catch((error) => {
    console.error(missing(error));
    process.exit(1);
  });
  const [output] = Object.values(metafile.outputs);
  const inputs = Object.entries(output.inputs)
    .map(([path, { bytesInOutput }]) => [path, bytesInOutput])
    .sort((a, b) => b[1] - a[1]);
  console.log(`${entry.name}: ${kib(minified)} minified, ${kib(gzipped)} gzipped; minified bytes by file`);
  for (const [path, bytes] of inputs) {
    console.log(`${String(bytes).padStart(8)}  ${((100 * bytes) / minified).toFixed(1).padStart(5)} %  ${path}`);
  }
  for (const { path } of output.imports) console.log(`          outside: ${path}`);
  process.exit(0);
}

if (values.parts) {
  const server = entries.find(({ name }) => name === 'mcp-server');
  const { gzipped } = await bundle(server, []);
  console.log(`${server.what}: ${kib(gzipped)}`);
  const without = async (what, files) => {
    const left = await bundle(server, files);
    console.log(`${what.padEnd(44)}  ${kib(gzipped - left.gzipped).padStart(11)}  leaves ${kib(left.gzipped)}`);
  };
  for (const [what, files] of Object.entries(parts)) await without(what, files);
  const [validator, , ...optional] = Object.keys(parts).slice(0, 11);
  await without('all that a server of plain tools never calls', optional.flatMap((what) => parts[what]));
  await without(`the same, and ${validator}`, [validator, ...optional].flatMap((what) => parts[what]));
  process.exit(0);
}

const rows = [];
for (const entry of entries) {
  const { name, what, ceiling, budget = ceiling } = entry;
  const row = { name, what, budget, ceiling };
  try {
    const { minified, gzipped } = await bundle(entry);
    rows.push(judged({ ...row, minified, size: gzipped }));
  } catch (error) {
    rows.push(judged({ ...row, missing: missing(error) }));
  }
}
rows.push(...unpacked());

function unpacked() {
  if (!existsSync(`${root}dist/lib`)) {
    return packageRows.map((row) => judged({ ...row, budget: row.ceiling, missing: 'no dist/lib: run npm run build first' }));
  }
  const out = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const answer = JSON.parse(out);
  const { files } = Array.isArray(answer) ? answer[0] : (answer[manifest.name] ?? answer);
  return packageRows.map(({ holds, ...row }) => {
    const size = files.filter(({ path }) => holds(path)).reduce((sum, file) => sum + file.size, 0);
    return judged({ ...row, budget: row.ceiling, size });
  });
}

/** A row with its verdict, in words and as `ok`, so that both agree. */
function judged(row) {
  const { missing, size, budget, ceiling } = row;
  if (missing !== undefined) return { ...row, ok: false, verdict: missing };
  if (size > ceiling) return { ...row, ok: false, verdict: 'OVER THE CEILING' };
  return { ...row, ok: true, verdict: size > budget ? 'over the budget, under the ceiling' : 'ok' };
}

if (values.json) {
  console.log(JSON.stringify(rows, null, 2));
} else {
  for (const row of rows) {
    const unit = row.name.startsWith('package') ? (bytes) => `${(bytes / 1000).toFixed(1)} kB` : kib;
    const size = row.size === undefined ? 'missing' : unit(row.size);
    const share = row.size === undefined ? '' : `${Math.round((100 * row.size) / row.budget)} %`;
    const line = [row.name.padEnd(13), row.what.padEnd(44), size.padStart(11), unit(row.budget).padStart(11), share.padStart(6)];
    console.log(`${line.join('  ')}  ${row.verdict}`);
  }
}
if (rows.some(({ ok }) => !ok)) process.exitCode = 1;
