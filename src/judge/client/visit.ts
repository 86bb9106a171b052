import type { Clock } from '../../bounds/clock.ts';
import { isObject } from '../../jsonrpc/internal-exports.ts';
import type { RequestId } from '../../jsonrpc/index.ts';
import { capabilitiesKey, versionKey } from '../../protocol/internal-exports.ts';
import type { Revision } from '../../protocol/index.ts';
import type { Ledger } from '../ledger.ts';
import type { WireEntry, Evidence } from '../verdict.ts';
import { harmless } from './headers.ts';
import type { ClientEvents, ClientWay, HiddenRequest, HiddenStream, JudgedClient, Leaving, StartedClient, StartOptions } from './port.ts';

export type SeenMembers = Readonly<Record<string, unknown>>;

/** One message of the client. */
export interface Received {
  readonly text: string;
  /** One item of a batch, or the whole message; undefined if it is not JSON. */
  readonly json: unknown;
  readonly method: string | undefined;
  readonly id: unknown;
  readonly params: SeenMembers;
  readonly batch: boolean;
  /** Its index among all messages of the visit. */
  readonly place: number;
  /** The HTTP request that carried it. */
  readonly http: HiddenRequest | undefined;
  /** Whether the hidden server has answered it. Over HTTP its stream may be open before. */
  answered: boolean;
  stream: HiddenStream | undefined;
}

/** Options of a visit. */
export interface VisitOptions {
  readonly number: number;
  readonly way: ClientWay;
  readonly revision: Revision;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly seed: number;
  /** Milliseconds to wait for an expected message. */
  readonly answerMs: number;
  /** Called with each message before the scene. */
  readonly watch: (visit: Visit, message: Received) => void;
  readonly watchHttp: (visit: Visit, request: HiddenRequest) => void;
  readonly serve: (visit: Visit, message: Received) => void;
  readonly serveHttp: (visit: Visit, request: HiddenRequest) => boolean;
}

/** A request of the hidden server. */
interface AskedOfClient {
  readonly method: string;
  readonly text: string;
  answer(received: Received | undefined): void;
}

const maxMessages = 5_000;
const maxEntries = 400;
const maxBatch = 200;

/** One run of the program against one hidden server, which sends only the messages of its scene. */
export class Visit {
  readonly number: number;
  readonly way: ClientWay;
  readonly revision: Revision;
  readonly entries: WireEntry[] = [];
  readonly messages: Received[] = [];
  readonly requests: HiddenRequest[] = [];
  readonly asked: Map<RequestId, AskedOfClient> = new Map();
  /** Ids of unanswered requests of the hidden server. */
  readonly waiting: Set<RequestId> = new Set();
  /** Ids that the hidden server has cancelled, even of requests that it never sent. A response with such an id answers no request. */
  readonly cancelled: Set<unknown> = new Set();
  /** Ids of responses that are not judged, because the requests were malformed on purpose. */
  readonly unjudged: Set<unknown> = new Set();
  /** Lines of the client that are not JSON, but may become JSON with the next line. */
  readonly loose: Received[] = [];
  /** Whether the hidden server has answered `initialize`. */
  agreed = false;
  /** The capabilities that the hidden server has declared. */
  offered: SeenMembers = {};
  /** The capabilities that the client has declared: in the handshake, or in its last request. */
  declared: SeenMembers = {};
  /** Over HTTP: the session id from the hidden server. */
  session: string | undefined;
  /** How the client has ended its server over a pipe, in order. */
  readonly leavings: Leaving[] = [];
  /** How the program ended; undefined while it runs. */
  ended: string | undefined;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly seed: number;
  readonly #how: VisitOptions;
  readonly #expecting = new Set<() => void>();
  /** The open stream of HTTP+SSE. */
  #stream: readonly [HiddenStream, HiddenRequest] | undefined;
  #program: StartedClient | undefined;
  #lastSent: string | undefined;
  #ids = 0;

  constructor(how: VisitOptions) {
    this.#how = how;
    this.number = how.number;
    this.way = how.way;
    this.revision = how.revision;
    this.clock = how.clock;
    this.ledger = how.ledger;
    this.seed = how.seed;
  }

  get modern(): boolean {
    return this.revision.era === 'modern';
  }

  async start(client: JudgedClient, options: StartOptions): Promise<void> {
    const events: ClientEvents = {
      line: (text) => this.#take(text, undefined),
      unreadable: (why) => this.check('base-60', false, 'text in UTF-8', why),
      left: (how) => {
        this.leavings.push(how);
        this.#wake();
      },
      request: (request) => this.#request(request),
    };
    const program = await client.start(this.way, events, options);
    this.#program = program;
    void program.ended.then((how) => {
      this.ended = how;
      this.#wake();
    });
  }

  get url(): string | undefined {
    return this.#program?.url;
  }

  stop(): Promise<void> {
    return this.#program?.stop() ?? Promise.resolve();
  }

  /** The index of the last `initialize`, else 0. A new handshake begins a new session, in which ids may be used again. */
  sessionStart(): number {
    return Math.max(0, this.messages.findLastIndex(({ method }) => method === 'initialize'));
  }

  /** Reports rules as kept or broken. `came`: a message, an HTTP request, or a description of the event. */
  check(ids: string | readonly string[], kept: boolean, expected: string, came: Received | HiddenRequest | string, sent?: string): void {
    for (const id of typeof ids === 'string' ? [ids] : ids) {
      if (kept) this.ledger.kept(id, this.revision.version);
      else this.ledger.broken(id, this.#evidence(expected, came, sent));
    }
  }

  /** Reports a rule of another revision: a client of both eras must keep some rules of one era with a server of the other. */
  checkIn(version: string, id: string, kept: boolean, expected: string, came: Received | HiddenRequest | string): void {
    if (kept) this.ledger.kept(id, version);
    else this.ledger.broken(id, { ...this.#evidence(expected, came), revision: version });
  }

  dispute(id: string, expected: string, came: Received | HiddenRequest | string, sent?: string): void {
    this.ledger.dispute(id, this.#evidence(expected, came, sent));
  }

  /** Sends a result or an error for a request. Over HTTP it is the body, or the last event of the open stream. */
  reply(to: Received, answer: SeenMembers, about: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {}): void {
    if (to.answered) return;
    to.answered = true;
    const text = JSON.stringify({ jsonrpc: '2.0', id: to.id, ...answer });
    if (!to.http) this.#write(text);
    else if (to.stream) {
      this.event(to.stream, text, to.http);
      to.stream.end();
    } else this.respond(to.http, about.status ?? 200, { 'content-type': 'application/json', ...about.headers }, text);
  }

  /** Opens the stream that will answer a request. Returns undefined over a pipe. */
  open(to: Received, headers: Readonly<Record<string, string>> = {}): HiddenStream | undefined {
    if (!to.http) return undefined;
    return to.stream ??= this.stream(to.http, headers);
  }

  stream(request: HiddenRequest, headers: Readonly<Record<string, string>> = {}): HiddenStream {
    const whole = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers };
    this.#head(request, 200, whole);
    return request.stream(whole);
  }

  /** From here on the hidden server sends everything on this stream, as in HTTP+SSE. */
  over(stream: HiddenStream, request: HiddenRequest): void {
    this.#stream = [stream, request];
  }

  /** Takes a message that was posted to an endpoint of HTTP+SSE. */
  posted(text: string): void {
    this.#take(text, undefined);
  }

  /** Sends one message as an event. */
  event(stream: HiddenStream, text: string, request: HiddenRequest, id?: string): void {
    this.#sent(text, request.number);
    stream.write(`${id === undefined ? '' : `id: ${id}\n`}event: message\n${text.split('\n').map((line) => `data: ${line}\n`).join('')}\n`);
  }

  respond(request: HiddenRequest, status: number, headers: Readonly<Record<string, string>> = {}, body: string = ''): void {
    this.#head(request, status, headers);
    if (body !== '') this.#sent(body, request.number);
    request.respond(status, headers, body);
  }

  /** Sends a notification, or text unchanged. Over HTTP it uses or opens the stream of message `on`. */
  say(message: SeenMembers | string, on: Received | undefined): void {
    const text = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
    if (!on?.http) this.#write(text);
    else {
      const stream = this.open(on);
      if (stream) this.event(stream, text, on.http);
    }
  }

  /** Sends a message unchanged. Bytes that are not UTF-8 need a pipe. Returns the text for a report. */
  sayData(data: string | Uint8Array, on: Received | undefined): string {
    if (typeof data === 'string') {
      this.say(data, on);
      return data;
    }
    const shown = new TextDecoder().decode(data);
    this.#sent(shown);
    this.#program?.writeBytes?.(data);
    this.#program?.write('\n');
    return shown;
  }

  /** Sends a request to the client. Resolves with its response; with undefined if none comes in time. */
  ask(method: string, params: SeenMembers | undefined, on: Received | undefined): Promise<Received | undefined> {
    const id = `hidden-${++this.#ids}`;
    return this.askText(JSON.stringify({ jsonrpc: '2.0', id, method, ...params && { params } }), id, method, on);
  }

  /** Sends this text, which holds a request with that id. */
  askText(text: string, id: RequestId, method: string, on: Received | undefined): Promise<Received | undefined> {
    const answer = this.expect(id, method, text);
    this.say(text, on);
    return answer;
  }

  /** Waits for the answer to a request that was sent in other text. */
  expect(id: RequestId, method: string, text: string): Promise<Received | undefined> {
    return new Promise((resolve) => {
      const end = (received: Received | undefined): void => {
        timer?.stop();
        this.waiting.delete(id);
        resolve(received);
      };
      const timer = this.clock.after(this.#how.answerMs, () => end(undefined));
      this.waiting.add(id);
      this.asked.set(id, { method, text, answer: end });
    });
  }

  /** The hidden server's request with this id. */
  question(id: unknown): { readonly method: string; readonly text: string } | undefined {
    return typeof id === 'string' || typeof id === 'number' ? this.asked.get(id) : undefined;
  }

  /** Resolves once `fits` holds, the program has ended, or `ms` have passed; with whether it holds. */
  until(fits: () => boolean, ms: number): Promise<boolean> {
    if (fits() || this.ended !== undefined) return Promise.resolve(fits());
    return new Promise((resolve) => {
      const end = (): void => {
        timer?.stop();
        this.#expecting.delete(look);
        resolve(fits());
      };
      const look = (): void => {
        if (fits() || this.ended !== undefined) end();
      };
      const timer = this.clock.after(ms, end);
      this.#expecting.add(look);
    });
  }

  #wake(): void {
    for (const look of [...this.#expecting]) look();
  }

  #evidence(expected: string, came: Received | HiddenRequest | string, sent?: string): Evidence {
    const said = typeof came === 'string' ? came : 'json' in came ? came.text : headOf(came);
    return {
      revision: this.revision.version, conversation: this.number, sent: sent ?? this.#lastSent, expected, came: said,
      entries: this.entries.slice(-maxEntries),
    };
  }

  #request(request: HiddenRequest): void {
    const { method, number, path } = request;
    this.requests.push(request);
    this.entries.push({ kind: 'http', direction: 'received', exchange: number, method, path, headers: harmless(request.headers), at: this.clock.now() });
    this.#how.watchHttp(this, request);
    if (!request.utf8) this.check('base-60', false, 'a body in UTF-8', 'bytes that are not UTF-8');
    if (method === 'POST' && !this.#how.serveHttp(this, request)) this.#take(request.body, request);
    else if (method !== 'POST') this.#how.serveHttp(this, request);
    this.#wake();
  }

  #take(text: string, http: HiddenRequest | undefined): void {
    this.entries.push({ direction: 'received', text, at: this.clock.now(), ...http && { exchange: http.number } });
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      // The watcher judges text that is not JSON.
    }
    const batch = Array.isArray(json) && json.length > 0;
    for (const item of batch ? (json as unknown[]).slice(0, maxBatch) : [json]) this.#arrive(item, text, batch, http);
    this.#wake();
  }

  #arrive(json: unknown, text: string, batch: boolean, http: HiddenRequest | undefined): void {
    const bag = isObject(json) ? json : {};
    const { method, params, id } = bag;
    const message: Received = {
      text, json, batch, http, id, method: typeof method === 'string' ? method : undefined, params: isObject(params) ? params : {},
      place: this.messages.length, answered: false, stream: undefined,
    };
    if (this.messages.length >= maxMessages) return;
    this.messages.push(message);
    this.#declare(message);
    this.#how.watch(this, message);
    if (message.method === undefined && id !== undefined) this.question(id) && this.asked.get(id as RequestId)?.answer(message);
    this.#how.serve(this, message);
  }

  #declare({ method, params }: Received): void {
    if (method === 'initialize' && isObject(params['capabilities'])) this.declared = params['capabilities'];
    const meta = params['_meta'];
    if (isObject(meta) && typeof meta[versionKey] === 'string' && isObject(meta[capabilitiesKey])) this.declared = meta[capabilitiesKey];
  }

  #write(text: string): void {
    if (this.#stream) return this.event(this.#stream[0], text, this.#stream[1]);
    this.#sent(text);
    this.#program?.write(`${text}\n`);
  }

  #head({ number, method, path }: HiddenRequest, status: number, headers: Readonly<Record<string, string>>): void {
    this.entries.push({ kind: 'http', direction: 'sent', exchange: number, method, path, status, headers, at: this.clock.now() });
  }

  #sent(text: string, exchange?: number): void {
    this.#lastSent = text;
    this.entries.push({ direction: 'sent', text, at: this.clock.now(), ...exchange !== undefined && { exchange } });
  }
}

/** An HTTP request as evidence: request line, headers without credentials, body. */
export function headOf({ method, path, headers, body }: HiddenRequest): string {
  const shown = Object.entries(harmless(headers)).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path}`, ...shown, ...body === '' ? [] : ['', body]].join('\n');
}
