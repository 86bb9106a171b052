import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { McpServer } from '../../src/server/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { fixture } from './fixture.ts';
import { inProcess } from './in-process.ts';
import type { InProcess, Ran } from './in-process.ts';

// The commands of the prompt of `barewire host`, and what a person at a terminal is asked.
interface Made {
  readonly home: string;
  readonly server: McpServer;
  readonly run: (words: readonly string[], how?: InProcess) => Promise<Ran>;
  readonly pipe: (lines: readonly string[], ...words: string[]) => Promise<Ran>;
  readonly terminal: (words: readonly string[], ...typed: readonly (readonly [RegExp, string])[]) => Promise<Ran>;
}

/** A user with a server `one`, and the same by other names. */
async function made(t: TestContext, server: McpServer = fixture(), names: readonly string[] = ['one']): Promise<Made> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'barewire-prompt-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const serving = await serveHttp(server);
  t.after(() => serving.close({ drainMs: 0 }));
  writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { url: serving.url, maxSampledTokens: 1_000 }])) }));
  const cwd = join(home, 'folder');
  mkdirSync(cwd);
  const run = (words: readonly string[], how: InProcess = {}): Promise<Ran> => inProcess(words, { cwd, ...how, env: { BAREWIRE_HOME: home, HOME: home, XDG_CONFIG_HOME: home, ...how.env } });
  return {
    home, server, run, pipe: (lines, ...words) => run(['host', ...words], { input: lines.join('\n') }),
    terminal: (words, ...typed) => run(words, { columns: 200, typed }),
  };
}

const nothing = { type: 'object', properties: {} } as const;
const prompt = /barewire> /;

test('host: servers, list and find as tables and as JSON', async (t) => {
  const server = new McpServer({ name: 'listed', version: '1' });
  server.tool('reads', { description: 'One\ntwo', annotations: { readOnlyHint: true } }, () => 'x');
  server.tool('changes', { description: 'Other', annotations: { destructiveHint: false } }, () => 'x');
  server.resource('a:b', { name: 'n', title: 'T' }, () => 'x');
  server.prompt('p', { description: 'Prompts\nmore' }, () => 'x');
  const { pipe, home } = await made(t, server, ['one', 'two']);
  const file = join(home, 'servers.json');
  const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: Record<string, object> };
  writeFileSync(file, JSON.stringify({ mcpServers: { ...mcpServers, two: { ...mcpServers['two'], disabled: true }, none: { ...mcpServers['one'], tools: { include: ['x'] } } } }));
  const { out, err, code } = await pipe(['list', '', '# a comment', 'list none', 'list nobody', 'servers', 'find reads', 'find']);
  assert.deepEqual([code, err], [2, 'what to find is missing\n']);
  assert.equal(out, [
    'tool         hints    description', '───────────  ───────  ───────────', 'one/reads    reads    One', 'one/changes  changes  Other', '',
    'resource  name', '────────  ────', 'one a:b   T', 'none a:b  T', '', 'prompt  description', '──────  ───────────', 'one p   Prompts', 'none p  Prompts',
    'none', '', 'resource  name', '────────  ────', 'none a:b  T', '', 'prompt  description', '──────  ───────────', 'none p  Prompts',
    'none',
    'server  state     revision          tools  resources  prompts', '──────  ────────  ──────────  ───────────  ─────────  ───────  ', 'one     ready     2026-07-28            2          1        1', 'two     disabled', 'none    ready     2026-07-28  0, 2 hidden          1        1',
    'tool       hints  description', '─────────  ─────  ───────────', 'one/reads  reads  One', '',
  ].join('\n'));
  const json = (await pipe(['list one', 'servers', 'find reads'], '--json')).out.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown);
  const [listed, servers, found] = json as [Record<string, unknown[]>, Record<string, unknown>[], { tool: { name: string } }[]];
  assert.deepEqual([listed['tools']?.length, listed['resources']?.length, listed['prompts']?.length, found.map(({ tool }) => tool.name)], [2, 1, 1, ['reads']]);
  assert.deepEqual(servers.map(({ name, state, revision, tools, resources, prompts, disabled }) => [name, state, revision, tools, resources, prompts, disabled]).at(0), ['one', 'resting', undefined, 2, 1, 1, servers[0]?.['disabled']]);
});

test('host: what is missing or unknown is said, and ends a pipe with 2; # and empty lines are nothing', async (t) => {
  const { pipe } = await made(t, fixture(), ['one', 'two']);
  for (const [line, why] of [
    ['call', /^the name of a tool is missing$/], ['read', /^expected a server and a URI$/], ['read one', /^expected a server and a URI$/], ['get', /^expected a server and a prompt$/], ['get one', /^expected a server and a prompt$/], ['accept', /^the name of a tool, as SERVER\/TOOL is missing$/],
    ['accept one/echo', /^there is no pending change of one\/echo$/], ['revoke', /^the name of a tool, as SERVER\/TOOL is missing$/], ['stop', /^the name of a server is missing$/], ['log 0', /^log takes a number of lines$/], ['log 1.5', /^log takes a number of lines$/], ['log x', /^log takes a number of lines$/],
    ['call wipe', /^several servers have wipe: one\/wipe, two\/wipe$/], ['call zzzzzzzz', /^no server has a tool zzzzzzzz; "find WORDS" looks for one$/], ['call one/ech', /^no server has a tool one\/ech; did you mean one\/echo\?$/], ['zzzzzzzz', /^there is no command zzzzzzzz; "help" lists them$/], ['lst', /^there is no command lst; did you mean list\?$/],
    ['/zzzzzzzz', /^no server has a prompt zzzzzzzz; "\/" lists them$/], ['/greet', /^several servers have greet: \/one\/greet, \/two\/greet$/], ['/one/greet', /^\/one\/greet needs who=…$/], ['/one/greet whom=x', /^\/one\/greet needs who=…$/], ['say "x', /^a " is not closed$/],
  ] as const) {
    const { code, out, err } = await pipe([line]);
    assert.deepEqual([code, out], [2, ''], line);
    assert.match(err.trimEnd(), why, line);
  }
  assert.deepEqual((({ code, out, err }) => [code, out, err])(await pipe(['', '  ', '# list', 'quit', 'list'])), [0, '', '']);
  assert.deepEqual((({ code, out, err }) => [code, out, err])(await pipe(['exit', 'list'])), [0, '', '']);
  // The first failure is the exit code.
  assert.deepEqual([(await pipe(['call one/fail', 'zzz'], '--yes')).code, (await pipe(['zzz', 'call one/fail'], '--yes')).code, (await pipe(['read one none:such'])).code], [1, 2, 1]);
});

test('host: help, grants, log, stop, refresh and prompts', async (t) => {
  const { pipe, home } = await made(t);
  const { out } = await pipe(['help', 'grants', 'revoke one/x', 'refresh', 'refresh one', 'changes', 'get one greet who=Ada', '/one/greet who=Eve', 'stop one', 'read one test://hello']);
  const lines = out.trimEnd().split('\n');
  assert.deepEqual(lines.slice(0, 2), ['  servers                                                all servers: state, revision, what they offer', '  list [SERVER]                                          tools, resources and prompts']);
  assert.ok(lines.includes('  /[SERVER/]PROMPT [key=value] ...                       gets a prompt; "/" lists them') && lines.includes('  quit                                                   ends'), out);
  assert.deepEqual(lines.slice(lines.findIndex((line) => line.startsWith('  quit')) + 1), ['none', 'There was no permission for it.', 'No tool has changed since it was accepted.', 'No tool has changed since it was accepted.', 'No tool has changed since it was accepted.', 'Greet Ada.', 'Greet Eve.', 'hello from a resource']);
  const json = (await pipe(['grants', 'revoke one/x', 'changes', '/'], '--json')).out.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown);
  assert.deepEqual(json.slice(0, 3), [[], { revoked: 0 }, []]);
  assert.deepEqual((json[3] as { server: string; item: { name: string } }[]).map(({ server, item }) => [server, item.name]), [['one', 'greet']]);
  const file = readFileSync(join(home, 'activity.jsonl'), 'utf8').trimEnd().split('\n');
  assert.ok(file.length > 3 && file.length < 20);
  const all = await pipe(['log']);
  assert.deepEqual(all.out.trimEnd().split('\n').slice(0, file.length).map((line) => line.slice(0, 24)), file.map((line) => new Date((JSON.parse(line) as { at: number }).at).toISOString()));
  const two = (await pipe(['log 2'], '--json')).out.trimEnd().split('\n');
  assert.equal(two.length, 2);
  for (const line of two) assert.equal(typeof JSON.parse(line), 'object');
  assert.match((await pipe(['/'])).out, /^prompt +arguments +description\n.*\n\/one\/greet +who +Greets\n$/);
});

test('host: a server without prompts or tools; words of a server that is down', async (t) => {
  const { pipe, home } = await made(t, new McpServer({ name: 'empty', version: '1' }));
  assert.equal((await pipe(['/', 'list'])).out, 'No server has prompts.\nnone\n');
  writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: { down: { url: 'http://127.0.0.1:1/mcp' } } }));
  const down = await pipe(['read down a:b']);
  assert.equal(down.code, 4, down.err);
  assert.match(down.err, /^down is down\n│ /);
});

test('pins and accept: a changed, a renamed and a new tool; accepting one by its name', async (t) => {
  const server = new McpServer({ name: 'changing', version: '1' });
  const first = server.tool('first', { description: 'Sends a letter', input: nothing }, () => 'x');
  const second = server.tool('second', { description: 'Reads a letter', input: nothing }, () => 'x');
  const { pipe, run, home } = await made(t, server);
  const pins = (...words: string[]): Promise<Ran> => run(['pins', ...words]);
  assert.deepEqual([(await pins()).out, (await pins('--json')).out], ['No tool has changed since it was accepted.\n', '[]\n']);
  first.update({ description: 'Sends a letter, and a copy' });
  second.update({ description: 'Reads a letter aloud' });
  const changed = await pins();
  assert.equal(changed.code, 3, changed.err);
  assert.equal(changed.out, ['one/first is changed', '│ - description: "Sends a letter"', '│ + description: "Sends a letter, and a copy"', 'one/second is changed', '│ - description: "Reads a letter"', '│ + description: "Reads a letter aloud"', ''].join('\n'));
  const json = await pins('--json', 'one/second');
  assert.deepEqual([json.code, (JSON.parse(json.out) as { name: string }[]).map(({ name }) => name)], [3, ['second']]);
  // A misspelt name is not a tool that has not changed, and nothing of it is accepted.
  for (const words of [['one/frst'], ['--accept', 'one/frst'], ['--accept', 'one/first', 'two/first']]) {
    const none = await pins(...words);
    assert.deepEqual([none.code, none.out, /no server has a tool (one\/frst; did you mean one\/first\?|two\/first)/.test(none.err)], [2, '', true], none.err);
  }
  // The prompt shows them when it lists the server, and accepts one.
  const shell = await pipe(['changes', 'refresh one', 'accept one/first', 'changes', 'accept one/first']);
  assert.deepEqual([shell.code, shell.err.split('\n').filter((line) => line.startsWith('there is no pending'))], [2, ['there is no pending change of one/first']]);
  assert.deepEqual(shell.out.split('\n').filter((line) => line.startsWith('one/')), ['one/first is changed', 'one/second is changed', 'one/first is changed', 'one/second is changed', 'one/second is changed'].slice(-shell.out.split('\n').filter((line) => line.startsWith('one/')).length));
  const accepted = await pins('--accept', 'one/second');
  assert.equal(accepted.code, 0);
  assert.match(accepted.out, /^one\/second is changed\n/);
  assert.equal((await pins()).out, 'No tool has changed since it was accepted.\n');
  const again = await pins('--accept', 'one/second');
  assert.deepEqual([again.code, /there is no pending change of one\/second/.test(again.err)], [2, true], again.err);
  // A server that is down may have changed.
  const { mcpServers } = JSON.parse(readFileSync(join(home, 'servers.json'), 'utf8')) as { mcpServers: object };
  writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: { ...mcpServers, one: { url: 'http://127.0.0.1:1/mcp' } } }));
  for (const words of [[], ['one/first'], ['--accept', 'one/first']]) {
    const down = await pins(...words);
    assert.deepEqual([down.code, down.out, /one was not reached\n│ /.test(down.err)], [4, '', true], down.err);
  }
});

test('host at a terminal: consent once, for the session and always; grants are listed and revoked; a model is the person', async (t) => {
  const server = fixture();
  server.tool('think', { input: nothing, annotations: { readOnlyHint: true } }, async (_args, ctx) => {
    const { content } = await ctx.sample({ maxTokens: 9, systemPrompt: 'Be short', messages: [{ role: 'user', content: { type: 'text', text: 'hm?' } }] });
    return JSON.stringify(content);
  });
  server.tool('read_then_change', { input: nothing }, () => 'x');
  const { terminal, home } = await made(t, server);
  const { code, out } = await terminal(['host'],
    [/1 servers; "help" lists the commands, "quit" ends\.\n[^]*barewire> /, 'call wipe\n'], [/one will run wipe[^]*\[N\]o: /, 'a\n'], [/│ wiped\n[^]*barewire> /, 'grants\n'],
    [/one\/wipe {2}since \d{4}-[^]*barewire> /, 'call wipe\n'], [/│ wiped\n[^]*barewire> /, 'revoke one/wipe\n'], [/From now on each call needs consent again\.[^]*barewire> /, 'call wipe\n'],
    [/\[N\]o: /, 'n\n'], [/wipe was not called: the person declined[^]*barewire> /, 'call think\n'],
    [/one asks a model, for at most 9 tokens:[^]*Answer it, in the place of a model\? \[y\/N\] /, 'y\n'], [/The answer: /, 'forty-two\n'], [/│ .*"text":"forty-two"[^]*barewire> /, 'zzz\n'],
    [/there is no command zzz[^]*barewire> /, 'quit\n']);
  assert.equal(code, 0, out);
  assert.ok(readFileSync(join(home, 'activity.jsonl'), 'utf8').includes('"always"'));
});

test('host at a terminal: Ctrl-C at the prompt ends it with 130, and a model that nobody plays is an error', async (t) => {
  const server = fixture();
  server.tool('think', { input: nothing, annotations: { readOnlyHint: true } }, async (_args, ctx) => JSON.stringify(await ctx.sample({ maxTokens: 9, messages: [] })));
  const { terminal } = await made(t, server);
  const { code, out } = await terminal(['host', '--yes'], [prompt, 'call think\n'], [/Answer it[^]*\] /, 'n\n'], [/sampling was refused[^]*barewire> /, '\u0003']);
  assert.equal(code, 130, out);
});

test('call at a terminal: missing arguments are asked for, consent is asked, progress is a bar, and results are coloured', async (t) => {
  const { terminal, run } = await made(t);
  const typed = await terminal(['call', 'one', 'echo'], [/barewire asks:[^]*Arguments of echo[^]*text: /, 'typed\n'], [/Send it\? [^]*: /, '\n']);
  assert.equal(typed.code, 0, typed.out);
  assert.match(typed.out, /\ntyped\n$/);
  const declined = await terminal(['call', 'one', 'echo'], [/text: /, ':decline\n']);
  assert.deepEqual([declined.code, /barewire: the arguments were not given\n/.test(declined.out)], [3, true], declined.out);
  const yes = await terminal(['call', 'one', 'wipe'], [/one will run wipe[^]*Run it\? \[y\/N\] /, 'y\n']);
  assert.deepEqual([yes.code, /wipe is called, because the person consented\.\nwiped\n$/.test(yes.out)], [0, true], yes.out);
  const no = await terminal(['call', 'one', 'wipe'], [/Run it\? \[y\/N\] /, 'n\n']);
  assert.deepEqual([no.code, /wipe was not called: the person did not consent/.test(no.out)], [3, true], no.out);
  const form = await terminal(['call', 'one', 'ask'], [/one asks:[^]*Which seat\?[^]*seat \[aisle\]: /, 'window\n'], [/Send it\? [^]*: /, '\n']);
  assert.deepEqual([form.code, /\na window seat\n$/.test(form.out)], [0, true], form.out);
  const defaults = await terminal(['call', '--defaults', 'one', 'ask']);
  assert.match(defaults.out, /The form is accepted with its defaults[^]*a aisle seat\n$/);
  const slow = await terminal(['call', 'one', 'slow'], [/██░+ {2}10 % begun/, '\u0003']);
  assert.equal(slow.code, 130, slow.out);
  const colour = await run(['call', 'one', 'fail'], { columns: 80, env: { NO_COLOR: undefined, FORCE_COLOR: '1' } });
  assert.ok(colour.out.includes('no seats left') && colour.code === 1, colour.out);
});

test('Ctrl-C within a form, or a question for consent, ends barewire call with 130', async (t) => {
  const { terminal } = await made(t);
  for (const [words, shown] of [[['ask'], /seat \[aisle\]: /], [['wipe'], /Run it\? \[y\/N\] /], [['echo'], /text: /]] as const) {
    assert.equal((await terminal(['call', 'one', ...words], [shown, '\u0003'])).code, 130, words.join());
  }
});

test('config at a terminal: the change is shown, and written only after a yes', async (t) => {
  const { terminal, home } = await made(t);
  const file = join(home, 'servers.json');
  const before = readFileSync(file, 'utf8');
  for (const answer of ['n', '', 'yesno', 'xy']) {
    const no = await terminal(['config', 'add', 'two', 'https://x.example/mcp'], [/\+ "two": \{[^]*Write it\? \[y\/N\] /, `${answer}\n`]);
    assert.deepEqual([no.code, /barewire: nothing was written\n/.test(no.out), readFileSync(file, 'utf8')], [3, true, before], no.out);
  }
  for (const [name, answer] of [['two', 'y'], ['three', ' YES ']] as const) {
    const yes = await terminal(['config', 'add', name, 'https://x.example/mcp'], [/Write it\? \[y\/N\] /, `${answer}\n`]);
    assert.deepEqual([yes.code, /Written\.\n$/.test(yes.out)], [0, true], yes.out);
  }
  assert.deepEqual(Object.keys((JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: object }).mcpServers), ['one', 'two', 'three']);
});

test('accept: the file of the folder is shown, and accepted by a yes, by its digest or not; forgetting it asks again', async (t) => {
  const { run, terminal, home } = await made(t);
  const file = join(home, 'folder/.mcp.json');
  writeFileSync(file, '{"mcpServers": {"x": {"command": "y", "env": {"KEY": "${KEY}"}}}}');
  const no = await terminal(['accept'], [/This folder has a file of servers that is not yours: [^]*│ {3}"mcpServers"[^]*Accept it\? \[y\/N\] /, 'n\n']);
  assert.deepEqual([no.code, /barewire: it was not accepted\n/.test(no.out)], [3, true], no.out);
  assert.deepEqual((await run(['accept', '--forget'])).out, 'It was not accepted.\n');
  const yes = await terminal(['accept', '.mcp.json'], [/Accept it\? \[y\/N\] /, 'y\n']);
  assert.deepEqual([yes.code, yes.out.endsWith(`${file} is accepted, until it changes.\n`)], [0, true], yes.out);
  const again = await run(['accept']);
  assert.deepEqual([again.code, again.out.startsWith(`A file of servers of this folder, which you accepted: ${file}\n`), again.out.endsWith(`${file} is accepted, until it changes.\n`)], [0, true, true], again.out);
  const [, digest = ''] = /SHA-256: ([\da-f]{64})/.exec(again.out) ?? [];
  assert.deepEqual((await run(['accept', '--forget'])).out, 'The acceptance was withdrawn.\n');
  const wrong = await run(['accept', '--digest', digest.replaceAll(/\d/g, '0')]);
  assert.deepEqual([wrong.code, wrong.err], [3, `barewire: it was not accepted: its digest is ${digest}\n`]);
  assert.equal((await run(['accept', '--digest', digest, file])).code, 0);
  rmSync(file);
  assert.deepEqual((await run(['accept', '--forget'])).out, 'The acceptance was withdrawn.\n');
  writeFileSync(file, '{');
  const broken = await run(['accept']);
  assert.deepEqual([broken.code, broken.err.startsWith(`barewire: ${file}: `)], [2, true], broken.err);
});

test('host --verbose shows what a server writes to stderr, with its name; what it says is in frames', async (t) => {
  const { home, pipe } = await made(t);
  const script = 'console.error("words\\u001b"); process.stdin.resume(); setImmediate(() => process.exit(1))';
  writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: { loud: { command: process.execPath, args: ['-e', script] } } }));
  assert.match((await pipe(['list'], '--verbose')).err, /^loud │ words\\x1b$/m);
  assert.doesNotMatch((await pipe(['list'])).err, /^loud │/m);
});

test('host: a tool that was renamed is called by its new name only after its change was accepted', async (t) => {
  const server = new McpServer({ name: 'renaming', version: '1' });
  const tool = server.tool('old_name', { description: 'Sends a letter', input: nothing }, () => 'x');
  const { pipe, terminal } = await made(t, server);
  await pipe(['list']);
  tool.remove();
  server.tool('new_name', { description: 'Sends a letter', input: nothing }, () => 'sent');
  const refused = await pipe(['refresh', 'call new_name'], '--yes');
  assert.equal(refused.code, 3, refused.err);
  assert.match(refused.out + refused.err, /one\/new_name was renamed: it was old_name|one\/new_name was renamed: it was one\/old_name/);
  const accepted = await terminal(['host', '--yes'], [prompt, 'refresh\n'], [prompt, 'call one/new_name\n'], [/Accept its current definition\? \[y\/N\] /, 'y\n'], [/│ sent\n[^]*barewire> /, 'quit\n']);
  assert.equal(accepted.code, 0, accepted.out);
});
