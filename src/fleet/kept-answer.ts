import { failureText, internalError, toErrorObject } from '../jsonrpc/internal-exports.ts';
import type { Outlet, Request } from '../jsonrpc/index.ts';

/** The options of `keptAnswer`. */
export interface KeptAnswerOptions {
  /** The outlet for the answer. */
  readonly response: Outlet;
  /**
   * Stores the data that the result promises. Resolves with false if the request was refused meanwhile and gets no
   * answer. Rejects if it could not be stored: the request gets an error.
   */
  readonly keep: () => Promise<unknown>;
  /** The error if it could not be stored: message and data. */
  readonly message: string;
  readonly data?: object | undefined;
  readonly report: (thrown: unknown) => void;
  /** Called once after the result, or the error in its place, has been sent. */
  readonly done?: (() => void) | undefined;
}

/**
 * Returns an outlet that sends a result after `keep` has resolved. Errors, and the end of a cancelled request, go out
 * at once.
 */
export function keptAnswer({ response, keep, message, data, report, done }: KeptAnswerOptions): Outlet {
  function failed(text: string, fault: unknown): void {
    report(fault);
    const { id } = JSON.parse(text) as Request;
    const error = { ...toErrorObject(internalError(message)), data };
    response.answer(failureText(id, error), error.code);
  }

  return {
    send: (text, sent) => response.send(text, sent),
    room: (length, droppable) => response.room?.(length, droppable) ?? true,
    answer(text, errorCode, thrown) {
      if (text === undefined || errorCode !== undefined) return response.answer(text, errorCode, thrown);
      keep().then((kept) => kept === false || response.answer(text), (fault: unknown) => failed(text, fault)).finally(done);
    },
  };
}
