import { pause, systemClock } from '../../bounds/clock.ts';
import type { Clock } from '../../bounds/clock.ts';
import { checkOptions } from '../../bounds/options.ts';
import type { Shape } from '../../bounds/options.ts';
import { errorMessage } from '../../jsonrpc/internal-exports.ts';
import { revisions } from '../../protocol/index.ts';
import type { Revision } from '../../protocol/index.ts';
import { Ledger } from '../ledger.ts';
import { checkRun } from '../options.ts';
import type { JudgeClientOptions } from '../options.ts';
import { ruleSetVersion } from '../rules.ts';
import type { JudgedRule } from '../rules.ts';
import type { JudgeRuling } from '../verdict.ts';
import { isModern, plainOffer, serve, serveHttp } from './hidden-server.ts';
import type { ClientWay, JudgedClient } from './port.ts';
import type { Play, Scene } from './scene.ts';
import { scenes } from './scenes.ts';
import { methodsOf, toolsOf } from './scenes/plain.ts';
import { Visit } from './visit.ts';
import { watchHttp } from './watch-http.ts';
import { endLoose, watchMessage } from './watch-messages.ts';

const clientShape: Shape<JudgedClient> = { name: 'string', ways: 'list', start: 'function' };

/**
 * Judges a client: starts its program once for each hidden server, and reports which rules it breaks, with the messages that show it. The
 * run ends by itself. It rejects only with a TypeError, for an unknown or malformed option.
 */
export async function judgeClient(client: JudgedClient, options: JudgeClientOptions = {}): Promise<JudgeRuling> {
  checkOptions('judgeClient: client', client, clientShape);
  checkRun('judgeClient', options);
  return new ClientRun(client, options).all();
}

/** A revision that the client speaks over one way. */
interface Spoken {
  readonly revision: Revision;
  readonly way: ClientWay;
  readonly usual: ReadonlySet<string>;
  readonly called: ReadonlySet<string>;
}

class ClientRun {
  readonly #client: JudgedClient;
  readonly #options: JudgeClientOptions;
  readonly #clock: Clock;
  readonly #ledger: Ledger;
  readonly #seed: number;
  readonly #failures: string[] = [];
  readonly #spoken: Spoken[] = [];
  /** Visits to the plain server over a pipe, and whether the client spoke the revision. */
  readonly #openings: { readonly visit: Visit; readonly spoke: boolean }[] = [];
  #visits = 0;
  #name: string | undefined;

  constructor(client: JudgedClient, options: JudgeClientOptions) {
    this.#client = client;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#seed = options.seed ?? 1;
    this.#ledger = new Ledger('client', options.only && new Set(options.only));
  }

  async all(): Promise<JudgeRuling> {
    const { onStep, quick = false } = this.#options;
    const began = this.#clock.monotonic();
    const first = scenes.filter((scene) => scene.first);
    const rest = scenes.filter((scene) => !scene.first && !quick && scene.rules.some((id) => this.#ledger.wants(id)));
    for (const way of this.#client.ways) {
      for (const revision of this.#wanted()) {
        for (const scene of first) {
          if (!scene.suits(revision, way)) continue;
          onStep?.(`${revision.version}, ${way}: ${scene.name}`);
          await this.#play(scene, { revision, way, usual: new Set(), called: new Set() });
        }
      }
      const spoken = this.#spoken.filter((one) => one.way === way);
      for (const scene of rest) {
        const suiting = spoken.filter(({ revision }) => scene.suits(revision, way));
        // Only the newest revision of each era: a client has the same code for the others.
        for (const one of suiting.filter(({ revision: { era } }, at) => suiting.findIndex(({ revision }) => revision.era === era) === at)) {
          onStep?.(`${one.revision.version}, ${way}: ${scene.name}`);
          await this.#play(scene, one);
        }
      }
    }
    this.#eras();
    const versions = revisions.filter((one) => this.#spoken.some(({ revision }) => revision === one)).map(({ version }) => version);
    return {
      target: this.#client.name, role: 'client', ruleSet: ruleSetVersion, seed: this.#seed, revisions: versions, name: this.#name,
      judgements: this.#ledger.judgements(versions, needsOf), others: this.#ledger.others(versions), failures: this.#failures,
      ...versions.length === 0 && { stopped: this.#failures[0] ?? 'it spoke to no hidden server' }, ms: this.#clock.monotonic() - began,
    };
  }

  #wanted(): readonly Revision[] {
    const { revisions: only, quick = false } = this.#options;
    const wanted = revisions.filter(({ version }) => only?.includes(version) ?? true);
    return quick ? wanted.filter(({ era }, at) => wanted.findIndex((one) => one.era === era) === at) : wanted;
  }

  async #play(scene: Scene, { revision, way, usual, called }: Spoken): Promise<void> {
    const { answerMs = 5_000 } = this.#options;
    let play: Play | undefined;
    const guarded = <T>(work: () => T, otherwise: T): T => {
      try {
        return work();
      } catch (thrown) {
        this.#failures.push(`${revision.version}, ${way}: ${scene.name}: ${errorMessage(thrown)}`);
        return otherwise;
      }
    };
    const visit = new Visit({
      number: ++this.#visits, way, revision, ledger: this.#ledger, clock: this.#clock, seed: this.#seed, answerMs,
      watch: watchMessage, watchHttp,
      serve: (_visit, message) => guarded(() => {
        if (play && !(scene.answer?.(play, message) ?? false)) serve(play, message);
      }, undefined),
      serveHttp: (_visit, request) => guarded(() => play !== undefined && ((scene.answerHttp?.(play, request) ?? false) || serveHttp(play, request)), true),
    });
    play = { visit, offer: { ...plainOffer(revision), ...scene.offer?.(revision) }, notes: new Map(), usual, called, serve: (message) => guarded(() => play && serve(play, message), undefined) };
    const ready = play;
    try {
      await visit.start(this.#client, { stays: scene.stays ?? false });
      await this.#over(visit);
      // The client's last actions on its server arrive shortly after the client has ended.
      if (way === 'pipe') await pause(this.#clock, scene.stays ? leavingMs : leavingMs / 10);
      guarded(() => {
        endLoose(visit);
        scene.after?.(ready);
      }, undefined);
      if (scene.first) this.#heard(visit);
    } catch (thrown) {
      this.#failures.push(`${revision.version}, ${way}: ${scene.name}: ${errorMessage(thrown)}`);
    } finally {
      await visit.stop();
    }
  }

  /** Resolves once the program has ended, has become silent, or has sent messages for too long. */
  async #over(visit: Visit): Promise<void> {
    const { startMs = 30_000, idleMs = 5_000 } = this.#options;
    const heard = (): number => visit.messages.length + visit.requests.length + visit.leavings.length;
    await visit.until(() => heard() > 0, startMs);
    const end = this.#clock.monotonic() + mostIdles * idleMs;
    for (let before = -1; before !== heard() && visit.ended === undefined && this.#clock.monotonic() < end;) {
      before = heard();
      await visit.until(() => heard() > before, idleMs);
    }
  }

  /** Records the results of a visit to the plain server. */
  #heard(visit: Visit): void {
    const { revision, way, messages } = visit;
    const opening = messages.find(({ method }) => method === 'initialize' || method === 'server/discover');
    const info = opening?.params['clientInfo'] ?? (opening?.params['_meta'] as Record<string, unknown> | undefined)?.['io.modelcontextprotocol/clientInfo'];
    if (this.#name === undefined && typeof info === 'object' && info !== null) {
      const { name, version } = info as { readonly name?: unknown; readonly version?: unknown };
      if (typeof name === 'string') this.#name = `${name}${typeof version === 'string' ? ` ${version}` : ''}`.slice(0, 200);
    }
    const handshake = messages.findIndex(({ method }) => method === 'initialize');
    const spoke = visit.modern ? messages.some((one) => isModern(one) && one.method !== 'server/discover' && one.id !== undefined)
      : visit.agreed && messages.slice(handshake + 1).some(({ method }) => method !== undefined && method !== 'ping' && method !== 'notifications/cancelled');
    if (spoke) this.#spoken.push({ revision, way, usual: methodsOf(visit), called: toolsOf(visit) });
    if (way === 'pipe') this.#openings.push({ visit, spoke });
  }

  /** Judges rules about clients of both eras, which need all visits together. */
  #eras(): void {
    const pipe = this.#spoken.filter(({ way }) => way === 'pipe');
    if (!pipe.some(({ revision }) => revision.era === 'modern') || !pipe.some(({ revision }) => revision.era === 'legacy')) return;
    const legacy = this.#openings.find(({ visit, spoke }) => spoke && !visit.modern)?.visit;
    const [first] = legacy?.messages ?? [];
    if (legacy && first) legacy.checkIn('2026-07-28', 'discover-4', first.method === 'server/discover', 'server/discover first: this client speaks both eras', first);
  }
}

/** Milliseconds after the end of a client in which the end of its server is seen. */
const leavingMs = 1_000;

/** After this many times `idleMs`, a visit no longer waits for the program to become silent, since it may never stop sending. */
const mostIdles = 60;

function needsOf({ id }: JudgedRule): string {
  const scene = scenes.find(({ rules }) => rules.includes(id));
  if (!scene) return 'a hidden server cannot see it';
  return `the scene "${scene.name}" did not show it: the program must list and call tools there, and answer questions`;
}

/** Ids of all rules that a run may show. */
export const seenClientRules = (): ReadonlySet<string> => new Set([...scenes.flatMap(({ rules }) => rules), 'discover-4']);
