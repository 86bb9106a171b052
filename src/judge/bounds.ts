/** How much of a target is used. */
export const bounds = {
  /** Tools that are called. */
  calls: 24,
  /** Resources that are read. */
  reads: 12,
  /** Prompts that are got. */
  prompts: 12,
  /** Pages of one list. */
  pages: 20,
  /** Items of one list. */
  items: 5_000,
  /** Rounds of one call that asks. */
  rounds: 4,
  /** Probes that run beside those of the shared conversations. */
  beside: 6,
  /** Milliseconds for one call. */
  callMs: 2_500,
  /** The same in a quick run. */
  quickCallMs: 500,
  /** Milliseconds for which a subscription is kept. */
  listenMs: 20_000,
  /** Milliseconds in which nothing may come of a cancelled call. */
  cancelMs: 2_500,
  /** Milliseconds in which a response that was sent earlier comes. Over HTTP each has a request, so the order may change. */
  orderMs: 100,
} as const;
