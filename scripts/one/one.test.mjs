import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { commitOf, root } from '../trees.mjs';
import { oneFile } from './join.mjs';

const folder = mkdtempSync(join(tmpdir(), 'barewire-one-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const head = commitOf('HEAD');
const file = join(folder, 'server.mjs');

/** The responses of a stdio server, by id. */
function ask(program, ...messages) {
  const lines = messages.map((message) => JSON.stringify({ jsonrpc: '2.0', ...message })).join('\n');
  const { stdout, stderr } = spawnSync(process.execPath, [program], { input: `${lines}\n`, encoding: 'utf8' });
  assert.equal(stderr, '');
  return new Map(stdout.trim().split('\n').map((line) => JSON.parse(line)).map((answer) => [answer.id, answer.result]));
}

const initialize = { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } } };

test('one file: a server of tools runs from it, and it has its comments, its licence and its sources', async () => {
  const text = await oneFile('stdio-tools', head);
  writeFileSync(file, text);
  const answers = ask(file, initialize, { method: 'notifications/initialized' }, { id: 2, method: 'tools/call', params: { name: 'echo', arguments: { text: 'hello' } } });
  assert.deepEqual(answers.get(2).content, [{ type: 'text', text: 'hello' }]);
  assert.match(text, new RegExp(`^// barewire-one: stdio-tools\n// Commit: ${head}\n`));
  assert.match(text, /Permission is hereby granted/);
  // A source comment is kept, and only Node modules are imported.
  assert.match(text, /2025-11-25 client\/elicitation#url-elicitation-required-error/);
  assert.deepEqual([...text.matchAll(/^import .* from ['"](.*)['"];$/gm)].filter(([, from]) => !from.startsWith('node:')), []);
  const listed = [...text.matchAll(/^\/\/ ([0-9a-f]{64}) {2}(src\/\S+\.ts)$/gm)];
  assert.ok(listed.length > 20);
  assert.deepEqual([...text.matchAll(/^\/\/ =+ (src\/\S+) =+$/gm)].map(([, path]) => path), listed.map(([, , path]) => path));
  for (const [, hash, path] of listed) {
    assert.equal(createHash('sha256').update(execFileSync('git', ['show', `${head}:${path}`], { cwd: root })).digest('hex'), hash, path);
  }
});

test('one file: made again and compared, byte for byte', () => {
  const verify = (path) => spawnSync(process.execPath, [`${root}scripts/verify.mjs`, '--one', path], { encoding: 'utf8' });
  const same = verify(file);
  assert.equal(same.status, 0, same.stdout + same.stderr);
  assert.match(same.stdout, /: the same$/m);
  const changed = join(folder, 'changed.mjs');
  writeFileSync(changed, readFileSync(file, 'utf8').replace('const longestTimerMs = 0x7fffffff', 'const longestTimerMs = 0x7ffffffe'));
  const other = verify(changed);
  assert.equal(other.status, 1);
  assert.match(other.stdout, /^line \d+ differs[^]*0x7ffffffe[^]*0x7fffffff/);
  writeFileSync(changed, '// nothing\n');
  assert.match(verify(changed).stdout, /has no heading/);
});

test('one file: a program of one\'s own, in TypeScript, with a module that is loaded late; another package is refused', async () => {
  const program = join(folder, 'mine.ts');
  writeFileSync(program, `
    import { McpServer } from 'barewire/server';
    import { serveStdio } from 'barewire/stdio';
    // Adds.
    const sum = (a: number, b: number): string => String(a + b);
    const server = new McpServer({ name: 'mine', version: '1.0.0' });
    server.tool('add', { input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] } }, ({ a, b }) => sum(a, b));
    serveStdio(server);`);
  const text = await oneFile(program, head);
  assert.match(text, /\/\/ Adds\.\nconst sum = \(a, b\) =>/);
  assert.match(text, /^\/\/ The program: [0-9a-f]{64} {2}\/.*mine\.ts$/m);
  writeFileSync(file, text);
  const answers = ask(file, initialize, { id: 2, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } });
  assert.deepEqual(answers.get(2).content, [{ type: 'text', text: '3' }]);
  writeFileSync(program, "import x from 'zod'; console.log(x);");
  await assert.rejects(oneFile(program, head), /zod/);
  await assert.rejects(oneFile('nonsense', head), /no program "nonsense"/);
});
