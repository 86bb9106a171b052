import { nanos } from '@nats-io/transport-node';
import { RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { Inbox, retrying } from 'barewire/fleet';
import { Assembly, piecesOf } from './pieces.ts';
import { payloadOf } from './place.ts';
import type { Place } from './place.ts';

/**
 * The inboxes of all processes are one stream, with a subject each. Each stored message is republished without its text under a
 * bell subject: on a bell, a process reads the stream.
 */
export class Inboxes {
  readonly #place: Place;
  readonly #stream: string;

  constructor(place: Place) {
    this.#place = place;
    this.#stream = `${place.name}_inbox`;
  }

  #subjectOf(process: string): string {
    return `${this.#place.name}.inbox.${process}`;
  }

  bellOf(process: string): string {
    return `${this.#place.name}.bell.${process}`;
  }

  /** Creates the stream. `keepMs`: how long a process may take to read its messages. */
  async prepare(keepMs: number, replicas: number): Promise<void> {
    await this.#place.manager.streams.add({
      name: this.#stream,
      subjects: [this.#subjectOf('*')],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      max_age: nanos(keepMs),
      num_replicas: replicas,
      allow_direct: true,
      republish: { src: this.#subjectOf('*'), dest: `${this.#place.name}.bell.{{wildcard(1)}}`, headers_only: true },
    });
  }

  /** Puts texts into an inbox, as one message if they fit. */
  async put(process: string, texts: readonly string[]): Promise<void> {
    const subject = this.#subjectOf(process);
    for (const piece of piecesOf(JSON.stringify(texts), payloadOf(this.#place))) {
      await this.#place.js.publish(subject, piece);
    }
  }

  /** Deletes the messages of an inbox; `before`: only those before this stream sequence. */
  async clear(process: string, before?: number): Promise<void> {
    const filter = this.#subjectOf(process);
    await this.#place.manager.streams.purge(this.#stream, before === undefined ? { filter } : { filter, seq: before });
  }

  reader(process: string, hand: (message: string) => void): Reader {
    return new Reader(this.#place, this.#stream, this.#subjectOf(process), hand);
  }
}

/** Reads one inbox in order. */
export class Reader {
  readonly #place: Place;
  readonly #stream: string;
  readonly #subject: string;
  readonly #inbox: Inbox;
  readonly #assembly = new Assembly();
  #next = 1;
  #reading = false;
  #again = false;
  #stopped = false;

  constructor(place: Place, stream: string, subject: string, hand: (message: string) => void) {
    this.#place = place;
    this.#stream = stream;
    this.#subject = subject;
    this.#inbox = new Inbox(hand);
  }

  /** The stream sequence of the next unread message. */
  get next(): number {
    return this.#next;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Delivers the messages of the inbox. Rejects if NATS does not answer; the next call continues. */
  async read(): Promise<void> {
    this.#again = true;
    if (this.#reading) return;
    this.#reading = true;
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        await this.#readAll();
      }
    } finally {
      this.#reading = false;
    }
  }

  async #readAll(): Promise<void> {
    const { manager, answerMs } = this.#place;
    while (!this.#stopped) {
      const query = { seq: this.#next, next_by_subj: this.#subject };
      const found = await retrying(answerMs, () => manager.direct.getMessage(this.#stream, query));
      if (found === null) return;
      this.#next = found.seq + 1;
      const texts = this.#assembly.take(found.data);
      if (texts === undefined) continue;
      for (const text of JSON.parse(texts) as string[]) if (!this.#stopped) this.#inbox.take(text);
    }
  }
}
