import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { McpServer } from '../../src/server/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { inProcess } from './in-process.ts';
import { barewire } from './program.ts';
import { programAt } from '../program-at.ts';

// The tour in a pseudo-terminal (util-linux's script), and unabridged messages in a pipe.
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const fixture = programAt('test/cli/fixture-server.js');

test('tour --full prints a long message a line a member, and cuts none', async () => {
  const { out } = await inProcess(['tour', '--full', '--timeout', '2', process.execPath, fixture]);
  assert.match(out, /← \{\n {10} {2}"jsonrpc": "2\.0",/);
  // The sentences about messages are short anyway.
  assert.doesNotMatch(out, /^ *[\d.]+ [→←].*…/m);
});

test('tour --step unfolds the messages of an exchange on demand, a line a member', async () => {
  const child = spawn('script', ['-qec', `stty cols 80; '${process.execPath}' '${barewire}' tour --step --fast --defaults --timeout 2 '${process.execPath}' '${fixture}'`, '/dev/null'],
    { env: { ...process.env, NO_COLOR: '1' }, stdio: 'pipe' });
  const stuck = setTimeout(() => child.kill('SIGKILL'), 45_000);
  let out = '';
  let asked = 0;
  child.stdin.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      for (; out.split('any key goes on').length - 1 > asked; asked++) child.stdin.write(asked === 0 ? 'u' : 'q');
    });
    child.on('error', reject).on('close', () => resolve());
  });
  clearTimeout(stuck);
  const [folded = '', unfolded = ''] = out.replaceAll('\r', '').split(/ {3}any key goes on.*\n/);
  assert.doesNotMatch(folded, /^ {10} {2}"jsonrpc": "2\.0",$/m);
  assert.match(folded, /…$/m);
  assert.match(unfolded, /→ \{\n {10} {2}"jsonrpc": "2\.0",/);
  // q ended the tour at the second stop.
  assert.equal(asked, 2);
});

test('the tour at a terminal: keys at each stop, consent to a call, and Ctrl-C', async (t) => {
  const server = new McpServer({ name: 'small', version: '1' });
  server.tool('wipe', { description: 'Wipes' }, () => 'wiped');
  const serving = await serveHttp(server);
  t.after(() => serving.close({ drainMs: 0 }));
  const words = ['tour', '--fast', '--revision', '2025-11-25', serving.url];
  // After Ctrl-C this process goes on: a client of 2025-11-25 would connect its stream again.
  const interrupted = ['tour', '--fast', '--revision', '2026-07-28', serving.url];
  const stop = /any key goes on; u unfolds what was said, c goes on without waiting, q ends\n/;
  const from = ([name = '', ...more]: readonly string[]) => (options: readonly string[], ...typed: (readonly [RegExp, string | null])[]): ReturnType<typeof inProcess> => inProcess([name, ...options, ...more], { columns: 100, typed });
  const at = from(words);
  const yes = await at([], [/The tour of http[^]*http\S+ will run wipe[^]*Run it\? \[y\/N\] /, 'y\n']);
  assert.deepEqual([yes.code, /\nAll went well\. \d+ messages in \d+\.\d s\.\n$/.test(yes.out)], [0, true], yes.out);
  assert.match(yes.out, /Calling tools +ok +2 +\d+ +1 called/);
  const no = await at([], [/Run it\? \[y\/N\] /, 'n\n']);
  assert.match(no.out, /\(It is not called: the person did not consent\.\)[^]*Calling tools +– +1 tool listed, no/);
  assert.equal((await from(interrupted)([], [/Run it\? \[y\/N\] /, '\u0003'])).code, 130);
  const stepped = await at(['--step', '--yes'], [stop, ' '], [stop, 'u'], [stop, 'c']);
  assert.equal(stepped.code, 0, stepped.out);
  // At the second stop the two messages since the first are printed once more.
  const parts = stepped.out.split(stop);
  assert.deepEqual(parts.slice(1, 3).map((part) => part.match(/^ +\d\.\d{3} [→←] /gm)?.length), [2, 2]);
  assert.equal(parts.length, 4);
  assert.equal((await from(interrupted)(['--step', '--yes'], [stop, 'q'])).code, 0);
  // Without input nobody can press a key: the tour goes on without waiting.
  const left = await at(['--step', '--yes'], [stop, null]);
  assert.deepEqual([left.code, left.out.split(stop).length], [0, 2], left.out);
  // A line of JSON is one line, however narrow the terminal is, and asks nobody.
  const json = await inProcess(['tour', '--json', ...words.slice(1)], { columns: 40 });
  assert.equal(json.out.trimEnd().split('\n').map((line) => JSON.parse(line) as { type: string }).at(-1)?.type, 'end');
  const quiet = await inProcess(['tour', '--quiet', '--timeout', '5', ...words.slice(1)], { columns: 80 });
  assert.match(quiet.out, /^The tour of http[^\n]*\nstep[^]*\nAll went well\./);
  assert.equal((await from(interrupted)(['--step', '--yes'], [stop, '\u0003'])).code, 130);
});
