import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { localActions, openTab } from '../host/index.ts';
import type { PageHost, Tab } from '../host/index.ts';
import { messagesVersion } from '../messages.ts';
import { isOurUpgrade, isToken } from './guard.ts';

/** Closing codes: the page does not try again after these two. */
const [wrongToken, wrongVersion] = [4401, 4406];
/** The page took no news for too long: it opens another socket and is welcomed anew. */
const tooSlow = 4408;

export interface SocketLimits {
  /** Bytes of one message of a page. 32 MiB. */
  readonly maxMessageBytes: number;
  /** Bytes of the first one. 4 KiB. */
  readonly maxHelloBytes: number;
  /** Milliseconds until the first one. 5 seconds. */
  readonly helloMs: number;
  /** Sockets that have not said hello yet. 8. */
  readonly maxStrangers: number;
  /** Pages at once. 32. */
  readonly maxPages: number;
  /** Bytes that wait for a page that does not read. 128 MiB. */
  readonly maxWaitingBytes: number;
}

export const defaultSocketLimits: SocketLimits = {
  maxMessageBytes: 32 * 1024 * 1024, maxHelloBytes: 4_096, helloMs: 5_000, maxStrangers: 8, maxPages: 32, maxWaitingBytes: 128 * 1024 * 1024,
};

/** The one WebSocket of the page: `/socket`, for pages of this server alone, and silent until the token has come. */
export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, port: number): void;
  close(): void;
}

export function socketsOf(page: PageHost, token: string, limits: SocketLimits = defaultSocketLimits): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: limits.maxMessageBytes, perMessageDeflate: false });
  const strangers = new Set<WebSocket>();
  let pages = 0;

  function welcome(socket: WebSocket): void {
    let tab: Tab | undefined;
    strangers.add(socket);
    const timer = setTimeout(() => socket.close(wrongToken, 'no hello came'), limits.helloMs);
    const send = (text: string): void => {
      if (socket.bufferedAmount > limits.maxWaitingBytes) return socket.close(tooSlow, 'the page reads too slowly');
      if (socket.readyState === socket.OPEN) socket.send(text);
    };
    socket.on('message', (data: Buffer, binary) => {
      if (tab) {
        if (!binary) tab.receive(data.toString('utf8'));
        return;
      }
      clearTimeout(timer);
      strangers.delete(socket);
      const hello = !binary && data.length <= limits.maxHelloBytes ? readHello(data.toString('utf8')) : undefined;
      if (!isToken(hello?.['token'], token)) return socket.close(wrongToken, 'the token is missing or wrong: open the address that the terminal shows');
      if (hello?.['version'] !== messagesVersion) return socket.close(wrongVersion, 'this page is of another version: load it again');
      if (pages >= limits.maxPages) return socket.close(wrongToken, `${limits.maxPages} pages are open already`);
      pages++;
      tab = openTab(page, String(hello['tab']).slice(0, 100), send, localActions);
    });
    socket.on('close', () => {
      clearTimeout(timer);
      strangers.delete(socket);
      if (tab) pages--;
      tab?.close();
    });
    // What a page sends wrongly ends its socket, which `close` tells.
    socket.on('error', () => {});
  }

  return {
    upgrade(request, socket, head, port) {
      const ours = isOurUpgrade(request, port) && request.url === '/socket';
      if (!ours || strangers.size >= limits.maxStrangers) {
        socket.end(`HTTP/1.1 ${ours ? '503 Service Unavailable' : '403 Forbidden'}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
        return;
      }
      server.handleUpgrade(request, socket, head, welcome);
    },
    close() {
      for (const client of server.clients) client.close(1001, 'the local server has ended');
      server.close();
    },
  };
}

function readHello(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const hello = JSON.parse(text) as unknown;
    return typeof hello === 'object' && hello !== null && 'type' in hello && hello.type === 'hello' ? hello as Readonly<Record<string, unknown>> : undefined;
  } catch {
    return undefined;
  }
}
