import type { Body } from './http-request.ts';

/**
 * Gathers the chunks of one body in one buffer that grows by doubling: it costs at most twice what has come,
 * in however many chunks. A body of one chunk is not copied.
 */
export class BodyReader {
  readonly #maxBytes: number;
  #buffer: Uint8Array | undefined;
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes a chunk. Returns the body where that settles it: there is too much, and no more is to be read. */
  push(chunk: Uint8Array): Body | undefined {
    const size = this.#size + chunk.length;
    if (size > this.#maxBytes) {
      this.#buffer = undefined;
      return { fault: 'too large' };
    }
    if (this.#buffer === undefined) this.#buffer = chunk;
    else {
      if (size > this.#buffer.length || this.#size === this.#buffer.length) this.#grow(size);
      this.#buffer.set(chunk, this.#size);
    }
    this.#size = size;
    return undefined;
  }

  #grow(size: number): void {
    // Not what Content-Length says: a client may promise much and send a byte.
    const grown = new Uint8Array(Math.max(1024, Math.min(2 * size, this.#maxBytes)));
    grown.set((this.#buffer as Uint8Array).subarray(0, this.#size));
    this.#buffer = grown;
  }

  /** The whole body, once the last chunk has come. */
  end(): Uint8Array {
    return this.#buffer?.subarray(0, this.#size) ?? new Uint8Array(0);
  }
}
