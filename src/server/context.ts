import type { Form, FormContent } from '../protocol/form.ts';
import type { ClientCapabilities, Implementation } from '../protocol/lifecycle.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Root } from '../protocol/roots.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { Auth } from '../transport/auth.ts';
import type { FormAnswer, FormQuestionOptions, Question, QuestionOptions, UrlAnswer, UrlQuestionOptions } from './question.ts';

/** A handler that yields its questions, one or several at a time. */
export type QuestionGenerator<R> =
  | Generator<Question | readonly Question[], R, never>
  | AsyncGenerator<Question | readonly Question[], R, never>;

/** What a handler may return: a value, a promise of it, or the generator that will end with it. */
export type Outcome<R> = R | Promise<R> | QuestionGenerator<R>;

/**
 * What a handler can do besides returning a result. The same for every revision; `Exchange` is what does it.
 */
export interface PlainContext {
  /**
   * Aborts when the client cancels, the connection ends,
   * or (2026-07-28) the run is left behind for its next round.
   */
  readonly signal: AbortSignal;

  /** Who the client says it is: for display, never for trust. */
  readonly client: Implementation | undefined;

  readonly capabilities: ClientCapabilities;

  /** Who the user is, where the transport authenticates. */
  readonly auth: Auth | undefined;

  /** The request's `_meta`, where an extension may keep keys of its own. From the wire, unchecked. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;

  /** The protocol revision of this request. Its `version` is a text such as `2025-06-18`. */
  readonly revision: Revision;

  /**
   * Reports progress, where the client asked for it. A report that is not above the last one is not sent, nor are
   * more than 100 a second. Throws a RangeError for NaN and Infinity.
   */
  progress(progress: number, total?: number, message?: string): void;

  /**
   * Sends a log message, where the client wants messages of this level. `data` is any JSON value. Throws a TypeError
   * for a level that does not exist.
   */
  log(level: LoggingLevel, data: unknown, logger?: string): void;

  /** Sends a notification that belongs to this request, such as one of an extension's. */
  notify(method: string, params: Record<string, unknown>): void;

  /** Lets the client poll for the answer (2025-11-25 over HTTP); elsewhere it does nothing. */
  closeStream(): void;
}

/**
 * And what it can ask the client. For one of 2026-07-28 a question that has no answer yet ends the run, and
 * the handler runs again from its top when the answer is there.
 *
 * - What must not happen twice goes into `once`.
 * - The `finally` of an async handler does not run when its run is left behind. What must be given back goes into
 *   `defer`; a generator handler's `finally` does run.
 * - A client may send the same answers twice: the state between the rounds opens as often as it is presented, and
 *   what comes after the question happens again. `once` does not help there, since it is kept in that state. Let
 *   the work itself be idempotent, or set the server's `requestState: { singleUse: true }`.
 */
export interface Context extends PlainContext {
  /** Makes a JSON value once for this request, however often the handler runs. */
  once<T>(key: string, make: () => T | Promise<T>): Promise<T>;

  /**
   * Runs `release` when this run of the handler ends: finished, failed, or (2026-07-28) left behind for its next
   * round, where the `finally` of an async function does not run. Several run in reverse order, each after the
   * one before; what they throw goes to `onError`. The answer waits for them.
   */
  defer(release: () => unknown): void;

  /**
   * Asks the user to fill in a form: the properties of a restricted schema, or a whole one. An answer that
   * does not fit is asked for again with the reason, three times in all. Rejects with
   * `MissingCapabilityError` where the client has no elicitation, unless `otherwise` is given. 2025-06-18 client/elicitation.
   */
  elicit<const S extends Form>(
    message: string, form: S, options?: FormQuestionOptions<FormContent<S>>,
  ): Promise<FormAnswer<FormContent<S>>>;

  /**
   * Sends the user to a page, for what must not pass through the client. Rejects with a TypeError for what is no
   * URL. 2025-11-25 client/elicitation#url-mode-elicitation-requests.
   */
  elicitUrl(message: string, url: string, options?: UrlQuestionOptions): Promise<UrlAnswer>;

  /** Asks the client's model. client/sampling. */
  sample(params: CreateMessageRequestParams, options?: QuestionOptions): Promise<CreateMessageResult>;

  /** The directories and files that the client lets the server work in. client/roots. */
  roots(options?: QuestionOptions): Promise<Root[]>;
}

/** What the function of `ctx.once` is told, in a tool with `task`. */
export interface Step {
  /**
   * 1, and higher where an earlier run may have begun this step without its end being written: the process was killed,
   * or lost its lease, in between.
   */
  readonly attempt: number;
  /**
   * The same for every attempt of this step of this task, and for no other: to be handed to the outside world (a
   * payment, a mail), which then does it once. A plain call has no journal: there it is new each time.
   */
  readonly idempotencyKey: string;
}

/** What the handler of a tool with `task` has besides, in a plain call as in a task: see `tasks` of `barewire/tasks`. */
export interface TaskSteps {
  /**
   * Makes a JSON value once for this request, however often the handler runs: at least once where a crash interrupts
   * `make`, and never again after its value was written. In a task what `make` throws is written too, so that the
   * handler, running again, goes the same way; a further call with this key is a further attempt.
   */
  once<T>(key: string, make: (step: Step) => T | Promise<T>): Promise<T>;

  /**
   * Steers a task that began with older code past a change of the handler: `current` where the handler comes here for
   * the first time, and from then on the same for this task; 0 where the task went past this place before there was
   * this call. `if (await ctx.version('gift wrap', 1) >= 1) …`
   */
  version(key: string, current: number): Promise<number>;

  /** Says in words what the work is at: the task's `statusMessage`. In a plain call it does nothing. */
  status(message: string): void;
}

/** Who listens, or asks for a list. */
export type Listener = Pick<PlainContext, 'auth' | 'capabilities' | 'client' | 'meta' | 'revision'>;
