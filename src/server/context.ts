import type { Form, FormContent } from '../protocol/form.ts';
import type { ClientCapabilities, Implementation } from '../protocol/lifecycle.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Root } from '../protocol/roots.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { Auth } from '../transport/auth.ts';
import type { FormAnswer, FormQuestionOptions, UrlAnswer, UrlQuestionOptions } from './elicitation.ts';
import type { Question, QuestionOptions } from './input-requests.ts';

/** A generator handler, which yields its questions, one or several at a time. */
export type QuestionGenerator<R> =
  | Generator<Question | readonly Question[], R, never>
  | AsyncGenerator<Question | readonly Question[], R, never>;

/** The return value of a handler: a value, a promise of it, or a generator that returns it. */
export type Outcome<R> = R | Promise<R> | QuestionGenerator<R>;

/** The context of a handler, without questions to the client. The same for every revision; `Exchange` implements it. */
export interface PlainContext {
  /** Aborts when the client cancels, the connection ends, or (2026-07-28) this run ends with a question and the handler will run again. */
  readonly signal: AbortSignal;

  /** The client's name and version as it states them: for display, never for trust. */
  readonly client: Implementation | undefined;

  readonly capabilities: ClientCapabilities;

  /** The authenticated user, if the transport authenticates. */
  readonly auth: Auth | undefined;

  /** The request's `_meta`, where an extension may keep its own keys. From the wire, unchecked. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;

  /** The protocol revision of this request. Its `version` is a string such as `2025-06-18`. */
  readonly revision: Revision;

  /**
   * Reports progress, if the client asked for it. A report that is not above the last one is not sent, nor are more than 100 a
   * second. Throws a RangeError for NaN and Infinity.
   */
  progress(progress: number, total?: number, message?: string): void;

  /**
   * Sends a log message, if the client wants messages of this level. `data` is any JSON value. Throws a TypeError for a level that
   * does not exist.
   */
  log(level: LoggingLevel, data: unknown, logger?: string): void;

  /** Sends a notification that belongs to this request, such as an extension's. */
  notify(method: string, params: Record<string, unknown>): void;

  /** Lets the client poll for the response (2025-11-25 over HTTP). Elsewhere it does nothing. */
  closeStream(): void;
}

/**
 * The context of a handler that may ask the client. With a client of 2026-07-28, a question without an answer ends the run, and the
 * handler runs again from its top when the answer is there.
 *
 * - Put work that must not happen twice into `once`.
 * - The `finally` of an async handler does not run when its run ends with a question. Release resources in `defer`; a generator
 *   handler's `finally` does run.
 * - A client may send the same answers twice: the `requestState` can be used again until it expires, and the code after the
 *   question then runs again. `once` does not prevent that, since its values are in that state. Make the work idempotent, or set
 *   the server's `requestState: { singleUse: true }`.
 */
export interface Context extends PlainContext {
  /** Makes a JSON value once for this request, however often the handler runs. */
  once<T>(key: string, make: () => T | Promise<T>): Promise<T>;

  /**
   * Calls `release` when this run of the handler ends: finished, failed, or (2026-07-28) with a question, where the `finally` of an
   * async function does not run. Several run in reverse order, one after the other; their errors go to `onError`. The response
   * waits for them.
   */
  defer(release: () => unknown): void;

  /**
   * Asks the user to fill in a form: the properties of a restricted schema, or a whole schema. If the answer does not fit, the user
   * is asked again with the reason, three times in all. Rejects with `MissingCapabilityError` if the client has no elicitation,
   * unless `otherwise` is given. 2025-06-18 client/elicitation.
   */
  elicit<const S extends Form>(
    message: string, form: S, options?: FormQuestionOptions<FormContent<S>>,
  ): Promise<FormAnswer<FormContent<S>>>;

  /**
   * Sends the user to a page, for data that must not pass through the client. Throws a TypeError for an invalid URL.
   * 2025-11-25 client/elicitation#url-mode-elicitation-requests.
   */
  elicitUrl(message: string, url: string, options?: UrlQuestionOptions): Promise<UrlAnswer>;

  /** Asks the client's model for a message. client/sampling. */
  sample(params: CreateMessageRequestParams, options?: QuestionOptions): Promise<CreateMessageResult>;

  /** The directories and files that the client lets the server work in. client/roots. */
  roots(options?: QuestionOptions): Promise<Root[]>;
}

/** The argument of the function given to `ctx.once`, in a tool with `task`. */
export interface Step {
  /**
   * 1, and higher if an earlier run may have begun this step, and its end was not written because the process was killed or lost
   * its lease.
   */
  readonly attempt: number;
  /**
   * The same for every attempt of this step of this task, and different for every other step. Pass it to external services (a
   * payment, a mail), so that they act only once. A plain call has no journal: there it is new each time.
   */
  readonly idempotencyKey: string;
}

/** Further methods in the context of a tool with `task`, in a plain call as in a task: see `tasks` of `barewire/tasks`. */
export interface TaskSteps {
  /**
   * Makes a JSON value once for this request, however often the handler runs. If a crash interrupts `make`, it is called again;
   * after its value was written, never. In a task an error of `make` is written too, so that the handler takes the same path when
   * it runs again; a further call with this key is a further attempt.
   */
  once<T>(key: string, make: (step: Step) => T | Promise<T>): Promise<T>;

  /**
   * The version of the handler's code at this place, for tasks that began with older code: `current` if the task comes here for the
   * first time, and the same from then on; 0 if the task went past this place before this call existed.
   * `if (await ctx.version('gift wrap', 1) >= 1) …`
   */
  version(key: string, current: number): Promise<number>;

  /** Sets the task's `statusMessage`: the current work, in words. In a plain call it does nothing. */
  status(message: string): void;
}

/** The requester of a list or a subscription. */
export type Listener = Pick<PlainContext, 'auth' | 'capabilities' | 'client' | 'meta' | 'revision'>;
