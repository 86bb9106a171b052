import { pause, systemClock } from '../bounds/clock.ts';
import type { Clock, Timer } from '../bounds/clock.ts';
import { BoundedMap } from '../bounds/bounded-map.ts';
import { Undeliverable } from './engine.ts';

/** Puts texts into the inbox of a process, in order. Rejects with `Undeliverable` if the process has gone. */
export type Put = (process: string, texts: readonly string[]) => Promise<void>;

interface Waiting {
  readonly text: string;
  /** When the message is given up: milliseconds of the monotonic clock. */
  readonly until: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** The most that goes in one call of `put`: messages, characters. */
const mostMessages = 100;
const mostCharacters = 256 * 1024;

/**
 * For engines: sends each message once and in order over a connection that may break. Messages for one process go batch
 * by batch; a batch without an answer is sent again, and `Inbox` drops the duplicates.
 */
export class Outbox {
  readonly #put: Put;
  readonly #answerMs: number;
  readonly #clock: Clock;
  readonly #queues = new Map<string, Waiting[]>();
  readonly #sender = crypto.randomUUID();
  #count = 0;

  /** `answerMs`: milliseconds after which a message without an answer fails. */
  constructor(put: Put, answerMs: number, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#put = put;
    this.#answerMs = answerMs;
  }

  /** Resolves and rejects as `Bus.send`. */
  send(process: string, message: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const text = `${this.#sender} ${(++this.#count).toString(36)} ${message}`;
      const waiting: Waiting = { text, until: this.#clock.monotonic() + this.#answerMs, resolve, reject };
      const queue = this.#queues.get(process);
      if (queue) {
        queue.push(waiting);
      } else {
        const started = [waiting];
        this.#queues.set(process, started);
        void this.#drain(process, started);
      }
    });
  }

  async #drain(process: string, queue: Waiting[]): Promise<void> {
    for (let tries = 0; queue.length > 0;) {
      const batch = first(queue);
      const ms = Math.max(0, (batch[0] as Waiting).until - this.#clock.monotonic());
      try {
        await within(ms, this.#put(process, batch.map(({ text }) => text)), this.#clock);
        tries = 0;
        for (const { resolve } of queue.splice(0, batch.length)) resolve();
      } catch (thrown) {
        const now = this.#clock.monotonic();
        const gone = thrown instanceof Undeliverable;
        const over = gone ? batch.length : queue.findIndex(({ until }) => until > now + 1);
        for (const { reject } of queue.splice(0, over < 0 ? queue.length : over)) reject(thrown);
        if (queue.length > 0 && !gone) await pause(this.#clock, Math.min(10 * ++tries, 100));
      }
    }
    this.#queues.delete(process);
  }
}

/** The next batch. */
function first(queue: readonly Waiting[]): readonly Waiting[] {
  let [end, characters] = [0, 0];
  for (const { text } of queue) {
    characters += text.length;
    if (end > 0 && (characters > mostCharacters || end === mostMessages)) break;
    end++;
  }
  return queue.slice(0, end);
}

/** The most senders that are remembered. */
const mostSenders = 1000;

/** For engines: the receiving end of `Outbox`. */
export class Inbox {
  readonly #hand: (message: string) => void;
  /** By sender: the number of its last message. The sender of the latest message is at the end. */
  readonly #last = new BoundedMap<string, number>(mostSenders);

  constructor(hand: (message: string) => void) {
    this.#hand = hand;
  }

  /** Takes a text that `put` has sent, and passes its message on, unless it is a duplicate. */
  take(text: string): void {
    const space = text.indexOf(' ');
    const end = text.indexOf(' ', space + 1);
    const sender = text.slice(0, space);
    const number = Number.parseInt(text.slice(space + 1, end), 36);
    const last = this.#last.get(sender) ?? 0;
    if (!(number > last)) return;
    this.#last.set(sender, number);
    this.#hand(text.slice(end + 1));
  }
}

/**
 * For engines and stores: settles like the promise, or rejects with an `Error` after `ms` milliseconds. If the process
 * (or the machine) was suspended, the timeout and the answer are due together, and timers run first. Therefore an
 * answer that is there by then counts.
 */
export async function within<T>(ms: number, promise: Promise<T>, clock: Clock = systemClock): Promise<T> {
  let timer: Timer | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = clock.after(ms, () => {
      timer = clock.after(0, () => reject(new Error('the engine has not answered in time')));
    });
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    timer?.stop();
  }
}

/**
 * For engines: repeats an attempt that rejects, for `answerMs` milliseconds; then rejects with the last error. An
 * attempt may have succeeded although its answer was lost.
 */
export async function retrying<T>(answerMs: number, attempt: () => Promise<T>, clock: Clock = systemClock): Promise<T> {
  const until = clock.monotonic() + answerMs;
  for (let tries = 1; ; tries++) {
    try {
      return await within(until - clock.monotonic(), attempt(), clock);
    } catch (thrown) {
      const ms = Math.min(10 * tries, 100);
      if (clock.monotonic() + ms >= until) throw thrown;
      await pause(clock, ms);
    }
  }
}
