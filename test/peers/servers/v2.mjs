// A server with every feature, written with @modelcontextprotocol/server, for both eras. `node v2.mjs` uses stdio; `--http`
// serves Streamable HTTP, and prints the URL. `--modern` drops the legacy era.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { acceptedContent, completable, createMcpHandler, inputRequired, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const text = (text) => ({ content: [{ type: 'text', text }] });
const ok = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };
let cancelled = 0;
let notify;

function make() {
  const server = new McpServer({ name: 'peer-v2', version: '2.0.0' }, {
    instructions: 'Written with the second SDK.',
    capabilities: { logging: {}, tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } },
  });

  server.registerTool('add', {
    description: 'Adds',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
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

  const progress = (ctx, progress, total) => ctx.mcpReq.notify({
    method: 'notifications/progress',
    params: { progressToken: ctx.mcpReq._meta?.progressToken ?? 0, progress, total, message: `step ${progress}` },
  });
  server.registerTool('slow', {}, async (ctx) => {
    await progress(ctx, 1, 2);
    await new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, 60_000);
      ctx.mcpReq.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        cancelled++;
        reject(new Error('cancelled'));
      });
    });
    return text('done');
  });
  server.registerTool('cancelled', {}, () => text(String(cancelled)));

  server.registerTool('count', {}, async (ctx) => {
    for (const step of [1, 2, 3]) await progress(ctx, step, 3);
    return text('counted');
  });

  const elicit = (message) => inputRequired.elicit({ message, requestedSchema: ok });
  server.registerTool('ask', {}, (ctx) => {
    const { inputResponses, requestState } = ctx.mcpReq;
    const first = requestState() ?? (acceptedContent(inputResponses, 'first') && JSON.stringify(inputResponses.first));
    if (first === undefined) return inputRequired({ inputRequests: { first: elicit('First?') } });
    if (inputResponses?.second === undefined) {
      return inputRequired({ inputRequests: { second: elicit('Second?') }, requestState: first });
    }
    return text(JSON.stringify([JSON.parse(first), inputResponses.second]));
  });

  // A different question in each call, to check which answer arrives.
  server.registerTool('number', { inputSchema: z.object({ n: z.number() }) }, ({ n }, ctx) => {
    const answer = ctx.mcpReq.inputResponses?.number;
    if (answer) return text(`${n}: ${answer.content?.answer}`);
    const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
    return inputRequired({ inputRequests: { number: inputRequired.elicit({ message: `n=${n}`, requestedSchema }) } });
  });

  server.registerTool('visit', {}, (ctx) => {
    const answer = ctx.mcpReq.inputResponses?.visit;
    if (answer) return text(answer.action);
    return inputRequired({ inputRequests: { visit: inputRequired.elicitUrl({ message: 'Visit', url: 'https://peer.example/' }) } });
  });

  server.registerTool('think', {}, (ctx) => {
    const answer = ctx.mcpReq.inputResponses?.think;
    if (answer) return text(`${answer.model}: ${answer.content.text}`);
    const messages = [{ role: 'user', content: { type: 'text', text: 'Think!' } }];
    return inputRequired({ inputRequests: { think: inputRequired.createMessage({ messages, maxTokens: 10 }) } });
  });

  server.registerTool('where', {}, (ctx) => {
    const answer = ctx.mcpReq.inputResponses?.where;
    if (answer) return text(answer.roots.map(({ uri }) => uri).join(' '));
    return inputRequired({ inputRequests: { where: inputRequired.listRoots() } });
  });

  server.registerTool('talk', {}, async (ctx) => {
    for (const level of ['debug', 'warning']) await ctx.mcpReq.log(level, { said: level }, 'peer');
    return text('talked');
  });

  server.registerTool('grow', {}, () => {
    if (notify) notify.toolsChanged();
    else server.sendToolListChanged();
    return text('grew');
  });
  server.registerTool('touch', {}, async () => {
    const uri = 'peer://note';
    if (notify) notify.resourceUpdated(uri);
    else await server.server.sendResourceUpdated({ uri });
    return text('touched 1');
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
    argsSchema: z.object({
      name: completable(z.string(), (value) => ['ada', 'alan', 'bob'].filter((name) => name.startsWith(value))),
    }),
  }, ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}` } }] }));

  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  return server;
}

if (process.argv.includes('--http')) {
  const handler = createMcpHandler(make, { legacy: process.argv.includes('--modern') ? 'reject' : 'stateless' });
  notify = handler.notify;
  const http = createServer(toNodeHandler(handler));
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
} else {
  serveStdio(make, { legacy: process.argv.includes('--modern') ? 'reject' : 'serve' });
}
