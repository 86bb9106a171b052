import { systemClock } from '../../bounds/clock.ts';
import type { Timer } from '../../bounds/clock.ts';

/** A question of the server behind the bridge, which waits for its answer. */
export interface BridgedQuestion {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  settled: boolean;
  /** A client of 2026-07-28 has gone with it, and brings its answer when it comes back. */
  away: boolean;
  answer(value: unknown): void;
  fail(error: unknown): void;
}

/** What a call comes to next. */
export type CallStep =
  | { readonly kind: 'question'; readonly at: number; readonly question: BridgedQuestion }
  | { readonly kind: 'result'; readonly result: Record<string, unknown> }
  | { readonly kind: 'error'; readonly error: unknown };

/** What a call tells whoever carries it to the client. */
export interface Carrier {
  log(level: string, data: unknown, logger?: string): void;
  progress(progress: number, total?: number, message?: string): void;
}

/**
 * One call that goes on behind the bridge. It outlives the request that began it: a client of 2026-07-28 goes away with a
 * question, and comes back with a new request that takes the call up again.
 */
export class BridgedCall {
  carrier: Carrier | undefined;
  /** Forgets its end, if nobody comes for it. */
  kept: Timer | undefined;
  readonly cancelled: AbortController = new AbortController();
  readonly #questions: BridgedQuestion[] = [];
  /** Resolves with the end. */
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

  /** Questions that it was given so far. */
  get asked(): number {
    return this.#questions.length;
  }

  /** Questions that have no answer yet. */
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

  /** Whether it has its end: it puts no further question. */
  get over(): boolean {
    return this.#end !== undefined;
  }

  /** The next question from number `from` on, or the end: a client brings answers that belong to other calls, too. */
  async next(from: number): Promise<CallStep> {
    for (;;) {
      const question = this.#questions[from];
      if (question) return { kind: 'question', at: from, question };
      if (this.#end) return this.#end;
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  /** The client has gone with a question: the call is cancelled unless somebody takes it up again in time. */
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
