import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { waitingClock } from '../../mock-clock.ts';
import { ConnectionError } from '../../../src/jsonrpc/errors.ts';
import { HttpError, SessionExpired } from '../../../src/transport/http/http-error.ts';
import { metaKeys } from '../../../src/protocol/meta.ts';
import { client, handshake, json, notice, result, senderOf, serve, stream, test } from './harness.ts';
import type { Call, Client, Scripted } from './harness.ts';
import { everyNth } from '../../every-nth.ts';
import { within } from '../../within.ts';

// The stream of one answer in four events: the primer, two notifications, the answer.
const events = (id: string, retry: number = 7): string[] => ['', notice(1), notice(2), result(id)].map((text, n) =>
  `id: ${id}/${n}\n${n === 0 ? `retry: ${retry}\n` : ''}data: ${text}\n\n`);

/** Replays the events after the client's Last-Event-ID. */
function resume(call: Call, response: ServerResponse): void {
  const [id = '', n = ''] = String(call.headers['last-event-id']).split('/');
  stream(response).end(events(id).slice(Number(n) + 1).join(''));
}

async function collect(it: Client, id: string): Promise<unknown[]> {
  it.send({ id, method: 'tools/call', params: { name: 'x' } });
  const seen: unknown[] = [];
  for (;;) {
    const told = await it.next();
    if (told.kind !== 'message') return [...seen, told.kind === 'failed' ? told.error.constructor : told];
    const message = told.message as { id?: string; params?: { n: number } };
    seen.push(message.params?.n ?? message.id);
    if (message.id !== undefined) return seen;
  }
}

/** A server that sends the first `cut` bytes of each answer's stream, then ends it: abruptly or cleanly. */
const cutting = (t: TestContext, abrupt: boolean): Promise<Scripted> => serve(t, (call, response) => {
  if (handshake(call, response)) return;
  if (call.method === 'GET') return resume(call, response);
  const id = String(call.body.id);
  const cut = Number(id);
  const part = Buffer.from(events(id).join('')).subarray(0, cut);
  stream(response).write(part, () => abrupt ? response.destroy() : response.end());
});

for (const abrupt of [false, true]) {
  test(`a stream that is ${abrupt ? 'torn' : 'ended'} at any byte: nothing is lost, nothing comes twice`, async (t) => {
    const server = await cutting(t, abrupt);
    const it = await client(t, server.url);
    await it.handshake();
    // Both senders share the code that reads a cut stream, so test each byte with one and every third with the other.
    for (let cut = 1; ; cut += everyNth(7) * (senderOf(t) === 'fetch' ? 3 : 1)) {
      const id = String(cut).padStart(3, '0');
      const pieces = events(id);
      const whole = pieces.join('').length;
      if (cut > whole) break;
      const before = server.calls.length;
      const seen = await collect(it, id);
      const primed = cut >= (pieces[0] as string).length;
      assert.deepEqual(seen, primed ? [1, 2, id] : [ConnectionError], `cut at ${cut}`);
      const gets = server.calls.slice(before).filter(
        ({ method, headers }) => method === 'GET' && headers['last-event-id'],
      );
      assert.equal(gets.length, primed && cut < whole ? 1 : 0, `cut at ${cut}`);
    }
    assert.deepEqual(it.untaken, []);
    assert.deepEqual([...new Set(it.waits)], [7]);
  });
}

test('a stream that is cut after every event is resumed from each', async (t) => {
  const server = await serve(t, (call, response) => {
    if (handshake(call, response)) return;
    const [id = '', n = -1] = String(call.headers['last-event-id'] ?? call.body.id).split('/');
    stream(response).end(events(id, 900_000)[Number(n) + 1]);
  });
  // The server's `retry` applies even if it is longer than the client's own maximum.
  const it = await client(t, server.url);
  await it.handshake();
  assert.deepEqual(await collect(it, '9'), [1, 2, '9']);
  assert.deepEqual(server.calls.slice(-4).map(({ headers }) => headers['last-event-id']), [
    undefined, '9/0', '9/1', '9/2',
  ]);
  for (const { method, headers } of server.calls) if (method === 'GET') assert.equal(headers['accept'], 'text/event-stream');
  assert.deepEqual(it.waits, [900_000, 900_000, 900_000]);
});

test('without the server\'s word the waits grow, up to a bound, and attempts are bounded', async (t) => {
  const server = await serve(t, (call, response) => {
    if (handshake(call, response)) return;
    if (call.method === 'POST') stream(response).end('id: 1\ndata:\n\n');
    else response.writeHead(503).end();
  });
  const it = await client(t, server.url, {
    limits: { reconnectInitialMs: 100, reconnectMaxMs: 500, reconnectAttempts: 5 }, random: () => 0.5,
  });
  await it.handshake();
  const told = await it.request(1);
  assert.ok(told.kind === 'failed' && told.error instanceof ConnectionError);
  assert.match(told.error.message, /attempts to resume it: 5/);
  assert.deepEqual(it.waits, [75, 150, 300, 375, 375]);
});

test('a server that accepts a resumption and says nothing is asked again, ever more slowly', async (t) => {
  let gets = 0;
  const server = await serve(t, (call, response) => {
    if (handshake(call, response)) return;
    if (call.method === 'POST') stream(response).end('id: 1\nretry: 300\ndata:\n\n');
    else if (++gets % 2 === 1) response.writeHead(503).end();
    else stream(response).end(gets < 6 ? ': wait\n\n' : `data: ${result(1)}\n\n`);
  });
  const it = await client(t, server.url, { limits: { reconnectInitialMs: 100, reconnectAttempts: 2 } });
  await it.handshake();
  assert.equal((await it.request(1)).kind, 'message');
  // Never sooner than the server's `retry`; after a success the attempts start again.
  assert.deepEqual(it.waits, [300, 300, 400, 800, 1600, 3200]);
});

for (const [status, kind] of [[404, SessionExpired], [405, HttpError], [401, HttpError], [400, HttpError]] as const) {
  test(`a resumption that is refused with ${status} fails the request`, async (t) => {
    const server = await serve(t, (call, response) => {
      if (handshake(call, response, { 'mcp-session-id': 's' })) return;
      if (call.method === 'POST') stream(response).end('id: 1\ndata:\n\n');
      else response.writeHead(status).end();
    });
    const it = await client(t, server.url);
    await it.handshake();
    const told = await it.request(1);
    assert.ok(told.kind === 'failed' && told.error instanceof kind);
    assert.equal((told.error as HttpError).status, status);
    assert.equal(it.waits.length, 1);
  });
}

test('a modern stream is not resumed', async (t) => {
  for (const isReset of [false, true]) {
    const server = await serve(t, (call, response) => {
      const body = stream(response);
      if (isReset) body.write('id: 1\ndata:\n\n', () => response.destroy());
      else body.end('id: 1\ndata:\n\n');
    });
    const it = await client(t, server.url);
    const told = await within('the end of the request', it.request(1, 'tools/list', { _meta: { [metaKeys.protocolVersion]: '2026-07-28' } }));
    assert.ok(told.kind === 'failed' && told.error instanceof ConnectionError && told.error.reason === 'closed');
    assert.equal(server.calls.length, 1);
  }
});

test('an answer that came on another stream ends the waiting', async (t) => {
  let get: ServerResponse | undefined;
  const server = await serve(t, (call, response) => {
    if (call.method === 'GET') {
      get = stream(response);
      get.write(`data: ${notice(0)}\n\n`);
    } else if (!handshake(call, response)) {
      get?.write(`data: ${result(1)}\n\n`, () => stream(response).end('id: 1\ndata:\n\n'));
    }
  });
  const it = await client(t, server.url);
  await it.handshake();
  assert.equal((await it.next()).kind, 'message');
  assert.equal((await it.request(1)).kind, 'message');
  assert.equal(server.calls.filter(({ method }) => method === 'GET').length, 1);
});

test('the GET stream is opened after the handshake, and again after each end', async (t) => {
  let gets = 0;
  const server = await serve(t, (call, response) => {
    if (call.method !== 'GET') return void handshake(call, response, { 'mcp-session-id': 's1' });
    const n = ++gets;
    const text = `id: e${n}\nretry: ${n}\ndata: ${notice(n)}\n\n`;
    // The second stream is cut without an end.
    if (n === 2) stream(response).write(text, () => response.destroy());
    else if (n < 4) stream(response).end(text);
    else stream(response).write(`data: ${notice(n)}\n\n`);
  });
  const it = await client(t, server.url);
  await it.handshake();
  for (const n of [1, 2, 3, 4]) {
    const told = await it.next();
    assert.deepEqual(told.kind === 'message' && told.message, { jsonrpc: '2.0', method: 'note', params: { n } });
  }
  const seen = server.calls.filter(({ method }) => method === 'GET').map(({ headers }) => headers);
  assert.deepEqual(seen.map((headers) => headers['last-event-id']), [undefined, 'e1', 'e2', 'e3']);
  for (const headers of seen) {
    assert.equal(headers['mcp-session-id'], 's1');
    assert.equal(headers['mcp-protocol-version'], '2025-11-25');
    assert.equal(headers['accept'], 'text/event-stream');
  }
  assert.deepEqual(it.waits, [1, 2, 3]);
  await it.transport.close();
  assert.deepEqual(it.untaken, []);
});

test('requests wait until the GET stream is answered, so that nothing said on it is lost', async (t) => {
  const order: string[] = [];
  const server = await serve(t, (call, response) => {
    order.push(call.body.method ?? call.method);
    // The answer to the GET is late: requests sent meanwhile would arrive before it.
    if (call.method === 'GET') setTimeout(() => (order.push('opened'), stream(response)), 50);
    else if (call.body.method === 'tools/list') json(response, result(call.body.id));
    else handshake(call, response);
  });
  const it = await client(t, server.url);
  await it.handshake();
  assert.equal((await it.request(1)).kind, 'message');
  assert.deepEqual(order, ['initialize', 'notifications/initialized', 'GET', 'opened', 'tools/list']);
});

test('requests do not wait for ever for a GET that is not answered', async (t) => {
  const server = await serve(t, (call, response) => {
    if (call.body.method === 'tools/list') json(response, result(call.body.id));
    else if (call.method !== 'GET') handshake(call, response);
  });
  const it = await client(t, server.url, { limits: { listenMs: 7 } });
  await it.handshake();
  assert.equal((await it.request(1)).kind, 'message');
  assert.deepEqual(it.waits, [7]);
});

test('a GET stream that is refused is told once; 405 is no fault', async (t) => {
  for (const status of [405, 400]) {
    const server = await serve(t, (call, response) => {
      if (call.method === 'GET') response.writeHead(status).end();
      else handshake(call, response);
    });
    const it = await client(t, server.url);
    await it.handshake();
    if (status === 400) {
      const told = await it.next();
      assert.ok(told.kind === 'error' && told.error instanceof HttpError);
    }
    // Start a round trip after the GET has been answered.
    while (!server.calls.some(({ method }) => method === 'GET')) await it.request(1, 'initialize');
    await it.request(2, 'initialize');
    assert.deepEqual(it.untaken, []);
    assert.deepEqual(it.waits, []);
  }
});

/** Milliseconds. These waits are recognized by their length. */
const [listenMs, endpointMs] = [2_000_001, 2_000_002];

for (const capabilities of [{}, { elicitation: {} }, { sampling: {} }, { roots: {} }]) {
  const declared = Object.keys(capabilities).join() || 'nothing';
  test(`a GET that is answered late: what may ask a client that declares ${declared} waits or does not`, async (t) => {
    let get: ServerResponse | undefined;
    const server = await serve(t, (call, response) => {
      if (call.method === 'GET') get = response;
      else if (!handshake(call, response)) json(response, result(call.body.id));
    });
    let listened = (): void => {};
    const it = await client(t, server.url, {
      limits: { listenMs, endpointMs },
      clock: waitingClock((ms) => new Promise((resolve) => {
        if (ms === listenMs) listened = resolve;
      })),
    });
    await it.handshake('2025-11-25', capabilities);
    const methods = ['tools/list', 'tools/call', 'prompts/get', 'resources/read'];
    methods.forEach((method, id) => it.send({ id, method, params: {} }));
    while (get === undefined) await new Promise((resolve) => setImmediate(resolve));
    const heard = (): (string | undefined)[] => server.calls.map(({ body }) => body.method).slice(2).filter((one) => one !== undefined).toSorted();
    assert.deepEqual(heard(), []);
    // The GET remains unanswered for `listenMs`.
    listened();
    for (let answers = 0; answers < (declared === 'nothing' ? methods.length : 1); answers++) await it.next();
    assert.deepEqual(heard(), declared === 'nothing' ? methods.toSorted() : ['tools/list']);
    if (declared === 'nothing') return;
    stream(get);
    for (let answers = 0; answers < 3; answers++) await it.next();
    assert.deepEqual(heard(), methods.toSorted());
    // From here on nothing waits.
    assert.equal((await it.request(9, 'tools/call', {})).kind, 'message');
  });
}

test('no GET stream where the revision has none', async (t) => {
  for (const version of ['2024-11-05', '2026-07-28']) {
    const server = await serve(t, (call, response) => void handshake(call, response));
    const it = await client(t, server.url);
    await it.handshake(version);
    await it.request(2, 'initialize');
    await it.request(3, 'initialize');
    // The 2024-11-05 connection first looks for HTTP+SSE; that GET is not the stream of a session.
    const gets = server.calls.filter(({ method, headers }) => method === 'GET' && headers['mcp-session-id'] !== undefined);
    assert.deepEqual(gets, []);
  }
});

test('an event over the limit on the GET stream is told by name, and the stream goes on', async (t) => {
  const server = await serve(t, (call, response) => {
    if (call.method === 'GET') stream(response).write(`data: ${'x'.repeat(200)}\n\ndata: ${notice(1)}\n\n`);
    else handshake(call, response);
  });
  const it = await client(t, server.url, { limits: { maxMessageBytes: 150 } });
  await it.handshake();
  const told = await it.next();
  assert.ok(told.kind === 'error' && /too large/.test(told.error.message));
  assert.equal((await it.next()).kind, 'message');
});

test('the answer to initialize may be resumed, in the session that it opens', async (t) => {
  const server = await serve(t, (call, response) => {
    if (call.method === 'POST') stream(response, { 'mcp-session-id': 's' }).end('id: 1\ndata:\n\n');
    else if (call.method === 'GET') stream(response).end(`data: ${result(1)}\n\n`);
    else response.end();
  });
  const it = await client(t, server.url);
  assert.equal((await it.request(1, 'initialize')).kind, 'message');
  assert.equal(server.calls[1]?.headers['mcp-session-id'], 's');
});

test('an event over the limit ends the stream of its request', async (t) => {
  let closed: (() => void) | undefined;
  const gone = new Promise<void>((resolve) => (closed = resolve));
  const server = await serve(t, (call, response) => {
    response.on('close', () => closed?.());
    stream(response).write(`data: ${'x'.repeat(200)}\n\n`);
  });
  const it = await client(t, server.url, { limits: { maxMessageBytes: 150 } });
  assert.equal((await it.request(1)).kind, 'failed');
  await gone;
});

test('a transport that closes while the handshake is accepted opens no GET stream', async (t) => {
  const server = await serve(t, (call, response) => void handshake(call, response));
  let close: (() => Promise<void>) | undefined;
  let accepted: (() => void) | undefined;
  const closing = new Promise<void>((resolve) => (accepted = resolve));
  const it = await client(t, server.url, {
    wrap: (send) => async (request) => {
      const answer = await send(request);
      if (answer.status === 202) {
        await close?.();
        accepted?.();
      }
      return answer;
    },
  });
  close = it.transport.close;
  await it.handshake();
  await closing;
  // These round trips end later than a GET would have been sent.
  const other = await client(t, server.url);
  for (const id of [1, 2, 3]) await other.request(id, 'initialize');
  assert.ok(!server.calls.some(({ method }) => method === 'GET'));
});

test('a stream that stays open after its answer is closed when its time is up', async (t) => {
  let closed: (() => void) | undefined;
  const gone = new Promise<void>((resolve) => (closed = resolve));
  const server = await serve(t, (call, response) => {
    stream(response).write(`data: ${result(1)}\n\n`);
    response.on('close', () => closed?.());
  });
  // Short enough for the scripted clock to end it at once.
  const it = await client(t, server.url, { limits: { lingerMs: 5 } });
  await it.request(1);
  await gone;
  assert.deepEqual(it.waits, [5]);
});

test('retry: 0 is not taken at its word: the waits have a floor, and grow while nothing comes', async (t) => {
  let gets = 0;
  let done: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => (done = resolve));
  const server = await serve(t, (call, response) => {
    if (call.method !== 'GET') return void handshake(call, response);
    gets++;
    if (gets === 9) done?.();
    // The sixth stream brings a message.
    stream(response).end(`id: ${gets}\nretry: 0\ndata:${gets === 6 ? ` ${notice(1)}` : ''}\n\n`);
  });
  const it = await client(t, server.url, { limits: { reconnectMinMs: 100, reconnectInitialMs: 1000 } });
  await it.handshake();
  await ended;
  await it.transport.close();
  assert.deepEqual(it.waits.slice(0, 8), [100, 200, 400, 800, 1000, 100, 200, 400]);
});

test('a server that asks and takes no answers is not read any further', async (t) => {
  // 12 MB of pings: more than the buffers of both sides hold.
  const ping = `data: ${JSON.stringify({ jsonrpc: '2.0', id: 'p', method: 'ping', params: { pad: 'x'.repeat(60_000) } })}\n\n`;
  const answers: ServerResponse[] = [];
  let stuck = true;
  let full: (() => void) | undefined;
  const filled = new Promise<void>((resolve) => (full = resolve));
  let written = 0;
  const server = await serve(t, (call, response) => {
    if (call.body.id === 1) {
      const to = stream(response);
      const more = (): void => {
        written++;
        if (written === 200) to.end(`data: ${result(1)}\n\n`);
        else if (to.write(ping)) setImmediate(more);
        else {
          to.once('drain', more);
          full?.();
        }
      };
      more();
    } else if (stuck) answers.push(response);
    else response.writeHead(202).end();
  });
  const it = await client(t, server.url);
  let heard = 0;
  const done = new Promise<void>((resolve) => {
    const hear = async (): Promise<void> => {
      for (;;) {
        const told = await it.next();
        if (told.kind !== 'message' || told.decoded.kind === 'success') return resolve();
        heard++;
        it.send({ id: 'p' });
      }
    };
    void hear();
  });
  it.send({ id: 1, method: 'tools/call' });
  // The connection is full because nobody reads: its buffers hold less than is to come.
  await filled;
  const before = heard;
  assert.ok(before < 100 && written < 200, `${before} pings, ${written} writes`);
  stuck = false;
  for (const answer of answers.splice(0)) answer.writeHead(202).end();
  await done;
  assert.equal(heard, 199);
});

test('an event id goes back as its bytes in UTF-8; after one that no header can carry, nothing is resumed and the request ends at once', async (t) => {
  for (const [id, sent] of [['plain', 'plain'], ['tab\there', 'tab\there'], ['é 日本', Buffer.from('é 日本').toString('latin1')], ['a\u0001b', undefined], ['\u007f', undefined]] as const) {
    const server = await serve(t, (call, response) => {
      if (handshake(call, response)) return;
      if (call.method === 'GET') stream(response).end(`data: ${result(1)}\n\n`);
      else stream(response).end(`id: ${id}\ndata:\n\n`);
    });
    const it = await client(t, server.url);
    await it.handshake();
    const told = await it.request(1, 'tools/call');
    const asked = server.calls.filter(({ method, headers }) => method === 'GET' && headers['last-event-id'] !== undefined);
    assert.equal(told.kind, sent === undefined ? 'failed' : 'message', id);
    assert.deepEqual(asked.map(({ headers }) => headers['last-event-id']), sent === undefined ? [] : [sent]);
    // Without a reconnection there is no wait.
    assert.equal(it.waits.length, sent === undefined ? 0 : 1);
  }
});
