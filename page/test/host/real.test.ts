import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { McpServer } from 'barewire/server';
import { serveHttp } from 'barewire/http';
import { memoryStore, tasks } from 'barewire/tasks';
import { messagesVersion, socketProtocol } from '../../src/messages.ts';
import type { HostMessage, LoginStep } from '../../src/messages.ts';
import { servePage } from '../../src/server/index.ts';
import { Exchanges, standingOf } from '../../src/ui/wire/exchanges.ts';
import type { ServePageOptions } from '../../src/server/index.ts';
import { hostOf, sampleServer, TestPage } from './harness.ts';
import type { Ending, PageLine } from './harness.ts';
import { protectedServer } from './protected.ts';

const travel = fileURLToPath(new URL('../../../../dist/examples/travel/main.js', import.meta.url));

/** The local server with a page over its socket. */
async function opened(t: Ending, options: ServePageOptions): Promise<TestPage> {
  const served = await servePage(options);
  t.after(() => served.close());
  const token = new URLSearchParams(new URL(served.url).hash.slice(1)).get('token') ?? '';
  const socket = new WebSocket(`ws://127.0.0.1:${served.port}/socket`, [socketProtocol, token], { headers: { origin: `http://127.0.0.1:${served.port}` } });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const line: PageLine = (hear) => {
    socket.on('message', (data: Buffer) => hear(data.toString('utf8')));
    socket.send(JSON.stringify({ type: 'hello', version: messagesVersion, tab: 'test' }));
    return { receive: (text) => socket.send(text), close: () => socket.close() };
  };
  const page = new TestPage(line);
  await page.seen('welcome');
  return page;
}

test('local: a program over its pipes, in both eras, with its stderr and its end', async (t) => {
  const page = await opened(t, { servers: { travel: { command: process.execPath, args: [travel] } }, rules: [{ then: 'allow' }] });
  for (const era of ['legacy', 'modern'] as const) {
    await page.ask('server.reconnect', { server: 'travel', era });
    const call = page.ask('tool.call', { server: 'travel', name: 'searchFlights', args: { origin: 'Berlin', destination: 'Lisbon', date: '2026-05-01' } });
    const { state, outputFault } = await call;
    assert.deepEqual([state, outputFault], ['done', '']);
  }
  const { residentBytes } = await page.ask('memory', {});
  assert.ok((residentBytes ?? 0) > 1_000_000);
  await page.ask('server.stop', { server: 'travel' });
  await page.seen('server', ({ server: { state, connection } }) => state === 'resting' && connection === 2);
  await page.ask('server.add', { name: 'gone', target: { command: process.execPath, args: ['-e', 'console.error("no key"); process.exit(3)'] } });
  const { server } = await page.seen('server', ({ server: { name, state } }) => name === 'gone' && state === 'down');
  assert.match(server.why, /3/);
  await page.seen('logs', ({ entries }) => entries.some(({ source, data }) => source === 'stderr' && data === 'no key'));
});

test('local: over HTTP heads and events are shown, and a request is copied as curl', async (t) => {
  const http = await serveHttp(sampleServer(), { port: 0 });
  t.after(() => http.close());
  const page = await opened(t, { servers: { far: { url: String(http.url), headers: { authorization: 'Bearer secret-of-the-test' } } }, rules: [{ then: 'allow' }] });
  for (const era of ['legacy', 'modern'] as const) {
    await page.ask('server.reconnect', { server: 'far', era });
    const { wire } = await page.ask('tool.call', { server: 'far', name: 'add', args: { a: 1, b: 1 } });
    const { text } = await page.ask('wire.curl', { seq: wire ?? 0 });
    assert.match(text, /^curl --no-buffer --globoff 'http:\/\/127\.0\.0\.1:\d+\/mcp'/);
    assert.match(text, /"\$AUTHORIZATION"/);
    const { entries } = await page.ask('wire.page', { from: 1 });
    const request = entries.find(({ seq }) => seq === wire);
    const heads = entries.filter((entry) => entry.kind === 'http' && entry.exchange === request?.exchange && entry.connection === request.connection);
    assert.deepEqual(heads.map((entry) => entry.kind === 'http' && entry.status), [null, 200]);
    // Each POST is inside the exchange of its message.
    const exchanges = new Exchanges();
    for (const entry of entries) exchanges.add(entry);
    assert.deepEqual(exchanges.list.flatMap(({ lead }) => (lead.kind === 'http' && lead.method === 'POST' ? lead.seq : [])), []);
    assert.deepEqual(exchanges.of(wire ?? 0)?.inside.filter(({ kind }) => kind === 'http').length, 2);
  }
  // The restarted server does not know the session: the call is repeated in a new one, and stays one exchange.
  await page.ask('server.reconnect', { server: 'far', era: 'legacy' });
  await http.close();
  const later = await serveHttp(sampleServer(), { port: Number(new URL(String(http.url)).port) });
  t.after(() => later.close());
  const { state, wire } = await page.ask('tool.call', { server: 'far', name: 'add', args: { a: 1, b: 2 } });
  const joined = new Exchanges();
  for (const entry of (await page.ask('wire.page', { from: 1 })).entries) joined.add(entry);
  const call = joined.of(wire ?? 0);
  assert.deepEqual([state, call?.retries, call && standingOf(call)], ['done', 1, 'done']);
  assert.ok(!JSON.stringify(page.heard).includes('secret-of-the-test'));
  const { findings } = await page.ask('doctor.run', { server: 'far' });
  assert.ok(findings.some(({ level }) => level === 'ok'));
  assert.deepEqual(findings.filter(({ level }) => level === 'error'), []);
});

test('local: a server that answers 401 is logged in at, step by step, and no step holds a secret', async (t) => {
  const { url, base, secrets } = await protectedServer(t);
  const folder = await mkdtemp(join(tmpdir(), 'barewire-login-'));
  t.after(() => rm(folder, { recursive: true }));
  const page = await opened(t, { servers: { far: { url } }, folder, rules: [{ then: 'allow' }] });
  await assert.rejects(page.ask('server.reconnect', { server: 'far', era: 'modern' }), { code: 'server-down' });
  await page.seen('server', ({ server: { login } }) => login === 'needed');
  const done = page.ask('login.start', { server: 'far' });
  const { step } = await page.seen('login', ({ step: { step: name } }) => name === 'consent');
  assert.ok(step.url?.startsWith(`${base}/authorize?`));
  // The test plays the person, who opens the login page.
  assert.equal((await fetch(step.url ?? '')).status, 200);
  await done;
  const { server } = await page.seen('server', ({ server: { login, state } }) => login === 'done' && state === 'ready');
  assert.equal(server.agreed?.era, 'modern');
  const steps = page.heard.flatMap((message: HostMessage): LoginStep[] => (message.type === 'login' ? [message.step] : []));
  const order = steps.map(({ step: name }) => name);
  for (const name of ['challenge', 'resource-metadata', 'server-metadata', 'registration', 'consent', 'code', 'token', 'done'] as const) assert.ok(order.includes(name), `${name} in ${order.join(' ')}`);
  assert.deepEqual(order.filter((name) => ['registration', 'consent', 'code', 'token', 'done'].includes(name)), ['registration', 'consent', 'code', 'token', 'done']);
  for (const secret of secrets) assert.ok(!JSON.stringify(page.heard).includes(secret), secret);
});

test('host: a call becomes a task of either kind, is followed, cancelled, and found again by its id', async (t) => {
  const server = new McpServer({ name: 'works', version: '1.0.0' });
  let go: () => void = () => {};
  const waiting = new Promise<void>((resolve) => (go = resolve));
  tasks(server, { store: memoryStore() });
  server.tool('bake', { task: 'optional' }, async () => {
    await waiting;
    return 'baked';
  });
  for (const era of ['legacy', 'modern'] as const) {
    const host = hostOf(t, { one: server }, { rules: [{ then: 'allow' }] });
    const page = new TestPage(host, 'a');
    await page.ask('server.reconnect', { server: 'one', era });
    const begun = await page.ask('tool.call', { server: 'one', name: 'bake', args: {}, task: true });
    assert.ok(begun.task !== null && begun.state === 'running', JSON.stringify(begun));
    const { task } = await page.seen('task');
    assert.deepEqual([task.tool, task.status], ['bake', 'working']);
    await page.ask('task.forget', { key: task.key });
    await page.seen('task-removed');
    const { key } = await page.ask('task.find', { server: 'one', task: task.task });
    assert.equal(key, task.key);
    const later = new TestPage(host, 'b');
    assert.deepEqual(later.welcome.tasks.map(({ key: one }) => one), [key]);
    await page.ask('task.cancel', { key });
    await later.seen('task', ({ task: { status } }) => status === 'cancelled');
  }
  go();
});
