import * as errorCodes from '../jsonrpc/error-codes.ts';
import { invalidParams, RpcError } from '../jsonrpc/errors.ts';
import { page } from '../protocol/cursor.ts';
import type { Listed } from '../protocol/cursor.ts';
import type { Revision } from '../protocol/revisions.ts';

/** The handle of something registered. */
export interface Handle<Definition> {
  /** Changes parts of the definition; its place in the list stays. */
  update(changes: Partial<Definition>): void;
  /** Takes it out. A second call does nothing. */
  remove(): void;
}

/** Something registered: how it is listed, beside what it takes to serve it. */
export interface Entry {
  readonly listed: object;
}

/** Entries by name, listed in the order in which they were registered. */
export class Registry<E extends Entry> {
  readonly #entries = new Map<string, E & Listed>();
  readonly #kind: string;
  readonly #show: (listed: E['listed'], revision: Revision) => object;
  readonly #onChange: () => void;
  /** Results of the first page by revision, as text: most clients ask for nothing else. */
  readonly #pages = new Map<Revision, string>();
  #sequence = 0;

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

  get(name: unknown): E | undefined {
    return typeof name === 'string' ? this.#entries.get(name) : undefined;
  }

  /** Throws `-32602` where there is none of this name. */
  require(name: unknown): E {
    const entry = this.get(name);
    if (!entry) throw new RpcError(errorCodes.invalidParams, `Unknown ${this.#kind}: ${String(name)}`);
    return entry;
  }

  values(): Iterable<E> {
    return this.#entries.values();
  }

  /** Throws where the name is taken. `make` is called for the definition, and again for each update of it. */
  register<D extends object>(name: string, definition: D, make: (definition: D) => E): Handle<D> {
    const entries = this.#entries;
    const fault = (why: string): Error => new Error(`${this.#kind} ${JSON.stringify(name)} is ${why}`);
    if (entries.has(name)) throw fault('already registered');
    const sequence = ++this.#sequence;
    // The name may have been given to another since.
    const held = (): boolean => entries.get(name)?.sequence === sequence;
    const set = (changed: D): void => {
      entries.set(name, { ...make(changed), sequence });
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
  list(member: string, cursor: unknown, size: number, revision: Revision, hints: object): string {
    const known = cursor === undefined ? this.#pages.get(revision) : undefined;
    if (known !== undefined) return known;
    const found = page(this.#entries.values(), cursor, size);
    if (found === undefined) throw invalidParams('cursor is not a cursor of this list');
    const { items, nextCursor } = found;
    const text = JSON.stringify({
      ...hints, [member]: items.map(({ listed }) => this.#show(listed, revision)), nextCursor,
    });
    if (cursor === undefined) this.#pages.set(revision, text);
    return text;
  }
}
