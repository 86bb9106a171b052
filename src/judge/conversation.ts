import { isObject } from '../jsonrpc/internal-exports.ts';
import type { RequestId } from '../jsonrpc/index.ts';
import type { Revision } from '../protocol/index.ts';
import type { HttpAbout, CarrierReply, PostedMessage } from './carrier.ts';
import { standardHeaders } from './headers.ts';
import type { Ledger } from './ledger.ts';
import { modernMeta, PlainConversation } from './plain-conversation.ts';
import type { Arrival, PlainConversationOptions, ReceivedAnswer, SentToServer } from './plain-conversation.ts';
import { version } from './version.ts';
import type { WireEntry } from './verdict.ts';

export type { Arrival, ReceivedAnswer, SentToServer } from './plain-conversation.ts';

/** Options of a request in addition to its parameters. */
export interface AskOptions extends HttpAbout {
  readonly id?: RequestId | undefined;
  /** Merged into `_meta`; undefined removes a default key. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly timeoutMs?: number | undefined;
  /** Called with the request once it has been sent. */
  readonly onSent?: ((asked: SentToServer) => void) | undefined;
}

/** Sees each arrival before any code that waits for it. */
export interface ConversationWatcher {
  arrived(conversation: JudgedConversation, arrival: Arrival): void;
  replied(conversation: JudgedConversation, reply: CarrierReply, asked: string | undefined): void;
}

/** Options of a `JudgedConversation`. */
export interface ConversationOptions extends PlainConversationOptions {
  readonly number: number;
  readonly revision: Revision;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly ledger: Ledger;
  readonly watcher: ConversationWatcher;
  /** Whether it runs over stdin and stdout. */
  readonly stdio: boolean;
}

/** The name and version that the judge gives to a peer. */
export const judgeInfo: { readonly name: string; readonly version: string } = { name: 'barewire-judge', version };

/** A conversation that keeps all entries, and reports to the ledger which rules they keep or break. */
export class JudgedConversation extends PlainConversation {
  /** Its number within its revision. */
  readonly number: number;
  readonly revision: Revision;
  /** Whether it runs over stdin and stdout. A pipe may also be HTTP+SSE. */
  readonly stdio: boolean;
  readonly entries: WireEntry[] = [];
  readonly arrivals: Arrival[] = [];
  /** Over HTTP: the session id from the peer. */
  session: string | undefined;
  /** Whether the handshake is over; HTTP requests then carry the version. */
  agreed = false;
  /** The capabilities that the peer has declared. */
  offered: Readonly<Record<string, unknown>> = {};
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly #how: ConversationOptions;
  readonly #expecting = new Set<(arrival: Arrival | undefined) => void>();
  /** Numbers of exchanges that resume a stream. */
  readonly #resumed = new Set<number>();
  /** Reports held back until it is known whether the peer speaks the revision. */
  #held: (() => void)[] | undefined;
  #tokens = 0;

  constructor(how: ConversationOptions) {
    super(how);
    this.#how = how;
    this.number = how.number;
    this.revision = how.revision;
    this.stdio = how.stdio;
    this.capabilities = how.capabilities;
  }

  get modern(): boolean {
    return this.revision.era === 'modern';
  }

  /** Returns a new progress token. */
  nextToken(): string {
    return `judge-${++this.#tokens}`;
  }

  /** Sends a request in the form of the revision. Never rejects. */
  async ask(method: string, params: Readonly<Record<string, unknown>> = {}, how: AskOptions = {}): Promise<ReceivedAnswer> {
    const { id = this.nextId(), meta = {}, timeoutMs, onSent, headers, method: verb, url } = how;
    const whole = this.modern || how.meta ? {
      ...params, _meta: { ...this.modern && modernMeta(this.revision.version, judgeInfo, this.capabilities), ...meta },
    } : params;
    const text = JSON.stringify({ jsonrpc: '2.0', id, method, params: whole });
    return this.askText({ id, method, params: whole, text }, { headers: { ...standardHeaders(this, method, whole), ...headers }, method: verb, url }, timeoutMs, onSent);
  }

  override askText(
    message: Pick<SentToServer, 'id' | 'method' | 'params' | 'text'>, about: HttpAbout = {}, timeoutMs?: number, onSent?: (asked: SentToServer) => void,
  ): Promise<ReceivedAnswer> {
    return super.askText(message, { ...about, headers: { ...this.#plainHeaders(), ...about.headers } }, timeoutMs, onSent);
  }

  /** Sends a notification. Over HTTP it resolves with the response, or undefined if the request failed. */
  async tell(method: string, params?: Readonly<Record<string, unknown>>, about: HttpAbout = {}): Promise<CarrierReply | undefined> {
    return this.sendText(JSON.stringify({ jsonrpc: '2.0', method, ...params && { params } }), { ...about, headers: { ...standardHeaders(this, method, params ?? {}), ...about.headers } });
  }

  /** Sends text unchanged. Never rejects. */
  sendText(text: string, about: HttpAbout = {}): Promise<CarrierReply | undefined> {
    this.#remember(text);
    return this.post(text, { ...about, headers: { ...this.#plainHeaders(), ...about.headers } }).catch(() => undefined);
  }

  /** Sends an HTTP request without a message. Never rejects. */
  bare(method: string, headers: HttpAbout['headers'] = {}, url?: string): Promise<CarrierReply | undefined> {
    return this.post(undefined, { method, headers: { ...this.#own(), ...headers }, url }).catch(() => undefined);
  }

  /** Resolves with the first arrival at index `from` or later that fits; with undefined after `ms` or when the peer is gone. */
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

  /** Holds back all reports about rules until `release`. */
  hold(): void {
    this.#held = [];
  }

  /** Sends the held reports to the ledger if the peer speaks the revision, else drops them. */
  release(speaks: boolean): void {
    const held = this.#held;
    this.#held = undefined;
    if (speaks) for (const say of held ?? []) say();
  }

  /** Reports rules as kept or broken. `about`: an answer, an arrival, or a description of the event. */
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

  #evidence(expected: string, about: ReceivedAnswer | Arrival | string, sent?: string) {
    const whole = typeof about === 'string' ? { came: about, sent }
      : 'kind' in about ? { came: about.came, sent: sent ?? about.asked.text }
        : { came: about.text, sent: sent ?? about.answers?.text };
    return { revision: this.revision.version, conversation: this.number, expected, ...whole, entries: this.entries.slice(-maxEntries) };
  }

  /** Default headers, for any method. */
  #plainHeaders(): Record<string, string | undefined> {
    return { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...this.#own() };
  }

  #own(): Record<string, string | undefined> {
    return { ...this.session !== undefined && { 'mcp-session-id': this.session }, ...(this.agreed || this.modern) && this.revision.place > 1 && { 'mcp-protocol-version': this.revision.version } };
  }

  protected override async post(text: string | undefined, about: HttpAbout, message?: PostedMessage): Promise<CarrierReply | undefined> {
    const going = super.post(text, about, message);
    const head = this.entries.findLast((entry) => entry.direction === 'sent');
    const asked = this.asked.at(-1);
    if (asked && asked === message) asked.exchange = head?.exchange;
    const reply = await going;
    if (reply) this.#how.watcher.replied(this, reply, text);
    return reply;
  }

  protected override answer(text: string): void {
    void this.sendText(text);
  }

  protected override unreadable(why: string): void {
    this.check('base-60', false, 'text in UTF-8', why);
  }

  /** Records the ids in text that is sent unchanged: a response may have one of them. */
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
      this.asked.push({ id, method: String(method), params: isObject(params) ? params : {}, text, at: this.entries.length, done: false });
    }
  }

  protected override replied(asked: SentToServer, { exchange, status, stream, body, ended }: CarrierReply): void {
    if (stream) return void ended.then(() => this.settle(asked, `HTTP ${status}, and the stream ended without an answer`));
    // An error without an id, or with the id null, answers the posted message.
    const loose = this.arrivals.findLast((one) => one.exchange === exchange && isObject(one.json) && isObject(one.json['error']));
    this.settle(asked, `HTTP ${status}${body === '' ? ' without a body' : ` ${body.slice(0, 2000)}`}`, loose);
  }

  protected override replays(exchange: number | undefined): boolean {
    return this.#resumed.has(exchange ?? 0);
  }

  protected override entered(entry: WireEntry): void {
    this.entries.push(entry);
    if (entry.kind === 'http' && entry.direction === 'sent' && entry.headers['last-event-id'] !== undefined && entry.method === 'GET') this.#resumed.add(entry.exchange);
    super.entered(entry);
  }

  protected override arrived(arrival: Arrival): void {
    const { json, answers } = arrival;
    // Set before the watcher runs: it judges this message and the next ones by these capabilities.
    if ((answers?.method === 'initialize' || answers?.method === 'server/discover') && isObject(json) && isObject(json['result']) && isObject(json['result']['capabilities'])) this.offered = json['result']['capabilities'];
    if (this.arrivals.length < maxArrivals) this.arrivals.push(arrival);
    this.#how.watcher.arrived(this, arrival);
    for (const one of [...this.#expecting]) one(arrival);
  }

  protected override left(why: string): void {
    super.left(why);
    for (const end of [...this.#expecting]) end(undefined);
  }
}

const maxEntries = 400;
const maxArrivals = 20_000;
