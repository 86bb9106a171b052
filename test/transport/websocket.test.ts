import assert from 'node:assert/strict';
import test from 'node:test';
import { McpServer } from '../../src/server/index.ts';
import { webSocketHandler } from '../../src/transport/websocket/index.ts';
import type { AllowedUpgrade, WebSocketHandler } from '../../src/transport/websocket/index.ts';

// What the handler judges before there is a socket. Sockets of `ws` and of other runtimes: npm run websocket.

/** The upgrade of a principal: allowed, or the status that refuses it. */
async function upgrade(handler: WebSocketHandler, principal: string): Promise<AllowedUpgrade | number> {
  const judged = await handler.upgrade({ url: '/mcp', headers: { host: 'localhost', authorization: principal, 'sec-websocket-protocol': 'x, mcp' } });
  return judged.allowed ? judged : judged.status;
}

test('websocket: one principal takes no more than maxConnectionsPerPrincipal places, and others still get theirs', async () => {
  const handler = webSocketHandler(new McpServer({ name: 'sockets', version: '1' }), {
    limits: { maxConnections: 3, maxConnectionsPerPrincipal: 2 }, auth: ({ header }) => ({ principal: header('authorization') ?? '' }),
  });
  const [one, two] = [await upgrade(handler, 'ann'), await upgrade(handler, 'ann')];
  assert.ok(typeof one === 'object' && typeof two === 'object');
  assert.equal(one.protocol, 'mcp');
  assert.equal(await upgrade(handler, 'ann'), 503);
  assert.equal(typeof await upgrade(handler, 'bob'), 'object');
  // All places are taken, and a place that is given back twice counts once.
  assert.equal(await upgrade(handler, 'cyd'), 503);
  one.cancel();
  one.cancel();
  assert.equal(typeof await upgrade(handler, 'ann'), 'object');
  assert.equal(await upgrade(handler, 'ann'), 503);
  await handler.close({ drainMs: 0 });
  two.cancel();
  assert.equal(await upgrade(handler, 'ann'), 503);
});
