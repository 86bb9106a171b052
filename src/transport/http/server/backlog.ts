import { processBudget } from '../../../bounds/budget.ts';

/** A notification or question that the client may not have received. */
interface Unheard {
  readonly text: string;
  /** The id of a question. */
  readonly id: unknown;
}

/** What one message costs in memory beside its characters. */
const overhead = 64;

/**
 * The messages of a session that belong to no request and that its client may not have received: no GET
 * stream was open, or the one that was may have been cut before its first event id. Bounded; the oldest go first.
 */
export class Backlog {
  readonly #max: number;
  #unheard: Unheard[] = [];
  #size = 0;

  /** `maxBytes`: two for each character, and 64 for each message. */
  constructor(maxBytes: number) {
    this.#max = maxBytes;
  }

  /** Keeps a message, unless the process holds too much already. `id` is a question's. */
  add(text: string, id: unknown): void {
    if (!processBudget().charge(weight(text))) return;
    // A list made with its first member has room for one; V8 gives one that grows room for 17. Most clients have one message here.
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

  /** Drops everything. */
  clear(): void {
    while (this.#unheard.length > 0) this.#drop(this.#unheard.length - 1);
  }

  /** The question with this id is settled, so the client has received it. */
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
