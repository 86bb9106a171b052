import { isObject } from '../../jsonrpc/internal-exports.ts';
import { ruleSetVersion } from '../rules.ts';
import type { Judgement, JudgeRuling } from '../verdict.ts';

/** Known faults, as rule ids. With a file of them, a run fails only for new faults. */
export interface Baseline {
  readonly ruleSet: string;
  readonly broken: readonly string[];
}

/** The faults of a run, as a baseline. */
export const baselineOf = ({ judgements }: JudgeRuling): Baseline => ({
  ruleSet: ruleSetVersion, broken: judgements.filter(({ verdict }) => verdict === 'broken').map(({ rule }) => rule.id).sort(),
});

/** Reads a baseline. Throws a TypeError or a SyntaxError if it is malformed, or if its rule set has another major version. */
export function readBaseline(text: string): Baseline {
  const json: unknown = JSON.parse(text);
  const major = (version: string): string => version.split('.')[0] ?? '';
  if (!isObject(json) || typeof json['ruleSet'] !== 'string' || !Array.isArray(json['broken']) || !json['broken'].every((id) => typeof id === 'string')) {
    throw new TypeError('a baseline has ruleSet and broken, a list of rule ids');
  }
  for (const member of Object.keys(json)) if (member !== 'ruleSet' && member !== 'broken') throw new TypeError(`a baseline has no member ${JSON.stringify(member)}: did you mean broken?`);
  if (major(json['ruleSet']) !== major(ruleSetVersion)) throw new TypeError(`the baseline is of rule set ${json['ruleSet']}, and this one is ${ruleSetVersion}`);
  return { ruleSet: json['ruleSet'], broken: json['broken'] as string[] };
}

/** Broken rules that are not in the baseline. */
export const newFaults = ({ judgements }: JudgeRuling, baseline?: Baseline): Judgement[] =>
  judgements.filter(({ rule, verdict }) => verdict === 'broken' && baseline?.broken.includes(rule.id) !== true);
