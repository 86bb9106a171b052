// npm run package-check: packs barewire as it would be published, installs it into an empty project, and sees that a
// user's program type-checks under both module resolutions and runs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
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

try {
  const [{ filename, unpackedSize, files }] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', project], root));
  const strays = files.filter(({ path }) => !/^(dist\/lib\/.*\.js|dist\/types\/.*\.d\.ts|package\.json|README\.md|LICENSE)$/.test(path));
  if (strays.length > 0) throw new Error(`the package holds what no user needs: ${strays.map(({ path }) => path).join(', ')}`);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  run('npm', ['install', '--no-audit', '--no-fund', join(project, filename)]);
  mkdirSync(join(project, 'src'));
  writeFileSync(join(project, 'src/main.ts'), program);
  writeFileSync(join(project, 'wrong.ts'), wrong);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const types = ['--strict', '--target', 'es2022', '--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
  for (const [resolution, module] of [['nodenext', 'nodenext'], ['bundler', 'esnext']]) {
    const how = ['--moduleResolution', resolution, '--module', module, ...types];
    run(process.execPath, [tsc, ...how, '--outDir', 'out', 'src/main.ts']);
    let refused = false;
    try {
      execFileSync(process.execPath, [tsc, ...how, '--noEmit', 'wrong.ts'], { cwd: project, stdio: 'ignore' });
    } catch {
      refused = true;
    }
    if (!refused) throw new Error(`${resolution}: a wrong argument name is not refused`);
    console.log(`types under ${resolution}: ok`);
  }
  const said = run(process.execPath, ['out/main.js']).trim();
  if (said !== '[2,{"sum":3},5,7]') throw new Error(`the program said ${said}`);
  console.log(`package: ${files.length} files, ${(unpackedSize / 1000).toFixed(0)} kB unpacked; installed, checked and ran`);
} finally {
  rmSync(project, { recursive: true, force: true });
}
