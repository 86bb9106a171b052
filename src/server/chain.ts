import type { Params } from '../jsonrpc/message.ts';
import type { PlainContext, Outcome } from './context.ts';
import type { Exchange, Requester } from './exchange.ts';
import { ToolError } from './failure.ts';
import type { Failures } from './failure.ts';
import type { Guarded } from './registry.ts';

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
export type Invoke<R = unknown> = (args: never, ctx: Exchange, params: Params) => Outcome<R>;

/** How the value of a handler becomes the result of a request. */
export interface Finishing<R> {
  /** Makes the result of what the handler returned. */
  finish(value: R, exchange: Exchange, params: Params): object | Promise<object>;
  /** The result of a failure, where there is one (`tools/call`); without it a failure is an error answer. */
  readonly failed?: ((error: ToolError) => object) | undefined;
}

/** A handler as it was registered. */
export interface Handled<R = never> extends Finishing<R> {
  readonly kind: HandlerCall['kind'];
  readonly name: string;
  readonly definition: Guarded;
  readonly handler: Invoke;
}

/** Answers the calls of one handler. */
export type AnswerCall = (args: unknown, params: Params, exchange: Exchange) => object | Promise<object>;

/** Tells the author of faults in a result. The result is sent unchanged. */
export type Inspect = (result: object, exchange: Exchange) => void;

const asIs = <T>(value: T): T => value;

/**
 * Makes what answers the calls of a handler, once, when the handler is registered: a call runs the handler, waits for
 * functions that were given to `ctx.defer`, and makes the result. Whatever is thrown is reported and becomes what the caller
 * may read. This is the one place where the value of a handler may be late; one that is there at once stays synchronous.
 */
export function makeAnswerCall<R>(invoke: Invoke, { finish, failed }: Finishing<R>, failures: Failures, inspect?: Inspect): AnswerCall {
  function fail(thrown: unknown, exchange: Exchange): object {
    const judged = failures.judge(thrown, exchange);
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
      if (value instanceof Promise || exchange.runDeferred) return later(value as R | Promise<R>, params, exchange, finish);
      const result = finish(value, exchange, params);
      if (result instanceof Promise) return later(result, params, exchange, asIs);
      // The result of a text is our own.
      if (inspect && typeof value !== 'string') inspect(result, exchange);
      return result;
    } catch (thrown) {
      return exchange.runDeferred ? later(Promise.reject(thrown), params, exchange, asIs) : fail(thrown, exchange);
    }
  };
}
