import { MissingCapabilityError } from '../protocol/capabilities.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { Context, PlainContext } from './context.ts';
import type { ServerCapabilities } from '../protocol/initialize.ts';
import type { Outcome } from './outcome.ts';
import type { Requester } from './requester.ts';

/** Who listens, or asks for a list. */
export type Listener = Pick<PlainContext, 'auth' | 'capabilities' | 'client' | 'meta' | 'revision'>;

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
