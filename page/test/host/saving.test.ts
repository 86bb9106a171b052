// Saving a server to the configuration: shown first, without secrets, and never over the changes of others.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { readServers } from 'barewire/host';
import { savingTo } from '../../src/server/saving.ts';
import { hostOf, sampleServer, TestPage } from './harness.ts';
import type { Ending } from './harness.ts';

async function file(t: Ending, text?: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'barewire-saving-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'servers.json');
  if (text !== undefined) await writeFile(path, text);
  return path;
}

test('what would be written is shown, holds no value of environment or headers, and can be read again', async (t) => {
  const path = await file(t, '{"mcpServers":{"old":{"command":"old"}},"more":1}');
  const saving = savingTo(path);
  const config = { command: 'node', args: ['a b.js'], tools: { exclude: ['wipe'] }, env: { 'API-KEY': 'secret value' } };
  const { before, after } = saving.propose('new', config);
  assert.equal(await readFile(path, 'utf8'), before, 'nothing is written yet');
  saving.save('new', config, before);
  assert.equal(await readFile(path, 'utf8'), after);
  assert.ok(!after.includes('secret value'));
  assert.deepEqual(JSON.parse(after), { mcpServers: { old: { command: 'old' }, new: { command: 'node', args: ['a b.js'], env: { 'API-KEY': '${API_KEY:-}' }, tools: { exclude: ['wipe'] } } }, more: 1 });
  assert.deepEqual(readServers(JSON.parse(after), () => undefined)['new'], { command: 'node', args: ['a b.js'], tools: { exclude: ['wipe'] }, env: { 'API-KEY': '' } });
  assert.equal((await stat(path)).mode & 0o077, 0);
  assert.deepEqual(await readdir(join(path, '..')), ['servers.json'], 'nothing else is left');
});

test('a file that changed, is not a configuration, or has the name already is not changed', async (t) => {
  const path = await file(t);
  const saving = savingTo(path);
  const config = { url: 'http://127.0.0.1:1/mcp', headers: { authorization: 'Bearer x' } };
  saving.save('one', config, '');
  assert.throws(() => saving.save('two', config, ''), { code: 'changed' });
  assert.throws(() => saving.propose('one', config), { code: 'bad-config', message: /"one" already/ });
  assert.throws(() => saving.propose('two', { command: 'echo', args: ['${HOME}'] }), { code: 'bad-config', message: /variable/ });
  for (const text of ['{"mcpServers":', '[]', '{"mcpServers":[]}']) {
    await writeFile(path, text);
    assert.throws(() => saving.propose('two', config), { code: 'bad-config' }, text);
    assert.equal(await readFile(path, 'utf8'), text);
  }
});

test('the page keeps only what was typed in, and only where there is a configuration', async (t) => {
  const path = await file(t);
  const kept = new TestPage(hostOf(t, { one: sampleServer() }, { saving: savingTo(path) }), 'a');
  assert.equal(kept.welcome.features.save, true);
  await assert.rejects(kept.ask('server.saving', { server: 'one' }), { code: 'not-here' });
  await kept.ask('server.add', { name: 'typed', target: { command: 'no such program' } });
  const { before, path: shown } = await kept.ask('server.saving', { server: 'typed' });
  assert.equal(shown, path);
  await kept.ask('server.save', { server: 'typed', before });
  await kept.seen('server', ({ server }) => server.name === 'typed' && server.source === 'configuration');
  assert.match(await readFile(path, 'utf8'), /no such program/);
  const none = new TestPage(hostOf(t, { one: sampleServer() }), 'a');
  assert.equal(none.welcome.features.save, false);
  await assert.rejects(none.ask('server.saving', { server: 'one' }), { code: 'not-here' });
});
