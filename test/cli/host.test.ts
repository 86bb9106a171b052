import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { fixture } from './fixture.ts';
import { inProcess } from './in-process.ts';
import type { Ran } from './in-process.ts';
import { programAt } from '../program-at.ts';

// `barewire host` in a pipe and at a terminal, in the test's own process.
const program = [process.execPath, programAt('test/cli/fixture-server.js')];
const serving = serveHttp(fixture());
test.after(async () => (await serving).close({ drainMs: 0 }));

/** A configured server: a program with its arguments, or the fixture by its address. */
type Server = readonly string[] | 'fixture';

/** Creates a user's folder with these servers. */
async function userWith(t: TestContext, servers: Record<string, Server>, rules?: unknown): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'barewire-host-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  await configure(home, servers);
  if (rules !== undefined) writeFileSync(join(home, 'rules.json'), JSON.stringify(rules));
  return home;
}

async function configure(home: string, servers: Record<string, Server>): Promise<void> {
  const { url } = await serving;
  const mcpServers = Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, server === 'fixture' ? { url } : { command: server[0], args: server.slice(1) }]));
  writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers }));
}

const run = (home: string, words: readonly string[], input: string = ''): Promise<Ran> => inProcess(words, { env: { BAREWIRE_HOME: home }, input });
const inPipe = (home: string, lines: string, ...words: string[]): Promise<Ran> => run(home, ['host', '--strict', ...words], lines);
/** Runs at a terminal. `answers`: the text to type after the output has a new match. The last one should end the program. */
const atTerminal = (home: string, answers: readonly (readonly [RegExp, string])[]): Promise<Ran> => inProcess(['host', '--strict'], { cwd: home, env: { BAREWIRE_HOME: home }, columns: 80, typed: answers });

const logOf = (home: string): Record<string, unknown>[] =>
  readFileSync(join(home, 'activity.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);

test('host in a pipe: lists, finds, reads; rules allow and deny; what no rule allows is refused', async (t) => {
  const home = await userWith(t, { one: 'fixture', two: 'fixture', gone: ['./no-such-program'] }, [
    { server: 'one', tool: 'echo', then: 'allow' }, { tool: 'fail', then: 'allow' }, { tool: 'wipe', then: 'deny' },
  ]);
  const { code, out, err } = await inPipe(home, [
    'servers', 'find say again', 'call one/echo text="hi there" times=2', 'read one test://hello', 'get two greet who=Ada', 'log 5', 'quit', 'servers',
  ].join('\n'));
  assert.equal(code, 0, err);
  for (const part of ['one/echo', 'hi there hi there\n', 'hello from a resource', 'Greet Ada.', 'answered']) assert.ok(out.includes(part), `${part}\n${out}\n${err}`);
  assert.match(err, /gone is down\n│ .*no such program/i);
  const codes = await Promise.all(['call one/wipe', 'call two/echo text=x', 'call echo text=x', 'nonsense', 'call one/fail', 'call one/echo']
    .map(async (line) => (await inPipe(home, line)).code));
  assert.deepEqual(codes, [3, 3, 2, 2, 1, 2]);
  const json = await inPipe(home, 'call one/echo {"text": "as JSON"}', '--json');
  assert.deepEqual(JSON.parse(json.out).content, [{ type: 'text', text: 'as JSON' }]);
  assert.equal((await run(home, ['log', '--verify'])).code, 0);
  const file = join(home, 'activity.jsonl');
  writeFileSync(file, readFileSync(file, 'utf8').replace('"refused"', '"allowed"'));
  const tampered = await run(home, ['log', '--verify']);
  assert.equal(tampered.code, 1);
  assert.match(tampered.out, /is not valid/);
});

test('list, call, tour and host leave out what rules.json and the entry of a server do not offer', async (t) => {
  const home = await userWith(t, { one: 'fixture' }, [{ server: 'one', tool: 'wipe', then: 'deny' }]);
  const file = join(home, 'servers.json');
  const { mcpServers: { one } } = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: { one: object } };
  writeFileSync(file, JSON.stringify({ mcpServers: { one: { ...one, tools: { exclude: ['fail', 'rows', 'slow'] } } } }));
  const json = await run(home, ['list', 'one', 'tools', '--json']);
  const names = (JSON.parse(json.out) as { tools: { name: string }[] }).tools.map(({ name }) => name);
  assert.ok(names.includes('echo') && ['wipe', 'fail', 'rows'].every((name) => !names.includes(name)), names.join());
  assert.match(json.err, /\d tools left out: rules\.json or the entry of the server does not offer them/);
  const wipe = await run(home, ['call', 'one', 'wipe', '--yes']);
  assert.deepEqual([wipe.code, /wipe was not called: rule 0 denies it/.test(wipe.err)], [3, true], wipe.err);
  const fail = await run(home, ['call', 'one', 'fail', '--yes']);
  assert.deepEqual([fail.code, /fail was not called: "tools" of its entry in the configuration leaves it out/.test(fail.err)], [3, true], fail.err);
  assert.equal((await run(home, ['call', 'one', 'fail', '--help'])).code, 3);
  // Suggestions for a misspelt name leave out hidden tools.
  assert.doesNotMatch((await run(home, ['call', 'one', 'wip', '--yes'])).err, /wipe/);
  const shell = await inPipe(home, ['find wipe', 'list one', 'servers', 'call one/fail'].join('\n'));
  assert.match(shell.err, /one\/fail was not called: one has it/);
  assert.match(shell.out, /\d+, \d hidden/);
  assert.doesNotMatch(shell.out, /one\/(?:wipe|fail)/);
  const tour = await run(home, ['tour', '--yes', '--fast', 'one']);
  assert.match(`${tour.out}${tour.err}`, /fail[^]*It is not called: "tools" of its entry/);
});

test('host: a broken server is told of once, however often it is tried and whatever it says', async (t) => {
  const home = await userWith(t, { one: 'fixture', broken: [process.execPath, '-e', 'console.error(`at ${process.hrtime.bigint()}`); process.exit(1)'] });
  const { code, out, err } = await inPipe(home, ['find say', 'call one/echo text=a', 'stop broken', 'find say', 'stop broken', 'find say', 'call one/echo text=b'].join('\n'), '--allow', 'echo');
  assert.equal(code, 0, err);
  assert.match(out, /a\n[^]*b\n/);
  assert.equal(err.match(/^broken/gm)?.length, 1, err);
  assert.match(err, /^broken is down\n│ .*exited with code 1[^\n]*\n│ at \d+$/m);
});

test('host: "/" lists prompts, and gets one', async (t) => {
  const home = await userWith(t, { one: 'fixture', two: 'fixture' });
  const { out, err } = await inPipe(home, ['/', '/one/greet who=Ada', '/greet who=Ada', '/one/gret', '/one/greet', 'fnd x'].join('\n'));
  assert.match(out, /^\/one\/greet +who +Greets\n\/two\/greet +who +Greets\nGreet Ada\.\n$/m);
  assert.match(err, /several servers have greet: \/one\/greet, \/two\/greet\n[^]*did you mean one\/greet\?\n[^]*one\/greet needs who=…\n[^]*did you mean find\?/);
});

test('host: rules that are written wrong are refused before anything starts', async (t) => {
  const home = await userWith(t, { one: 'fixture' });
  for (const [rules, why] of [
    [[{ tol: 'x', then: 'allow' }], /rules\[0\]\.tol is unknown, did you mean tool\?/], [[{ tool: 'x', then: 'yes' }], /rules\[0\]\.then/],
    [{ rules: [{ then: 'allow', annotations: { readonly: true } }] }, /rules\[0\]\.annotations\.readonly is unknown, did you mean readOnlyHint\?/], ['x', /expected a list/],
  ] as const) {
    writeFileSync(join(home, 'bad.json'), JSON.stringify(rules));
    const { code, err } = await inPipe(home, 'servers', '--rules', join(home, 'bad.json'));
    assert.equal(code, 2);
    assert.match(err, why);
  }
});

test('host at a terminal: asks, once and for the session; forms with the name of the server', async (t) => {
  const home = await userWith(t, { one: 'fixture' });
  const { code, out } = await atTerminal(home, [
    [/barewire> /, 'call wipe\n'],
    [/one will run wipe[^]*\[N\]o: /, 'n\n'],
    [/was not called: the person declined[^]*barewire> /, 'call wipe\n'],
    [/\[N\]o: /, 's\n'],
    [/wiped[^]*barewire> /, 'call wipe\n'],
    [/wiped[^]*barewire> /, 'call ask\n'],
    [/one will run ask[^]*\[N\]o: /, 'o\n'],
    [/one asks:[^]*Which seat[^]*seat \[aisle\]: /, 'window\n'],
    [/Send it\? [^]*: /, '\n'],
    [/a window seat[^]*barewire> /, 'grants\n'],
    [/one\/wipe {2}since[^]*barewire> /, 'call echo\n'],
    [/barewire asks:[^]*text: /, 'typed\n'],
    [/Send it\? [^]*: /, '\n'],
    [/one will run echo[^]*\[N\]o: /, 'o\n'],
    [/typed[^]*barewire> /, 'quit\n'],
  ]);
  assert.equal(code, 0, out);
  const decided = logOf(home).filter(({ kind }) => kind === 'decided').map(({ tool, decision, by, reach }) => [tool, decision, by, reach]);
  assert.deepEqual(decided, [
    ['wipe', 'refused', 'user', undefined], ['wipe', 'allowed', 'user', 'session'], ['wipe', 'allowed', 'grant', undefined],
    ['ask', 'allowed', 'user', 'once'], ['echo', 'allowed', 'user', 'once'],
  ]);
});

test('host: a tool that changed since it was allowed for good is shown as a diff, and runs only once that is accepted', async (t) => {
  const home = await userWith(t, { post: [process.execPath, programAt('test/cli/fixture-changing.js'), 'Sends a letter'] });
  const first = await atTerminal(home, [[/barewire> /, 'call send\n'], [/\[N\]o: /, 'a\n'], [/sent[^]*barewire> /, 'quit\n']]);
  assert.equal(first.code, 0, first.out);
  assert.equal((await inPipe(home, 'call send')).out, 'sent\n', 'allowed always');
  await configure(home, { post: [process.execPath, programAt('test/cli/fixture-changing.js'), 'Sends a letter, and a copy to me'] });
  const refused = await inPipe(home, 'call send');
  assert.equal(refused.code, 3);
  assert.match(refused.err, /post\/send[^]*- description: "Sends a letter"[^]*\+ description: "Sends a letter, and a copy to me"/);
  const accepted = await atTerminal(home, [
    [/barewire> /, 'call send\n'], [/and a copy to me[^]*Accept its current definition\? \[y\/N\] /, 'y\n'],
    // The grant was for the old definition.
    [/post will run send[^]*\[N\]o: /, 'o\n'], [/sent[^]*barewire> /, 'quit\n'],
  ]);
  assert.equal(accepted.code, 0, accepted.out);
  assert.deepEqual(logOf(home).filter(({ kind }) => kind === 'pin').map(({ change }) => change).slice(-1), ['accepted']);
});

test('host: one server floods, one hangs and one dies in mid-call; the log says what is known of each', async (t) => {
  const home = await userWith(t, { one: program, two: 'fixture', post: [process.execPath, programAt('test/cli/fixture-changing.js')] }, [{ then: 'allow' }]);
  const { out, err } = await inPipe(home, ['call one/die', 'call post/flood', 'call two/echo text=alive'].join('\n'));
  assert.match(out, /flooded\nalive\n/, err);
  const outcomes = logOf(home).filter(({ kind }) => ['answered', 'failed', 'unknown'].includes(String(kind))).map(({ kind, tool }) => `${tool} ${kind}`);
  assert.deepEqual(outcomes, ['die unknown', 'flood answered', 'echo answered']);
  // Ctrl-C cancels the hanging call. The prompt continues, and the call is logged as `unknown`.
  const hung = await atTerminal(home, [
    [/barewire> /, 'call two/slow\n'], [/begun/, '\u0003'], [/barewire> /, 'call two/echo text=on\n'], [/on\n[^]*barewire> /, 'quit\n'],
  ]);
  assert.equal(hung.code, 0, hung.out);
  assert.ok(logOf(home).some(({ kind, tool, reason }) => kind === 'unknown' && tool === 'slow' && reason === 'cancelled'));
  assert.equal((await run(home, ['log', '--verify'])).code, 0);
});

test('host at a terminal: no word of a server passes for a prompt', async (t) => {
  const home = await userWith(t, { forging: [process.execPath, programAt('test/cli/fixture-forging.js'), '80'] });
  const { code, out } = await atTerminal(home, [
    [/barewire> /, 'call fails\n'],
    [/\nRun it\? [^\n]*: /, 'o\n'],
    [/barewire> /, 'call answers\n'],
    [/\nRun it\? [^\n]*: /, 'o\n'],
    [/barewire> /, 'call asks\n'],
    [/\nRun it\? [^\n]*: /, 'o\n'],
    [/field \[[^]*\]: /, '\n'],
    [/Send it\? [^\n]*: /, '\n'],
    [/accept[^]*barewire> /, 'list\n'],
    [/barewire> /, 'quit\n'],
  ]);
  assert.equal(code, 0, out);
  // The real prompts, one per call, and one that is drawn again before the form, among the more than 20 imitations.
  const lines = out.split(/[\r\n]+/);
  assert.equal(lines.filter((line) => line.startsWith('Run it?')).length, 4, out);
  for (const line of lines) assert.ok(line.length <= 80 || line.startsWith('barewire> '), line);
});
