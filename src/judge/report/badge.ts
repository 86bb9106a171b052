import type { JudgeRuling } from '../verdict.ts';
import { counted } from './text.ts';

/** A badge as data, in the endpoint format of badge services. */
export function badgeReport({ judgements, stopped }: JudgeRuling): Record<string, unknown> {
  const { broken, kept } = counted(judgements, 'MUST');
  return {
    schemaVersion: 1, label: 'MCP rules', message: stopped !== undefined ? 'not judged' : `${broken} broken, ${kept} kept`,
    color: stopped !== undefined ? 'lightgrey' : broken > 0 ? 'red' : 'brightgreen',
  };
}
