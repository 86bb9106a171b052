// npm run size: what the things people build weigh, bundled, minified and gzipped, against their budgets.
// A budget is what the thing should weigh. A ceiling is what it may not exceed today: it comes down with each saving,
// goes up only in a commit that adds a feature (that of the sources: also where one long function becomes several files),
// and goes when the budget is met. Exits 1 when a ceiling is exceeded or an entry cannot be bundled.
//
//   node scripts/size.mjs              the table
//   node scripts/size.mjs --why NAME   which source files a bundle is made of, heaviest first
//   node scripts/size.mjs --parts      what the stdio server would be without each of its parts
//   node scripts/size.mjs --json       the figures as JSON
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const KIB = 1024;

// The programs are whole: what a user writes to have that thing and nothing else.
// The servers are of tools; `mcp-server` has every feature.
const tools = (options) => `
      import { ServerCore, tools } from 'barewire/server';
      const echo = tools(${options});
      const server = new ServerCore({ name: 'size', version: '1.0.0' }, { features: [echo] });
      const input = { type: 'object', properties: { text: { type: 'string' } } };
      echo.add('echo', { input }, ({ text }) => text);`;
const stdio = `
      import { serveStdio } from 'barewire/stdio';
      serveStdio(server);`;

const wholeClient = `
      import { McpClient } from 'barewire/client';
      import { httpTransport } from 'barewire/fetch';
      const client = new McpClient({ name: 'size', version: '1.0.0' });
      await client.connect(httpTransport('http://127.0.0.1:3000/mcp'));
      console.log(await client.callTool('echo', { text: 'hello' }));`;

// Every chunk of a program counts; with `firstLoad` those alone that a page or a worker loads at its start.
const entries = [
  {
    name: 'stdio-tools',
    what: 'stdio server of tools, both eras',
    budget: 12 * KIB,
    ceiling: 12 * KIB,
    platform: 'node',
    code: tools('{}') + stdio,
  },
  {
    name: 'stdio-server',
    what: 'the same with its validator',
    budget: 14 * KIB,
    ceiling: 17.86 * KIB,
    platform: 'node',
    code: `import { compile } from 'barewire/schema';` + tools('{ validator: compile }') + stdio,
  },
  {
    name: 'http-server',
    what: 'the same over HTTP',
    budget: 20 * KIB,
    ceiling: 27.85 * KIB,
    platform: 'node',
    code: `import { compile } from 'barewire/schema';` + tools('{ validator: compile }') + `
      import { serveHttp } from 'barewire/http';
      serveHttp(server, { port: 3000 });`,
  },
  {
    name: 'protected',
    what: 'the HTTP server behind bearer()',
    ceiling: 36.06 * KIB,
    platform: 'node',
    code: `import { compile } from 'barewire/schema';` + tools('{ validator: compile }') + `
      import { serveHttp } from 'barewire/http';
      import { bearer } from 'barewire/oauth';
      const resource = 'https://trips.example/mcp';
      serveHttp(server, { port: 3000, auth: bearer({ resource, authorizationServers: ['https://as.example'] }) });`,
  },
  {
    name: 'mcp-server',
    what: 'McpServer over stdio: every feature',
    ceiling: 33.42 * KIB,
    platform: 'node',
    code: `
      import { McpServer } from 'barewire/server';
      const server = new McpServer({ name: 'size', version: '1.0.0' });
      server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text }) => text);` + stdio,
  },
  {
    name: 'tasks-server',
    what: 'McpServer over stdio with tasks in a folder',
    ceiling: 46.51 * KIB,
    platform: 'node',
    code: `
      import { McpServer } from 'barewire/server';
      import { tasks } from 'barewire/tasks';
      import { folderStore } from 'barewire/tasks/node';
      const server = new McpServer({ name: 'size', version: '1.0.0' });
      tasks(server, { store: await folderStore('tasks') });
      server.tool('echo', { task: 'optional' }, () => 'done');` + stdio,
  },
  {
    name: 'fleet-server',
    what: 'http-server as one of several behind a balancer',
    ceiling: 39.32 * KIB,
    platform: 'node',
    code: `import { compile } from 'barewire/schema';` + tools('{ validator: compile }') + `
      import { serveHttp } from 'barewire/http';
      import { fleet } from 'barewire/fleet';
      serveHttp(server, { port: 3000, fleet: await fleet({ keys: [new Uint8Array(32)] }) });`,
  },
  {
    name: 'http-caller',
    what: 'client over HTTP that calls',
    budget: 12 * KIB,
    ceiling: 17.61 * KIB,
    platform: 'neutral',
    code: `
      import { ClientCore } from 'barewire/client';
      import { httpTransport } from 'barewire/fetch';
      const client = new ClientCore({ name: 'size', version: '1.0.0' });
      await client.connect(httpTransport('http://127.0.0.1:3000/mcp'));
      console.log(await client.callTool('echo', { text: 'hello' }));`,
  },
  {
    name: 'http-client',
    what: 'McpClient over HTTP: every part, first load',
    ceiling: 23.03 * KIB,
    platform: 'neutral',
    firstLoad: true,
    code: wholeClient,
  },
  {
    name: 'http-client-2',
    what: 'the same and the validator that it loads later',
    ceiling: 28.97 * KIB,
    platform: 'neutral',
    code: wholeClient,
  },
  {
    name: 'schema-full',
    what: 'validator of the whole dialect',
    ceiling: 8.35 * KIB,
    platform: 'neutral',
    code: `
      import { compile } from 'barewire/schema/full';
      globalThis.validate = compile({ type: 'object' });`,
  },
  {
    name: 'oauth-login',
    what: 'client that calls, with a login',
    ceiling: 29.63 * KIB,
    platform: 'neutral',
    code: `
      import { ClientCore } from 'barewire/client';
      import { httpTransport } from 'barewire/fetch';
      import { authorizationCode, oauth } from 'barewire/oauth';
      const client = new ClientCore({ name: 'size', version: '1.0.0' });
      const auth = oauth({
        grant: authorizationCode({ client: { name: 'size' }, redirectUri: 'https://app.example/callback', onAuthorize: console.log }),
      });
      await client.connect(httpTransport('http://127.0.0.1:3000/mcp', { auth }));
      console.log(await client.callTool('echo', { text: 'hello' }));`,
  },
  {
    name: 'oauth-service',
    what: 'the same with client credentials',
    ceiling: 27.33 * KIB,
    platform: 'neutral',
    code: `
      import { ClientCore } from 'barewire/client';
      import { httpTransport } from 'barewire/fetch';
      import { clientCredentials, oauth } from 'barewire/oauth';
      const client = new ClientCore({ name: 'size', version: '1.0.0' });
      const auth = oauth({ grant: clientCredentials({ clientId: 'size', clientSecret: 'secret' }) });
      await client.connect(httpTransport('http://127.0.0.1:3000/mcp', { auth }));
      console.log(await client.callTool('echo', { text: 'hello' }));`,
  },
  {
    name: 'validator',
    what: 'validator alone',
    ceiling: 7 * KIB,
    platform: 'neutral',
    code: `
      import { compile } from 'barewire/schema';
      globalThis.validate = compile({ type: 'object' });`,
  },
  {
    name: 'host',
    what: 'Host with its clients, over any transport',
    ceiling: 31.40 * KIB,
    platform: 'neutral',
    code: `
      import { Host } from 'barewire/host';
      globalThis.host = new Host({ info: { name: 'size', version: '1.0.0' }, servers: {}, transport: globalThis.open });`,
  },
  {
    name: 'tap',
    what: 'a transport that shows, holds and injects raw text',
    ceiling: 3.06 * KIB,
    platform: 'neutral',
    code: `
      import { tap } from 'barewire/tap';
      globalThis.tap = tap;`,
  },
  {
    name: 'transcript',
    what: 'transcripts: record, replay, compare',
    ceiling: 4.97 * KIB,
    platform: 'neutral',
    code: `
      import * as transcript from 'barewire/transcript';
      globalThis.transcript = transcript;`,
  },
  {
    name: 'explain',
    what: 'a message as a sentence with its section',
    ceiling: 7.94 * KIB,
    platform: 'neutral',
    code: `
      import * as explaining from 'barewire/explain';
      globalThis.explaining = explaining;`,
  },
  {
    name: 'doctor',
    what: 'what is wrong with a server, without validator',
    ceiling: 14.56 * KIB,
    platform: 'neutral',
    code: `
      import * as doctor from 'barewire/doctor';
      globalThis.doctor = doctor;`,
  },
  {
    name: 'everything',
    what: 'McpServer, McpClient, every transport',
    budget: 45 * KIB,
    ceiling: 72.21 * KIB,
    platform: 'node',
    // Every export of these entries. What a program adds by an entry of its own (authorization, tasks) has its own row.
    code: ['server', 'client', 'stdio', 'http', 'fetch', 'memory', 'message-port', 'schema', 'jsonrpc', 'protocol']
      .map((name) => `import * as ${name.replace('-', '')} from 'barewire/${name}'; globalThis['${name}'] = ${name.replace('-', '')};`)
      .join('\n'),
  },
];

/** What the package may hold, unpacked: what runs and its types, and what is there to be read. */
const packageRows = [
  { name: 'package', what: 'package: code and types, unpacked', ceiling: 1194 * 1000, holds: (path) => !isForReading(path) },
  { name: 'package-src', what: 'package: sources and source maps', ceiling: 3105 * 1000, holds: isForReading },
];

function isForReading(path) {
  return path.startsWith('src/') || path.endsWith('.map');
}

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Bundles what is published; or the sources, whose names say what is in it. */
const from = (published) => ({
  name: 'from',
  setup(bundler) {
    bundler.onResolve({ filter: new RegExp(`^${manifest.name}(/|$)`) }, ({ path }) => {
      const target = manifest.exports[`.${path.slice(manifest.name.length)}`];
      if (target === undefined) return { errors: [{ text: `package.json exports no ${path}` }] };
      const file = published ? target.default : target.types.replace('./dist/types/', 'src/').replace('.d.ts', '.ts');
      const found = join(root, file);
      return existsSync(found) ? { path: found, sideEffects: false } : { errors: [{ text: `no ${file}: run npm run build` }] };
    });
  },
});

// What a stdio server is made of, by what a user would miss. Shared code belongs to no part.
const parts = {
  'JSON Schema': ['compile', 'validator', 'reader', 'kinds', 'checks', 'messages', 'patterns', 'equality', 'combinations', 'objects',
    'arrays', 'typed', 'scalars', 'run', 'pointer', 'values', 'errors'].map((name) => `schema/${name}`),
  'Standard Schema': ['schema/standard-schema'],
  'questions and forms': ['protocol/form', 'protocol/form-rules', 'protocol/form-formats', 'server/question', 'server/ask'],
  'rounds, sealed state': ['server/modern/exchange', 'server/modern/request-state', 'server/modern/aes-gcm', 'jsonrpc/base64'],
  'resources, URI templates': ['server/resources', 'server/watched-resources', 'protocol/uri-template'],
  'extensions': ['server/extensions'],
  'scopes, list filters, around': ['server/guards'],
  'structured results': ['server/structured'],
  'prompts': ['server/prompts'],
  'completion': ['server/completion'],
  'subscriptions': ['server/modern/subscriptions'],
  'answers to older revisions': ['server/adapt'],
  'questions to the peer, batches': ['jsonrpc/pending-requests', 'jsonrpc/stop', 'jsonrpc/batch', 'protocol/requests', 'server/legacy/moments'],
  'pipes': ['transport/stdio/serve', 'transport/stdio/writer', 'jsonrpc/framing', 'jsonrpc/bytes'],
};

/** Leaves files out of a bundle: what they export is there, and empty. */
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
    plugins: leftOut ? [from(false), without(leftOut)] : [from(true)],
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

const args = process.argv.slice(2);
if (args[0] === '--why') {
  const entry = entries.find(({ name }) => name === args[1]);
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

if (args[0] === '--parts') {
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

/** A row with its verdict, in words and as `ok`: one cannot say what the other does not. */
function judged(row) {
  const { missing, size, budget, ceiling } = row;
  if (missing !== undefined) return { ...row, ok: false, verdict: missing };
  if (size > ceiling) return { ...row, ok: false, verdict: 'OVER THE CEILING' };
  return { ...row, ok: true, verdict: size > budget ? 'over the budget, under the ceiling' : 'ok' };
}

if (args[0] === '--json') {
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
