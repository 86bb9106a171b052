// Saved calls, in a file that others also write; and servers imported from other applications.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { PageError, SavedCalls } from '../../src/host/index.ts';
import { callFileBeside } from '../../src/server/call-file.ts';
import { hostOf, sampleServer, TestPage } from './harness.ts';
import type { Ending } from './harness.ts';

async function file(t: Ending, text?: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'barewire-calls-'));
  t.after(() => rm(folder, { recursive: true }));
  if (text !== undefined) await writeFile(join(folder, 'servers.calls.json'), text);
  return join(folder, 'servers.json');
}

test('a call is kept under its name with its own digits, one a line, in one order, and is replaced and removed by its name', async (t) => {
  const configuration = await file(t);
  const calls = new SavedCalls(callFileBeside(configuration));
  const path = configuration.replace('.json', '.calls.json');
  assert.equal(calls.path, path);
  calls.save({ server: 'zoo', tool: 'add', name: 'b', args: '{"a": 1.10, "b": 9007199254740993}' });
  calls.save({ server: 'zoo', tool: 'add', name: 'a', args: '{}' });
  assert.equal(await readFile(path, 'utf8'), `{
  "calls": [
    { "server": "zoo", "tool": "add", "name": "a", "arguments": {} },
    { "server": "zoo", "tool": "add", "name": "b", "arguments": {"a":1.10,"b":9007199254740993} }
  ]
}
`);
  assert.deepEqual(JSON.parse(await readFile(path, 'utf8')).calls.length, 2);
  calls.save({ server: 'zoo', tool: 'add', name: 'b', args: '{"a":2}' });
  assert.deepEqual(calls.views, [{ server: 'zoo', tool: 'add', name: 'a', args: '{}', own: true }, { server: 'zoo', tool: 'add', name: 'b', args: '{"a":2}', own: true }]);
  calls.remove({ server: 'zoo', tool: 'add', name: 'a' });
  calls.remove({ server: 'zoo', tool: 'add', name: 'b' });
  assert.equal(await readFile(path, 'utf8'), '{\n  "calls": []\n}\n');
  assert.equal((await stat(path)).mode & 0o022, 0);
});

test('what others wrote stays, and is not the own; what is no file of calls is refused and not changed', async (t) => {
  const theirs = '{ "server": "zoo", "tool": "add", "name": "__proto__", "arguments": {"a":1} }';
  const configuration = await file(t, `{"calls":[${theirs}]}`);
  const kept = callFileBeside(configuration);
  const calls = new SavedCalls(kept);
  calls.save({ server: 'zoo', tool: 'add', name: 'mine', args: '{}' });
  assert.deepEqual(calls.views.map(({ name, own }) => [name, own]), [['__proto__', false], ['mine', true]]);
  // A saved call whose arguments someone else changed is no longer the person's own.
  kept.write(kept.read().replace('"name": "mine", "arguments": {}', '"name": "mine", "arguments": {"x":1}'));
  assert.equal(calls.views.find(({ name }) => name === 'mine')?.own, false);
  for (const text of ['{"calls":', '[]', '{"calls":{}}', '{"calls":[1]}', '{"calls":[{"server":"a","tool":"b","name":"c","arguments":[]}]}', `{"calls":[${Array(1001).fill(theirs).join()}]}`, `{"calls":[],"x":"${'x'.repeat(1_000_000)}"}`]) {
    kept.write(text);
    assert.throws(() => calls.views, { code: 'bad-config' }, text.slice(0, 60));
    assert.throws(() => calls.save({ server: 'zoo', tool: 'add', name: 'new', args: '{}' }), { code: 'bad-config' });
    assert.equal(kept.read(), text);
  }
});

test('a call without a name, with a long one, with too much, or with what is no object is not kept', async (t) => {
  const calls = new SavedCalls(callFileBeside(await file(t)));
  const call = { server: 'zoo', tool: 'add', name: 'one', args: '{}' };
  for (const wrong of [{ name: ' ' }, { name: 'x'.repeat(81) }, { args: '[]' }, { args: '{' }, { args: `{"a":"${'x'.repeat(100_000)}"}` }]) {
    assert.throws(() => calls.save({ ...call, ...wrong }), { code: 'bad-params' });
  }
  assert.deepEqual(calls.views, []);
});

test('the page tells all tabs of calls that are kept, and comes up although their file is none', async (t) => {
  const path = await file(t);
  const host = hostOf(t, { one: sampleServer() }, { savedCalls: new SavedCalls(callFileBeside(path)) });
  const [page, other] = [new TestPage(host, 'a'), new TestPage(host, 'b')];
  assert.deepEqual(page.welcome.saved?.calls, []);
  await page.ask('saved.save', { server: 'one', tool: 'add', name: 'two', args: '{"a":1,"b":1}' });
  assert.deepEqual((await other.seen('saved')).calls.map(({ name }) => name), ['two']);
  await page.ask('saved.remove', { server: 'one', tool: 'add', name: 'two' });
  await other.seen('saved', ({ calls }) => calls.length === 0);
  await writeFile(path.replace('.json', '.calls.json'), 'no file of calls');
  const late = new TestPage(host, 'c');
  assert.deepEqual(late.welcome.saved?.calls, []);
  await late.seen('trouble', ({ message }) => message.includes('.calls.json'));
  await assert.rejects(new TestPage(hostOf(t, { one: sampleServer() }), 'd').ask('saved.save', { server: 'one', tool: 'add', name: 'x', args: '{}' }), { code: 'not-here' });
});

test('servers of another application are shown without secrets, added as they were shown, and not started', async (t) => {
  let text = 'a secret';
  const host = hostOf(t, { one: sampleServer() }, {
    importing: {
      applications: ['other'],
      read: (name) => Promise.resolve(name === 'other' ? { paths: ['/home/ada/other.json'], servers: { one: { command: 'x' }, two: { command: 'node', args: ['two.js'], env: { KEY: text } }, three: { url: 'http://127.0.0.1:1/mcp' } } } : undefined),
    },
  });
  const page = new TestPage(host, 'a');
  assert.deepEqual(page.welcome.features.imports, ['other']);
  await assert.rejects(page.ask('import.look', { from: 'nobody' }), (thrown) => thrown instanceof Error && (thrown as PageError).code === 'not-here');
  await assert.rejects(page.ask('import.add', { from: 'other', names: ['two'] }), { code: 'changed' });
  const { entries, paths } = await page.ask('import.look', { from: 'other' });
  assert.deepEqual([paths, entries.map(({ name, taken }) => [name, taken])], [['/home/ada/other.json'], [['one', true], ['two', false], ['three', false]]]);
  assert.deepEqual(entries[1]?.target, { kind: 'program', command: 'node', args: ['two.js'], cwd: null, env: ['KEY'] });
  text = 'another';
  await page.ask('import.add', { from: 'other', names: ['one', 'two'] });
  const { server } = await page.seen('server', (news) => news.server.name === 'two');
  assert.deepEqual([server.state, server.source, server.connection], ['resting', 'typed', 0]);
  assert.deepEqual(host.entry('two').config, { command: 'node', args: ['two.js'], env: { KEY: 'a secret' } });
  assert.ok(!JSON.stringify(page.heard).includes('a secret'));
});
