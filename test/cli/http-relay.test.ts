import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { createTravelServer } from '../../examples/travel/server.ts';
import { McpClient } from '../../src/client/index.ts';
import { httpTransport, serveHttp } from '../../src/transport/http/node/index.ts';
import { playHttpClient } from '../transcripts/http-play.ts';
import { parseHttpTranscript } from '../transcripts/http-wire.ts';
import { inProcess } from './in-process.ts';

// trace and record of an address: a proxy between real clients and a real server.
const home = mkdtempSync(join(tmpdir(), 'barewire-relay-'));
test.after(() => rmSync(home, { recursive: true, force: true }));

interface Proxy {
  readonly url: string;
  /** Ends it, and resolves with the exit code. */
  end(): Promise<number | null>;
}

async function proxy(t: TestContext, ...words: string[]): Promise<Proxy> {
  let told: (url: string) => void = () => {};
  let end: () => void = () => {};
  const url = new Promise<string>((resolve) => (told = resolve));
  const ran = inProcess(words, {
    env: { BAREWIRE_HOME: home },
    onErr(err, signal) {
      end = () => signal('SIGINT');
      const [, found] = /clients go to (\S+)/.exec(err) ?? [];
      if (found !== undefined) told(found);
    },
  });
  t.after(() => end());
  const front = await Promise.race([url, ran.then(({ err }) => Promise.reject(new Error(err)))]);
  return { url: front, end: () => (end(), ran.then(({ code }) => code)) };
}

async function visit(url: string, version: string): Promise<void> {
  const client = new McpClient({ name: 'traveller', version: '1.0.0' }, { revisions: [version] });
  await client.connect(httpTransport(url, { headers: { authorization: 'Bearer hunter2' } }));
  await client.listTools();
  await client.listResources();
  await client.close();
}

for (const version of ['2025-11-25', '2026-07-28']) {
  test(`record of an address: a session of ${version} is a transcript that plays against the server`, async (t) => {
    const { url, port, close } = await serveHttp(createTravelServer(), { port: 0 });
    t.after(() => close({ drainMs: 0 }));
    const file = join(home, `${version}.http`);
    const { url: front, end } = await proxy(t, 'record', file, url);
    await visit(front, version);
    assert.equal(await end(), 130);
    const text = readFileSync(file, 'utf8');
    assert.doesNotMatch(text, /hunter2/);
    const transcript = parseHttpTranscript(text);
    const of = (kind: string): number => transcript.steps.filter((step) => step.kind === kind).length;
    assert.ok(of('request') >= 3 && of('request') === of('response'), text);
    if (version === '2025-11-25') assert.match(text, /--> \d+ GET \/mcp[^]*Mcp-Session-Id: <session 1>[^]*<-- \d+ event\n    id: <event 1>/);
    else assert.match(text, /Mcp-Method: tools\/list/);
    await playHttpClient(transcript, port);
    // The check can fail: another answer is a difference.
    await assert.rejects(playHttpClient(parseHttpTranscript(text.replace('"name": "travel"', '"name": "other"')), port));
  });
}

test('trace of an address: heads, events and messages, explained, without credentials', async (t) => {
  const { url, close } = await serveHttp(createTravelServer(), { port: 0 });
  t.after(() => close({ drainMs: 0 }));
  const file = join(home, 'trace.txt');
  const { url: front, end } = await proxy(t, 'trace', '--to', file, '--header', 'x-own: yes', url);
  await visit(front, '2025-11-25');
  await end();
  const text = readFileSync(file, 'utf8');
  assert.match(text, /→ POST \/mcp #1\n {10}[^]* {10}accept: .*\n[^]*→ \{"jsonrpc":"2.0","id":1,"method":"initialize"/);
  assert.match(text, /authorization: Bearer \[redacted\]/);
  assert.match(text, /← 200 to POST \/mcp #1[^]*The server answers with one message, in a session {2}2025-11-25/);
  assert.match(text, /The client opens a stream for messages of the server, in its session/);
  assert.match(text, /← event #\d+\n {10}id: /);
  assert.match(text, /→ DELETE \/mcp/);
  assert.doesNotMatch(text, /hunter2/);
});

test('trace of an address passes bodies unchanged, as they come, and ends what the client leaves', async (t) => {
  const bytes = Buffer.concat([Buffer.from('{"a":"é'), Buffer.from([0xff]), Buffer.from('\n"}')]);
  let got: Buffer | undefined;
  let left: () => void = () => {};
  const gone = new Promise<void>((resolve) => (left = resolve));
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => {
      got = Buffer.concat(chunks);
      if (request.method === 'POST') return void response.writeHead(418, { 'content-type': 'application/json', 'x-own': 'kept' }).end(bytes);
      response.on('close', left);
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => (server.close(), server.closeAllConnections()));
  const { url: front } = await proxy(t, 'trace', '--to', join(home, 'bytes.txt'), `http://127.0.0.1:${(server.address() as AddressInfo).port}/a?b=c`);
  assert.match(front, /\/a\?b=c$/);
  const answer = await fetch(front, { method: 'POST', body: bytes });
  assert.deepEqual([answer.status, answer.headers.get('x-own')], [418, 'kept']);
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(bytes));
  assert.ok(got?.equals(bytes));
  const control = new AbortController();
  const stream = await fetch(front, { signal: control.signal });
  const { value } = await stream.body?.getReader().read() ?? {};
  assert.equal(Buffer.from(value ?? []).toString(), 'data: first\n\n');
  control.abort();
  await gone;
});

test('trace of an address that is not there: the client gets 502, and the trace says so', async (t) => {
  const file = join(home, 'away.txt');
  const { url: front, end } = await proxy(t, 'trace', '--to', file, 'http://127.0.0.1:9/mcp');
  const answer = await fetch(front, { method: 'POST', body: '{}' });
  assert.equal(answer.status, 502);
  assert.match(await answer.text(), /127\.0\.0\.1:9 was not reached/);
  await end();
  assert.match(readFileSync(file, 'utf8'), /← 502 to POST \/mcp/);
});

test('trace of an address: fields of one connection stay on it, both ways; the target is asked as itself, for plain answers', async (t) => {
  let got: Record<string, unknown> = {};
  const server = createServer((request, response) => {
    got = { method: request.method, url: request.url, ...request.headers };
    request.resume().on('end', () => response.writeHead(200, 'OK', { connection: 'X-Hop, close', 'x-hop': '1', 'keep-alive': 'timeout=5', 'x-end': '2', 'content-type': 'text/plain' }).end('x'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => (server.close(), server.closeAllConnections()));
  const { port } = server.address() as AddressInfo;
  const { url: front } = await proxy(t, 'trace', '--to', join(home, 'fields.txt'), '--header', 'X-Own: yes', `http://127.0.0.1:${port}/mcp`);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => request(`${front}?q=1#f`, {
    method: 'PUT', headers: { connection: 'x-named , keep-alive', 'x-named': '1', 'keep-alive': '1', te: 'trailers', 'proxy-connection': 'x', 'accept-encoding': 'gzip', 'x-own': 'no', 'x-kept': '1' },
  }, resolve).on('error', reject).end());
  answer.resume();
  assert.deepEqual(['method', 'url', 'host', 'accept-encoding', 'x-own', 'x-kept', 'x-named', 'keep-alive', 'te', 'proxy-connection'].map((name) => got[name]), ['PUT', '/mcp?q=1', `127.0.0.1:${port}`, 'identity', 'yes', '1', undefined, undefined, undefined, undefined]);
  assert.deepEqual([answer.headers['x-hop'], answer.headers['x-end'], String(answer.headers['keep-alive']).includes('timeout=5') && answer.headers['connection']?.includes('X-Hop')], [undefined, '2', false]);
});

test('trace of an address: what is no path is refused, a broken answer is 502, a taken port is wrong use, and https is TLS', async (t) => {
  const firsts: number[] = [];
  let reply = '';
  const server = createNetServer((socket) => void socket.on('error', () => {}).once('data', (data: Buffer) => {
    firsts.push(data[0] ?? 0);
    socket.end(reply);
  }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { url: secure } = await proxy(t, 'trace', '--to', join(home, 'tls.txt'), `https://127.0.0.1:${port}/mcp`);
  assert.equal((await fetch(secure, { method: 'POST', body: '{}' })).status, 502);
  assert.deepEqual(firsts, [0x16]);
  const { url: front } = await proxy(t, 'trace', '--to', join(home, 'broken.txt'), `http://127.0.0.1:${port}/mcp`);
  const said = async (answer: string): Promise<[number, string]> => {
    reply = answer;
    const response = await fetch(front, { method: 'POST', body: '{}' });
    return [response.status, await response.text()];
  };
  assert.deepEqual(await said(''), [502, `barewire: 127.0.0.1:${port} was not reached: socket hang up\n`]);
  assert.match((await said('HTTP/1.1 1000 x\r\n\r\n'))[1], /^barewire: 127\.0\.0\.1:\d+ (?:answered with a malformed response|was not reached): /);
  assert.match((await said('HTTP/1.1 099 x\r\ncontent-length: 0\r\n\r\n'))[1], /^barewire: 127\.0\.0\.1:\d+ (?:answered with a malformed response|was not reached): /);
  const raw = await new Promise<IncomingMessage>((resolve, reject) => request({ host: '127.0.0.1', port: new URL(front).port, path: 'http://other.example/', method: 'GET' }, resolve).on('error', reject).end());
  let text = '';
  for await (const part of raw.setEncoding('utf8')) text += String(part);
  assert.deepEqual([raw.statusCode, raw.headers['x-content-type-options'], raw.headers['content-type'], text], [400, 'nosniff', 'text/plain; charset=utf-8', 'barewire: the request target "http://other.example/" is refused: a path is expected\n']);
  const taken = await inProcess(['trace', '--port', new URL(front).port, `http://127.0.0.1:${port}/mcp`], { env: { BAREWIRE_HOME: home } });
  assert.deepEqual([taken.code, /EADDRINUSE/.test(taken.err)], [2, true], taken.err);
});
