// The messages that the page holds, in the order of their numbers, and those that match the filter.
import { batch, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { WireEntry, WireMemory } from '../../messages.ts';
import { Exchanges, standingOf } from './exchanges.ts';
import type { Exchange } from './exchanges.ts';
import { isError, readFilter } from './filter-language.ts';
import type { Test } from './filter-language.ts';

/** The filter of the list. Empty members match everything. */
export interface WireFilter {
  /** An expression for `readFilter`; an invalid one matches everything. */
  readonly words: string;
  /** '': the server chosen in the page; `everyServer`; or a server's name. */
  readonly server: string;
  readonly direction: 'both' | 'sent' | 'received';
  readonly kinds: 'all' | 'messages' | 'errors' | 'http';
}

/** Stands for all servers; not a valid name of a server. */
export const everyServer = '\n';

export const noFilter: WireFilter = { words: '', server: '', direction: 'both', kinds: 'all' };

/** A row of the list: an exchange, or one entry. */
export interface WireItem {
  readonly entry: WireEntry;
  /** The exchange that the row shows; undefined: only the entry. */
  readonly exchange: Exchange | undefined;
  /** The row is shown under its exchange. */
  readonly inside: boolean;
}

/** The most method names that are suggested. */
const MAX_METHODS = 200;

const noMemory: WireMemory = { entries: 0, bytes: 0, maxEntries: 0, maxBytes: 0, droppedEntries: 0, droppedBytes: 0 };

export class WireStore {
  /** All entries that are held, oldest first. Not a signal: the array is mutated, and `version` changes with it. */
  entries: WireEntry[] = [];
  /** The entries that match the filter. */
  shown: WireEntry[] = [];
  exchanges: Exchanges = new Exchanges();
  /** Exchanges with at least one matching entry, by the number of their first entry. */
  #folded: Exchange[] = [];
  /** Each entry has its own row. */
  readonly flat: Signal<boolean> = signal(false);
  readonly expanded: Signal<ReadonlySet<Exchange>> = signal<ReadonlySet<Exchange>>(new Set());
  /** The exchange under the pointer, highlighted in all its rows. */
  readonly lit: Signal<Exchange | undefined> = signal<Exchange | undefined>(undefined);
  readonly version: Signal<number> = signal(0);
  readonly filter: Signal<WireFilter> = signal(noFilter);
  readonly memory: Signal<WireMemory> = signal(noMemory);
  /** The message in the detail; 0: none. */
  readonly selected: Signal<number> = signal(0);
  /** The row of the keyboard; the same as `selected`, unless the detail would cover the list. */
  readonly cursor: Signal<number> = signal(0);
  /** There is no space for list and detail together. */
  readonly small: Signal<boolean> = signal(false);
  /** A message to compare with the selected one; 0: none. */
  readonly marked: Signal<number> = signal(0);
  /** The list scrolls to the newest entry. */
  readonly following: Signal<boolean> = signal(true);
  /** The server chosen in the page; '' for none. */
  readonly chosen: Signal<string> = signal('');
  /** The servers of all entries so far, also those that are not in the configuration. */
  readonly servers: Set<string> = new Set();
  readonly methods: Set<string> = new Set();
  readonly #words = new WeakMap<WireEntry, string>();

  begin(entries: readonly WireEntry[], memory: WireMemory): void {
    this.entries = [];
    this.shown = [];
    this.exchanges = new Exchanges();
    this.#folded = [];
    this.expanded.value = new Set();
    this.lit.value = undefined;
    this.add(entries, memory);
  }

  /** Adds newer entries, and drops those that the host dropped. */
  add(entries: readonly WireEntry[], memory: WireMemory): void {
    const passes = this.#passing(this.filter.peek());
    const last = this.entries.at(-1)?.seq ?? 0;
    for (const entry of entries) {
      if (entry.seq <= last) continue;
      this.#enter(entry);
      const exchange = this.exchanges.add(entry, (gone) => {
        const at = this.#folded.lastIndexOf(gone);
        if (at >= 0) this.#folded.splice(at, 1);
      });
      if (!passes(entry)) continue;
      this.shown.push(entry);
      this.#fold(exchange);
    }
    this.#release(memory.droppedEntries);
    this.#changed(memory);
  }

  /** Adds entries older than all that are held. */
  addOlder(entries: readonly WireEntry[], memory: WireMemory): void {
    const first = this.entries[0]?.seq ?? Infinity;
    this.entries = [...entries.filter(({ seq }) => seq < first), ...this.entries];
    this.exchanges = new Exchanges();
    for (const entry of this.entries) this.exchanges.add(entry);
    for (const entry of entries) this.#name(entry);
    this.expanded.value = new Set();
    this.#sieve(this.filter.peek());
    this.#changed(memory);
  }

  #enter(entry: WireEntry): void {
    this.entries.push(entry);
    this.#name(entry);
  }

  #name(entry: WireEntry): void {
    this.servers.add(entry.server);
    if (entry.kind === 'message' && entry.method !== '' && this.methods.size < MAX_METHODS) this.methods.add(entry.method);
  }

  /** Another server was chosen in the page: if the filter follows the choice, it is applied again. */
  choose(server: string): void {
    if (this.chosen.peek() === server) return;
    this.chosen.value = server;
    if (this.filter.peek().server === '') this.setFilter(this.filter.peek());
  }

  #passing({ words, server, direction, kinds }: WireFilter): Test {
    const read = readFilter(words, (entry) => wordsOf(entry, this.#words));
    const test = read.ok ? read.test : () => true;
    const only = server === '' ? this.chosen.peek() : server;
    return (entry) => (only === '' || only === everyServer || entry.server === only) && (direction === 'both' || entry.direction === direction)
      && ofKind(entry, kinds) && test(entry);
  }

  #sieve(filter: WireFilter): void {
    this.shown = this.entries.filter(this.#passing(filter));
    this.#folded = [];
    for (const { seq } of this.shown) this.#fold(this.exchanges.of(seq));
  }

  #fold(exchange: Exchange | undefined): void {
    if (!exchange) return;
    const { seq } = exchange.lead;
    const last = this.#folded.at(-1);
    if (!last || last.lead.seq < seq) this.#folded.push(exchange);
    else if (last !== exchange) {
      const at = placeOf(this.#folded.length, (place) => this.#folded[place]?.lead.seq ?? 0, seq);
      if (at < 0) this.#folded.splice(-at - 1, 0, exchange);
    }
  }

  /** The rows of the list. */
  get rows(): { readonly length: number; slice(from: number, to: number): readonly WireItem[] } {
    if (this.flat.value) return { length: this.shown.length, slice: (from, to) => this.shown.slice(from, to).map((entry) => ({ entry, exchange: undefined, inside: false })) };
    const folded = this.#folded;
    const expanded = this.expanded.value;
    const item = (exchange: Exchange): WireItem => ({ entry: exchange.lead, exchange, inside: false });
    if (expanded.size === 0) return { length: folded.length, slice: (from, to) => folded.slice(from, to).map(item) };
    return folded.flatMap((exchange) => (expanded.has(exchange) ? [item(exchange), ...exchange.inside.map((entry) => ({ entry, exchange: undefined, inside: true }))] : item(exchange)));
  }

  /** Shows or hides the entries inside an exchange. */
  expand(exchange: Exchange, shown: boolean = !this.expanded.peek().has(exchange)): void {
    const expanded = new Set(this.expanded.peek());
    if (shown && exchange.inside.length > 0) expanded.add(exchange);
    else expanded.delete(exchange);
    this.expanded.value = expanded;
  }

  #release(dropped: number): void {
    // In large portions, because removing one entry from the front of a large array moves all others.
    const first = this.entries[0]?.seq ?? 0;
    if (first > dropped || dropped - first < Math.max(1000, this.entries.length / 10)) return;
    this.entries = this.entries.filter(({ seq }) => seq > dropped);
    this.shown = this.shown.filter(({ seq }) => seq > dropped);
    this.exchanges.release(dropped);
    const held = new Set(this.exchanges.list);
    this.#folded = this.#folded.filter((exchange) => held.has(exchange));
    this.expanded.value = new Set([...this.expanded.peek()].filter((exchange) => held.has(exchange)));
  }

  #changed(memory: WireMemory): void {
    batch(() => {
      this.memory.value = memory;
      this.version.value++;
    });
  }

  setFilter(filter: WireFilter): void {
    this.#sieve(filter);
    batch(() => {
      this.filter.value = filter;
      this.version.value++;
    });
  }

  /** Finds an entry by binary search. */
  find(seq: number): WireEntry | undefined {
    return this.entries[placeIn(this.entries, seq)];
  }

  /** The highest number that the page knows. */
  get newest(): number {
    const { droppedEntries, entries } = this.memory.peek();
    return Math.max(this.entries.at(-1)?.seq ?? 0, droppedEntries + entries);
  }

  /** Whether the host has dropped an entry. */
  isCleared(seq: number): boolean {
    return seq <= this.memory.peek().droppedEntries;
  }

  /** The row of an entry; -1 if it is not shown. */
  shownAt(seq: number): number {
    if (this.flat.value) return placeIn(this.shown, seq);
    const lead = this.exchanges.of(seq)?.lead.seq ?? 0;
    if (this.expanded.value.size === 0) return lead === seq ? Math.max(placeOf(this.#folded.length, (at) => this.#folded[at]?.lead.seq ?? 0, seq), -1) : -1;
    return this.rows.slice(0, Infinity).findIndex(({ entry }) => entry.seq === seq);
  }

  /** The first error after an entry, else the first of all. A probe of the era does not count. */
  nextError(after: number): WireEntry | undefined {
    const isWrong = (entry: WireEntry): boolean => {
      const exchange = this.exchanges.of(entry.seq);
      return isError(entry) && (!exchange || standingOf(exchange) !== 'probe');
    };
    return this.shown.find((entry) => entry.seq > after && isWrong(entry)) ?? this.shown.find(isWrong);
  }

  /** Selects a message. */
  select(seq: number): void {
    batch(() => {
      this.following.value = false;
      this.selected.value = this.cursor.value = seq;
    });
  }

  /** Selects a message, and removes the filter if it hides the message. */
  reveal(seq: number): void {
    batch(() => {
      const exchange = this.exchanges.of(seq);
      if (exchange && exchange.lead.seq !== seq && !this.flat.peek()) this.expand(exchange, true);
      const of = this.find(seq)?.server ?? '';
      const wide = of !== this.chosen.peek() || this.filter.peek().server === everyServer;
      if (this.shownAt(seq) < 0) this.setFilter({ ...noFilter, ...wide && { server: everyServer } });
      this.select(seq);
    });
  }

  /** Moves by rows, or to an end. If the detail would cover the list, only the keyboard's row moves. */
  move(by: number, from: number = this.cursor.peek() || this.selected.peek()): void {
    const at = this.shownAt(from);
    const { rows } = this;
    const to = Math.min(Math.max((at < 0 ? by < 0 ? rows.length : -1 : at) + by, 0), rows.length - 1);
    const seq = rows.slice(to, to + 1)[0]?.entry.seq;
    if (seq === undefined) return;
    if (this.small.peek() && this.selected.peek() === 0) batch(() => {
      this.following.value = false;
      this.cursor.value = seq;
    });
    else this.select(seq);
  }
}

const placeIn = (entries: readonly WireEntry[], seq: number): number => Math.max(placeOf(entries.length, (at) => entries[at]?.seq ?? 0, seq), -1);

/** The index of a number in a sorted list; if it is missing, `-index - 1` with the index where it would be. */
function placeOf(length: number, seqAt: (place: number) => number, seq: number): number {
  let low = 0;
  let high = length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const at = seqAt(middle);
    if (at === seq) return middle;
    if (at < seq) low = middle + 1;
    else high = middle - 1;
  }
  return -low - 1;
}

function ofKind(entry: WireEntry, kinds: WireFilter['kinds']): boolean {
  switch (kinds) {
    case 'all': return true;
    case 'messages': return entry.kind === 'message';
    case 'http': return entry.kind === 'http' || entry.kind === 'event';
    case 'errors': return isError(entry);
  }
}

function wordsOf(entry: WireEntry, cache: WeakMap<WireEntry, string>): string {
  const known = cache.get(entry);
  if (known !== undefined) return known;
  const made = (entry.kind === 'message' ? `${entry.shape} ${entry.method} ${entry.text} ${entry.sentence} ${entry.section}`
    : entry.kind === 'http' ? `${entry.method} ${entry.path} ${entry.status ?? ''} ${Object.entries(entry.headers).join(' ')} ${entry.sentence}`
      : entry.kind === 'event' ? `${entry.data} ${entry.sentence}` : `${entry.what} ${entry.why}`).toLowerCase();
  cache.set(entry, made);
  return made;
}
