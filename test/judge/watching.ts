import assert from 'node:assert/strict';
import { manualClock } from '../../src/bounds/manual-clock.ts';
import { Visit } from '../../src/judge/client/visit.ts';
import { watchHttp } from '../../src/judge/client/watch-http.ts';
import { endLoose, watchMessage } from '../../src/judge/client/watch-messages.ts';
import type { ClientEvents, HiddenRequest } from '../../src/judge/index.ts';
import { capabilitiesKey, clientInfoKey, versionKey } from '../../src/protocol/internal-exports.ts';
import { bag } from './peer.ts';
import type { Bag } from './peer.ts';
import { NotingLedger, revisionOf } from './probing.ts';

// What the judge says about single messages of a client, in a visit.

/** A text, a message, or an HTTP request. */
export type ClientSays = string | Bag | { readonly request: Partial<HiddenRequest>; readonly body?: string | Bag };

export interface WatchCase {
  readonly about: string;
  readonly version: string;
  readonly http?: boolean;
  /** What the client said before. */
  readonly before?: readonly ClientSays[];
  readonly message: ClientSays;
  /** Requests of the hidden server, answered or not; ids of what is not judged, and of what was cancelled. */
  readonly asked?: readonly (readonly [id: string, text: string])[];
  readonly unjudged?: readonly unknown[];
  readonly cancelled?: readonly unknown[];
  readonly session?: string;
  readonly offered?: Bag;
  /** Whether the server has answered initialize. Default: the handshake is over. */
  readonly agreed?: boolean;
  /** Whether requests are answered at once. Default: yes. */
  readonly answers?: boolean;
  /** Whether the lines that never became a message are reported at the end. */
  readonly ends?: boolean;
}

export interface WatchRow extends WatchCase {
  readonly asks: readonly string[];
  readonly says: readonly string[];
  readonly faults: readonly (readonly [what: string, message: ClientSays | Partial<WatchCase>, says: readonly string[]])[];
}

export const modernMeta: Bag = { [versionKey]: '2026-07-28', [clientInfoKey]: { name: 'c', version: '1' }, [capabilitiesKey]: {} };

const isRequest = (one: ClientSays): one is { readonly request: Partial<HiddenRequest>; readonly body?: string | Bag } => typeof one === 'object' && 'request' in one && typeof one.request === 'object';
const textOf = (one: string | Bag): string => (typeof one === 'string' ? one : JSON.stringify(one));

/** What is said about the message. */
export async function watched({ version, http = false, before = [], message, asked = [], unjudged = [], cancelled = [], session, offered = {}, agreed = true, answers = true, ends = false }: WatchCase): Promise<string[]> {
  const ledger = new NotingLedger('client');
  let events: ClientEvents | undefined;
  const visit = new Visit({
    number: 1, way: http ? 'http' : 'pipe', revision: revisionOf(version), ledger, clock: manualClock(), seed: 1, answerMs: 1_000,
    watch: watchMessage, watchHttp, serve: (_visit, one) => void (one.answered = answers), serveHttp: () => false,
  });
  await visit.start({
    name: 'c', ways: ['pipe'],
    async start(_way, given) {
      events = given;
      return { ended: new Promise(() => {}), url: undefined, write() {}, async stop() {} };
    },
  }, { stays: false });
  visit.agreed = agreed;
  visit.session = session;
  visit.offered = offered;
  for (const [id, text] of asked) void visit.expect(id, 'ping', text);
  for (const id of unjudged) visit.unjudged.add(id);
  for (const id of cancelled) visit.cancelled.add(id);
  let number = 0;
  const say = (one: ClientSays): void => {
    if (!http) return events?.line(textOf(one as string | Bag));
    const { request, body = '' } = isRequest(one) ? one : { request: {}, body: one };
    const { method, params } = bag(typeof body === 'string' ? undefined : body);
    const headers = {
      accept: 'application/json, text/event-stream', ...agreed && { 'mcp-protocol-version': version }, ...session !== undefined && { 'mcp-session-id': session },
      ...version === '2026-07-28' && method !== undefined && { 'mcp-method': String(method) }, ...version === '2026-07-28' && bag(params)['name'] !== undefined && { 'mcp-name': String(bag(params)['name']) },
    };
    events?.request({ number: ++number, method: 'POST', path: '/mcp', body: textOf(body), utf8: true, respond() {}, stream: () => ({ write() {}, end() {}, cut() {} }), ...request, headers: request.headers ?? headers });
  };
  before.forEach(say);
  ledger.said.length = 0;
  say(message);
  if (ends) endLoose(visit);
  return ledger.lines;
}

const isCase = (one: ClientSays | Partial<WatchCase>): one is Partial<WatchCase> => typeof one === 'object' && ('message' in one || 'before' in one || 'offered' in one || 'agreed' in one || 'session' in one || 'version' in one || 'asked' in one || 'unjudged' in one || 'cancelled' in one || 'answers' in one || 'ends' in one);

/** For the row, or for its fault: what is said. */
export async function played(one: WatchCase, edits?: ClientSays | Partial<WatchCase>): Promise<{ readonly asks: readonly string[]; readonly says: readonly string[] }> {
  return { asks: [], says: await watched(edits === undefined ? one : isCase(edits) ? { ...one, ...edits } : { ...one, message: edits }) };
}

/** What is said, as in the row. */
export async function compareWatch({ asks, says, faults, ...one }: WatchRow): Promise<void> {
  assert.deepEqual(await played(one), { asks, says }, one.about);
  for (const [what, message, wanted] of faults) assert.deepEqual((await played(one, message)).says, wanted, `${one.about}: ${what}`);
}
