import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { answersOf } from '../../src/cli/answers.ts';
import { sourceOf } from '../../src/cli/argument-source.ts';
import { askAboutCall } from '../../src/cli/ask-consent.ts';
import { tokenAuthentication } from '../../src/cli/bridge/authentication.ts';
import { describeLine } from '../../src/cli/commands/log.ts';
import { askedMethods, explainPassing } from '../../src/cli/explainer.ts';
import { escapedJson } from '../../src/cli/json-line.ts';
import { headersOf, readVariable } from '../../src/cli/client-options.ts';
import { openDesk } from '../../src/cli/desk.ts';
import { changeLines, personAsModel, personAt } from '../../src/cli/host-person.ts';
import { entryFor, hostOf } from '../../src/cli/installed-hosts.ts';
import { didYouMean } from '../../src/cli/near-miss.ts';
import { jsonReporter } from '../../src/cli/reporter.ts';
import { isBelieved, ruledConsent, rulesOf } from '../../src/cli/rules-file.ts';
import { shellWord } from '../../src/cli/shell-word.ts';
import { table, wrap } from '../../src/cli/terminal.ts';
import { textArguments } from '../../src/cli/text-arguments.ts';
import { isWholeObject, readArguments } from '../../src/cli/tool-arguments.ts';
import { toolDigest } from '../../src/host/index.ts';
import type { HostStore, Rule } from '../../src/host/index.ts';
import type { Prompter } from '../../src/host/node/prompter.ts';
import { style } from '../../src/host/node/style.ts';
import type { Tool } from '../../src/protocol/tools.ts';

// Parts of the command that need no separate process.

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' }, count: { type: 'integer' }, ratio: { type: 'number' }, flag: { type: 'boolean' }, list: { type: 'array' }, bag: { type: 'object', properties: { inner: { type: 'string' }, n: { type: 'number' } } },
    none: { type: 'null' }, either: { type: ['string', 'number'] }, texts: { type: ['string', 'array'] }, any: {}, 'a.b': { type: 'string' }, choice: { enum: ['1', '2'] }, mixed: { enum: ['a', 1] },
    branches: { anyOf: [{ type: 'string' }, { type: 'boolean' }] }, others: { oneOf: [{ type: ['string', 'null'] }] }, nothing: true,
  },
};

test('arguments: a value is what the schema says of its property', () => {
  const source = (name: string): string => ({ file: '7', '-': 'from stdin', object: '{"text":"x","deep":{"__proto__":1}}' })[name] ?? '';
  const cases: [string[], object][] = [
    [['text=5'], { text: '5' }], [['count=5'], { count: 5 }], [['count=x'], { count: 'x' }], [['ratio=1.5'], { ratio: 1.5 }], [['flag=true'], { flag: true }], [['flag=yes'], { flag: 'yes' }],
    [['list=[1,2]'], { list: [1, 2] }], [['bag={"a":1}'], { bag: { a: 1 } }], [['none=null'], { none: null }], [['either=5'], { either: 5 }], [['either=true'], { either: 'true' }], [['either=x'], { either: 'x' }],
    [['texts=[1]'], { texts: [1] }], [['texts={"a":1}'], { texts: '{"a":1}' }], [['texts=5'], { texts: '5' }], [['any=5'], { any: 5 }], [['any=x y'], { any: 'x y' }], [['choice=1'], { choice: '1' }], [['mixed=1'], { mixed: 1 }],
    [['branches=true'], { branches: true }], [['branches=5'], { branches: '5' }], [['others=null'], { others: null }], [['others=5'], { others: '5' }], [['nothing=5'], { nothing: 5 }], [['unknown=5'], { unknown: 5 }],
    [['bag.inner=5', 'bag.n=5'], { bag: { inner: '5', n: 5 } }], [['a.b=5'], { 'a.b': '5' }], [['x.y.z=1', 'x.y.w=2'], { x: { y: { z: 1, w: 2 } } }], [['x=1', 'x.y=2'], { x: { y: 2 } }],
    [['text:=5'], { text: 5 }], [['text:="a=b"'], { text: 'a=b' }], [['text=a=b'], { text: 'a=b' }], [['text='], { text: '' }], [['a:b=1'], { 'a:b': 1 }], [['text=@file'], { text: '7' }], [['count=@file'], { count: 7 }], [['text=@-'], { text: 'from stdin' }], [['text=@@x'], { text: '@x' }],
    [['@object'], { text: 'x', deep: JSON.parse('{"__proto__":1}') }], [['{"text":1}', 'text=2'], { text: '2' }], [[' {"a":null}'], { a: null }], [['text=a\nb'], { text: 'a\nb' }],
  ];
  for (const [words, expected] of cases) assert.deepEqual(readArguments(words, schema, source), expected, words.join(' '));
  assert.deepEqual(Object.keys(readArguments(['__proto__=1', 'toString.x=1'], schema, source)), ['__proto__', 'toString']);
  for (const [word, says] of [['=5', /an argument is key=value/], ['text', /an argument is key=value/], ['text:=x', /^text: x is not JSON$/], ['{', /is not a JSON object/], ['@file', /is not a JSON object/], ['-', /is not a JSON object/]] as const) {
    assert.throws(() => readArguments([word], schema, source), { message: says }, word);
  }
  assert.deepEqual(['{}', ' {', '@x', '-', '--', 'a={', '-x', '['].map(isWholeObject), [true, true, true, true, false, false, false, false]);
  assert.deepEqual(textArguments(['a=1', 'b=c=d', 'e=']), { a: '1', b: 'c=d', e: '' });
  for (const word of ['a', '=x']) assert.throws(() => textArguments([word]), /an argument of a prompt is key=value/);
});

test('--header and --env: a name, and whatever stands behind the first mark', () => {
  for (const [line, name, value] of [['X-Key: v', 'X-Key', 'v'], ['X-Key:v', 'X-Key', 'v'], ['X-Key:   v: w ', 'X-Key', 'v: w '], ['X-Key:', 'X-Key', '']] as const) assert.deepEqual(headersOf([line]), { [name]: value }, line);
  assert.deepEqual(headersOf([]), {});
  assert.deepEqual(headersOf(['A: 1', 'B: 2', 'A: 3']), { A: '3', B: '2' });
  for (const line of ['', 'X-Key', ': v', 'X Key: v', ' X-Key: v', 'X-Key : v', 'X-Key: v\nY: w', 'X-Key: v\r']) assert.throws(() => headersOf(['A: 1', line]), { message: '--header takes "Name: value"' }, JSON.stringify(line));
  for (const [text, pair] of [['A=1', ['A', '1']], ['A=', ['A', '']], ['A=b=c', ['A', 'b=c']]] as const) assert.deepEqual(readVariable(text), pair);
  for (const text of ['', 'A', '=1', '=']) assert.throws(() => readVariable(text), { message: '--env takes NAME=VALUE' }, text);
});

test('tables and lines: the widest columns give way, blanks stand between, none at an end', () => {
  const rows = [['a', 'one two three four', '5'], ['bb', 'x', '1000']];
  assert.deepEqual(table(['n', 'text', '#'], rows), ['n   text                #', '──  ──────────────────  ────', 'a   one two three four  5', 'bb  x                   1000']);
  assert.deepEqual(table(['n', 'text', '#'], rows, { right: [2], head: (text) => text.toUpperCase() }), ['N   TEXT                   #', '──  ──────────────────  ────', 'a   one two three four     5', 'bb  x                   1000']);
  const cut = table(['n', 'text', '#'], rows, { columns: 18 });
  assert.deepEqual([cut.map((line) => line.length <= 18), cut[1]], [[true, true, true, true], '──  ────────  ────']);
  assert.match(cut[2] ?? '', /^a {3}one two… {2}5$/);
  assert.deepEqual(table(['n', 'text', '#'], rows, { columns: 18, wrap: true }), ['n   text      #', '──  ────────  ────', 'a   one two   5', '    three', '    four', 'bb  x         1000']);
  const whole = table(['name', 'text'], [['a-very-long-name', 'some text']], { columns: 12, whole: [0] });
  assert.ok(whole[2]?.startsWith('a-very-long-name'));
  assert.equal(table(['a', 'b'], [['x'.repeat(100), 'y'.repeat(100)]], { columns: 1 })[1], '─  ─');
  assert.deepEqual(table(['a'], [[]]), ['a', '─', '']);
  assert.deepEqual(wrap('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrap('one two three', 6), ['one', 'two', 'three']);
  assert.deepEqual(wrap('longword x', 4), ['longword', 'x']);
  assert.deepEqual(wrap('x longword', 4), ['x', 'longword']);
  assert.deepEqual([wrap('', 4), wrap('日本 語', 4), wrap('日本 語', 7)], [[''], ['日本', '語'], ['日本 語']]);
});

test('a line of the log for a person: its time, kind, call, server and tool, and the rest as JSON', () => {
  assert.equal(describeLine('{"seq":1,"at":0,"kind":"sent","previous":"","call":3,"server":"s","tool":"t","ms":5}'), '1970-01-01T00:00:00.000Z  sent     #3 s/t  {"ms":5}');
  assert.equal(describeLine('{"kind":"roots","server":"s","tool":7}'), '  roots    s  {}');
  assert.equal(describeLine('{"at":"x","kind":"pin","tool":"t"}'), '  pin      t  {}');
  assert.equal(describeLine('no \u001b JSON'), describeLine('"no \u001b JSON"').slice(1, -1));
  assert.equal(describeLine('[1]'), '[1]');
});

test('words that are near, and words for a shell', () => {
  assert.equal(didYouMean('servr', ['server', 'client']), '; did you mean server?');
  assert.equal(didYouMean('xyz', ['server', 'client']), '');
  assert.equal(didYouMean('a', ['b']), '');
  assert.equal(didYouMean('ab', ['abc']), '; did you mean abc?');
  assert.equal(didYouMean('server', []), '');
  assert.equal(didYouMean('servr', ['server'], (name) => `<${name}>`), '; did you mean <server>?');
  assert.equal(didYouMean('x', ['x'.repeat(81)]), '');
  assert.equal(didYouMean('server', [...Array.from({ length: 2_000 }, (_, at) => `0${at}`), 'serve']), '');
  assert.deepEqual(['a-b_c./@x:1=2,3%4+5', 'a b', '', "it's", 'ä', '$x'].map(shellWord), ['a-b_c./@x:1=2,3%4+5', "'a b'", "''", "'it'\\''s'", "'ä'", "'$x'"]);
});

test('a tour for a program: one object a line, each kind with its members', () => {
  const lines: unknown[] = [];
  const report = jsonReporter((line) => lines.push(JSON.parse(line)));
  const row = { step: 's', outcome: 'ok', detail: 'd', messages: 1, ms: 2 } as const;
  report.walk('w');
  report.step('s', 'intro');
  report.part('p');
  const message = { at: 1, direction: 'sent', what: 'w', section: 'x' } as const;
  report.message({ ...message, text: 't', message: undefined });
  report.message({ ...message, text: 't', message: { a: 1 }, exchange: 2 });
  report.note('n');
  report.stderr('e');
  report.problem('b');
  report.result(row);
  report.summary('t', [row]);
  report.end(false, 'over');
  report.pause();
  report.resume();
  assert.deepEqual(lines, [
    { type: 'walk', title: 'w' }, { type: 'step', title: 's' }, { type: 'part', title: 'p' }, { type: 'message', ...message, text: 't' }, { type: 'message', ...message, message: { a: 1 }, exchange: 2 },
    { type: 'note', text: 'n' }, { type: 'stderr', line: 'e' }, { type: 'problem', text: 'b' }, { type: 'result', ...row }, { type: 'summary', title: 't', rows: [row] }, { type: 'end', ok: false, text: 'over' },
  ]);
});

test('JSON has no character that a terminal obeys or does not show, and the same values', () => {
  for (const unseen of ['\u009b31m', '\u202e', '\u200b', '\u2028', '\u2066', '\u00ad', '\ufeff']) {
    const lines: string[] = [];
    const report = jsonReporter((line) => lines.push(line));
    report.note(unseen);
    report.message({ at: 1, direction: 'received', what: unseen, section: 'x', text: unseen, message: { [unseen]: unseen } });
    lines.push(escapedJson(JSON.stringify([unseen])));
    assert.doesNotMatch(lines.join(''), /[\p{C}\p{Zl}\p{Zp}]/u);
    assert.deepEqual(lines.map((line) => JSON.parse(line) as unknown), [{ type: 'note', text: unseen }, { type: 'message', at: 1, direction: 'received', message: { [unseen]: unseen }, what: unseen, section: 'x' }, [unseen]]);
  }
});

test('a form that is answered without a person: what is printed of it is visible', async () => {
  const unseen = 'f\u001b[2J\u009b31m\u202e\n';
  const notes: string[] = [];
  const { onElicit } = answersOf({
    person: { present: false }, style: style(false), terminal: { input: new PassThrough(), output: new PassThrough() }, from: () => unseen, pause: () => {}, resume: () => {}, note: (text) => notes.push(text), patienceMs: 1, defaults: true,
  });
  const requestedSchema = { type: 'object' as const, properties: { [unseen]: { type: 'string' as const, minLength: 2_000, title: unseen } }, required: [unseen] };
  assert.deepEqual(await onElicit({ message: unseen, requestedSchema }, { signal: new AbortController().signal } as Parameters<typeof onElicit>[1]), { action: 'decline' });
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? '', /^The form cannot be filled in without a person \(.*f\\x1b\[2J.*\), so it is declined\.$/);
  assert.doesNotMatch(notes[0] ?? '', /[\p{C}\p{Zl}\p{Zp}]/u);
});

test('requests without an answer are forgotten, the oldest first, and a long method is cut', () => {
  const asked = askedMethods();
  for (let id = 0; id < 10_100; id++) asked.set(id, 'ping');
  assert.deepEqual([asked.size, asked.has(99), asked.has(100)], [10_000, false, true]);
  const explained = explainPassing();
  explained('server', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x'.repeat(1_000_000) }));
  assert.ok(explained('client', JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} })).what.length < 1_000);
});

test('an entry in the words of each host: its transport, its variables, and what it has no use for', () => {
  const program = { command: '${A}/x', args: ['--key', '${B}', '${workspaceFolder}'], env: { C: '${C}' }, cwd: '${D}' };
  const address = { url: 'https://h/${E}', headers: { Authorization: 'Bearer ${F}' } };
  for (const [name, form] of [['claude-code', '${N}'], ['vscode', '${env:N}'], ['cursor', '${env:N}']] as const) {
    const variable = (one: string): string => form.replace('N', one);
    const typed = name === 'cursor' ? [{}, {}] : [{ type: 'stdio' }, { type: 'http' }];
    assert.deepEqual(entryFor(name, hostOf(name), program), { ...typed[0], command: `${variable('A')}/x`, args: ['--key', variable('B'), '${workspaceFolder}'], env: { C: variable('C') }, cwd: variable('D') });
    assert.deepEqual(entryFor(name, hostOf(name), address), { ...typed[1], url: `https://h/${variable('E')}`, headers: { Authorization: `Bearer ${variable('F')}` } });
    assert.deepEqual(entryFor(name, hostOf(name), { command: 'x', env: {} }), { ...typed[0], command: 'x', args: [] });
    assert.equal(hostOf(name).member, name === 'vscode' ? 'servers' : 'mcpServers');
  }
  assert.throws(() => entryFor('claude-desktop', hostOf('claude-desktop'), program), /does not support variables, and the server has \$\{[A-D]\}/);
  assert.throws(() => entryFor('claude-desktop', hostOf('claude-desktop'), { url: 'https://h/' }), /only starts programs; .* barewire bridge https:\/\/h\//);
  assert.deepEqual(entryFor('claude-desktop', hostOf('claude-desktop'), { command: 'x', args: ['y'] }), { command: 'x', args: ['y'] });
});

const tool = { name: 'write', inputSchema: { type: 'object' } } as const;

test('rules, then what was allowed for good, then the words of the command, then the person', async (t) => {
  const digest = await toolDigest(tool);
  const grant = { server: 's', tool: 'write', digest, principal: 'user' };
  const store = (grants: unknown): HostStore => ({ get: async (key: string) => (key === 'grants' ? grants : undefined), set: async () => {} }) as unknown as HostStore;
  const consent = async (rules: Rule[], { grants, name = 's', folder, all = false, ask }: { grants?: unknown; name?: string | undefined; folder?: string; all?: boolean; ask?: () => Promise<boolean> } = {}): Promise<string> => {
    const { given, why } = await ruledConsent(rules, { server: { command: 'x', ...folder !== undefined && { folder } }, name: name === '' ? undefined : name, targetName: 'target', store: store(grants), tool, args: {} }, { all, allowed: [], strict: false, ...ask && { ask } });
    return `${given ? 'yes' : 'no'}: ${why}`;
  };
  assert.equal(await consent([{ then: 'deny' }], { all: true, grants: [grant] }), 'no: rule 0 denies it');
  assert.equal(await consent([{ then: 'deny', tool: 'x' }, { then: 'allow', server: 's' }]), 'yes: rule 1 allows it');
  assert.equal(await consent([{ then: 'ask' }], { all: true, grants: [grant] }), 'no: rule 0 asks, and nobody can be asked');
  assert.equal(await consent([{ then: 'ask' }], { all: true, ask: async () => true }), 'yes: the person consented');
  assert.equal(await consent([], { grants: [grant] }), 'yes: it was allowed permanently');
  for (const other of [{ server: 'other' }, { tool: 'other' }, { digest: 'other' }, { principal: 'other' }]) assert.match(await consent([], { grants: [{ ...grant, ...other }] }), /^no: /, JSON.stringify(other));
  for (const odd of [undefined, null, {}, 'x', [null, 5]]) assert.match(await consent([], { grants: odd }), /^no: /);
  // A server without a configured name, or from a folder, does not match the grant.
  assert.match(await consent([], { grants: [grant], name: '' }), /^no: /);
  assert.match(await consent([], { grants: [grant], folder: '/w/.mcp.json' }), /^no: /);
  assert.equal(await consent([], { grants: [{ ...grant, server: '/w/.mcp.json#s' }], folder: '/w/.mcp.json' }), 'yes: it was allowed permanently');
  assert.equal(await consent([], { all: true }), 'yes: --yes consents to everything');
  assert.deepEqual([isBelieved(undefined), isBelieved({ command: 'x' }), isBelieved({ command: 'x', folder: '/w' })], [true, true, false]);
  const folder = mkdtempSync(join(tmpdir(), 'barewire-rules-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'rules.json');
  assert.deepEqual(rulesOf(undefined, { BAREWIRE_HOME: folder }), []);
  assert.throws(() => rulesOf(file, {}), (error) => error instanceof Error && error.message.startsWith(`${file}: `));
  writeFileSync(file, '{"rules":[{"then":"deny"}]}');
  assert.deepEqual(rulesOf(file, {}), [{ then: 'deny' }]);
  writeFileSync(file, '{"rules":[{"then":"x"}]}');
  assert.throws(() => rulesOf(file, {}), (error) => error instanceof Error && error.message.startsWith(`${file}: `));
});

test('a desk: questions come one at a time and before the next command, and what was typed before does not answer them', async () => {
  const asked: { text: string; answer(line: string | undefined): void; signal: AbortSignal | undefined }[] = [];
  let cleared = 0;
  const prompter: Prompter = {
    say: () => {}, close: () => undefined, clear: () => void cleared++,
    ask: (text, signal) => new Promise((resolve) => {
      asked.push({ text, answer: resolve, signal });
      signal?.addEventListener('abort', () => resolve(undefined));
    }),
  };
  const desk = openDesk(prompter);
  const turns = async (): Promise<void> => {
    for (let at = 0; at < 20; at++) await Promise.resolve();
  };
  const command = desk.command('> ');
  await turns();
  assert.deepEqual(asked.map(({ text }) => text), ['> ']);
  const [one, two] = [desk.question((given) => given.ask('one? ')), desk.question(async () => { throw new Error('two'); })];
  await turns();
  assert.deepEqual([asked.map(({ text }) => text), asked[0]?.signal?.aborted, cleared], [['> ', 'one? '], true, 1]);
  asked[1]?.answer('yes');
  assert.equal(await one, 'yes');
  await assert.rejects(two, /^Error: two$/);
  await turns();
  // The prompt returns when all questions are answered, also if one failed.
  assert.deepEqual([asked.map(({ text }) => text), cleared], [['> ', 'one? ', '> '], 2]);
  asked[2]?.answer('list');
  assert.equal(await command, 'list');
  const last = desk.command('> ');
  await turns();
  asked[3]?.answer(undefined);
  assert.equal(await last, undefined);
});

test('arguments from outside: a file, and stdin only where it does not carry the commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-source-'));
  try {
    writeFileSync(join(folder, 'x'), 'text');
    assert.equal(sourceOf(false)(join(folder, 'x')), 'text');
    assert.throws(() => sourceOf(false)('-'), { message: '-: stdin already carries the commands' });
    assert.throws(() => sourceOf(true)(join(folder, 'none')), ({ message }: Error) => message.startsWith(`@${join(folder, 'none')}: ENOENT`) && message.endsWith('(write @@ for a text that begins with @)'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('tokens of a file: one principal a line, for a Bearer header only', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-tokens-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'tokens');
  const read = (text: string): ReturnType<typeof tokenAuthentication> => {
    writeFileSync(file, text, { mode: 0o600 });
    return tokenAuthentication(file);
  };
  const authenticate = read('# comment\n\n  ann   0123456789abcdef  \nbob fedcba9876543210\n#bob x y z\n');
  const asked = (authorization: string | undefined): unknown => authenticate({ header: (name: string) => (name === 'authorization' ? authorization : undefined) } as never);
  assert.deepEqual(['Bearer 0123456789abcdef', 'bearer  fedcba9876543210', 'Bearer 0123456789abcdeX', 'Basic 0123456789abcdef', 'xBearer 0123456789abcdef', 'Bearer 0123456789abcdef x', 'Bearer', undefined].map(asked), [{ principal: 'ann' }, { principal: 'bob' }, ...Array.from({ length: 6 }, () => undefined)]);
  for (const [text, why] of [['', `${file} has no token`], ['# x\n', `${file} has no token`], ['ann 0123456789abcde\n', `${file}, line 1: PRINCIPAL and a TOKEN of at least 16 characters are expected`], ['\nann\n', `${file}, line 2: PRINCIPAL and a TOKEN of at least 16 characters are expected`], ['ann 0123456789abcdef x\n', `${file}, line 1: PRINCIPAL and a TOKEN of at least 16 characters are expected`]] as const) {
    assert.throws(() => read(text), { message: why }, text);
  }
  assert.throws(() => tokenAuthentication(join(folder, 'none')), ({ message }: Error) => message.startsWith('--tokens: ENOENT'));
  if (process.platform === 'win32') return;
  read('ann 0123456789abcdef\n');
  for (const mode of [0o640, 0o604, 0o610]) {
    chmodSync(file, mode);
    assert.throws(() => tokenAuthentication(file), { message: `${file} may be read by others: chmod 600` });
  }
});

test('the words of a person for a call: what the tool is said to do, its whole name, and its description in a frame', async () => {
  const shown = async (tool: object, args: object = {}, answers: readonly string[] = [''], columns: number | undefined = 80): Promise<string[]> => {
    const lines: string[] = [];
    const left = [...answers];
    const prompter: Prompter = { columns, say: (line) => void lines.push(line), ask: async () => left.shift(), close: () => {} };
    await askAboutCall(prompter, style(false), { server: 'bank', tool: { name: 'pay', inputSchema: { type: 'object' }, ...tool } as Tool, args: args as Record<string, unknown> }, '? ');
    return lines;
  };
  assert.deepEqual(await shown({ annotations: { title: 'Pays' }, description: 'One\ntwo' }, { a: 1 }), ['', 'bank will run pay (Pays)', '│ One', '│ two', 'with exactly these arguments:', '│ {', '│   "a": 1', '│ }', 'The server says of it: nothing, so it may be destructive. Only the server claims this.']);
  for (const [annotations, says] of [[{ readOnlyHint: true }, 'it only reads'], [{ destructiveHint: false }, 'it is not destructive'], [{ destructiveHint: true }, 'it may be destructive'], [{ readOnlyHint: false }, 'nothing, so it may be destructive']] as const) {
    assert.equal((await shown({ annotations })).at(-1), `The server says of it: ${says}. Only the server claims this.`);
  }
  assert.ok(!(await shown({ name: 'x'.repeat(60) })).some((line) => line.startsWith('│ x')));
  assert.ok((await shown({ name: 'x'.repeat(61) })).some((line) => line === `│ ${'x'.repeat(61)}`));
  assert.equal((await shown({ description: Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n') })).filter((line) => line.startsWith('│ line')).length, 8);
  // A string of more than 1,000 characters is cut to its beginning and its end, once "m" asks for all it is shown whole.
  const at = (length: number): Promise<string[]> => shown({}, { text: 'x'.repeat(length) }, ['m', 'm', '']);
  assert.ok(!(await at(1_000)).some((line) => /left out/.test(line)));
  const cut = await at(1_001);
  assert.equal(cut.find((line) => /left out/.test(line)), '1 characters within them are left out here: "m" shows all.');
  assert.ok(cut.join('').replaceAll('│ ', '').includes(`${'x'.repeat(800)} … 1 characters … ${'x'.repeat(200)}`));
  assert.equal(cut.filter((line) => line === '│ {').length, 3);
  const many = (rows: number): Promise<string[]> => shown({}, { list: Array.from({ length: rows }, () => 1) });
  assert.equal((await many(196)).at(-1)?.startsWith('The server says'), true);
  assert.deepEqual(await many(197), ['The arguments of pay take more than 200 lines, too many to show: it is not called.']);
  assert.deepEqual((await shown({}, {}, [''], undefined))[1], 'bank will run pay');
});

test('the words of a person for a change, for sampling and for a call that is shown again', async () => {
  const change = { server: 's', name: 't', diff: ['- a', '+ b', '  c'] };
  const painted = { ...style(false), red: (text: string) => `<red ${text}>`, green: (text: string) => `<green ${text}>` };
  assert.deepEqual(changeLines({ ...change, kind: 'changed' }, painted, 80), ['s/t is changed', '│ <red - a>', '│ <green + b>', '│ <green   c>']);
  assert.deepEqual(changeLines({ ...change, kind: 'renamed', formerly: 's/old', diff: [] }, painted, 80), ['s/t was renamed: it was s/old']);
  assert.deepEqual(changeLines({ ...change, kind: 'gone', diff: [] }, painted), ['s/t is gone']);
  const lines = (count: number): string[] => changeLines({ ...change, kind: 'changed', diff: Array.from({ length: count }, () => '+ x') }, painted, 80);
  assert.deepEqual([lines(60).length, lines(61).at(-1)], [61, '└ 1 differences more were left out']);
  const asked = async (use: (person: ReturnType<typeof personAt>) => Promise<unknown> | undefined, ...answers: string[]): Promise<[unknown, string[], string[]]> => {
    const [said, questions] = [[] as string[], [] as string[]];
    const prompter: Prompter = { columns: 80, say: (line) => void said.push(line), ask: async (question) => (questions.push(question), answers.shift()), close: () => {} };
    return [await use(personAt(openDesk(prompter), style(false))), said, questions];
  };
  const context = { server: 'bank', signal: new AbortController().signal };
  const call = { server: 'bank', tool: { name: 'pay', inputSchema: { type: 'object' } }, digest: '', args: {}, principal: 'user' } as const;
  const approve = (why: string, ...answers: string[]): ReturnType<typeof asked> => asked((person) => person.approve?.({ ...call, why } as never, context), ...answers);
  for (const why of ['changed-while-shown', 'too-late']) assert.match((await approve(why, 'n'))[1][0] ?? '', /^The (?:tool changed while it was shown|answer came too late)\. /);
  assert.equal((await approve('default', 'n'))[1][0], '');
  for (const [typed, allow] of [['once', 'once'], ['y', 'once'], ['yes', 'once'], ['session', 'session'], ['always', 'always']] as const) assert.deepEqual((await approve('default', typed))[0], { allow });
  const [ruled, , questions] = await approve('rule', 's');
  assert.deepEqual([ruled, questions], [{ allow: false, reason: 'the person declined' }, ['Run it? [o]nce, [N]o: ']]);
  assert.deepEqual((await approve('rule', 'always'))[0], { allow: false, reason: 'the person declined' });
  assert.deepEqual((await asked((person) => person.approve?.({ ...call, args: { list: Array.from({ length: 500 }, () => 1) }, why: 'default' }, context)))[0], { allow: false, reason: 'the arguments are too long to show' });
  const messages = (count: number) => Array.from({ length: count }, (_, at) => ({ role: 'user' as const, content: { type: 'text' as const, text: `m${at}` } }));
  const sampling = (params: object): Promise<[unknown, string[], string[]]> => asked((person) => person.samplingRequest?.({ maxTokens: 5, messages: messages(1), ...params } as never, context), ' y ');
  assert.deepEqual(await sampling({}), [{ allow: true }, ['bank asks a model, for at most 5 tokens:', '  user:', '│ m0'], ['Answer it, in the place of a model? [y/N] ']]);
  assert.deepEqual((await sampling({ systemPrompt: 'S', modelPreferences: { hints: [] }, messages: [{ role: 'assistant', content: { type: 'image', data: 'x', mimeType: 'y' } }] }))[1].slice(1), ['  system:', '│ S', '  assistant:', '│ {"type":"image","data":"x","mimeType":"y"}', '  preferences:', '│ {"hints":[]}']);
  assert.equal((await sampling({ messages: messages(20) }))[1][1], '  user:');
  assert.deepEqual((await sampling({ messages: messages(22) }))[1].slice(1, 4), ['  … 2 earlier messages were left out', '  user:', '│ m2']);
  for (const answer of ['yes', ' Y']) assert.deepEqual((await asked((person) => person.acceptChange?.({ ...change, kind: 'changed' }, context), answer))[0], true);
  for (const answer of ['', 'ya', 'ey', 'n']) assert.deepEqual((await asked((person) => person.acceptChange?.({ ...change, kind: 'changed' }, context), answer))[0], false);
  assert.deepEqual((await asked((person) => person.samplingAnswer?.({} as never, context)))[0], { allow: true });
  const model = (answer: string | undefined): Promise<unknown> => {
    const prompter: Prompter = { say: () => {}, ask: async () => answer, close: () => {} };
    return Promise.resolve(personAsModel(openDesk(prompter))({} as never, context as never));
  };
  assert.deepEqual(await model('four'), { role: 'assistant', content: { type: 'text', text: 'four' }, model: 'a person', stopReason: 'endTurn' });
  await assert.rejects(model(undefined), { message: 'there was no answer' });
});
