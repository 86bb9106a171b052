// The messages that the page holds, in the order of their numbers, and those of them that the filter lets through.
import { batch, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { WireEntry, WireMemory } from '../../messages.ts';

/** What is shown. Empty members let everything through. */
export interface WireFilter {
  /** Words that the method, the text, the sentence or the header lines must hold, all of them, without regard to case. */
  readonly words: string;
  readonly servers: ReadonlySet<string>;
  readonly direction: 'both' | 'sent' | 'received';
  readonly kinds: 'all' | 'messages' | 'errors' | 'http';
}

export const noFilter: WireFilter = { words: '', servers: new Set(), direction: 'both', kinds: 'all' };

const noMemory: WireMemory = { entries: 0, bytes: 0, maxEntries: 0, maxBytes: 0, droppedEntries: 0, droppedBytes: 0 };

export class WireStore {
  /** All that are held, oldest first. Not a signal: it grows in place, and `version` says when. */
  entries: WireEntry[] = [];
  /** Those that the filter lets through. */
  shown: WireEntry[] = [];
  readonly version: Signal<number> = signal(0);
  readonly filter: Signal<WireFilter> = signal(noFilter);
  readonly memory: Signal<WireMemory> = signal(noMemory);
  /** The message that is looked at; 0: none. */
  readonly selected: Signal<number> = signal(0);
  /** A message to be compared with the one that is looked at; 0: none. */
  readonly marked: Signal<number> = signal(0);
  /** The newest is kept in sight. */
  readonly following: Signal<boolean> = signal(true);
  readonly #words = new WeakMap<WireEntry, string>();

  begin(entries: readonly WireEntry[], memory: WireMemory): void {
    this.entries = [];
    this.shown = [];
    this.add(entries, memory);
  }

  /** Adds what is newer, and lets go what the host let go. */
  add(entries: readonly WireEntry[], memory: WireMemory): void {
    const passes = passing(this.filter.peek(), this.#words);
    const last = this.entries.at(-1)?.seq ?? 0;
    for (const entry of entries) {
      if (entry.seq <= last) continue;
      this.entries.push(entry);
      if (passes(entry)) this.shown.push(entry);
    }
    this.#release(memory.droppedEntries);
    this.#changed(memory);
  }

  /** Adds what is older than all that are held. */
  addOlder(entries: readonly WireEntry[], memory: WireMemory): void {
    const first = this.entries[0]?.seq ?? Infinity;
    this.entries = [...entries.filter(({ seq }) => seq < first), ...this.entries];
    this.shown = this.entries.filter(passing(this.filter.peek(), this.#words));
    this.#changed(memory);
  }

  #release(dropped: number): void {
    // In large pieces: to cut one from the front of a hundred thousand moves them all.
    const first = this.entries[0]?.seq ?? 0;
    if (first > dropped || dropped - first < Math.max(1000, this.entries.length / 10)) return;
    this.entries = this.entries.filter(({ seq }) => seq > dropped);
    this.shown = this.shown.filter(({ seq }) => seq > dropped);
  }

  #changed(memory: WireMemory): void {
    batch(() => {
      this.memory.value = memory;
      this.version.value++;
    });
  }

  setFilter(filter: WireFilter): void {
    this.shown = this.entries.filter(passing(filter, this.#words));
    batch(() => {
      this.filter.value = filter;
      this.version.value++;
    });
  }

  /** Numbers have no gap but where entries were dropped, so that the place is found by halving. */
  find(seq: number): WireEntry | undefined {
    return this.entries[placeOf(this.entries, seq)];
  }

  /** Where an entry stands among those that are shown; -1: it is not. */
  shownAt(seq: number): number {
    return placeOf(this.shown, seq);
  }

  /** Looks at a message, and lifts the filter where it hides it. */
  reveal(seq: number): void {
    batch(() => {
      if (this.shownAt(seq) < 0) this.setFilter(noFilter);
      this.following.value = false;
      this.selected.value = seq;
    });
  }
}

function placeOf(entries: readonly WireEntry[], seq: number): number {
  let low = 0;
  let high = entries.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const at = entries[middle]?.seq ?? 0;
    if (at === seq) return middle;
    if (at < seq) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

function passing(filter: WireFilter, cache: WeakMap<WireEntry, string>): (entry: WireEntry) => boolean {
  const words = filter.words.toLowerCase().split(/\s+/).filter(Boolean);
  return (entry) => (filter.servers.size === 0 || filter.servers.has(entry.server))
    && (filter.direction === 'both' || entry.direction === filter.direction)
    && ofKind(entry, filter.kinds)
    && (words.length === 0 || words.every((word) => wordsOf(entry, cache).includes(word)));
}

function ofKind(entry: WireEntry, kinds: WireFilter['kinds']): boolean {
  switch (kinds) {
    case 'all': return true;
    case 'messages': return entry.kind === 'message';
    case 'http': return entry.kind === 'http' || entry.kind === 'event';
    case 'errors': return isError(entry);
  }
}

/** Whether somebody refused, failed or broke off. */
export function isError(entry: WireEntry): boolean {
  return entry.kind === 'message' ? entry.shape === 'error' || entry.shape === 'unreadable'
    : entry.kind === 'http' ? (entry.status ?? 0) >= 400 : false;
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
