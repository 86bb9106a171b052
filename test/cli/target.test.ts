import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { PassThrough } from 'node:stream';
import { readClientWords } from '../../src/cli/client-options.ts';
import type { CommandProcess } from '../../src/cli/command-process.ts';
import { homeFolder } from '../../src/cli/configuration.ts';
import { openEntries } from '../../src/cli/entries-file.ts';
import { endingSignal } from '../../src/cli/ending-signal.ts';
import { entryFor, fileOfHost, hostOf, isHostName, writtenServers } from '../../src/cli/installed-hosts.ts';
import { judgeLogin } from '../../src/cli/judge-login.ts';
import { compareLocked, parseLock, placeOf, recordedItems } from '../../src/cli/lock-file.ts';
import { ruledNames, whyHidden } from '../../src/cli/offered-tools.ts';
import { clientOf } from '../../src/cli/open-server.ts';
import { keepTools, seenTools } from '../../src/cli/seen-tools.ts';
import { describeTarget } from '../../src/cli/target.ts';
import { parseTranscript, recorder } from '../../src/transcript/index.ts';

// The server that the words of a command line name, and the files that commands keep.
const home = mkdtempSync(join(tmpdir(), 'barewire-target-'));
test.after(() => rmSync(home, { recursive: true, force: true }));

const proc = (env: Record<string, string> = {}): CommandProcess => ({
  stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough(), env: { BAREWIRE_HOME: home, HOME: home, XDG_CONFIG_HOME: home, ...env }, cwd: () => home, on: () => {}, once: () => {}, off: () => {}, exit: () => {},
});
writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: { far: { url: 'https://far.example/mcp', headers: { A: '1' } }, near: { command: 'near', env: { A: '1' } }, 'far away': { url: 'https://x.example/' } } }));

test('the target of a command: a program, an address, a socket or a name; later words if the first is none of them', async () => {
  const read = async (...words: string[]): Promise<unknown[]> => {
    const { server, targetName, named, target, rest, timeoutMs, revisions } = await readClientWords(proc(), words);
    return [server, targetName, named, target, rest, ...timeoutMs === 60_000 && revisions === undefined ? [] : [timeoutMs, revisions]];
  };
  assert.deepEqual(await read('x', '--', 'node', 'a b', '--json'), [{ command: 'node', args: ['a b', '--json'] }, 'node a b --json', false, ['', "-- node 'a b' --json"], ['x']]);
  assert.deepEqual(await read('https://x/mcp', 'a', '--timeout', '0.5', '--revision', '2025-06-18'), [{ url: 'https://x/mcp' }, 'https://x/mcp', false, ['https://x/mcp', ''], ['a'], 500, ['2025-06-18']]);
  assert.deepEqual(await read('unix:/run/x', 'a'), [{ url: 'unix:/run/x' }, 'unix:/run/x', false, ['unix:/run/x', ''], ['a']]);
  assert.deepEqual((await read('a', 'HTTPS://x/mcp', 'http://y/')).slice(1), ['HTTPS://x/mcp', false, ['HTTPS://x/mcp', ''], ['a', 'http://y/']]);
  assert.deepEqual((await read('far', 'https://x/')).slice(1), ['far', true, ['far', ''], ['https://x/']]);
  assert.deepEqual((await read('tool', 'near', 'far')).slice(1), ['near', true, ['near', ''], ['tool', 'far']]);
  assert.deepEqual((await read('far away')).slice(1), ['far away', true, ["'far away'", ''], []]);
  for (const name of ['toString', '__proto__']) await assert.rejects(read(name), /no server is called/);
  await assert.rejects(read('farr'), { message: 'no server is called farr; did you mean far? A program follows "--".' });
  await assert.rejects(read('zzzzzzzz'), { message: 'no server is called zzzzzzzz; there are far, near, far away. A program follows "--".' });
  await assert.rejects(read('a', 'http://['), { message: 'http://[ is not an address' });
  await assert.rejects(read('unix:x'), /a socket is unix: and an absolute path/);
});

test('headers, variables and a folder of the command line are added to the server, where they fit it', async () => {
  const server = async (...words: string[]): Promise<unknown> => (await readClientWords(proc(), words)).server;
  const far = await server('far') as { headers: object };
  assert.deepEqual(far.headers, { A: '1' });
  assert.deepEqual((await server('far', '--header', 'B: 2') as { headers: object }).headers, { A: '1', B: '2' });
  assert.deepEqual(await server('https://x/', '--header', 'B: 2'), { url: 'https://x/', headers: { B: '2' } });
  assert.deepEqual((await server('near', '--env', 'B=2', '--env', 'A=3') as { env: object }).env, { A: '3', B: '2' });
  assert.deepEqual((await server('near') as { env: object }).env, { A: '1' });
  assert.deepEqual(await server('--env', 'B=2', '--cwd', '/x', '--', 'node'), { command: 'node', args: [], env: { B: '2' }, cwd: '/x' });
  assert.deepEqual(await server('--', 'node'), { command: 'node', args: [] });
  for (const [words, why] of [
    [['https://x/', '--env', 'A=1'], '--env and --cwd are for a program, and this is an address'], [['https://x/', '--cwd', '/'], '--env and --cwd are for a program, and this is an address'], [['unix:/x', '--cwd', '/'], '--env and --cwd are for a program, and this is a socket'],
    [['unix:/x', '--header', 'A: 1'], '--header is for an address of HTTP, and this is a socket'],
  ] as const) await assert.rejects(server(...words), { message: why });
});

test('where a user\'s own files are, and what a target is called', () => {
  assert.equal(homeFolder({ BAREWIRE_HOME: '/a', XDG_CONFIG_HOME: '/b' }), '/a');
  assert.equal(homeFolder({ XDG_CONFIG_HOME: '/b' }), join('/b', 'barewire'));
  assert.match(homeFolder({}), /.config.barewire$/);
  assert.deepEqual([{ kind: 'address', url: 'u' } as const, { kind: 'configured', name: 'n', server: { command: 'x' } } as const, { kind: 'program', command: 'c', args: ['a', 'b'] } as const].map(describeTarget), ['u', 'n', 'c a b']);
  assert.deepEqual(clientOf('barewire'), { name: 'barewire' });
  assert.deepEqual(clientOf('other'), { name: 'barewire', registered: { clientId: 'other' } });
  assert.deepEqual(ruledNames({ server: { command: 'x' }, name: 'n', targetName: 't' }), { server: 'n', identity: 'n' });
  assert.deepEqual(ruledNames({ server: { command: 'x', folder: '/f' }, name: undefined, targetName: 't' }), { server: '-- t', identity: '/f#-- t' });
  const tool = { name: 'wipe', inputSchema: { type: 'object' } } as const;
  const known = { server: { command: 'x' }, name: 'n', targetName: 't' };
  assert.equal(whyHidden(known, [], tool), undefined);
  assert.equal(whyHidden(known, [{ tool: 'wipe', then: 'deny' }], tool), 'rule 0 denies it');
  assert.equal(whyHidden({ ...known, server: { command: 'x', tools: { exclude: ['w*'] } } }, [], tool), '"tools" of its entry in the configuration leaves it out');
});

test('the files of other hosts: which one, which servers, and entries in their words', async () => {
  const machine = { platform: 'linux', home: '/h', cwd: '/w', env: {} } as never;
  assert.equal(fileOfHost('cursor', machine, false), '/h/.cursor/mcp.json');
  assert.equal(fileOfHost('cursor', machine, true), '/w/.cursor/mcp.json');
  assert.throws(() => fileOfHost('claude-desktop', machine, true), { message: 'claude-desktop reads no configuration file in a folder' });
  assert.deepEqual(['cursor', 'toString', 'x'].map(isHostName), [true, false, false]);
  assert.deepEqual(await writtenServers(join(home, 'none.json')), {});
  const file = join(home, 'written.json');
  writeFileSync(file, '{ // mine\n"mcpServers": {"a": {"command": "x", "args": ["${A}"]}}}');
  assert.deepEqual(Object.keys(await writtenServers(file)), ['a']);
  assert.deepEqual((await writtenServers(file))['a'], { command: 'x', args: ['${A}'] });
  writeFileSync(file, '{');
  await assert.rejects(writtenServers(file), ({ message }: Error) => message.startsWith(`${file}: `));
  await assert.rejects(writtenServers(home), ({ message }: Error) => message.startsWith(`${home}: EISDIR`));
  assert.deepEqual(entryFor('claude-desktop', hostOf('claude-desktop'), { command: 'x', cwd: '/x' }), { command: 'x', args: [], cwd: '/x' });
  assert.deepEqual(entryFor('cursor', hostOf('cursor'), { url: 'https://h/', headers: {} }), { url: 'https://h/' });
});

const item = (name: string): object => ({ name, inputSchema: { type: 'object' } });
const recorded = async (...lines: readonly (readonly ['client' | 'server', object | string])[]): Promise<Record<string, string[]>> => {
  const { add } = recorder();
  const text = lines.map(([from, value]) => add(from, typeof value === 'string' ? value : JSON.stringify({ jsonrpc: '2.0', ...value }))).join('');
  return Object.fromEntries(Object.entries(await recordedItems(parseTranscript(`T.\n\n${text}`))).map(([kind, items]) => [kind, Object.keys(items)]));
};

test('a lock: items of a recording, page by page, each list as it was read last', async () => {
  const ask = (id: number, params?: object, method: string = 'tools/list') => ['client', { id, method, ...params && { params } }] as const;
  const say = (id: number, ...names: string[]) => ['server', { id, result: { tools: names.map(item) } }] as const;
  assert.deepEqual(await recorded(ask(1), say(1, 'b', 'a'), ask(2, { cursor: 'x' }), say(2, 'c')), { tools: ['a', 'b', 'c'] });
  assert.deepEqual(await recorded(ask(1), say(1, 'b'), ask(2, {}), say(2, 'c')), { tools: ['c'] });
  assert.deepEqual(await recorded(ask(1), say(2, 'b')), { tools: [] });
  assert.deepEqual(await recorded(ask(1), ['client', { id: 1, result: { tools: [item('x')] } }]), { tools: [] });
  assert.deepEqual(await recorded(say(1, 'b'), ['client', { id: 1, result: { tools: [item('x')] } }]), {});
  assert.deepEqual(await recorded(ask(1), ['server', { id: 1, error: { code: 1, message: '' } }], ['client', 'no JSON'], ['client', '[]']), { tools: [] });
  assert.deepEqual(await recorded(ask(1, undefined, 'skills/list'), ['server', { id: 1, result: { skills: [{ uri: 'skill://a' }] } }], ask(2, undefined, 'prompts/list'), ['server', { id: 2, result: { prompts: [{ name: 'p' }] } }], ask(3, undefined, 'toString')), { skills: ['skill://a'], prompts: ['p'] });
  await assert.rejects(recorded(ask(1), ['server', { id: 1, result: { tools: [{}] } }]), { message: 'an item of tools has no name' });
  await assert.rejects(recorded(ask(1), ['server', { id: 1, result: { tools: [5] } }]), { message: 'an item of tools has no name' });
});

test('a lock: what is one, where a server is, and what differs', () => {
  for (const [text, why] of [
    ['{', /^it is not JSON: /], ['[]', 'it is not a lock of version 1'], ['{"lockVersion":2,"servers":{}}', 'it is not a lock of version 1'], ['{"lockVersion":1}', 'it is not a lock of version 1'], ['{"lockVersion":1,"servers":{"a":{}}}', 'its entry of the server "a" is malformed'],
    ['{"lockVersion":1,"servers":{"a":{"items":{"odd":{}}}}}', /"a" is malformed/], ['{"lockVersion":1,"servers":{"a":{"items":{"tools":{"x":1}}}}}', /"a" is malformed/], ['{"lockVersion":1,"servers":{"a":{"items":{"tools":"x"}}}}', /"a" is malformed/], [`{"lockVersion":1,"servers":{"${'a'.repeat(100)}":5}}`, `its entry of the server "${'a'.repeat(80)}" is malformed`],
  ] as const) assert.throws(() => parseLock(text), { message: why }, text);
  const lock = { lockVersion: 1, servers: { a: { command: ['x'], items: { tools: { t: 'd' }, prompts: {} } } } };
  assert.deepEqual(parseLock(JSON.stringify({ ...lock, more: 1 })), lock);
  for (const [command, found] of [
    [['npx', '-y', 'pkg'], { name: 'pkg' }], [['/usr/bin/npx.cmd', 'pkg@1'], { name: 'pkg', version: '1' }], [['C:\\bunx.exe', '@a/b@2'], { name: '@a/b', version: '2' }], [['pnpm', 'dlx', '@a/b'], { name: '@a/b' }], [['npx', '-y'], undefined], [['npx2', 'pkg'], undefined], [['xnpx', 'pkg'], undefined], [['npx.sh', 'pkg'], undefined],
  ] as const) {
    const [program, ...args] = command;
    assert.deepEqual(placeOf({ command: program, args }), { command: [...command], ...found && { package: found } }, command.join(' '));
  }
  assert.deepEqual(placeOf({ command: 'x' }), { command: ['x'] });
  const locked = { command: ['x', 'y'], items: { tools: { a: '1', b: '2' }, prompts: { p: '1' } } };
  assert.deepEqual(compareLocked('s', undefined, locked, true), [{ server: 's', kind: 'server', name: 's', locked: undefined, now: 'there' }]);
  assert.deepEqual(compareLocked('s', locked, locked, true), []);
  assert.deepEqual(compareLocked('s', locked, { url: 'u', items: { tools: { b: '3', c: '4' } } }, true), [
    { server: 's', kind: 'place', name: '', locked: 'x y', now: 'u' }, { server: 's', kind: 'tools', name: 'a', locked: '1', now: undefined }, { server: 's', kind: 'tools', name: 'b', locked: '2', now: '3' }, { server: 's', kind: 'tools', name: 'c', locked: undefined, now: '4' },
  ]);
  assert.deepEqual(compareLocked('s', { items: {} }, { url: 'u', items: { tools: { toString: '1' } } }, false), [{ server: 's', kind: 'tools', name: 'toString', locked: undefined, now: '1' }]);
  assert.deepEqual(compareLocked('s', { items: {} }, { package: { name: 'x' }, items: {} }, true), [{ server: 's', kind: 'place', name: '', locked: '', now: '' }]);
});

test('tools that were seen: of the last 200 servers, the first 1,000 names of at most 128 characters', async () => {
  const env = { BAREWIRE_HOME: join(home, 'seen') };
  assert.deepEqual(await seenTools(env), new Map());
  await keepTools(env, 's', ['a', 'x'.repeat(128), 'y'.repeat(129), ...Array.from({ length: 1_000 }, (_, at) => `t${at}`)]);
  const kept = (await seenTools(env)).get('s') ?? [];
  assert.deepEqual([kept.length, kept[0], kept[1]?.length, kept.at(-1)], [1_000, 'a', 128, 't997']);
  for (const name of ['one', 'two']) await keepTools(env, name, [name]);
  assert.deepEqual([...(await seenTools(env)).keys()], ['two', 'one', 's']);
  await keepTools(env, 'one', ['other']);
  assert.deepEqual([...(await seenTools(env))].slice(0, 2), [['one', ['other']], ['two', ['two']]]);
  // What is already kept is not written again.
  await keepTools(env, 'two', ['two']);
  assert.deepEqual([...(await seenTools(env)).keys()].slice(0, 2), ['one', 'two']);
});

test('a file of entries: appended or new, for this user only; after a failure nothing more is written', async () => {
  const file = join(home, 'entries');
  const errors: string[] = [];
  const entries = await openEntries(file, 'w', ({ message }) => void errors.push(message));
  entries.write('a\n');
  entries.write('b\n');
  assert.equal(await entries.end(), undefined);
  const more = await openEntries(file, 'a', ({ message }) => void errors.push(message));
  more.write('é\n');
  assert.equal(await more.end(), undefined);
  assert.deepEqual([readFileSync(file, 'utf8'), errors], ['a\nb\né\n', []]);
  if (process.platform !== 'linux') return;
  const full = await openEntries('/dev/full', 'a', ({ message }) => void errors.push(message));
  full.write('a');
  full.write('b');
  assert.match((await full.end())?.message ?? '', /ENOSPC/);
  assert.equal(errors.length, 1);
});

test('the first signal is the exit code, a second one ends the process', async () => {
  const listeners: [string, () => void][] = [];
  const exits: number[] = [];
  const ended = endingSignal({ ...proc(), on: (event, listener) => void listeners.push([event, listener]), exit: (code) => void exits.push(code) });
  const signal = (name: string): void => listeners.filter(([event]) => event === name).forEach(([, listener]) => listener());
  signal('SIGTERM');
  assert.deepEqual(exits, []);
  signal('SIGINT');
  signal('SIGTERM');
  assert.deepEqual([await ended, exits], [143, [130, 143]]);
  assert.deepEqual(listeners.map(([event]) => event), ['SIGINT', 'SIGTERM']);
});

test('the login of judge.json: only for its own origin, over TLS or on this machine, with values that are set', async () => {
  const login = { server: 'https://a.example/mcp', tokenVariable: 'TOKEN' };
  assert.deepEqual(await judgeLogin(login, 'https://a.example/other', { TOKEN: 'abc' }), { headers: { authorization: 'Bearer abc' }, secrets: ['abc'] });
  assert.deepEqual((await judgeLogin({ ...login, server: 'http://localhost:1' }, 'http://localhost:1/mcp', { TOKEN: 'abc' })).secrets, ['abc']);
  for (const [url, env, why] of [
    ['https://b.example/', { TOKEN: 'abc' }, '--items: its login is for https://a.example, and the server is at https://b.example'], ['https://a.example/', {}, '--items: the variable that login.tokenVariable names is not set'], ['https://a.example/', { TOKEN: '' }, '--items: the variable that login.tokenVariable names is not set'],
    ...['a b', 'a\n', 'ä', ' a'].map((token) => ['https://a.example/', { TOKEN: token }, '--items: the variable that login.tokenVariable names has no token'] as const),
  ] as const) await assert.rejects(judgeLogin(login, url, env), { message: why }, url);
  await assert.rejects(judgeLogin({ ...login, server: 'http://a.example' }, 'http://a.example/mcp', { TOKEN: 'abc' }), { message: '--items: a token is not sent to http://a.example without TLS' });
  const client = { server: 'https://a.example', clientIdVariable: 'ID', clientSecretVariable: 'SECRET', issuer: 'https://as.example' };
  await assert.rejects(judgeLogin(client, 'https://a.example/', { SECRET: 'x' }), { message: '--items: the variable that login.clientIdVariable names is not set' });
  await assert.rejects(judgeLogin(client, 'https://a.example/', { ID: 'x' }), { message: '--items: the variable that login.clientSecretVariable names is not set' });
});
