import { MissingCapabilityError } from '../protocol/capabilities.ts';
import type { Params } from '../jsonrpc/message.ts';
import type { Context, PlainContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import type { Outcome } from './run.ts';

/**
 * An extension of the protocol, the server's side. 2026-07-28 basic/versioning#extension-negotiation.
 * A method may answer with a `resultType` of its own, and with `_meta` keys of its own.
 */
export interface ServerExtension<C extends PlainContext = Context> {
  /** A prefixed name, such as `com.example/thing`. */
  readonly id: string;
  /** What the server declares of it. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Methods that clients which declared the extension may call. */
  readonly methods?: Readonly<Record<string, (params: Params, ctx: C) => Outcome<object>>>;
}

/** Throws where the client did not declare the extension: its methods are then not for it. */
export function declaresExtension(id: string, { capabilities }: Exchange): void {
  if (capabilities.extensions && Object.hasOwn(capabilities.extensions, id)) return;
  throw new MissingCapabilityError(`the extension ${id}`, { extensions: { [id]: {} } });
}
