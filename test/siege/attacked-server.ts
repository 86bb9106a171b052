// The attacked process in the server role: one server object behind every transport, and a channel to its keeper.
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { MessageChannel } from 'node:worker_threads';
import { McpServer } from '../../src/server/index.ts';
import { fetchHandler } from '../../src/transport/http/fetch/index.ts';
import { serveHttp } from '../../src/transport/http/node/index.ts';
import { http1 } from '../../src/transport/http1/node/index.ts';
import { serveMessagePort } from '../../src/transport/message-port.ts';
import { serveStdio } from '../../src/transport/stdio/index.ts';
import { attend, lines } from './keeper.ts';

const server = new McpServer({ name: 'attacked', version: '1.0.0' }, { onError: () => {} });

server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
  ({ text }) => text);
server.tool('big', { input: { type: 'object', properties: { size: { type: 'integer', maximum: 15_000_000 } } } },
  ({ size = 1_000_000 }) => 'x'.repeat(size));
server.tool('ask', {}, async (_, ctx) => (await ctx.elicit('Sure?', { sure: { type: 'boolean' } })).action);
server.tool('progress', { input: { type: 'object', properties: { count: { type: 'integer', maximum: 200_000 } } } },
  async ({ count = 1000 }, ctx) => {
    for (let i = 0; i < count; i++) {
      ctx.progress(i, count, 'x'.repeat(500));
      if (i % 100 === 0) await new Promise(setImmediate);
      if (ctx.signal.aborted) break;
    }
    return 'done';
  });
server.tool('wait', {}, (_, ctx) => new Promise<string>((resolve) => {
  ctx.signal.addEventListener('abort', () => resolve('aborted'));
}));
server.tool('match', {
  input: {
    type: 'object',
    properties: {
      twice: { type: 'string', pattern: '^(\\w+) \\1$' },
      words: { type: 'string', pattern: '^(\\w+\\s?)+$' },
      list: { type: 'array', items: { type: 'string', pattern: '^a*a*a{400}b$' } },
    },
  },
}, () => 'matched');
server.resource('note://one', {}, () => 'one');
server.resourceTemplate('note://{+path}', {}, ({ path }) => path);
server.prompt('plan', { arguments: { city: { complete: (typed) => [typed] } } }, ({ city = '' }) => city);

function listening(listener: Server): Promise<number> {
  return new Promise((resolve) => {
    listener.listen(0, '127.0.0.1', () => resolve((listener.address() as AddressInfo).port));
  });
}

/** A stdio server for each connection, which serves as stdin and stdout. */
const stdio = createServer((socket) => {
  // If a peer disconnects, both directions end, as with a process that exits.
  socket.on('error', () => {});
  serveStdio(server, { stdin: socket, stdout: socket, drainMs: 500 });
});

/** A message port for each connection: each line is a message. */
const port = createServer((socket) => {
  socket.on('error', () => {});
  const { port1, port2 } = new MessageChannel();
  serveMessagePort(server, port1);
  port2.on('message', (text: string) => {
    // A port does not report whether its messages are read: unread messages pile up in the peer's process, not in this one, which is
    // measured.
    if (socket.writableLength < 1024 * 1024) socket.write(`${text}\n`);
  });
  lines(socket, (line) => port2.postMessage(line));
  socket.on('close', () => port2.close());
});

// Abandoned sessions expire soon, so that the heap check can detect a leak.
const idle = { sessionIdleMs: 1000 };
const handle = fetchHandler(server, { limits: idle });

/**
 * The body of a request, one chunk per read with everything received so far. `Readable.toWeb` would make a chunk of each piece: with pieces
 * of one byte, Node's part of that takes 0.2 to 0.6 s per turn, and they stay in Node's parser when the client has left.
 */
function bodyOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  let more = (): void => {};
  for (const event of ['readable', 'end', 'close', 'error']) request.on(event, () => more());
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const part = request.read() as Buffer | null;
        if (part) return controller.enqueue(part);
        if (request.readableEnded) return controller.close();
        if (request.destroyed) return controller.error(new Error('the client has left'));
        await new Promise<void>((resolve) => {
          more = resolve;
        });
      }
    },
    cancel: () => void request.resume(),
  }, { highWaterMark: 0 });
}

/** The fetch handler behind node:http, with streams as bodies both ways. */
const bridge = createHttpServer((request, response) => {
  void (async () => {
    const leaving = new AbortController();
    response.on('close', () => leaving.abort());
    const body = request.method === 'POST' ? { body: bodyOf(request), duplex: 'half' as const } : {};
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const answer = await handle(new Request(`http://127.0.0.1${request.url ?? '/'}`, {
      method: request.method ?? 'GET', headers, signal: leaving.signal, ...body,
    }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.flushHeaders();
    const reader = answer.body?.getReader();
    leaving.signal.addEventListener('abort', () => void reader?.cancel().catch(() => {}));
    for (let part; (part = await reader?.read()) && !part.done && !response.destroyed;) {
      if (!response.write(part.value)) {
        await new Promise<void>((resolve) => {
          const on = (): void => {
            response.off('drain', on).off('close', on);
            resolve();
          };
          response.on('drain', on).on('close', on);
        });
      }
    }
    response.end();
  })().catch(() => response.destroy());
});
bridge.on('clientError', (_, socket) => (socket as Socket).destroy());

const http = await serveHttp(server, { limits: idle });
const own = await serveHttp(server, { limits: idle, engine: http1 });
attend({
  http: http.port, http1: own.port, fetch: await listening(bridge), stdio: await listening(stdio), port: await listening(port),
});
