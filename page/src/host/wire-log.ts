import { explain } from 'barewire/explain';
import type { TappedEntry, TappedMessage } from 'barewire/tap';
import type { EventFields, WireEntry, WireMemory, WireMessage } from '../messages.ts';
import { PageError } from './failure.ts';
import type { PageHostOptions } from './options.ts';
import { answerKey, callsIn, shapeOf, tokenKey } from './wire-shape.ts';

/** The most characters of a message that are sent to the page without a request. */
export const maxShown = 16_384;
/** The memory of an entry in addition to its text, in bytes. */
const overhead = 500;
/** The most requests of one connection, in each direction, that are remembered until their response. */
const maxOpen = 10_000;

interface Kept {
  readonly entry: WireEntry;
  /** The whole text, if the entry has only its beginning. */
  readonly text: string | undefined;
  readonly bytes: number;
}

interface OpenRequest {
  readonly seq: number;
  readonly at: number;
  readonly method: string;
}

/** Links the messages of one connection. */
class Joins {
  /** By direction and id. */
  readonly open: Record<'sent' | 'received', Map<string, OpenRequest>> = { sent: new Map(), received: new Map() };
  /** `seq` of requests by their progress token or subscription id, in both directions. */
  readonly tokens = new Map<string, number>();
}

export interface WireLogOptions {
  readonly maxEntries: number;
  /** The most memory of all entries, in bytes. */
  readonly maxBytes: number;
  /** Called with each entry that is added, and its whole text. */
  readonly onEntry: (entry: WireEntry, text: string) => void;
  /** Explains HTTP heads and events. */
  readonly explainHttp: NonNullable<PageHostOptions['explainHttp']>;
}

/** The messages of all servers, explained and linked. The oldest are dropped above the memory limits. */
export class WireLog {
  readonly #options: WireLogOptions;
  readonly #joins = new Map<string, Joins>();
  #kept: Kept[] = [];
  /** The index in `#kept` of the first entry that is held. */
  #head = 0;
  #seq = 0;
  #bytes = 0;
  #droppedEntries = 0;
  #droppedBytes = 0;

  constructor(options: WireLogOptions) {
    this.#options = options;
  }

  get memory(): WireMemory {
    const { maxEntries, maxBytes } = this.#options;
    return {
      entries: this.#kept.length - this.#head, bytes: this.#bytes, maxEntries, maxBytes,
      droppedEntries: this.#droppedEntries, droppedBytes: this.#droppedBytes,
    };
  }

  /** Our requests to this server without a response yet. */
  inFlight(server: string): number {
    return this.#joins.get(server)?.open.sent.size ?? 0;
  }

  /** A connection began or ended: its open requests get no response any more. */
  mark(server: string, connection: number, what: 'opened' | 'closed', why: string, at: number = Date.now()): void {
    this.#joins.set(server, new Joins());
    this.#add({ kind: 'mark', seq: 0, at, server, connection, direction: 'sent', exchange: null, what, why }, '');
  }

  /** Adds a message, an HTTP head or an event. `revision`: the negotiated one, if any. Returns its `seq`. */
  add(server: string, connection: number, revision: string | undefined, passed: TappedEntry): number {
    const { direction, at } = passed;
    const common = { seq: 0, at, server, connection, direction, exchange: passed.exchange ?? null };
    if ('origin' in passed) return this.#message(common, revision, passed);
    const { what: sentence, section } = this.#options.explainHttp(passed, revision);
    if (passed.kind === 'http') {
      const { method, path, status = null, headers } = passed;
      return this.#add({ ...common, kind: 'http', method, path, status, headers, sentence, section }, '');
    }
    return this.#add({ ...common, kind: 'event', event: fieldsOf(passed.event), data: passed.data.slice(0, maxShown), sentence, section }, '');
  }

  /** Adds a message of a file. Its original time is unknown, so the time of reading is used. */
  addRead(server: string, direction: 'sent' | 'received', text: string, revision: string | undefined): void {
    this.#message({ seq: 0, at: Date.now(), server, connection: 1, direction, exchange: null }, revision, { text, origin: 'file' });
  }

  #message(common: Pick<WireMessage, 'seq' | 'at' | 'server' | 'connection' | 'direction' | 'exchange'>, revision: string | undefined, { text, origin, event }: Pick<TappedMessage, 'text' | 'event'> & Pick<WireMessage, 'origin'>): number {
    const { server, direction, at } = common;
    let joins = this.#joins.get(server);
    if (!joins) this.#joins.set(server, joins = new Joins());
    const message = parsed(text);
    const other = joins.open[direction === 'sent' ? 'received' : 'sent'];
    const key = answerKey(message);
    const asked = key === undefined ? undefined : other.get(key);
    const token = tokenKey(message);
    const { what, section } = explain(message ?? text, direction, revision, (id) => other.get(JSON.stringify(id))?.method);
    const seq = this.#seq + 1;
    for (const { id, method, token: own } of callsIn(message)) {
      const { open } = joins;
      if (open[direction].size >= maxOpen) open[direction].delete(open[direction].keys().next().value ?? '');
      open[direction].set(id, { seq, at, method });
      if (joins.tokens.size >= maxOpen) joins.tokens.delete(joins.tokens.keys().next().value ?? '');
      if (own !== undefined) joins.tokens.set(own, seq);
    }
    if (key !== undefined) other.delete(key);
    const { shape, method, rpcId } = shapeOf(message);
    return this.#add({
      ...common, kind: 'message', text: text.slice(0, maxShown), chars: text.length, whole: text.length <= maxShown,
      shape, method: method || (asked?.method ?? ''), rpcId,
      answers: asked?.seq ?? (token === undefined ? null : joins.tokens.get(token) ?? null),
      ms: asked && origin !== 'file' ? at - asked.at : null,
      sentence: what, section, origin, event: event ? fieldsOf(event) : null,
    }, text);
  }

  #add(made: WireEntry, text: string): number {
    const entry = { ...made, seq: ++this.#seq };
    const bytes = overhead + 2 * text.length;
    this.#kept.push({ entry, text: text.length > maxShown ? text : undefined, bytes });
    this.#bytes += bytes;
    const { maxEntries, maxBytes, onEntry } = this.#options;
    // The last one stays, whatever its size.
    while (this.#kept.length - this.#head > maxEntries || (this.#bytes > maxBytes && this.#kept.length - this.#head > 1)) this.#drop();
    onEntry(entry, text);
    return entry.seq;
  }

  #drop(): void {
    const { bytes } = this.#kept[this.#head] as Kept;
    this.#bytes -= bytes;
    this.#droppedEntries++;
    this.#droppedBytes += bytes;
    (this.#kept as (Kept | undefined)[])[this.#head++] = undefined;
    if (this.#head > 1_000 && this.#head > this.#kept.length / 2) {
      this.#kept = this.#kept.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Drops all entries. */
  clear(): void {
    while (this.#head < this.#kept.length) this.#drop();
    this.#kept = [];
    this.#head = 0;
  }

  /** Entries from number `from` upwards: at most `limit`, and at most about 8 million characters. */
  page(from: number, limit: number): readonly WireEntry[] {
    const at = Math.max(0, from - this.#droppedEntries - 1) + this.#head;
    const entries: WireEntry[] = [];
    let chars = 0;
    for (const { entry } of this.#kept.slice(at, at + limit)) {
      entries.push(entry);
      if (entry.kind === 'message' && (chars += entry.text.length) > 8_000_000) break;
    }
    return entries;
  }

  last(count: number): readonly WireEntry[] {
    return this.page(this.#seq - count + 1, count);
  }

  /** The entry of this number with its whole text. Throws a `PageError` `dropped` if it is not held. */
  whole(seq: number): { readonly entry: WireEntry; readonly text: string } {
    const kept = this.#kept[seq - this.#droppedEntries - 1 + this.#head];
    if (kept === undefined || kept.entry.seq !== seq) throw new PageError('dropped', `message ${seq} is not held any more`);
    const { entry, text } = kept;
    return { entry, text: text ?? (entry.kind === 'message' ? entry.text : '') };
  }

  /** Whole messages of a server, between two numbers, both inclusive. */
  *messages(server: string, from: number = 1, to: number = this.#seq): Generator<{ readonly entry: WireMessage; readonly text: string }> {
    for (let seq = Math.max(from, this.#droppedEntries + 1); seq <= Math.min(to, this.#seq); seq++) {
      const { entry, text } = this.whole(seq);
      if (entry.kind === 'message' && entry.server === server) yield { entry, text };
    }
  }
}

const fieldsOf = ({ id, event, retry }: { readonly id?: string | undefined; readonly event?: string | undefined; readonly retry?: number | undefined }): EventFields =>
  ({ id: id ?? null, event: event ?? null, retry: retry ?? null });

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
