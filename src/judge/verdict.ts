import type { Level, JudgedRole, JudgedRule } from './rules.ts';
import type { EventTraceEntry, HttpTraceEntry, TraceEntry } from '../transport/internal-exports.ts';

/**
 * The verdict about a rule. `kept`: a probe tested it, and found nothing wrong. `broken`: the bytes show a fault. `not-applicable`: the
 * target lacks the subject of the rule. `not-seen`: nothing showed it either way. `dispute`: two honest readers of the section could
 * differ.
 */
export type RuleVerdict = 'kept' | 'broken' | 'not-applicable' | 'not-seen' | 'dispute';

/** A message, the head of an HTTP exchange, or an event of a stream. */
export type WireEntry = TraceEntry | HttpTraceEntry | EventTraceEntry;

/** Evidence for a broken or disputed rule. */
export interface Evidence {
  readonly revision: string;
  /** The number of the conversation in its revision: from 1; from 101, 201 … for probes that run in parallel. */
  readonly conversation: number;
  /** The sent message, byte for byte; undefined: the peer began. */
  readonly sent?: string | undefined;
  readonly expected: string;
  /** The received message, byte for byte, or a description of the event. */
  readonly came: string;
  /** The last 400 entries of the conversation until then. */
  readonly entries: readonly WireEntry[];
}

/** The verdict about one rule. */
export interface Judgement {
  readonly rule: JudgedRule;
  /** The level in the revision of the evidence, else the level of the rule. */
  readonly level: Level;
  readonly verdict: RuleVerdict;
  /** The verdict of each revision in which the rule was judged. */
  readonly revisions: Readonly<Record<string, RuleVerdict>>;
  /** How often the rule was seen to be kept. */
  readonly times: number;
  /** For a broken or disputed rule: at most three. */
  readonly evidence: readonly Evidence[];
  /** Why it does not apply, or what was needed to see it. */
  readonly why?: string | undefined;
}

/** The result of a run. */
export interface JudgeRuling {
  readonly target: string;
  readonly role: JudgedRole;
  /** The version of the rule set. */
  readonly ruleSet: string;
  readonly seed: number;
  /** The revisions that the target speaks, newest first. */
  readonly revisions: readonly string[];
  /** The target's own name and version. */
  readonly name?: string | undefined;
  /** By rule id, in the order of the matrix. */
  readonly judgements: readonly Judgement[];
  /** With `only`: broken rules outside it, seen in passing. */
  readonly others: readonly Judgement[];
  /** Why the run stopped; undefined: it was completed. */
  readonly stopped?: string | undefined;
  /** Probes that failed, with the reason. */
  readonly failures: readonly string[];
  readonly ms: number;
}
