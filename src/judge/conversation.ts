import type { Clock } from '../bounds/clock.ts';
import { errorMessage, isObject } from '../jsonrpc/door.ts';
import type { RequestId } from '../jsonrpc/index.ts';
import { capabilitiesKey, clientInfoKey, versionKey } from '../protocol/door.ts';
import type { Revision } from '../protocol/index.ts';
import type { TracedEvent } from '../transport/door.ts';
import type { ByteCarrier, CarrierEvents, HttpAbout, CarrierReply } from './carrier.ts';
import { standardHeaders } from './headers.ts';
import type { Ledger } from './ledger.ts';
import { version } from './version.ts';
import type { WireEntry } from './verdict.ts';

/** A request that was sent. */
export interface SentToServer {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Its place among the entries. */
  readonly at: number;
  /** Over HTTP: the exchange that carried it, once it is known. */
  exchange?: number | undefined;
  /** Whether its answer has come. */
  done: boolean;
  /** Whether it was cancelled, or nobody waits any more. */
  left: boolean;
}

/** One message of the peer, or a line that is no message. */
export interface Arrival {
  readonly text: string;
  /** One item of a batch, or the whole; undefined: it is not JSON. */
  readonly json: unknown;
  /** Its place among the entries. */
  readonly at: number;
  readonly batch: boolean;
  readonly exchange: number | undefined;
  readonly event: TracedEvent | undefined;
  /** Whether its stream was resumed: it may have come before. */
  readonly replayed: boolean;
  /** The request whose id it has. */
  readonly answers: SentToServer | undefined;
}

/** How a request ended. */
export interface ReceivedAnswer {
  readonly kind: 'result' | 'error' | 'failed' | 'silent';
  /** Of a result; empty if there was no result. */
  readonly result: Readonly<Record<string, unknown>>;
  /** Of an error. */
  readonly code: unknown;
  readonly message: unknown;
  readonly data: unknown;
  /** What came, byte for byte; else what happened. */
  readonly came: string;
  readonly asked: SentToServer;
  readonly arrival: Arrival | undefined;
  /** Over HTTP, where a response came. */
  readonly reply: CarrierReply | undefined;
}

/** What a request may have beside its parameters. */
export interface AskOptions extends HttpAbout {
  readonly id?: RequestId | undefined;
  /** Joins `_meta`; undefined leaves out a key that would be sent. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly timeoutMs?: number | undefined;
  /** Is told the request once it has been sent. */
  readonly onSent?: ((asked: SentToServer) => void) | undefined;
}

/** Sees what arrives, before anybody who waits for it. */
export interface ConversationWatcher {
  arrived(conversation: JudgedConversation, arrival: Arrival): void;
  replied(conversation: JudgedConversation, reply: CarrierReply, asked: string | undefined): void;
}

/** How a conversation is held. */
export interface ConversationOptions {
  readonly number: number;
  readonly revision: Revision;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly carry: (events: CarrierEvents) => ByteCarrier;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly watcher: ConversationWatcher;
  /** Whether it is one over stdin and stdout. */
  readonly stdio: boolean;
  readonly answerMs: number;
  /** Milliseconds to wait for the first answer. */
  readonly startMs: number;
  /** What the peer's own requests are answered with; undefined: nothing. */
  readonly question: (method: string, params: Readonly<Record<string, unknown>>) => { readonly result: unknown } | { readonly error: unknown } | undefined;
}

/** What names the judge to a peer. */
export const judgeInfo: { readonly name: string; readonly version: string } = { name: 'barewire-judge', version };

/** A client that sends only what it is told to send, and keeps all that passes. */
export class JudgedConversation {
  readonly number: number;
  readonly revision: Revision;
  readonly kind: 'pipe' | 'http';
  /** Whether it is one over stdin and stdout: HTTP+SSE is a pipe, too. */
  readonly stdio: boolean;
  readonly entries: WireEntry[] = [];
  readonly arrivals: Arrival[] = [];
  readonly asked: SentToServer[] = [];
  /** Why the peer has gone. */
  gone: string | undefined;
  /** Over HTTP: the session that the peer gave. */
  session: string | undefined;
  /** Whether the handshake is over, and HTTP requests carry the version. */
  agreed = false;
  /** What the peer has declared. */
  offered: Readonly<Record<string, unknown>> = {};
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly #how: ConversationOptions;
  readonly #carrier: ByteCarrier;
  readonly #waiting = new Map<SentToServer, (arrival: Arrival | undefined, why: string) => void>();
  readonly #expecting = new Set<(arrival: Arrival | undefined) => void>();
  /** Exchanges that resume a stream. */
  readonly #resumed = new Set<number>();
  /** What is said of rules while it is not known whether the peer speaks the revision. */
  #held: (() => void)[] | undefined;
  #ids = 0;
  #heard = false;
  #closed: Promise<number> | undefined;

  constructor(how: ConversationOptions) {
    this.#how = how;
    this.number = how.number;
    this.revision = how.revision;
    this.stdio = how.stdio;
    this.capabilities = how.capabilities;
    this.#carrier = how.carry({
      entry: (entry) => this.#enter(entry),
      unreadable: (why) => this.check('base-60', false, 'text in UTF-8', why),
      gone: (why) => this.#leave(why),
    });
    this.kind = this.#carrier.kind;
  }

  get modern(): boolean {
    return this.revision.era === 'modern';
  }

  open(): Promise<void> {
    return this.#carrier.open();
  }

  /** The next id: a number that was not used. */
  nextId(): number {
    return ++this.#ids;
  }

  /** Sends a request in the form of the revision. Never rejects. */
  async ask(method: string, params: Readonly<Record<string, unknown>> = {}, how: AskOptions = {}): Promise<ReceivedAnswer> {
    const { id = this.nextId(), meta = {}, timeoutMs, onSent, headers, method: verb, url } = how;
    const own = params['_meta'];
    const whole = this.modern || how.meta ? {
      ...params,
      _meta: {
        ...this.modern && { [versionKey]: this.revision.version, [clientInfoKey]: judgeInfo, [capabilitiesKey]: this.capabilities },
        ...isObject(own) && own, ...meta,
      },
    } : params;
    const text = JSON.stringify({ jsonrpc: '2.0', id, method, params: whole });
    return this.askText({ id, method, params: whole, text }, { headers: { ...standardHeaders(this, method, whole), ...headers }, method: verb, url }, timeoutMs, onSent);
  }

  /** Sends this text, which counts as a request of that id. Never rejects. */
  askText(
    { id, method, params, text }: Pick<SentToServer, 'id' | 'method' | 'params' | 'text'>, about: HttpAbout = {}, timeoutMs?: number, onSent?: (asked: SentToServer) => void,
  ): Promise<ReceivedAnswer> {
    const asked: SentToServer = { id, method, params, text, at: this.entries.length, done: false, left: false };
    this.asked.push(asked);
    const nothing = { result: {}, code: undefined, message: undefined, data: undefined, asked, arrival: undefined, reply: undefined };
    if (this.gone !== undefined) return Promise.resolve({ ...nothing, kind: 'failed', came: this.gone });
    return new Promise((resolve) => {
      let reply: CarrierReply | undefined;
      const end = (answer: ReceivedAnswer): void => {
        timer?.stop();
        this.#waiting.delete(asked);
        resolve(answer);
      };
      const timer = this.#how.clock.after(timeoutMs ?? (this.#heard ? this.#how.answerMs : this.#how.startMs), () => {
        asked.left = true;
        if (reply?.stream) reply.cancel();
        end({ ...nothing, reply, kind: 'silent', came: reply ? `HTTP ${reply.status}, and no answer in time` : 'no answer in time' });
      });
      const sent = this.#send(text, { ...about, headers: { ...this.#plainHeaders(), ...about.headers } }, (exchange) => { asked.exchange = exchange; });
      // Over HTTP a message may be read before its response is whole.
      this.#waiting.set(asked, (arrival, why) => {
        this.#waiting.delete(asked);
        void sent.catch(() => undefined).then((came) => end(answerOf(arrival, why, { ...nothing, reply: came, arrival })));
      });
      onSent?.(asked);
      sent.then((came) => {
        reply = came;
        if (!came) return;
        if (came.stream) {
          void came.ended.then(() => this.#waiting.get(asked)?.(undefined, `HTTP ${came.status}, and the stream ended without an answer`));
          return;
        }
        this.#waiting.get(asked)?.(this.#loose(came), `HTTP ${came.status}${came.body === '' ? ' without a body' : ` ${came.body.slice(0, 2000)}`}`);
      }, (thrown: unknown) => this.#waiting.get(asked)?.(undefined, errorMessage(thrown)));
    });
  }

  /** Sends a notification. Over HTTP it resolves with the response; undefined where it failed. */
  async tell(method: string, params?: Readonly<Record<string, unknown>>, about: HttpAbout = {}): Promise<CarrierReply | undefined> {
    return this.sendText(JSON.stringify({ jsonrpc: '2.0', method, ...params && { params } }), { ...about, headers: { ...standardHeaders(this, method, params ?? {}), ...about.headers } });
  }

  /** Sends text unchanged. Never rejects. */
  sendText(text: string, about: HttpAbout = {}): Promise<CarrierReply | undefined> {
    this.#remember(text);
    return this.#send(text, { ...about, headers: { ...this.#plainHeaders(), ...about.headers } }).catch(() => undefined);
  }

  /** Sends an HTTP request that carries no message. Never rejects. */
  bare(method: string, headers: HttpAbout['headers'] = {}, url?: string): Promise<CarrierReply | undefined> {
    return this.#send(undefined, { method, headers: { ...this.#own(), ...headers }, url }).catch(() => undefined);
  }

  /** Resolves with the first arrival, from `from` on, that fits; with undefined after `ms` or when the peer has gone. */
  until(fits: (arrival: Arrival) => boolean, ms: number, from: number = 0): Promise<Arrival | undefined> {
    const known = this.arrivals.slice(from).find(fits);
    if (known || this.gone !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => {
      const end = (arrival: Arrival | undefined): void => {
        if (arrival && !fits(arrival)) return;
        timer?.stop();
        this.#expecting.delete(end);
        resolve(arrival);
      };
      const timer = this.#how.clock.after(ms, () => end(undefined));
      this.#expecting.add(end);
    });
  }

  /** From here on what is said of rules waits for `release`. */
  hold(): void {
    this.#held = [];
  }

  /** `speaks`: the peer speaks the revision; else what was said is dropped. */
  release(speaks: boolean): void {
    const held = this.#held;
    this.#held = undefined;
    if (speaks) for (const say of held ?? []) say();
  }

  /** Says whether rules are kept here. `came`: an answer, an arrival, or what happened. */
  check(ids: string | readonly string[], kept: boolean, expected: string, about: ReceivedAnswer | Arrival | string, sent?: string): void {
    if (this.#held) return void this.#held.push(() => this.check(ids, kept, expected, about, sent));
    for (const id of typeof ids === 'string' ? [ids] : ids) {
      if (kept) this.#how.ledger.kept(id, this.revision.version);
      else this.#how.ledger.broken(id, this.#evidence(expected, about, sent));
    }
  }

  dispute(id: string, expected: string, about: ReceivedAnswer | Arrival | string, sent?: string): void {
    if (this.#held) return void this.#held.push(() => this.dispute(id, expected, about, sent));
    this.#how.ledger.dispute(id, this.#evidence(expected, about, sent));
  }

  close(): Promise<number> {
    return this.#closed ??= this.#carrier.close().finally(() => {
      for (const settle of [...this.#waiting.values()]) settle(undefined, 'the conversation was closed');
    });
  }

  #evidence(expected: string, about: ReceivedAnswer | Arrival | string, sent?: string) {
    const whole = typeof about === 'string' ? { came: about, sent }
      : 'kind' in about ? { came: about.came, sent: sent ?? about.asked.text }
        : { came: about.text, sent: sent ?? about.answers?.text };
    return { revision: this.revision.version, conversation: this.number, expected, ...whole, entries: this.entries.slice(-maxEntries) };
  }

  /** Of a message whose method nobody knows. */
  #plainHeaders(): Record<string, string | undefined> {
    return { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...this.#own() };
  }

  #own(): Record<string, string | undefined> {
    return { ...this.session !== undefined && { 'mcp-session-id': this.session }, ...(this.agreed || this.modern) && this.revision.place > 1 && { 'mcp-protocol-version': this.revision.version } };
  }

  async #send(text: string | undefined, about: HttpAbout, sending?: (exchange: number) => void): Promise<CarrierReply | undefined> {
    const going = this.#carrier.send(text, about);
    const head = this.entries.findLast((entry) => entry.direction === 'sent');
    if (head?.exchange !== undefined) sending?.(head.exchange);
    const reply = await going;
    if (reply) this.#how.watcher.replied(this, reply, text);
    return reply;
  }

  /** The ids of text that is sent unchanged: a response to it has one of them. */
  #remember(text: string): void {
    let items: readonly unknown[];
    try {
      const json: unknown = JSON.parse(text);
      items = Array.isArray(json) ? json : [json];
    } catch {
      const [, id] = /"id":(\d+|"[^"]*")/.exec(text) ?? [];
      items = id === undefined ? [] : [{ id: JSON.parse(id) as unknown }];
    }
    for (const item of items) {
      if (!isObject(item) || 'result' in item || 'error' in item) continue;
      const { id, method, params } = item;
      if (typeof id !== 'string' && typeof id !== 'number') continue;
      this.asked.push({ id, method: String(method), params: isObject(params) ? params : {}, text, at: this.entries.length, done: false, left: false });
    }
  }

  /** The error of a response that has no id, or the id null: over HTTP it answers what was posted. */
  #loose({ exchange, stream }: CarrierReply): Arrival | undefined {
    return stream ? undefined : this.arrivals.findLast((one) => one.exchange === exchange && isObject(one.json) && isObject(one.json['error']));
  }

  #enter(entry: WireEntry): void {
    this.entries.push(entry);
    if (entry.kind === 'http' && entry.direction === 'sent' && entry.headers['last-event-id'] !== undefined && entry.method === 'GET') this.#resumed.add(entry.exchange);
    if (entry.kind === 'http' || entry.kind === 'event' || entry.direction === 'sent') return;
    const { text, exchange, event } = entry;
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      // It is judged as what is no message.
    }
    const batch = Array.isArray(json) && json.length > 0;
    for (const item of batch ? (json as unknown[]).slice(0, maxBatch) : [json]) this.#arrive({ text, json: item, batch, at: this.entries.length - 1, exchange, event, replayed: this.#resumed.has(exchange ?? 0), answers: this.#answeredBy(item) });
  }

  #answeredBy(json: unknown): SentToServer | undefined {
    if (!isObject(json) || 'method' in json || json['id'] === undefined) return undefined;
    return this.asked.findLast(({ id }) => id === json['id']);
  }

  #arrive(arrival: Arrival): void {
    this.#heard = true;
    if (this.arrivals.length < maxArrivals) this.arrivals.push(arrival);
    this.#how.watcher.arrived(this, arrival);
    const { json, answers } = arrival;
    if (answers && !answers.done) {
      answers.done = true;
      this.#waiting.get(answers)?.(arrival, '');
    }
    for (const one of [...this.#expecting]) one(arrival);
    if (!isObject(json) || typeof json['method'] !== 'string' || json['id'] === undefined) return;
    const params = isObject(json['params']) ? json['params'] : {};
    const said = this.#how.question(json['method'], params);
    if (said) void this.sendText(JSON.stringify({ jsonrpc: '2.0', id: json['id'], ...said }));
  }

  #leave(why: string): void {
    this.gone = why;
    for (const end of [...this.#waiting.values()]) end(undefined, why);
    for (const end of [...this.#expecting]) end(undefined);
  }
}

const maxEntries = 400;
const maxArrivals = 20_000;
const maxBatch = 1_000;

function answerOf(arrival: Arrival | undefined, why: string, rest: Omit<ReceivedAnswer, 'kind' | 'came'>): ReceivedAnswer {
  if (!arrival) return { ...rest, kind: 'failed', came: why };
  const message = isObject(arrival.json) ? arrival.json : {};
  const { error } = message;
  if (isObject(error)) return { ...rest, kind: 'error', code: error['code'], message: error['message'], data: error['data'], came: arrival.text };
  return { ...rest, kind: 'result', result: isObject(message['result']) ? message['result'] : {}, came: arrival.text };
}
