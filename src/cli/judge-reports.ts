import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { badgeReport, baselineOf, htmlReport, junitReport, sarifReport, wireReport } from '../judge/index.ts';
import type { JudgeRuling } from '../judge/index.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import type { ClientWords, OwnOptions } from './client-options.ts';
import { WrongUse } from './exit-codes.ts';

/** The reports that are written to files, by option. */
const writers: Readonly<Record<string, (ruling: JudgeRuling) => string>> = {
  junit: junitReport,
  sarif: (ruling) => `${JSON.stringify(sarifReport(ruling), undefined, 2)}\n`,
  html: htmlReport,
  badge: (ruling) => `${JSON.stringify(badgeReport(ruling))}\n`,
  'write-baseline': (ruling) => `${JSON.stringify(baselineOf(ruling), undefined, 2)}\n`,
};

export const reportOptions: OwnOptions = Object.fromEntries([...Object.keys(writers), 'wire'].map((name) => [name, { type: 'string' }]));

export const reportHelp: readonly (readonly [string, string])[] = [
  ['--baseline FILE', 'fails only for a broken rule that is not in this file'],
  ['--write-baseline FILE', 'writes the broken rules into such a file'],
  ['--junit FILE', 'writes JUnit XML'],
  ['--sarif FILE', 'writes SARIF 2.1.0'],
  ['--html FILE', 'writes one page that needs no other file'],
  ['--badge FILE', 'writes a badge as JSON'],
  ['--wire FOLDER', 'writes a transcript for each broken rule, which barewire replay plays'],
];

/** Writes the files that the options name. */
export function writeReports({ text }: Pick<ClientWords, 'text'>, ruling: JudgeRuling): void {
  for (const [name, write] of Object.entries(writers)) {
    const file = text(name);
    if (file !== undefined) save(name, file, write(ruling));
  }
  const folder = text('wire');
  if (folder === undefined) return;
  for (const judgement of ruling.judgements) {
    const wire = wireReport(judgement);
    if (wire === undefined) continue;
    mkdirSync(folder, { recursive: true });
    save('wire', join(folder, `${judgement.rule.id}.wire`), wire);
  }
}

function save(option: string, file: string, content: string): void {
  try {
    writeFileSync(file, content);
  } catch (thrown) {
    throw new WrongUse(`--${option} ${file}: ${errorMessage(thrown)}`);
  }
}
