import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { Backend } from '../../../src/cli/bridge/backend.ts';
import { Backends } from '../../../src/cli/bridge/backends.ts';
import type { Asking } from '../../../src/cli/bridge/backends.ts';
import { openBridge } from '../../../src/cli/bridge/bridge.ts';
import type { Bridge, BridgeOptions } from '../../../src/cli/bridge/bridge.ts';
import { McpClient, RpcError } from '../../../src/client/index.ts';
import { McpServer } from '../../../src/server/index.ts';
import type { ClientOptions } from '../../../src/client/index.ts';
import { httpTransport } from '../../../src/transport/http/fetch/index.ts';
import { serveHttp } from '../../../src/transport/http/node/index.ts';
import type { ClientTransport } from '../../../src/transport/client-port.ts';
import { memoryTransport } from '../../../src/transport/memory.ts';
import { stdioTransport } from '../../../src/transport/stdio/index.ts';
import { behindServer } from './travel.ts';
import { everyNth } from '../../every-nth.ts';
import { mockSystemClock } from '../../mock-clock.ts';
import { scripted } from '../../host/scripted-server.ts';
import { inProcess } from '../in-process.ts';
import { barewire } from '../program.ts';
import { programAt } from '../../program-at.ts';

// In a separate process: it runs for a long time.

const program = programAt('test/cli/bridge/behind.js');
const behind = (revision: string): ClientTransport => stdioTransport(process.execPath, [program, revision]);

/** The number of running backend processes. */
const children = (): number => readdirSync('/proc').filter((pid) => {
  try {
    return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(program) && !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}).length;
const proc = process.platform === 'linux' ? false : 'needs /proc';

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!await holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

type Front = 'http' | 'pipe';
type Back = 'http' | 'stdio';

async function bridged(t: TestContext, back: Back, revision: string, options: Partial<BridgeOptions> = {}): Promise<Bridge & { url: string }> {
  let open = (): ClientTransport => behind(revision);
  if (back === 'http') {
    const served = await serveHttp(behindServer([revision]));
    t.after(() => served.close({ drainMs: 0 }));
    open = () => httpTransport(served.url);
  }
  const bridge = await openBridge({ open, onError: () => {}, ...options });
  const front = await serveHttp(bridge.server);
  t.after(async () => {
    await front.close({ drainMs: 0 });
    await bridge.close();
  });
  return Object.assign(bridge, { url: front.url });
}

async function client(t: TestContext, bridge: Bridge & { url: string }, front: Front, revision: string, options: ClientOptions = {}): Promise<McpClient> {
  const one = new McpClient({ name: 'in front', version: '1.0.0' }, {
    revisions: [revision],
    onElicit: ({ message }) => ({ action: 'accept', content: { answer: message } }),
    onSample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'sampled' } }),
    roots: [{ uri: 'file:///work' }],
    ...options,
  });
  await one.connect(front === 'http' ? httpTransport(bridge.url) : memoryTransport(bridge.server));
  t.after(() => one.close());
  return one;
}

const text = ({ content }: { content: readonly object[] }): string => content.map((block) => ('text' in block ? block.text : '')).join();

const legacy = '2025-11-25';
const modern = '2026-07-28';
let pairs = 0;
for (const [front, back] of [['http', 'stdio'], ['pipe', 'http']] as const) {
  for (const inFront of [legacy, modern, '2024-11-05']) {
    for (const inBack of [legacy, modern]) {
      if (pairs++ % everyNth(3) !== 0) continue;
      test(`bridge: ${front} ${inFront} to ${back} ${inBack}`, { skip: inFront === '2024-11-05' && (front === 'pipe' || inBack === legacy) ? 'the others show it' : false }, async (t) => {
        const bridge = await bridged(t, back, inBack);
        const reports: unknown[] = [];
        const logs: unknown[] = [];
        const one = await client(t, bridge, front, inFront, { logLevel: 'debug', onLog: ({ data }) => logs.push(data) });
        assert.equal(one.server?.name, 'behind');
        assert.equal(one.instructions, 'Ask me.');
        assert.equal((await one.listTools()).length, 8);
        assert.equal(text(await one.callTool('steps', { n: 3 }, { onProgress: ({ progress, total, message }) => reports.push([progress, total, message]) })), 'done');
        assert.deepEqual(reports.map((report) => (report as unknown[])[0]), [3, 4]);
        assert.deepEqual(logs, [{ number: 3 }]);
        const failed = await one.callTool('fail', {});
        assert.deepEqual([failed.isError, text(failed)], [true, 'no seats']);
        assert.equal((await one.readResource('behind://one')).contents.length, 1);
        assert.equal((await one.getPrompt('greet', { who: 'Ann' })).messages.length, 1);
        if (inFront !== '2024-11-05') assert.deepEqual((await one.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'who', value: '' })).values, ['Ann', 'Bob']);
        await assert.rejects(one.callTool('none', {}), (error) => error instanceof RpcError && error.code === -32602);
        assert.equal(text(await one.callTool('roots', {})), 'file:///work');
        assert.equal(text(await one.callTool('sample', {})), 'sampled');
        if (inFront !== '2024-11-05') {
          // 32 calls at a time: no answer goes to another call.
          const atOnce = 32 / everyNth(4);
          const answers = await Promise.all(Array.from({ length: atOnce }, (_, n) => one.callTool('ask', { n })));
          assert.deepEqual(answers.map(text), Array.from({ length: atOnce }, (_, n) => `${n} accept n=${n} accept again n=${n}`));
        }
        // A cancelled call is cancelled at the backend, once.
        const cancel = new AbortController();
        const hanging = one.callTool('hang', {}, { signal: cancel.signal, onProgress: () => cancel.abort() });
        await assert.rejects(hanging);
        await until(async () => / 1 1$/.test(text(await one.callTool('state', {}))));
      });
    }
  }
}

test('bridge: a server behind that ends by itself makes room for another one', async (t) => {
  const endings: ((why: string) => void)[] = [];
  const bridge = await openBridge({ limits: { maxBackends: 1 }, onError: () => {}, open: () => {
    const inner = memoryTransport(behindServer([legacy]));
    return { ...inner, open: (to) => {
      endings.push((why) => to.closed(why));
      return inner.open(to);
    } };
  } });
  t.after(() => bridge.close());
  const one = await client(t, Object.assign(bridge, { url: '' }), 'pipe', legacy);
  await one.callTool('state', {});
  const opened = endings.length;
  assert.equal(bridge.backends, 1);
  endings.at(-1)?.('the program has ended');
  assert.equal(bridge.backends, 0);
  assert.match(text(await one.callTool('state', {})), /^\d+ 0 0$/);
  assert.deepEqual([bridge.backends, endings.length], [1, opened + 1]);
});

test('bridge: a log message whose level the server invented is dropped, and its call goes on', async (t) => {
  const server = scripted(({ method }) => {
    if (method !== 'tools/call') return { tools: [{ name: 'say', inputSchema: { type: 'object' } }] };
    for (const level of ['loud', 'toString', 'info']) server.say({ method: 'notifications/message', params: { level, data: level } });
    return { content: [{ type: 'text', text: 'said' }] };
  });
  const errors: unknown[] = [];
  const bridge = await openBridge({ open: () => server.transport, onError: (error) => errors.push(error) });
  t.after(() => bridge.close());
  const logs: unknown[] = [];
  const one = await client(t, Object.assign(bridge, { url: '' }), 'pipe', legacy, { logLevel: 'debug', onLog: ({ data }) => logs.push(data) });
  assert.equal(text(await one.callTool('say', {})), 'said');
  assert.deepEqual([logs, errors], [['info'], []]);
});

test('bridge: each legacy session has a process of its own; the oldest makes room; none is left', { skip: proc }, async (t) => {
  const bridge = await bridged(t, 'stdio', legacy, { limits: { maxBackends: 3 } });
  const pid = async (one: McpClient): Promise<string> => text(await one.callTool('state', {})).split(' ')[0] ?? '';
  const [a, b] = [await client(t, bridge, 'http', legacy), await client(t, bridge, 'http', legacy)];
  const pids = [await pid(a), await pid(b), await pid(a)];
  assert.equal(pids[0], pids[2]);
  assert.notEqual(pids[0], pids[1]);
  // The oldest idle backend is ended to make room.
  for (let i = 0; i < 4; i++) await pid(await client(t, bridge, 'http', legacy));
  assert.equal(bridge.backends, 3);
  assert.match(await pid(a), /^\d+$/);
  await bridge.close();
  assert.equal(children(), 0);
});

test('bridge: what nobody uses is ended, and clients that are cut off leave no process', { skip: proc }, async (t) => {
  const bridge = await bridged(t, 'stdio', legacy, { limits: { backendIdleMs: 200 } });
  await Promise.all(Array.from({ length: 6 }, async (_, i) => {
    const one = await client(t, bridge, 'http', i % 2 === 0 ? legacy : modern);
    const gone = new AbortController();
    await assert.rejects(one.callTool('hang', {}, { signal: gone.signal, onProgress: () => gone.abort() }));
    await one.close();
  }));
  await until(() => bridge.backends === 0 && children() === 0);
});

test('barewire bridge: a program over HTTP, and an address as a program', { skip: proc }, async (t) => {
  const child = spawn(process.execPath, [barewire, 'bridge', '--port', '0', '--explain', '--', process.execPath, program, legacy], { stdio: ['ignore', 'ignore', 'pipe'] });
  const over = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  await until(() => /serving http:\S+/.test(said));
  const [, url = ''] = /serving (http:\S+)/.exec(said) ?? [];
  const one = new McpClient({ name: 'in front', version: '1.0.0' }, { revisions: [modern], onElicit: ({ message }) => ({ action: 'accept', content: { answer: message } }) });
  await one.connect(stdioTransport(process.execPath, [barewire, 'bridge', url]));
  t.after(() => one.close());
  assert.equal(text(await one.callTool('ask', { n: 5 })), '5 accept n=5 accept again n=5');
  await one.close();
  await until(() => /front .*tools\/call/.test(said) && /behind .*elicitation\/create/.test(said));
  child.kill('SIGTERM');
  assert.equal(await over, 143);
  assert.equal(children(), 0);
});

test('bridge: a modern client that does not come back with its answer: the call is cancelled after awayMs', async (t) => {
  // Long enough for the other client to return in time even on a busy machine.
  const awayMs = 2000;
  const bridge = await bridged(t, 'http', legacy, { limits: { awayMs } });
  const one = await client(t, bridge, 'http', modern, {
    // Counted from the question, which comes after the start of `awayMs`, so a slow start does not matter.
    onElicit: async () => {
      await new Promise((resolve) => setTimeout(resolve, awayMs + 500));
      return { action: 'accept', content: { answer: 'late' } };
    },
  });
  const call = one.callTool('ask', { n: 1 });
  const other = await client(t, bridge, 'http', modern);
  await assert.rejects(call, /over|did not come back/);
  assert.equal(text(await other.callTool('ask', { n: 2 })), '2 accept n=2 accept again n=2');
});

for (const [inFront, inBack] of ([[legacy, legacy], [legacy, modern], [modern, legacy], [modern, modern]] as const).filter((_, at) => at % everyNth(3) === 0)) {
  test(`bridge: ${inFront} in front watches a resource of ${inBack} behind, without credentials and before anything else is asked`, async (t) => {
    const bridge = await bridged(t, 'stdio', inBack);
    let told: (uri: string) => void = () => {};
    const update = new Promise<string>((resolve) => (told = resolve));
    const one = await client(t, bridge, 'http', inFront, { onResourceUpdated: (uri) => told(uri) });
    await one.subscribe('behind://one');
    // Backends of either era take some time for the subscription.
    let over = false;
    void update.then(() => (over = true));
    await until(async () => over || (await one.callTool('touch', {}), over));
    assert.equal(await update, 'behind://one');
  });
}

test('bridge: when a legacy session ends, its process ends with it', { skip: proc }, async (t) => {
  const bridge = await bridged(t, 'stdio', legacy);
  const [a, b] = [await client(t, bridge, 'http', legacy), await client(t, bridge, 'http', legacy)];
  await a.callTool('state', {});
  await b.callTool('state', {});
  assert.equal(bridge.backends, 2);
  await a.close();
  await until(() => bridge.backends === 1);
  assert.match(text(await b.callTool('state', {})), /^\d+ 0 0$/);
});

test('barewire bridge --tokens: who has none is refused, and each principal has a process of its own', { skip: proc }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'barewire-door-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'tokens');
  const code = async (...words: string[]): Promise<number | null> => (await inProcess(['bridge', ...words, '--', process.execPath, program, legacy])).code;
  writeFileSync(file, 'ann 0123456789abcdef\n', { mode: 0o644 });
  assert.equal(await code('--port', '0', '--tokens', file), 2, 'others may read it');
  writeFileSync(file, 'ann short\n');
  chmodSync(file, 0o600);
  assert.equal(await code('--port', '0', '--tokens', file), 2);
  assert.equal(await code('--tokens', file), 2, 'without a port nobody needs a token');
  writeFileSync(file, '# who may come in\nann 0123456789abcdef\nbob fedcba9876543210\n');
  const child = spawn(process.execPath, [barewire, 'bridge', '--port', '0', '--tokens', file, '--', process.execPath, program, legacy], { stdio: ['ignore', 'ignore', 'pipe'] });
  const over = new Promise<void>((resolve) => child.once('close', () => resolve()));
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  await until(() => /serving http:\S+/.test(said));
  const [, url = ''] = /serving (http:\S+)/.exec(said) ?? [];
  const visit = async (token: string, revision: string): Promise<string> => {
    const one = new McpClient({ name: 'in front', version: '1.0.0' }, { revisions: [revision] });
    t.after(() => one.close());
    await one.connect(httpTransport(url, { headers: { authorization: `Bearer ${token}` } }));
    return text(await one.callTool('state', {})).split(' ')[0] ?? '';
  };
  await assert.rejects(visit('0123456789abcdeX', modern), /401/);
  const [ann, again, bob] = [await visit('0123456789abcdef', modern), await visit('0123456789abcdef', legacy), await visit('fedcba9876543210', modern)];
  assert.equal(ann, again, 'one principal, one process, whatever era its clients speak');
  assert.notEqual(ann, bob);
  assert.doesNotMatch(said, /0123456789abcdef/);
  child.kill('SIGTERM');
  await over;
  assert.equal(children(), 0);
});

test('bridge: clients of one principal share a server behind, whatever their session; others have another', async (t) => {
  const bridge = await openBridge({ open: () => memoryTransport(behindServer([legacy])) });
  const front = await serveHttp(bridge.server, { auth: (request) => ({ principal: request.header('authorization') ?? '' }) });
  t.after(async () => {
    await front.close({ drainMs: 0 });
    await bridge.close();
  });
  const visit = async (who: string, revision: string): Promise<McpClient> => {
    const one = new McpClient({ name: 'in front', version: '1' }, { revisions: [revision] });
    t.after(() => one.close());
    await one.connect(httpTransport(front.url, { headers: { authorization: who } }));
    await one.listTools();
    return one;
  };
  const ann = await visit('Ann', legacy);
  await visit('Ann', legacy);
  await visit('Ann', modern);
  assert.equal(bridge.backends, 1);
  await visit('Bob', legacy);
  assert.equal(bridge.backends, 2);
  // The server of a principal stays when one of its sessions ends.
  await ann.close();
  assert.equal(bridge.backends, 2);
});

for (const inFront of [legacy, modern]) {
  test(`bridge: ${inFront} in front: a page that is asked for, cache fields of what is read, and none of what is called`, async (t) => {
    const server = new McpServer({ name: 'behind', version: '1' }, { revisions: [legacy] });
    server.tool('page', {}, async (_args, ctx) => (await ctx.elicitUrl('Pay', 'https://pay.example/')).action);
    server.resource('a:b', { name: 'a' }, () => 'x');
    server.prompt('p', {}, () => 'x');
    const bridge = await openBridge({ open: () => memoryTransport(server) });
    t.after(() => bridge.close());
    const pages: unknown[] = [];
    const one = await client(t, Object.assign(bridge, { url: '' }), 'pipe', inFront, { onElicitUrl: ({ message, url }) => (pages.push([message, url]), { action: 'accept' }) });
    assert.equal(text(await one.callTool('page', {})), 'accept');
    assert.deepEqual(pages, [['Pay', 'https://pay.example/']]);
    const cached = async (method: string, params: object): Promise<boolean> => 'ttlMs' in (await one.request(method, { ...params }));
    const made = await Promise.all([cached('resources/read', { uri: 'a:b' }), cached('tools/list', {}), cached('prompts/get', { name: 'p' }), cached('tools/call', { name: 'page', arguments: {} })]);
    assert.deepEqual(made, inFront === modern ? [true, true, false, false] : [false, false, false, false]);
  });
}

test('bridge: what the server behind lacks is not declared, and a closed bridge answers nothing', async (t) => {
  const server = new McpServer({ name: 'behind', version: '1' }, { revisions: [legacy] });
  server.tool('who', {}, () => 'x');
  const bridge = await openBridge({ open: () => memoryTransport(server), front: [legacy] });
  t.after(() => bridge.close());
  const one = new McpClient({ name: 'in front', version: '1' });
  await one.connect(memoryTransport(bridge.server));
  t.after(() => one.close());
  assert.deepEqual([one.revision?.version, one.capabilities?.tools !== undefined], [legacy, true]);
  assert.deepEqual([one.capabilities?.prompts, one.capabilities?.resources, one.capabilities?.completions], [undefined, undefined, undefined]);
  await bridge.close();
  await assert.rejects(one.listTools(), /the bridge is closed|closed/);
});

const unheard = { onListChanged: () => {}, onResourceUpdated: () => {}, onError: () => {} };

test('bridge: at the limit the server that was unused for the longest makes room, and later one that is unused for its time ends; a busy one never', async (t) => {
  const clock = mockSystemClock(t.mock);
  const finish: (() => void)[] = [];
  const server = new McpServer({ name: 'behind', version: '1' });
  server.tool('wait', {}, () => new Promise((resolve) => finish.push(() => resolve('done'))));
  const closed: number[] = [];
  let [opened, broken] = [0, false];
  const open = (): ClientTransport => {
    const [inner, mine] = [memoryTransport(server), opened++];
    const close = async (): Promise<void> => {
      closed.push(mine);
      await inner.close();
    };
    return { ...inner, close, ...broken && { open: async () => assert.fail('it does not start') } };
  };
  const backends = new Backends({ open, limits: { maxBackends: 3, backendIdleMs: 5_000, awayMs: 1_000 }, events: unheard });
  const of = async (principal: string): Promise<Backend> => {
    const found = backends.of({ principal, info: { name: 'c', version: '1' }, capabilities: {} });
    await found.ready;
    clock.pass(10);
    return found;
  };
  const [zero, , two] = [await of('zero'), await of('one'), await of('two')];
  assert.equal(await of('zero'), zero);
  await of('three');
  assert.deepEqual([closed.splice(0), backends.size], [[1], 3], 'one was unused for the longest');
  const signal = new AbortController().signal;
  const request = zero.request('tools/call', { name: 'wait' }, signal);
  const call = two.begin('id', 'tools/call', { name: 'wait' }, 1_000);
  const three = await of('three');
  const waiting = three.request('tools/call', { name: 'wait' }, signal);
  while (finish.length < 3) await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(of('four'), { code: -32603, message: 'all 3 servers behind the bridge are busy' });
  clock.pass(20_000);
  assert.deepEqual([closed, backends.size], [[], 3], 'a busy server is not ended');
  finish.forEach((end) => end());
  await Promise.all([request, waiting, call.next(0)]);
  // The result of a call is kept for a client that is away.
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([[zero, two, three].map(({ busy }) => busy), two.calls.size], [[0, 0, 0], 1]);
  two.lastUsed -= 1_000;
  await of('four');
  assert.deepEqual(closed.splice(0), [0], 'a server that has a result for somebody is not ended, though it was unused for longer');
  two.delivered('id');
  clock.pass(4_000);
  await of('three');
  clock.pass(2_000);
  assert.deepEqual([closed.splice(0).sort(), backends.size], [[2, 4], 1]);
  // One that does not start is forgotten.
  broken = true;
  await assert.rejects(of('five'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(backends.size, 1);
  broken = false;
  assert.ok(await of('five'));
  await backends.close();
  assert.equal(backends.size, 0);
  await assert.rejects(of('five'), { message: 'the bridge is closed' });
});

test('bridge: what the client in front can answer is declared behind, and nothing else', async (t) => {
  const form = { elicitation: { form: {} } };
  const cases: [Asking['capabilities'], object][] = [
    [{}, {}], [{ elicitation: {} }, form], [form, form], [{ elicitation: { url: {} } }, { elicitation: { url: {} } }], [{ elicitation: { form: {}, url: {} } }, { elicitation: { form: {}, url: {} } }],
    [{ sampling: {} }, { sampling: {} }], [{ sampling: { tools: {} } }, { sampling: { tools: {} } }], [{ roots: {} }, { roots: { listChanged: true } }], [{ roots: {}, sampling: {}, ...form }, { roots: { listChanged: true }, sampling: {}, ...form }],
  ];
  for (const [capabilities, expected] of cases) {
    let declared: unknown;
    const server = new McpServer({ name: 'behind', version: '1' });
    const transport = memoryTransport(server, {
      trace: ({ text: sent }) => {
        const { method, params } = JSON.parse(sent) as { method?: string; params?: { capabilities?: unknown } };
        if (method === 'initialize') declared = params?.capabilities;
      },
    });
    const backend = new Backend({ name: 'c', version: '1' }, transport, capabilities, [legacy], { ...unheard, onClose: () => {} });
    t.after(() => backend.close());
    await backend.ready;
    assert.deepEqual(declared, expected, JSON.stringify(capabilities));
  }
});

test('bridge: a list behind that has several pages comes page by page', async (t) => {
  const server = new McpServer({ name: 'behind', version: '1' }, { pageSize: 2 });
  for (let n = 0; n < 5; n++) server.tool(`t${n}`, {}, () => 'x');
  const bridge = await openBridge({ open: () => memoryTransport(server) });
  t.after(() => bridge.close());
  for (const inFront of [legacy, modern]) {
    const one = await client(t, Object.assign(bridge, { url: '' }), 'pipe', inFront);
    assert.deepEqual((await one.listTools()).map(({ name }) => name), ['t0', 't1', 't2', 't3', 't4']);
  }
});

test('bridge: an answer reaches the server though the call that carried its question has ended meanwhile, and nobody is asked again', async (t) => {
  const open = new Map<unknown, (result: object) => void>();
  const behind = scripted(({ method, params }) => method === 'tools/call' ? new Promise((resolve) => open.set(params['name'], resolve)) : { tools: [] });
  const answers: unknown[] = [];
  const transport: ClientTransport = {
    ...behind.transport,
    send(sent, message) {
      const { id, result } = JSON.parse(sent) as { id?: unknown; result?: unknown };
      if (result === undefined) return behind.transport.send(sent, message);
      answers.push([id, result]);
      // The call that has not carried the question.
      open.get('b')?.({ content: [] });
    },
  };
  const bridge = await openBridge({ open: () => transport });
  t.after(() => bridge.close());
  let asked = 0;
  const one = await client(t, Object.assign(bridge, { url: '' }), 'pipe', modern, {
    onElicit: async () => {
      asked += 1;
      open.get('a')?.({ content: [] });
      await new Promise((resolve) => setImmediate(resolve));
      return { action: 'accept', content: {} };
    },
  });
  const calls = [one.callTool('a', {}), one.callTool('b', {})];
  while (open.size < 2) await new Promise((resolve) => setImmediate(resolve));
  behind.say({ id: 'q', method: 'elicitation/create', params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } } });
  await Promise.all(calls);
  assert.deepEqual([answers, asked], [[['q', { action: 'accept', content: {} }]], 1]);
});

test('bridge: a call that has ended asks no more: a further question fails, and the result arrives', async (t) => {
  let end = (): void => {};
  const behind = scripted(({ method }) => {
    if (method !== 'tools/call') return { tools: [] };
    for (const id of ['q1', 'q2']) behind.say({ id, method: 'elicitation/create', params: { message: id, requestedSchema: { type: 'object', properties: {} } } });
    return new Promise((resolve) => (end = () => resolve({ content: [{ type: 'text', text: 'over' }] })));
  });
  const answers: unknown[] = [];
  const transport: ClientTransport = {
    ...behind.transport,
    send(sent, message) {
      const { id, result, error } = JSON.parse(sent) as { id?: unknown; result?: { action: string }; error?: { code: number } };
      if (result ?? error) answers.push(`${id} ${result?.action ?? error?.code}`);
      behind.transport.send(sent, message);
    },
  };
  const bridge = await openBridge({ open: () => transport });
  t.after(() => bridge.close());
  for (const inFront of [legacy, modern]) {
    const asked: string[] = [];
    const one = await client(t, Object.assign(bridge, { url: '' }), 'pipe', inFront, {
      onElicit: async ({ message }) => {
        asked.push(message);
        end();
        for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
        return { action: 'decline' };
      },
    });
    assert.equal(text(await one.callTool('a', {})), 'over');
    await until(() => answers.length === 2);
    // A modern client that was away with the question still brings its answer.
    assert.deepEqual([asked, answers.splice(0).sort()], [['q1'], [inFront === modern ? 'q1 decline' : 'q1 -32603', 'q2 -32603']], inFront);
  }
});
