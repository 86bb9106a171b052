import assert from 'node:assert/strict';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { judgeClient, judgeServer } from '../../src/judge/index.ts';
import type { ClientWay, JudgeClientOptions, JudgedServer, JudgeOptions, JudgeRuling } from '../../src/judge/index.ts';
import { peerClient } from './peer-client.ts';
import type { ClientEdits } from './peer-client.ts';
import { Peer } from './peer.ts';
import type { PeerEdits, PeerOptions } from './peer.ts';
import { inMadeTime, shortened } from './probing.ts';

// A whole run of the judge against the server or the client of these tests, in made time.

export interface RulingCase extends Omit<PeerOptions, 'clock' | 'heard' | 'edits' | 'versions'> {
  readonly about: string;
  readonly versions?: readonly string[];
  readonly http?: boolean;
  readonly url?: string;
  readonly options?: JudgeOptions;
  readonly edits?: PeerEdits;
  /** Changes the server for the judge. */
  readonly server?: (server: JudgedServer) => JudgedServer;
  /** Instead of a server: a client of this version, over these ways. */
  readonly client?: { readonly version: string; readonly ways: readonly ClientWay[]; readonly edits?: ClientEdits; readonly options?: JudgeClientOptions };
  /** Whether the reasons of rules that were not seen are shown, too. */
  readonly whys?: boolean;
}

export interface RulingRow extends RulingCase {
  /** The steps of the run. */
  readonly asks: readonly string[];
  readonly says: readonly string[];
  readonly faults: readonly (readonly [what: string, more: Partial<RulingCase>, says: readonly string[]])[];
}

/** A ruling as lines. */
function linesOf({ revisions, name, stopped, failures, judgements, others, seed, role, ms }: JudgeRuling, whys: boolean): string[] {
  const shown = judgements.flatMap(({ rule, verdict, level, times, revisions: by, evidence, why }) => {
    if (verdict === 'not-seen' || verdict === 'not-applicable') return whys ? [`${rule.id} ${verdict}: ${why}`] : [];
    return [`${rule.id}${level === rule.level ? '' : ` ${level}`} ${verdict}${times > 0 ? `×${times}` : ''} ${Object.entries(by).map(([version, one]) => `${version.slice(2, 7)}${one === verdict ? '' : `:${one}`}`).join()}${evidence.map((one) => ` [${one.revision.slice(2, 7)} ${one.conversation} ${shortened(one.expected)} <- ${shortened(one.came).slice(0, 60)}]`).join('')}`];
  });
  return [
    `${role} ${name} speaks ${revisions.join()}, seed ${seed}${ms > 0 ? '' : ', at once'}`, ...stopped === undefined ? [] : [`stopped: ${stopped}`], ...failures.map((one) => `failure: ${one}`),
    ...others.map(({ rule, verdict }) => `other: ${rule.id} ${verdict}`), ...whys ? shown : [shown.join('; ')],
  ];
}

export async function played(one: RulingCase, more: Partial<RulingCase> = {}): Promise<{ readonly asks: readonly string[]; readonly says: readonly string[] }> {
  const { versions = ['2025-11-25'], http = false, url, options = {}, server = (it: JudgedServer): JudgedServer => it, client, whys = false, about: _, ...peerOptions } = { ...one, ...more };
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const asks: string[] = [];
  const onStep = (what: string): void => void asks.push(what);
  if (client) {
    const { version, ways, edits = {}, options: run = {} } = client;
    return { says: linesOf(await inMadeTime(clock, judgeClient(peerClient(version, ways, clock, edits), { onStep, ...run, clock })), whys), asks };
  }
  const peer = new Peer({ ...peerOptions, versions, clock });
  return { says: linesOf(await inMadeTime(clock, judgeServer(server(peer.server(http ? 'http' : 'pipe', url)), { onStep, ...options, clock })), whys), asks };
}

/** What the run says, as in the row. */
export async function compareRuling({ asks, says, faults, ...one }: RulingRow): Promise<void> {
  assert.deepEqual(await played(one), { asks, says }, one.about);
  for (const [what, more, wanted] of faults) assert.deepEqual((await played(one, more)).says, wanted, `${one.about}: ${what}`);
}
