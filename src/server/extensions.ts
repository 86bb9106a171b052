import { checkOptions } from '../bounds/options.ts';
import type { Shape } from '../bounds/options.ts';
import type { Params } from '../jsonrpc/message.ts';
import { MissingCapabilityError } from '../protocol/capabilities.ts';
import * as columns from '../protocol/columns.ts';
import type { ServerCapabilities } from '../protocol/initialize.ts';
import type { Revision } from '../protocol/revisions.ts';
import { isExtensionId } from '../protocol/meta.ts';
import type { Server } from './server.ts';
import type { Context, Listener, Outcome, PlainContext } from './context.ts';
import type { Requester } from './exchange.ts';
import type { Agree, AnswerMethod, Feature } from './feature.ts';
import type { ServerCore } from './server-core.ts';

/**
 * An extension of the protocol, the server's side: the one door through which the protocol grows. All of it
 * is for clients that declare the extension; for others its methods, filters and results are the error
 * `-32021`. Legacy revisions have no extensions: `ctx.capabilities.extensions` tells a handler what its
 * client can take. 2026-07-28 basic/versioning#extension-negotiation.
 *
 * Keys in `_meta` need no registration: those of a request are `ctx.meta`, those of a result or a
 * notification go out with it.
 */
export interface ServerExtension<C extends PlainContext = Context> {
  /** A prefixed name, such as `com.example/thing`. */
  readonly id: string;
  /** What the server declares of it. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Methods that it adds. They may not ask the client: in 2026-07-28 `elicit` and its kin reject. */
  readonly methods?: Readonly<Record<string, (params: Params, ctx: C) => Outcome<object>>>;
  /**
   * Values of `resultType` that it adds: a tool may return an object with one of them in place of its result.
   */
  readonly resultTypes?: readonly string[];
  /**
   * Keys that it adds to the filter of `subscriptions/listen`. Each function is given what the client wants,
   * as it came from the wire, and returns what of it is agreed; undefined: nothing.
   * A throw refuses to listen.
   */
  readonly filters?: Readonly<Record<string, (wanted: unknown, listener: Listener) => unknown>>;
  /** What it is in legacy revisions, which have no extensions but may have the same thing by other names. */
  readonly legacy?: LegacyExtension<C>;
}

/** What an extension adds to the core of legacy revisions, such as the tasks of 2025-11-25. */
export interface LegacyExtension<C extends PlainContext = Context> {
  /** What it declares in a revision, such as `2025-11-25`; undefined: nothing, and its methods are not found. */
  readonly capabilities: (revision: string) => ServerCapabilities | undefined;
  /** What of that a certain client is told, where it is not the same for all. */
  readonly tailor?: (capabilities: ServerCapabilities, requester: Requester) => ServerCapabilities;
  /** Methods that it adds. They may ask the client. */
  readonly methods: Readonly<Record<string, (params: Params, ctx: C) => Outcome<object>>>;
}

/**
 * Sends a notification to everybody with whom something was agreed under this key of the filter, and of whom
 * `matches` is true.
 */
export type TellListeners = (
  key: string,
  method: string,
  params?: Params,
  matches?: (agreed: unknown, listener: Listener) => boolean,
) => void;

/** Throws where the client did not declare the extension. */
export function needExtension(
  { id }: ServerExtension<never>,
  { capabilities: { extensions } }: Listener,
): void {
  if (extensions && Object.hasOwn(extensions, id)) return;
  throw new MissingCapabilityError(`the extension ${id}`, { extensions: { [id]: {} } });
}

type Extension = ServerExtension<never>;
type Handler = (params: never, ctx: never) => unknown;

/** What extensions add to a server, as one feature of it. */
interface Extensions extends Feature {
  add(extension: Extension): void;
}

const known = new WeakMap<object, Extensions>();

/**
 * Adds an extension to a server, and returns what tells its listeners: see `ServerExtension`. Throws where its
 * identifier is malformed, or it, or something of it, is taken. `McpServer` has it as `extend`.
 */
export function extend<C extends PlainContext>(server: ServerCore<C>, extension: ServerExtension<C>): TellListeners {
  const { inside } = server;
  let all = known.get(server);
  if (!all) {
    all = extensions(inside);
    known.set(server, all);
    // Where two answer the same method, what the server has itself does.
    inside.features.unshift(all);
  }
  all.add(extension);
  inside.refresh();
  return (...what) => inside.changes?.tell(...what);
}

const extensionShape: Shape<Extension> = {
  id: 'string', settings: 'object', methods: 'object', resultTypes: 'list', filters: 'object',
  legacy: { capabilities: 'function', tailor: 'function', methods: 'object' },
};

function extensions(server: Server): Extensions {
  // One map a namespace: an extension's method may be called like another's result type.
  const ids = new Map<string, Extension>();
  const methods = new Map<string, Extension>();
  const filters: Record<string, Agree> = {};
  const resultTypes = new Map<unknown, Extension>();
  const answer = (handler: Handler | undefined, extension?: Extension): AnswerMethod => (params, exchange) => {
    if (extension) needExtension(extension, exchange);
    return server.guard<unknown>(exchange, () => handler?.(params as never, exchange as never), (value) => value as object);
  };
  server.isExtensionResult = (value, exchange) => {
    const extension = resultTypes.get(value['resultType']);
    if (extension) needExtension(extension, exchange);
    return extension !== undefined;
  };
  const capabilities = (revision: Revision): ServerCapabilities => columns.extensions(revision)
    ? { extensions: Object.fromEntries([...ids.values()].map(({ id, settings = {} }) => [id, settings])) }
    : Object.assign({}, ...[...ids.values()].map(({ legacy }) => legacy?.capabilities(revision.version)));
  return {
    filters,
    capabilities,
    add(extension) {
      checkOptions<object>('extend: extension', { ...extension, id: extension?.id ?? null }, extensionShape);
      const { id, methods: own = {}, filters: agrees = {}, resultTypes: types = [] } = extension;
      // 2026-07-28 basic/versioning#extension-negotiation: identifiers follow the rules of `_meta` keys, with a prefix.
      if (!isExtensionId(id)) throw new TypeError(`extension ${JSON.stringify(id)} is not a prefixed name`);
      const taken = [
        ...[id].filter((name) => ids.has(name)),
        ...Object.keys(own).filter((name) => methods.has(name)),
        ...Object.keys(agrees).filter((name) => Object.hasOwn(filters, name)),
        ...types.filter((name) => resultTypes.has(name)),
      ];
      if (taken.length > 0) throw new Error(`${taken[0]} is already registered`);
      ids.set(id, extension);
      for (const name of Object.keys(own)) methods.set(name, extension);
      for (const name of types) resultTypes.set(name, extension);
      for (const [name, agree] of Object.entries(agrees)) {
        filters[name] = (wanted, exchange) => {
          needExtension(extension, exchange);
          return agree(wanted, exchange);
        };
      }
    },
    methods({ era, version }) {
      const answers: Record<string, AnswerMethod> = {};
      if (era === 'modern') {
        for (const [name, extension] of methods) answers[name] = answer(extension.methods?.[name], extension);
        return answers;
      }
      for (const { legacy } of ids.values()) {
        if (!legacy?.capabilities(version)) continue;
        for (const [name, handler] of Object.entries(legacy.methods)) answers[name] = answer(handler);
      }
      return answers;
    },
    tailor: (whole, requester) => [...ids.values()].reduce((left, { legacy }) => legacy?.tailor?.(left, requester) ?? left, whole),
    attach() {},
  };
}
