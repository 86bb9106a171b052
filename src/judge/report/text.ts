import { checkOptions } from '../../bounds/options.ts';
import type { Shape } from '../../bounds/options.ts';
import { visible } from '../../explain/index.ts';
import type { Evidence, Judgement, JudgeRuling, RuleVerdict } from '../verdict.ts';

/** The colours of a report: each function returns its text with or without colour. */
export interface ReportPaint {
  /** A broken MUST. */
  readonly red: (text: string) => string;
  /** A kept rule. */
  readonly green: (text: string) => string;
  /** A broken SHOULD, and a dispute. */
  readonly yellow: (text: string) => string;
  /** Less important text. */
  readonly dim: (text: string) => string;
  /** The id of a rule. */
  readonly bold: (text: string) => string;
}

const plain = (text: string): string => text;
/** Without colour. */
export const noPaint: ReportPaint = { red: plain, green: plain, yellow: plain, dim: plain, bold: plain };

/** A message as one line of a report, cut if it is long. */
const shown = (text: string, most: number): string => {
  const safe = visible(text.replaceAll(/[\r\n]+/g, ' '));
  return safe.length > most ? `${safe.slice(0, most)} … (${text.length} characters)` : safe;
};

/** The number of rules of a level for each verdict. */
export function counted(judgements: readonly Judgement[], level: Judgement['level']): Record<RuleVerdict, number> {
  const counts: Record<RuleVerdict, number> = { kept: 0, broken: 0, dispute: 0, 'not-applicable': 0, 'not-seen': 0 };
  for (const one of judgements) if (one.level === level) counts[one.verdict]++;
  return counts;
}

function evidenceLines({ revision, sent, expected, came }: Evidence, most: number): string[] {
  return [
    `  ${revision}`, ...sent === undefined ? [] : [`    sent      ${shown(sent, most)}`], `    expected  ${shown(expected, most)}`, `    came      ${shown(came, most)}`,
  ];
}

function accusedLines({ rule, level, verdict, evidence }: Judgement, paint: ReportPaint, most: number): string[] {
  const [first] = evidence;
  const place = rule.places.find(({ revision }) => revision === first?.revision) ?? rule.places[0];
  const head = verdict === 'dispute' ? paint.yellow('dispute') : level === 'MUST' ? paint.red('broken') : paint.yellow('broken');
  return [
    `${head} ${paint.bold(rule.id)} ${level}: ${rule.text}`, `  ${paint.dim(place?.address ?? '')}`,
    ...evidence.flatMap((one) => evidenceLines(one, most)), '',
  ];
}

/** Options of a report for people. */
export interface TextReportOptions {
  /** Default: without colour. */
  readonly paint?: ReportPaint | undefined;
  /** Whether kept rules, and rules not seen or not applicable, have a line too. Default: false. */
  readonly all?: boolean | undefined;
  /** Most characters of a message. Default: 400. */
  readonly characters?: number | undefined;
}

const optionsShape: Shape<TextReportOptions> = { paint: 'object', all: 'boolean', characters: 'number' };

/** The report for people. Throws a TypeError for an unknown option. */
export function textReport(ruling: JudgeRuling, options: TextReportOptions = {}): string {
  checkOptions('textReport: options', options, optionsShape);
  const { paint = noPaint, all = false, characters = 400 } = options;
  const { judgements, revisions, name, target, stopped, failures } = ruling;
  const lines = [`${visible(name ?? target)} speaks ${revisions.join(', ') || 'no revision'}; ${judgements.length} rules of a ${ruling.role}, rule set ${ruling.ruleSet}`, ''];
  if (stopped !== undefined) lines.push(`${paint.red('It could not be judged')}: ${visible(stopped)}`, '');
  for (const one of judgements) if (one.verdict === 'broken' && one.level === 'MUST') lines.push(...accusedLines(one, paint, characters));
  for (const one of judgements) if (one.verdict === 'broken' && one.level === 'SHOULD') lines.push(...accusedLines(one, paint, characters));
  for (const one of judgements) if (one.verdict === 'dispute') lines.push(...accusedLines(one, paint, characters));
  if (all) {
    for (const { rule, level, verdict, why } of judgements) {
      if (verdict === 'kept') lines.push(`${paint.green('kept')} ${rule.id} ${level}: ${rule.text}`);
      else if (verdict === 'not-seen' || verdict === 'not-applicable') lines.push(paint.dim(`${verdict} ${rule.id} ${level}: ${rule.text}: ${visible(why ?? '')}`));
    }
    lines.push('');
  }
  lines.push(...failures.map((failure) => `A probe could not be made: ${visible(failure)}`));
  for (const level of ['MUST', 'SHOULD'] as const) {
    const { kept, broken, dispute, 'not-applicable': without, 'not-seen': unseen } = counted(judgements, level);
    lines.push(`${level.padEnd(6)} ${broken} broken, ${kept} kept, ${dispute} disputed, ${without} not applicable, ${unseen} not seen`);
  }
  return lines.join('\n');
}
