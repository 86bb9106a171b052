import assert from 'node:assert/strict';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import type { ManualClock } from '../../src/bounds/manual-clock.ts';
import { Bench } from '../../src/judge/bench.ts';
import type { JudgeOptions } from '../../src/judge/index.ts';
import { Ledger } from '../../src/judge/ledger.ts';
import { allRules, holdsIn } from '../../src/judge/rules.ts';
import type { JudgedRole } from '../../src/judge/rules.ts';
import { serverProbes } from '../../src/judge/server/probes.ts';
import type { ServerProbe } from '../../src/judge/probe.ts';
import type { Revision } from '../../src/protocol/index.ts';
import type { Evidence } from '../../src/judge/verdict.ts';
import { capabilitiesKey, clientInfoKey, versionKey } from '../../src/protocol/internal-exports.ts';
import { findRevision, revisions } from '../../src/protocol/revisions.ts';
import { bag, Peer } from './peer.ts';
import { realWork } from './peer-login.ts';
import type { Bag, Call, PeerEdits, PeerOptions, Said } from './peer.ts';

// Tests one probe of the judge by itself: what it sends to a server that keeps the rules, and what it says about that server and about the
// same server with one fault. Time is made: it passes when everything waits for it.

/** Does the work; when nothing more happens, the clock goes on to its next call. */
export async function inMadeTime<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  let over = false;
  const end = work.finally(() => (over = true));
  end.catch(() => undefined);
  for (let turns = 0, waited = 0; !over;) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    if (over) break;
    // Real work takes its time, whatever the machine does besides.
    if (realWork.going > 0 && ++waited < 3_000_000) continue;
    assert.ok(++turns < 20_000, 'the work does not end');
    const { due } = clock;
    if (due !== undefined) clock.tick(clock.now() + due - clock.monotonic());
    else if (turns > 10_000) assert.fail('nothing is left to wait for');
  }
  return end;
}

export const shortened = (text: string): string => {
  const plain = text.replaceAll(/\{"jsonrpc":"2.0",("id":\d+,)?/g, '{').replaceAll('\n', ' ');
  return plain.length > 90 ? `${plain.slice(0, 90)}…` : plain;
};

/** The method of a message that was sent, or what it is. */
const sentAs = (text: string): string => /"method":"([^"]+)"/.exec(text)?.[1] ?? shortened(text);

interface SaidOfRule {
  readonly sign: '' | '-' | '?' | '~';
  readonly id: string;
  readonly what: string;
}

/** Keeps what is said about rules. */
export class NotingLedger extends Ledger {
  readonly said: SaidOfRule[] = [];
  readonly #role: JudgedRole;

  constructor(role: JudgedRole) {
    super(role);
    this.#role = role;
  }

  /** One line with the kept rules, then one for each accusation: `-id` is broken, `?id` a dispute, `~id` does not apply. `id×2`: twice. */
  get lines(): string[] {
    const lines = new Map<string, Map<string, number>>();
    for (const { sign, id, what } of [...this.said.filter((one) => one.sign === ''), ...this.said.filter((one) => one.sign !== '')]) {
      const ids = lines.get(what) ?? new Map<string, number>();
      lines.set(what, ids.set(sign + id, (ids.get(sign + id) ?? 0) + 1));
    }
    return [...lines].map(([what, ids]) => [...ids].map(([id, times]) => (times === 1 ? id : `${id}×${times}`)).join(' ') + what);
  }

  override at(): Ledger {
    return this;
  }

  override kept(id: string, revision: string): void {
    super.kept(id, revision);
    this.#note('', id, revision, '');
  }

  override broken(id: string, evidence: Evidence): void {
    super.broken(id, evidence);
    this.#accuse('-', id, evidence);
  }

  override dispute(id: string, evidence: Evidence): void {
    super.dispute(id, evidence);
    this.#accuse('?', id, evidence);
  }

  override notApplicable(id: string, revision: string, why: string): void {
    super.notApplicable(id, revision, why);
    this.#note('~', id, revision, `: ${why}`);
  }

  #accuse(sign: '-' | '?', id: string, { revision, expected, came, sent }: Evidence): void {
    assert.ok(expected !== '' && came !== '', `${id} has words`);
    this.#note(sign, id, revision, `: ${shortened(expected)} <- ${shortened(came)}${sent === undefined ? '' : ` (${sentAs(sent)})`}`);
  }

  /** The ledger ignores a rule that does not hold there. */
  #note(sign: SaidOfRule['sign'], id: string, revision: string, what: string): void {
    const rule = allRules().get(id) ?? assert.fail(`${id} is a rule`);
    if (holdsIn(rule, revision) && (rule.who === this.#role || rule.who === 'both')) this.said.push({ sign, id, what });
  }
}

const usual = new Set([versionKey, clientInfoKey, capabilitiesKey]);
const usualHeaders = /^(accept|content-type|mcp-method|mcp-name|mcp-protocol-version|mcp-session-id)$/;

/** One message of a probe: its method, its params, what is unusual in its _meta and its headers. */
function shownCall({ method, params, meta, headers, id, modern }: Call): string {
  const { _meta: _, capabilities, clientInfo: _info, ...rest } = params as Record<string, unknown>;
  const odd = Object.fromEntries(Object.entries(meta).filter(([key]) => !usual.has(key)));
  const lacks = modern && meta[capabilitiesKey] === undefined ? { lacks: capabilitiesKey } : {};
  const declares = modern && meta[capabilitiesKey] !== undefined && JSON.stringify(meta[capabilitiesKey]) === '{}' ? { declares: {} } : {};
  const fields = Object.fromEntries(Object.entries(headers).filter(([name]) => !usualHeaders.test(name)));
  const more = { ...typeof id === 'string' && { id }, ...Object.keys(odd).length > 0 && { meta: odd }, ...lacks, ...declares, ...Object.keys(fields).length > 0 && { headers: fields }, ...method === 'initialize' && JSON.stringify(capabilities) === '{}' && { declares: {} } };
  return [method, ...Object.keys(rest).length > 0 ? [shortened(JSON.stringify(rest))] : [], ...Object.keys(more).length > 0 ? [JSON.stringify(more)] : []].join(' ');
}

export interface Probed {
  /** The messages of the probe, after the survey. */
  readonly asks: readonly string[];
  readonly says: readonly string[];
}

/** A case: the probe, its revision, and how its server differs from the usual one. */
export interface ProbeCase extends Omit<PeerOptions, 'versions' | 'clock' | 'heard'> {
  readonly probe: string;
  /** The revision in which it runs. */
  readonly version: string;
  /** The revisions of the server, newest first. Default: that one. */
  readonly versions?: readonly string[];
  readonly http?: boolean;
  readonly url?: string;
  readonly options?: JudgeOptions;
  /** Whether it runs before anything else was sent. */
  readonly cold?: boolean;
}

export const revisionOf = (version: string): Revision => findRevision(revisions, version) ?? assert.fail(version);

export function probeNamed(name: string, version: string, http: boolean): ServerProbe {
  const { era } = revisionOf(version);
  const found = serverProbes.filter((one) => one.name === name && (one.era ?? era) === era && (one.over ?? (http ? 'http' : 'pipe')) === (http ? 'http' : 'pipe'));
  return found.length === 1 && found[0] ? found[0] : assert.fail(`${found.length} probes ${name}`);
}

/** Runs one probe against the server with these edits. */
export async function probed({ probe: name, version, versions = [version], http = false, url, options = {}, cold = false, edits: usually = {}, ...peerOptions }: ProbeCase, edits: PeerEdits = {}): Promise<Probed> {
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const asks: string[] = [];
  let hears = false;
  const heard = (call: Call): void => {
    if (hears) asks.push(shownCall(call));
  };
  const peer = new Peer({ ...peerOptions, versions, clock, edits: { ...usually, ...edits }, heard });
  const ledger = new NotingLedger('server');
  const revision = revisionOf(version);
  const bench = new Bench(peer.server(http ? 'http' : 'pipe', url), ledger, { mayCall: () => true, ...options, clock }, clock, { arrived() {}, replied() {} });
  bench.spoken = versions.map(revisionOf);
  const probe = probeNamed(name, version, http);
  await inMadeTime(clock, (async () => {
    // The run of the judge has discovered the server by then.
    if (!cold && revision.era === 'modern') await (await bench.main(revision)).ask('server/discover');
    if (!cold) await bench.survey(revision);
    hears = true;
    await probe.run(bench, revision);
    hears = false;
    await bench.close();
  })());
  assert.deepEqual(ledger.said.filter(({ id }) => !probe.rules.includes(id)), [], 'a probe speaks only of its rules');
  return { asks, says: ledger.lines };
}

/** A probe, the server that keeps its rules, and the servers with one fault. */
export interface ProbeRow extends ProbeCase {
  readonly asks: readonly string[];
  readonly says: readonly string[];
  readonly faults: readonly (readonly [what: string, edits: PeerEdits, says: readonly string[]])[];
}

type Edit = (said: Said, call: Call) => Said;

/** Says this instead. */
export const instead = (said: Said): Edit => () => said;
/** Says this error instead. */
export const fails = (code: unknown, more: Said = {}): Edit => () => ({ error: { code, message: 'no' }, ...more });
/** Says this result instead. */
export const gives = (result: unknown, more: Said = {}): Edit => () => ({ result, ...more });
/** Changes the response, and how it is sent. */
export const also = (more: Said): Edit => (said) => ({ ...said, ...more });
/** Changes members of the result. */
export const changed = (more: Bag | ((result: Bag, call: Call) => Bag)): Edit => (said, call) => ('result' in said ? { ...said, result: { ...bag(said.result), ...typeof more === 'function' ? more(bag(said.result), call) : more } } : said);
/** Only for calls that fit. */
export const where = (fits: (call: Call) => boolean, edit: Edit): Edit => (said, call) => (fits(call) ? edit(said, call) : said);
/** Only for calls whose text has these words. */
export const about = (words: string, edit: Edit): Edit => where(({ text }) => text.includes(words), edit);
/** Only from this call of the method on, counted from 1. */
export function from(first: number, edit: Edit, last: number = Infinity): Edit {
  let count = 0;
  return (said, call) => (++count >= first && count <= last ? edit(said, call) : said);
}

/** What the judge says, as in the row. */
export async function compareRow(row: ProbeRow): Promise<void> {
  const { asks, says, faults, ...one } = row;
  const where = `${one.probe}, ${one.version}${one.http ? ', http' : ''}`;
  const good = await probed(one);
  assert.deepEqual(good, { asks, says }, where);
  if (!row.edits) assert.ok(!says.some((line) => /^[-?]/.test(line)), `${where}: a server that keeps the rules is not accused`);
  for (const [what, edits, wanted] of faults) assert.deepEqual((await probed(one, edits)).says, wanted, `${where}: ${what}`);
}
