import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpServer } from '../../../src/server/index.ts';
import { sseParser } from '../../../src/transport/http/sse-parser.ts';
import { serveHttp } from './engine.ts';

test('a malformed answer is refused, and ends the question that it was to answer', async (t) => {
  const server = new McpServer({ name: 'test', version: '1' });
  server.tool('ask', {}, async (_args, ctx) => (await ctx.elicit('Sure?', { sure: { type: 'boolean' } })).action);
  const http = await serveHttp(server, { onError: () => {} });
  t.after(() => http.close({ drainMs: 0 }));
  let session: Record<string, string> = {};
  const post = (message: object, more = session): Promise<Response> => fetch(http.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...more },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  const params = {
    protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'c', version: '1' },
  };
  const opened = await post({ id: 0, method: 'initialize', params });
  await opened.text();
  session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  await post({ method: 'notifications/initialized' });

  const call = await post({ id: 1, method: 'tools/call', params: { name: 'ask' } });
  const said: { id: number; method?: string; result?: { isError: boolean; content: { text: string }[] } }[] = [];
  const parser = sseParser({ onEvent: ({ data }) => void (data && said.push(JSON.parse(data))), maxEventBytes: 1e6 });
  const reader = (call.body ?? assert.fail()).getReader();
  const next = async (): Promise<(typeof said)[number]> => {
    while (said.length === 0) {
      const { value, done } = await reader.read();
      assert.ok(!done, 'the stream ended early');
      parser.push(value);
    }
    return said.shift() ?? assert.fail();
  };
  const question = await next();
  assert.equal(question.method, 'elicitation/create');
  // Another session, or no session, has no such question.
  assert.equal((await post({ id: question.id }, {})).status, 400);
  assert.equal((await post({ id: question.id }, { 'mcp-session-id': 'another' })).status, 400);
  assert.equal((await post({ id: question.id })).status, 400);
  const { id, result } = await next();
  assert.equal(id, 1);
  assert.equal(result?.isError, true);
  assert.match(result?.content[0]?.text ?? '', /Invalid response/);
});
