import type { Level, JudgedRole, JudgedRule } from './rules.ts';
import type { EventTraceEntry, HttpTraceEntry, TraceEntry } from '../transport/internal-exports.ts';

/**
 * What is said about a rule. `kept`: a probe exercised it, and nothing was wrong. `broken`: the bytes show it.
 * `not-applicable`: the target does not have what the rule is about. `not-seen`: nothing showed it either way.
 * `dispute`: two honest readers of the section could differ.
 */
export type RuleVerdict = 'kept' | 'broken' | 'not-applicable' | 'not-seen' | 'dispute';

/** What passed: a message, the head of an HTTP exchange, or an event of a stream. */
export type WireEntry = TraceEntry | HttpTraceEntry | EventTraceEntry;

/** What showed that a rule is broken. */
export interface Evidence {
  readonly revision: string;
  /** The number of the conversation among those of its revision: from 1, and from 101, 201 … of probes that run beside others. */
  readonly conversation: number;
  /** The message that was sent, byte for byte; undefined: the peer began. */
  readonly sent?: string | undefined;
  readonly expected: string;
  /** What came, byte for byte, or what happened. */
  readonly came: string;
  /** All that passed in the conversation until then. */
  readonly entries: readonly WireEntry[];
}

/** The verdict about one rule. */
export interface Judgement {
  readonly rule: JudgedRule;
  /** The level in the revision of the evidence, else that of the rule. */
  readonly level: Level;
  readonly verdict: RuleVerdict;
  /** The verdict of each revision in which it was looked at. */
  readonly revisions: Readonly<Record<string, RuleVerdict>>;
  /** How often it was kept in what came. */
  readonly times: number;
  /** Of a broken rule or a dispute: at most three. */
  readonly evidence: readonly Evidence[];
  /** Why it is not applicable, or what it would have needed to be seen. */
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
  /** What the target calls itself. */
  readonly name?: string | undefined;
  /** By rule id, in the order of the matrix. */
  readonly judgements: readonly Judgement[];
  /** Where only some rules are judged: broken ones beside them, which showed in passing. */
  readonly others: readonly Judgement[];
  /** What kept the run from going on; undefined: it went through. */
  readonly stopped?: string | undefined;
  /** Probes that could not be made, with the reason. */
  readonly failures: readonly string[];
  readonly ms: number;
}
