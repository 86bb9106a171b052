import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { McpServer } from '../../src/server/index.ts';
import { modernMeta } from '../server/peer.ts';
import { serveHttp } from '../transport/http/engine.ts';

/** The status that a POST of server/discover gets, or the code of the error that ends it. */
function post(host: string, port: number, headers: Record<string, string>): Promise<number | string | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: modernMeta() } });
  return new Promise((resolve) => {
    const sent = request({ host, port, path: '/mcp', method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    sent.end(body);
  });
}

const headers = {
  'CONTENT-TYPE': 'application/json', 'aCCept': 'application/json, text/event-stream',
  'MCP-PROTOCOL-VERSION': '2026-07-28', 'mcp-METHOD': 'server/discover',
};

// 2025-11-25 basic/transports#security-warning: a server on all interfaces would answer on 127.0.0.2.
test('by default a server listens on 127.0.0.1 alone', async (t) => {
  const http = await serveHttp(new McpServer({ name: 'test', version: '1' }), { port: 0 });
  t.after(() => http.close());
  assert.equal(await post('127.0.0.1', http.port, headers), 200);
  assert.equal(typeof await post('127.0.0.2', http.port, headers), 'string');
});

// 2026-07-28 basic/transports/streamable-http#case-sensitivity.
test('names of headers are taken in any case', async (t) => {
  const http = await serveHttp(new McpServer({ name: 'test', version: '1' }), { port: 0 });
  t.after(() => http.close());
  assert.equal(await post('127.0.0.1', http.port, headers), 200);
  assert.equal(await post('127.0.0.1', http.port, { ...headers, 'mcp-METHOD': 'tools/list' }), 400);
});

// 2026-07-28 basic/index#_meta. A status that was sent cannot be taken back; `needs` is judged before the handler runs.
test('a handler that lacks a capability is refused with 400, unless its stream has begun', async (t) => {
  const server = new McpServer({ name: 'test', version: '1' });
  const question = { a: { type: 'string' } } as const;
  server.tool('asks', {}, async (_args, ctx) => (await ctx.elicit('Well?', question)).action);
  server.tool('tells and asks', {}, async (_args, ctx) => {
    ctx.progress(1);
    return (await ctx.elicit('Well?', question)).action;
  });
  server.tool('needs, tells and asks', { needs: ['elicitation'] }, async (_args, ctx) => {
    ctx.progress(1);
    return (await ctx.elicit('Well?', question)).action;
  });
  const http = await serveHttp(server, { port: 0 });
  t.after(() => http.close());
  const call = async (name: string): Promise<[status: number, text: string]> => {
    const params = { name, _meta: { ...modernMeta({}), progressToken: 1 } };
    const response = await fetch(http.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json', accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    return [response.status, await response.text()];
  };
  for (const [name, status] of [['asks', 400], ['tells and asks', 200], ['needs, tells and asks', 400]] as const) {
    const [said, text] = await call(name);
    assert.equal(said, status, name);
    assert.match(text, /"code":-32021,.*"requiredCapabilities":\{"elicitation":/, name);
  }
});
