import assert from 'node:assert/strict';
import { pause } from '../../src/bounds/clock.ts';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { seenClientRules } from '../../src/judge/client/judge-client.ts';
import { plainOffer, serve, serveHttp } from '../../src/judge/client/hidden-server.ts';
import { scenes } from '../../src/judge/client/scenes.ts';
import type { Play, Scene } from '../../src/judge/client/scene.ts';
import { methodsOf, toolsOf } from '../../src/judge/client/scenes/plain.ts';
import { Visit } from '../../src/judge/client/visit.ts';
import type { ClientWay } from '../../src/judge/index.ts';
import { peerClient } from './peer-client.ts';
import type { ClientEdits } from './peer-client.ts';
import { inMadeTime, NotingLedger, revisionOf, shortened } from './probing.ts';
import type { Probed } from './probing.ts';

// Plays one scene of the judge of clients by itself: with a client that keeps the rules, and with the same client with one fault.

export interface SceneCase {
  readonly scene: string;
  readonly version: string;
  readonly http?: boolean;
  readonly client?: ClientEdits;
  /** What the client did at the plain server. Default: what this client would do. */
  readonly usual?: readonly string[];
  readonly called?: readonly string[];
}

export interface SceneRow extends SceneCase {
  /** What the scene sends, and how it answers, where that differs from the plain server. */
  readonly asks: readonly string[];
  readonly says: readonly string[];
  readonly faults: readonly (readonly [what: string, edits: ClientEdits, says: readonly string[]])[];
}

export const sceneNamed = (name: string): Scene => scenes.find((one) => one.name === name) ?? assert.fail(name);

interface Visited {
  readonly visit: Visit;
  readonly ledger: NotingLedger;
}

/** One visit of the client to a hidden server. */
async function visited(scene: Scene, version: string, way: ClientWay, edits: ClientEdits, usual: ReadonlySet<string>, called: ReadonlySet<string>): Promise<Visited> {
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const revision = revisionOf(version);
  const ledger = new NotingLedger('client');
  let play: Play | undefined;
  const visit = new Visit({
    number: 1, way, revision, ledger, clock, seed: 7, answerMs: 5_000, watch() {}, watchHttp() {},
    serve(_visit, message) {
      if (play && !(scene.answer?.(play, message) ?? false)) serve(play, message);
    },
    serveHttp: (_visit, request) => play !== undefined && ((scene.answerHttp?.(play, request) ?? false) || serveHttp(play, request)),
  });
  const ready: Play = { visit, offer: { ...plainOffer(revision), ...scene.offer?.(revision) }, notes: new Map(), usual, called, serve: (message) => serve(ready, message) };
  play = ready;
  await inMadeTime(clock, (async () => {
    await visit.start(peerClient(version, [way], clock, edits), { stays: scene.stays ?? false });
    await visit.until(() => false, 30_000);
    await pause(clock, 2_000);
    scene.after?.(ready);
  })());
  return { visit, ledger };
}

const plain: Scene = { name: 'plain', rules: [], suits: () => true };

/** The texts of the hidden server, without those that the plain server sends. */
function shownEntries(visit: Visit): string[] {
  return visit.entries.flatMap((entry) => {
    if (entry.direction === 'received' || entry.kind === 'event') return [];
    if (entry.kind === 'http') {
      const { status, method, path, headers } = entry;
      const odd = ['mcp-session-id', 'www-authenticate', 'location', 'allow'].flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${headers[name]?.split('?')[0]}`]));
      const streams = headers['content-type'] === 'text/event-stream';
      return status === 200 && !streams && odd.length === 0 || status === 202 ? [] : [[`HTTP ${status}`, method, path.split('?')[0], ...streams ? ['in a stream'] : [], ...odd].join(' ')];
    }
    return [shortened(entry.text).slice(0, 160)];
  });
}

export async function played({ scene: name, version, http = false, client = {}, usual, called }: SceneCase, edits: ClientEdits = {}): Promise<Probed> {
  const scene = sceneNamed(name);
  const way = http ? 'http' : 'pipe';
  assert.ok(scene.suits(revisionOf(version), way), `${name} suits ${version} over ${way}`);
  const known = usual && called ? undefined : await visited(plain, version, way, client, new Set(), new Set());
  const all = { ...client, ...edits, ...(client.sent || edits.sent) && { sent: { ...client.sent, ...edits.sent } }, ...(client.answers || edits.answers) && { answers: { ...client.answers, ...edits.answers } } };
  const { visit, ledger } = await visited(scene, version, way, all, new Set(usual ?? (known ? methodsOf(known.visit) : [])), new Set(called ?? (known ? toolsOf(known.visit) : [])));
  // A scene may judge rules of others, too, but none that no scene names: a run of one rule plays the scenes that name it.
  assert.deepEqual(ledger.said.filter(({ id }) => !seenClientRules().has(id)), [], name);
  return { asks: shownEntries(visit), says: ledger.lines };
}

/** What the scene says, as in the row. */
export async function compareScene({ asks, says, faults, ...one }: SceneRow): Promise<void> {
  const where = `${one.scene}, ${one.version}${one.http ? ', http' : ''}`;
  assert.deepEqual(await played(one), { asks, says }, where);
  if (!one.client) assert.ok(!says.some((line) => /^[-?]/.test(line)), `${where}: a client that keeps the rules is not accused`);
  for (const [what, edits, wanted] of faults) assert.deepEqual((await played(one, edits)).says, wanted, `${where}: ${what}`);
}
