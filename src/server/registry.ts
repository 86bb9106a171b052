import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { invalidParams, invalidParamsCode, RpcError } from '../jsonrpc/errors.ts';
import { quote, shorten } from '../bounds/quote.ts';
import type { Listed, ListName } from '../protocol/pagination.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { AnswerCall, Handled } from './chain.ts';
import type { Listener, PlainContext } from './context.ts';
import type { FeatureHost } from './feature.ts';
import type { Pages } from './pages.ts';

/** What a handler may need of a client of its: what it will ask. */
export type Need = 'elicitation' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots';

/** What definitions of tools, prompts and resources share besides what is listed of them. */
export interface Guarded {
  /**
   * What the handler will ask of the client. A client that lacks it gets `-32021` (HTTP status 400) before the
   * handler runs; a model before 2026-07-28 reads it as the tool's error. Of use only with `asking`: other
   * handlers cannot ask.
   */
  readonly needs?: readonly Need[];
  /**
   * Scopes that the caller's token must reach, where the transport authenticates: 403 otherwise. An HTTP server
   * without `auth` does not start; over stdio they are not checked. Never listed.
   */
  readonly scopes?: readonly string[];
  /** Whatever else stands around handlers or filters lists by. Never listed. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** What only the shape of a definition of its kind has to name. */
export type OwnShape<D> = Omit<Shape<D>, 'icons' | 'needs' | 'scopes' | 'data' | '_meta'>;

/** Throws a TypeError for a name, a definition or a handler that is malformed. */
export function checkDefinition<D extends object>(
  kind: string, name: string, definition: D, handler: unknown, shape: OwnShape<D>,
): void {
  // All three are required: what is undefined would count as not given.
  checkOptions<object>(
    `${kind} ${JSON.stringify(name)}`, { name: name ?? null, definition: definition ?? null, handler: handler ?? null },
    { name: 'string', handler: 'function', definition: { icons: 'list', needs: 'list', scopes: 'list', data: 'object', _meta: 'object', ...shape } },
  );
}

/** What is listed, by the member of the list's result. */
export type ListedKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** The handle of something registered. */
export interface Handle<Definition> {
  /** Changes parts of the definition; its place in the list stays. */
  update(changes: Partial<Definition>): void;
  /** Takes it out. A second call does nothing. */
  remove(): void;
}

/** Something registered: how it is listed, beside what it takes to serve it. Its `name` is a name, a URI or a template. */
export interface Entry extends Handled {
  readonly listed: object;
}

/** An entry that can be called. */
export type Callable<E extends Entry = Entry> = E & {
  /** Answers calls of the entry's handler. */
  readonly call: AnswerCall;
};

/** The part of a list that some requesters see. */
export interface View {
  /** Requesters with one key see the same list. It names the revision too. */
  readonly key: string;
  /** Those of the entries that this requester sees. */
  of<E extends Entry>(entries: Iterable<E>): Iterable<E>;
}

/**
 * The host of a feature that is attached to one, where it had `before`. Throws where it belongs to a server already.
 */
export function attachTo<C extends PlainContext>(host: FeatureHost<C>, before: FeatureHost<C> | undefined): FeatureHost<C> {
  if (before) throw new Error('this feature belongs to a server already');
  return host;
}

/** A list on one page, to which no cursor leads. */
const onePage: Pages = (items, cursor) => cursor === undefined ? { items: [...items] } : undefined;

/** First pages that are kept as text. Beyond it all are made anew, so that keys cost no more memory. */
const maxKeptPages = 1000;

/** What a registry adds to an entry. */
interface KeptEntry extends Listed {
  call: AnswerCall;
}

/** Stands for the call of an entry until its registry belongs to a server. */
const notAttached: AnswerCall = () => {
  throw new Error('the registry belongs to no server yet');
};

/** Entries by name, listed in the order in which they were registered. */
export class Registry<E extends Entry> {
  /** The server that the entries belong to; undefined until then. */
  host: FeatureHost | undefined;
  readonly #entries = new Map<string, E & KeptEntry>();
  readonly #kind: Handled['kind'] | 'resource template';
  readonly #list: ListName;
  readonly #show: (listed: E['listed'], revision: Revision) => object;
  /** First pages as text, by revision and view: most clients ask for nothing else. */
  readonly #pages = new Map<string, string>();
  #sequence = 0;
  #scoped = false;

  /** `list` has the entries, and `show` is how what is listed appears in a revision. */
  constructor(kind: Handled['kind'] | 'resource template', list: ListName, show: (listed: E['listed'], revision: Revision) => object) {
    this.#kind = kind;
    this.#list = list;
    this.#show = show;
  }

  /** Gives the entries to a server. Throws where they belong to one already. */
  attach(host: FeatureHost): void {
    this.host = attachTo(host, this.host);
    this.rechain(host);
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
  get(name: unknown): Callable<E> | undefined {
    return typeof name === 'string' ? this.#entries.get(name) : undefined;
  }

  /** The entry of this name. Throws `-32602` if no entry has it, or if the entry is hidden from the requester. */
  find(member: ListedKind, name: unknown, requester: Listener): Callable<E> {
    const entry = typeof name === 'string' ? this.#entries.get(name) : undefined;
    if (!entry || this.host?.guards?.listFilter?.shows(member, entry.name, entry.definition, requester) === false) {
      throw new RpcError(invalidParamsCode, `Unknown ${this.#kind}: ${typeof name === 'string' ? shorten(name) : quote(name)}`);
    }
    return entry;
  }

  /** All entries, in the order in which they were added. */
  values(): Iterable<Callable<E>> {
    return this.#entries.values();
  }

  /** Puts together what answers the calls of each entry. */
  rechain(host: FeatureHost): void {
    for (const entry of this.#entries.values()) entry.call = host.answerCall(entry);
  }

  /** Throws where the name is taken. `make` is called for the definition, and again for each update of it. */
  register<D extends object>(name: string, definition: D, make: (definition: D) => E): Handle<D> {
    const entries = this.#entries;
    const fault = (why: string): Error => new Error(`${this.#kind} ${JSON.stringify(name)} is ${why}`);
    if (entries.has(name)) throw fault('already registered');
    let entry: E & KeptEntry | undefined;
    // The name may have been given to another since.
    const held = (): boolean => entries.get(name) === entry;
    const set = (changed: D): void => {
      const made = make(changed);
      entry = { ...made, sequence: entry?.sequence ?? ++this.#sequence, call: this.host?.answerCall(made) ?? notAttached };
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
    this.host?.changed(this.#list);
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
