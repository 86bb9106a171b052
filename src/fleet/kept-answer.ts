import { internalError, toErrorObject } from '../jsonrpc/errors.ts';
import type { Request } from '../jsonrpc/message.ts';
import { failureText } from '../jsonrpc/outlet.ts';
import type { Outlet } from '../jsonrpc/outlet.ts';

/** What has to be done before a result is said. */
export interface KeptAnswerOptions {
  /** Where the answer goes. */
  readonly response: Outlet;
  /** Keeps what the result says. Resolves with false: the request was refused meanwhile, and gets no answer. Rejects: it gets an error. */
  readonly keep: () => Promise<unknown>;
  /** The error where it could not be kept: message and data. */
  readonly message: string;
  readonly data?: object | undefined;
  readonly report: (thrown: unknown) => void;
  /** Called once when the answer is out, or nothing is. */
  readonly done?: (() => void) | undefined;
}

/** The answer to a request whose result is kept first. Errors, and the missing answer of a cancelled request, go at once. */
export function keptAnswer({ response, keep, message, data, report, done }: KeptAnswerOptions): Outlet {
  function failed(text: string, fault: unknown): void {
    report(fault);
    const { id } = JSON.parse(text) as Request;
    const error = { ...toErrorObject(internalError(message)), data };
    response.answer(failureText(id, error), error.code);
  }

  return {
    send: (text, sent) => response.send(text, sent),
    room: (length, mayBeLost) => response.room?.(length, mayBeLost) ?? true,
    answer(text, errorCode, thrown) {
      if (text === undefined || errorCode !== undefined) return response.answer(text, errorCode, thrown);
      keep().then((kept) => kept === false || response.answer(text), (fault: unknown) => failed(text, fault)).finally(done);
    },
  };
}
