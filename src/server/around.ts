import type { Params } from '../jsonrpc/message.ts';
import type { PlainContext } from './context.ts';
import type { Exchange } from './exchange.ts';
import type { Outcome } from './outcome.ts';
import type { Requester } from './requester.ts';

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
 * A result that is sent as it is, whatever the method's own result looks like: for what stands around
 * handlers, such as `new RawResult({ task })` of 2025-11-25.
 */
export class RawResult {
  readonly result: object;

  constructor(result: object) {
    this.result = result;
  }
}

/** Calls a handler through all that stands around it. */
export function callThrough(
  around: readonly Around[],
  call: HandlerCall,
  handler: (args: never, ctx: Exchange) => unknown,
): unknown {
  const step = (at: number, args: unknown, ctx: PlainContext): unknown => {
    const outer = around[at];
    const exchange = ctx as Exchange;
    return exchange.settle((outer === undefined
      ? handler(args as never, exchange)
      : outer({ ...call, args, ctx }, (own = args, given = ctx) => step(at + 1, own, given))) as Outcome<unknown>);
  };
  return step(0, call.args, call.ctx);
}
