import {
  errorMessage, headerMismatchCode, internalError, internalErrorCode, invalidRequestCode, missingClientCapabilityCode,
  resourceNotFoundCode, RpcError, toError, unsupportedProtocolVersionCode, urlElicitationRequiredCode,
} from '../jsonrpc/errors.ts';
import type { InboundRequest } from '../jsonrpc/inbound-request.ts';
import type { Request } from '../jsonrpc/message.ts';
import { shorten } from '../bounds/quote.ts';
import * as revisionTable from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';

/**
 * Says to the caller what the author wrote: thrown by a tool, its message is the text of an `isError` result,
 * which the model reads; thrown by a prompt, a resource or a completion, it is the message of error `-32603`.
 * It is not reported to `onError`. The text of any other exception stays with the author.
 */
export class ToolError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ToolError';
  }
}

/** Where an error that `onError` is told of arose. */
export interface ErrorPlace {
  /**
   * Whose code failed: the handler of a tool, a prompt, a resource, a completion, another method (an
   * extension's), a notification; `release`: a function given to `ctx.defer`; `connection`: a message that
   * nobody waits for; `registration`: a definition that works and breaks a SHOULD of the specification; `result`: what
   * a handler returned, which was sent and breaks a rule of the specification.
   */
  readonly what:
    | 'tool' | 'prompt' | 'resource' | 'completion' | 'method' | 'notification' | 'release' | 'connection'
    | 'registration' | 'result';
  /** The tool, the prompt, the URI, the method. At most 200 characters. */
  readonly name: string;
  /** The request that failed. */
  readonly request?: Request | undefined;
  /** What the caller was told in place of the message: `… failed (id 7f3a…)`. */
  readonly id?: string | undefined;
}

/** Hears of every error that the server's author should know of. */
export type OnError = (error: Error, where: ErrorPlace) => void;

const handled = /^(tool|prompt|resource|completion)s?\/(call|get|read|complete)$/;

/** Where a request's handler failed. */
export function placeOf(request: Request): ErrorPlace {
  const { method, params } = request;
  const what = (handled.exec(method)?.[1] ?? 'method') as ErrorPlace['what'];
  const name = what === 'resource' ? params?.['uri'] : params?.['name'];
  return { what, name: shorten(typeof name === 'string' ? name : method), request };
}

/** The request whose handler has failed, and the row of its revision. */
interface FailedRequest {
  readonly inbound: InboundRequest;
  readonly revision: Revision;
}

/** What the author is told of failures, and what the caller is told. */
export class Failures {
  readonly #onError: OnError | undefined;
  readonly #shown: 'id' | 'message';

  constructor(onError: OnError | undefined, shown: 'id' | 'message' = 'id') {
    this.#onError = onError;
    this.#shown = shown;
  }

  /** Tells `onError`, if there is one. Never throws. */
  report(error: Error, where: ErrorPlace): void {
    try {
      this.#onError?.(error, where);
    } catch (thrown) {
      log(where, thrown);
    }
  }

  /** The same for what the author must hear of: without `onError` it is written to stderr. */
  alarm(thrown: unknown, where: ErrorPlace): void {
    if (this.#onError) this.report(toError(thrown), where);
    else log(where, thrown);
  }

  /**
   * What a handler threw, as the caller may read it: a `ToolError` for `tools/call`, otherwise an `RpcError`.
   * Everything but a `ToolError` is reported.
   */
  errorFor(thrown: unknown, failed: FailedRequest): ToolError | RpcError {
    const place = placeOf(failed.inbound.request);
    const told = (message: string): ToolError | RpcError =>
      place.what === 'tool' ? new ToolError(message) : internalError(message);
    try {
      const known = this.#known(thrown, failed, place, told);
      if (known) return known;
    } catch {
      // A proxy, or a getter that throws: it counts as a failure, whatever it claims to be.
    }
    const id = Math.random().toFixed(8).slice(2);
    this.alarm(thrown, { ...place, id });
    const why = this.#shown === 'message' ? `: ${errorMessage(thrown)}` : '';
    return told(`${place.name} failed (id ${id})${why}`);
  }

  /** What is told of an error that the caller may read, or that nobody reads. Undefined for any other. */
  #known(
    thrown: unknown, { inbound, revision }: FailedRequest, place: ErrorPlace, told: (message: string) => ToolError | RpcError,
  ): ToolError | RpcError | undefined {
    if (thrown instanceof ToolError || thrown instanceof RpcError) {
      // Read once, before anything is said.
      const { message, name } = thrown;
      if (typeof message !== 'string') return undefined;
      if (thrown instanceof ToolError) return told(message);
      const { code, data } = thrown;
      // The client is not allowed to, or cannot: nobody's code has failed.
      if (name === 'AccessDenied') return thrown;
      const lacking = name === 'MissingCapabilityError';
      if (!lacking) this.report(toError(thrown), place);
      // 2026-07-28 defines -32021. In a legacy tool the model is told.
      if (lacking && revision.era === 'legacy') return told(message);
      return new RpcError(codeFor(typeof code === 'number' ? code : NaN, revision), message, data);
    }
    // A handler that stops because its request is over has not failed, and nobody reads its answer.
    return inbound.settled && isEnding(thrown) ? told('cancelled') : undefined;
  }
}

function log({ what, name, id }: ErrorPlace, thrown: unknown): void {
  const error = toError(thrown);
  let stack: unknown;
  try {
    ({ stack } = error);
  } catch {
    // A getter.
  }
  // Runtimes without a console have no stderr either.
  globalThis.console?.error(`${what} ${name} failed${id === undefined ? '' : ` (id ${id})`}: ${typeof stack === 'string' ? stack : error.message}`);
}

const isEnding = (thrown: unknown): boolean =>
  // By name: over HTTP the transport has made it, which may be of another copy of this package.
  thrown instanceof Error && /^(Cancelled|ConnectionError|AbortError)$/.test(thrown.name);

/**
 * The code that a handler's error may have in a revision. JSON-RPC 2.0 section 5.1 reserves -32768 to -32000;
 * 2026-07-28 basic/index#error-codes reserves -32020 to -32099 for the specification and forbids the codes of
 * earlier revisions. What is not allowed becomes -32603.
 */
function codeFor(code: number, revision: Revision): number {
  const within = (lowest: number, highest: number): boolean => code >= lowest && code <= highest;
  if (code === resourceNotFoundCode) return revisionTable.resourceNotFound(revision);
  let allowed = !within(-32768, -32000) || within(internalErrorCode, invalidRequestCode);
  if (code === urlElicitationRequiredCode) allowed = revisionTable.elicitationId(revision);
  else if (revision.era === 'modern') allowed ||= code >= -32019 || code === missingClientCapabilityCode;
  // A legacy client that sees a code of 2026-07-28 takes the server for a modern one.
  else allowed ||= code >= -32099 && !within(unsupportedProtocolVersionCode, headerMismatchCode);
  return allowed && Number.isInteger(code) ? code : internalErrorCode;
}
