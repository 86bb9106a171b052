import assert from 'node:assert/strict';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { inProcess } from './in-process.ts';
import type { Ran } from './in-process.ts';

interface Machine {
  readonly home: string;
  readonly cwd: string;
  readonly own: string;
  run(...words: string[]): Promise<Ran>;
}

function machine(t: TestContext): Machine {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'barewire-config-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const [home, cwd] = [join(root, 'home'), join(root, 'folder')];
  mkdirSync(home);
  mkdirSync(cwd);
  return {
    home, cwd, own: join(home, 'barewire', 'servers.json'),
    run: (...words) => inProcess(words, { cwd, env: { HOME: home, XDG_CONFIG_HOME: home, BAREWIRE_HOME: join(home, 'barewire'), APPDATA: undefined } }),
  };
}

const write = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};
const parse = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

test('config add, path and remove: shown first, written only with consent, values of variables and headers hidden', async (t) => {
  const { own, cwd, run } = machine(t);
  assert.equal((await run('config', 'path')).out, `${own}\n`);
  assert.equal((await run('config', 'path', '--folder')).out, `${join(cwd, '.mcp.json')}\n`);
  const add = ['config', 'add', 'files', '--env', 'KEY=hunter2', '--env', 'PLACE=${PLACE}'];
  const asked = await run(...add, '--', 'node', './server.mjs', '--port', '1');
  assert.equal(asked.code, 3);
  assert.match(asked.err, /which does not exist yet:\n\+ "files": \{\n\+ {3}"command": "node"[^]*"KEY": "\[7 characters\]",\n\+ +"PLACE": "\$\{PLACE\}"[^]*--yes consents/);
  assert.ok(!asked.err.includes('hunter2') && !existsSync(own));
  // The program will start in another folder, so an existing file is stored with its absolute path.
  writeFileSync(join(cwd, 'server.mjs'), '');
  assert.equal((await run(...add, '--yes', '--', 'node', './server.mjs', '--port', '1')).code, 0);
  assert.deepEqual(parse(own), { mcpServers: { files: { command: 'node', args: [join(cwd, 'server.mjs'), '--port', '1'], env: { KEY: 'hunter2', PLACE: '${PLACE}' } } } });
  assert.equal(statSync(own).mode & 0o777, 0o600);
  assert.match((await run(...add, '--yes', '--', 'node', './server.mjs', '--port', '1')).err, /has this entry already/);
  assert.equal((await run('config', 'add', 'remote', '--header', 'Authorization: Bearer hunter2', 'https://example.com/mcp', '-y')).code, 0);
  assert.deepEqual(Object.keys((parse(own) as { mcpServers: object }).mcpServers), ['files', 'remote']);
  const removed = await run('config', 'remove', 'remote', '--yes');
  assert.match(removed.err, /- "remote": \{\n- {3}"url": "https:\/\/example\.com\/mcp"/);
  assert.ok(!removed.err.includes('hunter2'));
  assert.equal((await run('list', 'files', '--timeout', '5')).code, 1, 'PLACE is not set');
  assert.deepEqual(readdirSync(dirname(own)).filter((name) => name.startsWith('.')), [], 'nothing is left behind');
});

test('config add: which tools are offered; import keeps that', async (t) => {
  const { own, home, run } = machine(t);
  const tools = { include: ['read_*', 'list'], exclude: ['read_secret'] };
  assert.equal((await run('config', 'add', 'files', '-y', '--include', 'read_*', '--include', 'list', '--exclude', 'read_secret', '--', 'node', 'x')).code, 0);
  assert.deepEqual(parse(own), { mcpServers: { files: { command: 'node', args: ['x'], tools } } });
  write(join(home, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: { theirs: { command: 'node', tools, trusted: true } } }));
  assert.equal((await run('config', 'import', '--from', 'cursor', '-y')).code, 0);
  assert.deepEqual((parse(own) as { mcpServers: { theirs: unknown } }).mcpServers.theirs, { command: 'node', args: [], tools });
});

test('config: comments, unknown members, mode and link of the file stay', async (t) => {
  const { own, home, run } = machine(t);
  const real = join(home, 'dotfiles.json');
  const text = '{\n  // mine\n  "note": [1, 2],\n  "mcpServers": {\n    "a": { "command": "a", "odd": true } // a\n  }\n}\n';
  write(real, text);
  chmodSync(real, 0o640);
  mkdirSync(dirname(own));
  symlinkSync(real, own);
  assert.equal((await run('config', 'add', 'b', 'https://example.com/mcp', '--yes')).code, 0);
  assert.ok(lstatSync(own).isSymbolicLink() && (statSync(real).mode & 0o777) === 0o640);
  assert.equal(readFileSync(real, 'utf8'), text.replace('// a\n  }', '// a\n    "b": {\n      "url": "https://example.com/mcp"\n    }\n  }').replace('true } //', 'true }, //'));
  assert.equal((await run('config', 'remove', 'b', '--yes')).code, 0);
  writeFileSync(real, '{"mcpServers": 5}');
  const broken = await run('config', 'add', 'b', 'https://example.com/mcp', '--yes');
  assert.deepEqual([broken.code, readFileSync(real, 'utf8')], [2, '{"mcpServers": 5}']);
});

test('config --folder: a hostile folder leads the writing nowhere else', async (t) => {
  const { cwd, home, run } = machine(t);
  const target = join(home, '.bashrc');
  writeFileSync(target, 'mine');
  symlinkSync(target, join(cwd, '.mcp.json'));
  assert.match((await run('config', 'add', '--folder', 'x', 'https://example.com/', '--yes')).err, /is not a regular file/);
  symlinkSync(home, join(cwd, '.cursor'));
  assert.match((await run('install', 'cursor', '--folder', '--name', 'x', 'https://example.com/', '--yes')).err, /leads out of the folder/);
  assert.equal(readFileSync(target, 'utf8'), 'mine');
  assert.ok(!existsSync(join(home, 'mcp.json')));
  rmSync(join(cwd, '.mcp.json'));
  assert.equal((await run('config', 'add', '--folder', 'x', '--yes', '--', './run', 'a')).code, 0);
  assert.deepEqual(parse(join(cwd, '.mcp.json')), { mcpServers: { x: { command: './run', args: ['a'] } } });
});

test('config import: variables stay variables, what only the user may say is left out, taken names stay', async (t) => {
  const { home, own, run } = machine(t);
  write(join(home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: {
    a: { command: 'a', args: ['${env:PLACE}'], env: { KEY: 'hunter2' }, trusted: true, maxSampledTokens: 5 }, b: { url: 'https://b.example/' }, c: { url: 'https://c.example/' },
  } }));
  write(own, '{"mcpServers": {"b": {"command": "mine"}}}');
  const { code, err } = await run('config', 'import', '--from', 'cursor', 'a', 'b', '--yes');
  assert.equal(code, 0, err);
  assert.match(err, /b exists already, and was not changed\./);
  assert.ok(!err.includes('hunter2'));
  assert.deepEqual(parse(own), { mcpServers: { b: { command: 'mine' }, a: { command: 'a', args: ['${PLACE}'], env: { KEY: 'hunter2' } } } });
  assert.match((await run('config', 'import', '--from', 'cursor', 'cc')).err, /cursor has no server cc; did you mean c\?/);
  assert.equal((await run('config', 'import', '--from', 'emacs')).code, 2);
});

test('install writes each host\'s own words, and keeps the rest of its file', async (t) => {
  const { home, own, cwd, run } = machine(t);
  write(own, JSON.stringify({ mcpServers: { files: { command: 'npx', args: ['-y', 'files'], env: { KEY: '${KEY}' }, trusted: true }, far: { url: 'https://far.example/mcp', headers: { 'X-Key': 'hunter2' } } } }));
  write(join(home, '.claude.json'), '{\n  "numStartups": 7,\n  "mcpServers": {}\n}\n');
  for (const [words, file, wanted] of [
    [['claude-code', 'files'], '.claude.json', { numStartups: 7, mcpServers: { files: { type: 'stdio', command: 'npx', args: ['-y', 'files'], env: { KEY: '${KEY}' } } } }],
    [['vscode', 'files', '--name', 'f'], 'Code/User/mcp.json', { servers: { f: { type: 'stdio', command: 'npx', args: ['-y', 'files'], env: { KEY: '${env:KEY}' } } } }],
    [['cursor', 'far'], '.cursor/mcp.json', { mcpServers: { far: { url: 'https://far.example/mcp', headers: { 'X-Key': 'hunter2' } } } }],
    [['claude-desktop', '--name', 'p', '--', 'node', '-v'], 'Claude/claude_desktop_config.json', { mcpServers: { p: { command: 'node', args: ['-v'] } } }],
  ] as const) {
    const { code, err } = await run('install', '--yes', ...words);
    assert.equal(code, 0, err);
    assert.ok(!err.includes('hunter2'), err);
    assert.deepEqual(parse(join(home, file)), wanted);
  }
  assert.match((await run('install', 'claude-desktop', 'far')).err, /claude-desktop only starts programs.*barewire bridge https:\/\/far\.example\/mcp/);
  assert.match((await run('install', 'claude-desktop', 'files')).err, /does not support variables, and the server has \$\{KEY\}/);
  assert.match((await run('install', 'claude-desktop', '--folder', 'files')).err, /reads no configuration file in a folder/);
  assert.match((await run('install', 'cursr', 'files')).err, /did you mean cursor\?/);
  assert.match((await run('install', 'cursor', 'fils')).err, /no server of your own is called fils; did you mean files\?/);
  assert.equal((await run('install', 'cursor', '--remove', 'far', '--yes')).code, 0);
  assert.match((await run('install', 'cursor', '--remove', 'far', '--yes')).err, /mcp\.json has no server far\.$/m);
  assert.deepEqual(parse(join(home, '.cursor/mcp.json')), { mcpServers: {} });
  assert.deepEqual(readdirSync(cwd), []);
});

test('config import: an address with its headers, what restricts a server, and nothing to import', async (t) => {
  const { home, own, run } = machine(t);
  const file = join(home, '.cursor/mcp.json');
  write(file, JSON.stringify({ mcpServers: { a: { url: 'https://a.example/', headers: { 'X-Key': 'hunter2' }, disabled: true }, b: { command: 'b', cwd: '/b' }, c: { url: 'https://c.example/' } } }));
  const { code, err } = await run('config', 'import', '--from', 'cursor', '--yes');
  assert.equal(code, 0, err);
  assert.ok(!err.includes('hunter2') && err.includes('"X-Key": "[7 characters]"'), err);
  assert.deepEqual(parse(own), { mcpServers: { a: { url: 'https://a.example/', headers: { 'X-Key': 'hunter2' }, disabled: true }, b: { command: 'b', args: [], cwd: '/b' }, c: { url: 'https://c.example/' } } });
  const again = await run('config', 'import', '--from', 'cursor', '--yes');
  assert.deepEqual([again.code, again.err.trimEnd().split('\n')], [0, [...['a', 'b', 'c'].map((name) => `${name} exists already, and was not changed.`), 'There is nothing to import from cursor.']]);
  assert.match((await run('config', 'ad')).err, /^barewire: config takes add, remove, import or path; did you mean add\?$/m);
});

test('config: no key in an entry is shown, whatever its place; one that changes is shown before and after', async (t) => {
  const { own, run } = machine(t);
  write(own, JSON.stringify({ mcpServers: { a: { command: 'old', args: ['--api-key=sk-0123456789abcdef0123456789abcdef'], env: { A: 'x', B: '${B}', C: 5, D: [1] }, headers: 5, more: { x: 1 } } } }));
  const changed = await run('config', 'add', 'a', '--yes', '--', 'new');
  assert.equal(changed.code, 0, changed.err);
  assert.match(changed.err, /- "a": \{\n- {3}"command": "old",\n[^]*- {5}"A": "\[1 characters\]",\n- {5}"B": "\$\{B\}",\n- {5}"C": 5,\n- {5}"D": "\[…\]"\n[^]*"headers": 5,\n[^]*\n\+ "a": \{\n\+ {3}"command": "new"/);
  assert.ok(!changed.err.includes('sk-0123456789'), changed.err);
  write(own, '{"mcpServers": {"a": "sk-0123456789abcdef0123456789abcdef", "b": 5}}');
  const removed = await run('config', 'remove', 'a', '--yes');
  assert.ok(removed.code === 0 && !removed.err.includes('sk-0123456789'), removed.err);
  assert.match((await run('config', 'remove', 'b', '--yes')).err, /^- "b": 5$/m);
  write(own, '{');
  const broken = await run('config', 'add', 'a', 'https://a.example/', '--yes');
  assert.deepEqual([broken.code, broken.err.startsWith(`barewire: ${own}: `)], [2, true], broken.err);
  write(own, `{"x": "${'x'.repeat(16 * 1024 * 1024)}"}`);
  assert.match((await run('config', 'add', 'a', 'https://a.example/', '--yes')).err, /has more than 16777216 bytes/);
});
