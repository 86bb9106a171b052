import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, chmodSync, chownSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { serveSocket, socketTransport } from '../../src/transport/socket/node/index.ts';

const posix = { skip: process.platform === 'win32' };

function folder(t: { after(run: () => void): void }): string {
  const made = mkdtempSync(join(tmpdir(), 'barewire-socket-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function greeter(): McpServer {
  const server = new McpServer({ name: 'socket', version: '1' });
  server.tool('greet', {}, () => 'Hello');
  return server;
}

async function greeted(path: string, revision: string): Promise<unknown> {
  const client = new McpClient({ name: 'socket', version: '1' }, { revisions: [revision] });
  await client.connect(socketTransport(path));
  const { content } = await client.callTool('greet', {});
  await client.close();
  return content[0];
}

test('socket: a server on a Unix socket, in both eras, for several clients at once', posix, async (t) => {
  const path = join(folder(t), 's');
  const serving = await serveSocket(greeter(), path);
  assert.equal(lstatSync(path).mode & 0o777, 0o600);
  const answers = await Promise.all(['2024-11-05', '2025-11-25', '2026-07-28'].map((revision) => greeted(path, revision)));
  for (const answer of answers) assert.deepEqual(answer, { type: 'text', text: 'Hello' });
  await serving.close();
  assert.equal(existsSync(path), false);
});

test('socket: what stands at the path is not replaced, but for a stale socket of this user', posix, async (t) => {
  const made = folder(t);
  const [file, link, live, stale] = ['file', 'link', 'live', 'stale'].map((name) => join(made, name)) as [string, string, string, string];
  writeFileSync(file, 'mine');
  await assert.rejects(serveSocket(greeter(), file), /not a socket/);
  symlinkSync(join(made, 'elsewhere'), link);
  await assert.rejects(serveSocket(greeter(), link), /symbolic link/);
  const serving = await serveSocket(greeter(), live);
  await assert.rejects(serveSocket(greeter(), live), /another process serves it/);
  assert.deepEqual(await greeted(live, '2026-07-28'), { type: 'text', text: 'Hello' });
  await serving.close();
  // A killed process leaves its socket file behind.
  const child = spawn(process.execPath, ['-e', `require('node:net').createServer().listen(${JSON.stringify(stale)}, () => process.kill(process.pid, 'SIGKILL'))`]);
  await once(child, 'exit');
  assert.ok(lstatSync(stale).isSocket());
  const again = await serveSocket(greeter(), stale);
  assert.deepEqual(await greeted(stale, '2025-11-25'), { type: 'text', text: 'Hello' });
  await again.close();
});

test('socket: a folder in which others can replace files is refused, to either side', posix, async (t) => {
  const open = join(folder(t), 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  await assert.rejects(serveSocket(greeter(), join(open, 's')), /others may replace/);
  const other = createServer().listen(join(open, 't'));
  await once(other, 'listening');
  await assert.rejects(greeted(join(open, 't'), '2025-11-25'), /others may replace/);
  // With the sticky bit, as in /tmp, others cannot replace it.
  chmodSync(open, 0o1777);
  const serving = await serveSocket(greeter(), join(open, 's'));
  await serving.close();
  other.close();
  if (process.getuid?.() !== 0) return;
  // The folder of another user, though nobody else may write into it.
  chmodSync(open, 0o755);
  chownSync(open, 54_321, 54_321);
  await assert.rejects(serveSocket(greeter(), join(open, 's')), /its folder .* belongs to user 54321$/);
  await assert.rejects(greeted(join(open, 's'), '2025-11-25'), /its folder .* belongs to user 54321$/);
  // A client that names this user trusts the folder.
  const client = new McpClient({ name: 'socket', version: '1' });
  await assert.rejects(client.connect(socketTransport(join(open, 's'), { owner: 54_321 })), /no such file/);
});

test('socket: a client follows no link, and refuses a socket of another user and what is no socket', posix, async (t) => {
  const made = folder(t);
  const [path, link, file] = ['s', 'link', 'file'].map((name) => join(made, name)) as [string, string, string];
  const serving = await serveSocket(greeter(), path);
  symlinkSync(path, link);
  writeFileSync(file, '');
  await assert.rejects(greeted(link, '2025-11-25'), /symbolic link/);
  await assert.rejects(greeted(file, '2025-11-25'), /not a socket/);
  await assert.rejects(greeted(join(made, 'none'), '2025-11-25'), /no such file/);
  const client = new McpClient({ name: 'socket', version: '1' });
  await assert.rejects(client.connect(socketTransport(path, { owner: 54_321 })), /belongs to user/);
  await serving.close();
});

test('socket: paths that cannot be guarded are refused', posix, async (t) => {
  await assert.rejects(serveSocket(greeter(), '\0abstract'), /null character/);
  await assert.rejects(serveSocket(greeter(), join(folder(t), 'x'.repeat(120))), /more than 10\d bytes/);
  assert.throws(() => socketTransport(''), /empty/);
});

test('socket: a client that ends its side still gets the answer to what it asked; connections beyond the limit are closed', posix, async (t) => {
  const path = join(folder(t), 's');
  const server = new McpServer({ name: 'socket', version: '1' });
  let go = (): void => {};
  server.tool('later', {}, () => new Promise<string>((resolve) => (go = () => resolve('done'))));
  // Called when the client has closed its side.
  const half = new Promise<void>((resolve) => (server.endSubscriptions = resolve));
  const serving = await serveSocket(server, path, { maxConnections: 1 });
  t.after(() => serving.close());
  const { connect } = await import('node:net');
  const socket = connect({ path, allowHalfOpen: true });
  await once(socket, 'connect');
  let said = '';
  socket.setEncoding('utf8').on('data', (text: string) => (said += text));
  socket.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n');
  await once(socket, 'data');
  const second = connect(path);
  await once(second, 'close');
  socket.end('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"later","arguments":{}}}\n');
  const ended = once(socket, 'end');
  await half;
  // A side that closes together with the other one would do so in the next tick.
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(said.includes('"id":2'), false);
  go();
  await ended;
  assert.match(said, /done/);
});
