/** A response that can be cut off. */
interface UnreadResponse {
  destroy(): void;
}

/**
 * Counts the written bytes that clients have not read, over all connections of an endpoint. Above the limit,
 * the response that has waited longest is cut off.
 */
export class Unread {
  readonly #max: number;
  readonly #onCut: (bytes: number) => void;
  /** Unread bytes by response; the one that has waited longest is first. */
  readonly #waiting = new Map<UnreadResponse, number>();
  /** All unread bytes. */
  bytes = 0;

  /** `onCut` is called with the number of unread bytes of the response that was cut off. */
  constructor(maxBytes: number, onCut: (bytes: number) => void) {
    this.#max = maxBytes;
    this.#onCut = onCut;
  }

  /** Sets the unread bytes of a response; 0: it was read, or it is gone. */
  note(response: UnreadResponse, bytes: number): void {
    this.#set(response, bytes);
    for (const [slowest, unread] of this.#waiting) {
      if (this.bytes <= this.#max) return;
      this.#set(slowest, 0);
      slowest.destroy();
      this.#onCut(unread);
    }
  }

  #set(response: UnreadResponse, bytes: number): void {
    this.bytes += bytes - (this.#waiting.get(response) ?? 0);
    if (bytes === 0) this.#waiting.delete(response);
    else this.#waiting.set(response, bytes);
  }
}
