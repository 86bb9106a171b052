import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';

// The sources that a bundler keeps. Run from dist/test.
const root = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, { types: string; default: string } | string>;
};
const run = promisify(execFile);
const entries = Object.entries(manifest.exports).filter(([path]) => !path.endsWith('.json'));

/** The source file of an entry such as `barewire/server`. */
function sourceOf(name: string): string {
  const entry = manifest.exports[name.replace('barewire', '.')];
  assert.ok(typeof entry === 'object', name);
  return join(root, entry.types.replace('./dist/types/', 'src/').replace('.d.ts', '.ts'));
}

const fromSource: Plugin = {
  name: 'from-source',
  setup({ onResolve }) {
    onResolve({ filter: /^barewire\// }, ({ path }) => ({ path: sourceOf(path), sideEffects: false }));
  },
};

/** The source files in a program's bundle; with `split`, those in the initial load. */
async function filesOf(contents: string, split = false): Promise<string[]> {
  const { metafile } = await build({
    outdir: 'out',
    splitting: split,
    stdin: { contents, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    write: false,
    metafile: true,
    logLevel: 'silent',
    plugins: [fromSource],
  });
  const first = new Set(['out/stdin.js']);
  for (const chunk of first) {
    for (const { path, kind } of metafile.outputs[chunk]?.imports ?? []) if (kind === 'import-statement') first.add(path);
  }
  const outputs = Object.entries(metafile.outputs).filter(([path]) => first.has(path));
  const inputs = outputs.flatMap(([, output]) => Object.entries(output.inputs));
  return inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file.replace(/^src\//, ''));
}

const without = (files: readonly string[], pattern: RegExp): void =>
  assert.deepEqual(files.filter((file) => pattern.test(file)), []);

// Imports each entry and prints the changes that it made: globals, listeners, resources that keep the process alive.
const importer = `
  const state = () => JSON.stringify([
    Reflect.ownKeys(globalThis).map(String), process.eventNames().map(String), process.getActiveResourcesInfo(),
    Object.keys(process.env), console.log.name,
  ]);
  for (const entry of process.argv.slice(1)) {
    const before = state();
    await import(entry);
    await new Promise(setImmediate);
    if (state() !== before) console.error(entry, before, state());
  }
  console.log(process.argv.length - 1);
`;

test('importing an entry does nothing', async () => {
  const files = entries.map(([path, entry]) => (typeof entry === 'object' ? join(root, entry.default) : assert.fail(path)));
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', importer, ...files]);
  assert.deepEqual({ stdout, stderr }, { stdout: `${files.length}\n`, stderr: '' });
});

// Simulates a bundler that ignores `sideEffects`: modules with possible side effects stay.
const allKept: Plugin = {
  name: 'all-kept',
  setup({ onResolve }) {
    onResolve({ filter: /^[./]/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path), sideEffects: true }));
  },
};

// Only short code may remain: defaults copied from others, an empty byte array, a promise.
const remains = /^var (?:[\w$]+=(?:\{(?:\.\.\.[\w$]+,)?[\w:,]*\}|new Uint8Array\(0\)|Promise\.resolve\(\)|\d+|[\w$]+\+[\w$]+),?)+$/;

test('of an entry that is imported and not used a bundler leaves next to nothing', async () => {
  for (const name of ['server', 'client', 'stdio', 'http', 'fetch', 'memory', 'message-port', 'schema', 'jsonrpc', 'protocol']) {
    const { outputFiles } = await build({
      stdin: { contents: `import './${sourceOf(`barewire/${name}`).slice(root.length)}';`, resolveDir: root },
      bundle: true, minify: true, format: 'esm', platform: 'node', target: 'es2022', write: false, logLevel: 'silent',
      plugins: [allKept],
    });
    const left = (outputFiles[0]?.text ?? '').split(/;\s*/).filter((statement) => !remains.test(statement));
    assert.deepEqual(left, [''], name);
  }
});

test('a server over pipes holds no HTTP, no client and no command line', async () => {
  const files = await filesOf(`
    import { McpServer } from 'barewire/server';
    import { serveStdio } from 'barewire/stdio';
    const server = new McpServer({ name: 'test', version: '1' });
    server.tool('echo', {}, () => 'hello');
    serveStdio(server);`);
  assert.ok(files.includes('server/tools.ts') && files.includes('schema/compile.ts'));
  without(files, /http|fetch|sse|^client\/|^cli\/|stdio\/client/);
});

test('a server of tools alone holds no other feature', async () => {
  const files = await filesOf(`
    import { ServerCore, tools } from 'barewire/server';
    import { serveStdio } from 'barewire/stdio';
    const echo = tools();
    const server = new ServerCore({ name: 'test', version: '1' }, { features: [echo] });
    echo.add('echo', {}, () => 'hello');
    serveStdio(server);`);
  assert.ok(files.includes('server/tools.ts') && files.includes('server/connected-client.ts'));
  without(files, /resources|prompts|completion|template|protocol\/form|question|asking|modern\/exchange|request-state|aes|compile/);
});

const httpClient = `
    import { McpClient } from 'barewire/client';
    import { httpTransport } from 'barewire/fetch';
    await new McpClient({ name: 'test', version: '1' }).connect(httpTransport('http://127.0.0.1/mcp'));`;

test('a client that a bundler splits loads its validator later', async () => {
  const files = await filesOf(httpClient, true);
  assert.ok(files.includes('client/mcp-client.ts') && files.includes('client/tool-output.ts'));
  without(files, /^schema\//);
});

test('a client over HTTP holds no server, no pipes and no command line', async () => {
  const files = await filesOf(httpClient);
  assert.ok(files.includes('client/mcp-client.ts'));
  without(files, /oauth/);
  without(files, /^(host|doctor|explain|transcript|executables|cli)\/|http-trace|redact/);
  // It checks tool results with the small dialect, as McpServer checks arguments.
  assert.ok(files.includes('schema/compile.ts'));
  without(files, /^server\/|^cli\/|stdio|http\/server|http\/node|metaschemas|schema\/formats/);
});

test('a client of calls alone holds no other part', async () => {
  const files = await filesOf(`
    import { ClientCore } from 'barewire/client';
    import { httpTransport } from 'barewire/fetch';
    await new ClientCore({ name: 'test', version: '1' }).connect(httpTransport('http://127.0.0.1/mcp'));`);
  assert.ok(files.includes('client/client-core.ts') && files.includes('transport/http/client/tool-headers.ts'));
  without(files, /mcp-client|answering|questions|rounds|protocol\/form|listening|cache|tool-output|schema\/|http\/node/);
});

test('a client of one grant holds no other, and nothing of a resource server', async () => {
  const files = await filesOf(`
    import { clientCredentials, oauth } from 'barewire/oauth';
    globalThis.auth = oauth({ grant: clientCredentials({ clientId: 'job', clientSecret: 'secret' }) });`);
  assert.ok(files.includes('oauth/client/client-credentials.ts') && files.includes('oauth/client/renewal.ts'));
  without(files, /authorization-code|authorization-response|pending-logins|enterprise|jwt-bearer|oauth\/resource|oauth\/node/);
});
