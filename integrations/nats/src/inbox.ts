import { nanos } from '@nats-io/transport-node';
import { RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { Inbox, retrying } from 'barewire/fleet';
import { Assembly, piecesOf } from './pieces.ts';
import { payloadOf } from './place.ts';
import type { Place } from './place.ts';

/**
 * The inboxes of all processes are one stream, a subject each. What is stored is told again under the subject of a bell,
 * without its text: whoever hears the bell reads the stream, and finds what has rung.
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

  /** Makes the stream. `keepMs`: how long a process may take to read what it got. */
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

  /** Puts texts into an inbox, as one message where it can hold them. */
  async put(process: string, texts: readonly string[]): Promise<void> {
    const subject = this.#subjectOf(process);
    for (const piece of piecesOf(JSON.stringify(texts), payloadOf(this.#place))) {
      await this.#place.js.publish(subject, piece);
    }
  }

  /** Drops what an inbox holds; `before`: up to that place of the stream. */
  async clear(process: string, before?: number): Promise<void> {
    const filter = this.#subjectOf(process);
    await this.#place.manager.streams.purge(this.#stream, before === undefined ? { filter } : { filter, seq: before });
  }

  reader(process: string, hand: (message: string) => void): Reader {
    return new Reader(this.#place, this.#stream, this.#subjectOf(process), hand);
  }
}

/** Reads one inbox in its order. */
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

  /** What is before this place of the stream has been read. */
  get next(): number {
    return this.#next;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Hands over what the inbox holds. Rejects where NATS does not answer; the next call reads on. */
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
