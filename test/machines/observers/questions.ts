import type { Undo } from '../watch.ts';
import type { Trace } from '../trace.ts';
import { watchWires } from './wires.ts';
import type { WireEvent, WireMessage } from './wires.ts';

/** A round of a modern request, from its arrival. */
interface Round {
  readonly wire: object;
  readonly id: WireMessage['id'];
  /** The `requestState` in its request. */
  readonly brought: string | undefined;
  /** When its request arrived. */
  readonly at: number;
  /** Until when the `requestState` in its result is valid. */
  until: number;
  /** How often that state came too late and was refused. */
  late: number;
  /** True once it was recorded as served. */
  served: boolean;
}

const invalidParams = -32602;
const isText = (value: unknown): value is string => typeof value === 'string';

/** Observes questions to legacy clients by their requests, responses and cancellations on the wire. */
class LegacyQuestions {
  readonly #trace: Trace;
  /** By connection and id. */
  #questions = new Map<object, Map<WireMessage['id'], object>>();

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  begin(): void {
    this.#questions = new Map();
  }

  see({ wire, what, message }: WireEvent): void {
    const questions = this.#questions.get(wire) ?? new Map<WireMessage['id'], object>();
    this.#questions.set(wire, questions);
    const name = 'legacy-question';
    if (what === 'ends') {
      for (const question of questions.values()) if (this.#trace.stateOf(name, question) === 'waiting') this.#trace.see(name, question, 'close');
      return;
    }
    const { id, method, params, error } = message ?? {};
    if (what === 'says' && method !== undefined && id !== undefined && method !== 'ping') {
      const question = {};
      questions.set(id, question);
      this.#trace.see(name, question, 'send');
    } else if (what === 'says' && method === 'notifications/cancelled') {
      const question = questions.get(params?.['requestId'] as WireMessage['id']);
      if (question) this.#trace.see(name, question, 'withdraw');
    } else if (what === 'hears' && method === undefined) {
      const question = questions.get(id);
      if (question) this.#trace.see(name, question, error ? 'refuse' : 'answer');
    }
  }
}

/** Observes rounds of modern requests on the wire. A state is valid for `ttlMs` after it is sent. */
class ModernRounds {
  readonly #trace: Trace;
  readonly #ttlMs: number;
  #rounds: Round[] = [];
  /** By the `requestState` that a round has sent. */
  #byState = new Map<string, Round>();

  constructor(trace: Trace, ttlMs: number) {
    this.#trace = trace;
    this.#ttlMs = ttlMs;
  }

  begin(): void {
    this.#rounds = [];
    this.#byState = new Map();
  }

  see({ wire, what, message, at = 0 }: WireEvent): void {
    const { id, method, params, result, error } = message ?? {};
    if (what === 'hears' && method === 'tools/call' && params?.['_meta'] !== undefined) {
      const state = params['requestState'];
      this.#rounds.push({ wire, id, brought: isText(state) ? state : undefined, at, until: Infinity, late: 0, served: false });
    } else if (what === 'hears' && method === 'notifications/cancelled') {
      const round = this.#find(wire, params?.['requestId']);
      if (round && this.#trace.stateOf('modern-round', round) === 'running') this.#trace.see('modern-round', round, 'cancel');
    } else if (what === 'says' && method === undefined) {
      const round = this.#find(wire, id);
      if (round) this.#answered(round, at, result, error);
    }
  }

  #find(wire: object, id: unknown): Round | undefined {
    return this.#rounds.find((one) => one.wire === wire && one.id === id);
  }

  #answered(round: Round, at: number, result: WireMessage['result'], error: WireMessage['error']): void {
    const before = round.brought === undefined ? undefined : this.#byState.get(round.brought);
    if (before) this.#brought(round, before, error?.code === invalidParams);
    const state = result?.['requestState'];
    const asks = result?.['resultType'] === 'input_required';
    this.#trace.see('modern-round', round, error ? 'fail' : asks ? 'ask' : 'complete');
    if (!asks || !isText(state)) return;
    round.until = at + this.#ttlMs;
    this.#byState.set(state, round);
  }

  /**
   * A request with the state of the previous round was answered. It may have arrived before that state expired, and be answered
   * after.
   */
  #brought(round: Round, before: Round, refused: boolean): void {
    const late = round.at > before.until;
    if (late && refused) {
      before.late++;
      return;
    }
    if (late) this.#trace.see('modern-round', before, 'expire');
    if (refused) {
      // A single-use state was opened by an earlier request, which may still run: that one must not be refused too.
      const [first] = this.#rounds.filter(({ brought, at }) => brought === round.brought && at <= before.until);
      if (first && first !== round) this.#served(first, before);
      this.#trace.see('modern-round', before, round.served ? 'refuse what was served' : 'refuse');
    } else this.#served(round, before);
  }

  #served(round: Round, before: Round): void {
    if (!round.served) this.#trace.see('modern-round', before, 'retry');
    round.served = true;
  }

  /** Ends a run at this time: states that expired or came too late. */
  end(at: number): void {
    for (const round of this.#byState.values()) {
      if (at <= round.until) continue;
      this.#trace.see('modern-round', round, 'expire');
      for (; round.late > 0; round.late--) this.#trace.see('modern-round', round, 'refuse');
    }
  }
}

/** Observes the questions of both eras. */
export function watchQuestions(trace: Trace, ttlMs: number): { begin(): void; end(): void; undo: Undo } {
  const legacy = new LegacyQuestions(trace);
  const modern = new ModernRounds(trace, ttlMs);
  let last = 0;
  const undo = watchWires((event) => {
    if (event.side === 'client') return;
    last = event.at ?? last;
    legacy.see(event);
    modern.see(event);
  });
  return {
    begin() {
      legacy.begin();
      modern.begin();
    },
    end: () => modern.end(last),
    undo,
  };
}
