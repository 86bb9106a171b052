import { version } from '../version.ts';
import type { JudgeRuling } from '../verdict.ts';
import { placeOf, summaryOf } from './summary.ts';

/** The report as SARIF 2.1.0: a result for each broken rule and each dispute. */
export function sarifReport(ruling: JudgeRuling): Record<string, unknown> {
  const accused = ruling.judgements.filter(({ verdict }) => verdict === 'broken' || verdict === 'dispute');
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0',
    runs: [{
      tool: {
        driver: {
          name: 'barewire judge', version, semanticVersion: version,
          rules: accused.map((one) => ({ id: one.rule.id, shortDescription: { text: one.rule.text }, helpUri: placeOf(one)?.address ?? '', properties: { level: one.level } })),
        },
      },
      properties: { ruleSet: ruling.ruleSet, revisions: ruling.revisions, seed: ruling.seed },
      results: accused.map((one, ruleIndex) => ({
        ruleId: one.rule.id, ruleIndex, level: one.verdict === 'dispute' ? 'note' : one.level === 'MUST' ? 'error' : 'warning',
        message: { text: `${one.rule.text}\n\n${summaryOf(one)}` },
        locations: [{ logicalLocations: [{ fullyQualifiedName: `${ruling.role} ${ruling.target}` }] }],
        partialFingerprints: { 'barewireRule/v1': `${ruling.role}/${one.rule.id}` },
      })),
    }],
  };
}
