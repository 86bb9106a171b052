import type { Socket } from 'node:net';
import { framingFields } from '../../http/client/sender.ts';
import type { HttpAnswer, HttpSend } from '../../http/client/sender.ts';
import { inflaterOf } from '../../http/node/content-encoding.ts';
import { fieldLine, requestLine } from '../head-writer.ts';
import type { MessageDecoder } from '../message-decoder.ts';
import { responseDecoder } from '../response-decoder.ts';
import type { ResponseHead } from '../response-decoder.ts';
import { nodeLatin1 } from './latin1.ts';

/** The callbacks of a connection to its pool. */
export interface PoolEvents {
  /** The response is complete, and the connection can be reused. Returns whether the pool keeps it. */
  free(): boolean;
  gone(): void;
}

/** Maximum interim responses before the final one. RFC 9110, 15.2. */
const maxInterim = 16;

/** The server closes idle connections too. A connection is not used again within this time before that. */
const marginMs = 1000;

/** One request and its response. The response may still be in use when the connection serves another exchange. */
interface HttpExchange {
  ended: boolean;
  fault: Error | undefined;
}

type OnChunk = (chunk: Uint8Array) => Promise<void> | void;

/** One connection to a server: it serves one request at a time. */
export class ClientConnection {
  readonly #socket: Socket;
  readonly #events: PoolEvents;
  readonly #decoder: MessageDecoder<ResponseHead>;
  #idleMs: number;
  #method = 'GET';
  /** The caller that waits for the head of the response. */
  #head: { resolve(answer: HttpAnswer): void; reject(error: Error): void } | undefined;
  /** The reader of the body. */
  #body: { readonly onChunk: OnChunk; resolve(): void; reject(error: Error): void } | undefined;
  /** Called once when the exchange is over. */
  #over: (() => void) | undefined;
  #exchange: HttpExchange = { ended: true, fault: undefined };
  /** Octets that are not read yet. */
  #rest: Uint8Array[] = [];
  #held = false;
  #interim = 0;

  constructor(socket: Socket, idleMs: number, events: PoolEvents) {
    this.#socket = socket;
    this.#idleMs = idleMs;
    this.#events = events;
    this.#decoder = responseDecoder(() => this.#method, { latin1: nodeLatin1 });
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('end', () => this.#serverEnded());
    socket.on('close', () => {
      this.#fail(Object.assign(new Error('socket hang up: the connection was closed before the answer was complete'), { code: 'ECONNRESET' }));
      events.gone();
    });
    // Only an idle connection has a timeout.
    socket.on('timeout', () => socket.destroy());
  }

  get usable(): boolean {
    return this.#exchange.ended && !this.#socket.destroyed && this.#socket.writable && !this.#socket.readableEnded;
  }

  /** Closes the connection. */
  end(): void {
    this.#socket.destroy();
  }

  /** Sends a request. `over` is called once when its response has ended or failed, unless this rejects. */
  ask(request: HttpSend, over: () => void): Promise<HttpAnswer> {
    const { method, url, body, cancellation, headers } = request;
    let head = requestLine(method, url.pathname + url.search) + fieldLine('host', url.host);
    if (headers['accept-encoding'] === undefined) head += 'accept-encoding: identity\r\n';
    for (const name in headers) if (!framingFields.includes(name)) head += fieldLine(name, headers[name] as string);
    if (body !== undefined) head += `content-length: ${Buffer.byteLength(body)}\r\n`;
    const socket = this.#socket;
    this.#method = method;
    const exchange = this.#exchange = { ended: false, fault: undefined };
    this.#interim = 0;
    socket.setTimeout(0);
    socket.ref();
    return new Promise((resolve, reject) => {
      this.#head = {
        resolve: (answer) => {
          this.#over = over;
          resolve(answer);
        },
        reject,
      };
      cancellation.onCancel = () => {
        if (!exchange.ended) this.#cancel(new Error('the request was cancelled'));
      };
      if (/[^\0-\x7f]/.test(head)) {
        socket.write(`${head}\r\n`, 'latin1');
        if (body) socket.write(body);
      } else socket.write(`${head}\r\n${body ?? ''}`);
    });
  }

  #cancel(error: Error): void {
    this.#fail(error);
    this.#socket.destroy();
  }

  #take(chunk: Uint8Array): void {
    // RFC 9112, 9.2: octets without a request. They belong to no response.
    if (this.#exchange.ended) return void this.#socket.destroy();
    this.#rest.push(chunk);
    if (this.#held) this.#socket.pause();
    else this.#run();
  }

  #run(): void {
    this.#held = false;
    for (let chunk = this.#rest.shift(); chunk && !this.#exchange.ended; chunk = this.#rest.shift()) {
      let at = 0;
      for (let event = this.#decoder.read(chunk, at); event !== 'more'; event = this.#decoder.read(chunk, at)) {
        at = this.#decoder.at;
        if (event === 'fault') return this.#cancel(new Error(`the answer is malformed: ${this.#decoder.refused?.message}`));
        if (event === 'end') {
          if (this.#end(at < chunk.length || this.#rest.length > 0)) break;
          continue;
        }
        let held: Promise<void> | void = undefined;
        if (event === 'head') {
          if (!this.#begin() || this.#decoder.head?.body === 0) continue;
        } else held = this.#body?.onChunk(this.#decoder.body);
        if (this.#body === undefined || held) {
          this.#held = true;
          this.#rest.unshift(chunk.subarray(at));
          if (held) {
            this.#socket.pause();
            void held.then(() => this.#resume(), (error: unknown) => this.#cancel(error instanceof Error ? error : new Error(String(error))));
          }
          return;
        }
        if (this.#exchange.ended) break;
      }
    }
  }

  #resume(): void {
    if (this.#exchange.ended) return;
    this.#run();
    if (!this.#held) this.#socket.resume();
  }

  /** Handles the head of a response. Returns false if it is interim. */
  #begin(): boolean {
    const { status, fields } = this.#decoder.head as ResponseHead;
    if (status < 200) {
      if (++this.#interim > maxInterim) this.#cancel(new Error('the server sends too many interim responses'));
      return false;
    }
    const [, seconds] = /(?:^|[\s,])timeout=(\d{1,9})/i.exec(fields.get('keep-alive') ?? '') ?? [];
    if (seconds !== undefined) this.#idleMs = Math.min(this.#idleMs, Number(seconds) * 1000 - marginMs);
    const exchange = this.#exchange;
    const encoding = fields.get('content-encoding')?.toLowerCase();
    this.#head?.resolve({
      status,
      header: (name) => fields.get(name),
      fields: () => fields,
      read: (onChunk) => (encoding === undefined || encoding === 'identity' ? this.#read(exchange, onChunk) : this.#inflate(exchange, encoding, onChunk)),
      cancel: () => {
        if (!exchange.ended) this.#cancel(new Error('the rest of the answer is not wanted'));
      },
    });
    this.#head = undefined;
    return true;
  }

  /** Handles the end of a response. Returns whether it was the final one. */
  #end(more: boolean): boolean {
    const { status, persists } = this.#decoder.head as ResponseHead;
    this.#decoder.next();
    if (status < 200) return false;
    this.#exchange.ended = true;
    const body = this.#body;
    this.#body = undefined;
    this.#rest = [];
    // Further octets would belong to no request.
    if (!persists || more || this.#idleMs <= 0 || !this.#events.free()) this.#socket.destroy();
    else {
      this.#socket.setTimeout(this.#idleMs);
      this.#socket.unref();
      this.#socket.resume();
    }
    this.#settle();
    body?.resolve();
    return true;
  }

  #serverEnded(): void {
    if (this.#exchange.ended) return void this.#socket.destroy();
    // First read the octets that have come.
    if (this.#held) return;
    if (this.#decoder.ended() === 'end') this.#end(false);
    else this.#socket.destroy();
  }

  #settle(): void {
    const over = this.#over;
    this.#over = undefined;
    over?.();
  }

  #fail(error: Error): void {
    const exchange = this.#exchange;
    if (exchange.ended) return;
    exchange.ended = true;
    exchange.fault = error;
    const head = this.#head;
    const body = this.#body;
    this.#head = this.#body = undefined;
    this.#rest = [];
    this.#settle();
    head?.reject(error);
    body?.reject(error);
  }

  #read(exchange: HttpExchange, onChunk: OnChunk): Promise<void> {
    if (exchange.fault) return Promise.reject(exchange.fault);
    if (exchange.ended) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#body = { onChunk, resolve, reject };
      this.#resume();
      if (this.#socket.readableEnded && !this.#held) this.#serverEnded();
    });
  }

  /** Reads a compressed body. `onChunk` counts the decompressed bytes, and stops in time. */
  async #inflate(exchange: HttpExchange, encoding: string, onChunk: OnChunk): Promise<void> {
    const body = await inflaterOf(encoding, { destroy: () => this.#cancel(new Error('not wanted')) });
    const out = (async () => {
      for await (const chunk of body) await onChunk(chunk as Uint8Array);
    })();
    out.catch((error: unknown) => this.#cancel(error instanceof Error ? error : new Error(String(error))));
    try {
      await this.#read(exchange, (chunk) => (body.write(chunk) ? undefined : new Promise((resolve) => void body.once('drain', resolve))));
      body.end();
    } catch (error) {
      body.destroy(error instanceof Error ? error : undefined);
    }
    await out;
  }
}
