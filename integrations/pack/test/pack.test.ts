import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { McpClient } from 'barewire/client';
import { stdioTransport } from 'barewire/stdio';
import { pack } from 'barewire-pack';
import { zip } from '../src/zip.ts';

const top = fileURLToPath(new URL('../../', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'barewire-pack-test-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

const described = { name: '@me/sums', version: '1.2.3', description: 'Sums, differences, products', author: 'Me <me@example.com>', license: 'MIT', mcpName: 'io.github.me/sums', repository: 'github:me/sums' };

const server = (version = '1.2.3'): string => `
import { McpServer } from 'barewire/server';
import { serveStdio } from 'barewire/stdio';
const server = new McpServer({ name: 'sums', version: '${version}', title: 'Sums' });
const input = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] } as const;
server.tool('add', { description: 'Adds', input }, ({ a, b }) => String(a + b));
server.tool('subtract', { description: 'Subtracts', input }, ({ a, b }) => String(a - b));
server.tool('multiply', { input }, ({ a, b }) => String(a * b));
serveStdio(server);
`;

let projects = 0;
/** A server project in its own folder, with barewire installed. */
function project(more: Record<string, unknown> = {}, code = server()): { entry: string; out: string } {
  const folder = join(scratch, `project-${projects++}`);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(join(top, 'node_modules/barewire'), join(folder, 'node_modules/barewire'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...described, type: 'module', ...more }));
  writeFileSync(join(folder, 'server.ts'), code);
  return { entry: join(folder, 'server.ts'), out: join(folder, 'out') };
}

/** The official tool for bundles. */
const mcpb = (...args: string[]): string => execFileSync(process.execPath, [join(top, 'node_modules/.bin/mcpb'), ...args], { encoding: 'utf8', stdio: 'pipe' });

async function add(file: string): Promise<unknown> {
  const client = new McpClient({ name: 'test', version: '1' });
  await client.connect(stdioTransport(process.execPath, [file]));
  try {
    return (await client.callTool('add', { a: 1, b: 2 })).content;
  } finally {
    await client.close();
  }
}

test('a server of three tools: a file that runs alone, and a bundle of at most 60 KB that the official tool takes', async () => {
  const { entry, out } = project();
  const files = await pack(entry, { out });
  assert.deepEqual(files.map(({ path }) => path.slice(out.length + 1)), ['me-sums.mjs', 'me-sums.mcpb', 'server.json']);
  assert.deepEqual(await add(join(out, 'me-sums.mjs')), [{ type: 'text', text: '3' }]);
  const bundle = join(out, 'me-sums.mcpb');
  assert.ok(readFileSync(bundle).length <= 60_000, `${readFileSync(bundle).length}`);
  assert.match(mcpb('info', bundle), /Size: [\d.]+ KB/);
  const unpacked = join(out, 'unpacked');
  mcpb('unpack', bundle, unpacked);
  assert.match(mcpb('validate', join(unpacked, 'manifest.json')), /valid/i);
  assert.deepEqual(await add(join(unpacked, 'server.mjs')), [{ type: 'text', text: '3' }]);
  const manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'));
  assert.deepEqual(manifest.tools, [{ name: 'add', description: 'Adds' }, { name: 'subtract', description: 'Subtracts' }, { name: 'multiply' }]);
  assert.deepEqual([manifest.display_name, manifest.version, manifest.author], ['Sums', '1.2.3', { name: 'Me' }]);
  assert.ok(existsSync(join(unpacked, manifest.server.entry_point)));
  // The same input makes the same bytes.
  await pack(entry, { out: `${out}-again` });
  assert.deepEqual(readFileSync(`${out}-again/me-sums.mcpb`), readFileSync(bundle));
});

test('the entry for the registry: the package, and the bundle with its hash', async () => {
  const { entry, out } = project();
  await pack(entry, { out, mcpbUrl: 'https://github.com/me/sums/releases/download/v1.2.3/me-sums.mcpb' });
  const sha256 = createHash('sha256').update(readFileSync(join(out, 'me-sums.mcpb'))).digest('hex');
  const found = JSON.parse(readFileSync(join(out, 'server.json'), 'utf8'));
  assert.deepEqual(found.packages, [
    { registryType: 'npm', identifier: '@me/sums', version: '1.2.3', transport: { type: 'stdio' } },
    { registryType: 'mcpb', identifier: 'https://github.com/me/sums/releases/download/v1.2.3/me-sums.mcpb', fileSha256: sha256, transport: { type: 'stdio' } },
  ]);
  assert.deepEqual([found.name, found.title, found.version, found.repository], ['io.github.me/sums', 'Sums', '1.2.3', { url: 'https://github.com/me/sums', source: 'github' }]);
  // Without a registry name there is no server.json.
  const other = project({ mcpName: undefined });
  await pack(other.entry, { out: other.out });
  assert.ok(!existsSync(join(other.out, 'server.json')));
});

test('what would be refused is told at once, and nothing is written', async () => {
  const wrong = async (more: Record<string, unknown>, why: RegExp, code = server(), mcpbUrl?: string): Promise<void> => {
    const { entry, out } = project(more, code);
    await assert.rejects(pack(entry, { out, ...mcpbUrl !== undefined && { mcpbUrl } }), why);
    assert.ok(!existsSync(out));
  };
  await wrong({ mcpName: 'sums', description: 'x'.repeat(101) }, /mcpName: sums is not a domain[^]*description: 101 characters/);
  await wrong({}, /its version is 2\.0\.0, and package\.json says 1\.2\.3/, server('2.0.0'));
  await wrong({ version: 'latest' }, /version: latest is not one version/, server('latest'));
  await wrong({}, /the address of the bundle is not https/, server(), 'http://example.com/x.mcpb');
  await wrong({ author: undefined, description: '' }, /package\.json has no description, author/);
  await wrong({}, /the packed server does not run/, 'process.exit(3);');
  await wrong({}, /server\.ts cannot be bundled: .*server\.ts:1: Could not resolve "\.\/nowhere\.js"/, "import './nowhere.js';");
});

test('the command: what it made, and one line for what is wrong', () => {
  const { entry, out } = project();
  const run = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [join(top, 'dist/src/main.js'), ...args], { encoding: 'utf8' });
  const made = run(entry, '--out', out);
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stdout, /me-sums\.mjs {2}[\d.]+ kB\n.*me-sums\.mcpb {2}[\d.]+ kB\n.*server\.json/);
  assert.equal(run(join(scratch, 'none.ts')).status, 1);
  const usage = run();
  assert.equal(usage.status, 1);
  assert.match(usage.stderr, /^barewire-pack SERVER\.mjs/);
});

test('an archive is read by other programs, whatever the files', () => {
  const files = ['', 'a', 'ä'.repeat(5_000), Array.from({ length: 3_000 }, (_, i) => String.fromCharCode(i * 7919 % 256)).join('')]
    .map((text, i) => ({ name: `folder/file ${i} ü.txt`, bytes: Buffer.from(text) }));
  const path = join(scratch, 'archive.zip');
  writeFileSync(path, zip(files));
  const read = execFileSync('python3', ['-c', `
import sys, zipfile, hashlib
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    for name in z.namelist(): print(name, hashlib.sha256(z.read(name)).hexdigest())
`, path], { encoding: 'utf8' });
  assert.deepEqual(read.trim().split('\n'), files.map(({ name, bytes }) => `${name} ${createHash('sha256').update(bytes).digest('hex')}`));
});
