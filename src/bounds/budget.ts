/** Bytes charged for one open request, subscription or stream, in addition to the bytes of its messages. */
export const openThingBytes = 1024;

/** Bytes that every peer may hold, even when other peers have used up the budget of the process. */
const reserveBytes = 65_536;

/** 96 MiB: one message of 16 MiB with a million values weighs 80 MB. */
export const defaultPeerBytes: number = 100_663_296;

/** 128 MiB, for all peers of the process together. */
export const defaultProcessBytes: number = 134_217_728;

/**
 * The memory that one peer occupies in this process, in bytes. Charged are: bytes of unfinished messages, requests in
 * flight with their parameters, responses that are not written yet, events kept for replay, names, subscriptions. A
 * peer has one budget for everything that it opens; the parent of that budget is the budget of the process.
 *
 * The caller of `charge` or `hold` must release exactly the same amount, once: keep the number with the object. If a peer
 * exceeds its budget, its request is refused with an error that names the limit, or we stop reading from it.
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

  /**
   * Whether the process holds much, a 32nd of its limit: then small messages are weighed by their values too (`heldWeight`). A budget
   * without a parent counts as the process.
   */
  get crowded(): boolean {
    const { used, limit } = this.parent ?? this;
    return used > limit / 32;
  }

  /** True if `bytes` may be charged now. The first 64 KiB of a peer always fit into the parent's budget. */
  fits(bytes: number): boolean {
    const used = this.used + bytes;
    return used <= this.limit && (used <= reserveBytes || !this.parent || this.parent.fits(bytes));
  }

  /** Charges `bytes`. False: they do not fit and nothing was charged, so the caller must not keep the data. */
  charge(bytes: number): boolean {
    const { parent } = this;
    const used = this.used + bytes;
    if (used > this.limit) return false;
    // The first `reserveBytes` of a peer do not need room in the parent.
    if (used > reserveBytes && parent && !parent.fits(bytes)) return false;
    for (let budget: Budget | undefined = this; budget; budget = budget.parent) budget.used += bytes;
    return true;
  }

  /** Charges bytes that are already held, even if they exceed the limit. */
  hold(bytes: number): void {
    for (let budget: Budget | undefined = this; budget; budget = budget.parent) budget.used += bytes;
  }

  /** Undoes `charge` or `hold` of the same number of bytes. */
  release(bytes: number): void {
    for (let budget: Budget | undefined = this; budget; budget = budget.parent) budget.used -= bytes;
  }
}

let whole: Budget | undefined;

/** The budget of the process, which all peers share. Its `limit` may be set. */
export function processBudget(): Budget {
  // Created at the first call, because importing a module must have no effect.
  return whole ??= new Budget(defaultProcessBytes);
}

/** Creates the budget of one peer. Its parent is the budget of the process. `limit`: bytes, 96 MiB by default. */
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
 * Gathers the chunks of a message in one block of at most twice its length (at least 1 KiB). A list of small chunks would
 * cost hundreds of bytes of memory for each byte. The budget is charged with the memory of the block.
 */
export class ByteGatherer {
  /** Bytes gathered so far. */
  length = 0;
  readonly #budget: Budget | undefined;
  #block: Uint8Array = none;

  constructor(budget?: Budget) {
    this.#budget = budget;
  }

  /** Adds a chunk. False: the budget has no room for it; the earlier chunks stay. */
  push(chunk: Uint8Array): boolean {
    const { length } = this;
    const held = this.#block;
    const whole = length + chunk.length;
    if (whole > held.length) {
      // The first chunk is often the whole message. It is not copied, unless its ArrayBuffer, which it keeps alive, is much larger.
      const uncopied = length === 0 && chunk.buffer.byteLength <= 2 * whole;
      const size = uncopied ? chunk.buffer.byteLength : Math.max(minBlock, whole, Math.ceil(1.5 * length));
      if (this.#budget?.charge(size - held.buffer.byteLength) === false) return false;
      this.#block = uncopied ? chunk : new Uint8Array(size);
      if (!uncopied) this.#block.set(held.subarray(0, length));
    }
    if (this.#block !== chunk) this.#block.set(chunk, length);
    this.length = whole;
    return true;
  }

  /** Returns the gathered bytes, releases their charge and begins a new message. */
  take(): Uint8Array {
    const whole = this.#block.subarray(0, this.length);
    this.clear();
    return whole;
  }

  /** Drops the gathered bytes and releases their charge. */
  clear(): void {
    this.#budget?.release(this.#block.buffer.byteLength);
    this.#block = none;
    this.length = 0;
  }
}

const none = new Uint8Array(0);
