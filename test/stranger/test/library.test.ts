import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestContext } from 'node:test';
import { McpClient } from 'barewire/client';
import { httpTransport } from 'barewire/fetch';
import { serveHttp } from 'barewire/http';
import { memoryTransport } from 'barewire/memory';
import { revisions } from 'barewire/protocol';
import { McpServer } from 'barewire/server';
import { library, libraryExtension, reader } from '../src/library.js';
import type { Library } from '../src/library.js';

const info = { name: 'ann', version: '1' };

interface Made {
  readonly client: McpClient;
  readonly books: Library;
  /** Resolves with the next notification. */
  readonly next: () => Promise<Record<string, unknown>>;
}

async function made(t: TestContext, kind: string, revision: string, declares = true): Promise<Made> {
  const server = new McpServer({ name: 'library', version: '1' });
  const books = library(server, ['fairy tales', 'maps']);
  server.tool('lend', { input: { type: 'object', properties: { book: { type: 'string' } }, required: ['book'] } }, ({ book }, ctx) => books.lend(book, ctx));
  let heard = (_returned: Record<string, unknown>): void => {};
  const client: McpClient = new McpClient(info, {
    revisions: [revision],
    ...declares && { extensions: reader((method, params) => client.request(method, params), (returned) => heard(returned)) },
  });
  if (kind === 'memory') await client.connect(memoryTransport(server));
  else {
    const http = await serveHttp(server, { port: 0 });
    t.after(() => http.close({ drainMs: 0 }));
    await client.connect(httpTransport(http.url));
  }
  t.after(() => client.close());
  return { client, books, next: () => new Promise((resolve) => (heard = resolve)) };
}

for (const { version, era } of revisions) {
  // 2024-11-05 has no Streamable HTTP.
  for (const kind of version === '2024-11-05' ? ['memory'] : ['memory', 'http']) {
    test(`${kind}, ${version}: what the extension has is there, for clients that declare it`, async (t) => {
      const { client, books, next } = await made(t, kind, version);
      assert.deepEqual(client.capabilities?.extensions, { [libraryExtension]: { shelves: ['fairy tales', 'maps'] } });
      const found = await client.request('library/find', { book: 'Atlas' }, { meta: { 'com.example/note': 'soon' } });
      assert.deepEqual([found['book'], found['shelf'], found['reader'], found['note']], ['Atlas', 'fairy tales', 'ann', 'soon']);
      assert.equal((await client.request('library/hours'))['open'], '9-17');
      if (era === 'modern') {
        assert.equal(await client.listen('com.example/shelf', 'cellar'), undefined);
        assert.equal(await client.listen('com.example/shelf', 'fairy tales'), 'fairy tales');
        await assert.rejects(client.listen('com.example/shelf', 7), /a shelf is a string/);
      } else if (kind === 'http') {
        // Its stream opens after the handshake: an answered request shows that the session exists.
        await client.ping();
      }
      const lent = client.callTool('lend', { book: 'Atlas' });
      if (era === 'legacy') assert.deepEqual((await lent).content, [{ type: 'text', text: 'Atlas is lent' }]);
      const told = next();
      books.giveBack({ shelf: 'maps', book: 'Globe' });
      books.giveBack({ shelf: 'fairy tales', book: 'Atlas' });
      const { shelf, book } = await told;
      assert.deepEqual([shelf, book], ['fairy tales', 'Atlas']);
      if (era === 'modern') assert.deepEqual((await lent).content, [{ type: 'text', text: 'here is Atlas' }]);
    });

    test(`${kind}, ${version}: a client that does not declare it has what is open`, async (t) => {
      const { client, books } = await made(t, kind, version, false);
      assert.equal((await client.request('library/hours'))['open'], '9-17');
      await assert.rejects(client.request('library/find', { book: 'Atlas' }), { code: era === 'modern' ? -32021 : -32601 });
      assert.deepEqual((await client.callTool('lend', { book: 'Atlas' })).content, [{ type: 'text', text: 'Atlas is lent' }]);
      books.giveBack({ shelf: 'fairy tales', book: 'Atlas' });
    });
  }
}
