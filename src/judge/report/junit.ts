import type { Judgement, JudgeRuling } from '../verdict.ts';
import { summaryOf } from './summary.ts';

// Characters that XML 1.0 does not allow cannot be escaped either, so they are replaced.
const escaped = (text: string): string => text.replaceAll(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '�')
  .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function testCase(judgement: Judgement): string {
  const { rule, level, verdict, why } = judgement;
  const head = `    <testcase classname="${level}" name="${escaped(`${rule.id}: ${rule.text}`)}"`;
  if (verdict === 'kept') return `${head}/>`;
  if (verdict === 'broken' && level === 'MUST') return `${head}>\n      <failure message="${escaped(rule.text)}">${escaped(summaryOf(judgement))}</failure>\n    </testcase>`;
  if (verdict === 'broken' || verdict === 'dispute') return `${head}>\n      <system-out>${escaped(`${verdict}: ${summaryOf(judgement)}`)}</system-out>\n    </testcase>`;
  return `${head}>\n      <skipped message="${escaped(`${verdict}: ${why ?? ''}`)}"/>\n    </testcase>`;
}

/** The report as JUnit XML: a broken MUST is a failure; rules not seen or not applicable are skipped. */
export function junitReport({ judgements, target, role, ms }: JudgeRuling): string {
  const failures = judgements.filter(({ verdict, level }) => verdict === 'broken' && level === 'MUST').length;
  const skipped = judgements.filter(({ verdict }) => verdict === 'not-seen' || verdict === 'not-applicable').length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>',
    `  <testsuite name="${escaped(`barewire judge: ${role} ${target}`)}" tests="${judgements.length}" failures="${failures}" skipped="${skipped}" time="${(ms / 1000).toFixed(3)}">`,
    ...judgements.map(testCase), '  </testsuite>', '</testsuites>', '',
  ].join('\n');
}
