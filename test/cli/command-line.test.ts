import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { splitWords } from '../../src/cli/words.ts';
import { readOptions } from '../../src/cli/options.ts';
import { isHttp, isSocket, socketPath } from '../../src/cli/socket-target.ts';
import { checkedName, describedServer } from '../../src/cli/server-words.ts';
import { isLoopback } from '../../src/cli/loopback.ts';
import { atProgram } from '../../src/cli/program-words.ts';
import { commonOptions, numberOf, readRevisions, readWords, refuseGiven } from '../../src/cli/client-options.ts';
import { helpOf } from '../../src/cli/command.ts';
import { endOnOutputError } from '../../src/cli/output-errors.ts';
import { reportName, secretsInAddress } from '../../src/cli/report-name.ts';
import { randomOf } from '../random.ts';

// Words of a command line: how they are split, and what they mean.

test('a line is split into words like a shell does, except that quotes within a word and JSON stay', () => {
  for (const [line, words] of [
    ['', []], ['  ', []], ['a b', ['a', 'b']], [' a\tb ', ['a', 'b']], ["'a b' c", ['a b', 'c']], ['"a b"', ['a b']], ['""', ['']], ["x=''", ['x=']], ['x="a b" y', ['x=a b', 'y']],
    ['"a\\"b"', ['a"b']], ['"a\\\\b"', ['a\\b']], ['"a\\b"', ['a\\b']], ["'a\\'", ['a\\']], ['"it\'s"', ["it's"]], ["'a\"b'", ['a"b']], ['a"b', ['a"b']], ["it's", ["it's"]], ['a\\ b', ['a b']], ['\\', ['']], ['\\"a', ['"a']], ['a\\', ['a']],
    ['call x {"a": "b c"} ', ['call', 'x', '{"a": "b c"}']], ['k:=[1, 2] ', ['k:=[1, 2]']], ['[1, 2]', ['[1, 2]']], ['a{b c', ['a{b', 'c']], ['a[b c', ['a[b', 'c']], ['x y={"a": 1}', ['x', 'y={"a": 1}']], ['"a"b c', ['ab', 'c']],
  ] as const) assert.deepEqual(splitWords(line), words, line);
  assert.throws(() => splitWords('a "b'), { message: 'a " is not closed' });
  assert.throws(() => splitWords("'b"), { message: "a ' is not closed" });
});

const usual = {
  target: undefined, output: 'watch', revision: undefined, yes: false, allowed: [], strict: false, defaults: false, colour: undefined, fast: false, step: false, full: false, http: false, timeoutMs: 60_000,
};

test('the options of the tour: each sets its own, and the first other word begins the target', () => {
  for (const [words, sets] of [
    [[], {}], [['--json'], { output: 'json' }], [['--quiet'], { output: 'quiet' }], [['-q'], { output: 'quiet' }], [['--yes'], { yes: true }], [['-y'], { yes: true }], [['--strict'], { strict: true }],
    [['--defaults'], { defaults: true }], [['--allow', 'a', '--allow=b'], { allowed: ['a', 'b'] }], [['--fast'], { fast: true }], [['--step'], { step: true }], [['--full'], { full: true }], [['--http'], { http: true }],
    [['--no-color'], { colour: false }], [['--revision', '2025-06-18'], { revision: '2025-06-18' }], [['--revision=2025-06-18'], { revision: '2025-06-18' }], [['--timeout', '0.5'], { timeoutMs: 500 }], [['--timeout=86400'], { timeoutMs: 86_400_000 }],
    [['node', '--json'], { target: { kind: 'program', command: 'node', args: ['--json'] } }], [['--', '--json', 'x'], { target: { kind: 'program', command: '--json', args: ['x'] } }], [['--yes', '--'], { yes: true }],
    [['--http', 'node'], { http: true, target: { kind: 'program', command: 'node', args: [] } }],
    [['HTTP://127.0.0.1:1/mcp'], { target: { kind: 'address', url: 'HTTP://127.0.0.1:1/mcp' } }], [['https://x/mcp'], { target: { kind: 'address', url: 'https://x/mcp' } }], [['--http', 'http://x/'], { http: true, target: { kind: 'address', url: 'http://x/' } }],
    [['unix:/run/x'], { target: { kind: 'address', url: 'unix:/run/x' } }], [['xhttp://x/'], { target: { kind: 'program', command: 'xhttp://x/', args: [] } }],
  ] as const) assert.deepEqual(readOptions(words), { ...usual, ...sets }, words.join(' '));
  for (const word of ['--help', '-h']) assert.deepEqual(readOptions(['--json', word, '--nonsense']), { help: true });
});

test('the options of the tour: what is wrong is said', () => {
  for (const [words, problem] of [
    [['--allow'], '--allow takes the name of a tool'], [['--allow='], '--allow takes the name of a tool'], [['--allow', ''], '--allow takes the name of a tool'],
    [['--revision'], /^--revision takes one of 2024-11-05, .*2026-07-28$/], [['--revision', 'x'], /^--revision takes one of 2024-11-05, .*2026-07-28$/],
    ...['0', '-1', 'x', '86401', ''].map((given) => [[`--timeout=${given}`], '--timeout takes a number of seconds'] as const), [['--timeout'], '--timeout takes a number of seconds'],
    ...['--revision', '--yes', '--allow', '--strict', '--defaults', '--quiet', '--json', '--fast', '--step', '--full', '--http', '--no-color', '--timeout', '--help'].map((flag) => [[`${flag}x`], `there is no option ${flag}x; did you mean ${flag}?`] as const),
    [['--zzzzzzzz'], 'there is no option --zzzzzzzz'],
    // A value for a flag is not ignored: `--yes=false` would consent to every call.
    ...['--yes', '--strict', '--defaults', '--quiet', '--json', '--fast', '--step', '--full', '--http', '--no-color', '--help'].flatMap((flag) => ['', 'false', 'no'].map((value) => [[`${flag}=${value}`], `${flag} takes no value`] as const)),
    // An option is not the value of the one before it.
    [['--allow', '--yes'], '--allow takes the name of a tool'], [['--timeout', '-y'], '--timeout takes a number of seconds'], [['--revision', '--'], /^--revision takes one of/],
    [['--http', 'unix:/run/x'], '--http is for an address, and unix:/run/x is a socket'], [['http://[/'], 'http://[/ is not an address'], [['http://x/', 'a', 'b'], 'an address takes no further words: a b'], [['unix:/run/x', 'a'], 'an address takes no further words: a'],
    [['--http', 'node', 'x.js'], '--http is for an address, and node is a program'],
  ] as const) {
    const read = readOptions(words);
    assert.ok('problem' in read, words.join(' '));
    if (typeof problem === 'string') assert.equal(read.problem, problem);
    else assert.match(read.problem, problem);
  }
  assert.throws(() => readOptions(['unix:run/x']), /a socket is unix: and an absolute path/);
  // Without "tour" a program stands after "--".
  assert.deepEqual(readOptions(['--yes', 'node'], true), { word: 'node' });
  assert.deepEqual(readOptions(['--yes', '--', 'node'], true), { ...usual, yes: true, target: { kind: 'program', command: 'node', args: [] } });
  assert.deepEqual(readOptions(['http://x/'], true), { ...usual, target: { kind: 'address', url: 'http://x/' } });
});

test('a socket: unix: and an absolute path; a pipe only where there are pipes', { skip: process.platform === 'win32' }, () => {
  const sockets = ['unix:/run/x', 'UNIX:/run/x', 'pipe:x', 'Pipe:x', '\\\\.\\pipe\\x', '//./PIPE/x', '\\\\?\\pipe\\x'];
  assert.deepEqual(sockets.map(isSocket), sockets.map(() => true));
  const others = ['x', 'http://x', 'xunix:/run/x', '/run/x', 'unix', '\\.\\pipe\\x', '\\\\.\\pipes\\x', '//x/pipe/x'];
  assert.deepEqual(others.map(isSocket), others.map(() => false));
  assert.deepEqual([{ url: 'http://x' }, { url: 'unix:/x' }, { url: 5 }, { command: 'x' }].map(isHttp), [true, false, false, false]);
  assert.deepEqual(['unix:/run/x', 'UNIX:/run/x', 'unix:///run/x', 'unix:/run/a\nb'].map(socketPath), ['/run/x', '/run/x', '/run/x', '/run/a\nb']);
  for (const word of ['unix:', 'unix:x', 'unix:./x', 'unix://host/x', 'unix:////x', 'unix:/x/', 'unix:/']) assert.throws(() => socketPath(word), { message: `${word}: a socket is unix: and an absolute path` }, word);
  for (const word of ['pipe:x', '\\\\.\\pipe\\x']) assert.throws(() => socketPath(word), { message: `${word}: only Windows has such pipes; a socket is unix:/PATH` }, word);
});

test('a pipe of Windows: its name, in any of its forms', (t) => {
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'win32' });
  t.after(() => Object.defineProperty(process, 'platform', { value: platform }));
  const pipe = '\\\\.\\pipe\\x';
  assert.deepEqual(['pipe:x', 'PIPE:x', '\\\\.\\pipe\\x', '//?/pipe/x'].map(socketPath), [pipe, pipe, pipe, pipe]);
  for (const word of ['pipe:', 'pipe:a/b', 'pipe:a\\b', 'pipe:a\0', '//./pipe/', '\\\\.\\pipe\\a\\b']) assert.throws(() => socketPath(word), { message: `${word}: a pipe is pipe:NAME` }, word);
  assert.throws(() => socketPath('unix:/x'), { message: 'unix:/x: Windows has pipes, such as pipe:trips' });
});

const words = (given: { readonly env?: readonly string[]; readonly header?: readonly string[]; readonly cwd?: string } = {}): Parameters<typeof describedServer>[0] =>
  ({ text: (name) => (name === 'cwd' ? given.cwd : undefined), texts: (name) => (name === 'env' ? given.env : name === 'header' ? given.header : undefined) ?? [] });

test('the server of config add and install: an address or a program, with the options that fit it', () => {
  const place = process.cwd();
  assert.deepEqual(describedServer(words(), 'https://x/mcp', undefined, place), { url: 'https://x/mcp' });
  assert.deepEqual(describedServer(words({ header: ['A: 1'] }), 'HTTPS://x/mcp', undefined, place), { url: 'HTTPS://x/mcp', headers: { A: '1' } });
  assert.deepEqual(describedServer(words({ env: ['A=1'], cwd: 'test' }), undefined, ['node', './package.json', 'package.json', 'test', '--x.y', 'no.such', '/etc/x.y'], place), {
    command: 'node', args: [`${place}/package.json`, `${place}/package.json`, 'test', '--x.y', 'no.such', '/etc/x.y'], env: { A: '1' }, cwd: `${place}/test`,
  });
  assert.deepEqual(describedServer(words({ cwd: 'test' }), undefined, ['./package.json'], undefined), { command: './package.json', args: [], cwd: 'test' });
  for (const [given, address, program, why] of [
    [{}, undefined, [], 'a program is missing after --'], [{ header: ['A: 1'] }, undefined, ['node'], '--header is for an address, and this is a program'], [{}, undefined, undefined, 'an address is missing, or -- and a program'],
    [{}, 'node', undefined, 'node is not an address; a program follows "--"'], [{}, 'http://[', undefined, 'http://[ is not an address; a program follows "--"'], [{}, 'xhttp://x/', undefined, 'xhttp://x/ is not an address; a program follows "--"'],
    [{ env: ['A=1'] }, 'http://x/', undefined, '--env and --cwd are for a program, and this is an address'], [{ cwd: 'x' }, 'http://x/', undefined, '--env and --cwd are for a program, and this is an address'],
  ] as const) assert.throws(() => describedServer(words(given), address, program, place), { message: why });
  for (const name of ['a', 'A1', 'a_b-c.d', `a${'b'.repeat(63)}`]) assert.equal(checkedName(name), name);
  assert.throws(() => checkedName(undefined), { message: 'the name of the server is missing' });
  for (const name of ['', '_a', '.a', 'a b', 'a__b', 'a/b', `a${'b'.repeat(64)}`, 'x\n']) assert.throws(() => checkedName(name), { message: 'a name is up to 64 letters, digits, "-", "_" and ".", without "__"' }, name);
});

test('an address of this machine', () => {
  const own = ['http://localhost/', 'http://a.localhost:1/', 'http://[::1]/', 'http://127.0.0.1/', 'https://127.1.2.30/'];
  assert.deepEqual(own.map(isLoopback), own.map(() => true));
  const others = ['http://example.com/', 'http://localhost.example/', 'http://alocalhost/', 'http://[::2]/', 'http://128.0.0.1/', 'http://127.0.0.1.example/', 'http://x127.0.0.1.de/'];
  assert.deepEqual(others.map(isLoopback), others.map(() => false));
});

test('words before and behind "--", and the options of subcommands', () => {
  assert.deepEqual(atProgram(['a', 'b']), { before: ['a', 'b'], program: undefined });
  assert.deepEqual(atProgram(['--', 'b', '--', 'c']), { before: [], program: ['b', '--', 'c'] });
  assert.deepEqual(atProgram(['a', '--']), { before: ['a'], program: [] });
  const read = readWords(['--json', '--env', 'A=1', '--env=B=2', '--config', 'f', 'x'], { ...commonOptions, many: { type: 'string', multiple: true } }, true);
  assert.deepEqual([read.flag('json'), read.flag('verbose'), read.flag('config'), read.text('config'), read.text('json'), read.texts('env'), read.texts('many'), read.texts('config'), read.rest], [true, false, false, 'f', undefined, ['A=1', 'B=2'], [], [], ['x']]);
  for (const [given, why] of [[['x'], /^Unexpected argument 'x'/], [['--config'], /^Option '--config <value>' argument missing/], [['--json=x'], /^Option '--json' does not take an argument/], [['--jsno'], /^there is no option --jsno; did you mean --json\?$/], [['--shaps'], /^there is no option --shaps; did you mean --shapes\?$/], [['-x'], /^there is no option -x$/]] as const) {
    assert.throws(() => readWords(given, { ...commonOptions, shapes: { type: 'boolean' } }), { message: why }, given.join(' '));
  }
  const number = (text: string | undefined): number | undefined => numberOf({ text: () => text })('n', 1, 5);
  assert.deepEqual([undefined, '1', '5', '2.5'].map(number), [undefined, 1, 5, 2.5]);
  for (const text of ['0.9', '5.1', 'x', '']) assert.throws(() => number(text), { message: '--n takes a number from 1 to 5' }, text);
  // The text of an unset variable is no 0.
  for (const text of ['', ' ', '\t']) assert.throws(() => numberOf({ text: () => text })('n', 0, 5), { message: '--n takes a number from 0 to 5' }, text);
  assert.throws(() => numberOf({ text: () => '2.5' })('n', 1, 5, true), { message: '--n takes a whole number' });
  refuseGiven(read, ['many', 'verbose'], 'x');
  assert.throws(() => refuseGiven(read, ['verbose', 'env'], 'is for a program'), { message: '--env is for a program' });
  assert.deepEqual([undefined, '2025-06-18'].map((text) => readRevisions({ text: () => text })), [undefined, ['2025-06-18']]);
  assert.throws(() => readRevisions({ text: () => 'x' }), /^Error: --revision takes one of 2024-11-05, .*2026-07-28$/);
});

test('the help of a subcommand: usage, options in columns, notes and an example', () => {
  const command = { usage: 'U', about: 'A', options: [], example: 'E', run: async () => 0 };
  assert.equal(helpOf('n', command), 'barewire n U\n\nA\n\nExample:  E');
  assert.equal(helpOf('n', { ...command, options: [['-a', 'x'], ['--long option', 'y']], notes: ['N', 'M'] }), 'barewire n U\n\nA\n\n  -a             x\n  --long option  y\n\nN\nM\n\nExample:  E');
  assert.equal(helpOf('n', { ...command, options: [['-a', 'x']] }), 'barewire n U\n\nA\n\n  -a          x\n\nExample:  E');
});

test('what cannot be written is an error, except where the reader of stdout stopped early; stderr ends nothing', () => {
  for (const [code, exit] of [['EPIPE', 0], ['ENOSPC', 1], ['EIO', 1], ['EFBIG', 1], ['EDQUOT', 1], [undefined, 1]] as const) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const exits: number[] = [];
    endOnOutputError({ stdout, stderr, exit: (one) => void exits.push(one) });
    stderr.emit('error', Object.assign(new Error('full'), { code }));
    assert.deepEqual(exits, []);
    stdout.emit('error', Object.assign(new Error('full'), { code }));
    assert.deepEqual([exits, String(stderr.read() ?? '')], [[exit], exit === 0 ? '' : 'barewire: stdout could not be written: full\n'], code);
  }
});

test('a report names an address and a command line without credentials', () => {
  const random = randomOf(7);
  const secret = (): string => Array.from({ length: 24 }, () => 'aB3dE5gH7jK9mN1pQ'[Math.floor(random() * 17)]).join('');
  for (let at = 0; at < 100; at++) {
    const one = secret();
    for (const url of [`http://u:${one}@h/mcp`, `https://${one}@h/mcp`, `HTTPS://h/mcp?key=${one}`, `http://h/mcp?a=1&b=${one}#x`, `http://h/mcp?${one}`]) {
      assert.ok(!reportName(url).includes(one), reportName(url));
      assert.ok(secretsInAddress({ url }).includes(one), url);
    }
    for (const words of [`node server.js --key ${one}`, `node server.js --key=${one} x`]) assert.ok(!reportName(words).includes(one) && reportName(words).startsWith('node server.js '), reportName(words));
  }
  assert.deepEqual([reportName('http://127.0.0.1:3000/mcp'), reportName('npx -y a-server /tmp'), reportName('files')], ['http://127.0.0.1:3000/mcp', 'npx -y a-server /tmp', 'files']);
  assert.deepEqual([secretsInAddress({ url: 'http://h/mcp' }), secretsInAddress({ url: 'unix:/x' }), secretsInAddress({ command: 'x' })], [[], [], []]);
});
