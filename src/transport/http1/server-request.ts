import { BodyReader } from '../http/server/body-reader.ts';
import { mcpFields } from '../http/server/http-request.ts';
import type { Body, HeaderFields, HttpRequest, McpFields } from '../http/server/http-request.ts';
import type { Unread } from '../http/server/unread.ts';
import { chunk, fieldLine, lastChunk, statusLine } from './head-writer.ts';
import type { RequestHead } from './request-decoder.ts';
import type { ServerConnection } from './server-connection.ts';

/** One request of a connection, and its response. */
export class Http1Request implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly mcp: McpFields;
  unread: Unread | undefined;
  exchange: number | undefined;
  onHead: HttpRequest['onHead'];
  common: HeaderFields | undefined;
  /** Whether the body is to be read, or dropped. */
  wanted = false;
  /** Whether the body was read to its end. */
  ended = false;
  /** Whether the head of the response was written. */
  begun = false;
  /** Whether the response is complete. */
  answered = false;
  readonly #connection: ServerConnection;
  readonly #head: RequestHead;
  #body: Body | undefined;
  #reader: BodyReader | undefined;
  #maxBytes = 0;
  #done: ((body: Body) => void) | undefined;
  /** Bytes of the body that were dropped. */
  #dropped = 0;
  #gone: (() => void) | undefined;
  #left = false;
  /** The head of a stream until it is written, and the callback for that moment. */
  #fields: HeaderFields | undefined;
  #lasts: (() => void) | undefined;
  /** The events written in this turn; undefined: none. */
  #batch: string | undefined;
  #persists = false;
  #chunked = false;

  constructor(connection: ServerConnection, head: RequestHead) {
    this.method = head.method;
    this.path = head.path;
    this.query = head.query;
    this.#connection = connection;
    this.#head = head;
    this.mcp = mcpFields((name) => head.fields.get(name));
    // There is no body to read.
    if (head.body === 0) this.wanted = true;
  }

  get late(): boolean {
    return this.#connection.late;
  }

  header(name: string): string | undefined {
    return this.#head.fields.get(name);
  }

  headers(): Iterable<readonly [name: string, value: unknown]> {
    return this.#head.fields;
  }

  read(maxBytes: number, done: (body: Body) => void): undefined {
    const { body, expects } = this.#head;
    if (typeof body === 'number' && body > maxBytes) return void done({ fault: 'too large' });
    if (this.ended) return void done(this.#take());
    this.#maxBytes = maxBytes;
    this.#done = done;
    this.wanted = true;
    // RFC 9110, 10.1.1: not if the body is already coming.
    if (expects && !this.#connection.hasAhead) {
      this.#connection.say('HTTP/1.1 100 Continue\r\n\r\n');
      this.#connection.flush();
    }
    this.#connection.proceed();
  }

  /** Takes octets of the body. */
  take(bytes: Uint8Array): void {
    if (this.#done === undefined) {
      this.#dropped += bytes.length;
      if (this.#dropped > this.#connection.connections.limits.maxUnwantedBytes) this.#connection.finish();
      return;
    }
    // Nearly every body comes in one piece.
    if (bytes.length === this.#head.body) {
      this.#body = bytes;
      return;
    }
    const fault = (this.#reader ??= new BodyReader(this.#maxBytes)).push(bytes);
    if (fault !== undefined) this.#give(fault);
  }

  /** The body was read to its end. */
  finish(): void {
    this.ended = true;
    if (this.#done !== undefined) this.#give(this.#take());
  }

  #take(): Body {
    return this.#body ?? this.#reader?.take() ?? '';
  }

  #give(body: Body): void {
    const done = this.#done;
    this.#done = undefined;
    this.#body = undefined;
    done?.(this.#connection.connections.bodyOf(body));
  }

  respond(status: number, body: string, fields?: HeaderFields): void {
    if (this.begun || this.#left) return;
    this.#writeHead(status, fields, this.#connection.connections.byteLength(body), body === '' ? undefined : 'application/json');
    if (this.method !== 'HEAD' && body !== '') this.#connection.say(body);
    this.#complete();
  }

  open(fields: HeaderFields, lasts: () => void): void {
    if (this.begun || this.#left) return;
    this.onHead?.(200, { ...fields, ...this.common });
    this.onHead = undefined;
    this.#fields = fields;
    this.#lasts = lasts;
    this.write('');
  }

  write(text: string): void {
    if (this.answered || this.#left) return;
    this.#batch = (this.#batch ?? '') + text;
    // The connection writes the events at the end of this turn.
    this.#connection.say('');
  }

  end(last: boolean): void {
    if (this.answered || this.#left) return;
    const fields = this.#fields;
    const text = this.#batch ?? '';
    if (fields !== undefined) {
      // A stream that ends in its first turn becomes a response of known length.
      this.#fields = undefined;
      this.#batch = undefined;
      this.#writeHead(200, last ? { ...fields, connection: 'close' } : fields, this.#connection.connections.byteLength(text), undefined);
      if (this.method !== 'HEAD') this.#connection.say(text);
    } else {
      this.flush();
      if (this.#chunked) this.#connection.say(lastChunk);
      if (last) this.#persists = false;
    }
    this.#complete();
  }

  /** Whether events wait to be written. */
  get waits(): boolean {
    return this.#batch !== undefined;
  }

  /** Passes the events of this turn to the connection. */
  flush(): void {
    const text = this.#batch;
    if (text === undefined) return;
    this.#batch = undefined;
    const fields = this.#fields;
    const lasts = this.#lasts;
    this.#fields = this.#lasts = undefined;
    if (fields) this.#writeHead(200, fields, undefined, undefined);
    if (text !== '' && this.method !== 'HEAD') {
      this.#connection.say(this.#chunked ? chunk(text, this.#connection.connections.byteLength(text)) : text);
    }
    lasts?.();
  }

  /** `length`: undefined if not known yet. */
  #writeHead(status: number, fields: HeaderFields | undefined, length: number | undefined, type: string | undefined): void {
    const { connections } = this.#connection;
    const head = this.#head;
    this.begun = true;
    // RFC 9112, 6.1: HTTP/1.0 has no chunks: the end of the connection ends the response.
    this.#chunked = length === undefined && head.minor === 1;
    this.#persists = head.persists && (length !== undefined || this.#chunked)
      && (fields?.['connection'] ?? this.common?.['connection']) !== 'close' && !this.#holdsUp;
    let given = type === undefined || fields?.['content-type'] !== undefined ? '' : jsonType;
    for (const name in this.common) if (!framing.includes(name) && fields?.[name] === undefined) given += fieldLine(name, this.common[name] as string);
    for (const name in fields) if (!framing.includes(name)) given += fieldLine(name, fields[name] as string);
    let text = statusLine(status) + given;
    if (this.#chunked) text += 'transfer-encoding: chunked\r\n';
    // RFC 9110, 8.6: a 204 has no length, and a 304 only that of the omitted body.
    // A response to HEAD may have the length of the one to GET (RFC 9110, 9.3.2).
    else if (length !== undefined && status !== 204 && status !== 304) text += `content-length: ${(this.method === 'HEAD' && fields?.['content-length']) || length}\r\n`;
    text += this.#persists ? connections.keepAliveLines : connections.closeLines;
    if (/[^\0-\x7f]/.test(given)) this.#connection.sayLatin1(`${text}\r\n`);
    else this.#connection.say(`${text}\r\n`);
    this.onHead?.(status, {
      ...type !== undefined && { 'content-type': type }, ...length !== undefined && status !== 204 && { 'content-length': length }, ...this.common, ...fields,
    });
  }

  /** Whether the rest of the body is too long to be read and dropped, or may never come. */
  get #holdsUp(): boolean {
    if (this.ended || this.#head.body === 0) return false;
    const { body, expects } = this.#head;
    return (expects && !this.wanted) || (typeof body === 'number' && body > this.#connection.connections.limits.maxUnwantedBytes);
  }

  #complete(): void {
    this.answered = true;
    this.wanted = true;
    this.#reader?.clear();
    this.#done = undefined;
    this.#connection.answered(this.#persists);
  }

  /** The client has left, before the response was complete or before it was all sent. */
  left(): void {
    if (this.#left) return;
    this.#left = true;
    this.#batch = undefined;
    this.#reader?.clear();
    this.#done = undefined;
    this.#gone?.();
  }

  destroy(): void {
    this.#batch = undefined;
    this.#connection.destroy();
  }

  get buffered(): number {
    return this.#connection.buffered + (this.#batch?.length ?? 0);
  }

  onGone(listener: () => void): void {
    this.#gone = listener;
    if (this.#left) listener();
  }
}

/** Fields that tell where a response ends. `#writeHead` writes them itself, once. */
const framing: readonly string[] = ['connection', 'content-length', 'transfer-encoding'];

const jsonType = 'content-type: application/json\r\n';
