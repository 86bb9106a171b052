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
  /** Its index among the entries. */
  readonly at: number;
  /** Over HTTP: the number of the exchange that carried it, once known. */
  exchange?: number | undefined;
  /** Whether its answer has come. */
  done: boolean;
}

/** One message from the peer, or a line that is not a message. */
export interface Arrival {
  readonly text: string;
  /** One item of a batch, or the whole message; undefined if it is not JSON. */
  readonly json: unknown;
  /** Its index among the entries. */
  readonly at: number;
  readonly batch: boolean;
  readonly exchange: number | undefined;
  readonly event: TracedEvent | undefined;
  /** Whether its stream was resumed, so that it may be a repetition. */
  readonly replayed: boolean;
  /** The request with the same id. */
  readonly answers: SentToServer | undefined;
}

/** The outcome of a request. */
export interface ReceivedAnswer {
  readonly kind: 'result' | 'error' | 'failed' | 'silent';
  /** The result; empty if there was none. */
  readonly result: Readonly<Record<string, unknown>>;
  /** The members of an error. */
  readonly code: unknown;
  readonly message: unknown;
  readonly data: unknown;
  /** The received text, byte for byte; else a description of the event. */
  readonly came: string;
  readonly asked: SentToServer;
  readonly arrival: Arrival | undefined;
  /** Over HTTP: the response, if one came. */
  readonly reply: CarrierReply | undefined;
}

/** Answers a request of the peer; undefined sends nothing. */
export type AnswerQuestion = (method: string, params: Readonly<Record<string, unknown>>) => { readonly result: unknown } | { readonly error: unknown } | undefined;

/** Options of a `PlainConversation`. */
export interface PlainConversationOptions {
  readonly carry: (events: CarrierEvents) => ByteCarrier;
  readonly clock: Clock;
  /** Milliseconds to wait for an answer. */
  readonly answerMs: number;
  /** Milliseconds to wait for the first answer. */
  readonly startMs: number;
  readonly question: AnswerQuestion;
}

/** 2026-07-28 basic/index#_meta: the `_meta` of each request in the stateless era. */
export const modernMeta = (version: string, client: Readonly<Record<string, unknown>>, capabilities: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  ({ [versionKey]: version, [clientInfoKey]: client, [capabilitiesKey]: capabilities });

/**
 * A client that sends only what it is told to send, and shows details that a real client hides. It opens one carrier, once. The doctor and
 * the judge extend it.
 */
export class PlainConversation {
  readonly kind: 'pipe' | 'http';
  readonly asked: SentToServer[] = [];
  /** Why the peer is gone. */
  gone: string | undefined;
  protected readonly carrier: ByteCarrier;
  /** The number of entries so far. */
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

  /** Rejects if the peer cannot be reached. */
  open(): Promise<void> {
    return this.carrier.open();
  }

  /** The next unused id. */
  nextId(): number {
    return ++this.#ids;
  }

  /** Sends this text as a request with the given id. Never rejects. */
  askText(
    { id, method, params, text }: Pick<SentToServer, 'id' | 'method' | 'params' | 'text'>, about: HttpAbout = {}, timeoutMs?: number, onSent?: (asked: SentToServer) => void,
  ): Promise<ReceivedAnswer> {
    const asked: SentToServer = { id, method, params, text, at: this.passed, done: false };
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
        this.#started = true;
        if (reply?.stream) reply.cancel();
        this.carrier.abandon?.(id);
        end({ ...nothing, reply, kind: 'silent', came: reply ? `HTTP ${reply.status}, and no answer in time` : 'no answer in time' });
      });
      // The peer may disappear while the message is being sent.
      let sent: Promise<CarrierReply | undefined> = Promise.resolve(undefined);
      // Over HTTP a message may be read before its response is complete.
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

  /** Closes the conversation; resolves with the milliseconds that it took. Never rejects. */
  close(): Promise<number> {
    return this.#closed ??= this.carrier.close().finally(() => {
      for (const asked of [...this.#waiting.keys()]) this.settle(asked, 'the conversation was closed');
    });
  }

  /** Sends text. `message`: the parsed text, if known. */
  protected post(text: string | undefined, about: HttpAbout, message?: PostedMessage): Promise<CarrierReply | undefined> {
    return this.carrier.send(text, about, message);
  }

  /** Answers a request of the peer. */
  protected answer(text: string): void {
    this.post(text, {}).catch(() => undefined);
  }

  /** Called for bytes that hold no message. */
  protected unreadable(_why: string): void {}

  /** Called with the HTTP response to this request. */
  protected replied(_asked: SentToServer, _reply: CarrierReply): void {}

  /** Whether the messages of an exchange may be repetitions. */
  protected replays(_exchange: number | undefined): boolean {
    return false;
  }

  /** Called for each message, before any code that waits for it. */
  protected arrived(_arrival: Arrival): void {}

  /** Called when the peer is gone. */
  protected left(why: string): void {
    this.gone = why;
    for (const asked of [...this.#waiting.keys()]) this.settle(asked, why);
  }

  /** Called for each entry. */
  protected entered(entry: WireEntry): void {
    this.passed++;
    if (entry.kind === 'http' || entry.kind === 'event' || entry.direction === 'sent') return;
    const { text, exchange, event } = entry;
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      // It is not a message.
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
