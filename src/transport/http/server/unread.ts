/** A response that can be cut off. */
interface UnreadResponse {
  destroy(): void;
}

/**
 * What was written, over all connections of an endpoint, and is not read by the clients. Over its bound the
 * response that has waited longest is cut off.
 */
export class Unread {
  readonly #max: number;
  readonly #onCut: (bytes: number) => void;
  /** Bytes by response, the one that has waited longest first. */
  readonly #waiting = new Map<UnreadResponse, number>();
  /** Bytes that wait. */
  bytes = 0;

  /** `onCut` is told how much waited for the client that was cut off. */
  constructor(maxBytes: number, onCut: (bytes: number) => void) {
    this.#max = maxBytes;
    this.#onCut = onCut;
  }

  /** So many bytes of this response wait now; 0: it was read, or it is gone. */
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
