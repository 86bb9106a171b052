import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { fixture } from './fixture.ts';
import { inProcess } from './in-process.ts';
import type { Ran } from './in-process.ts';

// `barewire log` and `barewire whoami`: what is kept of a user, as text and as JSON.
const home = mkdtempSync(join(tmpdir(), 'barewire-log-'));
test.after(() => rmSync(home, { recursive: true, force: true }));
const run = (...words: string[]): Promise<Ran> => inProcess(words, { env: { BAREWIRE_HOME: home } });

test('log: every line or those of one server, as it is or in words; a log that is gone is not a new one', async () => {
  const file = join(home, 'other.jsonl');
  const lines = ['{"at":0,"kind":"sent","server":"a","tool":"t"}', '{"kind":"pin","server":"b"}', 'no JSON', '5'];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const said = async (...words: string[]): Promise<unknown[]> => {
    const { code, out, err } = await run('log', '--file', file, ...words);
    assert.deepEqual([code, err], [0, '']);
    return out.split('\n').slice(0, -1);
  };
  assert.deepEqual(await said(), ['1970-01-01T00:00:00.000Z  sent     a/t  {}', '  pin      b  {}', 'no JSON', '5']);
  assert.deepEqual(await said('--server', 'a'), ['1970-01-01T00:00:00.000Z  sent     a/t  {}']);
  assert.deepEqual(await said('--json', '--server', 'b'), [lines[1]]);
  assert.deepEqual(await said('--json'), lines);
  const bad = await run('log', '--verify', '--json', '--file', file);
  assert.equal(bad.code, 1);
  assert.deepEqual((JSON.parse(bad.out) as { ok: boolean }).ok, false);
});

test('log --verify: how many lines hold; a deleted log is told of by the head that is kept apart', async (t) => {
  const serving = await serveHttp(fixture());
  t.after(() => serving.close({ drainMs: 0 }));
  writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: { one: { url: serving.url } } }));
  await inProcess(['host', '--yes'], { env: { BAREWIRE_HOME: home }, input: 'call wipe\n' });
  const count = readFileSync(join(home, 'activity.jsonl'), 'utf8').trimEnd().split('\n').length;
  const good = await run('log', '--verify');
  assert.deepEqual([good.code, good.out], [0, `${count} lines, each follows the one before it; none is missing at the end.\n`]);
  const { ok, lines } = JSON.parse((await run('log', '--verify', '--json')).out) as { ok: boolean; lines: number };
  assert.deepEqual([ok, lines], [true, count]);
  rmSync(join(home, 'activity.jsonl'));
  const gone = await run('log');
  assert.deepEqual([gone.code, gone.out, gone.err], [1, '', `barewire: the activity log ${join(home, 'activity.jsonl')} is gone: barewire log --verify reports what is missing\n`]);
  const verified = await run('log', '--verify');
  assert.equal(verified.code, 1);
  assert.match(verified.out, /^Line \d+ of .*activity\.jsonl is not valid: .*\.\n$/);
});

test('whoami: each login with its server, issuer, scope and end; logout of a server without one', async () => {
  const kept = (client: string, server: string, tokens: object): [string, string][] => [
    [`server ${client} ${server}`, JSON.stringify({ issuer: 'https://as.example', resource: server })], [`tokens ${client} ${server} https://as.example ${server}`, JSON.stringify({ access_token: 'x', ...tokens })],
  ];
  const file = Object.fromEntries([
    ...kept('barewire', 'https://a.example/mcp', { refresh_token: 'r', scope: 'read' }), ...kept('barewire', 'https://b.example/mcp', { expires_at: 0 }), ...kept('barewire', 'https://c.example/mcp', { expires_at: 4e12 }), ...kept('own', 'https://d.example/mcp', {}),
  ]);
  writeFileSync(join(home, 'oauth.json'), JSON.stringify(file));
  const { code, out } = await run('whoami');
  assert.equal(code, 0);
  assert.deepEqual(out.split('\n').slice(2, -1).map((line) => line.replace(/ {2,}/g, ' | ')), [
    'https://a.example/mcp | https://as.example | read | renewed automatically', 'https://b.example/mcp | https://as.example | expired 1970-01-01T00:00:00.000Z', 'https://c.example/mcp | https://as.example | 2096-10-02T07:06:40.000Z', 'https://d.example/mcp | https://as.example | not known',
  ]);
  assert.match(out, /^server +issuer +scope +until\n/);
  const one = await run('whoami', '--json', 'https://d.example/mcp');
  assert.deepEqual([one.code, (JSON.parse(one.out) as { client: string }[]).map(({ client }) => client)], [0, ['own']]);
  const none = await run('whoami', 'https://e.example/mcp');
  assert.deepEqual([none.code, none.out], [1, 'There is no login.\n']);
  assert.deepEqual(((ran) => [ran.code, ran.out])(await run('logout', 'https://e.example/mcp')), [0, 'There was no login.\n']);
  writeFileSync(join(home, 'servers.json'), JSON.stringify({ mcpServers: { near: { command: 'x' }, far: { url: 'https://d.example/mcp' } } }));
  assert.equal((await run('whoami', 'far')).code, 0);
  const program = await run('login', 'near');
  assert.deepEqual([program.code, program.err.split('\n')[0]], [2, 'barewire: near is a program: it needs no login']);
});
