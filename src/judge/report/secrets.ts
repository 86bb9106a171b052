import type { WireEntry, Judgement, JudgeRuling } from '../verdict.ts';

/** Returns the ruling without these texts (credentials), wherever a server repeats them. */
export function withoutSecrets(ruling: JudgeRuling, secrets: readonly string[]): JudgeRuling {
  const hidden = secrets.flatMap((one) => [one, ...one.split(/\s+/)]).filter((one) => one.length >= 6 && !/^(basic|bearer|digest)$/i.test(one));
  const all = [...new Set(hidden.flatMap((one) => [one, JSON.stringify(one).slice(1, -1), encodeURIComponent(one)]))].sort((a, b) => b.length - a.length);
  if (all.length === 0) return ruling;
  const clean = (text: string): string => withoutPart(all.reduce((left, one) => left.replaceAll(one, '[redacted]'), text), all);
  const entryOf = (entry: WireEntry): WireEntry => (entry.kind === 'http' ? { ...entry, path: clean(entry.path), headers: Object.fromEntries(Object.entries(entry.headers).map(([name, value]) => [name, clean(value)])) }
    : entry.kind === 'event' ? { ...entry, data: clean(entry.data) } : { ...entry, text: clean(entry.text) });
  const judgementOf = (one: Judgement): Judgement => ({
    ...one, ...one.why !== undefined && { why: clean(one.why) },
    evidence: one.evidence.map((evidence) => ({
      ...evidence, expected: clean(evidence.expected), came: clean(evidence.came), ...evidence.sent !== undefined && { sent: clean(evidence.sent) }, entries: evidence.entries.map(entryOf),
    })),
  });
  return {
    ...ruling, target: clean(ruling.target), judgements: ruling.judgements.map(judgementOf), others: ruling.others.map(judgementOf), failures: ruling.failures.map(clean),
    ...ruling.name !== undefined && { name: clean(ruling.name) }, ...ruling.stopped !== undefined && { stopped: clean(ruling.stopped) },
  };
}

/** A text that was cut, without the first characters of a secret at its end. */
function withoutPart(text: string, secrets: readonly string[]): string {
  for (const secret of secrets) {
    // A text may end with the name of a scheme. What follows that name is a secret in the list, too.
    if (/\s|%20/.test(secret)) continue;
    for (let length = secret.length - 1; length >= 4; length--) {
      if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}[redacted]`;
    }
  }
  return text;
}
