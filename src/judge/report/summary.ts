import type { RulePlace } from '../rules.ts';
import type { Judgement } from '../verdict.ts';

/** Most characters of a message in a report for machines. */
const most = 2_000;

const cut = (text: string): string => (text.length > most ? `${text.slice(0, most)} … (${text.length} characters)` : text);

/** The place of the rule in the revision of its first evidence, else its first place. */
export function placeOf({ rule, evidence }: Judgement): RulePlace | undefined {
  return rule.places.find(({ revision }) => revision === evidence[0]?.revision) ?? rule.places[0];
}

/** The sent, expected and received texts, as lines. */
export function summaryOf(judgement: Judgement): string {
  return [
    ...judgement.evidence.map(({ revision, sent, expected, came }) =>
      [revision, ...sent === undefined ? [] : [`sent: ${cut(sent)}`], `expected: ${cut(expected)}`, `came: ${cut(came)}`].join('\n')),
    placeOf(judgement)?.address ?? '',
  ].join('\n\n');
}
