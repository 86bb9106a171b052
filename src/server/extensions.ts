import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import { methodNotFound } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import { notificationText } from '../jsonrpc/inbound-request.ts';
import { mergeCapabilities, MissingCapabilityError } from '../protocol/capabilities.ts';
import type { ServerCapabilities } from '../protocol/lifecycle.ts';
import { isExtensionId } from '../protocol/meta.ts';
import { selectRevisions } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Changes } from './changes.ts';
import type { ServerInternals, ServerCore } from './server-core.ts';
import type { Context, Listener, Outcome, PlainContext } from './context.ts';
import type { Requester } from './exchange.ts';
import type { Agree, MethodHandler, Feature } from './feature.ts';

/** The parts that an extension adds, by kind. */
export interface ExtensionParts<C extends PlainContext = Context> {
  /** Methods. In 2026-07-28 they may not ask the client: `elicit` and the other questions reject. */
  readonly methods?: Readonly<Record<string, (params: Params, ctx: C) => Outcome<object>>>;
  /**
   * Values of `resultType`: a tool or a method may return an object with such a `resultType` in place of its result. Since
   * 2026-07-28, like `resultType` itself: for a client of an earlier revision such a result is an error.
   */
  readonly resultTypes?: readonly string[];
  /**
   * Keys of the filter of `subscriptions/listen`, which exists since 2026-07-28. Each function is given the client's value for its
   * key, from the wire and unchecked, and returns the agreed value; undefined: nothing is agreed. If it throws, the request fails.
   */
  readonly filters?: Readonly<Record<string, (wanted: unknown, listener: Listener) => unknown>>;
}

/**
 * The server's side of a protocol extension. Its identifier and settings are declared in each of its `revisions` (SEP-2133). Its
 * parts are for clients that declare the extension too, except the parts in `open`. For other clients a method is an error:
 * `-32021` in 2026-07-28 (basic/versioning#extension-negotiation), `-32601` in earlier revisions, which do not have that code.
 *
 * Keys in `_meta` need no registration: `ctx.meta` has those of a request, and those of a result or a notification are sent with
 * it.
 */
export interface ServerExtension<C extends PlainContext = Context> extends ExtensionParts<C> {
  /** A prefixed name, such as `com.example/thing`. */
  readonly id: string;
  /** The declared settings. Default: `{}`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The revisions that it applies to, such as `['2026-07-28']`. Default: all. */
  readonly revisions?: readonly string[];
  /** Parts for every client, also for one that does not declare the extension. */
  readonly open?: ExtensionParts<C>;
  /** Parts for legacy revisions only. */
  readonly legacy?: LegacyExtension<C>;
}

/** The parts of an extension for legacy revisions only, such as the core tasks of 2025-11-25. */
export interface LegacyExtension<C extends PlainContext = Context> {
  /**
   * The capabilities to declare in a revision, such as `2025-11-25`, besides the identifier. If this function returns undefined, or
   * is missing, none are declared, and `legacy.methods` are not found.
   */
  readonly capabilities?: (revision: string) => ServerCapabilities | undefined;
  /** Receives all capabilities of the server; returns those to declare to one client, if they are not the same for all. */
  readonly tailor?: (capabilities: ServerCapabilities, requester: Requester) => ServerCapabilities;
  /** Methods for every legacy client. They may ask the client. */
  readonly methods?: Readonly<Record<string, (params: Params, ctx: C) => Outcome<object>>>;
  /**
   * Legacy clients cannot send a filter. These functions return what is agreed with each client under a key of `filters`;
   * undefined: nothing. Without a function for the key legacy clients are not notified.
   */
  readonly filters?: Readonly<Record<string, (listener: Listener) => unknown>>;
}

/** Sends a notification to every listener that has agreed on this key of the filter, and for which `matches` is true. */
export type TellListeners = (
  key: string,
  method: string,
  params?: Params,
  matches?: (agreed: unknown, listener: Listener) => boolean,
) => void;

type Extension = ServerExtension<never>;

/** A part of an extension, with its name. */
interface ExtensionPart {
  readonly extension: Extension;
  readonly kind: keyof ExtensionParts;
  readonly name: string;
  readonly open: boolean;
  /** The function of a method or a filter. For a result type, which is never called, it is the name. */
  readonly call: ((...given: never[]) => unknown) | undefined;
}

const kinds = ['methods', 'resultTypes', 'filters'] as const;

const partsOf = (extension: Extension): ExtensionPart[] => [extension, extension.open].flatMap((parts = {}, place) =>
  kinds.flatMap((kind) => Object.entries(parts[kind] ?? {}).map(([key, value]) => ({
    extension, kind, open: place > 0, name: kind === 'resultTypes' ? value : key, call: value,
  }) as ExtensionPart)));

/** Whether an extension applies to a revision. */
const isFor = ({ revisions }: Extension, { version }: Revision): boolean => revisions?.includes(version) !== false;

/** Whether this client may use a part: the client declared the extension, or the part is open. */
const mayUse = ({ extension, open }: ExtensionPart, { capabilities, revision }: Listener): boolean =>
  isFor(extension, revision) && (open || Object.hasOwn(capabilities.extensions ?? {}, extension.id));

const lacking = ({ extension: { id } }: ExtensionPart): MissingCapabilityError =>
  new MissingCapabilityError(`the extension ${id}`, { extensions: { [id]: {} } });

/** The extensions of a server, as one of its features. */
interface Extensions extends Feature {
  add(extension: Extension): void;
  part(kind: ExtensionPart['kind'], name: unknown): ExtensionPart | undefined;
}

const known = new WeakMap<object, Extensions>();

/**
 * Adds an extension to a server. Returns a function that notifies its listeners: see `ServerExtension`. Throws if the identifier is
 * malformed, or if it or one of its parts is already registered. `McpServer` has it as `extend`.
 */
export function extend<C extends PlainContext>(server: ServerCore<C>, extension: ServerExtension<C>): TellListeners {
  const { internals } = server;
  let all = known.get(server);
  if (!all) {
    all = extensions(internals);
    known.set(server, all);
    // If an extension and a feature have the same method, the feature answers.
    internals.features.unshift(all);
  }
  all.add(extension);
  internals.refresh();
  return (key, method, params, matches) => {
    const { changes } = internals;
    changes?.tell(key, method, params, matches);
    const part = all.part('filters', key);
    const agree = extension.legacy?.filters?.[key];
    if (!part || !agree) return;
    for (const client of changes?.clients() ?? []) {
      const { capabilities, revision, options } = client;
      if (!revision) continue;
      const listener = { client: client.client, capabilities, revision, auth: options?.auth, meta: undefined };
      internals.shield(method, () => {
        const agreed = mayUse(part, listener) ? agree(listener) : undefined;
        if (agreed !== undefined && matches?.(agreed, listener) !== false) client.announce(notificationText(method, params));
      });
    }
  };
}

const partsShape: Shape<ExtensionParts> = { methods: 'object', resultTypes: 'list', filters: 'object' };
// Not `...partsShape`: a bundler cannot leave out an object that a spread creates.
const extensionShape: Shape<Extension> = {
  methods: 'object', resultTypes: 'list', filters: 'object', id: 'string', settings: 'object', revisions: 'list', open: partsShape,
  legacy: { capabilities: 'function', tailor: 'function', methods: 'object', filters: 'object' },
};

/** The capabilities of an extension in a legacy revision, besides its identifier; undefined: it has no legacy methods there. */
const legacyOf = ({ legacy }: Extension, { era, version }: Revision): ServerCapabilities | undefined =>
  era === 'legacy' ? legacy?.capabilities?.(version) : undefined;

/** Makes the feature. Long function: an object of short methods over the same few variables. */
function extensions(server: ServerInternals): Extensions {
  const ids = new Map<string, Extension>();
  /** By kind and name: an extension's method may have the name of another's result type. */
  const parts = new Map<string, ExtensionPart>();
  const filters: Record<string, Agree> = {};
  const part = (kind: ExtensionPart['kind'], name: unknown): ExtensionPart | undefined => parts.get(`${kind} ${String(name)}`);
  const answer = (handler: ExtensionPart['call'], of?: ExtensionPart): MethodHandler => (params, exchange) => {
    if (of && !mayUse(of, exchange)) throw exchange.revision.era === 'modern' ? lacking(of) : methodNotFound(of.name);
    return server.guard<unknown>(exchange, () => handler?.(params as never, exchange as never), (value) => value as object);
  };
  server.isExtensionResult = (value, exchange) => {
    const type = value['resultType'];
    const of = typeof type === 'string' && part('resultTypes', type);
    // 2026-07-28 basic/index#resulttype: earlier revisions have no result types.
    if (of && !(exchange.revision.era === 'modern' && mayUse(of, exchange))) throw lacking(of);
    return Boolean(of);
  };
  return {
    filters,
    part,
    capabilities(revision) {
      const declared: ServerCapabilities = {};
      for (const extension of ids.values()) {
        const { id, settings = {} } = extension;
        if (isFor(extension, revision)) mergeCapabilities(declared, { extensions: { [id]: settings } });
        mergeCapabilities(declared, legacyOf(extension, revision));
      }
      return declared;
    },
    add(extension) {
      checkOptions<object>('extend: extension', { ...extension, id: extension?.id ?? null }, extensionShape);
      const { id, revisions } = extension;
      // 2026-07-28 basic/versioning#extension-negotiation: identifiers follow the rules of `_meta` keys, with a prefix.
      if (!isExtensionId(id)) throw new TypeError(`extension ${JSON.stringify(id)} is not a prefixed name`);
      selectRevisions(revisions);
      const added = new Map<string, ExtensionPart>();
      for (const one of partsOf(extension)) {
        const key = `${one.kind} ${one.name}`;
        if (parts.has(key) || added.has(key)) throw new Error(`${one.name} is already registered`);
        added.set(key, one);
      }
      if (ids.has(id)) throw new Error(`${id} is already registered`);
      ids.set(id, extension);
      for (const [key, one] of added) {
        parts.set(key, one);
        if (one.kind !== 'filters') continue;
        filters[one.name] = (wanted, exchange) => {
          if (!mayUse(one, exchange)) throw lacking(one);
          return one.call?.(wanted as never, exchange as never);
        };
      }
    },
    methods(revision) {
      const answers: Record<string, MethodHandler> = {};
      for (const one of parts.values()) {
        if (one.kind === 'methods' && isFor(one.extension, revision)) answers[one.name] = answer(one.call, one);
      }
      for (const extension of ids.values()) {
        if (!legacyOf(extension, revision)) continue;
        for (const [name, handler] of Object.entries(extension.legacy?.methods ?? {})) answers[name] = answer(handler);
      }
      return answers;
    },
    tailor: (whole, requester) => [...ids.values()].reduce((left, { legacy }) => legacy?.tailor?.(left, requester) ?? left, whole),
    attach() {},
  };
}
