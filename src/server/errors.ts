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
 * An error whose message the caller reads: from a tool as the text of an `isError` result, which the model reads; from a prompt, a
 * resource or a completion as the message of error `-32603`. It is not reported to `onError`. The text of any other exception is
 * for the author only.
 */
export class ToolError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ToolError';
  }
}

/** The place of an error that `onError` gets. */
export interface ErrorPlace {
  /**
   * Whose code failed: the handler of a tool, a prompt, a resource, a completion, another method (an extension's), a notification;
   * `release`: a function given to `ctx.defer`; `connection`: a message without a waiting caller; `registration`: a definition that
   * works but breaks a SHOULD of the specification; `result`: a result that was sent although it breaks a rule of the
   * specification.
   */
  readonly what:
    | 'tool' | 'prompt' | 'resource' | 'completion' | 'method' | 'notification' | 'release' | 'connection'
    | 'registration' | 'result';
  /** The tool, prompt, URI or method. At most 200 characters. */
  readonly name: string;
  /** The request that failed. */
  readonly request?: Request | undefined;
  /** The number in the caller's message: `… failed (id 40718293)`. */
  readonly id?: string | undefined;
}

/** Called with every error that the server's author should know of. */
export type OnError = (error: Error, where: ErrorPlace) => void;

const handled = /^(tool|prompt|resource|completion)s?\/(call|get|read|complete)$/;

/** The place of a failed request. */
export function placeOf(request: Request): ErrorPlace {
  const { method, params } = request;
  const what = (handled.exec(method)?.[1] ?? 'method') as ErrorPlace['what'];
  const name = what === 'resource' ? params?.['uri'] : params?.['name'];
  return { what, name: shorten(typeof name === 'string' ? name : method), request };
}

/** The request whose handler failed, and its revision. */
interface FailedRequest {
  readonly inbound: InboundRequest;
  readonly revision: Revision;
}

/** Reports failures to the author, and makes the errors for the caller. */
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

  /** The same for an error that must not be missed: without `onError` it is written to stderr. */
  alarm(thrown: unknown, where: ErrorPlace): void {
    if (this.#onError) this.report(toError(thrown), where);
    else log(where, thrown);
  }

  /**
   * The error for the caller: a `ToolError` for `tools/call`, otherwise an `RpcError`. What was thrown is reported, except a `ToolError`,
   * missing rights or capabilities of the client, and the end of a cancelled request.
   */
  errorFor(thrown: unknown, failed: FailedRequest): ToolError | RpcError {
    const place = placeOf(failed.inbound.request);
    const told = (message: string): ToolError | RpcError =>
      place.what === 'tool' ? new ToolError(message) : internalError(message);
    try {
      const known = this.#known(thrown, failed, place, told);
      if (known) return known;
    } catch {
      // A proxy, or a getter that throws: treat it as a failure, whatever its class.
    }
    const id = Math.random().toFixed(8).slice(2);
    this.alarm(thrown, { ...place, id });
    const why = this.#shown === 'message' ? `: ${errorMessage(thrown)}` : '';
    return told(`${place.name} failed (id ${id})${why}`);
  }

  /** The caller's error for a `ToolError`, an `RpcError`, or the end of a cancelled request. Undefined for any other. */
  #known(
    thrown: unknown, { inbound, revision }: FailedRequest, place: ErrorPlace, told: (message: string) => ToolError | RpcError,
  ): ToolError | RpcError | undefined {
    if (thrown instanceof ToolError || thrown instanceof RpcError) {
      // Read the members before reporting: a getter may throw.
      const { message, name } = thrown;
      if (typeof message !== 'string') return undefined;
      if (thrown instanceof ToolError) return told(message);
      const { code, data } = thrown;
      // The client lacks the right or the capability: no code has failed.
      if (name === 'AccessDenied') return thrown;
      const lacking = name === 'MissingCapabilityError';
      if (!lacking) this.report(toError(thrown), place);
      // Only 2026-07-28 defines -32021. In a legacy revision the model reads the message.
      if (lacking && revision.era === 'legacy') return told(message);
      return new RpcError(codeFor(typeof code === 'number' ? code : NaN, revision), message, data);
    }
    // A handler that stops because its request is over has not failed, and its answer is not read.
    return inbound.settled && isEnding(thrown) ? told('cancelled') : undefined;
  }
}

function log({ what, name, id }: ErrorPlace, thrown: unknown): void {
  const error = toError(thrown);
  let stack: unknown;
  try {
    ({ stack } = error);
  } catch {
    // A getter that throws.
  }
  // Runtimes without a console have no stderr either.
  globalThis.console?.error(`${what} ${name} failed${id === undefined ? '' : ` (id ${id})`}: ${typeof stack === 'string' ? stack : error.message}`);
}

const isEnding = (thrown: unknown): boolean =>
  // By name: over HTTP the transport creates the error, perhaps from another copy of this package.
  thrown instanceof Error && /^(Cancelled|ConnectionError|AbortError)$/.test(thrown.name);

/**
 * The code that a handler's error may have in a revision. JSON-RPC 2.0 section 5.1 reserves -32768 to -32000;
 * 2026-07-28 basic/index#error-codes reserves -32020 to -32099 for the specification and forbids the codes of earlier revisions. A
 * code that is not allowed becomes -32603.
 */
function codeFor(code: number, revision: Revision): number {
  const within = (lowest: number, highest: number): boolean => code >= lowest && code <= highest;
  if (code === resourceNotFoundCode) return revisionTable.resourceNotFound(revision);
  let allowed = !within(-32768, -32000) || within(internalErrorCode, invalidRequestCode);
  if (code === urlElicitationRequiredCode) allowed = revisionTable.elicitationId(revision);
  else if (revision.era === 'modern') allowed ||= code >= -32019 || code === missingClientCapabilityCode;
  // A legacy client would take a server with a code of 2026-07-28 for a modern one.
  else allowed ||= code >= -32099 && !within(unsupportedProtocolVersionCode, headerMismatchCode);
  return allowed && Number.isInteger(code) ? code : internalErrorCode;
}
