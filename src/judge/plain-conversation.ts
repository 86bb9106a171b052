import type { Clock } from '../bounds/clock.ts';
import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import type { RequestId } from '../jsonrpc/index.ts';
import { capabilitiesKey, clientInfoKey, versionKey } from '../protocol/internal-exports.ts';
import type { TracedEvent } from '../transport/internal-exports.ts';
import type { ByteCarrier, PostedMessage, CarrierEvents, CarrierReply, HttpAbout } from './carrier.ts';
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

/** What the peer's own requests are answered with; undefined: nothing. */
export type AnswerQuestion = (method: string, params: Readonly<Record<string, unknown>>) => { readonly result: unknown } | { readonly error: unknown } | undefined;

/** How a conversation is held. */
export interface PlainConversationOptions {
  readonly carry: (events: CarrierEvents) => ByteCarrier;
  readonly clock: Clock;
  /** Milliseconds to wait for an answer. */
  readonly answerMs: number;
  /** Milliseconds to wait for the first answer. */
  readonly startMs: number;
  readonly question: AnswerQuestion;
}

/** 2026-07-28 basic/index#_meta: what goes with each request of the stateless era. */
export const modernMeta = (version: string, client: Readonly<Record<string, unknown>>, capabilities: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  ({ [versionKey]: version, [clientInfoKey]: client, [capabilitiesKey]: capabilities });

/**
 * A client that sends only what it is told to send, and shows what a real client hides. It uses one carrier once. The doctor and
 * the judge add what they say of it.
 */
export class PlainConversation {
  readonly kind: 'pipe' | 'http';
  readonly asked: SentToServer[] = [];
  /** Why the peer has gone. */
  gone: string | undefined;
  protected readonly carrier: ByteCarrier;
  /** Entries that have passed. */
  protected passed = 0;
  readonly #how: PlainConversationOptions;
  readonly #waiting = new Map<SentToServer, (arrival: Arrival | undefined, why: string) => void>();
  #ids = 0;
  /** Whether a message came, or the time for the first one is over. */
  #started = false;
  #closed: Promise<number> | undefined;

  constructor(how: PlainConversationOptions) {
    this.#how = how;
    this.carrier = how.carry({
      entry: (entry) => this.entered(entry),
      unreadable: (why) => this.unreadable(why),
      failed: (id, why) => this.settle(this.asked.findLast((one) => one.id === id), why),
      gone: (why) => this.left(why),
    });
    this.kind = this.carrier.kind;
  }

  /** Rejects where the peer cannot be reached. */
  open(): Promise<void> {
    return this.carrier.open();
  }

  /** The next id: a number that was not used. */
  nextId(): number {
    return ++this.#ids;
  }

  /** Sends this text, which counts as a request of that id. Never rejects. */
  askText(
    { id, method, params, text }: Pick<SentToServer, 'id' | 'method' | 'params' | 'text'>, about: HttpAbout = {}, timeoutMs?: number, onSent?: (asked: SentToServer) => void,
  ): Promise<ReceivedAnswer> {
    const asked: SentToServer = { id, method, params, text, at: this.passed, done: false, left: false };
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
      const timer = this.#how.clock.after(timeoutMs ?? (this.#started ? this.#how.answerMs : this.#how.startMs), () => {
        asked.left = true;
        this.#started = true;
        if (reply?.stream) reply.cancel();
        this.carrier.abandon?.(id);
        end({ ...nothing, reply, kind: 'silent', came: reply ? `HTTP ${reply.status}, and no answer in time` : 'no answer in time' });
      });
      // A peer may go while the message is sent.
      let sent: Promise<CarrierReply | undefined> = Promise.resolve(undefined);
      // Over HTTP a message may be read before its response is whole.
      this.#waiting.set(asked, (arrival, why) => {
        this.#waiting.delete(asked);
        void sent.catch(() => undefined).then((came) => end(answerOf(arrival, why, { ...nothing, reply: came, arrival })));
      });
      sent = this.post(text, about, asked);
      onSent?.(asked);
      sent.then((came) => {
        reply = came;
        if (came) this.replied(asked, came);
      }, (thrown: unknown) => this.settle(asked, errorMessage(thrown)));
    });
  }

  /** Ends it; resolves with the milliseconds that this took. Never rejects. */
  close(): Promise<number> {
    return this.#closed ??= this.carrier.close().finally(() => {
      for (const asked of [...this.#waiting.keys()]) this.settle(asked, 'the conversation was closed');
    });
  }

  /** Sends text of which `message` is what it says; undefined: it is not known. */
  protected post(text: string | undefined, about: HttpAbout, message?: PostedMessage): Promise<CarrierReply | undefined> {
    return this.carrier.send(text, about, message);
  }

  /** Answers a request of the peer. */
  protected answer(text: string): void {
    this.post(text, {}).catch(() => undefined);
  }

  /** Bytes came that hold no message. */
  protected unreadable(_why: string): void {}

  /** The response to the HTTP request came that carried this one. */
  protected replied(_asked: SentToServer, _reply: CarrierReply): void {}

  /** Whether what an exchange brings may have come before. */
  protected replays(_exchange: number | undefined): boolean {
    return false;
  }

  /** A message came: before anybody is told who waits for it. */
  protected arrived(_arrival: Arrival): void {}

  /** The peer is gone. */
  protected left(why: string): void {
    this.gone = why;
    for (const asked of [...this.#waiting.keys()]) this.settle(asked, why);
  }

  /** Something passed. */
  protected entered(entry: WireEntry): void {
    this.passed++;
    if (entry.kind === 'http' || entry.kind === 'event' || entry.direction === 'sent') return;
    const { text, exchange, event } = entry;
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      // It is no message.
    }
    const batch = Array.isArray(json) && json.length > 0;
    for (const item of batch ? (json as unknown[]).slice(0, maxBatch) : [json]) {
      this.#arrive({ text, json: item, batch, at: this.passed - 1, exchange, event, replayed: this.replays(exchange), answers: this.#answeredBy(item) });
    }
  }

  #answeredBy(json: unknown): SentToServer | undefined {
    if (!isObject(json) || 'method' in json || json['id'] === undefined) return undefined;
    return this.asked.findLast(({ id }) => id === json['id']);
  }

  #arrive(arrival: Arrival): void {
    this.#started = true;
    this.arrived(arrival);
    const { json, answers } = arrival;
    if (answers && !answers.done) {
      answers.done = true;
      this.settle(answers, '', arrival);
    }
    if (!isObject(json) || typeof json['method'] !== 'string' || json['id'] === undefined) return;
    const said = this.#how.question(json['method'], isObject(json['params']) ? json['params'] : {});
    if (said) this.answer(JSON.stringify({ jsonrpc: '2.0', id: json['id'], ...said }));
  }

  /** Ends the wait for an answer: with this arrival, or with the reason why no answer comes. */
  protected settle(asked: SentToServer | undefined, why: string, arrival?: Arrival): void {
    if (asked) this.#waiting.get(asked)?.(arrival, why);
  }
}

const maxBatch = 1_000;

function answerOf(arrival: Arrival | undefined, why: string, rest: Omit<ReceivedAnswer, 'kind' | 'came'>): ReceivedAnswer {
  if (!arrival) return { ...rest, kind: 'failed', came: why };
  const message = isObject(arrival.json) ? arrival.json : {};
  const { error } = message;
  if (isObject(error)) return { ...rest, kind: 'error', code: error['code'], message: error['message'], data: error['data'], came: arrival.text };
  return { ...rest, kind: 'result', result: isObject(message['result']) ? message['result'] : {}, came: arrival.text };
}
