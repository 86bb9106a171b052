// A hostile peer's access to a server: raw bytes on a socket, as lines or as HTTP requests.
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import type { Socket } from 'node:net';

/** `http`: on `node:http`; `http1`: on barewire's own HTTP/1.1. */
export type DoorKind = 'stdio' | 'port' | 'http' | 'http1' | 'fetch';

export interface Door {
  readonly kind: DoorKind;
  readonly port: number;
}

/** True if messages are lines on one connection; otherwise each is a POST. */
export const inLines = ({ kind }: Door): boolean => kind === 'stdio' || kind === 'port';

const PATIENCE = 4_000;

/** Resolves with the value of `promise`, or with undefined after `ms` or if it rejects. */
export async function patiently<T>(promise: Promise<T>, ms: number = PATIENCE): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Writes bytes; resolves with true when the other side has accepted them, and with false on a timeout or if it has gone. */
export async function put(socket: Socket, bytes: string | Uint8Array, ms: number = PATIENCE): Promise<boolean> {
  if (socket.destroyed) return false;
  if (socket.write(bytes)) return true;
  let taken = (): void => {};
  let gone = (): void => {};
  const drained = new Promise<boolean>((resolve) => {
    taken = () => resolve(true);
    gone = () => resolve(false);
    socket.once('drain', taken).once('close', gone);
  });
  const done = await patiently(drained, ms) ?? false;
  socket.off('drain', taken).off('close', gone);
  return done;
}

/** One connection of a hostile peer. It keeps up to 64 KiB of received text, so that a shape can wait for a text. */
export class Line {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  heard: string = '';
  #wake: () => void = () => {};

  constructor(port: number) {
    this.socket = connectSocket({ port, host: '127.0.0.1' });
    this.closed = once(this.socket, 'close').catch(() => {});
    this.socket.on('error', () => {}).on('close', () => this.#wake()).on('data', (chunk) => {
      this.heard = (this.heard + chunk.toString('latin1')).slice(-65_536);
      this.#wake();
    });
  }

  /** Stops reading. */
  deafen(): void {
    this.socket.pause();
  }

  /** Writes as fast as the other side reads; false on a timeout or if it has gone. */
  write(bytes: string | Uint8Array): Promise<boolean> {
    return put(this.socket, bytes);
  }

  /** Resolves with true when the text has been received, and with false if the connection is closed or time runs out. */
  async hears(text: string): Promise<boolean> {
    const heard = (async () => {
      while (!this.heard.includes(text)) {
        if (this.socket.destroyed) return false;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
      return true;
    })();
    return await patiently(heard) ?? false;
  }

  /** Half-closes: writes no more, and keeps reading. */
  half(): void {
    this.socket.end();
  }

  /** Resets the connection, which the other side notices at once. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  leave(): void {
    this.socket.destroy();
  }
}

/** The head of a POST with `length` bytes. */
export function post(length: number | 'chunked', fields: Readonly<Record<string, string>> = {}): string {
  const all = {
    host: '127.0.0.1',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...(length === 'chunked' ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) }),
    ...fields,
  };
  return `POST /mcp HTTP/1.1\r\n${Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** The client's metadata in each request of 2026-07-28, for `_meta` and headers. */
export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'hostile', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, roots: {} },
};

/** The headers that repeat members of a modern request. */
export function mirrored(message: { method?: unknown; params?: Record<string, unknown> }): Record<string, string> {
  const { method, params } = message;
  if (params?.['_meta'] === undefined) return {};
  const name = params['name'] ?? params['uri'];
  return {
    'mcp-protocol-version': '2026-07-28', 'mcp-method': String(method), ...(name === undefined ? {} : { 'mcp-name': String(name) }),
  };
}

export const initialize = (revision: string, client: object = { name: 'hostile', version: '1' }): object => ({
  jsonrpc: '2.0', id: 'init', method: 'initialize',
  params: { protocolVersion: revision, capabilities: { elicitation: {}, roots: {} }, clientInfo: client },
});

/** A hostile client that sends messages through any door. `leave` closes its connections. */
export class Hostile {
  readonly door: Door;
  readonly #lines: Line[] = [];
  #line: Line | undefined;
  /** Headers of a legacy session over HTTP. */
  fields: Record<string, string> = {};

  constructor(door: Door) {
    this.door = door;
  }

  connect(): Line {
    const line = new Line(this.door.port);
    this.#lines.push(line);
    return line;
  }

  /** Makes the handshake of a legacy revision. */
  async shake(revision: string, client?: object, initialized: boolean = true): Promise<void> {
    const line = await this.say(initialize(revision, client));
    await line.hears(inLines(this.door) ? '"init"' : '\r\n\r\n');
    const session = /^mcp-session-id: *(\S+)/im.exec(line.heard)?.[1];
    if (session !== undefined) this.fields = { 'mcp-session-id': session, 'mcp-protocol-version': revision };
    if (initialized) await this.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** Sends a text, valid message or not. Over HTTP on a separate connection. */
  say(message: object | string, fields: Record<string, string> = {}): Promise<Line> {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    const mirror = typeof message === 'string' ? {} : mirrored(message);
    return this.sayBytes(Buffer.from(text), { ...mirror, ...fields });
  }

  async sayBytes(bytes: Uint8Array, fields: Record<string, string> = {}): Promise<Line> {
    if (inLines(this.door)) {
      const line = this.#line ??= this.connect();
      await line.write(bytes);
      await line.write('\n');
      return line;
    }
    const line = this.connect();
    await line.write(post(bytes.length, { ...this.fields, ...fields }));
    await line.write(bytes);
    return line;
  }

  deafen(): void {
    for (const line of this.#lines) line.deafen();
  }

  /** Resolves when each connection has received something, or after a timeout. */
  async settle(): Promise<void> {
    if (this.#line) {
      await this.#line.write('{"jsonrpc":"2.0","id":"settled","method":"ping"}\n');
      await this.#line.hears('"settled"');
    } else await Promise.all(this.#lines.slice(-50).map((line) => line.hears('\r\n\r\n')));
  }

  leave(): void {
    for (const line of this.#lines) line.leave();
    this.#lines.length = 0;
    this.#line = undefined;
  }
}
