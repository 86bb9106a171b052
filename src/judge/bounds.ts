/** Limits on how much of a target a run uses. */
export const bounds = {
  /** Tools to call. */
  calls: 24,
  /** Resources to read. */
  reads: 12,
  /** Prompts to get. */
  prompts: 12,
  /** Pages of one list. */
  pages: 20,
  /** Items of one list. */
  items: 5_000,
  /** Rounds of one call that returns `input_required`. */
  rounds: 4,
  /** Probes that run in parallel with the shared conversations. */
  beside: 6,
  /** Milliseconds for one call. */
  callMs: 2_500,
  /** `callMs` in a quick run. */
  quickCallMs: 500,
  /** Milliseconds for which a subscription is kept. */
  listenMs: 20_000,
  /** Milliseconds in which no message about a cancelled call may come. */
  cancelMs: 2_500,
  /** Milliseconds to wait for an earlier response. Over HTTP each response has its own request, so the order may change. */
  orderMs: 100,
} as const;
