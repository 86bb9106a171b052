import type { Judgement, JudgeRuling } from '../verdict.ts';

/** The report as data. Evidence has only the sent and the received message, not the whole conversation. */
export function jsonReport({ judgements, others, ...rest }: JudgeRuling): Record<string, unknown> {
  return { ...rest, judgements: judgements.map(plain), ...others.length > 0 && { others: others.map(plain) } };
}

const plain = ({ rule: { id, who, text, places }, level, verdict, revisions, times, evidence, why }: Judgement): Record<string, unknown> => ({
  id, who, level, text, verdict, revisions, times, ...why !== undefined && { why },
  sections: places.map(({ revision, section, address }) => ({ revision, section, address })),
  ...evidence.length > 0 && { evidence: evidence.map(({ entries: _, ...one }) => one) },
});
