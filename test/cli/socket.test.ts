import assert from 'node:assert/strict';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { isSocket, socketPath } from '../../src/cli/socket-target.ts';
import { McpClient } from '../../src/client/index.ts';
import { serveSocket, socketTransport } from '../../src/transport/socket/node/index.ts';
import { fixture } from './fixture.ts';
import { inProcess } from './in-process.ts';
import type { InProcess, Ran } from './in-process.ts';

const posix = { skip: process.platform === 'win32' };

interface Place {
  readonly folder: string;
  readonly path: string;
  readonly target: string;
  barewire(words: readonly string[], how?: InProcess): Promise<Ran>;
}

/** A server on a Unix socket, and a separate home for the command. */
async function served(t: TestContext): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-cli-socket-'));
  const path = join(folder, 's');
  const serving = await serveSocket(fixture(), path);
  t.after(async () => {
    await serving.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder, path, target: `unix:${path}`,
    barewire: (words, how) => inProcess(words, { cwd: folder, ...how, env: { BAREWIRE_HOME: join(folder, 'home'), XDG_CONFIG_HOME: folder, HOME: folder, ...how?.env } }),
  };
}

test('unix: each command that takes a target takes a socket', posix, async (t) => {
  const { folder, path, target, barewire } = await served(t);
  const good = async (words: readonly string[], expected: RegExp): Promise<void> => {
    const { code, out, err } = await barewire(words);
    assert.equal(code, 0, `${words.join(' ')}: ${err}`);
    assert.match(out, expected, words.join(' '));
  };
  await good(['call', target, 'echo', 'text=hi'], /^hi\n$/);
  await good(['call', `unix://${path}`, 'echo', 'text=hi'], /^hi\n$/);
  await good(['call', '--revision', '2025-03-26', 'echo', target, 'text=hi'], /^hi\n$/);
  await good(['list', target, 'tools'], /echo/);
  await good(['read', target, 'test://hello'], /hello from a resource/);
  await good(['get', target, 'greet', 'who=Ada'], /Greet Ada/);
  await good(['complete', target, 'greet', 'who=A'], /Alan/);
  await good(['types', target], /echo/);
  // Exits with 1, because tools of the fixture fail; `slow` never answers.
  assert.match((await barewire(['tour', '--json', '--fast', '--yes', '--defaults', '--timeout', '0.5', target])).out, /hello from a resource/);
  await good(['judge', '--json', '--quick', '--only', 'base-1', target], /"target"/);
  const lock = join(folder, 'mcp.lock');
  const doctor = await barewire(['doctor', '--json', target]);
  const { facts } = JSON.parse(doctor.out) as { facts: string[] };
  assert.ok(facts.length > 0, doctor.err);
  assert.equal(existsSync(lock), false);
});

test('unix: trace and record stand between a host and a socket', posix, async (t) => {
  const { folder, target, barewire } = await served(t);
  const input = ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}', '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}', ''].join('\n');
  const traced = await barewire(['trace', '--json', target], { input });
  assert.equal(traced.code, 0, traced.err);
  assert.match(traced.out, /"id":2,"result":\{"content":\[\{"type":"text","text":"hi"\}\]/);
  assert.match(traced.err, /"from":"server"/);
  const file = join(folder, 'a.wire');
  const recorded = await barewire(['record', file, target], { input });
  assert.equal(recorded.code, 0, recorded.err);
  assert.match(readFileSync(file, 'utf8'), /<-- [^]*"text": "hi"/);
  const http = await barewire(['record', join(folder, 'a.http'), target]);
  assert.equal(http.code, 2);
  const none = await barewire(['trace', `unix:${join(folder, 'none')}`], { input });
  assert.deepEqual([none.code, /no such file/.test(none.err)], [4, true]);
});

test('unix: what may not be used is refused, with its reason', posix, async (t) => {
  const { folder, path, target, barewire } = await served(t);
  const refused = async (words: readonly string[], code: number, why: RegExp): Promise<void> => {
    const ran = await barewire(words);
    assert.equal(ran.code, code, `${words.join(' ')}: ${ran.err}`);
    assert.match(ran.err, why, words.join(' '));
  };
  symlinkSync(path, join(folder, 'link'));
  writeFileSync(join(folder, 'file'), '');
  await refused(['list', `unix:${folder}/link`], 4, /symbolic link/);
  await refused(['list', `unix:${folder}/file`], 4, /not a socket/);
  await refused(['list', `unix:${folder}/none`], 4, /no such file/);
  // In such a folder, others may replace a socket with their own.
  const open = join(folder, 'open');
  mkdirSync(open);
  const other = createServer().listen(join(open, 't'));
  t.after(() => other.close());
  await once(other, 'listening');
  chmodSync(open, 0o777);
  for (const command of ['list', 'trace', 'doctor']) {
    const ran = await barewire([command, `unix:${open}/t`]);
    assert.notEqual(ran.code, 0);
    assert.match(ran.out + ran.err, /others may replace files in its folder/, command);
  }

  await refused(['list', 'unix:relative'], 2, /unix: and an absolute path/);
  await refused(['list', 'unix:'], 2, /unix: and an absolute path/);
  await refused(['list', `unix:/${'x'.repeat(200)}`], 4, /more than 10\d bytes/);
  await refused(['list', 'pipe:trips'], 2, /only Windows has such pipes/);
  await refused(['list', '\\\\.\\pipe\\trips'], 2, /only Windows has such pipes/);
  await refused(['list', '--header', 'A: b', target], 2, /--header is for an address of HTTP/);
  await refused(['list', '--env', 'A=b', target], 2, /this is a socket/);
  await refused(['tour', '--http', target], 2, /--http is for an address/);
  await refused(['tour', 'unix:relative'], 2, /unix: and an absolute path/);
});

test('unix: a bridge to a socket, and from one', posix, async (t) => {
  const { folder, target, barewire } = await served(t);
  const front = join(folder, 'front');
  const client = new McpClient({ name: 'test', version: '1' }, { revisions: ['2024-11-05'] });
  let asked: Promise<unknown> | undefined;
  const ran = await barewire(['bridge', '--socket', 'front', '--revision', '2026-07-28', target], {
    onErr(err, signal) {
      if (asked !== undefined || !err.includes('serving')) return;
      assert.equal(lstatSync(front).mode & 0o777, 0o600);
      asked = client.connect(socketTransport(front)).then(() => client.callTool('echo', { text: 'over two sockets' }))
        .finally(() => client.close()).finally(() => signal('SIGTERM'));
    },
  });
  assert.equal(ran.code, 143, ran.err);
  assert.deepEqual((await asked as { content: unknown }).content, [{ type: 'text', text: 'over two sockets' }]);
  assert.equal(existsSync(front), false);
  const both = await barewire(['bridge', '--socket', 'x', '--port', '0', target]);
  assert.deepEqual([both.code, /exclude each other/.test(both.err)], [2, true]);
  writeFileSync(join(folder, 'taken'), '');
  const taken = await barewire(['bridge', '--socket', 'taken', target]);
  assert.deepEqual([taken.code, /not a socket/.test(taken.err)], [2, true]);
});

test('socket targets: their forms', () => {
  for (const word of ['unix:/x', 'UNIX:/x', 'pipe:x', '\\\\.\\pipe\\x', '//./pipe/x', '//?/pipe/x']) assert.equal(isSocket(word), true, word);
  for (const word of ['unix', 'http://unix:1/', 'my-unix:', './unix:', 'pipeline']) assert.equal(isSocket(word), false, word);
  if (process.platform === 'win32') return;
  assert.equal(socketPath('unix:/a/b'), '/a/b');
  assert.equal(socketPath('unix:///a/b'), '/a/b');
  for (const bad of ['unix:', 'unix:a', 'unix://host/a', 'unix:////a', 'unix:/', 'unix:/a/']) assert.throws(() => socketPath(bad), /absolute path/, bad);
});
