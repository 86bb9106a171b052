import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { waitingClock } from '../../mock-clock.ts';
import { McpClient } from '../../../src/client/index.ts';
import { ConnectionError } from '../../../src/jsonrpc/index.ts';
import { McpServer } from '../../../src/server/index.ts';
import { httpTransport } from '../../../src/transport/http/client/index.ts';
import type { HttpServer } from '../../../src/transport/http/node/index.ts';
import { serveHttp } from './engine.ts';

/** One run of the server; its tool `life` names the run. */
async function live(life: string, port: number): Promise<{ http: HttpServer; server: McpServer }> {
  const server = new McpServer({ name: 'mortal', version: '1.0.0' });
  server.tool('life', {}, () => life);
  server.resource('news://today', {}, () => `news of the ${life} life`);
  return { server, http: await serveHttp(server, { port }) };
}

/**
 * Repeats the call after a connection error: a connection that the dead server left open fails the call that uses it, because the server
 * may have run that call.
 */
async function persist<T>(call: () => Promise<T>): Promise<T> {
  for (let left = 10; ; left--) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ConnectionError) || left === 0) throw error;
    }
  }
}

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`${revision}: a server is restarted under its client`, async () => {
    const told = new EventEmitter();
    const first = await live('first', 0);
    const client = new McpClient({ name: 'patient', version: '1.0.0' }, {
      revisions: [revision],
      onResourceUpdated: (uri) => told.emit('updated', uri),
    });
    // Reconnections do not wait: the test checks the result, not the times.
    const transport = httpTransport(first.http.url, {
      clock: waitingClock(() => new Promise((resolve) => setImmediate(resolve))),
      limits: { reconnectAttempts: 10_000 },
    });
    await client.connect(transport);
    await client.subscribe('news://today');
    const { content } = await client.callTool('life');
    assert.deepEqual(content, [{ type: 'text', text: 'first' }]);

    await first.http.close({ drainMs: 0 });
    const second = await live('second', first.http.port);

    // The session ended with the process: the client makes a new handshake and repeats the call.
    assert.deepEqual((await persist(() => client.callTool('life'))).content, [{ type: 'text', text: 'second' }]);

    // The client subscribes again when the stream is open.
    const updated = once(told, 'updated');
    const tick = setInterval(() => second.server.resourceUpdated('news://today'), 20);
    assert.deepEqual(await updated, ['news://today']);
    clearInterval(tick);
    await client.close();
    await second.http.close({ drainMs: 0 });
  });
}
