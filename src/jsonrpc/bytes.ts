import type { Budget } from './budget.ts';

/**
 * Joins the parts of a message, whose lengths add up to `length`. A single part is handed back, not copied.
 */
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

/** The smallest block, and the largest. */
const minBlock = 1024;
const maxBlock = 1024 * 1024;

/**
 * Gathers chunks until their message is whole, in at most twice the memory of its bytes, however small the
 * chunks are: an object for each chunk would cost hundreds of bytes a byte. The memory is charged.
 */
export class ByteGatherer {
  /** The bytes held. */
  length = 0;
  readonly #budget: Budget | undefined;
  #blocks: Uint8Array[] = [];
  /** Bytes used of the last block. */
  #used = 0;
  #charged = 0;

  constructor(budget?: Budget) {
    this.#budget = budget;
  }

  /** Takes a chunk. False: the budget has no room for it; everything was dropped. */
  push(chunk: Uint8Array): boolean {
    const { length } = chunk;
    if (length === 0) return true;
    let taken = 0;
    const last = this.#blocks.at(-1);
    if (last !== undefined && this.#used < last.length) {
      taken = Math.min(length, last.length - this.#used);
      last.set(taken === length ? chunk : chunk.subarray(0, taken), this.#used);
      this.#used += taken;
    }
    if (taken < length && !this.#grow(chunk, taken)) {
      this.clear();
      return false;
    }
    this.length += length;
    return true;
  }

  #grow(chunk: Uint8Array, taken: number): boolean {
    const rest = chunk.length - taken;
    // The first chunk is often the whole message: it is kept as it is, where little else hangs on it.
    const asItIs = this.length === 0 && rest * 4 >= chunk.buffer.byteLength;
    const size = asItIs ? rest : Math.max(rest, minBlock, Math.min(this.length, maxBlock));
    if (this.#budget !== undefined) {
      if (!this.#budget.charge(size)) return false;
      this.#charged += size;
    }
    if (asItIs) {
      this.#blocks.push(chunk);
    } else {
      const block = new Uint8Array(size);
      block.set(taken === 0 ? chunk : chunk.subarray(taken));
      this.#blocks.push(block);
    }
    this.#used = rest;
    return true;
  }

  /** Hands out the message, and begins another. What was charged is released. */
  take(): Uint8Array {
    const last = this.#blocks.pop();
    if (last !== undefined) this.#blocks.push(this.#used < last.length ? last.subarray(0, this.#used) : last);
    const whole = joinBytes(this.#blocks, this.length);
    this.clear();
    return whole;
  }

  /** Drops what is held. */
  clear(): void {
    this.#blocks = [];
    this.length = this.#used = 0;
    if (this.#charged > 0) this.#budget?.release(this.#charged);
    this.#charged = 0;
  }
}
