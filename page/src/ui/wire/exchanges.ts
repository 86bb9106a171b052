// Groups entries into exchanges: a request, its response, and the entries between them that belong to it.
import type { WireEntry, WireMessage } from '../../messages.ts';

type HttpHead = Extract<WireEntry, { readonly kind: 'http' }>;

/** One request with all its entries, or an entry that belongs to no request. */
export interface Exchange {
  lead: WireEntry;
  /** All other entries of the exchange, in order: HTTP heads and events, progress, questions, further rounds, the response. */
  readonly inside: WireEntry[];
  /** The last response; undefined before it, and if `lead` is not a request. */
  answer: WireMessage | undefined;
  /** The number of rounds: more than one if a result asked for input. */
  rounds: number;
  /** How often the request was sent again because the server did not accept it. */
  retries: number;
  /** The HTTP response whose status refused the last attempt. */
  refused: HttpHead | undefined;
  cancelled: boolean;
  /** The connection ended without a response. */
  lost: boolean;
}

/** The state of an exchange. `single`: its first entry is not a request. */
export type Standing = 'single' | 'open' | 'done' | 'tool error' | 'error' | 'login' | 'input' | 'cancelled' | 'lost' | 'probe';

export function standingOf({ lead, answer, cancelled, lost, refused }: Exchange): Standing {
  if (lead.kind !== 'message' || lead.shape !== 'request') return 'single';
  if (refused?.status === 401) return 'login';
  if (!answer && !refused) return cancelled ? 'cancelled' : lost ? 'lost' : 'open';
  // A client of both eras sends this request to learn whether the server knows the modern one. 2026-07-28 basic/lifecycle
  if (!answer || answer.shape === 'error') return lead.method === 'server/discover' ? 'probe' : 'error';
  if (answer.text.includes('"isError":true')) return 'tool error';
  return answer.text.includes(asksInput) ? 'input' : 'done';
}

/** The time from the first message to the last response; undefined before that. */
export const tookOf = ({ lead, answer }: Exchange): number | undefined => answer && answer.at - lead.at;

const asksInput = '"input_required"';

/**
 * Errors after which a client repeats the same call differently: 2026-07-28 basic/transports/streamable-http#client-behavior (with the
 * tool's schema), basic/index#error-codes (in another revision, with more capabilities), and -32042 of 2025-11-25 client/elicitation
 * (after a person visited a URL).
 */
const asksForRetry = /"code"\s*:\s*-32(?:02[0-2]|042)\b/;

/** The most refused requests that are remembered. */
const maxRefused = 50;

type Place = Pick<WireEntry, 'server' | 'connection'>;
const connectionOf = ({ server, connection }: Place): string => `${connection} ${server}`;

/** Adds entries in order, each in constant time. */
export class Exchanges {
  /** Sorted by the number of the first entry. */
  list: Exchange[] = [];
  /** The exchange of each entry that is held. */
  readonly #of = new Map<number, Exchange>();
  readonly #byHttp = new Map<string, Exchange>();
  /** Requests without a response, by connection and direction, then by id. */
  readonly #open = new Map<string, Map<string, Exchange>>();
  /** Results that ask for input, by the `requestState` that the next round returns. */
  readonly #byState = new Map<string, Exchange>();
  /** Refused requests that may be sent again, by `idKey` or `callKey`. */
  readonly #refused = new Map<string, Exchange>();

  of(seq: number): Exchange | undefined {
    return this.#of.get(seq);
  }

  /** Returns the exchange of the entry; a new one is the last in `list`. `onJoined`: this exchange was merged into another. */
  add(entry: WireEntry, onJoined?: (gone: Exchange) => void): Exchange {
    // A message that starts an exchange replaces the POST head that carries it as `lead`.
    const head = this.#loneHead(entry);
    const found = this.#find(entry) ?? head;
    if (head && found && head !== found) {
      // The head of a POST comes before its message, which is here a response or a further round.
      found.inside.push(head.lead);
      this.#of.set(head.lead.seq, found);
      if (entry.exchange !== null) this.#byHttp.set(httpKey(entry, entry.exchange), found);
      this.list.splice(this.list.lastIndexOf(head), 1);
      onJoined?.(head);
    }
    const exchange: Exchange = found ?? { lead: entry, inside: [], answer: undefined, rounds: 1, retries: 0, refused: undefined, cancelled: false, lost: false };
    if (!found) this.list.push(exchange);
    else if (head === found) [found.lead, found.inside[0]] = [entry, found.lead];
    else found.inside.push(entry);
    this.#of.set(entry.seq, exchange);
    if (entry.exchange !== null && !this.#byHttp.has(httpKey(entry, entry.exchange))) this.#byHttp.set(httpKey(entry, entry.exchange), exchange);
    if (entry.kind === 'mark') this.#ended(entry);
    else if (entry.kind === 'message') this.#joined(entry, exchange);
    else if (entry.kind === 'http') this.#answeredBy(entry, exchange);
    return exchange;
  }

  /** The head of the POST that carries this message, if the head has no other entries yet. */
  #loneHead(entry: WireEntry): Exchange | undefined {
    const carrier = entry.kind !== 'message' || entry.direction !== 'sent' || entry.exchange === null ? undefined : this.#byHttp.get(httpKey(entry, entry.exchange));
    return carrier?.lead.kind === 'http' && carrier.lead.status === null && carrier.inside.length === 0 ? carrier : undefined;
  }

  #find(entry: WireEntry): Exchange | undefined {
    if (entry.kind === 'message') {
      if (entry.answers !== null) return this.#of.get(entry.answers);
      if (entry.method === 'notifications/cancelled') return this.#cancelled(entry);
      const state = entry.shape === 'request' ? stateOf(entry, 'params') : undefined;
      const earlier = state === undefined ? undefined : this.#byState.get(state);
      if (earlier) {
        earlier.rounds++;
        return earlier;
      }
      const refused = this.#refused.size > 0 && entry.shape === 'request' && entry.direction === 'sent' ? this.#retried(entry) : undefined;
      if (refused) {
        refused.retries++;
        return refused;
      }
      if (entry.shape === 'request' && entry.direction === 'received') return this.#askedWithin(entry);
    }
    if (entry.exchange === null) return undefined;
    const carrier = this.#byHttp.get(httpKey(entry, entry.exchange));
    // A message on a stream that no request opened is an exchange by itself, and so is the next one there.
    return entry.kind === 'message' && (carrier?.lead.kind !== 'message' || carrier.lead.shape !== 'request') ? undefined : carrier;
  }

  /** Our request to which a server's question belongs: the one of its HTTP exchange, else the only open one. */
  #askedWithin(entry: WireMessage): Exchange | undefined {
    const carrier = entry.exchange === null ? undefined : this.#byHttp.get(httpKey(entry, entry.exchange));
    if (carrier?.lead.kind === 'message' && carrier.lead.direction === 'sent') return carrier;
    let found: Exchange | undefined;
    for (const exchange of this.#open.get(`sent ${connectionOf(entry)}`)?.values() ?? []) {
      if (exchange.lead.kind === 'message' && exchange.lead.method === 'subscriptions/listen') continue;
      if (found) return undefined;
      found = exchange;
    }
    return found;
  }

  /** The refused request that this request repeats. */
  #retried(entry: WireMessage): Exchange | undefined {
    for (const key of [idKey(entry), callKey(entry)]) {
      const found = this.#refused.get(key);
      this.#refused.delete(key);
      if (found) return found;
    }
    return undefined;
  }

  /** Remembers the request if, after this status, the client may send it again. */
  #answeredBy(head: HttpHead, exchange: Exchange): void {
    if (head.status === null || head.status < 300) return;
    const last = lastRequest(exchange);
    if (!last || last.exchange !== head.exchange) return;
    if (head.status >= 400) exchange.refused = head;
    // After a redirect or a login the client sends the same message again. After a lost session it opens a new one, and the call gets
    // another id: 2025-11-25 basic/transports#session-management.
    const ofSession = head.status === 404 && exchange.inside.some((one) => one.kind === 'http' && one.exchange === head.exchange && one.status === null && Object.hasOwn(one.headers, 'mcp-session-id'));
    this.#turnedDown(ofSession ? callKey(last) : idKey(last), exchange);
  }

  #turnedDown(key: string, exchange: Exchange): void {
    if (this.#refused.size >= maxRefused) this.#refused.delete(this.#refused.keys().next().value ?? '');
    this.#refused.set(key, exchange);
  }

  #cancelled(entry: WireMessage): Exchange | undefined {
    const found = this.#open.get(`${entry.direction} ${connectionOf(entry)}`)?.get(requestIdOf(entry));
    if (found && found.lead.direction === entry.direction) found.cancelled = true;
    return found;
  }

  #joined(entry: WireMessage, exchange: Exchange): void {
    const { direction, shape, answers } = entry;
    const key = `${shape === 'request' ? direction : direction === 'sent' ? 'received' : 'sent'} ${connectionOf(entry)}`;
    if (shape === 'request') {
      const open = this.#open.get(key) ?? new Map<string, Exchange>();
      this.#open.set(key, open.set(entry.rpcId, exchange));
      if (entry === exchange.lead || direction !== exchange.lead.direction) return;
      exchange.answer = exchange.refused = undefined;
    } else if (answers !== null && (shape === 'result' || shape === 'error')) {
      this.#open.get(key)?.delete(entry.rpcId);
      if (direction === exchange.lead.direction) return;
      exchange.answer = entry;
      const state = shape === 'result' && entry.text.includes(asksInput) ? stateOf(entry, 'result') : undefined;
      if (state !== undefined) this.#byState.set(state, exchange);
      const last = shape === 'error' && asksForRetry.test(entry.text) ? lastRequest(exchange) : undefined;
      if (last) this.#turnedDown(callKey(last), exchange);
    } else if (shape === 'error' && entry.rpcId === '' && entry.exchange !== null && exchange.lead.kind === 'message' && exchange.lead.shape === 'request' && direction !== exchange.lead.direction) {
      // 2025-11-25 basic/transports#sending-messages-to-the-server: the body of an HTTP error may be a JSON-RPC error without an id.
      this.#open.get(key)?.delete(lastRequest(exchange)?.rpcId ?? '');
      exchange.answer ??= entry;
    }
  }

  #ended(entry: Place): void {
    for (const direction of ['sent', 'received']) {
      const key = `${direction} ${connectionOf(entry)}`;
      for (const exchange of this.#open.get(key)?.values() ?? []) exchange.lost = !exchange.answer;
      this.#open.delete(key);
    }
  }

  /** Removes exchanges without any entry that is still held. */
  release(dropped: number): void {
    const isHeld = ({ lead, inside }: Exchange): boolean => (inside.at(-1) ?? lead).seq > dropped;
    this.list = this.list.filter(isHeld);
    for (const [key, exchange] of this.#of) if (!isHeld(exchange)) this.#of.delete(key);
    for (const map of [this.#byHttp, this.#byState, this.#refused, ...this.#open.values()]) for (const [key, exchange] of map) if (!isHeld(exchange)) map.delete(key);
  }
}

const httpKey = (place: Place, exchange: number): string => `${exchange} ${connectionOf(place)}`;

/** The last message sent for a request: itself, its last round, or its last retry. */
function lastRequest({ lead, inside }: Exchange): WireMessage | undefined {
  const isRequest = (one: WireEntry): one is WireMessage => one.kind === 'message' && one.shape === 'request' && one.direction === 'sent';
  return isRequest(lead) ? inside.findLast(isRequest) ?? lead : undefined;
}

/** Equal for the same message, sent again. */
const idKey = (request: WireMessage): string => `${request.method} #${request.rpcId} ${connectionOf(request)}`;

/** Equal for the same call with another id. A message that is not held whole, or nested too deep, equals no other. */
function callKey(request: WireMessage): string {
  const { method, seq, whole, text } = request;
  let params = '';
  try {
    if (whole) params = JSON.stringify({ ...memberOf(text, 'params'), _meta: undefined });
  } catch {}
  return `${method} ${params || seq} ${connectionOf(request)}`;
}

/** `requestState` of a result that asks for input, or of the request that continues it. 2026-07-28 basic/patterns/mrtr */
function stateOf({ whole, text }: WireMessage, member: 'params' | 'result'): string | undefined {
  if (!whole || !text.includes('"requestState"')) return undefined;
  const { requestState } = memberOf(text, member);
  return typeof requestState === 'string' ? requestState : undefined;
}

/** The id in `notifications/cancelled`, as JSON. 2025-11-25 basic/utilities/cancellation */
function requestIdOf({ whole, text }: WireMessage): string {
  return whole ? JSON.stringify(memberOf(text, 'params')['requestId'] ?? null) : '';
}

function memberOf(text: string, member: string): Readonly<Record<string, unknown>> {
  try {
    return Object((Object(JSON.parse(text)) as Readonly<Record<string, unknown>>)[member]) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
