import { invalidParams, RpcError } from '../jsonrpc/errors.ts';
import * as errorCodes from '../jsonrpc/error-codes.ts';
import { quote, shorten } from '../jsonrpc/quote.ts';
import type { Listed } from '../protocol/cursor.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Guarded } from './needs.ts';
import type { Pages } from './pages.ts';

/** The handle of something registered. */
export interface Handle<Definition> {
  /** Changes parts of the definition; its place in the list stays. */
  update(changes: Partial<Definition>): void;
  /** Takes it out. A second call does nothing. */
  remove(): void;
}

/** Something registered: how it is listed, beside what it takes to serve it. */
export interface Entry {
  /** A name, a URI or a template. */
  readonly name: string;
  readonly listed: object;
  /** What the author registered. */
  readonly definition: object;
}

/** The part of a list that some requesters see. */
export interface View {
  /** Requesters with one key see the same list. It names the revision too. */
  readonly key: string;
  /** Those of the entries that this requester sees. */
  of<E extends Entry>(entries: Iterable<E>): Iterable<E>;
}

/** A list on one page, to which no cursor leads. */
const onePage: Pages = (items, cursor) => cursor === undefined ? { items: [...items] } : undefined;

/** First pages that are kept as text. Beyond it all are made anew, so that keys cost no more memory. */
const maxKeptPages = 1000;

/** Entries by name, listed in the order in which they were registered. */
export class Registry<E extends Entry> {
  readonly #entries = new Map<string, E & Listed>();
  readonly #kind: string;
  readonly #show: (listed: E['listed'], revision: Revision) => object;
  readonly #onChange: () => void;
  /** First pages as text, by revision and view: most clients ask for nothing else. */
  readonly #pages = new Map<string, string>();
  #sequence = 0;
  #scoped = false;

  /** `show` is how what is listed appears in a revision. */
  constructor(kind: string, show: (listed: E['listed'], revision: Revision) => object, onChange: () => void) {
    this.#kind = kind;
    this.#show = show;
    this.#onChange = onChange;
  }

  /** Whether anything was ever registered: a capability that was declared is not taken back. */
  get everHeld(): boolean {
    return this.#sequence > 0;
  }

  /** Whether an entry has `scopes`, or ever had. */
  get scoped(): boolean {
    return this.#scoped;
  }

  /** The entry of this name; undefined: none, or no name at all. */
  get(name: unknown): E | undefined {
    return typeof name === 'string' ? this.#entries.get(name) : undefined;
  }

  /** The error for a name that nothing has. */
  unknown(name: unknown): RpcError {
    return new RpcError(errorCodes.invalidParams, `Unknown ${this.#kind}: ${typeof name === 'string' ? shorten(name) : quote(name)}`);
  }

  /** All entries, in the order in which they were added. */
  values(): Iterable<E> {
    return this.#entries.values();
  }

  /** Throws where the name is taken. `make` is called for the definition, and again for each update of it. */
  register<D extends object>(name: string, definition: D, make: (definition: D) => E): Handle<D> {
    const entries = this.#entries;
    const fault = (why: string): Error => new Error(`${this.#kind} ${JSON.stringify(name)} is ${why}`);
    if (entries.has(name)) throw fault('already registered');
    let entry: E & Listed | undefined;
    // The name may have been given to another since.
    const held = (): boolean => entries.get(name) === entry;
    const set = (changed: D): void => {
      entry = { ...make(changed), sequence: entry?.sequence ?? ++this.#sequence };
      entries.set(name, entry);
      this.#scoped ||= Boolean((changed as Guarded).scopes?.length);
      definition = changed;
      this.#changed();
    };
    set(definition);
    return {
      update: (changes) => {
        if (!held()) throw fault('not registered any more');
        set({ ...definition, ...changes });
      },
      remove: () => {
        if (!held()) return;
        entries.delete(name);
        this.#changed();
      },
    };
  }

  #changed(): void {
    this.#pages.clear();
    this.#onChange();
  }

  /**
   * One page as the text of a result. `hints` are what else the result says. Throws `-32602` for a cursor
   * that was not handed out here.
   */
  list(
    member: string, cursor: unknown, pages: Pages = onePage, revision: Revision, hints: () => object, view?: View,
  ): string {
    const key = view?.key ?? revision.version;
    const known = cursor === undefined ? this.#pages.get(key) : undefined;
    if (known !== undefined) return known;
    const entries = this.#entries.values();
    const found = pages(view?.of(entries) ?? entries, cursor);
    if (found === undefined) throw invalidParams('cursor is not a cursor of this list');
    const { items, nextCursor } = found;
    const text = JSON.stringify({
      ...hints(), [member]: items.map(({ listed }) => this.#show(listed, revision)), nextCursor,
    });
    if (cursor === undefined) {
      if (this.#pages.size >= maxKeptPages) this.#pages.clear();
      this.#pages.set(key, text);
    }
    return text;
  }
}
