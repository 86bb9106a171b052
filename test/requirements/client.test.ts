import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { metaKeys } from '../../src/protocol/meta.ts';
import { McpServer, RpcError } from '../../src/server/index.ts';
import { connectScripted as connect, legacy, modern, RpcFault } from '../client/scripted.ts';
import { connect as connectPeer, modernMeta } from '../server/peer.ts';
import { mockClock } from '../mock-clock.ts';

// Rules of requirements/*.tsv that the client keeps by its construction, each where breaking it would show.

const page = (nextCursor?: string): object => ({
  resultType: 'complete', ttlMs: 1000, cacheScope: 'private', tools: [], ...nextCursor !== undefined && { nextCursor },
});

// 2026-07-28 server/utilities/caching#freshness-calculation.
test('a result that has run out is not fetched by itself', async () => {
  mockClock(mock, { apis: ['setTimeout', 'setInterval', 'Date'], now: 0 });
  try {
    const { client, wire } = await connect(modern(() => page()));
    await client.listTools();
    const asked = (): number => wire.methods().filter((method) => method === 'tools/list').length;
    assert.equal(asked(), 1);
    mock.timers.tick(3_600_000);
    assert.equal(asked(), 1);
    await client.listTools();
    assert.equal(asked(), 2);
  } finally {
    mock.timers.reset();
    mock.restoreAll();
  }
});

// 2026-07-28 server/utilities/caching#interaction-with-pagination.
test('a list that was cleared begins at its first page', async () => {
  const { client, wire } = await connect(modern(({ params }) => page(params?.['cursor'] === undefined ? 'two' : undefined)));
  await client.listTools();
  client.clearCache();
  await client.listTools();
  const cursors = wire.sent.filter(({ method }) => method === 'tools/list').map(({ params }) => params?.['cursor']);
  assert.deepEqual(cursors, [undefined, 'two', undefined, 'two']);
});

// 2026-07-28 basic/index#_meta, server/discover#discoverresult.
test('nobody acts on the name of the other', async () => {
  const said: unknown[] = [];
  for (const name of ['one', '\u0000', 'Claude Desktop']) {
    const { client, wire } = await connect((sent, self) => {
      const answer = modern(() => page())(sent, self) as Record<string, unknown>;
      return answer && { ...answer, _meta: { [metaKeys.serverInfo]: { name, version: name } } };
    });
    await client.listTools();
    said.push(wire.sent);
  }
  assert.deepEqual(said[1], said[0]);
  assert.deepEqual(said[2], said[0]);
  const server = new McpServer({ name: 'server', version: '1' });
  server.tool('a', {}, () => 'b');
  const peer = await connectPeer(server);
  const answers: unknown[] = [];
  for (const name of ['one', 'Claude Desktop']) {
    const _meta = { ...modernMeta(), [metaKeys.clientInfo]: { name, version: name } };
    for (const method of ['server/discover', 'tools/list', 'tools/call']) {
      answers.push((await peer.request(method, { name: 'a', _meta })).result);
    }
  }
  assert.deepEqual(answers.slice(3), answers.slice(0, 3));
});

// 2025-11-25 client/elicitation#safe-url-handling.
test('the page of an elicitation is handed on, and nothing of it is fetched', async () => {
  const url = 'https://bank.example/consent?id=1';
  const { fetch } = globalThis;
  const fetched: unknown[] = [];
  globalThis.fetch = async (input) => {
    fetched.push(input);
    throw new Error('nothing is to be fetched');
  };
  try {
    let shown: string | undefined;
    const { wire } = await connect(legacy(), {
      onElicitUrl: (question) => {
        shown = question.url;
        return { action: 'accept' };
      },
    });
    const answer = await wire.ask(1, 'elicitation/create', { mode: 'url', message: 'Pay?', url, elicitationId: 'e' });
    assert.deepEqual(answer.result, { action: 'accept' });
    assert.equal(shown, url);
    assert.deepEqual(fetched, []);
  } finally {
    globalThis.fetch = fetch;
  }
});

// 2025-11-25 client/roots#error-handling.
test('roots that cannot be had are -32603', async () => {
  const { wire } = await connect(legacy(), {
    roots: () => {
      throw new Error('the disk is gone');
    },
  });
  const { error } = await wire.ask(1, 'roots/list');
  assert.equal(error?.code, -32603);
});

// 2026-07-28 basic/index#error-codes: codes of the server range mean nothing by themselves, -32002 is still taken.
test('a client reads no meaning into a code of a server', async () => {
  for (const code of [-32000, -32001, -32002, -32019, -32043, -32099, 1]) {
    const { client, wire } = await connect(modern(() => new RpcFault(code, 'as it came', { uri: 'a:b' })));
    await assert.rejects(client.readResource('a:b'), (error: Error) => {
      assert.ok(error instanceof RpcError);
      assert.deepEqual([error.code, error.message, error.data], [code, 'as it came', { uri: 'a:b' }]);
      return true;
    });
    assert.deepEqual(wire.methods(), ['server/discover', 'resources/read']);
    assert.equal(wire.closed + wire.reopened, 0);
  }
});
