import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { McpClient } from '../src/client/index.ts';
import { compile } from '../src/schema/index.ts';
import * as ownServer from '../src/server/index.ts';
import { httpTransport } from '../src/transport/http/fetch/index.ts';
import { serveHttp } from '../src/transport/http/node/index.ts';
import { memoryTransport } from '../src/transport/memory.ts';
import { messagePortTransport, serveMessagePort } from '../src/transport/message-port.ts';
import type { Auth } from '../src/transport/auth.ts';
import type { ClientTransport } from '../src/transport/client-port.ts';
import type { ServerPort } from '../src/transport/server-port.ts';

// A program may hold two copies of this package, if a dependency brings its own. A server of one copy is served by a transport of
// the other: objects are recognized by their shape, not by class.

const lib = (file: string): URL => new URL(`../lib/${file}`, import.meta.url);
const built = existsSync(fileURLToPath(lib('server.js'))) ? {} : { skip: 'dist/lib is not built' };
const info = { name: 'test', version: '1' };

type Serve = (t: TestContext, server: ServerPort) => Promise<ClientTransport> | ClientTransport;

const auth = (): Auth => ({
  principal: 'somebody',
  lacks: () => ({ status: 403, challenge: 'Bearer error="insufficient_scope"', message: 'not enough', code: 'insufficient_scope' }),
});

const channels: Readonly<Record<string, Serve>> = {
  async http(t, server) {
    const endpoint = await serveHttp(server, { port: 0, auth });
    t.after(() => endpoint.close());
    return httpTransport(endpoint.url);
  },
  memory: (_t, server) => memoryTransport(server),
  'a message port': (t, server) => {
    const { port1, port2 } = new MessageChannel();
    const serving = serveMessagePort(server, port2);
    t.after(() => serving.close());
    return messagePortTransport(port1);
  },
};

for (const [channel, serve] of Object.entries(channels)) {
  for (const era of ['modern', 'legacy'] as const) {
    test(`${era}, ${channel}: a server of another copy of the package answers as one of the same`, built, async (t) => {
      const other = await import(lib('server.js').href) as typeof ownServer;
      assert.notEqual(other.ServerCore, ownServer.ServerCore);
      const said = await Promise.all([other, ownServer].map(async (copy) => await conversation(t, era, serve, copy)));
      assert.deepEqual(said[0], said[1]);
      const [listed, called, refused, unknown, thrown, scoped, errors] = said[0] ?? [];
      assert.deepEqual(listed, ['add', 'fail', 'leave', 'scoped']);
      assert.deepEqual(called, '42');
      assert.match(String(refused), /"x" is not of type number/);
      assert.deepEqual(unknown, [-32602, 'Unknown tool: none', undefined]);
      assert.deepEqual(thrown, [-32000, 'out of order', { part: 7 }]);
      if (channel === 'http') assert.match(String(scoped), /HTTP 403.*insufficient_scope/);
      assert.equal(JSON.stringify(errors), '["out of order"]');
    });
  }
}

async function conversation(t: TestContext, era: 'modern' | 'legacy', serve: Serve, copy: typeof ownServer): Promise<unknown[]> {
  const errors: unknown[] = [];
  const some = copy.tools({ validator: compile });
  const server = new copy.ServerCore(info, {
    features: [some], pages: copy.pages(100), guards: copy.guards(), onError: ({ message }) => errors.push(message),
  });
  some.add('add', { input: { type: 'object', properties: { n: { type: 'number' } } } }, ({ n = 0 }) => `${Number(n) + 1}`);
  some.add('fail', {}, () => {
    throw new copy.RpcError(-32000, 'out of order', { part: 7 });
  });
  some.add('leave', {}, (_args, ctx) => new Promise<string>((_resolve, reject) => {
    ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error));
    started();
  }));
  some.add('scoped', { scopes: ['a'] }, () => '');
  let started = (): void => {};
  const client = new McpClient(info, { era });
  await client.connect(await serve(t, server));
  assert.equal(client.server?.name, 'test');
  const failure = async (name: string): Promise<unknown> => {
    try {
      return await client.callTool(name);
    } catch (thrown) {
      const { code, message, data } = thrown as { code?: unknown; message: string; data?: unknown };
      return [code, message, data];
    }
  };
  const listed = (await client.listTools()).map(({ name }) => name);
  const called = (await client.callTool('add', { n: 41 })).content.map((one) => 'text' in one && one.text).join();
  const refused = (await client.callTool('add', { n: 'x' })).content.map((one) => 'text' in one && one.text).join();
  const unknown = await failure('none');
  const thrown = await failure('fail');
  const scoped = await failure('scoped');
  // A client that leaves is not a failure of the handler.
  const leaving = new AbortController();
  const begun = new Promise<void>((resolve) => (started = resolve));
  const left = client.callTool('leave', {}, { signal: leaving.signal });
  await begun;
  leaving.abort();
  await assert.rejects(left);
  await client.close();
  return [listed, called, refused, unknown, thrown, scoped, errors];
}
