import { encode } from '../jsonrpc/codec.ts';
import type { Inbound } from '../jsonrpc/inbound.ts';
import type { Notification, Params } from '../jsonrpc/message.ts';
import { missingForQuestion } from '../protocol/capabilities.ts';
import type { ClientCapabilities, Implementation } from '../protocol/initialize.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import { loggingLevels } from '../protocol/logging.ts';
import { metaOf } from '../protocol/meta.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Root } from '../protocol/roots.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { Form, FormContent } from '../schema/elicitation.ts';
import type { Auth } from '../transport/port.ts';
import type { Context } from './context.ts';
import { formQuestion, rootsQuestion, sampleQuestion, urlQuestion } from './question.ts';
import type { FormAnswer, Question, QuestionOptions, UrlAnswer } from './question.ts';

/** How often a question is put before an answer that cannot be used is an error. */
export const defaultMaxAsks = 3;

/** What is known of who asks: a session's handshake, or a modern request's own metadata. */
export interface Asker {
  /** Undefined before the handshake only, when nothing is asked yet. */
  readonly revision: Revision | undefined;
  readonly client: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The least severe level that the client wants; undefined: none at all. */
  readonly logLevel: LoggingLevel | undefined;
}

/**
 * One request on its way to its answer: who asks, by which rules, and how to ask back. To handlers it is their
 * `Context`; the era decides which kind is made (`LegacyExchange`, `ModernExchange`).
 */
export abstract class Exchange implements Context {
  readonly inbound: Inbound;
  readonly auth: Auth | undefined;
  /** The row of the request's revision. */
  readonly rules: Revision;
  /** What `once` has made so far, by key. JSON values. */
  protected made: Record<string, unknown> | undefined;
  protected making: Map<string, Promise<unknown>> | undefined;
  readonly #asker: Asker;
  #progress = -Infinity;

  constructor(inbound: Inbound, asker: Asker, auth: Auth | undefined) {
    this.inbound = inbound;
    this.auth = auth;
    this.rules = asker.revision as Revision;
    this.#asker = asker;
  }

  get signal(): AbortSignal {
    return this.inbound.signal;
  }

  get client(): Implementation | undefined {
    return this.#asker.client;
  }

  get capabilities(): ClientCapabilities {
    return this.#asker.capabilities;
  }

  get revision(): string {
    return this.rules.version;
  }

  /** Puts a question to the client. Rejects where it cannot answer such a question, or gives no usable answer. */
  abstract ask<T>(question: Question<T>): Promise<T>;

  /** A question as it is sent. Throws where the client cannot answer such a question. */
  protected put(question: Question, problem?: string): Params {
    const put = question.params(this.rules, problem);
    const missing = missingForQuestion(question.method, put, this.capabilities, this.rules);
    if (missing) throw missing;
    return put;
  }

  elicit<const S extends Form>(message: string, form: S, options?: QuestionOptions): Promise<FormAnswer<FormContent<S>>> {
    return this.ask(formQuestion(message, form, options));
  }

  elicitUrl(message: string, url: string, options?: QuestionOptions): Promise<UrlAnswer> {
    return this.ask(urlQuestion(message, url, options));
  }

  sample(params: CreateMessageRequestParams, options?: QuestionOptions): Promise<CreateMessageResult> {
    return this.ask(sampleQuestion(params, options));
  }

  roots(options?: QuestionOptions): Promise<Root[]> {
    return this.ask(rootsQuestion(options));
  }

  closeStream(): void {}

  /** Calls `leave` when the run is left behind for its next round; there are rounds in the modern era alone. */
  onLeave(_leave: () => void): void {}

  /**
   * The value that `make` gave, made once for this request, also across its rounds. It is taken through JSON at
   * once, so that it looks the same in the round that makes it and in those that find it.
   */
  once<T>(key: string, make: () => T | Promise<T>): Promise<T> {
    if (this.made && Object.hasOwn(this.made, key)) return Promise.resolve(this.made[key] as T);
    const under = (this.making ??= new Map()).get(key);
    if (under) return under as Promise<T>;
    const making = Promise.resolve().then(make).then((value) => {
      const kept = value === undefined ? null : JSON.parse(JSON.stringify(value)) as unknown;
      // Object.create(null): a key may be called `__proto__`.
      (this.made ??= Object.create(null) as Record<string, unknown>)[key] = kept;
      return kept as T;
    }).finally(() => this.making?.delete(key));
    this.making.set(key, making);
    return making;
  }

  /** Sends a notification that belongs to this request. */
  notify(method: string, params: Record<string, unknown>): void {
    const message: Notification = { jsonrpc: '2.0', method, params };
    this.inbound.send(encode(message), message);
  }

  /** 2025-11-25 basic/utilities/progress: only where the client gave a token, and each report above the last. */
  progress(progress: number, total?: number, message?: string): void {
    const token = metaOf(this.inbound.request.params)?.['progressToken'];
    if (token === undefined || !(progress > this.#progress)) return;
    this.#progress = progress;
    this.notify('notifications/progress', {
      progressToken: token,
      progress,
      // JSON leaves out what is undefined.
      total,
      message: this.rules.progressMessage ? message : undefined,
    });
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    const { logLevel } = this.#asker;
    if (logLevel === undefined || loggingLevels.indexOf(level) < loggingLevels.indexOf(logLevel)) return;
    this.notify('notifications/message', { level, ...logger !== undefined && { logger }, data });
  }
}
