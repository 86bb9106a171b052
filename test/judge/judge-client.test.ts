import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { judgeClient } from '../../src/judge/index.ts';
import { clientProgram } from '../../src/judge/node/client-bench.ts';

// The judge of clients: a barewire client breaks no rule, and for a client that breaks rules on purpose the judge names them.

const relay = [process.execPath, fileURLToPath(new URL('../../lib/cli.js', import.meta.url)), 'judge', '--relay'];
const good = fileURLToPath(new URL('client.js', import.meta.url));

test('judgeClient: a client of barewire over a pipe: the rules of the handshake and of questions are kept', async () => {
  const only = ['lifecycle-25', 'lifecycle-6', 'base-66', 'ping-1', 'roots-14', 'elicitation-15'];
  const ruling = await judgeClient(clientProgram({ command: [process.execPath, good, 'stdio', '{program}'], relay }), { only, revisions: ['2025-11-25'] });
  assert.deepEqual(ruling.failures, []);
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

test('clientProgram: a command without a place for a server is refused', () => {
  assert.throws(() => clientProgram({ command: ['agent'], relay }), /\{url\} or \{program\}/);
  assert.throws(() => clientProgram({ command: ['agent', '{url}', '{program}'], relay }), /not both/);
});
