import { ByteGatherer } from '../../bounds/budget.ts';
import type { Endpoint } from '../http/server/endpoint.ts';
import type { Connections } from './connections.ts';
import type { HttpFault } from './fault.ts';
import { fieldLine, statusLine } from './head-writer.ts';
import type { MessageDecoder } from './message-decoder.ts';
import type { Pipe } from './pipe.ts';
import { requestDecoder } from './request-decoder.ts';
import type { RequestHead } from './request-decoder.ts';
import { Http1Request } from './server-request.ts';

/** Unread bytes of a response from which they are counted; fewer are not. */
const worthWatching = 16_384;

/**
 * One connection of a client. Requests are answered one after another: the next one is read when the previous response is
 * complete, and its octets wait, up to a limit. All writes of a turn of the event loop are sent together.
 */
export class ServerConnection {
  readonly pipe: Pipe;
  readonly connections: Connections;
  /** Whether it was opened after the server began to close. */
  readonly late: boolean;
  /** Whether it will be flushed at the end of this turn. */
  due = false;
  /** The tick at which it expires; 0: no limit. */
  deadline: number;
  readonly #endpoint: Endpoint;
  readonly #decoder: MessageDecoder<RequestHead>;
  #request: Http1Request | undefined;
  /** Octets that came while reading had to wait. */
  #ahead: ByteGatherer | undefined;
  #running = false;
  #paused = false;
  /** No further request is read: the last response is written, or being written. */
  #over = false;
  #closed = false;
  /** Whether this side has ended. */
  #shut = false;
  /** The unsent octets at the last check. */
  #untaken = Infinity;
  #out = '';
  /** The request whose response may still wait for its reader. */
  #watched: Http1Request | undefined;

  constructor(endpoint: Endpoint, connections: Connections, pipe: Pipe, late: boolean) {
    this.#endpoint = endpoint;
    this.connections = connections;
    this.pipe = pipe;
    this.late = late;
    this.#decoder = requestDecoder(connections.decoding);
    this.deadline = connections.after(connections.limits.headMs);
  }

  /** Whether no request is in flight, and no output waits. */
  get idle(): boolean {
    return this.#request === undefined && this.#out === '' && this.pipe.buffered === 0;
  }

  /** Whether no complete head has come yet. */
  unused = true;

  /** Takes octets. They are kept until they are read, so their buffer must not be reused. */
  push(bytes: Uint8Array): void {
    // After the last response, input is read and dropped, so that the client can read that response (RFC 9112, 9.6).
    if (this.#over) return;
    if (this.#mustWait || (this.#ahead?.length ?? 0) > 0) return this.#hold(bytes);
    this.#run(bytes);
  }

  /** The client has ended its side. If it waits for a response, it has left: that is how a request is cancelled. */
  ended(): void {
    if (this.#request?.answered === false) this.#leave();
    this.finish();
  }

  /** The connection is closed. */
  closed(): void {
    if (this.#closed) return;
    this.#closed = this.#over = true;
    this.#out = '';
    this.#decoder.clear();
    this.#ahead?.clear();
    this.#leave();
    this.read();
    this.connections.remove(this);
  }

  /** All written octets were sent. */
  read(): void {
    this.#watched?.unread?.note(this.#watched, 0);
    this.#watched = undefined;
  }

  /** The deadline has passed. */
  expire(): void {
    if (this.#over) {
      const { buffered } = this.pipe;
      if (buffered === 0 || buffered >= this.#untaken) return this.pipe.destroy();
      // The client is still reading the last response.
      this.#untaken = buffered;
      this.deadline = this.connections.after(this.connections.limits.headMs);
      return;
    }
    // The previous response is still being sent: the idle time of the client has not begun.
    if (this.#request === undefined && !this.#decoder.begun && !this.unused) {
      if (this.idle) return this.finish();
      this.#await();
      return;
    }
    // RFC 9110, 15.5.9. A client that has sent nothing gets no response.
    if (this.#request !== undefined || this.#decoder.begun) this.#refuse(408, 'the request takes too long');
    else this.pipe.destroy();
  }

  /** Ends the connection after the output. RFC 9112, 9.6: in two steps, since unread input would reset it otherwise. */
  finish(): void {
    if (this.#shut || this.#closed) return;
    this.#over = true;
    this.#ahead?.clear();
    this.deadline = this.connections.after(this.connections.limits.lingerMs);
    this.flush();
    this.#shut = true;
    this.pipe.end();
    this.#resume();
  }

  destroy(): void {
    this.#out = '';
    this.pipe.destroy();
  }

  /** Writes text, at the latest at the end of this turn. */
  say(text: string): void {
    this.#out += text;
    if (!this.due && !this.#running) this.connections.flushLater(this);
  }

  /** Writes a head with characters above U+007F, one octet each. */
  sayLatin1(text: string): void {
    this.flush();
    if (!this.#shut && !this.#closed) this.pipe.write(text, true);
  }

  /** Whether output waits. */
  get waits(): boolean {
    return this.#out !== '' || this.streams;
  }

  /** Whether stream events wait: more may come in this turn. */
  get streams(): boolean {
    return this.#request?.waits === true;
  }

  /** Writes the waiting output. */
  flush(): void {
    this.due = false;
    this.#request?.flush();
    const out = this.#out;
    if (out === '' || this.#shut || this.#closed) return;
    this.#out = '';
    this.pipe.write(out, false);
    this.#watch();
  }

  get buffered(): number {
    return this.pipe.buffered + this.#out.length;
  }

  /** The response is complete. `persists`: whether another request may follow. */
  answered(persists: boolean): void {
    const request = this.#request;
    if (request === undefined) return;
    this.#watched = request;
    if (!persists) {
      this.#request = undefined;
      return this.finish();
    }
    if (request.ended) this.#await();
    this.proceed();
  }

  /** Goes on reading: the body is wanted, or the next request may come. */
  proceed(): void {
    if (this.#running) return;
    const { length } = this.#ahead ?? { length: 0 };
    // A message without a body ends with its head: run even without octets.
    if (length > 0 || this.#request !== undefined) this.#run(this.#ahead?.take() ?? none);
    else if (this.waits && !this.due) this.connections.settle(this);
    if (!this.#mustWait) this.#resume();
  }

  /** Whether there are octets of the client that are not read yet. */
  get hasAhead(): boolean {
    return (this.#ahead?.length ?? 0) > 0;
  }

  get #mustWait(): boolean {
    return this.#request !== undefined && (this.#request.ended || !this.#request.wanted);
  }

  #run(bytes: Uint8Array): void {
    const decoder = this.#decoder;
    let at = 0;
    this.#running = true;
    while (!this.#over) {
      if (this.#mustWait) {
        if (at < bytes.length) this.#hold(bytes.subarray(at));
        break;
      }
      const begun = decoder.begun;
      const event = decoder.read(bytes, at);
      at = decoder.at;
      if (event === 'head') this.#begin(decoder.head as RequestHead);
      else if (event === 'body') this.#request?.take(decoder.body);
      else if (event === 'end') this.#end();
      else {
        if (event === 'fault') {
          const { status, message } = decoder.refused as HttpFault;
          this.#refuse(status, message);
        } else if (!begun && decoder.begun && !this.unused) this.deadline = this.connections.after(this.connections.limits.headMs);
        break;
      }
    }
    this.#running = false;
    if (this.waits && !this.due) this.connections.settle(this);
  }

  #begin(head: RequestHead): void {
    this.unused = false;
    this.deadline = head.body === 0 ? 0 : this.connections.after(this.connections.limits.bodyMs);
    this.#request = new Http1Request(this, head);
    this.#endpoint.handle(this.#request);
  }

  #end(): void {
    this.#decoder.next();
    this.deadline = 0;
    const request = this.#request as Http1Request;
    request.finish();
    if (request.answered && this.#request === request) this.#await();
  }

  /** Waits for the next request. */
  #await(): void {
    this.#request = undefined;
    // One second more than announced: a request may be on its way.
    this.deadline = this.connections.after(this.connections.limits.keepAliveMs + 1000);
  }

  #hold(bytes: Uint8Array): void {
    const ahead = this.#ahead ??= new ByteGatherer(this.connections.decoding.budget);
    if (!ahead.push(bytes)) return this.#refuse(503, 'the memory limit of the process is reached');
    if (ahead.length < this.connections.limits.maxAheadBytes || this.#paused) return;
    this.#paused = true;
    this.pipe.pause();
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.pipe.resume();
  }

  /** Sends a refusal and ends the connection. If a response has begun, the connection is broken off instead. */
  #refuse(status: number, message: string): void {
    const begun = this.#request?.begun === true;
    this.#leave();
    if (begun) return this.destroy();
    const text = `${message}\n`;
    this.#out += statusLine(status) + this.connections.dateLine + fieldLine('content-type', 'text/plain; charset=utf-8')
      + fieldLine('content-length', text.length) + fieldLine('connection', 'close') + `\r\n${text}`;
    this.finish();
  }

  /** Tells the request that the client has left. */
  #leave(): void {
    const request = this.#request ?? this.#watched;
    this.#request = undefined;
    if (request !== undefined && (!request.answered || this.buffered > 0)) request.left();
  }

  #watch(): void {
    const request = this.#request ?? this.#watched;
    const { buffered } = this.pipe;
    // An idle connection keeps nothing of its last request.
    if (buffered === 0) return this.read();
    if (request === undefined || buffered < worthWatching) return;
    this.#watched = request;
    request.unread?.note(request, buffered);
  }
}

const none = new Uint8Array(0);
