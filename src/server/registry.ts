import { invalidParams } from '../jsonrpc/errors.ts';
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

/** Entries by name, listed in the order in which they were registered. */
export class Registry<Entry extends Listed> {
  readonly #entries = new Map<string, Entry>();
  readonly #kind: string;
  readonly #onChange: () => void;
  /** Results of the first page by revision, as text: most clients ask for nothing else. */
  readonly #listed = new Map<Revision, string>();
  #sequence = 0;

  constructor(kind: string, onChange: () => void) {
    this.#kind = kind;
    this.#onChange = onChange;
  }

  /** Whether anything was ever registered: a capability that was declared is not taken back. */
  get everHeld(): boolean {
    return this.#sequence > 0;
  }

  get(name: unknown): Entry | undefined {
    return typeof name === 'string' ? this.#entries.get(name) : undefined;
  }

  values(): Iterable<Entry> {
    return this.#entries.values();
  }

  /** Throws where the name is taken. `make` gets the entry's place in the list. */
  add(name: string, make: (sequence: number) => Entry): void {
    if (this.#entries.has(name)) throw new Error(`${this.#kind} ${JSON.stringify(name)} is already registered`);
    this.#entries.set(name, make(++this.#sequence));
    this.#changed();
  }

  replace(name: string, make: (old: Entry) => Entry): void {
    const old = this.#entries.get(name);
    if (old === undefined) throw new Error(`${this.#kind} ${JSON.stringify(name)} is not registered any more`);
    this.#entries.set(name, make(old));
    this.#changed();
  }

  remove(name: string): void {
    if (this.#entries.delete(name)) this.#changed();
  }

  #changed(): void {
    this.#listed.clear();
    this.#onChange();
  }

  /**
   * One page as the text of a result. `show` is how an entry appears in the revision, `hints` what else the result
   * says. Throws `-32602` for a cursor that was not handed out here.
   */
  list(
    member: string,
    cursor: unknown,
    size: number,
    revision: Revision,
    show: (entry: Entry) => object,
    hints: object,
  ): string {
    const known = cursor === undefined ? this.#listed.get(revision) : undefined;
    if (known !== undefined) return known;
    const found = page(this.#entries.values(), cursor, size);
    if (found === undefined) throw invalidParams('cursor is not a cursor of this list');
    const { items, nextCursor } = found;
    const text = JSON.stringify({ ...hints, [member]: items.map(show), nextCursor });
    if (cursor === undefined) this.#listed.set(revision, text);
    return text;
  }
}
