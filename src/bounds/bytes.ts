import type { Budget } from './budget.ts';

/** Joins the parts of a message, whose lengths add up to `length`. A single part is returned without a copy. */
export function joinBytes(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0] as Uint8Array;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** The smallest block that is allocated for a message. */
const minBlock = 1024;

/**
 * Gathers the chunks of a message in at most one and a half times the memory of its bytes. One object for each chunk
 * would cost hundreds of bytes for each byte where chunks are small. The memory is charged.
 */
export class ByteGatherer {
  /** The bytes held. */
  length = 0;
  readonly #budget: Budget | undefined;
  #block: Uint8Array = none;

  constructor(budget?: Budget) {
    this.#budget = budget;
  }

  /** Adds a chunk. False: the budget has no room for it; the earlier chunks are still held. */
  push(chunk: Uint8Array): boolean {
    const { length } = this;
    const held = this.#block;
    const whole = length + chunk.length;
    if (whole > held.length) {
      // The first chunk is often the whole message. It is kept without a copy, unless its ArrayBuffer is much larger.
      const asItIs = length === 0 && whole * 4 >= chunk.buffer.byteLength;
      const size = asItIs ? whole : Math.max(minBlock, whole, Math.ceil(1.5 * length));
      if (this.#budget?.charge(size - held.length) === false) return false;
      this.#block = asItIs ? chunk : new Uint8Array(size);
      if (!asItIs) this.#block.set(held.subarray(0, length));
    }
    if (this.#block !== chunk) this.#block.set(chunk, length);
    this.length = whole;
    return true;
  }

  /** Returns the message and begins another. The charge is released. */
  take(): Uint8Array {
    const whole = this.#block.subarray(0, this.length);
    this.clear();
    return whole;
  }

  /** Drops what is held. */
  clear(): void {
    this.#budget?.release(this.#block.length);
    this.#block = none;
    this.length = 0;
  }
}

const none = new Uint8Array(0);
