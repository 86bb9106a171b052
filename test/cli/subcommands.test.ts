import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { commands } from '../../src/cli/commands.ts';
import { RpcError } from '../../src/jsonrpc/errors.ts';
import { McpServer } from '../../src/server/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { everyNth } from '../every-nth.ts';
import { fixture } from './fixture.ts';
import { inProcess } from './in-process.ts';
import type { InProcess, Ran } from './in-process.ts';

// What each subcommand prints, and which words it refuses.
const home = realpathSync(mkdtempSync(join(tmpdir(), 'barewire-subcommands-')));
test.after(() => rmSync(home, { recursive: true, force: true }));

const run = (words: readonly string[], { env, ...how }: InProcess = {}): ReturnType<typeof inProcess> => inProcess(words, { cwd: home, ...how, env: { BAREWIRE_HOME: join(home, 'own'), HOME: home, XDG_CONFIG_HOME: home, ...env } });

async function served(t: { after(end: () => Promise<void>): void }, server: McpServer): Promise<string> {
  const serving = await serveHttp(server);
  t.after(() => serving.close({ drainMs: 0 }));
  return serving.url;
}

async function refused(cases: readonly (readonly [words: readonly string[], why: RegExp, code?: number])[]): Promise<void> {
  for (const [words, why, wanted = 2] of cases) {
    const { code, out, err } = await run(words);
    assert.deepEqual([code, out], [wanted, ''], `${words.join(' ')}: ${err}`);
    assert.match(err, why, words.join(' '));
    assert.equal(/^barewire --help says how it is used\.$/m.test(err), wanted === 2);
  }
}

test('watch: each change is one line with its time, until so many were told or Ctrl-C', async (t) => {
  const server = new McpServer({ name: 'watched', version: '1' });
  server.resource('a:b', { name: 'a' }, () => 'x');
  server.tool('one', {}, () => 'x');
  const url = await served(t, server);
  let told = false;
  const change = (err: string): void => {
    if (told || !err.includes('Ctrl-C ends it.')) return;
    told = true;
    setImmediate(() => server.resourceUpdated('a:b'));
  };
  const once = await run(['watch', '--count', '1', url, 'a:b'], { onErr: change });
  assert.equal(once.code, 0, once.err);
  assert.match(once.out, /^\d{4}-\d\d-\d\dT[\d:.]+Z {2}a:b changed\n$/);
  assert.equal(once.err, 'Watching a:b and the lists; Ctrl-C ends it.\n');
  told = false;
  const lists = await run(['watch', url], {
    onErr(err, signal) {
      if (told || !err.includes('Watching the lists; Ctrl-C ends it.\n')) return;
      told = true;
      setImmediate(() => signal('SIGINT'));
    },
  });
  assert.deepEqual([lists.code, lists.out], [0, '']);
});

test('watch --json: a line of JSON for each change, and no other words', async (t) => {
  const server = new McpServer({ name: 'watched', version: '1' });
  server.tool('one', {}, () => 'x');
  let subscribed: () => void = () => {};
  const watching = new Promise<void>((resolve) => (subscribed = resolve));
  server.resource('a:b', { name: 'a' }, () => 'x');
  const serving = await serveHttp(server, { trace: (entry) => {
    if ('text' in entry && entry.direction === 'received' && entry.text.includes('resources/subscribe')) subscribed();
  } });
  t.after(() => serving.close({ drainMs: 0 }));
  const ran = run(['watch', '--json', '--count', '2', '--revision', '2025-06-18', serving.url, 'a:b']);
  await watching;
  server.tool('two', {}, () => 'x');
  server.resourceUpdated('a:b');
  const { code, out, err } = await ran;
  assert.deepEqual([code, err], [0, '']);
  const lines = out.trimEnd().split('\n').map((line) => JSON.parse(line) as { at: number; changed?: string; updated?: string });
  assert.deepEqual(new Set(lines.map(({ at, ...line }) => `${typeof at} ${JSON.stringify(line)}`)), new Set(['number {"changed":"tools"}', 'number {"updated":"a:b"}']));
});

/** A package that prints its words. */
function companion(folder: string, name: string, code: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, type: 'module', exports: { '.': { default: './main.js' } } }));
  writeFileSync(join(folder, 'main.js'), code);
  return folder;
}

test('page and learn: the package of --package gets the other words; a folder that is not the package runs nothing', async () => {
  const at = join(home, 'companions');
  const ran = join(at, 'ran');
  const code = `import { writeFileSync } from 'node:fs';\nexport const main = async (words) => (writeFileSync(${JSON.stringify(ran)}, JSON.stringify(words)), 7);\n`;
  const said = (): unknown => JSON.parse(readFileSync(ran, 'utf8'));
  for (const [command, name] of [['page', 'barewire-page'], ['learn', 'barewire-learn']] as const) {
    const folder = companion(join(at, name), name, code);
    for (const words of [['a', '--package', folder, 'b'], ['a', 'b', `--package=${folder}`], ['--package', folder, 'a', 'b']]) {
      const { code: ended, out, err } = await run([command, ...words]);
      assert.deepEqual([ended, out, err], [7, '', ''], words.join(' '));
      assert.deepEqual(said(), ['a', 'b']);
    }
    await run([command, `--package=${folder}`, '--', 'x', '--package', 'y']);
    assert.deepEqual(said(), ['--', 'x', '--package', 'y']);
    rmSync(ran);
    for (const other of [at, join(at, 'none'), companion(join(at, `other-${command}`), 'other', code)]) {
      const { code: ended, out, err } = await run([command, '--package', other]);
      assert.deepEqual([ended, out, err], [2, '', `barewire: ${other} is not the package ${name}\n`]);
    }
    assert.throws(said);
    const empty = companion(join(at, `empty-${command}`), name, 'export const main = 5;\n');
    assert.equal((await run([command, '--package', empty])).err, `barewire: ${empty} is not the package ${name}\n`);
    await refused([[[command, '--package'], /--package takes a folder/], [[command, '--package='], /--package takes a folder/], [[command, '--package', '--', 'x'], /--package takes a folder/]]);
    const missing = await run([command, 'a']);
    assert.match(missing.err, new RegExp(`^barewire: the \\w+ is a separate package, and is not installed next to barewire \\(npm install ${name}\\); --package names its folder\\n$`));
    assert.equal(missing.code, 2);
  }
  // The package of a parent folder is not that of the folder.
  const inner = join(at, 'repository/inner');
  mkdirSync(inner, { recursive: true });
  companion(join(at, 'repository/node_modules/barewire-page'), 'barewire-page', code);
  assert.match((await run(['page', '--package', inner])).err, /is not the package barewire-page/);
});

test('complete: the values, and that there are more', async (t) => {
  const server = new McpServer({ name: 'completing', version: '1' });
  const values = Array.from({ length: 150 }, (_, at) => `v${at}`);
  server.prompt('p', { arguments: { a: { complete: (value) => values.filter((one) => one.startsWith(value)) }, b: { complete: (value, settled) => [`${settled['a'] ?? ''}\u001b${value}`] } } }, () => 'x');
  server.resourceTemplate('a://{x}', { name: 'x', complete: { x: () => ['y'] } }, () => 'x');
  const url = await served(t, server);
  const { out } = await run(['complete', url, 'p', 'a=v']);
  assert.equal(out, `${values.slice(0, 100).join('\n')}\n… and more (150 in all)\n`);
  assert.equal((await run(['complete', url, 'p', 'a=v1', 'b=w'])).out.split('\n').length - 1, values.filter((one) => one.startsWith('v1')).length);
  assert.equal((await run(['complete', url, 'p', 'b=w=', 'a=1'])).out, '1\\x1bw=\n');
  assert.equal((await run(['complete', url, 'a://{x}', 'x='])).out, 'y\n');
  assert.deepEqual(JSON.parse((await run(['complete', '--json', url, 'a://{x}', 'x='])).out), { values: ['y'], total: 1, hasMore: false });
  await refused([[['complete', url, 'p'], /expected a prompt or template and an argument/], [['complete', url], /expected a prompt or template and an argument/], [['complete', url, 'p', 'a'], /a: an argument is name=beginning/], [['complete', url, 'p', '=a'], /=a: an argument is name=beginning/]]);
});

test('list: tables with title, hints, templates and prompts; one item whole; names that are nearly right', async (t) => {
  const server = new McpServer({ name: 'listed', title: 'A title\u001b', version: '1\u001b' });
  server.tool('reads', { description: 'One\ntwo', annotations: { readOnlyHint: true } }, () => 'x');
  server.tool('changes', { annotations: { destructiveHint: false } }, () => 'x');
  server.tool('destroys', {}, () => 'x');
  server.resource('a:b', { name: 'n', title: 'T' }, () => 'x');
  server.resource('a:c', { name: 'n2' }, () => 'x');
  server.resourceTemplate('a://{x}', { name: 'tn', title: 'TT' }, () => 'x');
  server.resourceTemplate('b://{x}', { name: 'tn2' }, () => 'x');
  server.prompt('p', { description: 'Prompts\nmore', arguments: { a: { required: true }, b: {} } }, () => 'x');
  const url = await served(t, server);
  assert.equal((await run(['list', '--revision', '2025-11-25', url])).out, [
    'A title\\x1b 1\\x1b, revision 2025-11-25', '',
    'Tools (3)', 'name      hints        description', '────────  ───────────  ───────────', 'reads     reads        One', 'changes   changes', 'destroys  may destroy', '',
    'Resources (2)', 'uri  name', '───  ────', 'a:b  T', 'a:c  n2', '', 'Templates (2)', 'template  name', '────────  ────', 'a://{x}   TT', 'b://{x}   tn2', '',
    'Prompts (1)', 'name  arguments  description', '────  ─────────  ───────────', 'p     a b?       Prompts', '',
  ].join('\n'));
  const names = (json: string): Record<string, unknown> => Object.fromEntries(Object.entries(JSON.parse(json) as object).map(([kind, items]) => [kind, Array.isArray(items) ? items.map(({ name }: { name: string }) => name) : items]));
  const json = names((await run(['list', '--json', '--revision', '2025-11-25', url, 'templates', 'resources'])).out);
  assert.deepEqual([json['revision'], json['tools'], json['resources'], json['templates'], json['prompts'], json['skills']], ['2025-11-25', [], ['n', 'n2'], ['tn', 'tn2'], [], []]);
  assert.equal((await run(['list', url, 'resources', 'a:b', 'n2'])).out, 'uri: a:b\nname: n\ntitle: T\n\nuri: a:c\nname: n2\n');
  assert.deepEqual(names((await run(['list', '--json', url, 'templates', 'b://{x}'])).out)['templates'], ['tn2']);
  await refused([
    [['list', url, 'x'], /x is not a kind; there are tools, resources, templates, prompts, skills/], [['list', url, 'tools', 'prompts', 'reads'], /reads is not a kind/], [['list', url, 'tool'], /tool is not a kind; did you mean tools\?/],
    [['list', url, 'templates', 'zzzzzzzz'], /among the templates there is no zzzzzzzz; there are tn, a:\/\/\{x\}, tn2, b:\/\/\{x\}$/m], [['list', url, 'tools', 'read'], /among the tools there is no read; did you mean reads\?/], [['list', url, 'skills', 'x'], /among the skills there is no x; there are none/],
  ]);
});

test('call, read, get and types refuse what is missing or too much, before a server is asked', async (t) => {
  const url = await served(t, fixture());
  await refused([
    [['call', url], /the name of a tool is missing/], [['read', url], /expected one URI/], [['read', url, 'a:b', 'c:d'], /expected one URI/], [['get', url], /the name of a prompt is missing/], [['get', url, 'greet', 'x'], /x: an argument of a prompt is key=value/],
    [['call', url, 'zzzzzzzz'], /there is no tool zzzzzzzz; there are echo, wipe, /], [['list'], /a server is missing: an address, a socket, a name from the configuration, or -- and a program/], [['list', '--'], /a program is missing after --/],
    [['list', 'http://['], /http:\/\/\[ is not an address/], [['list', 'nobody'], /no server is called nobody; no configuration was found\. A program follows "--"\./], [['list', '--timeout', '0', url], /--timeout takes a number of seconds/], [['list', '--timeout', '86401', url], /--timeout takes a number of seconds/],
    [['list', '--from', 'emacs', 'x'], /--from takes one of claude-desktop, claude-code, vscode, cursor/], 
    [['accept', 'a', 'b'], /expected one file/], [['accept'], /there is no file \.mcp\.json/], [['pins', '--accept'], /--accept needs the tools to accept, as SERVER\/TOOL/], [['log', '--file', join(home, 'none')], /there is no activity log at /],
    [['login'], /an address is missing, or a name from the configuration/], [['login', 'http://['], /http:\/\/\[ is not an address/], [['login', 'nobody'], /no server is called nobody/], [['whoami', 'nobody'], /no server is called nobody/],
    [['bridge', url, 'x'], /bridge takes one server; unexpected: x/], [['bridge', '--tokens', 'x', url], /--tokens, --issuer and --resource need --port/], [['bridge', '--resource', 'x', url], /need --port/], [['bridge', '--issuer', 'x', url], /need --port/],
    [['bridge', '--port', '0', '--tokens', 'x', '--issuer', 'y', url], /--tokens and --issuer exclude each other/], [['bridge', '--port', '0', '--issuer', 'y', url], /--issuer needs --resource, or a --port that is not 0/], [['bridge', '--port', '65536', url], /--port takes a number from 0 to 65535/],
    [['bridge', '--children', '0', url], /--children takes a number from 1 to 100000/], [['bridge', '--idle', '0', url], /--idle takes a number from 0\.1 to 86400/], [['bridge', '--away', '86401', url], /--away takes a number from 0\.1 to 86400/],
    [['bridge', '--baud', '9600', url], /--baud needs --serial/], [['bridge', '--framing', 'lines', url], /--framing needs --serial/], [['bridge', '--mtu', '20', url], /--mtu needs --serial/], [['bridge', '--serial', '/dev/null', '--', 'node'], /--serial replaces a program/],
    [['bridge', '--serial', '/dev/null', '--baud', '49'], /--baud takes a number from 50 to 4000000/], [['bridge', '--serial', '/dev/null', '--mtu', '257'], /--mtu takes a number from 20 to 256/], [['bridge', '--serial', '/dev/null', '--framing', 'lines', '--mtu', '20'], /--mtu is for frames/],
    [['bridge', '--serial', '/dev/null', '--framing', 'x'], /--framing takes frames or lines, not x/], [['bridge', '--serial', '/dev/null', '--revision', 'x'], /--revision takes one of/], [['bridge', '--serial', '/dev/null', 'x'], /bridge takes one server; unexpected: x/],
    [['record', 'x'], /record needs a file, and an address, a name from the configuration, or a program after --/], [['record'], /record needs a file/], [['record', 'a', 'b', '--', 'node'], /record needs a file/], [['record', join(home, 'none/x.wire'), '--', 'node'], /ENOENT/], [['record', 'x.http', '--', 'node'], /FILE\.http is for an address; a program or a socket gets FILE\.wire/],
    [['replay'], /the file of a transcript is missing/], [['trace', '--to', join(home, 'none/x'), '--', 'node'], /ENOENT/], [['serve'], /serve takes one folder/], [['serve', join(home, 'none')], /there is no folder /], [['serve', home, '--port', '65536'], /--port takes a number from 0 to 65535/],
    [['serve', home, '--memory', '15'], /--memory takes a number from 16 to 1000000/], [['serve', home, '--processes', '0'], /--processes takes a number from 1 to 100000/], [['serve', home, '--time', '0'], /--time takes a number from 0\.1 to 86400/],
    [['install', 'cursor', 'a', 'b'], /unexpected: b/], [['install', 'cursor', 'a', '--', 'node'], /unexpected: a/], [['install', 'cursor', '--remove'], /the name of the server is missing/], [['install'], /install takes one of claude-desktop, claude-code, vscode, cursor$/m], [['install', 'cursor', '--', 'node'], /the name of the server is missing/], [['install', 'cursor'], /an address is missing, or -- and a program/],
    [['config'], /./], [['config', 'nonsense'], /./], [['config', 'remove'], /remove takes the name of one server/], [['config', 'remove', 'a', 'b'], /remove takes the name of one server/], [['config', 'add', 'a', 'http://x/', 'b'], /unexpected: b/], [['config', 'add', 'a', 'b', '--', 'node'], /unexpected: b/], [['config', 'add', '_', 'http://x/'], /a name is up to 64/],
    [['lock', '--timeout', '0'], /--timeout takes a number of seconds/], [['lock', '--timeout', '86401'], /--timeout takes a number of seconds/], [['lock', '--recording', 'x', 'a'], /--recording needs --check and the name of one server in the lock/], [['lock', '--recording', 'x', '--check'], /--recording needs --check/], [['lock', '--recording', 'x', '--check', 'a', 'b'], /--recording needs --check/],
    [['lock', 'nobody'], /no server is called nobody; there are none/], [['host'], /no server is configured; see --config and --from/],
  ]);
});

test('call: log messages of the server in frames, from warning on; --verbose shows all; an error response is red and has its data in JSON', async (t) => {
  const server = new McpServer({ name: 'logging', version: '1' });
  server.tool('logs', { annotations: { readOnlyHint: true } }, (_args, ctx) => {
    ctx.log('debug', 'low');
    ctx.log('warning', 'words\u001b');
    ctx.log('error', { a: 1 });
    return 'x';
  });
  server.tool('refuses', { annotations: { readOnlyHint: true } }, () => { throw new RpcError(-32001, 'not\u001b now', { why: 'x' }); });
  const url = await served(t, server);
  const logs = (err: string): string[] => err.split('\n').filter((line) => line.includes('│'));
  assert.deepEqual(logs((await run(['call', url, 'logs'])).err), ['warning │ words\\x1b', 'error │ {"a":1}']);
  assert.deepEqual(logs((await run(['call', '--verbose', url, 'logs'])).err), ['debug │ low', 'warning │ words\\x1b', 'error │ {"a":1}']);
  const refuses = await run(['call', url, 'refuses']);
  assert.deepEqual([refuses.code, refuses.err], [1, 'refuses is called, because the server says that it only reads.\nThe server answered with error -32001:\n│ not\\x1b now\n']);
  const json = await run(['call', '--json', url, 'refuses']);
  assert.deepEqual([json.code, json.err, JSON.parse(json.out)], [1, '', { error: { code: -32001, message: 'not\u001b now', data: { why: 'x' } } }]);
  const red = await run(['call', url, 'refuses'], { columns: 80, env: { NO_COLOR: undefined, FORCE_COLOR: '1' } });
  assert.ok(red.bytes.includes('\u001b[31mThe server answered with error -32001:\u001b[39m'));
  for (const words of [['--no-color'], ['--json']]) assert.ok(!(await run(['call', ...words, url, 'refuses'], { columns: 80, env: { NO_COLOR: undefined, FORCE_COLOR: '1' } })).bytes.includes('\u001b[3'), words.join());
});

test('a program that writes to stderr: its lines are counted after a failure only, and its last one is a reason', async () => {
  const says = (lines: number, result: string): string[] => ['--', process.execPath, '-e', `
for (let at = 0; at < ${lines}; at++) console.error('line ' + at);
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize' ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } : method === 'tools/list' ? { tools: [{ name: 't', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] } : ${result};
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...method === 'server/discover' ? { error: { code: -32601, message: 'no' } } : { result } }));
});`];
  const called = (lines: number, result: string): Promise<Ran> => run(['call', 't', ...says(lines, result)]);
  const head = 't is called, because the server says that it only reads.\n';
  assert.equal((await called(1, '{ content: [], isError: true }')).err, `${head}The server wrote 1 line to stderr: --verbose shows them.\n`);
  assert.equal((await called(2, '{ content: [], isError: true }')).err, `${head}The server wrote 2 lines to stderr: --verbose shows them.\n`);
  assert.equal((await called(2, '{ content: [] }')).err, head);
  const gone = await run(['list', '--', process.execPath, '-e', 'console.error("the reason"); process.exit(3)']);
  assert.equal(gone.code, 4);
  assert.ok(gone.err.endsWith('\n│ the reason\n'), gone.err);
});

test('each option that a command accepts is in its help, and others are refused: none is ignored', async () => {
  const mentioned = new Map<string, readonly string[]>();
  for (const [name, { load }] of Object.entries(commands)) {
    // The tour has a parser of its own; the page and the course are other packages; completion takes one word.
    if (['tour', 'page', 'learn', 'completion'].includes(name)) continue;
    mentioned.set(name, (await load()).command.options.flatMap(([words]) => words.match(/--[a-z][a-z-]*/g) ?? []));
  }
  const step = everyNth(12);
  const all = [...new Set([...mentioned.values()].flat())];
  assert.ok(all.length > 60 && mentioned.size === 24, `${all.length} of ${mentioned.size}`);
  for (const [name, own] of mentioned) {
    for (const [at, option] of all.entries()) {
      const has = own.includes(option);
      if (!has && at % step !== 0) continue;
      // No command takes this word: it does nothing.
      const { code, out, err } = await run(['log', 'host'].includes(name) ? [name, option, '/none/such'] : [name, '/none/such', option]);
      assert.equal(err.includes(`there is no option ${option}`), !has, `${name} ${option}: ${err}`);
      if (!has) assert.deepEqual([code, out], [2, '']);
    }
  }
});

test('options that have no effect beside others are refused', async (t) => {
  const url = await served(t, fixture());
  const wire = join(home, 'some.wire');
  writeFileSync(wire, 'Nothing.\n');
  mkdirSync(join(home, 'own'), { recursive: true });
  writeFileSync(join(home, 'own/servers.json'), JSON.stringify({ mcpServers: { mine: { url } } }));
  t.after(() => rmSync(join(home, 'own/servers.json')));
  await refused([
    [['call', '--header', 'A: b', 'x', '--', 'node'], /--header is for an address, and this is a program/], [['trace', '--port', '1', '--', 'node'], /--port is for an address/], [['record', '--port', '1', join(home, 'x.wire'), '--', 'node'], /--port is for an address/],
    ...['config', 'from', 'header', 'env', 'cwd'].map((option) => [['bridge', '--serial', '/dev/null', `--${option}`, 'A=1'], new RegExp(`--${option} is for another target than --serial`)] as const),
    ...['config', 'from', 'header', 'env', 'cwd', 'timeout'].map((option) => [['replay', wire, `--${option}`, '1'], new RegExp(`--${option} is for a TARGET`)] as const), [['replay', wire, '--json'], /--json is for a TARGET/],
    [['replay', wire, '--ignore', 'x'], /--ignore needs --exact or a TARGET/], [['replay', wire, '--exact', url], /--exact is for a mock server/],
    [['lock', '--json'], /--json needs --check/],
    [['log', '--verify', '--server', 'x'], /--server has no effect with --verify/], [['serve', home, '--json'], /--json needs --check/], [['serve', home, '--check', '--port', '1'], /--port has no effect with --check/],
    ...['env', 'header', 'cwd', 'include', 'exclude', 'from'].map((option) => [['config', 'remove', 'a', `--${option}`, 'x'], new RegExp(`--${option} has no effect on config remove`)] as const),
    ...['env', 'header', 'cwd', 'include', 'exclude'].map((option) => [['config', 'import', '--from', 'cursor', `--${option}`, 'x'], new RegExp(`--${option} has no effect on config import`)] as const),
    [['config', 'add', 'a', 'http://x/', '--from', 'cursor'], /--from has no effect on config add/], [['config', 'path', '--yes'], /--yes has no effect on config path/], [['config', 'path', 'x'], /unexpected: x/],
    ...['env', 'header', 'cwd'].flatMap((option) => [[['install', 'cursor', 'mine', `--${option}`, 'A=1'], new RegExp(`--${option} is for a program or an address of the command line`)], [['install', 'cursor', '--remove', 'mine', `--${option}`, 'A=1'], new RegExp(`--${option} has no effect with --remove`)]] as const),
  ]);
});

test('a server that does not answer in time is named, without the place in our code', async (t) => {
  const server = new McpServer({ name: 'silent', version: '1' });
  server.tool('never', { annotations: { readOnlyHint: true } }, (_args, { signal }) => new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('x'))));
  const url = await served(t, server);
  const { code, out, err } = await run(['call', url, 'never', '--timeout', '0.3']);
  assert.deepEqual([code, out, err], [1, '', `never is called, because the server says that it only reads.\nbarewire: ${url} did not answer in time\n│ tools/call: no answer within 300 ms\n`]);
});

test('help: the options that a command does not have are not listed', async () => {
  const options = async (name: string): Promise<string[]> => [...(await run([name, '--help'])).out.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option = '']) => option);
  for (const name of ['doctor', 'judge']) assert.deepEqual(['--json', '--timeout', '--defaults'].map((await options(name)).includes.bind(await options(name))), [true, true, false], name);
  assert.deepEqual(['--json', '--timeout', '--defaults'].map((await options('types')).includes.bind(await options('types'))), [false, true, false]);
  assert.deepEqual((await run(['--help'])).out, (await run(['-h'])).out);
  assert.deepEqual((await run(['help'])).out, (await run(['--help'])).out);
});
