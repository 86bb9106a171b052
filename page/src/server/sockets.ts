import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { localActions, openTab } from '../host/index.ts';
import type { PageHost, Tab } from '../host/index.ts';
import { messagesVersion, socketProtocol } from '../messages.ts';
import { isToken } from './token.ts';

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
  /** Pages at once. 32. */
  readonly maxPages: number;
  /** Bytes that wait for a page that does not read. 128 MiB. */
  readonly maxWaitingBytes: number;
}

export const defaultSocketLimits: SocketLimits = {
  maxMessageBytes: 32 * 1024 * 1024, maxHelloBytes: 4_096, helloMs: 5_000, maxPages: 32, maxWaitingBytes: 128 * 1024 * 1024,
};

/** Milliseconds in which a socket that is sent away may answer its closing. */
const farewellMs = 1_000;

/** The one WebSocket of the page: `/socket`, for pages of this server only. */
export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

/**
 * The token comes with the request that opens the socket, as a subprotocol (a page can set no header): who has it is judged
 * before anything is kept, so no number of sockets without it is in the way of the owner.
 */
export function socketsOf(page: PageHost, token: string, limits: SocketLimits = defaultSocketLimits): Sockets {
  const settings = { perMessageDeflate: false, handleProtocols: (offered: Set<string>) => offered.has(socketProtocol) && socketProtocol };
  const server = new WebSocketServer({ ...settings, noServer: true, maxPayload: limits.maxMessageBytes });
  // A page learns from a closing code only why it is not let in: of a refused request it sees nothing.
  const strangers = new WebSocketServer({ ...settings, noServer: true, maxPayload: 125 });
  let pages = 0;

  function welcome(socket: WebSocket): void {
    // What a page sends wrongly ends its socket, which `close` tells.
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
      // A page always names its origin, which the guard has judged; a program that knows the token could read it anywhere.
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

/** Closes a socket, and breaks it off where its closing is not answered. */
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
