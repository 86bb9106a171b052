// A server with every feature, written with @modelcontextprotocol/sdk. `node v1.mjs` uses stdio; `--http` serves Streamable HTTP
// on /mcp and HTTP+SSE on /sse, and prints the URL.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CreateMessageResultSchema, ElicitResultSchema, ListRootsResultSchema, SubscribeRequestSchema, UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

const text = (text) => ({ content: [{ type: 'text', text }] });
const ok = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };

function make() {
  const server = new McpServer({ name: 'peer-v1', version: '1.0.0' }, {
    instructions: 'Written with the first SDK.',
    capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } },
  });

  server.registerTool('add', {
    description: 'Adds',
    inputSchema: { a: z.number(), b: z.number() },
    outputSchema: { sum: z.number() },
  }, ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }));

  server.registerTool('fail', {}, () => {
    throw new Error('It failed on purpose');
  });

  server.registerTool('content', {}, () => ({
    content: [
      { type: 'text', text: 'some text' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'peer://embedded', text: 'inside' } },
      { type: 'resource_link', uri: 'peer://note', name: 'note' },
    ],
  }));

  let cancelled = 0;
  server.registerTool('slow', {}, async (extra) => {
    const { progressToken } = extra._meta ?? {};
    const report = (progress) => progressToken !== undefined && extra.sendNotification({
      method: 'notifications/progress', params: { progressToken, progress, total: 2, message: `step ${progress}` },
    });
    await report(1);
    await new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, 60_000);
      extra.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        cancelled++;
        reject(new Error('cancelled'));
      });
    });
    return text('done');
  });
  server.registerTool('cancelled', {}, () => text(String(cancelled)));

  server.registerTool('count', {}, async (extra) => {
    for (const progress of [1, 2, 3]) {
      await extra.sendNotification({
        method: 'notifications/progress', params: { progressToken: extra._meta?.progressToken ?? 0, progress, total: 3 },
      });
    }
    return text('counted');
  });

  // One question on the stream of its request, and one on the stream of no request.
  server.registerTool('ask', {}, async (extra) => {
    const params = { message: 'First?', requestedSchema: ok };
    const first = await extra.sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
    const second = await server.server.elicitInput({ message: 'Second?', requestedSchema: ok });
    return text(JSON.stringify([first, second]));
  });

  // A different question in each call, to check which answer arrives.
  server.registerTool('number', { inputSchema: { n: z.number() } }, async ({ n }, extra) => {
    const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
    const { content } = await extra.sendRequest({ method: 'elicitation/create', params: { message: `n=${n}`, requestedSchema } }, ElicitResultSchema);
    return text(`${n}: ${content?.answer}`);
  });

  server.registerTool('visit', {}, async (extra) => {
    const params = { mode: 'url', message: 'Visit', url: 'https://peer.example/', elicitationId: 'one' };
    const answer = await extra.sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
    return text(answer.action);
  });

  server.registerTool('think', {}, async (extra) => {
    const params = { messages: [{ role: 'user', content: { type: 'text', text: 'Think!' } }], maxTokens: 10 };
    const { model, content } = await extra.sendRequest({ method: 'sampling/createMessage', params }, CreateMessageResultSchema);
    return text(`${model}: ${content.text}`);
  });

  server.registerTool('where', {}, async (extra) => {
    const { roots } = await extra.sendRequest({ method: 'roots/list' }, ListRootsResultSchema);
    return text(roots.map(({ uri }) => uri).join(' '));
  });

  server.registerTool('talk', {}, async (extra) => {
    for (const level of ['debug', 'warning']) {
      await server.sendLoggingMessage({ level, logger: 'peer', data: { said: level } }, extra.sessionId);
    }
    return text('talked');
  });

  let more = 0;
  server.registerTool('grow', {}, async () => {
    server.registerTool(`grown_${++more}`, {}, () => text('grown'));
    return text('grew');
  });

  const watched = new Set();
  server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => (watched.add(params.uri), {}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => (watched.delete(params.uri), {}));
  server.registerTool('touch', {}, async () => {
    for (const uri of watched) await server.server.sendResourceUpdated({ uri });
    return text(`touched ${watched.size}`);
  });

  server.registerResource('note', 'peer://note', { mimeType: 'text/plain' }, ({ href }) => ({
    contents: [{ uri: href, text: 'a note' }],
  }));
  server.registerResource('bytes', 'peer://bytes', {}, ({ href }) => ({
    contents: [{ uri: href, blob: 'AAEC', mimeType: 'application/octet-stream' }],
  }));
  server.registerResource('city', new ResourceTemplate('peer://city/{name}', {
    list: undefined,
    complete: { name: (value) => ['rome', 'riga', 'oslo'].filter((name) => name.startsWith(value)) },
  }), {}, ({ href }, { name }) => ({ contents: [{ uri: href, text: `city of ${name}` }] }));

  server.registerPrompt('greet', {
    argsSchema: { name: completable(z.string(), (value) => ['ada', 'alan', 'bob'].filter((name) => name.startsWith(value))) },
  }, ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }] }));
  return server;
}

function serve() {
  const transports = new Map();
  const http = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    const id = request.headers['mcp-session-id'] ?? searchParams.get('sessionId') ?? '';
    if (pathname === '/sse' && request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      transports.set(transport.sessionId, transport);
      await make().connect(transport);
    } else if (pathname === '/messages') {
      await transports.get(id)?.handlePostMessage(request, response);
    } else if (pathname !== '/mcp') {
      response.writeHead(404).end();
    } else if (transports.has(id)) {
      await transports.get(id).handleRequest(request, response);
    } else if (id !== '') {
      response.writeHead(404).end();
    } else {
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void transports.set(session, transport),
        onsessionclosed: (session) => void transports.delete(session),
      });
      await make().connect(transport);
      await transport.handleRequest(request, response);
    }
  });
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}

if (process.argv.includes('--http')) serve();
else await make().connect(new StdioServerTransport());
