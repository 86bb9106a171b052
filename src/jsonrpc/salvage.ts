import { tooLarge } from './codec.ts';
import type { Refusal } from './message.ts';
import { endLength as endBytes } from './outer-members.ts';

/** A message that is too large to be held: its first and its last characters. */
export class Skipped {
  readonly #over: string;
  readonly #utf8 = new TextDecoder();
  #head = '';
  #tail = '';
  /** Bytes that the head still takes. */
  #room = endBytes;

  /** `over`: what it is too large for. */
  constructor(over: string) {
    this.#over = over;
  }

  #text(bytes: Uint8Array): string {
    return this.#utf8.decode(bytes, { stream: true });
  }

  /** Takes some more of it. */
  push(part: Uint8Array): void {
    const first = part.subarray(0, this.#room);
    this.#room -= first.length;
    this.#head += this.#text(first);
    this.#tail = (this.#tail + this.#text(part.subarray(-endBytes))).slice(-endBytes);
  }

  /** Its refusal, with the id, and whether it is a response, as far as its ends tell. */
  refusal(): Refusal {
    return tooLarge(this.#over, `${this.#head}…${this.#tail}`);
  }
}
