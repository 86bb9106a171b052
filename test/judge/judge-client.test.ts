import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/bounds/clock.ts';
import type { Clock } from '../../src/bounds/clock.ts';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { judgeClient } from '../../src/judge/index.ts';
import type { JudgedClient } from '../../src/judge/index.ts';
import { clientProgram } from '../../src/judge/node/client-bench.ts';
import { programAt } from '../program-at.ts';

// The judge of clients: a barewire client breaks no rule, and for a client that breaks rules on purpose the judge names them.

const relay = [process.execPath, fileURLToPath(new URL('../../lib/cli.js', import.meta.url)), 'judge', '--relay'];
const good = programAt('test/judge/client.js');

test('judgeClient: a client of barewire over a pipe: the rules of the handshake and of questions are kept', async () => {
  const only = ['lifecycle-25', 'lifecycle-6', 'base-66', 'ping-1', 'roots-14', 'elicitation-15'];
  const program = clientProgram({ command: [process.execPath, good, 'stdio', '{program}'], relay });
  const leavings: string[] = [];
  const start: JudgedClient['start'] = (way, events, how) => program.start(way, { ...events, left(word) {
    leavings.push(word);
    events.left(word);
  } }, how);
  const ruling = await judgeClient({ ...program, start }, { only, revisions: ['2025-11-25'] });
  assert.deepEqual(ruling.failures, []);
  // The hidden server ends when its input ends, so no client waits for it, or sends a signal.
  assert.deepEqual(leavings, ['input', 'input', 'input']);
  assert.deepEqual(Object.fromEntries(ruling.judgements.map(({ rule, verdict }) => [rule.id, verdict])), Object.fromEntries(only.map((id) => [id, 'kept'])));
});

/** Sends each message by POST with only the headers of the first revision. */
const bad = `
const post = (message) => fetch(process.argv[1], { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json' }, body: JSON.stringify(message) });
await (await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bad', version: '1' } } })).text();
await (await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).text();
`;

test('judgeClient: a client that breaks rules over HTTP: each is named, with what came', async () => {
  const only = ['lifecycle-25', 'base-66', 'lifecycle-20', 'streamable-http-41', 'lifecycle-7'];
  const ruling = await judgeClient(clientProgram({ command: [process.execPath, '--input-type=module', '-e', bad, '{url}'], relay }), { only, revisions: ['2025-11-25'] });
  const verdicts = Object.fromEntries(ruling.judgements.map(({ rule, verdict }) => [rule.id, verdict]));
  assert.deepEqual(verdicts, { 'lifecycle-25': 'broken', 'base-66': 'broken', 'lifecycle-20': 'broken', 'streamable-http-41': 'broken', 'lifecycle-7': 'kept' });
  const twice = ruling.judgements.find(({ rule }) => rule.id === 'base-66')?.evidence[0];
  assert.equal(twice?.came, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
  assert.match(twice?.sent ?? '', /"protocolVersion":"2025-11-25"/);
});

/** Answers every message with an id, also cancellations, and ignores capabilities. */
const lenient = `
const { spawn } = require('node:child_process');
const [program, ...args] = process.argv.slice(1);
const server = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (message) => server.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const results = { 'roots/list': { roots: [{ uri: 'file:///work' }] }, 'sampling/createMessage': { role: 'assistant', model: 'none', content: { type: 'text', text: 'Hello.' } }, 'elicitation/create': { action: 'accept', content: { name: 'Ada' } } };
const next = { 1: { method: 'tools/list', id: 2 }, 2: { method: 'tools/call', id: 3, params: { name: 'add_numbers', arguments: { a: 1, b: 2 } } } };
let rest = '';
server.stdout.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\\n');
  rest = lines.pop();
  for (const { id, method, result } of lines.map((line) => JSON.parse(line))) {
    if (method === 'notifications/cancelled') send({ error: { code: -32600, message: 'Not in flight' } });
    else if (method !== undefined && id !== undefined) send({ id, result: results[method] ?? {} });
    else if (result) {
      if (id === 1) send({ method: 'notifications/initialized' });
      if (next[id]) send(next[id]);
      else server.stdin.end();
    }
  }
});
send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'lenient', version: '1' } } });
`;

test('judgeClient: a client that takes whatever it is sent: what its capabilities do not say is broken, a malformed request that it answers is a dispute', async () => {
  const only = ['lifecycle-5', 'roots-2', 'elicitation-2', 'sampling-2', 'cancellation-13', 'cancellation-14', 'cancellation-15', 'base-59', 'base-60', 'base-65', 'base-68'];
  const ruling = await judgeClient(clientProgram({ command: [process.execPath, '-e', lenient, '{program}'], relay }), { only, revisions: ['2025-11-25'] });
  assert.deepEqual(ruling.failures, []);
  const verdicts = Object.fromEntries(ruling.judgements.map(({ rule, verdict }) => [rule.id, verdict]));
  assert.deepEqual(verdicts, Object.fromEntries(only.map((id) => [id, id.startsWith('base') ? 'dispute' : 'broken'])));
});

test('judgeClient: a client that never stops sending does not hold a visit', async () => {
  const clock = manualClock(1_000_000);
  let most = 0;
  const ruling = await judgeClient({
    name: 'endless', ways: ['http'],
    async start(_way, events) {
      let [going, number] = [true, 0];
      let end = (_how: string): void => {};
      const talk = (): void => {
        if (!going) return;
        most = Math.max(most, ++number);
        events.request({ number, method: 'GET', path: '/mcp', headers: {}, body: '', utf8: true, respond() {}, stream: () => ({ write() {}, end() {}, cut() {} }) });
        clock.tick(clock.now() + 2_000);
        if (number === 1_000) end('it was stopped by the test');
        setImmediate(talk);
      };
      setImmediate(talk);
      return { ended: new Promise<string>((resolve) => (end = resolve)), write() {}, url: 'http://127.0.0.1:1/mcp', stop: async () => void (going = false) };
    },
  }, { only: ['lifecycle-25'], revisions: ['2025-11-25'], clock });
  assert.equal(ruling.stopped, 'it spoke to no hidden server');
  // Five minutes, with a request every two seconds, and the one that it began with.
  assert.ok(most >= 150 && most <= 152, `${most} requests`);
});

interface Posted {
  readonly status: number;
  readonly body: string;
}
type Post = (message: object) => Promise<Posted>;
/** Another request. */
type Send = (method: string, path: string, body?: string, more?: Readonly<Record<string, string>>) => Promise<Posted>;

/** A client over HTTP in this process. It answers what it is asked by `answer`. */
function clientHere(play: (post: Post, send: Send) => Promise<void>, answer: (method: string, params: { readonly mode?: unknown }) => object = () => ({ result: {} })): JudgedClient {
  return {
    name: 'here', ways: ['http'],
    async start(_way, events) {
      let number = 0;
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
      const send: Send = (method, path, sent = '', more = {}) => new Promise((resolve) => {
        let body = '';
        const end = (): void => resolve({ status: 200, body });
        const write = (text: string): void => {
          body += text;
          for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) {
            const { id, method, params } = JSON.parse(data) as { id?: unknown; method?: string; params?: object };
            if (method !== undefined && id !== undefined) void post({ id, ...answer(method, params ?? {}) });
          }
        };
        events.request({
          number: ++number, method, path, headers: { ...headers, ...more }, body: sent, utf8: true,
          respond: (status, _headers, text = '') => resolve({ status, body: text }), stream: () => ({ write, end, cut: end }),
        });
      });
      const post: Post = (message) => send('POST', '/mcp', JSON.stringify({ jsonrpc: '2.0', ...message }));
      return { ended: play(post, send).then(() => 'it ended'), url: 'http://127.0.0.1/mcp', write() {}, async stop() {} };
    },
  };
}

/** The hidden server's delays are for programs that start slowly. */
const clock: Clock = { now: systemClock.now, monotonic: systemClock.monotonic, soon: systemClock.soon, after: (ms, run) => systemClock.after(ms / 30, run) };
const initialize = (capabilities: object): object => ({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'here', version: '1' } } });
const initialized = { method: 'notifications/initialized' };

test('judgeClient: a client that stops after the handshake breaks a rule, and its request is the evidence', async () => {
  const ruled = async (...more: object[]) => (await judgeClient(clientHere(async (post) => {
    for (const message of [initialize({}), ...more]) await post(message);
  }), { only: ['lifecycle-21'], revisions: ['2025-11-25'], quick: true, clock })).judgements[0];
  const stopped = await ruled();
  assert.deepEqual([stopped?.verdict, stopped?.evidence[0]?.came], ['broken', JSON.stringify({ jsonrpc: '2.0', ...initialize({}) })]);
  assert.equal((await ruled(initialized))?.verdict, 'kept');
});

// 2025-11-25 basic/transports#sending-messages-to-the-server: 202 without a body for what needs no answer.
test('judgeClient: the hidden server accepts notifications and responses without an answer', async () => {
  const seen: Posted[] = [];
  const ruling = await judgeClient(clientHere(async (post) => {
    await post(initialize({}));
    for (const message of [initialized, { method: 'notifications/none' }, { id: 'none', result: {} }, { id: 'none', error: { code: 1, message: 'x' } }]) seen.push(await post(message));
  }), { revisions: ['2025-11-25'], quick: true, clock });
  assert.deepEqual(ruling.failures, []);
  assert.deepEqual(seen, Array.from({ length: 4 }, () => ({ status: 202, body: '' })));
});

// 2025-11-25 basic/transports#listening-for-messages-from-the-server.
test('judgeClient: a GET says that it takes an event stream', async () => {
  for (const [accept, verdict] of [['text/event-stream', 'kept'], ['application/json, Text/Event-Stream;q=1', 'kept'], ['application/json', 'broken'], ['', 'broken']] as const) {
    const client = clientHere(async (post, send) => {
      for (const message of [initialize({}), initialized]) await post(message);
      await send('GET', '/mcp', '', { accept });
    });
    const { judgements: [one] } = await judgeClient(client, { only: ['transports-3'], revisions: ['2025-11-25'], quick: true, clock });
    assert.equal(one?.verdict, verdict, accept);
  }
});

// 2025-11-25 client/elicitation#error-handling: -32602 for a mode that the client has not declared.
test('judgeClient: a client refuses each mode of elicitation that it has not declared', async () => {
  const refusal = (code: number): object => ({ error: { code, message: 'no such mode' } });
  const form = { result: { action: 'accept', content: { name: 'Ada' } } };
  for (const [what, capability, url, hidden, verdict] of [
    ['refuses both', {}, refusal(-32602), refusal(-32602), 'kept'], ['refuses both, declares forms', { form: {} }, refusal(-32602), refusal(-32602), 'kept'],
    ['shows the page', {}, form, refusal(-32602), 'broken'], ['shows what is hidden', {}, refusal(-32602), form, 'broken'],
    ['another error for the page', {}, refusal(-32603), refusal(-32602), 'broken'], ['another error for what is hidden', {}, refusal(-32602), refusal(-32601), 'broken'],
    ['declares pages', { form: {}, url: {} }, { result: { action: 'decline' } }, refusal(-32602), 'kept'],
  ] as const) {
    const client = clientHere(async (post) => {
      await post(initialize({ elicitation: capability }));
      await post(initialized);
      await post({ id: 2, method: 'tools/list' });
      await post({ id: 3, method: 'tools/call', params: { name: 'add_numbers', arguments: { a: 1, b: 2 } } });
    }, (_method, { mode }) => (mode === 'url' ? url : mode === 'hidden' ? hidden : form));
    const { judgements, failures } = await judgeClient(client, { only: ['elicitation-11'], revisions: ['2025-11-25'], clock });
    assert.deepEqual([failures, judgements[0]?.verdict], [[], verdict], what);
  }
});

// 2025-03-26 basic/authorization#fallbacks-for-servers-without-metadata-discovery.
test('judgeClient: without any metadata the endpoints of an authorization server are /register, /authorize and /token of the origin', async () => {
  for (const [requests, verdict] of [
    [[['POST', '/register']], 'kept'], [[['GET', '/authorize?client_id=x']], 'kept'], [[['POST', '/oauth/register']], 'broken'], [[['POST', '/register'], ['POST', '/oauth2/token']], 'broken'], [[['GET', '/oauth/authorize?client_id=x']], 'broken'],
    [[], 'dispute'], [[['GET', '/favicon.ico']], 'dispute'],
  ] as const) {
    const client = clientHere(async (post, send) => {
      const { status } = await post({ id: 1, method: 'initialize', params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'here', version: '1' } } });
      if (status !== 401) {
        await post(initialized);
        return;
      }
      assert.equal((await send('GET', '/.well-known/oauth-authorization-server')).status, 404);
      for (const [method, path] of requests) await send(method, path, method === 'POST' ? '{}' : '');
    });
    const { judgements: [one], failures } = await judgeClient(client, { only: ['authorization-112'], revisions: ['2025-03-26'], clock });
    assert.deepEqual([failures, one?.verdict], [[], verdict], JSON.stringify(requests));
    if (verdict === 'broken') assert.ok(one?.evidence[0]?.came.includes(requests.at(-1)?.join(' ') ?? ''), one?.evidence[0]?.came);
  }
});

test('clientProgram: the client, which has its own process group, does not outlive the process that started it', { skip: process.platform === 'win32' }, async () => {
  const before = process.listeners('exit');
  const program = clientProgram({ command: ['/bin/sh', '-c', 'exec sleep 600', '{url}'], relay });
  const nothing = (): void => {};
  const client = await program.start('http', { line: nothing, unreadable: nothing, left: nothing, request: nothing }, { stays: false });
  try {
    // What runs when this process exits.
    const hooks = process.listeners('exit').filter((one) => !before.includes(one));
    assert.equal(hooks.length, 1);
    for (const hook of hooks) hook.call(process, 0);
    assert.equal(await client.ended, 'it was ended by SIGKILL');
  } finally {
    await client.stop();
  }
  assert.deepEqual(process.listeners('exit'), before);
});

test('clientProgram: a command without a place for a server is refused', () => {
  assert.throws(() => clientProgram({ command: ['agent'], relay }), /\{url\} or \{program\}/);
  assert.throws(() => clientProgram({ command: ['agent', '{url}', '{program}'], relay }), /not both/);
});
