import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { script } from '../executables/folder.ts';
import { inProcess } from './in-process.ts';
import type { InProcess, Ran } from './in-process.ts';
import { barewire } from './program.ts';

const unix = process.platform === 'win32' ? 'scripts with #! are for Unix' : false;
const folder = mkdtempSync(join(tmpdir(), 'barewire-serve-'));
chmodSync(folder, 0o755);
test.after(() => rmSync(folder, { recursive: true, force: true }));

function add(name: string, text: string, mode: number = 0o755): void {
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), mode);
}

const parameters = { properties: { who: { type: 'string' } }, required: ['who'] };
add('hello', script({ name: 'hello', description: 'Says hello', parameters, annotations: { readOnlyHint: true } }, 'echo "{\\"result\\": \\"hello from $GREETER\\"}"'));

const run = (words: readonly string[], onErr?: InProcess['onErr']): Promise<Ran> => inProcess(words, { env: { BAREWIRE_HOME: folder }, ...onErr && { onErr } });

const serving = ['--', process.execPath, barewire, 'serve', '--env', 'GREETER=barewire', folder];

test('serve: the tools of a folder over stdio', { skip: unix }, async () => {
  const { code, out } = await run(['list', '--json', 'tools', ...serving]);
  assert.equal(code, 0);
  const { tools } = JSON.parse(out) as { tools: { name: string; inputSchema: object }[] };
  assert.deepEqual(tools.map(({ name, inputSchema }) => [name, inputSchema]), [['hello', { type: 'object', ...parameters }]]);
  const called = await run(['call', 'hello', 'who=me', ...serving]);
  assert.deepEqual([called.code, called.out], [0, 'hello from barewire\n']);
});

test('serve: over HTTP, until it is told to end', { skip: unix }, async () => {
  add('slow', script({ name: 'slow', annotations: { readOnlyHint: true } }, 'sleep 60'));
  add('limited', script({ name: 'limited', annotations: { readOnlyHint: true } }, 'printf \'{"result": "%s"}\\n\' "$(grep "Max data size" /proc/self/limits | tr -s " ")"'));
  let called: Promise<Ran[]> | undefined;
  const { code, err } = await run(['serve', '--port', '0', '--env', 'GREETER=http', '--time', '0.4', '--memory', '100.5', folder], (said, signal) => {
    const [, url] = /serving (http:\S+)/.exec(said) ?? [];
    if (url !== undefined) called ??= Promise.all([['hello', 'who=me'], ['slow'], ['limited']].map((words) => run(['call', url, ...words]))).finally(() => signal('SIGTERM'));
  });
  assert.equal(code, 143);
  const [hello, slow, limited] = await called ?? [];
  assert.equal(hello?.out, 'hello from http\n');
  // The options are limits of the runs, each in its unit.
  assert.match(`${slow?.out}${slow?.err}`, /slow took longer than 400 ms/);
  if (err.includes('prlimit')) assert.match(limited?.out ?? '', /^Max data size 105381888 105381888 /);
  for (const name of ['slow', 'limited']) rmSync(join(folder, name));
});

test('serve --check: says what would be served, what bounds it, and what is wrong', { skip: unix }, async () => {
  const good = await run(['serve', '--check', folder]);
  assert.equal(good.code, 0);
  assert.match(good.out, /^tools: hello\nbounded by: .*time and output/);
  add('unsafe', '#!/bin/sh\n', 0o777);
  const bad = await run(['serve', '--check', '--json', folder]);
  assert.equal(bad.code, 1);
  assert.deepEqual((JSON.parse(bad.out) as { tools: string[] }).tools, ['hello']);
  assert.match(bad.err, /unsafe is not served: it is writable by others/);
});

test('serve: wrong words end with 2, and the help says that it executes', async () => {
  for (const words of [[], ['a', 'b'], ['./no-such-folder'], [folder, '--time', 'x'], [folder, '--env', 'x'], [folder, '--user', 'no-such-user']]) {
    assert.equal((await run(['serve', ...words])).code, 2, words.join(' '));
  }
  assert.match((await run(['serve', '--help'])).out, /THIS EXECUTES THEM/);
});

test('serve --check: limits of the command line, and no tools', { skip: unix }, async (t) => {
  const empty = mkdtempSync(join(tmpdir(), 'barewire-serve-'));
  t.after(() => rmSync(empty, { recursive: true, force: true }));
  chmodSync(empty, 0o755);
  const none = await run(['serve', '--check', '--time', '0.1', '--memory', '16', '--processes', '1', empty]);
  assert.deepEqual([none.code, none.out.split('\n')[0]], [0, 'tools: none'], none.err);
  assert.match((await run(['serve', '--check', '--json', empty])).out, /^\{"tools":\[\],"confinement":"[^"]+"(?:,"warning":"[^"]*")?\}\n$/);
});
