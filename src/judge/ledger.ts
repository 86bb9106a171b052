import { allRules, holdsIn, levelOf, rulesFor } from './rules.ts';
import type { JudgedRole, JudgedRule } from './rules.ts';
import type { Evidence, Judgement, RuleVerdict } from './verdict.ts';

/** Strongest first: a rule gets its strongest verdict of all revisions. */
const strength: readonly RuleVerdict[] = ['broken', 'dispute', 'kept', 'not-applicable', 'not-seen'];
const stronger = (a: RuleVerdict, b: RuleVerdict): RuleVerdict => (strength.indexOf(a) <= strength.indexOf(b) ? a : b);

/** Most pieces of evidence for one rule in a report, since each holds a conversation. */
const mostEvidence = 3;

/** A report, and the place of the probe that made it. */
interface SaidAt<T> {
  readonly place: number;
  readonly said: T;
}

interface RulePage {
  readonly revisions: Map<string, RuleVerdict>;
  /** By revision. */
  readonly evidence: Map<string, SaidAt<Evidence>>;
  times: number;
  /** Whether the evidence is of a fault, not of a dispute. */
  accused: boolean;
  /** By revision. */
  readonly whys: Map<string, SaidAt<string>>;
}

/** Keeps the report of the probe with the lowest place; of one probe, its first report. */
function keepFirst<T>(kept: Map<string, SaidAt<T>>, revision: string, place: number, said: T): void {
  const known = kept.get(revision);
  if (!known || place < known.place) kept.set(revision, { place, said });
}

/** Collects the reports of probes and watchers about rules. Ignores a rule in revisions that lack it. */
export class Ledger {
  readonly #pages: Map<string, RulePage>;
  readonly #place: number;
  readonly #role: JudgedRole;
  readonly #only: ReadonlySet<string> | undefined;

  /** `only`: ids of the rules to judge; undefined: all. `place`, `of`: see `at`. */
  constructor(role: JudgedRole, only?: ReadonlySet<string>, place: number = 0, of?: Ledger) {
    this.#role = role;
    this.#only = only;
    this.#place = place;
    this.#pages = of ? of.#pages : new Map<string, RulePage>();
  }

  /**
   * This ledger for a probe that runs in parallel. If several probes report on a rule in a revision, the evidence and the reason come from
   * the lowest place, whichever came first.
   */
  at(place: number): Ledger {
    return new Ledger(this.#role, this.#only, place, this);
  }

  /** Whether the run judges this rule at all. */
  wants(id: string): boolean {
    return this.#only?.has(id) ?? true;
  }

  kept(id: string, revision: string): void {
    const page = this.#enter(id, revision, 'kept');
    if (page) page.times++;
  }

  broken(id: string, evidence: Evidence): void {
    this.#accuse(id, 'broken', evidence);
  }

  /** Careful readers of the section could differ. */
  dispute(id: string, evidence: Evidence): void {
    this.#accuse(id, 'dispute', evidence);
  }

  notApplicable(id: string, revision: string, why: string): void {
    const page = this.#enter(id, revision, 'not-applicable');
    if (page) keepFirst(page.whys, revision, this.#place, why);
  }

  /** The verdict so far. */
  verdict(id: string, revision: string): RuleVerdict | undefined {
    return this.#pages.get(id)?.revisions.get(revision);
  }

  /** All rules of the role. `needsOf`: what a rule without any report would have needed. */
  judgements(spoken: readonly string[], needsOf: (rule: JudgedRule) => string): Judgement[] {
    return rulesFor(this.#role).filter(({ id }) => this.wants(id)).map((rule) => this.#judgement(rule, spoken, needsOf));
  }

  /** Broken rules of these revisions that the run does not judge, seen in passing. */
  others(spoken: readonly string[]): Judgement[] {
    return rulesFor(this.#role).filter(({ id }) => !this.wants(id)).map((rule) => this.#judgement(rule, spoken, () => '')).filter(({ verdict }) => verdict === 'broken');
  }

  #judgement(rule: JudgedRule, spoken: readonly string[], needsOf: (rule: JudgedRule) => string): Judgement {
    const page = this.#pages.get(rule.id);
    // A target cannot break the rules of a revision that it does not speak, even if it answers a probe in it.
    const counts = (revision: string): boolean => spoken.length === 0 || spoken.includes(revision);
    const verdicts = [...page?.revisions ?? []].filter(([revision]) => counts(revision));
    if (page && verdicts.length > 0) {
      const verdict = verdicts.map(([, one]) => one).reduce(stronger, 'not-seen');
      // Revisions are judged in parallel, so sort their reports by revision.
      const newestFirst = (a: string, b: string): number => (a < b ? 1 : -1);
      const evidence = [...page.evidence.values()].map(({ said }) => said).filter(({ revision }) => counts(revision)).sort((a, b) => newestFirst(a.revision, b.revision)).slice(0, mostEvidence);
      const accused = evidence[0]?.revision;
      const why = [...page.whys].sort(([a], [b]) => newestFirst(a, b))[0]?.[1].said;
      return {
        rule, verdict, level: accused === undefined ? rule.level : levelOf(rule, accused), times: page.times,
        revisions: Object.fromEntries(verdicts.sort(([a], [b]) => newestFirst(a, b))), evidence,
        ...verdict === 'not-applicable' && { why },
      };
    }
    const other = !spoken.some((revision) => holdsIn(rule, revision));
    return {
      rule, level: rule.level, verdict: other ? 'not-applicable' : 'not-seen', revisions: {}, times: 0, evidence: [],
      why: other ? 'no revision that the target speaks has it' : needsOf(rule),
    };
  }

  #accuse(id: string, verdict: 'broken' | 'dispute', evidence: Evidence): void {
    const page = this.#enter(id, evidence.revision, verdict);
    if (!page) return;
    // A fault replaces a dispute.
    if (verdict === 'broken' && !page.accused) page.evidence.clear();
    if (verdict === 'dispute' && page.accused) return;
    page.accused ||= verdict === 'broken';
    keepFirst(page.evidence, evidence.revision, this.#place, evidence);
  }

  #enter(id: string, revision: string, verdict: RuleVerdict): RulePage | undefined {
    const rule = allRules().get(id);
    if (!rule) throw new RangeError(`the judge has no rule ${id}`);
    if (!holdsIn(rule, revision) || (rule.who !== this.#role && rule.who !== 'both')) return undefined;
    let page = this.#pages.get(id);
    if (!page) this.#pages.set(id, page = { revisions: new Map(), evidence: new Map(), times: 0, accused: false, whys: new Map() });
    page.revisions.set(revision, stronger(page.revisions.get(revision) ?? 'not-seen', verdict));
    return page;
  }
}
