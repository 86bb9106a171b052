import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { McpClient } from '../src/client/index.ts';
import { precedence, traceOf } from '../src/protocol/index.ts';
import type { Observe, ObservedRequest } from '../src/protocol/index.ts';
import { McpServer, RpcError, ToolError } from '../src/server/index.ts';
import { httpTransport } from '../src/transport/http/fetch/index.ts';
import { memoryTransport } from '../src/transport/memory.ts';
import type { ClientTransport } from '../src/transport/client-port.ts';
import { serveHttp } from './transport/http/engine.ts';

type Bag = Record<string, unknown>;

const info = { name: 'test', version: '1' };
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** An observed request and its outcome. */
interface Seen {
  readonly kind: string;
  readonly method: string;
  readonly revision: string | undefined;
  readonly traceparent: unknown;
  end: string;
}

/** An observer that runs each request in its own async context, which holds the method. */
function observer(seen: Seen[], storage: AsyncLocalStorage<string>, meta?: Bag): Observe {
  return <R extends object>({ kind, method, params, peer }: ObservedRequest, next: (meta?: Bag) => R): R => {
    const one: Seen = {
      kind, method, revision: peer.revision?.version, traceparent: (params?.['_meta'] as Bag | undefined)?.['traceparent'], end: 'open',
    };
    seen.push(one);
    const failed = (error: unknown): never => {
      one.end = error instanceof RpcError ? String(error.code) : 'error';
      throw error;
    };
    let result: R;
    try {
      result = storage.run(method, () => next(kind === 'client' ? meta : undefined));
    } catch (error) {
      return failed(error);
    }
    const ended = <T extends object>(value: T): T => {
      one.end = (value as { isError?: unknown }).isError === true ? 'tool_error' : 'ok';
      return value;
    };
    return (result instanceof Promise ? result.then(ended, failed) : ended(result)) as R;
  };
}

async function over(t: TestContext, kind: 'memory' | 'http', revision: string): Promise<{
  client: McpClient; atClient: Seen[]; atServer: Seen[]; contexts: (string | undefined)[];
}> {
  const [atClient, atServer]: [Seen[], Seen[]] = [[], []];
  const storage = new AsyncLocalStorage<string>();
  const contexts: (string | undefined)[] = [];
  const server = new McpServer(info, { observe: observer(atServer, storage, { traceparent }), onError: () => {} });
  server.tool('ask', {}, async (_args, ctx) => {
    contexts.push(storage.getStore());
    const { action } = await ctx.elicit('Go on?', { a: { type: 'string' } });
    contexts.push(storage.getStore());
    if (action === 'cancel') throw new Error('cancelled');
    return `${traceOf(ctx.meta)?.traceparent}`;
  });
  server.tool('fail', {}, () => {
    throw new ToolError('no');
  });
  let transport: ClientTransport;
  if (kind === 'memory') transport = memoryTransport(server);
  else {
    const http = await serveHttp(server);
    t.after(() => http.close({ drainMs: 0 }));
    transport = httpTransport(http.url);
  }
  const client = new McpClient(info, {
    revisions: [revision], observe: observer(atClient, new AsyncLocalStorage(), { traceparent }), onElicit: () => ({ action: 'decline' }),
  });
  await client.connect(transport);
  t.after(() => client.close());
  atServer.length = 0;
  return { client, atClient, atServer, contexts };
}

for (const kind of ['memory', 'http'] as const) {
  for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28']) {
    test(`${kind}, ${revision}: each request is observed on both sides, with what \`_meta\` carries and in the observer's context`, async (t) => {
      const { client, atClient, atServer, contexts } = await over(t, kind, revision);
      assert.equal((await client.callTool('fail')).isError, true);
      assert.deepEqual([atClient, atServer].map(([only]) => only?.end), ['tool_error', 'tool_error']);
      atClient.length = atServer.length = 0;
      const { content } = await client.callTool('ask');
      assert.deepEqual(content, [{ type: 'text', text: traceparent }]);
      await assert.rejects(client.request('none/such'), { code: -32601 });
      await assert.rejects(client.getPrompt('none'));
      const modern = revision === '2026-07-28';
      const one = (side: string, method: string, end: string, trace: unknown): Seen =>
        ({ kind: side, method, revision, traceparent: trace, end });
      assert.deepEqual(atServer, [
        one('server', 'tools/call', 'ok', traceparent),
        // The question: since 2026-07-28 it is in the result, and the call is repeated with the answer.
        modern ? one('server', 'tools/call', 'ok', traceparent) : one('client', 'elicitation/create', 'ok', undefined),
        one('server', 'none/such', '-32601', traceparent),
      ]);
      assert.deepEqual(atClient, [
        one('client', 'tools/call', 'ok', undefined),
        ...modern ? [] : [one('server', 'elicitation/create', 'ok', traceparent)],
        one('client', 'none/such', '-32601', undefined),
        one('client', 'prompts/get', 'error', undefined),
      ]);
      assert.deepEqual(contexts, modern ? ['tools/call', 'tools/call', 'tools/call'] : ['tools/call', 'tools/call']);
      atServer.length = 0;
      await client.ping();
      assert.deepEqual(atServer.map(({ method, end }) => [method, end]), [[modern ? 'server/discover' : 'ping', 'ok']]);
      // The caller's value precedes the observer's.
      const own = traceparent.replace('b7', 'c7');
      assert.deepEqual((await client.callTool('ask', {}, { meta: { traceparent: own } })).content, [{ type: 'text', text: own }]);
    });
  }
}

test('the handshake of a server is observed, before there is a revision', async () => {
  const seen: Seen[] = [];
  const server = new McpServer(info, { observe: observer(seen, new AsyncLocalStorage()) });
  const client = new McpClient(info, { revisions: ['2025-06-18'] });
  await client.connect(memoryTransport(server));
  await client.close();
  assert.deepEqual(seen.map(({ method, revision, end }) => [method, revision, end]), [['initialize', undefined, 'ok']]);
});

test('a trace context is read as far as it is well formed and bounded', () => {
  const tracestate = 'vendor=1';
  const baggage = 'user=1';
  assert.deepEqual(traceOf({ traceparent, tracestate, baggage, other: 1 }), { traceparent, tracestate });
  assert.deepEqual(traceOf({ traceparent, tracestate, baggage }, true), { traceparent, tracestate, baggage });
  assert.deepEqual(traceOf({ baggage }, true), { baggage });
  // Later versions may have further fields.
  const later = `cc-${traceparent.slice(3)}-more`;
  assert.deepEqual(traceOf({ traceparent: later }), { traceparent: later });
  for (const bad of [
    undefined, 1, '', `ff${traceparent.slice(2)}`, traceparent.toUpperCase(), `${traceparent}-more`, `${traceparent} `, `${traceparent}\n`,
    traceparent.replace(/-.{32}-/, `-${'0'.repeat(32)}-`), traceparent.replace(/-.{16}-01/, `-${'0'.repeat(16)}-01`), `${later}${'x'.repeat(300)}`,
  ]) assert.equal(traceOf({ traceparent: bad, tracestate }), undefined, String(bad));
  for (const bad of ['', 'a\r\nb', 'é', 'x'.repeat(513), {}]) assert.deepEqual(traceOf({ traceparent, tracestate: bad }), { traceparent });
  assert.equal(traceOf({ baggage: 'x'.repeat(8193) }, true), undefined);
  assert.equal(traceOf(undefined), undefined);
  assert.equal(traceOf(JSON.parse('{"__proto__":{"traceparent":1}}') as Bag), undefined);
});

test('the parent is what `_meta` says, and the header is a link then', () => {
  assert.deepEqual(precedence('meta', 'header'), { parent: 'meta', link: 'header' });
  assert.deepEqual(precedence(undefined, 'header'), { parent: 'header', link: undefined });
  assert.deepEqual(precedence('meta', undefined), { parent: 'meta', link: undefined });
});
