import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { helpOf } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { fixture } from './fixture.ts';
import { inProcess } from './in-process.ts';
import type { Ran } from './in-process.ts';
import { barewire } from './program.ts';
import { programAt } from '../program-at.ts';

// The command in a pipe; in the test's own process, unless the process itself is tested.
const program = [process.execPath, programAt('test/cli/fixture-server.js')];
const home = mkdtempSync(join(tmpdir(), 'barewire-cli-'));
test.after(() => rmSync(home, { recursive: true, force: true }));

const serving = serveHttp(fixture());
test.after(async () => (await serving).close({ drainMs: 0 }));

const run = (words: readonly string[]): Promise<Ran> => inHome(words).then(({ code, out, err }) => ({ code, out, err }));
const inHome = (words: readonly string[]): ReturnType<typeof inProcess> => inProcess(words, { env: { BAREWIRE_HOME: home } });

/** Runs a command on the fixture. */
const on = async (command: string, ...words: string[]): Promise<Ran> => run([command, (await serving).url, ...words]);

/** Like `on`, with the fixture as a program. */
const onProgram = (...words: string[]): Promise<Ran> => run([...words, '--', ...program]);

/** Runs the command in a separate process. */
function asProcess(words: readonly string[], onErr?: (err: string, interrupt: () => void) => void): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [barewire, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'], cwd: home, env: { ...process.env, BAREWIRE_HOME: home, NO_COLOR: '1' },
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
      onErr?.(err, () => child.kill('SIGINT'));
    });
    child.on('error', reject).on('close', (code) => resolve({ code, out, err }));
  });
}

test('barewire --help fits one screen, and every subcommand has help with an example', async () => {
  const { code, out } = await run(['--help']);
  assert.equal(code, 0);
  assert.ok(out.split('\n').length <= 40, out);
  for (const line of out.split('\n')) assert.ok(line.length <= 100, line);
  const names = [...out.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name = '']) => name);
  assert.ok(names.length >= 9, names.join());
  for (const name of names) {
    const { command } = await commands[name]?.load() ?? assert.fail(name);
    const help = helpOf(name, command);
    assert.match(help, new RegExp(`^barewire ${name} `));
    assert.match(help, /^Example: {2}barewire /m);
    if (name === 'logout') assert.deepEqual(await run([name, '--help']), { code: 0, out: `${help}\n`, err: '' });
  }
});

test('barewire --version', async () => {
  const { version } = JSON.parse(readFileSync(fileURLToPath(new URL('../../../package.json', import.meta.url)), 'utf8')) as { version: string };
  for (const how of [asProcess, run]) for (const word of ['--version', '-V']) assert.deepEqual(await how([word]), { code: 0, out: `${version}\n`, err: '' });
});

test('each part of the command that says a version beside its name takes it from one place', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const said = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(?:cli|doctor)\b.*\.ts$/.test(file))
    .flatMap((file) => [...readFileSync(`${root}src/${file}`, 'utf8').matchAll(/\bname: 'barewire[^}\n]*\bversion\b([^}\n]*)/g)].map(([, is = '']) => [file, is.trim()]));
  assert.ok(said.length > 4, said.join());
  assert.deepEqual(said.filter(([, is]) => is !== ''), []);
});

test('list: everything, some of it, and as JSON', async () => {
  const { code, out } = await on('list');
  assert.equal(code, 0);
  for (const part of ['fixture 1.0.0', 'echo', 'test://hello', 'greet', 'may destroy']) assert.ok(out.includes(part), part);
  const some = JSON.parse((await on('list', '--json', 'prompts')).out) as { prompts: unknown[]; tools: unknown[] };
  assert.deepEqual([some.prompts.length, some.tools.length], [1, 0]);
  assert.equal((await on('list', 'nonsense')).code, 2);
});

test('call: what reads is called; what does not ends with 3 without consent', async () => {
  assert.deepEqual(await on('call', 'echo', 'text=hi there', 'times=2'), { code: 0, out: 'hi there hi there\n', err: 'echo is called, because the server says that it only reads.\n' });
  const refused = await on('call', 'wipe');
  assert.equal(refused.code, 3);
  assert.match(refused.err, /wipe was not called: .*consent with --yes or --allow wipe/);
  assert.equal((await on('call', '--strict', 'echo', 'text=x')).code, 3);
  assert.equal((await on('call', '--yes', 'wipe')).out, 'wiped\n');
  assert.equal((await on('call', '--allow', 'w*', 'wipe')).out, 'wiped\n');
});

test('call: an error of the tool ends with 1, wrong words with 2, a server that dies with 4', async () => {
  const failed = await on('call', 'fail');
  assert.deepEqual([failed.code, failed.out], [1, 'no seats left\n']);
  assert.equal((await on('call', 'nonsense')).code, 2);
  assert.equal((await on('call', 'echo')).code, 2);
  assert.match((await on('call', 'echo')).err, /echo needs text=…/);
  assert.equal((await onProgram('call', 'die')).code, 4);
  const gone = await run(['call', 'x', '--', './no-such-program']);
  assert.equal(gone.code, 4);
  assert.match(gone.err, /was not reached\n│ .*no such program/);
  assert.equal((await run(['call', '--nonsense', 'x'])).code, 2);
  assert.equal((await run(['list', 'http://127.0.0.1:1/mcp'])).code, 4);
});

test('call: arguments are key=value, key:=JSON, or JSON, by the schema', async () => {
  const args = async (...words: string[]): Promise<string> => (await on('call', '--json', 'echo', ...words)).out;
  assert.match(await args('text=5'), /"text":"5"/);
  assert.match(await args('{"text":"a","times":2}'), /"a a"/);
  assert.match(await args('text:="b"', 'times:=3'), /"b b b"/);
});

test('call: in a pipe a result is what the tool said, and pictures are told of or saved', async () => {
  const { out } = await on('call', 'rows');
  assert.deepEqual(JSON.parse(out), { rows: [{ name: 'a', size: 1 }, { name: 'b\u001b[31m', size: 2 }] });
  assert.match((await on('call', 'picture')).err, /image image\/png, 3 bytes/);
  const [, name = ''] = /^.*(image-\d+\.png)\n$/.exec((await on('call', '--save', home, 'picture')).out) ?? [];
  assert.equal(readFileSync(join(home, name), 'utf8'), 'png');
});

test('call: without a person a form is declined, with --defaults it gets its defaults', async () => {
  assert.equal((await on('call', 'ask')).out, 'decline\n');
  assert.equal((await on('call', '--defaults', 'ask')).out, 'a aisle seat\n');
});

test('call: Ctrl-C cancels the call and ends with 130', async () => {
  let told = false;
  const { code } = await asProcess(['call', 'slow', '--', ...program], (err, interrupt) => {
    if (!told && err.includes('begun')) {
      told = true;
      interrupt();
    }
  });
  assert.equal(code, 130);
});

test('read, get and complete', async () => {
  assert.equal((await on('read', 'test://hello')).out, 'hello from a resource\n');
  assert.equal((await on('read', 'test://nothing')).code, 1);
  assert.equal((await on('get', 'greet', 'who=Ada')).out, 'Greet Ada.\n');
  assert.equal((await on('complete', 'greet', 'who=A')).out, 'Ada\nAlan\n');
});

test('watch: --count takes a number from 1 on', async () => {
  for (const count of ['-1', '0', 'abc']) {
    const { code, err } = await on('watch', `--count=${count}`);
    assert.equal(code, 2, count);
    assert.match(err, /--count takes a number from 1 to 1000000000/);
  }
});

test('a name from the configuration', async () => {
  const [command, ...args] = program;
  writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: { here: { command, args } } }));
  assert.equal((await run(['call', 'here', 'echo', 'text=by name'])).out, 'by name\n');
  const unknown = await run(['call', 'elsewhere', 'echo']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.err, /no server is called elsewhere; there are here/);
});

test('a result that lacks what is to be printed is an error that names the place, and no stack; --json prints it as it came', async () => {
  // client/malformed-messages.test.ts breaks each member of each result; here a program must be started for each case.
  const malformed = programAt('test/cli/fixture-malformed.js');
  for (const [words, result, place] of [
    [['call', 'odd'], {}, 'tools/call is malformed: result.content is missing; --json shows it unchanged'],
    [['call', 'odd'], { content: [{ type: 'text', txt: 'x' }] }, 'result.content[0].text is missing'],
    [['read', 'a:b'], { contents: [{ uri: 'a:b' }] }, 'resources/read is malformed: result.contents[0].blob is missing'],
    [['complete', 'p', 'a=b'], { completion: { values: [1] } }, 'result.completion.values[0] must be a string'],
    [['list', 'tools'], { tools: [{}] }, 'tools/list is malformed: result.tools[0].name is missing'],
  ] as const) {
    const server = ['--', process.execPath, malformed, JSON.stringify(result)];
    const { code, err } = await run([...words, ...server]);
    assert.equal(code, 1, err);
    assert.ok(err.includes(place), err);
    assert.ok(!/^    at /m.test(err), err);
    if (words[0] === 'list') continue;
    const out: unknown = JSON.parse((await run([...words, '--json', ...server])).out);
    assert.deepEqual(out, 'completion' in result ? result.completion : result);
  }
  // A content block of an unknown type is printed unchanged.
  const { code, out } = await run(['call', 'odd', '--', process.execPath, malformed, '{"content":[{"type":"film","reel":1}]}']);
  assert.deepEqual([code, out], [0, '{"type":"film","reel":1}\n']);
});

test('who sees a call fail is told that the server wrote to stderr, and how to see it', async () => {
  const failed = await onProgram('call', '--yes', 'broken');
  assert.equal(failed.code, 1);
  assert.match(failed.err, /The server wrote \d+ lines? to stderr: --verbose shows them\./);
  const verbose = await onProgram('call', '--yes', '--verbose', 'broken');
  assert.match(verbose.err, /stderr │ .*the disk is on fire/);
  assert.ok(!verbose.err.includes('--verbose shows them'), verbose.err);
});

test('what a program that fell over said is shown line by line', async () => {
  const { code, err } = await run(['list', '--', process.execPath, '-e', 'console.error("first\\nsecond"); process.exit(1)']);
  assert.equal(code, 4);
  assert.match(err, /its last lines on stderr:\n│ first\n│ second\n/);
});

test('a word that is no command runs nothing; what is near it is suggested', async () => {
  const file = join(home, 'made');
  for (const [words, why] of [
    [['touch', file], /^barewire: there is no command touch\. A program follows "--", as in: barewire -- touch$/m],
    [['--yes', 'touch', file], /there is no command touch\./], [['--timeout', '5', 'touch', file], /there is no command touch\./],
    [['cal', '--yes', 'echo'], /there is no command cal; did you mean call\?/], [['help', 'lst'], /there is no command lst; did you mean list\?/],
    [['--jsno'], /there is no option --jsno; did you mean --json\?/], [['list', '--jsno', 'x'], /there is no option --jsno; did you mean --json\?/],
  ] as const) {
    const { code, out, err } = await run(words);
    assert.deepEqual([code, out, existsSync(file)], [2, '', false], words.join(' '));
    assert.match(err, why);
  }
  assert.match((await run(['--quiet', '--', process.execPath, '-e', 'process.exit(7)'])).out, /exited with code 7/);
});

test('an error of the server is told with its code; --json prints all of it as it came', async () => {
  const json = await on('read', 'none:such', '--json');
  const { error } = JSON.parse(json.out) as { error: { code?: unknown; message?: unknown; data?: unknown } };
  assert.deepEqual([json.code, error.code, error.data], [1, -32602, { uri: 'none:such' }]);
  assert.ok(typeof error.message === 'string' && error.message !== '');
  const plain = await on('read', 'none:such');
  assert.deepEqual([plain.code, plain.out], [1, '']);
  assert.ok(plain.err.includes('The server answered with error -32602:') && plain.err.includes(error.message), plain.err);
});

test('help COMMAND is COMMAND --help', async () => {
  assert.deepEqual(await run(['help', 'read']), await run(['read', '--help']));
});
