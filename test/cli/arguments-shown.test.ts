import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { checkArguments } from '../../src/cli/argument-check.ts';
import { describeTool } from '../../src/cli/describe-tool.ts';
import { didYouMean } from '../../src/cli/near-miss.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { style } from '../../src/host/node/style.ts';
import { fixture } from './fixture.ts';
import { inProcess } from './in-process.ts';
import type { Ran } from './in-process.ts';
import { barewire } from './program.ts';
import { programAt } from '../program-at.ts';

// The command's output about arguments, the arguments that it accepts, and those that it refuses before anything is sent.
const program = [process.execPath, programAt('test/cli/fixture-server.js')];
const home = realpathSync(mkdtempSync(join(tmpdir(), 'barewire-arguments-')));
test.after(() => rmSync(home, { recursive: true, force: true }));
const serving = serveHttp(fixture());
test.after(async () => (await serving).close({ drainMs: 0 }));
const configured = serving.then(({ url }) => writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: { here: { url } } })));

async function run(words: readonly string[], input: string = ''): Promise<Ran> {
  await configured;
  return inProcess(words, { env: { BAREWIRE_HOME: home }, input });
}

/** Runs the command in a separate process, in the user's folder, where it reads the real stdin. */
async function asProcess(words: readonly string[], input: string): Promise<Ran> {
  await configured;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [barewire, ...words], { stdio: 'pipe', cwd: home, env: { ...process.env, BAREWIRE_HOME: home, NO_COLOR: '1' } });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.stdin.on('error', () => {}).end(input);
    child.on('error', reject).on('close', (code) => resolve({ code, out, err }));
  });
}

test('a tool is shown with its signature, types, defaults, bounds and an example that its schema accepts', () => {
  const lines = describeTool({
    name: 'book', description: 'Books\na seat', outputSchema: { type: 'object', properties: { seat: {} } },
    inputSchema: {
      type: 'object', required: ['to', 'class'],
      properties: { to: { type: 'string', description: 'Where to' }, class: { enum: ['first', 'second'] }, seats: { type: 'integer', minimum: 1, maximum: 9, default: 2 }, tags: { type: 'array', items: { type: 'string' } } },
    },
  }, { style: style(false), columns: 100, target: ['here', ''] });
  assert.equal(lines[0], 'book to=STRING class=FIRST | SECOND [seats=INTEGER] [tags=LIST OF STRING]');
  assert.ok(lines.some((line) => /^seats +integer, from 1, to 9, default 2$/.test(line)), lines.join('\n'));
  assert.ok(lines.includes('It returns object of seat.'));
  assert.equal(lines.at(-1), 'Example:  barewire call here book to=example class=first');
});

test('call TARGET TOOL --help and list TARGET tools NAME show it', async () => {
  const { code, out } = await run(['call', 'here', 'echo', '--help']);
  assert.equal(code, 0);
  assert.match(out, /^echo text=STRING \[times=INTEGER\]\n\nSays it again\n[^]*Example: {2}barewire call here echo text=example\n$/);
  assert.equal((await run(['list', 'here', 'tools', 'echo'])).out, out);
  assert.match((await run(['call', 'echo', '-h', '--', ...program])).out, /Example: {2}barewire call echo text=example -- \S/);
  assert.match((await run(['list', 'here', 'prompts', 'greet'])).out, /^greet who=TEXT\n/);
  assert.match((await run(['call', '--help'])).out, /^barewire call /);
});

test('names of servers, tools, kinds and arguments that are nearly right are suggested, and nothing is sent', async () => {
  for (const [words, why] of [
    [['call', 'her', 'echo'], /no server is called her; did you mean here\?/], [['call', 'here', 'ehco', 'text=x'], /there is no tool ehco; did you mean echo\?/],
    [['call', 'here', 'echo', 'txt=x', 'text=y'], /echo has no argument txt; did you mean text\?/], [['call', 'here', 'echo', 'text=x', 'colour=y'], /echo has no argument colour; there are text, times/],
    [['call', 'here', 'echo', 'text=x', 'times=often'], /echo: times .*integer/], [['list', 'here', 'tool'], /tool is not a kind; did you mean tools\?/],
    [['list', 'here', 'tools', 'ehco'], /among the tools there is no ehco; did you mean echo\?/], [['call', 'here', 'echo', '--args', '5'], /--args takes a JSON object/],
  ] as const) {
    const { code, err } = await run(words);
    assert.equal(code, 2, err);
    assert.match(err, why);
  }
  // The server checks the arguments that the command does not check.
  assert.equal((await run(['call', 'here', 'echo', '--unchecked', 'times=often'])).code, 1);
  const { code, err } = await run(['host', '--yes'], 'call ehco text=x\ncall echo txt=x text=y');
  assert.equal(code, 2);
  assert.match(err, /no server has a tool ehco; did you mean echo\?[^]*echo has no argument txt; did you mean text\?/);
});

test('a name is near another one where few letters differ', () => {
  for (const [given, near] of [['lst', 'list'], ['cal', 'call'], ['tools', undefined], ['touch', undefined], ['hots', 'host'], ['', undefined]] as const) {
    assert.equal(didYouMean(given, ['list', 'call', 'host', 'tour']), near === undefined ? '' : `; did you mean ${near}?`, given);
  }
});

test('a schema that leaves its names open, or cannot be read, refuses no name', () => {
  for (const schema of [
    { type: 'object' }, { type: 'object', properties: {}, additionalProperties: true }, { type: 'object', properties: {}, patternProperties: { '^x': {} } },
    { type: 'object', properties: {}, $ref: 'https://example.com/unknown' }, { type: 'object', properties: {}, additionalProperties: { type: 'string' } },
  ] as const) checkArguments({ name: 'open', inputSchema: schema }, { x: 'y' });
  assert.throws(() => checkArguments({ name: 'closed', inputSchema: { type: 'object', properties: {} } }, { x: 'y' }), /closed has no argument x; it takes none/);
});

test('arguments come from files and from stdin, too; the target may stand in either place', async () => {
  writeFileSync(join(home, 'text'), 'from a file\n');
  writeFileSync(join(home, 'all.json'), '{"text": "all of it", "times": 1}');
  const said = async (input: string, ...words: string[]): Promise<string> => {
    const { code, out, err } = await (input === '' ? run(words) : asProcess(words, input));
    assert.equal(code, 0, err);
    return out;
  };
  assert.equal(await said('', 'call', 'here', 'echo', `text=@${join(home, 'text')}`), 'from a file\n\n');
  assert.equal(await said('typed', 'call', 'here', 'echo', 'text=@-'), 'typed\n');
  assert.equal(await said('{"text": "in"}', 'call', 'here', 'echo', '-'), 'in\n');
  assert.equal(await said('', 'call', 'here', 'echo', `@${join(home, 'all.json')}`), 'all of it\n');
  assert.equal(await said('', 'call', 'here', 'echo', '--args', `@${join(home, 'all.json')}`, 'text=later'), 'later\n');
  assert.equal(await said('', 'call', 'echo', 'here', '--args', '{"text":"either place"}'), 'either place\n');
  assert.equal(await said('', 'call', 'here', 'echo', 'text=@@ada'), '@ada\n');
  assert.match(await said('', 'list', 'tools', 'here'), /Tools/);
  const { code, err } = await run(['call', 'here', 'echo', 'text=@nowhere']);
  assert.equal(code, 2);
  assert.match(err, /@nowhere: .*ENOENT.*write @@ for a text that begins with @/);
});

test('--env and --cwd are a program\'s; an address has no use for them', async () => {
  mkdirSync(join(home, 'inner'));
  const script = 'console.error(process.env.WORD, process.cwd()); process.exit(1)';
  const { err } = await run(['list', '--env', 'WORD=given', '--cwd', join(home, 'inner'), '--', process.execPath, '-e', script]);
  assert.ok(err.includes(`given ${join(home, 'inner')}`), err);
  assert.equal((await run(['list', 'http://127.0.0.1:1/mcp', '--cwd', home])).code, 2);
  assert.equal((await run(['list', 'here', '--env', 'WORD'])).code, 2);
});

test('call and host consent alike: rules, then --yes and --allow, then what says that it only reads', async () => {
  const rules = join(home, 'own-rules.json');
  const both = async (tool: string, ...options: string[]): Promise<(number | null)[]> => [
    (await run(['call', 'here', tool, ...options])).code, (await run(['host', ...options], `call here/${tool}`)).code,
  ];
  assert.deepEqual(await both('picture'), [0, 0]);
  assert.deepEqual(await both('picture', '--strict'), [3, 3]);
  assert.deepEqual(await both('wipe'), [3, 3]);
  assert.deepEqual(await both('wipe', '--allow', 'w*'), [0, 0]);
  writeFileSync(rules, JSON.stringify([{ server: 'here', tool: 'wipe', then: 'allow' }, { tool: 'picture', then: 'deny' }, { tool: 'rows', then: 'ask' }]));
  assert.deepEqual(await both('wipe', '--rules', rules), [0, 0]);
  assert.deepEqual(await both('picture', '--yes', '--rules', rules), [3, 3]);
  assert.deepEqual(await both('rows', '--yes', '--rules', rules), [3, 3]);
  // A program is not a configured server, whatever its name.
  assert.equal((await run(['call', 'wipe', '--rules', rules, '--', ...program])).code, 3);
});

test('log: that nothing was logged yet is said, and is no fault', async () => {
  const empty = join(home, 'nobody');
  for (const words of [['log'], ['log', '--verify']]) {
    const { code, err } = await inProcess(words, { env: { BAREWIRE_HOME: empty } });
    assert.equal(code, 0);
    assert.match(err, /there is no activity log yet: barewire host writes it/);
  }
});
