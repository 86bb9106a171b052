import { systemClock } from '../bounds/clock.ts';
import { checkOptions } from '../bounds/options.ts';
import { errorMessage } from '../jsonrpc/door.ts';
import { revisions } from '../protocol/index.ts';
import type { Revision } from '../protocol/index.ts';
import { Bench, handshake } from './bench.ts';
import type { ReceivedAnswer, JudgedConversation } from './conversation.ts';
import { Ledger } from './ledger.ts';
import { judgedServerShape, judgeShape } from './options.ts';
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
import type { JudgeRuling } from './verdict.ts';

/**
 * Judges a server: which rule of the specification it breaks, with what was sent and what came. It ends by itself, and
 * rejects only with a TypeError, for an unknown or malformed option.
 */
export async function judgeServer(server: JudgedServer, options: JudgeOptions = {}): Promise<JudgeRuling> {
  checkOptions('judgeServer: server', server, judgedServerShape);
  checkOptions('judgeServer: options', options, judgeShape);
  checkItems('judgeServer: options.items', options.items ?? {});
  const { clock = systemClock, seed = 1, only } = options;
  if ((server.open === undefined) === (server.http === undefined)) throw new TypeError('judgeServer: server needs either open or http');
  for (const id of only ?? []) if (!allRules().has(id)) throw new TypeError(`judgeServer: options.only names ${JSON.stringify(id)}, which is not a rule`);
  for (const version of options.revisions ?? []) if (!revisions.some((one) => one.version === version)) throw new TypeError(`judgeServer: options.revisions names ${JSON.stringify(version)}, which is not a revision`);
  const began = clock.monotonic();
  const ledger = new Ledger('server', only && new Set(only));
  let bench = new Bench(server, ledger, options, clock, watchServer(options.compile));
  const failures: string[] = [];
  let spoken: readonly Revision[] = [];
  let stopped: string | undefined;
  try {
    const found = await openAll(bench, revisions.filter(({ version }) => options.revisions?.includes(version) ?? true));
    bench.spoken = spoken = found.spoken;
    if (spoken.length === 0) {
      stopped = found.why;
      const older = server.http && found.guarded.length === 0 ? await overSse(bench) : undefined;
      if (older) {
        bench = older;
        spoken = older.spoken;
        stopped = undefined;
      }
    }
    await Promise.all(judgedOf(spoken, options).map((revision) => judgeRevision(bench, revision, serverProbes, failures)));
    // A server that wants a token shows how it does that.
    if (spoken.length === 0) for (const revision of found.guarded) await judgeRevision(bench, revision, authorizationProbes, failures);
  } finally {
    await bench.close();
  }
  return {
    target: server.name, role: 'server', ruleSet: ruleSetVersion, seed, revisions: spoken.map(({ version }) => version), name: bench.name,
    judgements: ledger.judgements([...new Set([...spoken.map(({ version }) => version), ...spoken.length > 0 ? bench.named : []])], needsOf(bench)), others: ledger.others(), ...stopped !== undefined && { stopped }, failures, ms: clock.monotonic() - began,
  };
}

/** A server that speaks only HTTP+SSE at this address; undefined where it does not. 2024-11-05 basic/transports#http-with-sse. */
async function overSse({ server, ledger, options, clock }: Bench): Promise<Bench | undefined> {
  const bench = new Bench(server, ledger, options, clock, watchServer(options.compile), true);
  const { spoken } = await openAll(bench, revisions.filter(({ version, era }) => era === 'legacy' && (options.revisions?.includes(version) ?? true)));
  bench.spoken = spoken;
  if (spoken.length > 0) return bench;
  await bench.close();
  return undefined;
}

/** A quick run judges the newest revision of each era only. */
function judgedOf(spoken: readonly Revision[], { quick = false }: JudgeOptions): readonly Revision[] {
  return quick ? spoken.filter(({ era }, at) => spoken.findIndex((one) => one.era === era) === at) : spoken;
}

/** Opens each revision in a conversation of its own. */
async function openAll(bench: Bench, wanted: readonly Revision[]): Promise<{ readonly spoken: readonly Revision[]; readonly guarded: readonly Revision[]; readonly why: string }> {
  const guarded: Revision[] = [];
  let why = 'it speaks none of the revisions';
  const opened = await Promise.all(wanted.map(async (revision) => {
    bench.options.onStep?.(`opening in ${revision.version}`);
    try {
      const conversation = await bench.raw(revision);
      conversation.hold();
      const answer = revision.era === 'legacy' ? await handshake(conversation) : await conversation.ask('server/discover');
      if (revision.era === 'modern' && Array.isArray(answer.result['supportedVersions'])) for (const version of answer.result['supportedVersions']) bench.named.add(String(version));
      if (revision.era === 'legacy') bench.offered.push({ conversation, answer });
      const speaks = answer.kind === 'result' && (revision.era === 'legacy' ? answer.result['protocolVersion'] === revision.version
        : Array.isArray(answer.result['supportedVersions']) && answer.result['supportedVersions'].includes(revision.version));
      conversation.release(speaks);
      const strange = speaks ? undefined : conversation.arrivals.find(({ json, answers }) => answers === undefined && typeof json === 'object' && json !== null && 'result' in json && 'id' in json && String(json.id) === String(answer.asked.id));
      if (strange) conversation.check('base-70', false, `a response with the id ${JSON.stringify(answer.asked.id)}`, strange, answer.asked.text);
      for (const probe of openingProbes) if (probe.rules.some((id) => bench.ledger.wants(id))) await probe.opened(bench, conversation, answer, speaks);
      if (!speaks) {
        if (revision.era === 'modern' && answer.kind === 'error') await undiscovered(conversation, answer);
        if (answer.reply?.status === 401 || answer.reply?.status === 403 || answer.reply?.headers['www-authenticate'] !== undefined) guarded.push(revision);
        why = `${revision.era === 'legacy' ? 'initialize' : 'server/discover'} got: ${answer.came.slice(0, 400)}`;
        await conversation.close();
        return undefined;
      }
      const { capabilities } = answer.result;
      if (typeof capabilities === 'object' && capabilities !== null) conversation.offered = capabilities as Record<string, unknown>;
      bench.name ??= nameOf(answer.result['serverInfo']) ?? nameOf((answer.result['_meta'] as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/serverInfo']);
      bench.keep(conversation);
      return revision;
    } catch (thrown) {
      why = errorMessage(thrown);
      return undefined;
    }
  }));
  settled(bench);
  return { spoken: opened.filter((one) => one !== undefined), guarded, why };
}

/** A server that serves 2026-07-28 without server/discover: its results show the revision. */
async function undiscovered(conversation: JudgedConversation, discovered: ReceivedAnswer): Promise<void> {
  const answer = await conversation.ask('tools/list');
  if (answer.kind === 'result' && typeof answer.result['resultType'] === 'string') conversation.check('discover-1', false, 'a result: tools/list is served in this revision', discovered);
}

/** Versions that server/discover names are supported: initialize must take them, too. */
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

async function judgeRevision(bench: Bench, revision: Revision, probes: readonly ServerProbe[], failures: string[]): Promise<void> {
  const { options: { quick = false, hostile = false, onStep }, ledger } = bench;
  for (const probe of probes) {
    if (!suits(probe, bench.kind, revision) || (probe.slow && quick) || (probe.hostile && !hostile)) continue;
    if (!probe.rules.some((id) => ledger.wants(id) && allRules().get(id)?.places.some((place) => place.revision === revision.version))) continue;
    onStep?.(`${revision.version}: ${probe.name}`);
    try {
      await probe.run(bench, revision);
    } catch (thrown) {
      failures.push(`${revision.version}: ${probe.name}: ${errorMessage(thrown)}`);
    }
  }
}

/** What a rule that nothing was said about would have needed. */
function needsOf({ options: { quick = false, hostile = false }, kind }: Bench): (rule: JudgedRule) => string {
  return ({ id }) => {
    const probes: readonly ServerProbe[] = serverProbes.filter(({ rules }) => rules.includes(id));
    const [probe] = probes;
    if (!probe) return watchedRules[id] ?? 'nothing that is seen from outside shows it';
    if (probes.every(({ over }) => over !== undefined && over !== kind)) return `a target over ${probe.over === 'http' ? 'HTTP' : 'a pipe'}`;
    if (quick && probes.every(({ slow }) => slow)) return 'a run without --quick';
    if (!hostile && probes.every((one) => one.hostile)) return 'a run with --hostile';
    return probe.needs ?? 'the probe did not come to it';
  };
}

/** All rules that a run may show. */
export const seenRules = (): ReadonlySet<string> => new Set([...serverProbes.flatMap(({ rules }) => rules), ...openingProbes.flatMap(({ rules }) => rules), ...Object.keys(watchedRules)]);
