import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, createServer, request as plainRequest } from 'node:http';
import type { Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { McpClient } from '../../../src/client/index.ts';
import { HttpError } from '../../../src/transport/http/http-error.ts';
import { proxyOf } from '../../../src/transport/http/node/proxy.ts';
import type { NodeTransportOptions } from '../../../src/transport/http/node/index.ts';
import { json, result, serve, stream } from './harness.ts';
import type { Call } from './harness.ts';
import { httpTransport } from '../http/engine.ts';

const certificate = (name: string): string =>
  readFileSync(new URL(`../../../../test/transport/http-client/certificates/${name}.pem`, import.meta.url), 'utf8');

const discovery = {
  resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'public',
};
const tools = { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'public' };
const answerTo = ({ body }: Pick<Call, 'body'>): string =>
  result(body.id, body.method === 'server/discover' ? discovery : tools);

async function connectTo(t: TestContext, url: string, options: NodeTransportOptions = {}): Promise<McpClient> {
  const client = new McpClient({ name: 'node', version: '1' });
  await client.connect(httpTransport(url, options));
  t.after(() => client.close());
  return client;
}

/** Answers every POST. Only uses the server's `request` event. */
function play(server: Server): void {
  server.on('request', (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => {
      json(response, answerTo({ body: JSON.parse(text) as Call['body'] }));
    });
  });
}

async function listen(t: TestContext, server: Server, at: string | number = 0): Promise<number> {
  await new Promise<void>((resolve) => (typeof at === 'string' ? server.listen(at, resolve) : server.listen(at, '127.0.0.1', resolve)));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return typeof at === 'string' ? 0 : (server.address() as AddressInfo).port;
}

test('node:http: a POST whose connection dies after it was written is not sent again', async (t) => {
  const server = await serve(t, (call, response) => {
    if (call.body.method === 'tools/list') response.socket?.destroy();
    else json(response, answerTo(call));
  });
  const client = await connectTo(t, server.url);
  // The request reuses the connection of `server/discover`.
  await assert.rejects(client.listTools(), /socket hang up|ECONNRESET/);
  assert.deepEqual(server.calls.map(({ body }) => body.method), ['server/discover', 'tools/list']);
});

test('node:http: a POST of which no byte was written is sent again on another connection', async (t) => {
  class Dying extends Agent {
    died = 0;

    override reuseSocket(socket: Socket, request: ReturnType<typeof plainRequest>): void {
      super.reuseSocket(socket, request);
      this.died++;
      socket.destroy();
    }
  }
  const agent = new Dying({ keepAlive: true });
  t.after(() => agent.destroy());
  const server = await serve(t, (call, response) => json(response, answerTo(call)));
  const client = await connectTo(t, server.url, { agent });
  await client.listTools();
  assert.equal(agent.died, 1);
  assert.deepEqual(server.calls.map(({ body }) => body.method), ['server/discover', 'tools/list']);
});

for (const [hint, reused] of [[undefined, true], ['timeout=5', true], ['timeout=1', false], ['max=9, timeout=0', false]] as const) {
  test(`node:http: Keep-Alive ${hint}: the connection is ${reused ? '' : 'not '}used again`, async (t) => {
    const ports = new Set<number | undefined>();
    const server = await serve(t, (call, response) => {
      ports.add(response.socket?.remotePort);
      json(response, answerTo(call), 200, hint === undefined ? {} : { 'keep-alive': hint });
    });
    const client = await connectTo(t, server.url);
    await client.listTools();
    await client.listTools();
    assert.equal(ports.size, reused ? 1 : 3);
  });
}

test('node:http: an idle connection is let go a second before the server would', async (t) => {
  let closed: (() => void) | undefined;
  const gone = new Promise<void>((resolve) => (closed = resolve));
  const server = await serve(t, (call, response) => {
    response.socket?.once('close', () => closed?.());
    json(response, answerTo(call));
  });
  await connectTo(t, server.url, { limits: { idleMs: 20 } });
  await gone;
});

test('node:http: compression is not asked for, and is read within the bound where it comes all the same', async (t) => {
  const bomb = result(3, { ...tools, filler: 'x'.repeat(5_000_000) });
  const server = await serve(t, (call, response) => {
    const body = call.body.id === 3 ? bomb : answerTo(call);
    const encoding = call.body.id === 4 ? 'exotic' : 'gzip';
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(gzipSync(body));
  });
  const client = await connectTo(t, server.url, { limits: { maxMessageBytes: 1_000_000 } });
  assert.deepEqual(await client.listTools(), []);
  assert.ok(server.calls.every(({ headers }) => headers['accept-encoding'] === 'identity'));
  await assert.rejects(client.listTools(), (error) => error instanceof HttpError && /limit of 1000000 bytes/.test(error.message));
  await assert.rejects(client.listTools(), /content encoding "exotic"/);
});

test('node:http: a compressed stream is read event by event', async (t) => {
  const { createGzip, constants } = await import('node:zlib');
  const server = await serve(t, (call, response) => {
    if (call.body.method !== 'tools/list') return json(response, answerTo(call));
    const zip = createGzip({ flush: constants.Z_SYNC_FLUSH });
    zip.pipe(stream(response, { 'content-encoding': 'gzip' }));
    // The stream stays open: the event must arrive before the end of the stream.
    zip.write(`data: ${answerTo(call)}\n\n`);
  });
  const client = await connectTo(t, server.url, { limits: { lingerMs: 10 } });
  assert.deepEqual(await client.listTools(), []);
});

test('node:http: a question is answered while every connection is in use', async (t) => {
  let open: { id: unknown; end(text: string): void } | undefined;
  const server = await serve(t, (call, response) => {
    if (call.body.method === 'initialize') {
      json(response, result(call.body.id, { protocolVersion: '2025-03-26', capabilities: { tools: {} } }));
    } else if (call.method === 'GET') response.writeHead(405).end();
    else if (call.body.method === 'tools/call') {
      const stays = stream(response);
      open = { id: call.body.id, end: (text) => void stays.end(text) };
      stays.write('data: {"jsonrpc":"2.0","id":"q","method":"ping"}\n\n');
    } else {
      response.writeHead(202).end();
      if (call.body.id === 'q') open?.end(`data: ${result(open.id as number, { content: [] })}\n\n`);
    }
  });
  const client = new McpClient({ name: 'node', version: '1' }, { era: 'legacy' });
  t.after(() => client.close());
  await client.connect(httpTransport(server.url, { limits: { maxConnections: 1 } }));
  assert.deepEqual((await client.callTool('asks')).content, []);
});

test('node:https: a certificate of one\'s own, and one that nobody trusts', async (t) => {
  const server = createSecureServer({ key: certificate('key'), cert: certificate('cert') });
  play(server);
  const url = `https://127.0.0.1:${await listen(t, server)}/mcp`;
  const client = await connectTo(t, url, { tls: { ca: certificate('cert') } });
  assert.deepEqual(await client.listTools(), []);
  await assert.rejects(connectTo(t, url), /self-signed certificate/);
});

test('node:http: a Unix socket', { skip: process.platform === 'win32' }, async (t) => {
  const server = createServer();
  play(server);
  const socketPath = join(tmpdir(), `barewire-${process.pid}-${Date.now()}.sock`);
  await listen(t, server, socketPath);
  const client = await connectTo(t, 'http://server.test/mcp', { socketPath });
  assert.deepEqual(await client.listTools(), []);
});

/** A proxy for both kinds of request. `asked` records its requests. */
async function proxy(t: TestContext, target: number): Promise<{ address: string; asked: string[]; passwords: unknown[] }> {
  const asked: string[] = [];
  const passwords: unknown[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.host}`);
    passwords.push(request.headers['proxy-authorization']);
    const { pathname } = new URL(request.url ?? '');
    request.pipe(plainRequest({ host: '127.0.0.1', port: target, path: pathname, method: 'POST', agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, { 'content-type': 'application/json' });
      answer.pipe(response);
    }));
  });
  const sockets = new Set<Socket>();
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    passwords.push(request.headers['proxy-authorization']);
    const far = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    sockets.add(far);
    socket.on('error', () => far.destroy());
    far.on('error', () => socket.destroy());
  });
  const port = await listen(t, server);
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  return { address: `http://user:p%40ss@127.0.0.1:${port}`, asked, passwords };
}

const basic = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;

test('a proxy gets HTTP requests whole, with its own credentials', async (t) => {
  const server = createServer();
  play(server);
  const through = await proxy(t, await listen(t, server));
  const client = await connectTo(t, 'http://server.test:81/mcp', { proxy: through.address });
  assert.deepEqual(await client.listTools(), []);
  assert.equal(through.asked[0], 'POST http://server.test:81/mcp server.test:81');
  assert.ok(through.passwords.every((password) => password === basic));
});

test('a proxy tunnels HTTPS requests, and sees nothing of them', async (t) => {
  const server = createSecureServer({ key: certificate('key'), cert: certificate('cert') });
  let seen: unknown;
  server.on('request', (request) => (seen = request.headers['proxy-authorization']));
  play(server);
  const through = await proxy(t, await listen(t, server));
  const client = await connectTo(t, 'https://localhost:444/mcp', { proxy: through.address, tls: { ca: certificate('cert') } });
  assert.deepEqual(await client.listTools(), []);
  assert.deepEqual([...new Set(through.asked)], ['CONNECT localhost:444']);
  assert.equal(through.passwords[0], basic);
  assert.equal(seen, undefined);
});

test('a proxy that refuses a tunnel is named, and its password is not', async (t) => {
  const server = createServer();
  server.on('connect', (_, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  const port = await listen(t, server);
  await assert.rejects(
    connectTo(t, 'https://server.test/mcp', { proxy: `http://user:secret@127.0.0.1:${port}` }),
    (error: Error) => /proxy refused a tunnel: HTTP 403/.test(error.message) && !error.message.includes('secret'),
  );
  await assert.rejects(connectTo(t, 'https://server.test/mcp', { proxy: 'socks5://user:secret@h' }),
    (error: Error) => /not an HTTP proxy: socks5/.test(error.message) && !error.message.includes('secret'));
});

test('the environment names a proxy only where that is asked for, and never for loopback', async (t) => {
  const server = await serve(t, (call, response) => json(response, answerTo(call)));
  const before = process.env['http_proxy'];
  process.env['http_proxy'] = 'http://127.0.0.1:9';
  t.after(() => {
    if (before === undefined) delete process.env['http_proxy'];
    else process.env['http_proxy'] = before;
  });
  for (const options of [{}, { proxy: 'environment' }]) {
    assert.deepEqual(await (await connectTo(t, server.url, options)).listTools(), []);
  }
  // The environment is read here: nothing listens at this proxy's address.
  await assert.rejects(connectTo(t, 'http://server.test/mcp', { proxy: 'environment' }), /ECONNREFUSED/);
});

test('which proxy the environment names', () => {
  const table: [string, Record<string, string>, string | undefined][] = [
    ['http://a.test/', {}, undefined],
    ['http://a.test/', { http_proxy: 'http://p:1' }, 'http://p:1/'],
    ['http://a.test/', { HTTP_PROXY: 'p:1' }, 'http://p:1/'],
    ['http://a.test/', { HTTPS_PROXY: 'http://p:1' }, undefined],
    ['https://a.test/', { https_proxy: 'http://p:1', HTTPS_PROXY: 'http://q:1' }, 'http://p:1/'],
    ['https://a.test/', { all_proxy: 'http://p:1' }, 'http://p:1/'],
    ['http://a.test/', { http_proxy: 'http://p:1', no_proxy: '*' }, undefined],
    ['http://a.test/', { http_proxy: 'http://p:1', no_proxy: 'a.test' }, undefined],
    ['http://A.test./', { http_proxy: 'http://p:1', NO_PROXY: 'b, .TEST' }, undefined],
    ['http://b.a.test/', { http_proxy: 'http://p:1', no_proxy: 'a.test' }, undefined],
    ['http://ba.test/', { http_proxy: 'http://p:1', no_proxy: 'a.test' }, 'http://p:1/'],
    ['http://a.test:81/', { http_proxy: 'http://p:1', no_proxy: 'a.test:80' }, 'http://p:1/'],
    ['http://a.test/', { http_proxy: 'http://p:1', no_proxy: 'a.test:80' }, undefined],
    ['http://[2001:db8::1]/', { http_proxy: 'http://p:1', no_proxy: '2001:db8::1' }, undefined],
    ...['localhost', 'x.localhost', '127.0.0.1', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]'].map(
      (host): [string, Record<string, string>, undefined] => [`http://${host}/`, { http_proxy: 'http://p:1' }, undefined],
    ),
    ['http://127.0.0.1.test/', { http_proxy: 'http://p:1' }, 'http://p:1/'],
  ];
  for (const [url, env, expected] of table) assert.equal(proxyOf(new URL(url), env)?.href, expected, `${url} ${JSON.stringify(env)}`);
});

test('node:http, limits: maxIdleConnections are kept for the next request, the others are closed', async (t) => {
  const server = createServer();
  let open = 0;
  let most = 0;
  let closed: () => void = () => {};
  server.on('connection', (socket: Socket) => {
    most = Math.max(most, ++open);
    socket.on('close', () => {
      open--;
      closed();
    });
  });
  // The three calls are answered only when all have arrived, so that each has a separate connection.
  const waiting: (() => void)[] = [];
  server.on('request', (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => {
      const body = JSON.parse(text) as Call['body'];
      if (body.method === 'server/discover') return json(response, answerTo({ body }));
      waiting.push(() => json(response, answerTo({ body })));
      if (waiting.length === 3) for (const answer of waiting) answer();
    });
  });
  const port = await listen(t, server);
  const client = await connectTo(t, `http://127.0.0.1:${port}/mcp`, { limits: { maxIdleConnections: 1, idleMs: 60_000 } });
  const lists = Array.from({ length: 3 }, () => client.request('tools/list'));
  await Promise.all(lists);
  assert.equal(most, 3);
  while (open > 1) await new Promise<void>((resolve) => (closed = resolve));
  assert.equal(open, 1);
});
