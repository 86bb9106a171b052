import type { RulePlace } from '../rules.ts';
import type { Judgement } from '../verdict.ts';

/** Characters of a message in a report for machines. */
const most = 2_000;

const cut = (text: string): string => (text.length > most ? `${text.slice(0, most)} … (${text.length} characters)` : text);

/** Where the rule stands in the revision of its first evidence, else in its newest. */
export function placeOf({ rule, evidence }: Judgement): RulePlace | undefined {
  return rule.places.find(({ revision }) => revision === evidence[0]?.revision) ?? rule.places[0];
}

/** What was sent, expected and came, as lines. */
export function summaryOf(judgement: Judgement): string {
  return [
    ...judgement.evidence.map(({ revision, sent, expected, came }) =>
      [revision, ...sent === undefined ? [] : [`sent: ${cut(sent)}`], `expected: ${cut(expected)}`, `came: ${cut(came)}`].join('\n')),
    placeOf(judgement)?.address ?? '',
  ].join('\n\n');
}
