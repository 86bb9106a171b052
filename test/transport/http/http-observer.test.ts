import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { fetchHandler } from '../../../src/transport/http/fetch/index.ts';
import { httpObserver } from '../../../src/transport/http/node/index.ts';
import type { HttpBegin, HttpEnd, ServeHttpOptions } from '../../../src/transport/http/node/index.ts';
import { fakeServer } from './fake-server.ts';
import { modern, rpc, start } from './harness.ts';
import type { Bench } from './harness.ts';

/** A request; the requests are in the order of their ends. */
type Seen = HttpBegin & HttpEnd;

async function observed(t: TestContext, options: ServeHttpOptions = {}): Promise<Bench & { seen: Seen[]; next: () => Promise<Seen> }> {
  const seen: Seen[] = [];
  let wake = (): void => {};
  const observe = httpObserver((begin) => (end) => {
    seen.push({ ...begin, ...end });
    wake();
  });
  const bench = await start(t, { ...options, observe });
  /** Returns the next finished request; earlier ones are taken first. */
  async function next(): Promise<Seen> {
    for (;;) {
      const found = seen.shift();
      if (found) return found;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return { ...bench, seen, next };
}

const shown = ({ at, ms, ...rest }: Seen): object => {
  assert.ok(Math.abs(Date.now() - at) < 60_000 && ms >= 0 && ms < 60_000);
  return rest;
};

test('observe: method, path, status, bytes and time of each request', async (t) => {
  const { ask, open, next } = await observed(t);
  const sent = modern('echo', { text: 'ü€😀' });
  const { text } = await ask(sent);
  assert.deepEqual(shown(await next()), {
    method: 'POST', path: '/mcp', status: 200, complete: true,
    receivedBytes: Buffer.byteLength(JSON.stringify(sent.body)), sentBytes: Buffer.byteLength(text),
  });
  await open();
  assert.equal((await next()).status, 200);
  await ask({ path: '/mcp?token=secret', body: 'x' });
  const { path, status, refused, receivedBytes } = await next();
  assert.deepEqual([path, status, receivedBytes], ['/mcp', 400, 1]);
  assert.match(refused ?? '', /^Parse error/);
});

test('observe: what is refused before it is read tells what refused it', async (t) => {
  const { ask, next } = await observed(t, { auth: () => undefined, limits: { maxBodyBytes: 10 } });
  const refusedBy = async (...[sent]: Parameters<Bench['ask']>): Promise<unknown[]> => {
    await ask(sent);
    const { status, refused, receivedBytes, complete } = await next();
    assert.deepEqual([receivedBytes, complete], [0, true]);
    return [status, refused];
  };
  assert.deepEqual(await refusedBy({ headers: { host: 'rebound.example' } }), [403, 'Forbidden: the host "rebound.example" is not allowed']);
  assert.deepEqual(await refusedBy({ headers: { origin: 'https://evil.example' } }), [403, 'Forbidden: the origin "https://evil.example" is not allowed']);
  assert.deepEqual(await refusedBy({ path: '/other' }), [404, 'Not found: "/other"; the endpoint is /mcp']);
  assert.deepEqual(await refusedBy({ body: '{}' }), [401, 'Unauthorized']);
  const open = await observed(t, { limits: { maxBodyBytes: 10 } });
  await open.ask({ body: 'x'.repeat(11) });
  const { status, refused } = await open.next();
  assert.deepEqual([status, refused], [413, 'Content too large: the limit is 10 bytes']);
});

test('observe: a stream ends with its last event, or when its reader leaves', async (t) => {
  const { live, next, seen, server, open } = await observed(t);
  const steps = await live(modern('steps', { steps: 3 }));
  const events = await steps.all();
  const whole = await next();
  assert.deepEqual([whole.status, whole.complete], [200, true]);
  assert.equal(whole.sentBytes, events.reduce((sum, { data }) => sum + `data: ${data}\n\n`.length, 0));
  const listening = await live({ method: 'GET', headers: await open() });
  await next();
  assert.equal(seen.length, 0);
  listening.cut();
  const left = await next();
  assert.deepEqual([left.method, left.status, left.complete], ['GET', 200, false]);
  // A client that leaves before there is an answer.
  const waits = live(modern('wait', { key: 'a' }));
  waits.catch(() => {});
  await server.arrived('a');
  const [inbound] = [server.waiting.get('a')?.inbound];
  const gone = new Promise<void>((resolve) => inbound?.signal.addEventListener('abort', () => resolve()));
  inbound?.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/step' }));
  (await waits).cut();
  await gone;
  assert.deepEqual([(await next()).complete], [false]);
});

test('observe: a client that leaves before the end of its body has ended', async () => {
  const seen: HttpEnd[] = [];
  const handler = fetchHandler(fakeServer(), { observe: httpObserver(() => (end) => void seen.push(end)) });
  const leaving = new AbortController();
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array([0x7b])) });
  void handler(new Request('http://localhost/mcp', {
    method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body, duplex: 'half', signal: leaving.signal,
  } as RequestInit));
  leaving.abort();
  assert.deepEqual(seen.map(({ status, complete }) => [status, complete]), [[undefined, false]]);
  await handler.close({ drainMs: 0 });
});

test('observe: nothing that may be a credential is told', async (t) => {
  const { ask, next } = await observed(t);
  const key = 'sk9Zx71Qp4Lw82Mn55Tt';
  await ask({ path: `/mcp/${key}?key=${key}`, headers: { authorization: `Bearer ${key}`, cookie: key, 'mcp-session-id': key }, body: { key } });
  const { refused, ...told } = await next();
  assert.ok(!JSON.stringify(told).includes(key));
  assert.equal(told.path, '/mcp/[redacted]');
  await ask({ path: `/${'a'.repeat(5000)}`, body: rpc('ping') });
  assert.ok((await next()).path.length <= 200);
  // The cut goes through the key.
  await ask({ path: `/${'a/'.repeat(94)}${key}`, body: rpc('ping') });
  assert.equal((await next()).path, `/${'a/'.repeat(94)}[redacted]`);
});

test('observe: an observer that throws is told of, and the request is served', async (t) => {
  const boom = (): never => {
    throw new Error('boom');
  };
  for (const observe of [httpObserver(boom), httpObserver(() => boom), httpObserver(() => undefined)]) {
    const { ask, errors } = await start(t, { observe });
    assert.equal((await ask(modern('echo'))).status, 200);
    if (errors.length > 0) assert.deepEqual(errors.map(({ message }) => message), ['boom']);
  }
  assert.throws(() => httpObserver(1 as never), /httpObserver: begin is invalid/);
});
