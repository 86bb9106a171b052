/** What one thing that stays open (a request, a subscription, a stream) costs beside its own bytes. */
export const openThingBytes = 1024;

/** What each peer may always hold, however much the others make the process hold. */
const reserveBytes = 65_536;

/** 96 MiB: one message of 16 MiB with a million values weighs 80 MB. */
export const defaultPeerBytes: number = 100_663_296;

/** 128 MiB, for all peers of the process together. */
export const defaultProcessBytes: number = 134_217_728;

/**
 * What one peer makes us hold, in bytes of memory. What arrives is charged, and released when it goes: bytes
 * that are being read, requests in flight with their parameters, answers that are not written yet, events
 * kept for replay, names, subscriptions. A peer has one budget, whatever it opens; the parent of that is the
 * budget of the process.
 *
 * Who charges must release exactly as much, once: keep the number beside the thing. A peer over its budget is
 * refused by name, or not read any further.
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

  /** Whether this much may be charged now. Of its parent's budget a peer always has the first 64 KiB. */
  fits(bytes: number): boolean {
    const used = this.used + bytes;
    return used <= this.limit && (used <= reserveBytes || !this.parent || this.parent.fits(bytes));
  }

  /** Charges what arrives. False: it does not fit, nothing was charged, and it must not be kept. */
  charge(bytes: number): boolean {
    const { parent } = this;
    const used = this.used + bytes;
    if (used > this.limit) return false;
    // Below the reserve nobody else is asked.
    if (used > reserveBytes && parent && !parent.fits(bytes)) return false;
    for (let budget: Budget | undefined = this; budget; budget = budget.parent) budget.used += bytes;
    return true;
  }

  /** Charges what is held already, whether it fits or not. */
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
  // Made at the first use: an import makes nothing.
  return whole ??= new Budget(defaultProcessBytes);
}

/** A budget for a peer, within that of the process. */
export function peerBudget(limit: number = defaultPeerBytes): Budget {
  return new Budget(limit, processBudget());
}
