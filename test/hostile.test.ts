import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { decode } from '../src/jsonrpc/message.ts';
import type { Decoded } from '../src/jsonrpc/message.ts';
import { mutated, random } from './hostile/mutations.ts';
import type { Random } from './hostile/mutations.ts';
import { everyNth } from './every-nth.ts';
import { programAt } from './program-at.ts';

// In a process of its own: it takes long, and measures memory.

// Broken messages against a live server over stdio: each is answered or refused, once; no answer goes to another request; the
// process survives, and uses no more memory at the end than at the beginning.
// HOSTILE: number of messages (`npm run hostile`: 100,000). HOSTILE_SEED: the seed for them.

const total = Number(process.env['HOSTILE'] ?? 20_000 / everyNth(4));
const seed = Number(process.env['HOSTILE_SEED'] ?? 1);
const window = 100;
const newline = Buffer.from('\n');

type Bag = Record<string, unknown>;

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, roots: {} },
  progressToken: 'p',
};

const calls = ['echo', 'later', 'any', 'structured', 'ask'];

/** A valid message of a client. Its result, if any, contains `nonce`. */
function sound(id: string, nonce: string, { pick, chance }: Random): Bag {
  const args = { text: nonce };
  const [method, params] = pick<[string, Bag?]>([
    ['ping'], ['tools/list', {}], ['resources/list'], ['resources/templates/list'], ['prompts/list'],
    ['server/discover'],
    ...Array.from({ length: 10 }, (): [string, Bag] => ['tools/call', { name: pick(calls), arguments: args }]),
    ['tools/call', { name: 'throws' }], ['tools/call', { name: 'change' }],
    ['tools/call', { name: 'ask', arguments: args, requestState: 'AAAA', inputResponses: { x: { action: 'accept' } } }],
    ['resources/read', { uri: `note://${nonce}/a/b` }], ['resources/subscribe', { uri: 'note://one' }],
    ['prompts/get', { name: 'plan', arguments: { city: nonce } }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'plan' }, argument: { name: 'city', value: nonce } }],
    ['logging/setLevel', { level: 'error' }], ['tools/list', { cursor: '2-x' }],
    ['subscriptions/listen', { notifications: { toolsListChanged: true, resourceSubscriptions: ['note://one'] } }],
    ['initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }],
  ]);
  if (chance(0.05)) return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: `none ${id}` } };
  if (chance(0.05)) return { jsonrpc: '2.0', id: 123_456_789, result: { nonce } };
  return { jsonrpc: '2.0', id, method, params: chance(0.4) ? { ...params, _meta: meta } : params };
}

const nonces = (text: string): string[] => text.match(/nonce-\d+-/g) ?? [];

test(`${total} broken messages over stdio (seed ${seed})`, { timeout: 600_000 }, async () => {
  const by = random(seed);
  const main = programAt('test/hostile/server.js');
  const child = spawn(process.execPath, ['--expose-gc', main], { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let complaints = '';
  // The end of its stdout reports a crash.
  child.stdin.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));

  /** By id as JSON: the messages sent with it in this window, the number of answers due, and of further answers allowed. */
  const open = new Map<string, { sent: string[]; due: number; free: number }>();
  let openCount = 0;
  let refused = 0;
  const failures: string[] = [];
  const waiting = new Map<unknown, (answer: Bag) => void>();
  let wake = (): void => {};

  function owe(id: unknown, sent: string, surely = true): void {
    const key = JSON.stringify(id);
    const entry = open.get(key) ?? { sent: [], due: 0, free: 0 };
    open.set(key, entry);
    entry.sent.push(sent);
    if (!surely) return void entry.free++;
    entry.due++;
    openCount++;
  }

  function settle(id: unknown, text: string): void {
    const key = JSON.stringify(id);
    const entry = open.get(key);
    const strange = nonces(text).find((nonce) => !entry?.sent.some((sent) => sent.includes(nonce)));
    if (!entry || entry.due + entry.free === 0 || strange !== undefined) {
      failures.push(`an answer to nothing that was sent with the id ${key}: ${text.slice(0, 500)}`);
      return;
    }
    if (entry.due === 0) return void entry.free--;
    entry.due--;
    openCount--;
  }

  createInterface({ input: child.stdout }).on('line', (text) => {
    const message = JSON.parse(text) as Bag;
    const { method, id } = message;
    if (method === undefined) {
      if (message['error'] !== undefined) refused++;
      settle(id ?? null, text);
      waiting.get(id)?.(message);
    }
    else if (id !== undefined) answerQuestion(id);
    else if (method === 'notifications/subscriptions/acknowledged') {
      settle(((message['params'] as Bag)['_meta'] as Bag)['io.modelcontextprotocol/subscriptionId'], '');
    }
    if (openCount === 0 || failures.length > 0) wake();
  }).on('close', () => {
    failures.push(`the server is gone: ${complaints}`);
    wake();
  });

  function write(...lines: Uint8Array[]): void {
    // In one chunk, as a busy client writes: the server must split the lines.
    child.stdin.write(Buffer.concat(lines.flatMap((line) => [line, newline])));
  }

  /** Answers a server request first with a broken response, then with a valid one. */
  function answerQuestion(id: unknown): void {
    for (const answer of [
      mutated({ jsonrpc: '2.0', id, result: { action: 'accept', content: {} } }, {}, by), undefined,
    ]) {
      const bytes = answer ?? Buffer.from(JSON.stringify({
        jsonrpc: '2.0', id, result: { action: 'decline', roots: [] },
      }));
      expectAnswers(bytes);
      write(bytes);
    }
  }

  function expectAnswers(bytes: Uint8Array): void {
    // Empty lines are not messages.
    if (Buffer.from(bytes).toString('latin1').trim() === '') return;
    const decoded: Decoded = decode(bytes);
    const sent = Buffer.from(bytes).toString();
    if (decoded.kind === 'request') owe(decoded.message.id, sent);
    // A broken response fails the server's pending request and gets no answer itself: the client may have a request with the same
    // id. A response without "jsonrpc" counts as one only if a request with its id is pending.
    else if (decoded.kind === 'refusal') owe(decoded.id, sent, !decoded.responseFault);
    else if (decoded.kind === 'batch') owe(null, sent);
  }

  async function settled(): Promise<void> {
    if (openCount > 0 && failures.length === 0) {
      const timer = setTimeout(() => {
        const missing = [...open.values()].filter(({ due }) => due > 0).flatMap(({ sent }) => sent);
        failures.push(`not answered: ${missing.slice(0, 3).map((sent) => sent.slice(0, 500)).join('\n')}`);
        wake();
      }, 60_000);
      await new Promise<void>((resolve) => (wake = resolve));
      clearTimeout(timer);
    }
    assert.deepEqual(failures, []);
  }

  async function ask(id: string, method: string, params?: Bag): Promise<Bag> {
    const answered = new Promise<Bag>((resolve) => waiting.set(id, resolve));
    const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    expectAnswers(bytes);
    write(bytes);
    await settled();
    return answered;
  }

  async function heap(id: string): Promise<number> {
    const { result } = await ask(id, 'tools/call', { name: 'memory' }) as { result: { content: { text: string }[] } };
    return (JSON.parse(result.content[0]?.text ?? '') as { heapUsed: number }).heapUsed;
  }

  try {
    await ask('hello', 'initialize', {
      protocolVersion: '2025-06-18', capabilities: { elicitation: {}, roots: {} },
      clientInfo: { name: 'x', version: '1' },
    });
    write(Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}'));

    let before = 0;
    const warm = Math.min(total / 2, 10_000);
    for (let count = 0; count < total; count += window) {
      if (before === 0 && count >= warm) before = await heap('memory before');
      const lines: Uint8Array[] = [];
      for (let i = count; i < Math.min(count + window, total); i++) {
        const message = sound(`id-${i}-`, `nonce-${i}-`, by);
        const bytes = mutated(message, sound(`other-${i}-`, `nonce-${i}-`, by), by);
        expectAnswers(bytes);
        lines.push(bytes);
      }
      write(...lines);
      await settled();
      // Allowed answers may come in a later window.
      for (const [key, { free }] of open) if (free === 0) open.delete(key);
    }
    assert.ok(refused > total * 0.2, `${refused} refusals of ${total} messages: they are not broken enough`);
    const after = await heap('memory after');
    assert.ok(after < before + 4 * 2 ** 20, `${before} bytes were held before, ${after} after`);

    // The server still works correctly.
    const { result } = await ask('last', 'tools/call', { name: 'echo', arguments: { text: 'still here' } });
    assert.deepEqual(result, { content: [{ type: 'text', text: 'still here' }] });
  } finally {
    child.stdin.end();
  }
  // Open subscriptions end with their responses.
  failures.length = 0;
  const [code] = await exited;
  assert.equal(code, 0);
  assert.equal(complaints, '');
});
