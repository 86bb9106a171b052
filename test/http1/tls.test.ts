// Barewire's HTTP/1.1 over TLS: which clients are accepted, what is negotiated, and the limits of a handshake.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { connect } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { McpClient } from '../../src/client/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { httpTransport, serveHttp } from '../../src/transport/http/node/index.ts';
import type { HttpServer } from '../../src/transport/http/node/index.ts';
import { http1Client, http1Engine } from '../../src/transport/http1/node/index.ts';
import type { Http1EngineOptions } from '../../src/transport/http1/node/index.ts';

const pem = (name: string): string => readFileSync(new URL(`../../../test/transport/http-client/certificates/${name}.pem`, import.meta.url), 'utf8');
const [key, cert] = [pem('key'), pem('cert')];

async function begin(t: TestContext, options: Http1EngineOptions = {}): Promise<HttpServer> {
  const server = new McpServer({ name: 'safe', version: '1.0.0' });
  server.tool('hello', {}, () => 'hello');
  const http = await serveHttp(server, { engine: http1Engine({ ...options, tls: { key, cert, ...options.tls } }) });
  t.after(() => http.close({ drainMs: 0 }));
  return http;
}

/** A connection after its handshake, or the reason why it failed. */
async function shake(port: number, options: ConnectionOptions): Promise<TLSSocket | string> {
  const socket = connect({ port, host: '127.0.0.1', ca: cert, ...options });
  try {
    await once(socket, 'secureConnect');
    return socket;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

async function call(url: string, options: Parameters<typeof httpTransport>[1]): Promise<unknown> {
  const client = new McpClient({ name: 'test', version: '1.0.0' });
  try {
    await client.connect(httpTransport(url, options));
    return (await client.callTool('hello')).content;
  } finally {
    await client.close();
  }
}

test('TLS: calls by either client, and its address says https', async (t) => {
  const { url } = await begin(t);
  assert.match(url, /^https:\/\/127\.0\.0\.1:/);
  const hello = [{ type: 'text', text: 'hello' }];
  assert.deepEqual(await call(url, { tls: { ca: cert } }), hello);
  assert.deepEqual(await call(url, { tls: { ca: cert }, engine: http1Client }), hello);
});

test('TLS: HTTP/1.1 is agreed on where a client offers more, and one that has only HTTP/2 is refused (RFC 7301)', async (t) => {
  const { port } = await begin(t);
  for (const offered of [['h2', 'http/1.1'], ['http/1.1'], undefined]) {
    const socket = await shake(port, offered ? { ALPNProtocols: offered } : {});
    assert.ok(typeof socket === 'object');
    assert.equal(socket.alpnProtocol, offered ? 'http/1.1' : false);
    socket.write('GET /other HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const [head] = await once(socket, 'data') as [Buffer];
    assert.match(head.toString(), /^HTTP\/1\.1 404 /);
    socket.destroy();
  }
  assert.match(String(await shake(port, { ALPNProtocols: ['h2'] })), /NO_APPLICATION_PROTOCOL/);
});

test('TLS: a client that does not trust the certificate leaves, and so does one that speaks no TLS; others notice nothing', async (t) => {
  const { url, port } = await begin(t);
  for (const engine of [undefined, http1Client]) await assert.rejects(call(url, engine ? { engine } : {}), /self-signed certificate/);
  assert.equal(await shake(port, { ca: cert, servername: 'other.test' }), 'ERR_TLS_CERT_ALTNAME_INVALID');
  const plain = connectPlain(port, '127.0.0.1').on('error', () => {});
  const heard: Buffer[] = [];
  plain.on('data', (part: Buffer) => heard.push(part)).write('GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(plain, 'close');
  assert.doesNotMatch(Buffer.concat(heard).toString('latin1'), /HTTP/);
  assert.deepEqual(await call(url, { tls: { ca: cert } }), [{ type: 'text', text: 'hello' }]);
});

test('TLS: an old version is refused where minVersion says so, and a client without a certificate where one is asked for', async (t) => {
  const { port } = await begin(t, { tls: { minVersion: 'TLSv1.3' } });
  assert.match(String(await shake(port, { maxVersion: 'TLSv1.2' })), /PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/);
  const asking = await begin(t, { tls: { requestCert: true, ca: cert } });
  const stranger = await shake(asking.port, {});
  // With TLS 1.3 a client learns of the refusal after its handshake.
  if (typeof stranger === 'object') await assert.rejects(once(stranger.resume(), 'end'), /CERTIFICATE_REQUIRED|certificate required/i);
  const known = await shake(asking.port, { key, cert });
  assert.ok(typeof known === 'object');
  known.write('GET /other HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await once(known, 'data');
  known.destroy();
});

test('TLS: a key that does not fit its certificate, or none, is said when the server starts', async (t) => {
  await assert.rejects(begin(t, { tls: { key: 'no key' } }), /PEM|DECODER|unsupported/i);
});

test('TLS: a handshake that does not come to its end is given up, and counts as a connection', async (t) => {
  const { port } = await begin(t, { limits: { headMs: 1, maxConnections: 1 } });
  const first = connectPlain(port, '127.0.0.1').on('error', () => {});
  await once(first, 'connect');
  const second = connectPlain(port, '127.0.0.1').on('error', () => {});
  await Promise.all([once(second, 'close'), once(first.resume(), 'close')]);
});
