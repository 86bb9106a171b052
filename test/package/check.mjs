// npm run package-check: packs barewire as for publication. publint and Are The Types Wrong check the manifest and the types of
// every entry; then the package is installed from the tarball and from git, and a user's program is type-checked under both
// module resolutions and run, as a module and from CommonJS; like every snippet of README.md and docs/.
//
//   node test/package/check.mjs [--git]     --git installs from a clone of the last commit as well
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readWords } from '../../scripts/words.mjs';
import { checkSnippets } from './snippets.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'barewire-package-'));
const run = (command, args, cwd = project) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

const program = `
import { McpServer, ask } from 'barewire/server';
import { McpClient } from 'barewire/client';
import { memoryTransport } from 'barewire/memory';
import { serveStdio, stdioTransport } from 'barewire/stdio';
import { serveHttp } from 'barewire/http';
import { fetchHandler, httpTransport } from 'barewire/fetch';
import { compile, type FromSchema } from 'barewire/schema';
import { decode } from 'barewire/jsonrpc';
import { revisions, type Tool } from 'barewire/protocol';

const server = new McpServer({ name: 'packed', version: '1.0.0' });
server.tool('add', {
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
}, ({ a, b }) => ({ sum: a + b }));
server.tool('name', {}, function* () {
  const name: string = yield* ask.text('Your name?');
  return name;
});
const kept = [serveStdio, stdioTransport, serveHttp, fetchHandler, httpTransport, compile, decode];
type Point = FromSchema<{ readonly type: 'object'; readonly properties: { readonly x: { readonly type: 'number' } }; readonly required: readonly ['x'] }>;
const point: Point = { x: 1 };

const client = new McpClient({ name: 'host', version: '1.0.0' });
await client.connect(memoryTransport(server));
const tools: Tool[] = await client.listTools();
const result = await client.callTool('add', { a: point.x, b: 2 });
await client.close();
console.log(JSON.stringify([tools.length, result.structuredContent, revisions.length, kept.length]));
`;

const wrong = program.replace('({ a, b }) => ({ sum: a + b })', '({ a, c }) => ({ sum: a + c })');

/** From CommonJS: must work on every Node of `engines` that can `require` a module. */
const common = `
const { McpServer } = require('barewire/server');
const { entries } = require('barewire');
console.log(JSON.stringify([typeof McpServer, entries.McpServer]));
`;

const here = fileURLToPath(new URL('.', import.meta.url));
const tool = (name) => join(here, 'node_modules/.bin', name);

/** Runs a tool, and prints its output only if it found a fault. */
function judge(name, args) {
  try {
    execFileSync(tool(name), args, { encoding: 'utf8', stdio: 'pipe' });
  } catch (failed) {
    throw new Error(`${name}:\n${failed.stdout}${failed.stderr}`);
  }
  console.log(`${name}: no problem`);
}

function expect(what, said, wanted) {
  if (said !== wanted) throw new Error(`${what} said ${said}, not ${wanted}`);
}

/** Installs barewire from `spec` into an empty project, and runs the program. */
function installed(spec, what) {
  const folder = join(project, what);
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  run('npm', ['install', '--no-audit', '--no-fund', '--allow-git=all', spec], folder);
  writeFileSync(join(folder, 'src/main.ts'), program);
  writeFileSync(join(folder, 'wrong.ts'), wrong);
  writeFileSync(join(folder, 'common.cjs'), common);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const types = ['--strict', '--target', 'es2022', '--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
  for (const [resolution, module] of [['nodenext', 'nodenext'], ['bundler', 'esnext']]) {
    const how = ['--moduleResolution', resolution, '--module', module, ...types];
    run(process.execPath, [tsc, ...how, '--outDir', 'out', 'src/main.ts'], folder);
    let refused = false;
    try {
      execFileSync(process.execPath, [tsc, ...how, '--noEmit', 'wrong.ts'], { cwd: folder, stdio: 'ignore' });
    } catch {
      refused = true;
    }
    if (!refused) throw new Error(`${resolution}: a wrong argument name is not refused`);
    console.log(`${what}: types under ${resolution}: ok`);
  }
  expect('the program', run(process.execPath, ['out/main.js'], folder).trim(), '[2,{"sum":3},5,7]');
  expect('the CommonJS program', run(process.execPath, ['common.cjs'], folder).trim(), '["function","barewire/server"]');
  console.log(`${what}: installed, checked and ran, as a module and from CommonJS`);
  console.log(`${what}: ${checkSnippets(root, folder)}`);
}

try {
  const packed = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], root));
  const [{ filename, unpackedSize, files }] = Array.isArray(packed) ? packed : Object.values(packed);
  const tarball = join(project, filename);
  const holds = /^(dist\/lib\/.*\.js(\.map)?|dist\/types\/.*\.d\.ts|src\/.*\.ts|docs\/[\w/-]*\.md|SKILL\.md|llms\.txt|package\.json|capabilities\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
  const strays = files.filter(({ path }) => !holds.test(path));
  if (strays.length > 0) throw new Error(`the package holds what no user needs: ${strays.map(({ path }) => path).join(', ')}`);
  judge('publint', [tarball, '--strict']);
  judge('attw', [tarball, '--profile', 'esm-only', '--format', 'ascii']);
  console.log(`package: ${files.length} files, ${(unpackedSize / 1000).toFixed(0)} kB unpacked`);
  installed(tarball, 'from the tarball');
  if (readWords({ git: { type: 'boolean' } }).values.git) {
    const clone = join(project, 'clone');
    run('git', ['clone', '--quiet', root, clone]);
    installed(`git+file://${clone}`, 'from git');
    // Without dev dependencies the build is impossible: one sentence must say so.
    const bare = join(project, 'bare');
    mkdirSync(bare);
    cpSync(join(clone, 'package.json'), join(bare, 'package.json'));
    cpSync(join(clone, 'scripts'), join(bare, 'scripts'), { recursive: true });
    let told = '';
    try {
      execFileSync('npm', ['pack', '--silent'], { cwd: bare, encoding: 'utf8', stdio: 'pipe' });
    } catch (failed) {
      told = failed.stderr.split('\n').filter((line) => line.startsWith('barewire is built')).join();
    }
    if (!told.includes('typescript and esbuild is not installed')) throw new Error('a pack without dev dependencies does not say why it fails');
    console.log('without dev dependencies: one sentence says what is missing');
  }
} finally {
  rmSync(project, { recursive: true, force: true });
}
