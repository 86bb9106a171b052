import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { localActions, openTab } from '../host/index.ts';
import type { PageHost, Tab } from '../host/index.ts';
import { messagesVersion, socketProtocol } from '../messages.ts';
import { isToken } from './token.ts';

/** Close codes after which the page does not reconnect. */
const [wrongToken, wrongVersion] = [4401, 4406];
/** Close code for a page that did not read its news for too long. It reconnects and gets a new welcome. */
const tooSlow = 4408;

export interface SocketLimits {
  /** Bytes of one message of a page. Default: 32 MiB. */
  readonly maxMessageBytes: number;
  /** Bytes of the first message. Default: 4 KiB. */
  readonly maxHelloBytes: number;
  /** Milliseconds until the first message. Default: 5 seconds. */
  readonly helloMs: number;
  /** Pages at the same time. Default: 32. */
  readonly maxPages: number;
  /** Queued bytes for a page that does not read. Default: 128 MiB. */
  readonly maxWaitingBytes: number;
}

export const defaultSocketLimits: SocketLimits = {
  maxMessageBytes: 32 * 1024 * 1024, maxHelloBytes: 4_096, helloMs: 5_000, maxPages: 32, maxWaitingBytes: 128 * 1024 * 1024,
};

/** Milliseconds that a rejected socket has for its closing handshake. */
const farewellMs = 1_000;

/** The WebSocket endpoint `/socket`, only for pages of this server. */
export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

/**
 * The token is sent as a subprotocol of the opening request, because a page cannot set headers there. It is checked before any state is
 * kept, so that sockets without the token cannot use up the limits.
 */
export function socketsOf(page: PageHost, token: string, limits: SocketLimits = defaultSocketLimits): Sockets {
  const settings = { perMessageDeflate: false, handleProtocols: (offered: Set<string>) => offered.has(socketProtocol) && socketProtocol };
  const server = new WebSocketServer({ ...settings, noServer: true, maxPayload: limits.maxMessageBytes });
  // A page sees nothing of a rejected request, so a wrong token is reported by a close code.
  const strangers = new WebSocketServer({ ...settings, noServer: true, maxPayload: 125 });
  let pages = 0;

  function welcome(socket: WebSocket): void {
    // After a protocol error of the page the socket closes, and the `close` handler runs.
    socket.on('error', () => {});
    if (pages >= limits.maxPages) return sendAway(socket, wrongToken, `${limits.maxPages} pages are open already`);
    pages++;
    let tab: Tab | undefined;
    const timer = setTimeout(() => sendAway(socket, wrongVersion, 'no hello came'), limits.helloMs);
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
      if (socket.readyState !== socket.OPEN) return;
      const hello = !binary && data.length <= limits.maxHelloBytes ? readHello(data.toString('utf8')) : undefined;
      if (hello?.['version'] !== messagesVersion) return sendAway(socket, wrongVersion, 'this page is of another version: load it again');
      tab = openTab(page, String(hello['tab']).slice(0, 100), send, localActions);
    });
    socket.on('close', () => {
      clearTimeout(timer);
      pages--;
      tab?.close();
    });
  }

  return {
    upgrade(request, socket, head) {
      const { headers: { origin, 'sec-websocket-protocol': offered = '' }, url } = request;
      // A page always sends `Origin`, which the guard has checked; a request without it does not come from a page.
      if (url !== '/socket' || origin === undefined) {
        return void socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      }
      const [name, given] = offered.split(',').map((word) => word.trim());
      if (name === socketProtocol && isToken(given, token)) server.handleUpgrade(request, socket, head, welcome);
      else {
        strangers.handleUpgrade(request, socket, head, (stranger) => {
          stranger.on('error', () => {});
          sendAway(stranger, wrongToken, 'the token is missing or wrong: open the address that the terminal shows');
        });
      }
    },
    close() {
      for (const client of server.clients) client.close(1001, 'the local server has ended');
      for (const client of strangers.clients) client.terminate();
      server.close();
      strangers.close();
    },
  };
}

/** Closes a socket, and terminates it if the closing handshake does not complete. */
function sendAway(socket: WebSocket, code: number, why: string): void {
  socket.close(code, why);
  const late = setTimeout(() => socket.terminate(), farewellMs);
  socket.once('close', () => clearTimeout(late));
}

function readHello(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const hello = JSON.parse(text) as unknown;
    return typeof hello === 'object' && hello !== null && 'type' in hello && hello.type === 'hello' ? hello as Readonly<Record<string, unknown>> : undefined;
  } catch {
    return undefined;
  }
}
