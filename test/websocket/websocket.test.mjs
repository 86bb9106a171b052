// npm run websocket: tests the kit for transports over sockets of `ws`, and servers in Bun, Deno and workerd, called with `ws`
// and, from Node 22 on, with Node's own WebSocket.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { WebSocket, WebSocketServer } from 'ws';
import { McpClient } from '../../dist/lib/client.js';
import { McpServer } from '../../dist/lib/server.js';
import { transportTests } from '../../dist/lib/transport-testing.js';
import { webSocketHandler, webSocketTransport } from '../../dist/lib/websocket.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** A `ws` server whose upgrades are checked by the handler. */
async function served(handler, { maxPayload = 64_000_000, onSocket } = {}) {
  const http = createServer((_, response) => response.writeHead(426).end());
  const sockets = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false });
  http.on('upgrade', async (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const judged = await handler.upgrade(request);
    if (!judged.allowed) {
      const headers = Object.entries({ ...judged.headers, 'content-length': Buffer.byteLength(judged.body), connection: 'close' });
      return socket.end(`HTTP/1.1 ${judged.status} Refused\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${judged.body}`);
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      onSocket?.(ws);
      judged.serve(ws);
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address();
  return {
    url: `ws://127.0.0.1:${port}/mcp`, http: `http://127.0.0.1:${port}/mcp`,
    async close() {
      await handler.close({ drainMs: 0 });
      for (const ws of sockets.clients) ws.terminate();
      http.closeAllConnections();
      http.close();
    },
  };
}

/** The wire for the kit. */
const overWs = (connect) => async (server, { maxMessageBytes = 16_777_216 }) => {
  let serverSocket;
  let clientSocket;
  const handler = webSocketHandler(server, { maxMessageBytes });
  const listener = await served(handler, { onSocket: (ws) => { serverSocket = ws; } });
  return {
    client: webSocketTransport(() => clientSocket = connect(listener.url), { maxMessageBytes }),
    closeServer: () => handler.close({ drainMs: 0 }),
    maxMessageBytes,
    raw: { toServer: (bytes) => clientSocket.send(bytes), toClient: (bytes) => serverSocket.send(bytes) },
    ...connect === byWs && { hold: (on) => (on ? clientSocket.pause() : clientSocket.resume()) },
    release: () => listener.close(),
  };
};

const byWs = (url) => new WebSocket(url, 'mcp', { perMessageDeflate: false, maxPayload: 64_000_000 });
const byRuntime = (url) => new globalThis.WebSocket(url, 'mcp');

const clients = { 'ws': byWs, ...globalThis.WebSocket && { 'the runtime\'s own WebSocket': byRuntime } };
for (const [name, connect] of Object.entries(clients)) {
  test(`every transport: a WebSocket of ws, and a client by ${name}`, async (t) => {
    for (const one of transportTests) {
      await t.test(`${one.role}: ${one.name}`, async (tt) => {
        const reason = await one.run(overWs(connect));
        if (reason !== undefined) tt.skip(reason);
      });
    }
  });
}

function travel() {
  const server = new McpServer({ name: 'sockets', version: '1' });
  server.tool('who', {}, (_, { auth }) => auth?.principal ?? 'nobody');
  server.tool('ask', {}, async (_, ctx) => {
    const { action, content } = await ctx.elicit('Name?', { name: { type: 'string' } });
    return action === 'accept' ? `Hello, ${content.name}` : 'no';
  });
  return server;
}

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

async function uses(socket, who = 'nobody') {
  for (const revision of revisions) {
    const client = new McpClient({ name: 'sockets', version: '1' }, { revisions: [revision], onElicit: () => ({ action: 'accept', content: { name: 'Ann' } }) });
    await client.connect(webSocketTransport(socket));
    assert.equal((await client.callTool('who', {})).content[0].text, who, revision);
    if (revision >= '2025-06-18') assert.equal((await client.callTool('ask', {})).content[0].text, 'Hello, Ann', revision);
    await client.close();
  }
}

test('a WebSocket: every revision, with a question', async () => {
  const listener = await served(webSocketHandler(travel()));
  await uses(() => byWs(listener.url));
  await listener.close();
});

/** The outcome of an upgrade: `open`, or the refusing status. */
function upgraded(url, headers) {
  return new Promise((resolve) => {
    const ws = new WebSocket(url, 'mcp', { headers });
    ws.on('open', () => {
      resolve('open');
      ws.close();
    });
    ws.on('unexpected-response', (_, response) => {
      resolve(response);
      ws.terminate();
    });
    ws.on('error', () => {});
  });
}

test('an upgrade is judged as a request over HTTP: Host, Origin, path, credentials', async () => {
  const auth = ({ header }) => (header('authorization') === 'Bearer good' ? { principal: 'ann' } : undefined);
  const listener = await served(webSocketHandler(travel(), { auth, challenge: 'Bearer realm="x"' }));
  const good = { authorization: 'Bearer good' };
  assert.equal(await upgraded(listener.url, good), 'open');
  const refusals = [
    [{ ...good, host: 'evil.example' }, 403], [{ ...good, origin: 'https://evil.example' }, 403], [{ ...good, origin: 'null' }, 403],
    [{ ...good, 'sec-fetch-site': 'cross-site' }, 403], [{}, 401], [{ authorization: 'Bearer bad' }, 401],
  ];
  for (const [headers, status] of refusals) assert.equal((await upgraded(listener.url, headers)).statusCode, status, JSON.stringify(headers));
  assert.equal((await upgraded(listener.url, {})).headers['www-authenticate'], 'Bearer realm="x"');
  assert.equal((await upgraded(listener.url.replace('/mcp', '/other'), good)).statusCode, 404);
  assert.equal(await upgraded(listener.url, { ...good, origin: 'http://localhost:3000' }), 'open');
  await uses(() => new WebSocket(listener.url, 'mcp', { headers: good }), 'ann');
  await listener.close();
});

test('an upgrade is refused where all places are taken, and a place is given back', async () => {
  const listener = await served(webSocketHandler(travel(), { limits: { maxConnections: 1 } }));
  const ws = byWs(listener.url);
  await once(ws, 'open');
  assert.equal((await upgraded(listener.url, {})).statusCode, 503);
  ws.close();
  await once(ws, 'close');
  assert.equal(await upgraded(listener.url, {}), 'open');
  await listener.close();
});

test('a connection ends when its credentials expire, with the reason', async () => {
  const listener = await served(webSocketHandler(travel(), { auth: () => ({ principal: 'ann', expiresAt: Date.now() + 300 }) }));
  const ws = byWs(listener.url);
  const [, reason] = await once(ws, 'close');
  assert.match(String(reason), /credentials have expired/);
  await listener.close();
});

test('a server whose tools have scopes is served to nobody without auth', () => {
  const server = new McpServer({ name: 'scoped', version: '1' });
  server.tool('x', { scopes: ['x'] }, () => 'x');
  assert.throws(() => webSocketHandler(server), /scopes/);
});

test('a client that sends only noise is given up, with the reason', async () => {
  const listener = await served(webSocketHandler(travel(), { maxNoiseBytes: 10_000 }));
  const ws = byWs(listener.url);
  await once(ws, 'open');
  const closed = once(ws, 'close');
  for (let i = 0; i < 200; i++) ws.send('x');
  const [code, reason] = await closed;
  assert.equal(code, 4000);
  assert.match(String(reason), /without a message/);
  await listener.close();
});

test('a client that reads nothing is given up after stallMs, and what it was charged is given back', async () => {
  const server = new McpServer({ name: 'big', version: '1' });
  server.tool('big', {}, () => 'x'.repeat(4_000_000));
  let serverSocket;
  const listener = await served(webSocketHandler(server, { stallMs: 300 }), { onSocket: (ws) => { serverSocket = ws; } });
  const ws = byWs(listener.url);
  await once(ws, 'open');
  ws.pause();
  for (let id = 0; id < 8; id++) {
    ws.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'big', arguments: {}, _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    } } }));
  }
  while (serverSocket === undefined || serverSocket.readyState === 1) await new Promise((resolve) => setImmediate(resolve));
  ws.terminate();
  await listener.close();
});

const out = mkdtempSync(join(tmpdir(), 'barewire-websocket-'));
test.after(() => rmSync(out, { recursive: true, force: true }));

/** A server in another runtime, in a separate process, until `close`. */
async function program(name, command, args, { port: known, control } = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe', ...control ? ['pipe'] : []], env: { ...process.env, NO_COLOR: '1' } });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => { said += text; });
  const port = known ?? await new Promise((resolve, reject) => {
    const stream = control ? child.stdio[3] : child.stdout;
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
      const found = (control ? /"event":\s*"listen".*"port":\s*(\d+)/ : /port (\d+)/).exec(said);
      if (found) resolve(found[1]);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}: ${said}`)));
  });
  return {
    url: `ws://127.0.0.1:${port}/mcp`,
    async close() {
      child.removeAllListeners('exit');
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    },
  };
}

async function bundled(name) {
  const outfile = join(out, `${name}.mjs`);
  await build({ entryPoints: [here(`${name}.mjs`)], bundle: true, format: 'esm', outfile, platform: 'neutral', external: ['node:*'], logLevel: 'error' });
  return outfile;
}

const runtimes = {
  Bun: async () => program('Bun', here('node_modules/@oven/bun-linux-x64/bin/bun'), [await bundled('bun')]),
  Deno: async () => program('Deno', here('node_modules/@deno/linux-x64-glibc/deno'), ['run', '--allow-net', '--no-config', '--no-lock', await bundled('deno')]),
  async workerd() {
    const file = await bundled('workerd');
    writeFileSync(join(out, 'config.capnp'), `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.mjs", esModule = embed "${file.slice(out.length + 1)}")],
    compatibilityDate = "2026-01-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`);
    return program('workerd', here('node_modules/@cloudflare/workerd-linux-64/bin/workerd'), ['serve', '--control-fd=3', join(out, 'config.capnp')], { control: true });
  },
};

for (const [name, start] of Object.entries(runtimes)) {
  test(`a server in ${name}: every revision by ${Object.keys(clients).join(' and by ')}, a page of another origin is refused, a binary frame by name`, async () => {
    const server = await start();
    try {
      for (const connect of Object.values(clients)) await uses(() => connect(server.url));
      assert.equal((await upgraded(server.url, { origin: 'https://evil.example' })).statusCode, 403);
      const ws = byWs(server.url);
      await once(ws, 'open');
      ws.send(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}'));
      const [data] = await once(ws, 'message');
      assert.match(String(data), /text frame/);
      ws.close();
      await once(ws, 'close');
    } finally {
      await server.close();
    }
  });
}
