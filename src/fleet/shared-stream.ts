import { failureText, internalError, isObject, toErrorObject } from '../jsonrpc/internal-exports.ts';
import type { RequestId } from '../jsonrpc/index.ts';
import type { AnswerStream, Attachment, EndpointServices, HttpRequest, Session } from '../transport/internal-exports.ts';
import { StreamConnection } from './carrier.ts';
import type { StreamCarrier } from './carrier.ts';
import type { KeptStream } from './engine.ts';
import type { StreamHead } from './messages.ts';
import type { StoringProcess } from './process.ts';

/** The options of `SharedStream`. */
export interface SharedStreamOptions {
  readonly self: StoringProcess;
  readonly services: EndpointServices;
  readonly session: Session;
  readonly id: string;
  /** The request that the stream answers; undefined for a batch, and for a GET. */
  readonly request: RequestId | undefined;
  /** Called once, when the stream is over and all its events are stored. */
  readonly over: (stream: SharedStream) => void;
}

/**
 * A stream whose events any process can replay. This process writes it; the client's connection may be here or in
 * another process. An event goes out after the store has it.
 */
export class SharedStream implements AnswerStream {
  readonly id: string;
  readonly session: Session;
  /** The number of the last stored event. */
  kept = 0;
  /** An event could not be stored. Later events are not stored either, and no client can resume. */
  broken = false;
  /** The session has ended, and the store has dropped its streams: nothing more is stored. */
  forgotten = false;
  readonly #options: SharedStreamOptions;
  readonly #head: string;
  readonly #queue: string[] = [];
  #waiting = 0;
  #last = '';
  #carrier: StreamCarrier | undefined;
  #flushing = false;
  #storing = false;
  #known = false;
  #over = false;
  #ended = false;
  #detaching = false;

  constructor(options: SharedStreamOptions) {
    const { self, session, id, request } = this.#options = options;
    this.id = id;
    this.session = session;
    const head: StreamHead = { owner: self.name, request };
    this.#head = JSON.stringify(head);
  }

  get carrier(): StreamCarrier | undefined {
    return this.#carrier;
  }

  /** False while too much data waits for the store or the client. A client that is away will resume: no data waits for it. */
  get room(): boolean {
    return this.#waiting <= this.#options.services.limits.maxBufferedBytes / 2 && (this.#carrier?.room ?? true);
  }

  /** Sends the stream in the response to this request, from its beginning. */
  attach(request: HttpRequest, { fields }: Attachment = {}): void {
    const { services, session, self: { streams } } = this.#options;
    const connection: StreamConnection = new StreamConnection({
      services, streams, session, request, fields, listening: false, stream: this.id, written: 0, primed: false,
      ended: () => this.release(connection),
    });
    this.#carrier = connection;
  }

  /** Replaces the carrier, and ends the previous one. */
  take(carrier: StreamCarrier): void {
    const before = this.#carrier;
    this.#carrier = carrier;
    before?.end();
  }

  /** Called when the carrier has ended by itself. */
  release(carrier: StreamCarrier): void {
    if (this.#carrier === carrier) this.#carrier = undefined;
  }

  write(text: string): void {
    if (this.#over) return;
    this.#queue.push(text);
    this.#waiting += text.length;
    if (this.#flushing) return;
    this.#flushing = true;
    // An answer and the end of its stream reach the store together: a process cannot die between the two.
    void Promise.resolve().then(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  /** Ends the connection, not the stream: the client will come back. */
  detach(): void {
    this.#detaching = true;
    this.#flush();
  }

  /** Ends the stream. */
  finish(): void {
    if (this.#over) return;
    const { session, request } = this.#options;
    // A client that cancelled expects no answer. A client whose session was closed still waits for one.
    if (session.ended && request !== undefined && !answers(this.#queue.at(-1) ?? this.#last, request)) {
      const error = toErrorObject(internalError('The process that served this request closed before it answered'));
      this.#queue.push(failureText(request, error));
    }
    this.#over = true;
    this.#flush();
  }

  #flush(): void {
    if (this.#storing || this.#ended) return;
    const texts = this.#queue.splice(0);
    this.#waiting = 0;
    const over = this.#over;
    // A client that is told to come back must find the stream in the store.
    if (texts.length === 0 && !over && (this.#known || !this.#detaching)) return this.#detach();
    this.#last = texts.at(-1) ?? this.#last;
    const { self, session, services } = this.#options;
    if (this.broken || this.forgotten) return this.#kept(texts, over);
    let stored: void | Promise<void>;
    try {
      stored = self.streams.append({
        session: session.id, stream: this.id, head: this.#head, first: this.kept + 1, texts, over,
        ttlMs: services.limits.sessionIdleMs,
      });
    } catch (thrown) {
      return this.#failed(thrown, texts, over);
    }
    if (stored === undefined) return this.#kept(texts, over);
    this.#storing = true;
    self.awaited(stored.then(() => {
      this.#storing = false;
      this.#kept(texts, over);
    }, (thrown: unknown) => {
      this.#storing = false;
      this.#failed(thrown, texts, over);
    }));
  }

  #failed(thrown: unknown, texts: readonly string[], over: boolean): void {
    this.#options.services.report(thrown);
    this.broken = true;
    this.#kept(texts, over);
  }

  #kept(texts: readonly string[], over: boolean): void {
    this.#known = true;
    const first = this.kept + 1;
    this.kept += texts.length;
    if (texts.length > 0 || over || this.#detaching) this.#carrier?.deliver(first, texts, over, this.broken);
    if (over) {
      this.#ended = true;
      return this.#options.over(this);
    }
    this.#flush();
  }

  #detach(): void {
    if (!this.#detaching) return;
    this.#detaching = false;
    // If the stream is broken, the client could not resume: its connection stays.
    if (!this.broken) this.#carrier?.end();
  }
}

/** Reads the stored description of a stream. */
export const headOf = ({ head }: KeptStream): StreamHead => JSON.parse(head) as StreamHead;

/** The id of the request in `text`; undefined for a notification or an answer. */
export function questionIn(text: string): RequestId | undefined {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || typeof value['method'] !== 'string') return undefined;
  const { id } = value;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/** Whether `text` is the answer to this request. */
export function answers(text: string, request: RequestId): boolean {
  if (text === '') return false;
  const value: unknown = JSON.parse(text);
  return isObject(value) && value['id'] === request && !('method' in value);
}

/** Called when the connection of the stream has ended: the stream goes on without one. */
export function release(stream: SharedStream): void {
  const { carrier } = stream;
  if (carrier instanceof StreamConnection && carrier.closed) stream.release(carrier);
}

/** Makes the connection carry this stream, after the last event that the connection has written. */
export function goOn(stream: SharedStream, connection: StreamConnection): void {
  stream.take(connection);
  if (stream.kept > connection.written) connection.recover();
}
