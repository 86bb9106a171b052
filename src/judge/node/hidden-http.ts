import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import { guarded } from '../../transport/http/node/index.ts';
import type { ClientEvents, HiddenRequest } from '../client/port.ts';

/** The judge's side of HTTP: passes every request to `events`, which answers it. */
export interface HiddenHttp {
  /** The address of the endpoint. */
  readonly url: string;
  close(): void;
}

/** Listens on a free port of the loopback interface, behind the guard that all listeners use. */
export async function hiddenHttp(events: ClientEvents): Promise<HiddenHttp> {
  let count = 0;
  const http = createServer(guarded(() => ({}), (request, response) => {
    response.on('error', () => {});
    const number = ++count;
    void take(number, request, response).then((one) => events.request(one), (error: unknown) => {
      events.unreadable(errorMessage(error));
      response.destroy();
    });
  }));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close() {
      http.closeAllConnections();
      http.close();
    },
  };
}

const maxBody = 16 * 1024 * 1024;

async function take(number: number, request: IncomingMessage, response: ServerResponse): Promise<HiddenRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBody) throw new Error(`a body above ${maxBody} bytes`);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const body = bytes.toString('utf8');
  return {
    number, method: request.method ?? '', path: request.url ?? '', body, utf8: Buffer.from(body, 'utf8').equals(bytes),
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value ?? ''])),
    respond(status, headers, text = '') {
      if (!response.headersSent) response.writeHead(status, headers).end(text);
    },
    stream(headers) {
      if (!response.headersSent) response.writeHead(200, headers).flushHeaders();
      return {
        write: (text) => void response.write(text),
        end: () => void response.end(),
        cut: () => void response.destroy(),
      };
    },
  };
}
