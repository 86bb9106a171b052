import { visible } from '../../explain/index.ts';
import type { WireEntry, Evidence, Judgement, JudgeRuling, RuleVerdict } from '../verdict.ts';
import { placeOf } from './summary.ts';
import { counted } from './text.ts';

const escaped = (text: string): string => visible(text.replaceAll(/[\r\n]+/g, ' ')).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const styles = `body{font:15px/1.5 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222;background:#fff}
h2{margin-top:2em}code,pre{font:13px/1.45 ui-monospace,monospace;overflow-wrap:anywhere;white-space:pre-wrap}
.broken{border-left:4px solid #c22;padding-left:1em}.dispute,.SHOULD.broken{border-left:4px solid #b80;padding-left:1em}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.2em .8em .2em 0;border-bottom:1px solid #ddd}
dl{display:grid;grid-template-columns:6em 1fr;gap:.2em 1em}dd{margin:0}dt{color:#666}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}td,th{border-color:#444}dt{color:#999}a{color:#8bf}}`;

function lineOf(entry: WireEntry): string {
  const arrow = entry.direction === 'sent' ? '--&gt;' : '&lt;--';
  if (entry.kind === 'http') return `${arrow} HTTP ${entry.status ?? `${entry.method} ${escaped(entry.path)}`}`;
  return `${arrow} ${escaped((entry.kind === 'event' ? entry.data : entry.text).slice(0, 4_000))}`;
}

function evidenceOf({ revision, sent, expected, came, entries }: Evidence): string {
  return `<h4>${escaped(revision)}</h4><dl>${sent === undefined ? '' : `<dt>sent</dt><dd><code>${escaped(sent)}</code></dd>`}<dt>expected</dt><dd>${escaped(expected)}</dd>`
    + `<dt>came</dt><dd><code>${escaped(came)}</code></dd></dl><details><summary>the conversation until then: ${entries.length} entries</summary><pre>${entries.map(lineOf).join('\n')}</pre></details>`;
}

function accused(judgement: Judgement): string {
  const { rule, level, verdict, evidence } = judgement;
  return `<section class="${verdict} ${level}" id="${rule.id}"><h3>${rule.id} <small>${level}, ${verdict}</small></h3><p>${escaped(rule.text)} <a href="${escaped(placeOf(judgement)?.address ?? '')}">${escaped(placeOf(judgement)?.section ?? '')}</a></p>${evidence.map(evidenceOf).join('')}</section>`;
}

const rows = (judgements: readonly Judgement[], verdict: RuleVerdict): string => {
  const some = judgements.filter((one) => one.verdict === verdict);
  return `<details><summary>${some.length} ${verdict}</summary><table>${some.map((one) => `<tr><td>${one.rule.id}</td><td>${one.level}</td><td>${escaped(one.rule.text)}</td><td>${escaped(one.why ?? Object.keys(one.revisions).join(', '))}</td></tr>`).join('')}</table></details>`;
};

/** The report as one HTML page, without other files or scripts. */
export function htmlReport(ruling: JudgeRuling): string {
  const { judgements, name, target, revisions, ruleSet, role, stopped, failures } = ruling;
  const title = `${escaped(name ?? target)}, judged`;
  const counts = (['MUST', 'SHOULD'] as const).map((level) => {
    const { broken, kept, dispute, 'not-applicable': without, 'not-seen': unseen } = counted(judgements, level);
    return `<tr><th>${level}</th><td>${broken} broken</td><td>${kept} kept</td><td>${dispute} disputed</td><td>${without} not applicable</td><td>${unseen} not seen</td></tr>`;
  }).join('');
  const of = (verdict: RuleVerdict): string => judgements.filter((one) => one.verdict === verdict).toSorted((a, b) => a.level.localeCompare(b.level)).map(accused).join('');
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${title}</title>`,
    `<style>${styles}</style></head><body><h1>${title}</h1>`,
    `<p>${role} <code>${escaped(target)}</code>, revisions ${escaped(revisions.join(', ') || 'none')}, rule set ${ruleSet}.</p>`,
    stopped === undefined ? '' : `<p>It could not be judged: ${escaped(stopped)}</p>`,
    `<table>${counts}</table><h2>Broken</h2>`, of('broken') || '<p>Nothing.</p>', '<h2>Disputed</h2>', of('dispute') || '<p>Nothing.</p>',
    '<h2>The rest</h2>', rows(judgements, 'kept'), rows(judgements, 'not-seen'), rows(judgements, 'not-applicable'),
    ...failures.map((one) => `<p>A probe could not be made: ${escaped(one)}</p>`), '</body></html>\n',
  ].join('');
}
