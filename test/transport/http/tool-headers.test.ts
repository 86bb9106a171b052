import { test } from 'node:test';
import assert from 'node:assert/strict';
import { McpServer, ServerCore, tools } from '../../../src/server/index.ts';
import { fetchHandler } from '../../../src/transport/http/fetch/index.ts';

test('a tool whose schema marks its headers wrongly is refused at registration', () => {
  const server = new McpServer({ name: 'headers', version: '1.0.0' });
  const marked = (schema: object): object => ({ type: 'object', properties: { a: schema } });
  for (const wrong of [
    marked({ type: 'object', 'x-mcp-header': 'A' }),
    marked({ type: 'number', 'x-mcp-header': 'A' }),
    marked({ type: 'string', 'x-mcp-header': '' }),
    marked({ type: 'string', 'x-mcp-header': 'two words' }),
    marked({ type: 'string', 'x-mcp-header': 'A\r\nB' }),
    // RFC 9110 5.6.2: characters that are not allowed in a token, and a non-ASCII letter.
    ...Array.from([...'"(),/:;<=>?@[\\]{}\u007fé', ...Array.from({ length: 32 }, (_, code) => String.fromCharCode(code))], (odd) => marked({ type: 'string', 'x-mcp-header': `A${odd}` })),
    { type: 'object', properties: {
      a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' },
    } },
    { type: 'object', properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } } },
  ]) assert.throws(() => server.tool('wrong', { input: wrong as never }, () => ''), /tool "wrong": .*x-mcp-header/);
});

// A ServerCore with only tools() does not check the schema at registration, so HTTP checks it.
test('a tool that was not checked cannot be called over HTTP, and the answer says why', async () => {
  const marks = tools();
  const server = new ServerCore({ name: 'headers', version: '1.0.0' }, { features: [marks] });
  marks.add('right', {
    input: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A' } } } as never,
  }, () => 'done');
  marks.add('wrong', {
    input: { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'A' } } } as never,
  }, () => 'done');
  const handle = fetchHandler(server);
  const call = async (name: string, headers: Record<string, string>): Promise<string> => {
    const response = await handle(new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0', id: 1, method: 'tools/call',
        params: {
          name,
          arguments: { a: 'x' },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    }));
    return response.text();
  };
  assert.match(await call('right', { 'mcp-param-a': 'x' }), /"text":"done"/);
  assert.match(await call('right', { 'mcp-param-a': 'y' }), /-32020.*mcp-param-a/);
  for (let times = 0; times < 2; times++) {
    assert.match(await call('wrong', {}), /-32603.*Tool \\"wrong\\": #\/properties\/a: x-mcp-header/);
  }
  await handle.close();
});
