import { systemClock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import { errorMessage, isObject } from '../jsonrpc/internal-exports.ts';
import { revisions } from '../protocol/index.ts';
import type { Revision } from '../protocol/index.ts';
import { Bench, handshake } from './bench.ts';
import type { ReceivedAnswer, JudgedConversation } from './conversation.ts';
import { Ledger } from './ledger.ts';
import { checkRun, judgedServerShape } from './options.ts';
import type { JudgedServer, JudgeOptions } from './options.ts';
import { watchedRules, watchServer } from './passive/watch.ts';
import { suits } from './probe.ts';
import type { ServerProbe } from './probe.ts';
import { allRules, ruleSetVersion } from './rules.ts';
import type { JudgedRule } from './rules.ts';
import { checkItems } from './items-file.ts';
import { authorizationProbes } from './server/authorization.ts';
import { openingProbes } from './server/opening.ts';
import { serverProbes } from './server/probes.ts';
import { judgeUnopened, unopenedRules } from './server/unopened.ts';
import type { JudgeRuling } from './verdict.ts';

/**
 * Judges a server: reports which rules of the specification it breaks, with the messages that show it. The run ends by itself. It rejects
 * only with a TypeError, for an unknown or malformed option.
 */
export async function judgeServer(server: JudgedServer, options: JudgeOptions = {}): Promise<JudgeRuling> {
  checkOptions('judgeServer: server', server, judgedServerShape);
  checkRun('judgeServer', options);
  checkItems('judgeServer: options.items', options.items ?? {});
  const { clock = systemClock, seed = 1, only } = options;
  if ((server.open === undefined) === (server.http === undefined)) throw new TypeError('judgeServer: server needs either open or http');
  const began = clock.monotonic();
  const ledger = new Ledger('server', only && new Set(only));
  let bench = new Bench(server, ledger, options, clock, watchServer(options.compile));
  let failures: string[] = [];
  let spoken: readonly Revision[] = [];
  let stopped: string | undefined;
  let openings = new Openings(bench);
  try {
    const wanted = revisions.filter(({ version }) => options.revisions?.includes(version) ?? true);
    if (!server.http?.sse) bench.spoken = spoken = await openings.all(wanted);
    if (spoken.length === 0 && server.http && openings.guarded.length === 0) {
      const older = new Bench(server, ledger, options, clock, watchServer(options.compile), true);
      const found = new Openings(older);
      // A server that speaks only HTTP+SSE at this address. 2024-11-05 basic/transports#http-with-sse.
      spoken = older.spoken = await found.all(wanted.filter(({ era }) => era === 'legacy'));
      if (spoken.length === 0 && found.guarded.length === 0) await judgeUnopened(bench, older, wanted);
      await (spoken.length > 0 ? bench : older).close();
      if (spoken.length > 0) [bench, openings] = [older, found];
    }
    if (spoken.length === 0) stopped = openings.why;
    // `Promise.all` keeps the order of the revisions.
    failures = (await Promise.all(spoken.map((revision) => judgeRevision(bench, revision, serverProbes)))).flat();
    // If the server requires a token, judge only its authorization.
    if (spoken.length === 0) for (const revision of openings.guarded) failures.push(...await judgeRevision(bench, revision, authorizationProbes));
  } finally {
    await bench.close();
  }
  const versions = [...new Set([...spoken.map(({ version }) => version), ...spoken.length > 0 ? bench.named : []])];
  return {
    target: server.name, role: 'server', ruleSet: ruleSetVersion, seed, revisions: spoken.map(({ version }) => version), name: openings.name,
    judgements: ledger.judgements(versions, needsOf(bench)), others: ledger.others(versions), ...stopped !== undefined && { stopped }, failures, ms: clock.monotonic() - began,
  };
}

/** Opens a server in each revision, and keeps the results. */
class Openings {
  /** Revisions in which the server requires a token. */
  readonly guarded: Revision[] = [];
  readonly #bench: Bench;
  readonly #names = new Map<Revision, string>();
  readonly #whys = new Map<Revision, string>();

  constructor(bench: Bench) {
    this.#bench = bench;
  }

  /** The server's name and version in the newest revision. */
  get name(): string | undefined {
    return newestOf(this.#names);
  }

  /** Why the server speaks no revision. */
  get why(): string {
    return newestOf(this.#whys) ?? 'it speaks none of the revisions';
  }

  /** Opens each revision in a separate conversation. A quick run stops at the first spoken revision of each era. */
  async all(wanted: readonly Revision[]): Promise<Revision[]> {
    const eras = ['modern', 'legacy'].map((era) => wanted.filter((one) => one.era === era));
    const opened = this.#bench.options.quick ? await Promise.all(eras.map((list) => this.#newest(list))) : await Promise.all(wanted.map((revision) => this.#one(revision)));
    settled(this.#bench);
    return opened.filter((one) => typeof one === 'object');
  }

  /** The newest spoken revision. If the server offers another revision instead, that one is tried next. */
  async #newest(list: readonly Revision[]): Promise<Revision | undefined> {
    for (let at = 0; at >= 0 && at < list.length;) {
      const [, ...rest] = list.slice(at);
      const found = await this.#one(list[at] as Revision);
      if (typeof found === 'object') return found;
      const offered = rest.findIndex(({ version }) => version === found);
      at += 1 + Math.max(0, offered);
    }
    return undefined;
  }

  /** The revision if it is spoken; else the version that the server offered instead. */
  async #one(revision: Revision): Promise<Revision | string | undefined> {
    const bench = this.#bench;
    bench.options.onStep?.(`opening in ${revision.version}`);
    try {
      const conversation = await bench.raw(revision);
      conversation.hold();
      const answer = revision.era === 'legacy' ? await handshake(conversation) : await conversation.ask('server/discover');
      const { protocolVersion, supportedVersions, serverInfo, _meta: meta } = answer.result;
      const named: unknown[] = Array.isArray(supportedVersions) ? supportedVersions : [];
      if (revision.era === 'modern') for (const version of named) bench.named.add(String(version));
      else bench.offered.push({ conversation, answer });
      const speaks = answer.kind === 'result' && (revision.era === 'legacy' ? protocolVersion === revision.version : named.includes(revision.version));
      conversation.release(speaks);
      const strange = speaks ? undefined : conversation.arrivals.find(({ json, answers }) => answers === undefined && isObject(json) && 'result' in json && 'id' in json && String(json['id']) === String(answer.asked.id));
      if (strange) conversation.check('base-70', false, `a response with the id ${JSON.stringify(answer.asked.id)}`, strange, answer.asked.text);
      for (const probe of openingProbes) if (probe.rules.some((id) => bench.ledger.wants(id))) await probe.opened(bench, conversation, answer, speaks);
      if (!speaks) {
        if (revision.era === 'modern' && answer.kind === 'error') await undiscovered(conversation, answer);
        if (answer.reply?.status === 401 || answer.reply?.status === 403 || answer.reply?.headers['www-authenticate'] !== undefined) this.guarded.push(revision);
        this.#whys.set(revision, `${revision.era === 'legacy' ? 'initialize' : 'server/discover'} got: ${answer.came.slice(0, 400)}`);
        void conversation.close();
        return typeof protocolVersion === 'string' ? protocolVersion : undefined;
      }
      const name = nameOf(serverInfo) ?? nameOf(isObject(meta) ? meta['io.modelcontextprotocol/serverInfo'] : undefined);
      if (name !== undefined) this.#names.set(revision, name);
      bench.keep(conversation);
      return revision;
    } catch (thrown) {
      this.#whys.set(revision, errorMessage(thrown));
      return undefined;
    }
  }
}

/** The text of the newest revision, in whatever order the texts came. */
const newestOf = (said: ReadonlyMap<Revision, string>): string | undefined => said.get(revisions.find((one) => said.has(one)) ?? revisions[0] as Revision);

/** Detects a server of 2026-07-28 without `server/discover`: its results show the revision. */
async function undiscovered(conversation: JudgedConversation, discovered: ReceivedAnswer): Promise<void> {
  const answer = await conversation.ask('tools/list');
  if (answer.kind === 'result' && typeof answer.result['resultType'] === 'string') conversation.check('discover-1', false, 'a result: tools/list is served in this revision', discovered);
}

/** If `server/discover` names a version, `initialize` must accept it too. */
function settled({ named, offered }: Bench): void {
  for (const { conversation, answer } of offered) {
    const { version } = conversation.revision;
    if (answer.kind === 'result' && named.has(version)) conversation.check('lifecycle-19', answer.result['protocolVersion'] === version, `the version that was asked for: server/discover names ${version}`, answer);
  }
}

function nameOf(info: unknown): string | undefined {
  if (typeof info !== 'object' || info === null) return undefined;
  const { name, version } = info as { readonly name?: unknown; readonly version?: unknown };
  return typeof name === 'string' ? `${name}${typeof version === 'string' ? ` ${version}` : ''}`.slice(0, 200) : undefined;
}

/** Runs the probes of one revision: in turn, and in parallel those with separate conversations. Returns the failures, in probe order. */
async function judgeRevision(bench: Bench, revision: Revision, probes: readonly ServerProbe[]): Promise<string[]> {
  const { options: { quick = false, hostile = false, onStep }, ledger } = bench;
  const chosen = probes.filter((probe) => suits(probe, bench.kind, revision) && !(probe.slow && quick) && !(probe.hostile && !hostile)
    && probe.rules.some((id) => ledger.wants(id) && allRules().get(id)?.places.some((place) => place.revision === revision.version)));
  const failures = new Map<ServerProbe, string>();
  const make = async (probe: ServerProbe, place: number): Promise<void> => {
    onStep?.(`${revision.version}: ${probe.name}`);
    try {
      await probe.run(place > 0 ? bench.beside(place) : bench, revision);
    } catch (thrown) {
      failures.set(probe, `${revision.version}: ${probe.name}: ${errorMessage(thrown)}`);
    }
  };
  const beside = (when: ServerProbe['apart']): Promise<void>[] => chosen.flatMap((probe, at) => (probe.apart === when ? [bench.whenFree(() => make(probe, at + 1))] : []));
  const going = beside('at once');
  // The shared conversation has the same order in each run: the survey comes first.
  if (chosen.some(({ apart }) => apart === 'surveyed')) await bench.survey(revision).catch(() => undefined);
  going.push(...beside('surveyed'));
  for (const probe of chosen) if (!probe.apart) await make(probe, 0);
  await Promise.all(going);
  return chosen.flatMap((probe) => failures.get(probe) ?? []);
}

/** Says what a rule without any report would have needed. */
function needsOf({ options: { quick = false, hostile = false }, kind }: Bench): (rule: JudgedRule) => string {
  return ({ id }) => {
    const probes: readonly ServerProbe[] = serverProbes.filter(({ rules }) => rules.includes(id));
    const [probe] = probes;
    if (!probe) return openingProbes.some(({ rules }) => rules.includes(id)) ? 'a result of initialize or of server/discover' : 'it cannot be seen from outside';
    if (probes.every(({ over }) => over !== undefined && over !== kind)) return `a target over ${probe.over === 'http' ? 'HTTP' : 'a pipe'}`;
    if (quick && probes.every(({ slow }) => slow)) return 'a run without --quick';
    if (!hostile && probes.every((one) => one.hostile)) return 'a run with --hostile';
    // The first probe may judge a rule only in passing.
    return probes.find(({ needs }) => needs !== undefined)?.needs ?? watchedRules[id] ?? 'the probe ended before it';
  };
}

/** Ids of all rules that a run may show. */
export const seenRules = (): ReadonlySet<string> => new Set([...serverProbes.flatMap(({ rules }) => rules), ...openingProbes.flatMap(({ rules }) => rules), ...unopenedRules, ...Object.keys(watchedRules)]);
