import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { readServers } from '../../src/host/config.ts';
import { HostError } from '../../src/host/errors.ts';
import { refuseMisspelt } from '../../src/host/misspelt.ts';
import { fileStore } from '../../src/host/node/file-store.ts';
import { readApplication, readConfigFiles } from '../../src/host/node/config-files.ts';
import { withoutComments } from '../../src/host/node/json-with-comments.ts';
import type { Application } from '../../src/host/node/config-files.ts';
import { resolvePath } from '../../src/host/node/resolve-path.ts';

const variables = (name: string): string | undefined => ({ TOKEN: 't0', HOME: '/home/ada' })[name];

test('mcpServers: programs and addresses, variables replaced', () => {
  const servers = readServers({
    mcpServers: {
      files: { command: 'npx', args: ['-y', 'files', '${HOME}/x'], env: { TOKEN: '${TOKEN}', N: 1 } },
      web: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' }, disabled: true },
      other: { command: '${SHELL:-sh}' },
    },
  }, variables);
  assert.deepEqual(servers, {
    files: { command: 'npx', args: ['-y', 'files', '/home/ada/x'], env: { TOKEN: 't0', N: '1' } },
    web: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer t0' }, disabled: true },
    other: { command: 'sh', args: [] },
  });
});

const wrong: readonly (readonly [unknown, RegExp])[] = [
  [[], /the configuration: expected an object, got an array/],
  [{ mcpServers: { a: 1 } }, /mcpServers\.a: expected an object/],
  [{ mcpServers: { a: {} } }, /mcpServers\.a: "command" or "url" is missing/],
  [{ mcpServers: { a: { command: 'x', url: 'http://y' } } }, /not both/],
  [{ mcpServers: { a: { command: 'x', args: 'y' } } }, /mcpServers\.a\.args: expected an array/],
  [{ mcpServers: { a: { command: 'x', args: [1] } } }, /args\[0\]: expected a string/],
  [{ mcpServers: { a: { command: '${NO_SUCH}' } } }, /mcpServers\.a\.command: the variable NO_SUCH is not set/],
  [{ mcpServers: { a: { url: 'javascript:alert(1)' } } }, /expected an http or https address/],
  [{ mcpServers: { a: { command: 'x', roots: ['/x'] } } }, /roots\[0\]: expected a file:\/\/ URI/],
  [{ mcpservers: {} }, /the configuration: "mcpservers" is unknown, did you mean mcpServers\?/],
  ...([['disabeld', 'disabled'], ['Disabled', 'disabled'], ['arg', 'args'], ['agrs', 'args'], ['envs', 'env'], ['uri', 'url'], ['header', 'headers']] as const)
    .map(([name, meant]) => [{ mcpServers: { a: { command: 'x', [name]: true } } }, new RegExp(`mcpServers\\.a: "${name}" is unknown, did you mean ${meant}\\?`)] as const),
];

test('mcpServers: a member is misspelt if it differs from a known one by one letter: missing, added, replaced, or swapped with the next', () => {
  const refused = (name: string): boolean => {
    try {
      refuseMisspelt('x', { [name]: 1 }, ['disabled', 'url']);
      return false;
    } catch (thrown) {
      return thrown instanceof HostError && thrown.message === `x: "${name}" is unknown, did you mean ${name.length > 5 ? 'disabled' : 'url'}?`;
    }
  };
  for (const name of ['disable', 'isabled', 'disbled', 'disabledd', 'xdisabled', 'disaabled', 'disabked', 'Disabled', 'DISABLED', 'idsabled', 'disabeld', 'disalbed', 'ur', 'rl', 'urls', 'rul']) assert.ok(refused(name), name);
  for (const name of ['disabled', 'url', 'disabl', 'disaxyled', 'disxxled', 'disabledxx', 'sidabled', 'dsiabeld', 'enabled', 'u', 'rlu', 'xyz', '']) assert.ok(!refused(name), name);
});

test('mcpServers: members of other hosts are left alone', () => {
  const foreign = { type: 'stdio', timeout: 1, envFile: 'x', autoApprove: [], alwaysAllow: [], description: 'x', enabled: true, dev: {}, trust: true, tools: [], name: 'x' };
  assert.deepEqual(readServers({ mcpServers: { a: { command: 'x', ...foreign } }, inputs: [], version: 1, model: 'x' }, variables), { a: { command: 'x', args: [] } });
});

test('mcpServers: which tools are offered; a list of another host is left alone', () => {
  const read = (tools: unknown, folder?: string): unknown => readServers({ mcpServers: { a: { command: 'x', tools } } }, variables, folder)['a'];
  const selection = { include: ['read_*'], exclude: ['read_secret'] };
  assert.deepEqual(read(selection), { command: 'x', args: [], tools: selection });
  // `tools` only restricts a server, so a folder's file may have it too.
  assert.deepEqual(read({ include: [] }, '/x/.mcp.json'), { command: 'x', args: [], tools: { include: [] }, folder: '/x/.mcp.json' });
  assert.deepEqual(read(['*']), { command: 'x', args: [] });
  for (const [tools, message] of [
    [{ exlude: [] }, /mcpServers\.a\.tools\.exlude is unknown, did you mean exclude\?/],
    [{ include: ['a', null] }, /mcpServers\.a\.tools\.include\[1\] is invalid/],
    ['read_*', /mcpServers\.a\.tools is invalid, expected object/], [null, /mcpServers\.a\.tools is invalid/], [true, /mcpServers\.a\.tools is invalid/],
  ] as const) assert.throws(() => read(tools), { code: 'bad-config', message });
});

test('mcpServers: what is wrong is named, with its place', () => {
  for (const [config, message] of wrong) assert.throws(() => readServers(config, variables), { code: 'bad-config', message });
});

function folder(t: { after(run: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'barewire-host-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('the configurations of other applications are read, the user\'s own entries before those of an accepted folder', async (t) => {
  const home = folder(t);
  const cwd = join(home, 'project');
  const machine = { home, cwd, platform: 'linux', env: {} };
  const put = (path: string, text: string): void => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
  };
  put(join(home, '.config/Claude/claude_desktop_config.json'), '{"mcpServers":{"a":{"command":"desktop"}}}');
  put(join(cwd, '.mcp.json'), '{"mcpServers":{"a":{"command":"project"}}}');
  put(join(home, '.claude.json'), '{"mcpServers":{"a":{"command":"user"},"b":{"command":"user"}}}');
  put(join(cwd, '.vscode/mcp.json'), '{ // servers\n "servers": {"a":{"command":"x","args":["${workspaceFolder}","// no comment"]},}, }');
  put(join(home, '.cursor/mcp.json'), '{"mcpServers":{"c":{"url":"http://127.0.0.1:1/mcp"}}}');
  const read = async (application: Application): Promise<unknown> => readApplication(application, { machine, accept: async () => true });
  assert.deepEqual(await read('claude-desktop'), { a: { command: 'desktop', args: [] } });
  assert.deepEqual(await read('claude-code'), { a: { command: 'user', args: [] }, b: { command: 'user', args: [] } });
  assert.deepEqual(await read('vscode'), { a: { command: 'x', args: [cwd, '// no comment'], folder: join(cwd, '.vscode/mcp.json') } });
  assert.deepEqual(await readApplication('vscode', { machine }), {}, 'nobody has accepted it');
  assert.deepEqual(await read('cursor'), { c: { url: 'http://127.0.0.1:1/mcp' } });
  put(join(cwd, '.mcp.json'), '{');
  await assert.rejects(read('claude-code'), { code: 'bad-config', message: /\.mcp\.json: / });
  // A folder's file is shown only if it has the wanted server, and only if the user's own files do not have it.
  put(join(cwd, '.mcp.json'), '{"mcpServers":{"a":{"command":"project"}}}');
  for (const [name, times] of [['a', 0], ['d', 0], ['x', 0], [undefined, 2]] as const) {
    const asked: string[] = [];
    await readApplication('claude-code', { machine, accept: async ({ file }) => (asked.push(file), true), ...name !== undefined && { name } });
    await readApplication('vscode', { machine, accept: async ({ file }) => (asked.push(file), true), ...name !== undefined && name !== 'a' && { name } });
    assert.equal(asked.length, name === 'a' ? 1 : times, name);
  }
  put(join(cwd, '.mcp.json'), '{');
  // A folder's file that is unusable is reported, and the others are used. A refusal to accept one is no such problem.
  const files = [{ file: join(home, '.claude.json'), owner: 'user' }, { file: join(cwd, '.mcp.json'), owner: 'folder' }, { file: join(cwd, '.vscode/mcp.json'), owner: 'folder' }] as const;
  const problems: Error[] = [];
  const reading = { machine, onProblem: (error: Error) => void problems.push(error) };
  assert.deepEqual(Object.keys(await readConfigFiles(files, { ...reading, accept: async () => true })), ['a', 'b']);
  assert.deepEqual(problems.map((error) => error instanceof HostError && error.code), ['bad-config']);
  for (const error of [new HostError('not-accepted', 'no terminal'), new Error('odd')]) {
    await assert.rejects(readConfigFiles(files, { ...reading, accept: async () => { throw error; } }), error);
  }
  assert.equal(problems.length, 3, 'the malformed file is reported each time, and nothing else');
});

test('comments and trailing commas go, text stays', () => {
  const text = '{"a": "/* x */ // y", /* z */ "b": [1, 2, ], // c\n "d": "\\", ]" , }';
  assert.deepEqual(JSON.parse(withoutComments(text)), { a: '/* x */ // y', b: [1, 2], d: '", ]' });
});

test('a store of files: what was set is there for the next process, whatever its key', async (t) => {
  const path = join(folder(t), 'store');
  await fileStore(path).set('pins/../x y', { a: 1 });
  assert.deepEqual(await fileStore(path).get('pins/../x y'), { a: 1 });
  assert.equal(await fileStore(path).get('pins/other'), undefined);
  await Promise.all(Array.from({ length: 20 }, (_, i) => fileStore(path).set('one', i)));
  assert.equal(typeof await fileStore(path).get('one'), 'number');
  // Several processes change one value: each change is made to what the others left.
  await fileStore(path).set('sum', 0);
  await Promise.all(Array.from({ length: 20 }, () => fileStore(path).update('sum', (sum) => Number(sum) + 1)));
  assert.equal(await fileStore(path).get('sum'), 20);
  writeFileSync(join(path, 'broken.json'), '{');
  await assert.rejects(async () => fileStore(path).update('broken', () => 1), SyntaxError);
  await fileStore(path).set('broken', 2);
  assert.equal(await fileStore(path).get('broken'), 2);
});

test('a path is followed through links, as far as it exists', async (t) => {
  const path = await resolvePath(folder(t), 'any') as string;
  mkdirSync(join(path, 'real'));
  symlinkSync(join(path, 'real'), join(path, 'link'));
  symlinkSync('/etc', join(path, 'out'));
  assert.equal(await resolvePath(join(path, 'link/new/file.txt'), 'any'), join(path, 'real/new/file.txt'));
  assert.equal(await resolvePath(join(path, 'out/passwd'), 'any'), '/etc/passwd');
});
