import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { processBudget } from '../../../src/bounds/budget.ts';
import { ConnectionError } from '../../../src/jsonrpc/errors.ts';
import { httpTransport } from '../../../src/transport/http/fetch/index.ts';
import type { HttpTransportOptions } from '../../../src/transport/http/client/options.ts';
import { HttpError } from '../../../src/transport/http/http-error.ts';
import { client, handshake, json, notice, result, revision, serve, stream, test } from './harness.ts';
import type { Call } from './harness.ts';

const failure = (id: unknown, code: number): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'no' } });
const sse = (response: ServerResponse, ...texts: string[]): void =>
  void stream(response).end(texts.map((text) => `data: ${text}\n\n`).join(''));

/** An error is read completely, however long it is. */
const long = { supported: ['2026-07-28'], hint: 'x'.repeat(5000) };

type Script = (response: ServerResponse, call: Call) => void;

const messages: Record<string, { script: Script; expected: readonly unknown[]; agreed?: string }> = {
  'an answer in JSON': {
    script: (response) => json(response, result(1, { a: 'é' })),
    expected: [{ jsonrpc: '2.0', id: 1, result: { a: 'é' } }],
  },
  'with a character set': {
    script: (response) => json(response, result(1), 200, { 'content-type': 'Application/JSON ; charset=utf-8' }),
    expected: [{ jsonrpc: '2.0', id: 1, result: {} }],
  },
  'in many pieces': {
    script(response) {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (const byte of Buffer.from(result(1, { a: 'é' }))) response.write(Buffer.of(byte));
      response.end();
    },
    expected: [{ jsonrpc: '2.0', id: 1, result: { a: 'é' } }],
  },
  'an answer in a stream, after other messages': {
    script: (response) => sse(response, notice(1), '{"jsonrpc":"2.0","id":"q","method":"ping"}', result(1)),
    expected: [
      { jsonrpc: '2.0', method: 'note', params: { n: 1 } },
      { jsonrpc: '2.0', id: 'q', method: 'ping' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ],
  },
  'events of other types and without data are skipped': {
    script: (response) =>
      void stream(response, { 'content-type': 'Text/Event-Stream ; charset=utf-8' }).end(`event: other\ndata: x\n\ndata\n\n: note\n\ndata: ${result(1)}\n\n`),
    expected: [{ jsonrpc: '2.0', id: 1, result: {} }],
  },
  'an error answer': {
    script: (response) => json(response, failure(1, -32602)),
    expected: [{ jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no' } }],
  },
  'an error answer with an error status': {
    script: (response) => json(response, JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'no', data: long } }), 400),
    expected: [{ jsonrpc: '2.0', id: 1, error: { code: -32022, message: 'no', data: long } }],
  },
  'an error without an id is that of the request': {
    script: (response) => json(response, failure(null, -32000), 400),
    expected: [{ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'no' } }],
  },
  'also with a good status': {
    script: (response) => json(response, failure(undefined, -32000)),
    expected: [{ jsonrpc: '2.0', error: { code: -32000, message: 'no' }, id: 1 }],
  },
  'an unknown method, 404 without a session': {
    script: (response) => json(response, failure(1, -32601), 404),
    expected: [{ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'no' } }],
  },
  'a batch, where the revision has it': {
    agreed: '2025-03-26',
    script: (response) => json(response, `[${notice(1)},${result(1)}]`),
    expected: [{
      kind: 'batch',
      weight: 89,
      values: [
        { jsonrpc: '2.0', method: 'note', params: { n: 1 } },
        { jsonrpc: '2.0', id: 1, result: {} },
      ],
    }],
  },
};

for (const [name, { script, expected, agreed }] of Object.entries(messages)) {
  test(name, async (t) => {
    const server = await serve(t, (call, response) => script(response, call));
    const it = await client(t, server.url);
    if (agreed !== undefined) it.transport.agreed?.(revision(agreed));
    it.send({ id: 1, method: 'tools/list' });
    for (const message of expected) {
      const told = await it.next();
      assert.deepEqual(told.kind === 'message' ? told.message : told, message);
    }
    await it.transport.close();
    assert.deepEqual(it.untaken, []);
  });
}

const failures: Record<string, { script: Script; status: number; says: RegExp; options?: HttpTransportOptions }> = {
  'nothing but 202': { script: (r) => void r.writeHead(202).end(), status: 202, says: /HTTP 202 with content type/ },
  'another content type': {
    script: (r) => void r.writeHead(200, { 'content-type': 'text/html' }).end('<p>hi'), status: 200,
    says: /"text\/html": <p>hi/,
  },
  'no content type': { script: (r) => void r.writeHead(200).end(result(1)), status: 200, says: /content type ""/ },
  'not JSON': { script: (r) => json(r, '{"a"'), status: 200, says: /Parse error/ },
  'an empty body': { script: (r) => json(r, ''), status: 200, says: /Parse error/ },
  'not UTF-8': {
    script: (r) => void r.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.of(0x22, 0xff, 0x22)),
    status: 200, says: /Parse error/,
  },
  'not JSON-RPC': { script: (r) => json(r, '{"id":1,"result":{}}'), status: 200, says: /"jsonrpc" must be/ },
  'not JSON-RPC, in a stream': {
    script: (r) => sse(r, '{"jsonrpc":"2.0","id":1,"result":1}'), status: 200, says: /"result" must be/,
  },
  'a batch, where the revision has none': { script: (r) => json(r, `[${result(1)}]`), status: 200, says: /no batches/ },
  'an error status with some text': {
    script: (r) => void r.writeHead(400).end('Bad'), status: 400, says: /HTTP 400: Bad/,
  },
  'an error status with the error of another request': {
    script: (r) => json(r, failure(2, -32600), 400), status: 400, says: /HTTP 400/,
  },
  '401, whatever the body': { script: (r) => json(r, failure(1, -32600), 401), status: 401, says: /HTTP 401/ },
  '403, whatever the body': { script: (r) => json(r, failure(null, -32600), 403), status: 403, says: /HTTP 403/ },
  '500': { script: (r) => void r.writeHead(500).end(), status: 500, says: /^HTTP 500$/ },
  'too large, announced': {
    script: (r) => json(r, result(1, { a: 'x'.repeat(100) })), status: 200, says: /limit of 100 bytes/,
    options: { limits: { maxMessageBytes: 100 } },
  },
  'too large, endless': {
    script(r) {
      r.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => void (r.destroyed || r.write('x'.repeat(1000), () => setImmediate(more)));
      more();
    },
    status: 200, says: /limit of 100000 bytes/, options: { limits: { maxMessageBytes: 100_000 } },
  },
  'an event too large': {
    script: (r) => sse(r, result(1, { a: 'x'.repeat(100) })), status: 200, says: /event too large.*100 bytes/,
    options: { limits: { maxMessageBytes: 100 } },
  },
  'a redirect to another origin': {
    script: (r) => void r.writeHead(307, { location: 'http://127.0.0.1:9/mcp' }).end(), status: 307,
    says: /redirect.*127\.0\.0\.1:9/,
  },
  'a redirect that changes the method': {
    script: (r) => void r.writeHead(302, { location: '/other' }).end(), status: 302, says: /redirect/,
  },
  'redirects without end': {
    script: (r) => void r.writeHead(307, { location: '/mcp' }).end(), status: 307, says: /redirect/,
  },
};

for (const [name, { script, status, says, options }] of Object.entries(failures)) {
  test(`refused: ${name}`, async (t) => {
    const server = await serve(t, (call, response) => script(response, call));
    const it = await client(t, server.url, options);
    const told = await it.request(1);
    assert.ok(told.kind === 'failed' && told.error instanceof HttpError, told.kind);
    assert.equal(told.id, 1);
    assert.equal(told.error.status, status);
    assert.match(told.error.message, says);
    await it.transport.close();
    assert.deepEqual(it.untaken, []);
  });
}

test('the answer to another request is handed on, and the request fails', async (t) => {
  const server = await serve(t, (call, response) => json(response, result(2)));
  const it = await client(t, server.url);
  assert.equal((await it.request(1)).kind, 'message');
  const told = await it.next();
  assert.ok(told.kind === 'failed' && /answered another/.test(told.error.message));
});

test('a message on a stream that is none is told, and the stream goes on', async (t) => {
  const server = await serve(t, (call, response) => sse(response, '{', result(1)));
  const it = await client(t, server.url);
  assert.equal((await it.request(1)).kind, 'error');
  assert.equal((await it.next()).kind, 'message');
});

test('no server: the request fails with what the runtime says', async (t) => {
  const it = await client(t, 'http://127.0.0.1:1/mcp');
  const told = await it.request(1);
  assert.ok(told.kind === 'failed' && told.error instanceof ConnectionError && told.error.reason === 'closed');
  assert.match(told.error.message, /ECONNREFUSED|bad port/);
});

test('the connection cut before an answer, and in the middle of one', async (t) => {
  const server = await serve(t, (call, response) => {
    if (call.body.id === 1) response.destroy();
    else response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 }).write(
      '{', () => response.destroy(),
    );
  });
  const it = await client(t, server.url);
  for (const id of [1, 2]) {
    const told = await it.request(id);
    assert.ok(told.kind === 'failed' && told.id === id && told.error instanceof ConnectionError, String(id));
  }
});

test('a notification that is refused is told, and one that is accepted is not', async (t) => {
  const server = await serve(
    t, (call, response) => void response.writeHead(call.body.method === 'bad' ? 400 : 202).end('{'),
  );
  const it = await client(t, server.url);
  it.send({ method: 'good' });
  it.send({ method: 'bad' });
  const told = await it.next();
  assert.ok(told.kind === 'error' && told.error instanceof HttpError && told.error.status === 400);
  assert.deepEqual(it.untaken, []);
});

test('a redirect within the origin is followed with its body', async (t) => {
  const server = await serve(t, (call, response) => {
    if (call.path === '/mcp') response.writeHead(308, { location: '/mcp/' }).end();
    else json(response, result(call.body.id));
  });
  const it = await client(t, server.url);
  assert.equal((await it.request(1)).kind, 'message');
  assert.deepEqual(server.calls.map(({ path }) => path), ['/mcp', '/mcp/']);
});

test('trace sees both directions', async (t) => {
  const server = await serve(t, (call, response) => {
    if (call.body.id === 1) json(response, result(1));
    else sse(response, notice(1), result(2));
  });
  const seen: string[] = [];
  const it = await client(t, server.url, { trace: ({ direction, text }) => seen.push(`${direction} ${text}`) });
  await it.request(1);
  await it.request(2);
  await it.next();
  assert.deepEqual(seen, [
    'sent {"jsonrpc":"2.0","id":1,"method":"tools/list"}', `received ${result(1)}`,
    'sent {"jsonrpc":"2.0","id":2,"method":"tools/list"}', `received ${notice(1)}`, `received ${result(2)}`,
  ]);
});

test('an address that is not HTTP is refused at once', () => {
  assert.throws(() => httpTransport('file:///etc/passwd'), /not an HTTP address: it begins with file:/);
  // No message tells a password.
  for (const [address, why] of [
    ['http://ann:hunter2@127.0.0.1/mcp', /^TypeError: the address of 127.0.0.1 has a user name or a password/],
    ['https://hunter2@127.0.0.1:8/mcp', /the address of 127.0.0.1:8 has/], ['ftp://ann:hunter2@a.example', /not an HTTP address/],
  ] as const) {
    assert.throws(() => httpTransport(address), (error) => why.test(String(error)) && !String(error).includes('hunter2'), address);
  }
  assert.throws(() => httpTransport('mcp'), TypeError);
});

test('after close nothing is sent', async (t) => {
  const server = await serve(t, handshake);
  const it = await client(t, server.url);
  await it.transport.close();
  const told = await it.request(1);
  assert.ok(told.kind === 'failed' && told.error instanceof ConnectionError);
  assert.equal(told.error.message, 'the transport is closed');
  it.send({ method: 'note' });
  assert.deepEqual(server.calls, []);
  assert.deepEqual(it.untaken, []);
});

test('answers that are being read are charged to the process, however they are cut, and refused where it holds too much', async (t) => {
  const budget = processBudget();
  const { limit, used } = budget;
  budget.limit = used + 200_000;
  t.after(() => {
    budget.limit = limit;
  });
  const server = await serve(t, ({ body }, response) => {
    const text = result(body.id as number, { a: 'x'.repeat(body.id === 1 ? 300_000 : 50_000) });
    response.writeHead(200, { 'content-type': 'application/json' });
    for (let at = 0; at < text.length; at += 1000) response.write(text.slice(at, at + 1000));
    response.end();
  });
  const it = await client(t, server.url);
  const refused = await it.request(1);
  assert.ok(refused.kind === 'failed' && refused.error instanceof HttpError);
  assert.match(refused.error.message, /the answer is over the limit of bytes held at a time/);
  assert.equal((await it.request(2)).kind, 'message');
  assert.equal(budget.used, used);
  await it.transport.close();
});
