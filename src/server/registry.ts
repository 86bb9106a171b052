import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { quote, shorten } from '../bounds/quote.ts';
import { invalidParams, invalidParamsCode, RpcError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { Listed, ListName, Pages } from '../protocol/pagination.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Listener, Outcome, PlainContext } from './context.ts';
import type { Exchange, Requester } from './exchange.ts';
import { ToolError } from './errors.ts';
import type { Failures } from './errors.ts';
import type { FeatureHost } from './feature.ts';

/** A kind of question that a handler will ask the client. */
export type Need = 'elicitation' | 'elicitation.url' | 'sampling' | 'sampling.tools' | 'roots';

/** The members common to definitions of tools, prompts and resources, except the listed ones: clients never see these. */
export interface Guarded {
  /**
   * The kinds of questions that the handler will ask. A client that lacks a capability for one gets `-32021` (HTTP status 400)
   * before the handler runs; before 2026-07-28 the model reads this as the tool's error. Useful only with `asking`: other handlers
   * cannot ask.
   */
  readonly needs?: readonly Need[];
  /**
   * Scopes that the caller's token must have, if the transport authenticates: otherwise 403. An HTTP server without `auth` does not
   * start; over stdio they are not checked. Never listed.
   */
  readonly scopes?: readonly string[];
  /** Any data for functions around handlers and for list filters. Never listed. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The shape of a definition without the members that all kinds share. */
export type OwnShape<D> = Omit<Shape<D>, 'icons' | 'needs' | 'scopes' | 'data' | '_meta'>;

/** Throws a TypeError for a malformed name, definition or handler. */
export function checkDefinition<D extends object>(
  kind: string, name: string, definition: D, handler: unknown, shape: OwnShape<D>,
): void {
  // All three are required: undefined would count as not given.
  checkOptions<object>(
    `${kind} ${JSON.stringify(name)}`, { name: name ?? null, definition: definition ?? null, handler: handler ?? null },
    { name: 'string', handler: 'function', definition: { icons: 'list', needs: 'list', scopes: 'list', data: 'object', _meta: 'object', ...shape } },
  );
}

/** The kinds of listed entries, named like the member of the list's result. */
export type ListedKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

/** The handle of a registered entry. */
export interface EntryHandle<Definition> {
  /** Changes parts of the definition; its place in the list stays. */
  update(changes: Partial<Definition>): void;
  /** Removes the entry. A second call does nothing. */
  remove(): void;
}

/** A registered entry: its listed form, and its handler. Its `name` is a name, a URI or a template. */
export interface Entry extends RegisteredHandler {
  readonly listed: object;
}

/** An entry that can be called. */
export type RunnableEntry<E extends Entry = Entry> = E & {
  /** Answers calls of the entry. */
  readonly run: EntryRunner;
};

/** The part of a list that some requesters see. */
export interface View {
  /** Requesters with the same key see the same list. The key names the revision too. */
  readonly key: string;
  /** The entries that this requester sees. */
  of<E extends Entry>(entries: Iterable<E>): Iterable<E>;
}

/** Returns the host for a feature whose host was `before`. Throws if the feature is already in a server. */
export function attachTo<C extends PlainContext>(host: FeatureHost<C>, before: FeatureHost<C> | undefined): FeatureHost<C> {
  if (before) throw new Error('this feature is already in a server');
  return host;
}

/** The whole list as one page. No cursor is valid. */
const onePage: Pages = (items, cursor) => cursor === undefined ? { items: [...items] } : undefined;

/** How many first pages are kept as text. At this limit all are dropped, so that any number of keys needs no more memory. */
const maxKeptPages = 1000;

/** The members that a registry adds to an entry. */
interface KeptEntry extends Listed {
  run: EntryRunner;
}

/** The runner of an entry until its registry belongs to a server. */
const notAttached: EntryRunner = () => {
  throw new Error('the registry is not in a server yet');
};

/** Entries by name, listed in the order in which they were registered. */
export class Registry<E extends Entry> {
  /** The server that the entries belong to. Undefined: not attached yet. */
  host: FeatureHost | undefined;
  readonly #entries = new Map<string, E & KeptEntry>();
  readonly #kind: RegisteredHandler['kind'] | 'resource template';
  readonly #list: ListName;
  readonly #show: (listed: E['listed'], revision: Revision) => object;
  /** First pages as text, by revision and view: most clients request nothing else. */
  readonly #pages = new Map<string, string>();
  #sequence = 0;
  /** Whether an entry has `scopes`, or ever had. */
  scoped = false;

  /** `list` names the list of the entries; `show` adapts a listed entry to a revision. */
  constructor(kind: RegisteredHandler['kind'] | 'resource template', list: ListName, show: (listed: E['listed'], revision: Revision) => object) {
    this.#kind = kind;
    this.#list = list;
    this.#show = show;
  }

  /** Adds the entries to a server. Throws if they belong to one already. */
  attach(host: FeatureHost): void {
    this.host = attachTo(host, this.host);
    this.rechain(host);
  }

  /** Whether an entry was ever registered: a declared capability is not withdrawn. */
  get everHeld(): boolean {
    return this.#sequence > 0;
  }

  /** The entry with this name; undefined if it does not exist, or if `name` is not a string. */
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

  /** Makes the runners of all entries again. */
  rechain(host: FeatureHost): void {
    for (const entry of this.#entries.values()) entry.run = host.makeRunner(entry);
  }

  /** Throws if the name is taken. `make` is called with the definition, and again at each update of it. */
  register<D extends object>(name: string, definition: D, make: (definition: D) => E): EntryHandle<D> {
    const entries = this.#entries;
    const fault = (why: string): Error => new Error(`${this.#kind} ${JSON.stringify(name)} is ${why}`);
    if (entries.has(name)) throw fault('already registered');
    let entry: E & KeptEntry | undefined;
    // The name may belong to another entry by now.
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
   * One page as the text of a result. `hints` returns the other members of the result. Throws `-32602` for a cursor that this list
   * did not issue.
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

/** A call of a handler, as the functions around the handler see it. */
export interface HandlerCall<C extends PlainContext = PlainContext> {
  readonly kind: 'tool' | 'prompt' | 'resource';
  /** A tool's or prompt's name, the URI of a resource, or the template that the URI fits. */
  readonly name: string;
  /** The registered definition: `scopes`, `needs`, `data` and the rest. */
  readonly definition: object;
  /** The handler's argument: a tool's checked arguments; a prompt's arguments; a URI or a template's variables. */
  readonly args: unknown;
  /** The request's parameters, unchanged. */
  readonly params: Params;
  readonly ctx: C;
  /** The sender: one object for each legacy connection, and one for each modern request. */
  readonly requester: Requester;
}

/**
 * A function around handlers. Called in place of the handler, it may throw to refuse, change arguments or context
 * (`next(args, ctx)`), change the value of `next`, or answer without calling `next`. The first of several is the outermost.
 */
export type Around<C extends PlainContext = PlainContext> = (
  call: HandlerCall<C>,
  next: (args?: unknown, ctx?: C) => unknown,
) => unknown;

/** A function around the handlers of every server, whatever their context. */
export type AnyAround = <C extends PlainContext>(
  call: HandlerCall<C>,
  next: (args?: unknown, ctx?: C) => unknown,
) => unknown;

/**
 * A result that is sent unchanged, whatever results the method normally has: for functions around handlers, such as
 * `new RawResult({ task })` of 2025-11-25.
 */
export class RawResult {
  readonly result: object;

  constructor(result: object) {
    this.result = result;
  }
}

/** Runs a handler, with or without the functions around it. */
export type RunHandler<R = unknown> = (args: never, ctx: Exchange, params: Params) => Outcome<R>;

/** How the value of a handler becomes the result of a request. */
export interface Finishing<R> {
  /** Makes the result from the handler's value. */
  toResult(value: R, exchange: Exchange, params: Params): object | Promise<object>;
  /** The result of a failure (`tools/call`); without it a failure is an error response. */
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

/** Reports faults in a result to the author. The result is sent unchanged. */
export type Inspect = (result: object, exchange: Exchange) => void;

const asIs = <T>(value: T): T => value;

/**
 * Makes the function that answers the calls of a handler. Called once for a registered handler. A call runs the handler, waits for the
 * functions given to `ctx.defer`, and makes the result. Every error is reported and converted for the caller. Only here may the
 * value of a handler be a promise; an immediate value stays synchronous.
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
      // The result of a text has no members from the author.
      if (inspect && typeof value !== 'string') inspect(result, exchange);
      return result;
    } catch (thrown) {
      return exchange.runDeferred ? later(Promise.reject(thrown), params, exchange, asIs) : fail(thrown, exchange);
    }
  };
}
