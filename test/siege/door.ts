// How a hostile peer reaches a server: raw bytes over a socket, in lines or in HTTP requests.
import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import type { Socket } from 'node:net';

/** `http`: on `node:http`; `http1`: on HTTP/1.1 of our own. */
export type DoorKind = 'stdio' | 'port' | 'http' | 'http1' | 'fetch';

export interface Door {
  readonly kind: DoorKind;
  readonly port: number;
}

/** Whether messages are lines of one connection; else each is a POST. */
export const inLines = ({ kind }: Door): boolean => kind === 'stdio' || kind === 'port';

const PATIENCE = 4_000;

/** Resolves with `promise`, or with undefined after the patience of a hostile peer. */
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

/** Writes, and resolves once the other side has taken it: false where it does not in time, or is gone. */
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

/** One connection of a hostile peer. What it is told is kept up to 64 KiB, so that it can wait for something. */
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

  /** Reads nothing from now on. */
  deafen(): void {
    this.socket.pause();
  }

  /** Writes as fast as the other side takes it; false where it does not take it in time, or is gone. */
  write(bytes: string | Uint8Array): Promise<boolean> {
    return put(this.socket, bytes);
  }

  /** Resolves once something has been heard, the connection is closed, or patience has ended. */
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

  /** Says that it will write no more, and goes on reading. */
  half(): void {
    this.socket.end();
  }

  /** Breaks off, so that the other side hears of it at once. */
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

/** What a client says at 2026-07-28 about itself with each request, in `_meta` and in headers. */
export const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'hostile', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, roots: {} },
};

/** The headers that mirror a modern request. */
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

/** A hostile client: says messages through a door, whatever that takes. Its connections end with `leave`. */
export class Hostile {
  readonly door: Door;
  readonly #lines: Line[] = [];
  #line: Line | undefined;
  /** Of a legacy session over HTTP. */
  fields: Record<string, string> = {};

  constructor(door: Door) {
    this.door = door;
  }

  connect(): Line {
    const line = new Line(this.door.port);
    this.#lines.push(line);
    return line;
  }

  /** Shakes hands for a legacy revision. */
  async shake(revision: string, client?: object, initialized: boolean = true): Promise<void> {
    const line = await this.say(initialize(revision, client));
    await line.hears(inLines(this.door) ? '"init"' : '\r\n\r\n');
    const session = /^mcp-session-id: *(\S+)/im.exec(line.heard)?.[1];
    if (session !== undefined) this.fields = { 'mcp-session-id': session, 'mcp-protocol-version': revision };
    if (initialized) await this.say({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** Sends a text, whether it is a message or not. Over HTTP on a connection of its own. */
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

  /** Resolves once each connection has heard something, or patience has ended. */
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
