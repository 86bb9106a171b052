import { processBudget } from '../../../bounds/budget.ts';

/** A notification or question that the client may not have received. */
interface Unheard {
  readonly text: string;
  /** The id of a question; undefined for a notification. */
  readonly id: unknown;
}

/** Bytes of memory that one message takes besides its characters. */
const overhead = 64;

/**
 * Messages of a session that belong to no request and that its client may not have received: no GET
 * stream was open, or it may have been cut off before its first event id. Bounded; the oldest are dropped first.
 */
export class Backlog {
  readonly #max: number;
  #unheard: Unheard[] = [];
  #size = 0;

  /** `maxBytes` counts two bytes for each character, and 64 for each message. */
  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  /** Keeps a message, unless the memory limit of the process is reached. `id` is the id of a question. */
  add(text: string, id: unknown): void {
    if (!processBudget().charge(weight(text))) return;
    // V8 gives an array literal of one member room for one, and a growing array room for 17. Most clients have one message here.
    if (this.#unheard.length === 0) this.#unheard = [{ text, id }];
    else this.#unheard.push({ text, id });
    this.#size += weight(text);
    while (this.#size > this.#max) this.#drop(0);
  }

  #drop(at: number): void {
    for (const { text } of this.#unheard.splice(at, 1)) {
      this.#size -= weight(text);
      processBudget().release(weight(text));
    }
  }

  /** Drops all messages. */
  clear(): void {
    while (this.#unheard.length > 0) this.#drop(this.#unheard.length - 1);
  }

  /** The question with this id has its answer, so the client has received it: drops it. */
  answered(id: unknown): void {
    const at = this.#unheard.findIndex((one) => one.id !== undefined && one.id === id);
    if (at >= 0) this.#drop(at);
  }

  /** All messages, oldest first. */
  get texts(): string[] {
    return this.#unheard.map(({ text }) => text);
  }
}

const weight = (text: string): number => 2 * text.length + overhead;
