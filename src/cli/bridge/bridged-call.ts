import { systemClock } from '../../bounds/clock.ts';
import type { Timer } from '../../bounds/clock.ts';

/** A question from the server behind the bridge that waits for an answer. */
export interface BridgedQuestion {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  settled: boolean;
  /** True while a 2026-07-28 client has the question and has not yet returned with the answer. */
  away: boolean;
  answer(value: unknown): void;
  fail(error: unknown): void;
}

/** The next event of a call: a question, the result or an error. */
export type CallStep =
  | { readonly kind: 'question'; readonly at: number; readonly question: BridgedQuestion }
  | { readonly kind: 'result'; readonly result: Record<string, unknown> }
  | { readonly kind: 'error'; readonly error: unknown };

/** Passes logs and progress of a call to the client. */
export interface Carrier {
  log(level: string, data: unknown, logger?: string): void;
  progress(progress: number, total?: number, message?: string): void;
}

/**
 * A call that runs behind the bridge. It outlives the request that began it: a 2026-07-28 client gets a question as the
 * response, and its next request continues the call.
 */
export class BridgedCall {
  carrier: Carrier | undefined;
  /** Timer that removes the ended call if no client fetches its result. */
  kept: Timer | undefined;
  readonly cancelled: AbortController = new AbortController();
  readonly #questions: BridgedQuestion[] = [];
  /** Resolves with the result or error. */
  readonly ended: Promise<CallStep>;
  #ended!: (step: CallStep) => void;
  #end: CallStep | undefined;
  #wake: (() => void)[] = [];
  #away: Timer | undefined;

  constructor() {
    this.ended = new Promise((resolve) => (this.#ended = resolve));
  }

  get open(): boolean {
    return this.#end === undefined && !this.cancelled.signal.aborted;
  }

  /** The number of questions so far. */
  get asked(): number {
    return this.#questions.length;
  }

  /** Questions without an answer. */
  get waiting(): readonly BridgedQuestion[] {
    return this.#questions.filter(({ settled }) => !settled);
  }

  ask(question: BridgedQuestion): void {
    this.#questions.push(question);
    this.#woken();
  }

  end(step: CallStep): void {
    this.#end ??= step;
    this.#ended(this.#end);
    this.#away?.stop();
    this.#woken();
  }

  /** Whether the call has ended; then it sends no more questions. */
  get over(): boolean {
    return this.#end !== undefined;
  }

  /**
   * The question at index `from`, or the end if that index has no question. Remaining questions come even after the end: a client may
   * bring their answers.
   */
  async next(from: number): Promise<CallStep> {
    for (;;) {
      const question = this.#questions[from];
      if (question) return { kind: 'question', at: from, question };
      if (this.#end) return this.#end;
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  /** The client left with a question: cancels the call if no request continues it within `awayMs`. */
  leave(awayMs: number): void {
    this.carrier = undefined;
    if (!this.open) return;
    this.#away = systemClock.after(awayMs, () => this.cancel(`the client did not come back with its answer within ${awayMs} ms`));
  }

  takeUp(carrier: Carrier): void {
    this.#away?.stop();
    this.carrier = carrier;
  }

  cancel(why: string): void {
    this.#away?.stop();
    this.cancelled.abort(new Error(why));
  }

  #woken(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
