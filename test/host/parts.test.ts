import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { Approvals } from '../../src/host/approvals.ts';
import { checkConfig, expandVariables, readServers, variablesIn } from '../../src/host/config.ts';
import { fitsLoosely, kindOf, normal, patternOf, readLocation } from '../../src/host/locations.ts';
import { hanging } from '../../src/host/node/lines.ts';
import { chosenConfigFiles, configFiles } from '../../src/host/node/config-files.ts';
import { diffTools } from '../../src/host/pins.ts';
import { checkRule, deniesAnyCall, rule, withDefaults } from '../../src/host/rules.ts';
import type { Rule, RuledCall } from '../../src/host/rules.ts';

// The deciding parts of the host, one by one.

const shown = { server: 's', tool: 't', digest: 'd', args: { a: 1 }, principal: 'p' };

test('an approval is for exactly what was shown, once, until its time has passed', async () => {
  const clock = manualClock();
  const approvals = new Approvals(clock, 1000);
  const id = await approvals.approve(shown);
  for (const other of [{ server: 'x' }, { tool: 'x' }, { digest: 'x' }, { principal: 'x' }, { args: { a: 2 } }]) {
    assert.equal(await approvals.spend(await approvals.approve(shown), { ...shown, ...other }), false, JSON.stringify(other));
  }
  assert.equal(await approvals.spend(id, shown), true);
  assert.equal(await approvals.spend(id, shown), false, 'it is used up');
  assert.equal(await approvals.spend('none', shown), false);
  const [late, intime] = [await approvals.approve(shown), await approvals.approve(shown)];
  clock.tick(clock.now() + 999);
  assert.equal(await approvals.spend(intime, shown), true);
  clock.tick(clock.now() + 1);
  assert.equal(await approvals.spend(late, shown), false);
  assert.notEqual(id, late);
});

test('a grant is for one tool of one server with one definition, and for one principal', () => {
  const approvals = new Approvals(manualClock(), 1000, [{ server: 's', tool: 't', digest: 'd', principal: 'p', at: 1 }]);
  assert.equal(approvals.granted(shown), true);
  for (const other of [{ server: 'x' }, { tool: 'x' }, { digest: 'x' }, { principal: 'x' }]) assert.equal(approvals.granted({ ...shown, ...other }), false, JSON.stringify(other));
  approvals.grant({ server: 's2', tool: 't', digest: 'd', principal: 'p', at: 2 });
  assert.equal(approvals.granted({ ...shown, server: 's2' }), true);
  assert.equal(approvals.revoke(({ server }) => server === 's'), 1);
  assert.deepEqual(approvals.grants.map(({ server }) => server), ['s2']);
  assert.equal(approvals.revoke(() => false), 0);
});

// [text, plain, certain, how programs may read it; ` < ` stands before the path whose `..` the system resolves, U before a text that is not
// a path]
const readings: readonly (readonly [string, boolean, boolean, readonly string[]])[] = [
  ['/a/b', true, true, ['/a/b']],
  ['a/b', true, true, ['a/b']],
  ['/a/../b', false, true, ['/b < /a/../b']],
  ['../a', false, true, ['../a']],
  ['a/../../b', false, true, ['../b < a/../../b']],
  ['./a//b/', true, true, ['a/b < ./a//b/']],
  ['C:/a', false, true, ['C:/a']],
  ['C:\\a\\b', false, true, ['C:\\a\\b', 'C:/a/b']],
  ['\\\\?\\C:\\a', false, true, ['\\\\?\\C:\\a', '\\\\', '/?/C:/a < //?/C:/a', '/ < //', 'C:/a']],
  ['/C:/a', true, true, ['/C:/a', 'C:/a']],
  ['file:///a/b', true, true, ['/a/b', '/a/b < //a/b']],
  ['file://localhost/a', true, true, ['/a', '/a < //a']],
  ['file:a', false, true, ['a', '/a']],
  ['file:/a', false, true, ['/a', '/a < //a']],
  ['file://host/a', true, true, ['/a', '/a < //a', 'U file://host/a', '/host/a', 'host/a']],
  ['file:///C:/a', true, true, ['/C:/a', 'C:/a', '/C:/a < //C:/a']],
  ['file:///c|/a', true, true, ['/c|/a', 'c:/a', '/c|/a < //c|/a']],
  ['https://User@Host.example.:8443/a/../b?q#f', true, true, ['U https://host.example/b', 'U https://host.example.:8443/b', 'U https://User@host.example.:8443/b']],
  ['http://h', true, true, ['U http://h/']],
  ['ftp://h/x', true, true, ['U ftp://h/x']],
  ['ws://h/', true, true, ['U ws://h/']],
  ['ext:thing', false, true, ['U ext:thing']],
  ['Ext://Host/a/./b', false, true, ['U ext://host/a/b', '/a/b < /a/./b']],
  ['data:x', false, true, ['U data:x']],
  ['%2e%2e/a', false, false, ['%2e%2e/a', '../a']],
  ['/a%2fb', false, true, ['/a%2fb', '/a/b']],
  ['/a%252fb', false, true, ['/a%252fb', '/a%2fb', '/a/b']],
  ['/a%25252525252fb', false, false, []],
  [' /a', false, true, [' /a', '/a']],
  ['/a ', false, true, ['/a ', '/a']],
  ['~/a', false, false, ['~/a']],
  ['$HOME/a', false, false, ['$HOME/a']],
  ['%TEMP%/a', false, false, ['%TEMP%/a']],
  ['x~1', false, false, ['x~1']],
  ['/a\u0000b', false, false, ['/a\u0000b']],
  ['url:file:///a', false, false, ['U url:file:///a']],
  ['a?b', true, true, ['a?b', 'a']],
  ['a#b', true, true, ['a#b', 'a']],
  ['/proc/self/root/a', true, true, ['/proc/self/root/a']],
  ['http://[bad', true, false, []],
  ['/a\\b', false, true, ['/a\\b', '/a/b']],
  ['\uff0e\uff0e/a', false, true, ['\uff0e\uff0e/a', '../a']],
  ['/%zz', true, true, ['/%zz']],
  ['', true, true, ['']],
];

test('a location: each way in which a program may read a text', () => {
  for (const [text, plain, certain, expected] of readings) {
    const found = readLocation(text);
    assert.deepEqual([found.plain, found.certain], [plain, certain], JSON.stringify(text));
    assert.deepEqual(found.readings.map((one) => (one.path === undefined ? `U ${one.normal}` : one.path === one.normal ? one.normal : `${one.normal} < ${one.path}`)), expected, JSON.stringify(text));
  }
  assert.equal(readLocation(`/${'a'.repeat(8_191)}`).certain, true);
  assert.equal(readLocation(`/${'a'.repeat(8_192)}`).certain, false, 'a text that is too long is not read');
});

test('normal paths, patterns, kinds of locations', () => {
  for (const [path, expected] of [['', ''], ['/', '/'], ['/..', '/'], ['..', '..'], ['../..', '../..'], ['a/..', ''], ['a/../..', '..'], ['/a/./b//c/..', '/a/b'], ['a/b/../c', 'a/c']]) {
    assert.equal(normal(path ?? ''), expected, path);
  }
  for (const [text, expected] of [
    ['/a/*/../b', '/a/b'], ['C:\\a\\**', 'C:/a/**'], ['file:///a%20b/c', '/a b/c'], ['file://localhost/a', '/a'], ['file://other/a', 'file://other/a'], ['HTTPS://Host/a/../b%41?q', 'https://host/bA'],
    ['Ext://Host/A/./b', 'ext://host/A/b'], ['a//b', 'a/b'],
  ]) assert.equal(patternOf(text ?? ''), expected, text);
  assert.deepEqual(['/a', 'a', 'C:/a', '/c:/a', 'https://h/a', 'c:a', 'ext:a'].map(kindOf), ['absolute', 'relative', 'drive', 'drive', 'uri', 'relative', 'relative']);
  for (const [pattern, location, fits] of [
    ['/a/b', '/A/B', true], ['/a/b', '/a/b.', true], ['/a/b', '/a/b . ', true], ['/a/b', '/a/b:stream', true], ['/a/b', '/a/\u200bb', true], ['/a/\ufb01', '/a/FI', true], ['/a/*', '/a/b', true],
    ['/a/**', '/A/b/c', true], ['/a/b', '/a/c', false], ['/a/b', '/a/b/c', false], ['C:/a', 'c:/A', true], ['C:/a', 'D:/a', false], ['/a/b', '/a/ b', false], ['/a/b', '/a/./b', true],
  ] as const) assert.equal(fitsLoosely(pattern, location), fits, `${pattern} ${location}`);
});

const tool = { name: 'write_file', inputSchema: { type: 'object' } } as const;
const call = (args: Record<string, unknown>, more: Partial<RuledCall> = {}): RuledCall => ({ server: 'files', trusted: false, tool, args, ...more });
const ruled = async (one: Omit<Rule, 'then'>, given: RuledCall, resolve?: (path: string) => Promise<string | undefined>): Promise<string> => {
  const fits: string[] = [];
  for (const then of ['allow', 'deny'] as const) if ((await rule([{ ...one, then }], given, resolve)).at === 0) fits.push(then);
  return fits.join(' ');
};

test('a rule: server, tool and annotations', async () => {
  assert.equal(await ruled({}, call({})), 'allow deny');
  for (const [one, fits] of [[{ server: 'files' }, 'allow deny'], [{ server: 'f*s' }, 'allow deny'], [{ server: 'file' }, ''], [{ tool: 'write_*' }, 'allow deny'], [{ tool: 'read_*' }, '']] as const) assert.equal(await ruled(one, call({})), fits, JSON.stringify(one));
  // A server from a folder's file: `deny` matches its name, `allow` only its whole name.
  const folder = call({}, { identity: '/w/.mcp.json#files' });
  assert.deepEqual([await ruled({ server: 'files' }, folder), await ruled({ server: '/w/.mcp.json#files' }, folder), await ruled({ server: 'other' }, folder)], ['deny', 'allow deny', '']);
  const reads = { ...tool, annotations: { readOnlyHint: true } };
  assert.deepEqual([
    await ruled({ annotations: { readOnlyHint: true } }, call({}, { tool: reads })), await ruled({ annotations: { readOnlyHint: true } }, call({}, { tool: reads, trusted: true })),
    await ruled({ annotations: { readOnlyHint: true } }, call({}, { trusted: true })), await ruled({ annotations: { destructiveHint: true, openWorldHint: true, idempotentHint: false } }, call({}, { trusted: true })),
  ], ['deny', 'allow deny', '', 'allow deny']);
  assert.deepEqual(withDefaults(undefined), { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true });
  assert.deepEqual(await rule([{ then: 'ask', tool: 'x' }, { then: 'deny', tool: 'write_file' }, { then: 'allow' }], call({})), { verdict: 'deny', at: 1 });
  assert.deepEqual(await rule([], call({})), { verdict: 'ask', at: -1 });
});

test('a rule: what a tool can never do is known before its arguments', () => {
  const of = { server: 'files', trusted: false, tool };
  assert.equal(deniesAnyCall([{ then: 'allow', tool: 'x' }, { then: 'deny', server: 'files' }], of), 1);
  assert.equal(deniesAnyCall([{ then: 'deny', args: { path: 'x' } }, { then: 'deny' }], of), -1);
  assert.equal(deniesAnyCall([{ then: 'ask' }, { then: 'deny' }], of), -1);
  assert.equal(deniesAnyCall([{ then: 'deny', args: {} }], of), 0);
  assert.equal(deniesAnyCall([], of), -1);
});

test('a rule: arguments of each kind', async () => {
  const cases: [unknown, unknown, string][] = [
    ['a*', 'abc', 'allow deny'], ['a*', 'b', ''], ['a', 5, ''], [5, 5, 'allow deny'], [5, '5', ''], [null, null, 'allow deny'], [true, false, ''],
    [{ a: 1 }, { a: 1, b: 2 }, 'allow deny'], [{ a: 1 }, { b: 1 }, ''], [{ a: { b: 'x*' } }, { a: { b: 'xy' } }, 'allow deny'], [{ a: 1 }, 5, ''],
    [[1, 2], [1, 2], 'allow deny'], [[1, 2], [2, 1], ''], [[], [], 'allow deny'],
    ['a*', ['a1', 'a2'], 'allow deny'], ['a*', ['a1', 'b'], 'deny'], ['a*', ['b'], ''], ['a*', [], ''],
    // A pattern without a slash is one of text, whatever the text is.
    ['a*', 'a/b', 'allow deny'], ['*', '../b', 'allow deny'], ['a', 'x/../a', ''], ['a*', { path: 'a' }, ''],
    ['/a/**', { path: '/a/b' }, 'deny'], ['/a/**', 5, ''], ['/a/**', null, ''], [Infinity, Infinity, ''],
  ];
  for (const [wanted, given, fits] of cases) assert.equal(await ruled({ args: { x: wanted } }, call({ x: given })), fits, JSON.stringify([wanted, given]));
  assert.equal(await ruled({ args: { x: 'a' } }, call({ y: 'a' })), '', 'a missing argument fits nothing');
  assert.equal(await ruled({ args: { toString: '*' } }, call({})), '');
});

test('a rule: paths, by their readings and by their real place', async () => {
  const real = async (path: string): Promise<string | undefined> => (path.startsWith('/link') ? path.replace('/link', '/secret') : path.startsWith('/') ? path : undefined);
  const cases: [string, string, string, string][] = [
    // pattern, given, without a file system, with one
    ['/a/**', '/a/b', 'allow deny', 'allow deny'], ['/a/**', '/b', '', ''], ['/a/**', '/a/../b', 'deny', 'deny'], ['/a/**', 'a/b', 'deny', 'deny'], ['a/**', 'a/b', 'allow deny', 'deny'],
    // A place that was looked up and is unknown may be anywhere.
    ['a/**', 'b/c', '', 'deny'], ['/a/**', 'b/c', 'deny', 'deny'],
    ['/secret/**', '/link/x', '', 'deny'], ['/link/**', '/link/x', 'allow deny', 'allow deny'], ['/a/**', '/a/b%2f..', 'deny', 'deny'], ['/a/**', 'C:/a/b', 'deny', 'deny'],
    ['/a/**', 'https://h/a/b', '', ''], ['https://h/**', 'https://h/a', 'allow deny', 'allow deny'], ['https://h/**', 'h/a', 'deny', 'deny'], ['https://h/**', 'https://g/a', '', ''],
    ['/a/**', '/proc/self/cwd/x', 'deny', 'deny'], ['/a/**', '/dev/fd/3', 'deny', 'deny'], ['/a/**', '/process', '', ''], ['/a/**', '~/x', 'deny', 'deny'], ['/a/**', '/A/B', 'deny', 'deny'],
  ];
  for (const [pattern, given, without, within] of cases) {
    assert.equal(await ruled({ args: { path: pattern } }, call({ path: given })), without, `${pattern} ${given}`);
    assert.equal(await ruled({ args: { path: pattern } }, call({ path: given }), real), within, `${pattern} ${given}, resolved`);
  }
});

test('a rule: what no program can read is never allowed, and the pattern is followed through its links', async () => {
  // A URL that browsers reject is plain, and has no reading.
  assert.equal(await ruled({ args: { path: 'http://**' } }, call({ path: 'http://[bad' })), 'deny');
  assert.equal(await ruled({ args: { path: '/a/**' } }, call({ path: `/a/${'b'.repeat(9_000)}` })), 'deny');
  const asked: [string, string][] = [];
  const links: Readonly<Record<string, string>> = { '/home': '/data/home', '/': '/', '.': '/work', '/data/home/x': '/data/home/x', '/home/x': '/data/home/x', 'sub/x': '/work/sub/x', '/y': '/y' };
  const follow = async (path: string, server = ''): Promise<string | undefined> => {
    asked.push([path, server]);
    return links[path];
  };
  for (const [pattern, given, fits] of [
    // Each name of the folder allows and denies.
    ['/home/*', '/home/x', 'allow deny'], ['/home/*', '/data/home/x', 'allow deny'], ['/data/home/*', '/home/x', 'deny'], ['/data/home/*', '/data/home/x', 'allow deny'],
    // A pattern that begins with a star is relative to the root or to the server's own folder.
    ['/*/home/x', '/data/home/x', 'allow deny'], ['*/x', 'sub/x', 'allow deny'], ['sub/x', 'sub/x', 'allow deny'],
    // The pattern's folder cannot be resolved: the text itself counts.
    ['/none/*', '/home/x', ''], ['/none/*', '/none/y', 'deny'], ['/none/*', '/y', ''],
  ] as const) assert.equal(await ruled({ args: { path: pattern } }, call({ path: given }), follow), fits, `${pattern} ${given}`);
  assert.ok(asked.every(([, server]) => server === 'files'));
  assert.deepEqual([...new Set(asked.map(([path]) => path))].sort(), ['.', '/', '/data/home', '/data/home/x', '/home', '/home/x', '/none', '/none/y', '/y', 'sub/x']);
  // A URI is not resolved.
  asked.length = 0;
  await ruled({ args: { path: 'https://h/*' } }, call({ path: 'https://h/x' }), follow);
  assert.deepEqual(asked, []);
});

test('a rule that is malformed is refused by name', async () => {
  const refused: [object, RegExp][] = [
    [{}, /then/], [{ then: 'maybe' }, /then/], [{ then: 'allow', tools: 'x' }, /tools/], [{ then: 'allow', annotations: { readOnly: true } }, /readOnly/],
    [{ then: 'deny', args: { path: '~/x' } }, /args\.path is invalid, expected a whole path/], [{ then: 'deny', args: { a: { b: '~me/x' } } }, /args\.a\.b is invalid/],
  ];
  for (const [one, why] of refused) assert.throws(() => checkRule('rule', one as Rule), why, JSON.stringify(one));
  for (const pattern of ['~', 'a~/x', '~x']) checkRule('rule', { then: 'deny', args: { path: pattern } });
  await assert.rejects(rule([{ then: 'allow' }, {} as Rule], call({}, { server: 'x' })).then(() => rule([{} as Rule], call({}))), /rules\[0\]/);
});

const none = (): undefined => undefined;
const bad = (entry: unknown, folder?: string): string => {
  try {
    readServers({ mcpServers: { s: entry } }, none, folder);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : '';
  }
  return 'taken';
};

test('mcpServers: each member, and what of it is left out', () => {
  assert.deepEqual(readServers({ servers: { a: { command: 'c', args: ['x', '${A}'], env: { N: 5, B: true, E: '${env:A}' }, cwd: '${workspaceFolder}', disabled: true, trusted: true, roots: ['file:///w', { uri: 'file:///v', name: 'V' }], maxSampledTokens: 0, tools: { include: ['a'], exclude: ['b'] } } } }, (name) => `<${name}>`), {
    a: { command: 'c', args: ['x', '<A>'], env: { N: '5', B: 'true', E: '<A>' }, cwd: '<workspaceFolder>', disabled: true, trusted: true, roots: [{ uri: 'file:///w' }, { uri: 'file:///v', name: 'V' }], maxSampledTokens: 0, tools: { include: ['a'], exclude: ['b'] } },
  });
  assert.deepEqual(readServers({ mcpServers: { a: { command: 'c', trusted: true, roots: ['file:///'], maxSampledTokens: 5, disabled: false, tools: ['x'] } } }, none, '/w/.mcp.json'), { a: { command: 'c', args: [], folder: '/w/.mcp.json' } }, 'what only the user may set');
  assert.deepEqual(readServers({ mcpServers: { a: { serverUrl: 'https://h/', headers: { X: 1 } } } }, none), { a: { url: 'https://h/', headers: { X: '1' } } });
  assert.deepEqual(readServers({}, none), {});
  const inherited = readServers(JSON.parse('{"mcpServers": {"__proto__": {"command": "c"}}}'), none);
  assert.deepEqual(Object.keys(inherited), ['__proto__']);
});

test('mcpServers: what is wrong, and where', () => {
  const cases: [unknown, string][] = [
    [null, 'mcpServers.s: expected an object, got null'], [[], 'mcpServers.s: expected an object, got an array'], ['x', 'mcpServers.s: expected an object, got a string'],
    [{ command: 5 }, 'mcpServers.s.command: expected a string, got a number'], [{ command: 'c', args: 'x' }, 'mcpServers.s.args: expected an array, got a string'], [{ command: 'c', args: ['a', 5] }, 'mcpServers.s.args[1]: expected a string, got a number'],
    [{ command: 'c', env: [] }, 'mcpServers.s.env: expected an object, got an array'], [{ command: 'c', env: { A: null } }, 'mcpServers.s.env.A: expected a string, got null'], [{ command: 'c', cwd: 5 }, 'mcpServers.s.cwd: expected a string, got a number'],
    [{ command: 'c', url: 'https://h' }, 'mcpServers.s: "command" or "url", not both'], [{}, 'mcpServers.s: "command" or "url" is missing'],
    [{ url: 'ftp://h' }, 'mcpServers.s.url: expected an http or https address'], [{ url: 'http://' }, 'mcpServers.s.url: expected an http or https address'], [{ url: 'xhttp://h' }, 'mcpServers.s.url: expected an http or https address'],
    [{ command: 'c', disabled: 'no' }, 'mcpServers.s.disabled: expected true or false, got a string'], [{ command: 'c', trusted: 1 }, 'mcpServers.s.trusted: expected true or false, got a number'],
    [{ command: 'c', maxSampledTokens: -1 }, 'mcpServers.s.maxSampledTokens: expected a whole number, got a number'], [{ command: 'c', maxSampledTokens: 1.5 }, 'mcpServers.s.maxSampledTokens: expected a whole number, got a number'],
    [{ command: 'c', roots: 'x' }, 'mcpServers.s.roots: expected an array, got a string'], [{ command: 'c', roots: ['file:///a', 'https://h'] }, 'mcpServers.s.roots[1]: expected a file:// URI, got a string'], [{ command: 'c', roots: [{ name: 'x' }] }, 'mcpServers.s.roots[0]: expected a file:// URI, got a undefined'],
    [{ command: '${UNSET}' }, 'mcpServers.s.command: the variable UNSET is not set'], [{ command: 'c', args: ['${UNSET}'] }, 'mcpServers.s.args[0]: the variable UNSET is not set'], [{ command: 'c', env: { A: '${UNSET}' } }, 'mcpServers.s.env.A: the variable UNSET is not set'],
    [{ command: 'c', maxSampledTokens: 0 }, 'taken'], [{ command: '${UNSET:-}' }, 'taken'], [{ url: 'HTTPS://h' }, 'taken'],
  ];
  for (const [entry, said] of cases) assert.equal(bad(entry), said, JSON.stringify(entry));
  for (const [config, said] of [[null, 'the configuration: expected an object, got null'], [{ mcpServers: [] }, 'mcpServers: expected an object, got an array']] as const) {
    assert.throws(() => readServers(config, none), { code: 'bad-config', message: said });
  }
  assert.throws(() => checkConfig('c', { command: 'x', arg: [] } as never), /arg/);
  assert.throws(() => checkConfig('c', { headers: {} } as never), /url/);
  checkConfig('c', { url: 'https://h' });
});

test('variables: names, defaults, and where each stands', () => {
  const set = (name: string): string | undefined => (name === 'A' ? '1' : undefined);
  assert.equal(expandVariables('${A}-${B:-two}-${env:A}-${C:-}-$A-${1}-${A', set, 'x'), '1-two-1--$A-${1}-${A');
  assert.throws(() => expandVariables('${B}', set, 'here'), { message: 'here: the variable B is not set' });
  assert.deepEqual(variablesIn({ a: '${B} ${A}', b: ['${A:-x}', 5, null, { c: '${env:C}${workspaceFolder}' }] }), ['A', 'B', 'C']);
});

test('the files of each application, on each system', () => {
  const machine = (platform: string, env: Record<string, string> = {}): Parameters<typeof configFiles>[1] => ({ home: '/h', platform, cwd: '/w', env });
  const files = (...of: Parameters<typeof configFiles>): string[] => configFiles(...of).map(({ file, owner }) => `${owner} ${file}`);
  assert.deepEqual(files('claude-desktop', machine('darwin')), ['user /h/Library/Application Support/Claude/claude_desktop_config.json']);
  assert.deepEqual(files('claude-desktop', machine('win32', { APPDATA: '/d' })), ['user /d/Claude/claude_desktop_config.json']);
  assert.deepEqual(files('claude-desktop', machine('win32')), ['user /h/AppData/Roaming/Claude/claude_desktop_config.json']);
  assert.deepEqual(files('claude-desktop', machine('linux', { XDG_CONFIG_HOME: '/x', APPDATA: '/d' })), ['user /x/Claude/claude_desktop_config.json']);
  assert.deepEqual(files('vscode', machine('linux')), ['user /h/.config/Code/User/mcp.json', 'folder /w/.vscode/mcp.json']);
  assert.deepEqual(files('claude-code', machine('linux')), ['user /h/.claude.json', 'folder /w/.mcp.json']);
  assert.deepEqual(files('cursor', machine('linux')), ['user /h/.cursor/mcp.json', 'folder /w/.cursor/mcp.json']);
  const chosen = (config?: string): unknown => chosenConfigFiles({ config, home: '/b' }, machine('linux'));
  assert.deepEqual(chosen(), [{ file: '/b/servers.json', owner: 'user' }, { file: '/w/.mcp.json', owner: 'folder' }]);
  for (const [file, owner] of [['my.json', 'user'], ['.mcp.json', 'folder'], ['x.mcp.json', 'user'], ['sub/.MCP.json', 'folder'], ['.vscode/mcp.json', 'folder'], ['mcp.json', 'user'], ['.cursor/mcp.json', 'folder'], ['.mcp.json.bak', 'user']] as const) {
    assert.deepEqual(chosen(file), [{ file: `/w/${file}`, owner, required: true }]);
  }
  assert.deepEqual(chosenConfigFiles({ from: 'cursor', home: '/b' }, machine('linux')), configFiles('cursor', machine('linux')));
});

test('patterns: scheme and authority in any case, the rest resolved; a drive letter is no name', () => {
  assert.equal(patternOf('Git+SSH://Host.Example/a/./b/../c'), 'git+ssh://host.example/a/c');
  assert.equal(patternOf('s3://Bucket'), 's3://bucket');
  assert.equal(patternOf('s3:///a//b'), 's3:///a/b');
  assert.deepEqual([fitsLoosely('c:/a', 'C:/A'), fitsLoosely('c:/a', 'c/a'), fitsLoosely('c:/a', 'd:/a'), fitsLoosely('/a/x', '/a/x:stream')], [true, false, false, true]);
});

test('lines: a row that goes on is as wide as what is seen of it, whatever colours it holds', () => {
  for (const colour of ['\x1b[1m', '\x1b[36m', '\x1b[1;31m', '\x1b[m']) {
    // The coloured word moves to the next row, which has exactly 16 columns after the mark.
    assert.deepEqual(hanging(`${'a'.repeat(15)} ${colour}bbbb${'c'.repeat(14)}`, 20), [`${'a'.repeat(15)} `, `  ┆ ${colour}bbbb${'c'.repeat(12)}`, '  ┆ cc']);
  }
});

test('a change of a tool is shown by members, which are named by at most three names; each value and the whole are bounded', () => {
  const of = (inner: unknown): Parameters<typeof diffTools>[0] => ({ name: 't', inputSchema: { type: 'object', properties: { a: { b: { c: inner } } } } } as never);
  assert.deepEqual(diffTools(of(1), of(2)), ['- inputSchema.properties.a: {"b":{"c":1}}', '+ inputSchema.properties.a: {"b":{"c":2}}']);
  assert.deepEqual(diffTools(of(1), of(1)), []);
  assert.deepEqual(diffTools({ ...of(1), title: 'T' } as never, { ...of(1), description: 'D' } as never), ['+ description: "D"', '- title: "T"']);
  const many = (value: number): Parameters<typeof diffTools>[0] => ({ name: 't', inputSchema: { type: 'object', properties: Object.fromEntries(Array.from({ length: 103 }, (_, at) => [`p${at}`, value])) } } as never);
  const lines = diffTools(many(1), many(2));
  assert.deepEqual([lines.length, lines.at(-1)], [201, '… 6 lines more']);
  const [, long = ''] = diffTools({ ...of(1), title: 'a' } as never, { ...of(1), title: 'b'.repeat(10_500) } as never);
  assert.match(long, /^\+ title: "b{9999}… \(502 characters more\)$/);
});
