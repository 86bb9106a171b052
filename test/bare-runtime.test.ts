// A runtime with only the language, simulated in Node. `npm run everywhere` uses a real one.
import assert from 'node:assert/strict';
import test from 'node:test';
import { McpClient } from '../src/client/index.ts';
import type { ClientOptions } from '../src/client/index.ts';
import { createFramer } from '../src/jsonrpc/framing.ts';
import { McpServer } from '../src/server/index.ts';
import type { ServerOptions } from '../src/server/index.ts';
import { memoryTransport } from '../src/transport/memory.ts';
import '../src/transport/http/fetch/index.ts';
import '../src/transport/message-port.ts';

// In a process of its own: it removes globals.

const missing = [
  'setTimeout', 'clearTimeout', 'setImmediate', 'queueMicrotask', 'AbortController', 'TextDecoder', 'TextEncoder',
  'URL', 'crypto',
  'btoa', 'atob', 'structuredClone',
];
const { getBuiltinModule } = process;
const kept = new Map<string, PropertyDescriptor | undefined>();
test.before(() => {
  for (const name of missing) {
    kept.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    Reflect.deleteProperty(globalThis, name);
  }
  Object.assign(process, { getBuiltinModule: undefined });
});
test.after(() => {
  Object.assign(process, { getBuiltinModule });
  for (const [name, descriptor] of kept) if (descriptor) Object.defineProperty(globalThis, name, descriptor);
});

async function connected(options: ClientOptions, given: ServerOptions = {}): Promise<{ client: McpClient; server: McpServer }> {
  const server = new McpServer({ name: 'bare', version: '1' }, { errors: 'message', onError: () => {}, ...given });
  server.tool('greet', { description: 'Asks for a name' }, async (_args, ctx) => {
    const answer = await ctx.elicit('Your name?', { name: { type: 'string' } });
    return answer.action === 'accept' ? `Hello, ${answer.content.name}` : 'Hello, nobody';
  });
  server.tool('wait', { description: 'Looks at its signal' }, (_args, ctx) => String(ctx.signal.aborted));
  const client = new McpClient({ name: 'test', version: '1' }, {
    onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    ...options,
  });
  await client.connect(memoryTransport(server));
  return { client, server };
}

test('bare runtime: a legacy client is served, and asked', async () => {
  const { client } = await connected({ era: 'legacy' });
  const { content } = await client.callTool('greet');
  assert.deepEqual(content, [{ type: 'text', text: 'Hello, Ada' }]);
  await client.close();
});

test('bare runtime: a change of a list is told', async () => {
  let tell: (list: string) => void;
  const told = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const { client, server } = await connected({ era: 'legacy', onListChanged: (list) => tell(list) });
  server.tool('late', { description: 'Came later' }, () => '');
  assert.equal(await told, 'tools');
  await client.close();
});

test('bare runtime: a modern question names crypto.subtle, and the rest works', async () => {
  const { client } = await connected({});
  assert.equal(client.revision?.era, 'modern');
  assert.equal((await client.listTools()).length, 2);
  await assert.rejects(client.callTool('greet'), /this runtime has no crypto\.subtle/);
  await client.close();
});

test('bare runtime: a modern question with functions that seal', async () => {
  const held: string[] = [];
  const cipher = {
    seal: (bound: string, text: string): string => `${held.push(`${bound} ${text}`)}`.padStart(16, '0'),
    open(bound: string, sealed: string): string {
      const text = held[Number(sealed) - 1];
      if (!text?.startsWith(`${bound} `)) throw new Error('not for this');
      return text.slice(bound.length + 1);
    },
  };
  const { client } = await connected({}, { requestState: { keys: [cipher] } });
  assert.equal(client.revision?.era, 'modern');
  assert.deepEqual((await client.callTool('greet')).content, [{ type: 'text', text: 'Hello, Ada' }]);
  assert.equal(held.length, 1);
  await client.close();
});

test('bare runtime: a subscription that cannot be had is told', async () => {
  let tell: (error: Error) => void;
  const told = new Promise<Error>((resolve) => {
    tell = resolve;
  });
  const { client } = await connected({ onListChanged() {}, onError: (error) => tell(error) });
  assert.match((await told).message, /AbortController/);
  await client.close();
});

test('bare runtime: a signal, a limit of time and bytes name what they need', async () => {
  const { client } = await connected({ era: 'legacy' });
  const { content, isError } = await client.callTool('wait');
  assert.equal(isError, true);
  assert.match(JSON.stringify(content), /wait failed \(id [0-9a-f]+\): this runtime has no AbortController/);
  await assert.rejects(client.callTool('greet', {}, { timeoutMs: 10 }), /this runtime has no setTimeout/);
  assert.throws(() => createFramer({ line() {}, refused() {} }), /this runtime has no TextDecoder/);
  await client.close();
});
