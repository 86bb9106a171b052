// The judge in the page: finds the rules of the specification that a server breaks. A run holds dozens of conversations; those with
// evidence are shown on the wire.
import type { JudgeRuling } from 'barewire/judge';
import type { JudgementView, RulingView } from '../messages.ts';
import { PageError } from './failure.ts';
import type { PageHost } from './page-host.ts';
import type { ServerEntry } from './server-entry.ts';

type Judgement = JudgeRuling['judgements'][number];
type Evidence = Judgement['evidence'][number];
type Passed = Evidence['entries'][number];

/** The server name of the judge's conversations on the wire. No real server's name has a colon. */
export const judgeOf = (server: string): string => `${server}: judge`;

/** The most characters of a server's text in a view. */
const maxChars = 2_000;

/** Judges a server. `quick`: only the newest revision of each era, without slow probes. */
export async function judge(page: PageHost, server: string, quick: boolean): Promise<null> {
  const entry = page.entry(server);
  const { judge: run, open } = page.options;
  if (!run) throw new PageError('not-here', 'this host has no judge');
  if (entry.judging?.step != null) throw new PageError('busy', `${server} is being judged`);
  const tell = (step: string | null, ruling: RulingView | null = null): void => {
    entry.judging = { server, step, ruling };
    page.tell({ type: 'judging', judging: entry.judging });
  };
  tell('beginning');
  try {
    const ruling = await run({
      name: server, config: entry.config,
      // A connection with the same restrictions as the page's own, because the server may be harmful.
      open: (trace) => open(server, entry.config, { onStderr: () => {}, auth: page.logins.get(server)?.auth, trace: (passed) => { if (passed.kind === undefined || passed.kind === 'message') trace(passed); } }),
    }, quick, tell);
    tell(null, viewOf(ruling, quick, placed(page, entry, ruling)));
  } catch (thrown) {
    tell(null);
    throw thrown;
  }
  return null;
}

/** Puts the conversations with evidence on the wire. Returns the `seq` of each entry. */
function placed(page: PageHost, entry: ServerEntry, { judgements }: JudgeRuling): ReadonlyMap<Passed, number> {
  const seqs = new Map<Passed, number>();
  const conversations = new Map<number, Evidence[]>();
  for (const one of judgements.flatMap(({ evidence }) => evidence)) conversations.set(one.conversation, [...conversations.get(one.conversation) ?? [], one]);
  for (const [, shown] of [...conversations].sort(([a], [b]) => a - b)) {
    const passed = joined(shown.map(({ entries }) => entries));
    const [first] = passed;
    if (!first) continue;
    const connection = ++entry.judged;
    const name = judgeOf(entry.name);
    page.wire.mark(name, connection, 'opened', `The judge speaks ${shown[0]?.revision ?? ''}.`, first.at);
    for (const one of passed) {
      const isMessage = one.kind !== 'http' && one.kind !== 'event';
      seqs.set(one, page.wire.add(name, connection, shown[0]?.revision, isMessage ? { ...one, origin: 'peer' } : one));
    }
    page.wire.mark(name, connection, 'closed', '', passed.at(-1)?.at);
  }
  return seqs;
}

/** Joins overlapping parts of one list in order, each entry once. */
function joined(parts: readonly (readonly Passed[])[]): readonly Passed[] {
  const all: Passed[] = [];
  for (const part of [...parts].sort((a, b) => (a.at(-1)?.at ?? 0) - (b.at(-1)?.at ?? 0) || a.length - b.length)) {
    const last = all.at(-1);
    const known = new Set(all);
    if (last === undefined || !part.includes(last)) all.push(...part.filter((one) => !known.has(one)));
    else all.push(...part.slice(part.lastIndexOf(last) + 1));
  }
  return all;
}

/** The decisive message: the one that came, else the one that was sent, else the last one. */
function deciding({ came, sent, entries }: Evidence): Passed | undefined {
  const of = (direction: 'sent' | 'received', text: string | undefined): Passed | undefined =>
    entries.findLast((one) => 'text' in one && one.direction === direction && one.text === text);
  return of('received', came) ?? of('sent', sent) ?? entries.at(-1);
}

function viewOf(ruling: JudgeRuling, quick: boolean, seqs: ReadonlyMap<Passed, number>): RulingView {
  const { ruleSet, revisions, ms, stopped = '', failures, judgements } = ruling;
  return { ruleSet, quick, revisions, ms: Math.round(ms), stopped: stopped.slice(0, maxChars), failures, judgements: judgements.map((one) => judgementView(one, revisions, seqs)) };
}

function judgementView({ rule, level, verdict, why = '', evidence }: Judgement, revisions: readonly string[], seqs: ReadonlyMap<Passed, number>): JudgementView {
  const revision = evidence[0]?.revision ?? revisions.find((one) => rule.places.some((place) => place.revision === one));
  const place = rule.places.find((one) => one.revision === revision) ?? rule.places[0];
  return {
    rule: rule.id, text: rule.text, level, verdict, why: why.slice(0, maxChars), section: place ? `${place.revision} ${place.section}` : '',
    evidence: evidence.map((one) => {
      const decided = deciding(one);
      return { revision: one.revision, expected: one.expected.slice(0, maxChars), came: one.came.slice(0, maxChars), wire: (decided && seqs.get(decided)) ?? 0 };
    }),
  };
}
