import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { quote, shorten } from '../bounds/quote.ts';
import { invalidParams, invalidParamsCode, RpcError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { Listed, ListName } from '../protocol/pagination.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Listener, Outcome, PlainContext } from './context.ts';
import type { Exchange, Requester } from './exchange.ts';
import { ToolError } from './failure.ts';
import type { Failures } from './failure.ts';
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
export interface EntryHandle<Definition> {
  /** Changes parts of the definition; its place in the list stays. */
  update(changes: Partial<Definition>): void;
  /** Takes it out. A second call does nothing. */
  remove(): void;
}

/** Something registered: how it is listed, beside what it takes to serve it. Its `name` is a name, a URI or a template. */
export interface Entry extends RegisteredHandler {
  readonly listed: object;
}

/** An entry that can be called. */
export type RunnableEntry<E extends Entry = Entry> = E & {
  /** Answers calls of the entry's handler. */
  readonly run: EntryRunner;
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
  run: EntryRunner;
}

/** Stands for the call of an entry until its registry belongs to a server. */
const notAttached: EntryRunner = () => {
  throw new Error('the registry belongs to no server yet');
};

/** Entries by name, listed in the order in which they were registered. */
export class Registry<E extends Entry> {
  /** The server that the entries belong to; undefined until then. */
  host: FeatureHost | undefined;
  readonly #entries = new Map<string, E & KeptEntry>();
  readonly #kind: RegisteredHandler['kind'] | 'resource template';
  readonly #list: ListName;
  readonly #show: (listed: E['listed'], revision: Revision) => object;
  /** First pages as text, by revision and view: most clients ask for nothing else. */
  readonly #pages = new Map<string, string>();
  #sequence = 0;
  /** Whether an entry has `scopes`, or ever had. */
  scoped = false;

  /** `list` has the entries, and `show` is how what is listed appears in a revision. */
  constructor(kind: RegisteredHandler['kind'] | 'resource template', list: ListName, show: (listed: E['listed'], revision: Revision) => object) {
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

  /** The entry of this name; undefined: none, or no name at all. */
  get(name: unknown): RunnableEntry<E> | undefined {
    return typeof name === 'string' ? this.#entries.get(name) : undefined;
  }

  /** The entry of this name. Throws `-32602` if no entry has it, or if the entry is hidden from the requester. */
  find(member: ListedKind, name: unknown, requester: Listener): RunnableEntry<E> {
    const entry = this.get(name);
    if (!entry || this.host?.guards?.listFilter?.shows(member, entry.name, entry.definition, requester) === false) {
      throw new RpcError(invalidParamsCode, `Unknown ${this.#kind}: ${typeof name === 'string' ? shorten(name) : quote(name)}`);
    }
    return entry;
  }

  /** All entries, in the order in which they were added. */
  values(): Iterable<RunnableEntry<E>> {
    return this.#entries.values();
  }

  /** Puts together what answers the calls of each entry. */
  rechain(host: FeatureHost): void {
    for (const entry of this.#entries.values()) entry.run = host.makeRunner(entry);
  }

  /** Throws where the name is taken. `make` is called for the definition, and again for each update of it. */
  register<D extends object>(name: string, definition: D, make: (definition: D) => E): EntryHandle<D> {
    const entries = this.#entries;
    const fault = (why: string): Error => new Error(`${this.#kind} ${JSON.stringify(name)} is ${why}`);
    if (entries.has(name)) throw fault('already registered');
    let entry: E & KeptEntry | undefined;
    // The name may have been given to another since.
    const held = (): boolean => entries.get(name) === entry;
    const set = (changed: D): void => {
      const made = make(changed);
      entry = { ...made, sequence: entry?.sequence ?? ++this.#sequence, run: this.host?.makeRunner(made) ?? notAttached };
      entries.set(name, entry);
      this.scoped ||= Boolean((changed as Guarded).scopes?.length);
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

/** A call of a handler, as what stands around the handler sees it. */
export interface HandlerCall<C extends PlainContext = PlainContext> {
  readonly kind: 'tool' | 'prompt' | 'resource';
  /** A tool's or prompt's name, the URI of a resource, or the template that the URI fits. */
  readonly name: string;
  /** What was registered: `scopes`, `needs`, `data` and the rest. */
  readonly definition: object;
  /** What the handler is given: a tool's arguments, already judged; a prompt's; a URI or a template's variables. */
  readonly args: unknown;
  /** The request's parameters as they came. */
  readonly params: Params;
  readonly ctx: C;
  /** Who asks: one object for each legacy connection, and one for each modern request. */
  readonly requester: Requester;
}

/**
 * Stands around handlers: called in place of the handler, it may refuse by a throw, change arguments or
 * context (`next(args, ctx)`), change what `next` returns, or answer without calling `next` at all. Of
 * several the first is the outermost.
 */
export type Around<C extends PlainContext = PlainContext> = (
  call: HandlerCall<C>,
  next: (args?: unknown, ctx?: C) => unknown,
) => unknown;

/** Stands around the handlers of every server, whatever their context. */
export type AnyAround = <C extends PlainContext>(
  call: HandlerCall<C>,
  next: (args?: unknown, ctx?: C) => unknown,
) => unknown;

/**
 * A result that is sent unchanged, whatever the method's own result looks like: for functions that stand around
 * handlers, such as `new RawResult({ task })` of 2025-11-25.
 */
export class RawResult {
  readonly result: object;

  constructor(result: object) {
    this.result = result;
  }
}

/** Runs a handler, with or without what stands around it. */
export type RunHandler<R = unknown> = (args: never, ctx: Exchange, params: Params) => Outcome<R>;

/** How the value of a handler becomes the result of a request. */
export interface Finishing<R> {
  /** Makes the result of what the handler returned. */
  toResult(value: R, exchange: Exchange, params: Params): object | Promise<object>;
  /** The result of a failure, where there is one (`tools/call`); without it a failure is an error answer. */
  readonly failed?: ((error: ToolError) => object) | undefined;
}

/** A handler as it was registered. */
export interface RegisteredHandler<R = never> extends Finishing<R> {
  readonly kind: HandlerCall['kind'];
  readonly name: string;
  readonly definition: Guarded;
  readonly handler: RunHandler;
}

/** Answers the calls of one handler. */
export type EntryRunner = (args: unknown, params: Params, exchange: Exchange) => object | Promise<object>;

/** Tells the author of faults in a result. The result is sent unchanged. */
export type Inspect = (result: object, exchange: Exchange) => void;

const asIs = <T>(value: T): T => value;

/**
 * Makes what answers the calls of a handler, once, when the handler is registered: a call runs the handler, waits for
 * functions that were given to `ctx.defer`, and makes the result. Whatever is thrown is reported and becomes what the caller
 * may read. This is the one place where the value of a handler may be late; one that is there at once stays synchronous.
 */
export function makeEntryRunner<R>(invoke: RunHandler, { toResult, failed }: Finishing<R>, failures: Failures, inspect?: Inspect): EntryRunner {
  function fail(thrown: unknown, exchange: Exchange): object {
    const judged = failures.errorFor(thrown, exchange);
    if (failed && judged instanceof ToolError) return failed(judged);
    throw judged;
  }

  async function later<V>(
    outcome: V | Promise<V>, params: Params, exchange: Exchange,
    next: (value: V, exchange: Exchange, params: Params) => object | Promise<object>,
  ): Promise<object> {
    try {
      const value = await outcome;
      if (exchange.runDeferred) await exchange.runDeferred();
      const made = next(value, exchange, params);
      const result = made instanceof Promise ? await made : made;
      inspect?.(result, exchange);
      return result;
    } catch (thrown) {
      if (exchange.runDeferred) await exchange.runDeferred();
      return fail(thrown, exchange);
    }
  }

  return (args, params, exchange) => {
    try {
      const outcome = invoke(args as never, exchange, params) as Outcome<R>;
      // Only an object can be a promise or a generator. Another value needs no waiting.
      const value = typeof outcome === 'object' ? exchange.resolveOutcome(outcome) : outcome;
      if (value instanceof Promise || exchange.runDeferred) return later(value as R | Promise<R>, params, exchange, toResult);
      const result = toResult(value, exchange, params);
      if (result instanceof Promise) return later(result, params, exchange, asIs);
      // The result of a text is our own.
      if (inspect && typeof value !== 'string') inspect(result, exchange);
      return result;
    } catch (thrown) {
      return exchange.runDeferred ? later(Promise.reject(thrown), params, exchange, asIs) : fail(thrown, exchange);
    }
  };
}
