// A hostile server with raw sockets for lines or HTTP, so that it can send anything.
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Random } from '../hostile/mutations.ts';
import type { ClientShape } from './client-shapes.ts';
import { put } from './door.ts';

type Bag = Record<string, unknown>;

/** One port for all of them in turn: Node's `fetch` keeps state for each origin for ever, and there are hundreds. */
let port = 0;

/** A request of the attacked client, with the possible responses. A boolean result is whether the client accepted the bytes in time. */
export interface Asked {
  /** `GET` and `DELETE` are HTTP methods. */
  readonly method: string;
  readonly id: unknown;
  readonly token: unknown;
  /** Sends messages before the response. */
  say(messages: readonly string[]): Promise<boolean>;
  /** Sends the response. Always resolves with true, so that a shape can return it. */
  end(message: string): Promise<true>;
  /** Sends the response one byte at a time. */
  trickle(message: string): Promise<void>;
  /** HTTP: sends raw bytes, then `part` repeatedly, and cuts the connection. */
  raw(head: string, part: string, times: number): Promise<true>;
}

async function trickle(socket: Socket, text: string, wrap: (byte: string) => string): Promise<void> {
  const until = Date.now() + 1_500;
  socket.setNoDelay(true);
  for (let i = 0; i < text.length && Date.now() < until && !socket.destroyed; i++) {
    await put(socket, wrap(text[i] ?? ''));
    if (i % 20 === 0) await new Promise(setImmediate);
  }
}

export class HostileServer {
  readonly #shape: ClientShape;
  readonly #by: Random;
  readonly #modern: boolean;
  readonly #sockets = new Set<Socket>();
  readonly #listener: Server;

  constructor(shape: ClientShape, by: Random, web: boolean) {
    this.#shape = shape;
    this.#by = by;
    this.#modern = shape.modern ?? by.chance(0.5);
    this.#listener = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
      if (web) this.#serveHttp(socket);
      else this.#serveLines(socket);
    });
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.#listener.listen(port, '127.0.0.1', () => resolve(port = (this.#listener.address() as AddressInfo).port));
    });
  }

  close(): void {
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** A valid result for a request. */
  sound({ method }: { method: string }): Bag {
    const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {} };
    const serverInfo = { name: 'hostile', version: '1' };
    switch (method) {
      case 'initialize': return { protocolVersion: this.#by.pick(['2025-03-26', '2025-06-18', '2025-11-25']), capabilities, serverInfo };
      case 'server/discover': return { supportedVersions: ['2026-07-28'], capabilities, serverInfo, ttlMs: 0, cacheScope: 'private' };
      case 'tools/list': return { tools: [{ name: 'any', inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'private' };
      case 'resources/list': return { resources: [], ttlMs: 0, cacheScope: 'private' };
      case 'prompts/list': return { prompts: [], ttlMs: 0, cacheScope: 'private' };
      case 'resources/read': return { contents: [], ttlMs: 0, cacheScope: 'private' };
      case 'prompts/get': return { messages: [] };
      case 'tools/call': return { content: [] };
      default: return {};
    }
  }

  async #answer(message: Bag, asked: Asked): Promise<void> {
    if (message['id'] === undefined && !asked.method.startsWith('GET')) return;
    const handshake = asked.method === 'initialize' || asked.method === 'server/discover';
    if (asked.method === 'server/discover' && !this.#modern) {
      return void await asked.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, error: { code: -32601, message: 'no' } }));
    }
    if (handshake && this.#by.chance(0.8) || !await this.#shape.answer(asked, this, this.#by)) {
      await asked.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, result: { resultType: 'complete', ...this.sound(asked) } }));
    }
  }

  #read(text: string): Bag | undefined {
    try {
      const message = JSON.parse(text) as Bag;
      return typeof message['method'] === 'string' ? message : undefined;
    } catch {
      return undefined;
    }
  }

  #serveLines(socket: Socket): void {
    let rest = '';
    socket.on('data', (chunk) => {
      const found = (rest + chunk.toString()).split('\n');
      rest = found.pop() ?? '';
      for (const line of found) {
        const message = this.#read(line);
        if (!message) continue;
        const { method, id, params } = message as { method: string; id: unknown; params?: { _meta?: Bag } };
        void this.#answer(message, {
          method, id, token: params?._meta?.['progressToken'],
          say: (messages) => put(socket, messages.map((text) => `${text}\n`).join('')),
          end: async (text) => (await put(socket, `${text}\n`), true),
          trickle: (text) => trickle(socket, `${text}\n`, (byte) => byte),
          raw: async () => true,
        });
      }
    });
  }

  #serveHttp(socket: Socket): void {
    let held = '';
    socket.on('data', (chunk) => {
      held += chunk.toString('latin1');
      for (;;) {
        const end = held.indexOf('\r\n\r\n');
        if (end < 0) return;
        const head = held.slice(0, end);
        const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
        if (held.length < end + 4 + length) return;
        const body = held.slice(end + 4, end + 4 + length);
        held = held.slice(end + 4 + length);
        void this.#request(socket, head.split(' ', 1)[0] ?? '', body);
      }
    });
  }

  async #request(socket: Socket, verb: string, body: string): Promise<void> {
    const message = this.#read(body);
    const { method = verb, id, params } = (message ?? {}) as { method?: string; id?: unknown; params?: { _meta?: Bag } };
    if (verb !== 'GET' && id === undefined) {
      return void await put(socket, 'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n');
    }
    let opened = false;
    const open = async (): Promise<void> => {
      if (opened) return;
      opened = true;
      await put(socket, 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n');
    };
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    const event = (text: string): string => `data: ${text.replaceAll('\n', ' ')}\n\n`;
    const asked: Asked = {
      method, id, token: params?._meta?.['progressToken'],
      say: async (messages) => (await open(), put(socket, chunk(messages.map(event).join('')))),
      end: async (text) => {
        if (opened) await put(socket, `${chunk(event(text))}0\r\n\r\n`);
        else {
          await put(socket, `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`);
          await put(socket, text);
        }
        return true;
      },
      trickle: async (text) => {
        await open();
        await trickle(socket, event(text), chunk);
        await put(socket, '0\r\n\r\n');
      },
      raw: async (head, part, times) => {
        await put(socket, head);
        for (let i = 0; i < times; i++) if (!await put(socket, part)) break;
        socket.destroy();
        return true;
      },
    };
    if (verb === 'GET' && !(this.#shape.web && await this.#shape.answer(asked, this, this.#by))) {
      return void await put(socket, 'HTTP/1.1 405 no\r\ncontent-length: 0\r\n\r\n');
    }
    if (message) await this.#answer(message, asked);
  }
}
