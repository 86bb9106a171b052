/** The cost of one thing that stays open (a request, a subscription, a stream), beside its own bytes. */
export const openThingBytes = 1024;

/** Every peer may hold this much, even when other peers have used up the budget of the process. */
const reserveBytes = 65_536;

/** 96 MiB: one message of 16 MiB with a million values weighs 80 MB. */
export const defaultPeerBytes: number = 100_663_296;

/** 128 MiB, for all peers of the process together. */
export const defaultProcessBytes: number = 134_217_728;

/**
 * What one peer makes us hold, in bytes of memory. We charge what arrives and release the charge when it goes: bytes
 * that are being read, requests in flight with their parameters, answers that are not written yet, events kept for
 * replay, names, subscriptions. A peer has one budget for everything that it opens; the parent of that budget is the
 * budget of the process.
 *
 * The caller that charges must release exactly the same amount, once: keep the number beside the object. A peer over
 * its budget is refused by name, or is not read any further.
 */
export class Budget {
  readonly parent: Budget | undefined;
  /** In bytes. */
  limit: number;
  /** In bytes. */
  used = 0;

  constructor(limit: number, parent?: Budget) {
    this.limit = limit;
    this.parent = parent;
  }

  /** Whether this much may be charged now. The first 64 KiB of a peer always fit into the parent's budget. */
  fits(bytes: number): boolean {
    const used = this.used + bytes;
    return used <= this.limit && (used <= reserveBytes || !this.parent || this.parent.fits(bytes));
  }

  /** Charges what arrives. False: it does not fit and nothing was charged, so the caller must not keep it. */
  charge(bytes: number): boolean {
    const { parent } = this;
    const used = this.used + bytes;
    if (used > this.limit) return false;
    // Below the reserve the parent is not asked.
    if (used > reserveBytes && parent && !parent.fits(bytes)) return false;
    for (let budget: Budget | undefined = this; budget; budget = budget.parent) budget.used += bytes;
    return true;
  }

  /** Charges what is already held, even where it does not fit. */
  hold(bytes: number): void {
    for (let budget: Budget | undefined = this; budget; budget = budget.parent) budget.used += bytes;
  }

  /** Gives back what was charged. */
  release(bytes: number): void {
    for (let budget: Budget | undefined = this; budget; budget = budget.parent) budget.used -= bytes;
  }
}

let whole: Budget | undefined;

/** The budget of the process, which all peers share. Its `limit` may be set. */
export function processBudget(): Budget {
  // Made at the first use, since importing a module does nothing.
  return whole ??= new Budget(defaultProcessBytes);
}

/** A budget for a peer, within that of the process. */
export function peerBudget(limit: number = defaultPeerBytes): Budget {
  return new Budget(limit, processBudget());
}

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
