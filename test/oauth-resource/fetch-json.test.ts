import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { fetchJson } from '../../src/oauth/fetch-json.ts';

async function serve(t: TestContext, answer: (req: IncomingMessage, res: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('fetch: a document, its status, and what is no JSON', async (t) => {
  const url = await serve(t, (req, res) => {
    res.writeHead(req.url === '/404' ? 404 : 200, { 'x-name': 'value' }).end(req.url === '/html' ? '<html>' : '{"a":1}');
  });
  const answer = await fetchJson(`${url}/`, 'the document');
  assert.deepEqual([answer.status, answer.value, answer.header('x-name'), answer.header('x')], [200, { a: 1 }, 'value', undefined]);
  assert.equal((await fetchJson(`${url}/404`, 'the document')).status, 404);
  assert.equal((await fetchJson(`${url}/html`, 'the document')).value, undefined);
});

test('fetch: a document without end is left at its limit', async (t) => {
  let closed: () => void;
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const url = await serve(t, (_, res) => {
    const more = (): void => {
      while (!res.destroyed && res.write(Buffer.alloc(16_384, 0x20)));
    };
    res.on('drain', more).on('close', () => closed());
    more();
  });
  await assert.rejects(fetchJson(url, 'the key set'), { code: 'fetch_too_large', message: `the key set (${url}/): longer than 262144 bytes` });
  await gone;
});

test('fetch: a document that trickles, and one that never begins, are left at their time', async (t) => {
  const url = await serve(t, (req, res) => {
    if (req.url === '/trickle') res.write('{');
  });
  for (const path of ['/never', '/trickle']) {
    await assert.rejects(fetchJson(url + path, 'the key set', {}, { limits: { timeoutMs: 50 } }), { code: 'fetch_timeout' }, path);
  }
  const controller = new AbortController();
  const left = assert.rejects(fetchJson(`${url}/trickle`, 'the key set', {}, { signal: controller.signal }), /enough/);
  controller.abort(new Error('enough'));
  await left;
});

test('fetch: redirects are counted, judged, and never followed by a POST', async (t) => {
  const url = await serve(t, (req, res) => {
    const to = { '/one': '/two', '/two': '/end', '/loop': '/loop', '/out': 'http://as.example/keys', '/file': 'file:///etc/passwd' }[req.url ?? ''];
    res.writeHead(to ? 302 : 200, to ? { location: to } : {}).end('{"method":"' + req.method + '"}');
  });
  assert.deepEqual((await fetchJson(`${url}/one`, 'x')).value, { method: 'GET' });
  await assert.rejects(fetchJson(`${url}/loop`, 'x'), { code: 'fetch_redirect' });
  await assert.rejects(fetchJson(`${url}/one`, 'x', {}, { limits: { maxRedirects: 1 } }), { code: 'fetch_redirect' });
  await assert.rejects(fetchJson(`${url}/out`, 'x'), { code: 'insecure_url' });
  await assert.rejects(fetchJson(`${url}/file`, 'x'), { code: 'insecure_url' });
  await assert.rejects(fetchJson(`${url}/one`, 'x', { method: 'POST', body: 'secret' }), { code: 'fetch_redirect' });
});

test('fetch: addresses that are not secure, or none, and hosts that do not answer', async () => {
  for (const url of ['http://as.example/', 'http://10.0.0.1/', 'ftp://127.0.0.1/', 'http://127.0.0.1.example/', 'http://localhost.example/']) {
    await assert.rejects(fetchJson(url, 'the key set'), { code: 'insecure_url' }, url);
  }
  await assert.rejects(fetchJson('keys', 'the key set'), { code: 'invalid_url' });
  await assert.rejects(fetchJson('http://127.0.0.1:1/', 'the key set'), { code: 'fetch_failed' });
});
