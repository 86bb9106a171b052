import type { Ruling } from '../verdict.ts';

/** The report as data: what passed in the conversations is left out, but for what was sent and what came. */
export function jsonReport({ judgements, ...rest }: Ruling): Record<string, unknown> {
  return {
    ...rest,
    judgements: judgements.map(({ rule: { id, who, text, places }, level, verdict, revisions, times, evidence, why }) => ({
      id, who, level, text, verdict, revisions, times, ...why !== undefined && { why },
      sections: places.map(({ revision, section, address }) => ({ revision, section, address })),
      ...evidence.length > 0 && { evidence: evidence.map(({ entries: _, ...one }) => one) },
    })),
  };
}
