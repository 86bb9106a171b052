import { httpRecorder, recorder } from '../../transcript/index.ts';
import type { Evidence, Judgement } from '../verdict.ts';
import { placeOf } from './summary.ts';

/** The conversation of the first evidence, as a transcript for `barewire replay`. Undefined without evidence. */
export function wireReport(judgement: Judgement): string | undefined {
  const [first] = judgement.evidence;
  if (!first) return undefined;
  const prose = [
    `${judgement.rule.id}, ${judgement.level}: ${judgement.rule.text}.`, placeOf(judgement)?.address ?? '', `In ${first.revision} expected: ${first.expected.replaceAll(/\s+/g, ' ')}`,
  ].map((line) => `Rule ${line}`.replace(/^Rule (http|In )/, '$1'));
  return `${prose.join('\n')}\n\n${traffic(first)}`;
}

function traffic({ entries }: Evidence): string {
  if (!entries.some((entry) => entry.kind === 'http')) {
    const { add } = recorder();
    return entries.map((entry) => (entry.kind === 'http' || entry.kind === 'event' ? '' : add(entry.direction === 'sent' ? 'client' : 'server', entry.text))).join('');
  }
  const { add, end } = httpRecorder();
  const lines = entries.map((entry) => add(entry));
  const exchanges = new Set(entries.flatMap(({ exchange }) => (exchange === undefined ? [] : [exchange])));
  return lines.join('') + [...exchanges].map((exchange) => end(exchange, 'cut')).join('');
}
