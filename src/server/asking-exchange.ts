import type { Params } from '../jsonrpc/message.ts';
import { missingForQuestion } from '../protocol/capabilities.ts';
import type { Root } from '../protocol/roots.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { Form, FormContent } from '../protocol/form.ts';
import type { Context, Outcome, QuestionGenerator } from './context.ts';
import { Exchange } from './exchange.ts';
import { placeOf, ToolError } from './failure.ts';
import { formQuestion, rootsQuestion, sampleQuestion, urlQuestion } from './question.ts';
import type { FormAnswer, Question, QuestionOptions, UrlAnswer, UrlQuestionOptions } from './question.ts';
import type { Need } from './registry.ts';

/** Undoes what a run of a handler took. */
type Release = () => unknown;

/** How often a question is put before an answer that cannot be used is an error. */
export const defaultMaxAsks = 3;

/** Thrown into a handler after three unusable answers. Uncaught, the client reads it: it is about its answers. */
export const unanswered = ({ method }: Question, problem: string | undefined): ToolError =>
  new ToolError(`${method}: no usable answer after ${defaultMaxAsks} attempts: ${problem}`);

/** A question of the kind that each need stands for. */
const kinds: Readonly<Record<Need, readonly [method: Question['method'], params: Params]>> = {
  'elicitation': ['elicitation/create', {}],
  'elicitation.url': ['elicitation/create', { mode: 'url' }],
  'sampling': ['sampling/createMessage', {}],
  'sampling.tools': ['sampling/createMessage', { tools: [] }],
  'roots': ['roots/list', {}],
};

/** An exchange whose handler may ask; the era decides how (`LegacyExchange`, `ModernExchange`). */
export abstract class AskingExchange extends Exchange implements Context {
  /** What `once` has made so far, by key. JSON values. */
  protected made: Record<string, unknown> | undefined;
  protected making: Map<string, Promise<unknown>> | undefined;
  #releases: Release[] | undefined;
  /** The run has ended: what is deferred now is undone at once. */
  #over = false;

  /**
   * Puts a question to the client. Rejects where it cannot answer such a question, or gives no usable answer.
   */
  abstract ask<T>(question: Question<T>): Promise<T>;

  /** A question as it is sent. Throws where the client cannot answer such a question. */
  protected put(question: Question, problem?: string): Params {
    const put = question.params(this.rules, problem);
    const missing = missingForQuestion(question.method, put, this.capabilities, this.rules);
    if (missing) throw missing;
    // 2025-11-25 client/sampling#capabilities: left out for a client without `sampling.context`; the default is `none`.
    if ('includeContext' in put && !this.capabilities.sampling?.context) delete put['includeContext'];
    return put;
  }

  /**
   * The value that `make` gave, made once for this request, also across its rounds. It is taken through JSON
   * at once, so that it looks the same in the round that makes it and in those that find it.
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

  defer(release: Release): void {
    (this.#releases ??= []).push(release);
    this.release = this.undo;
    // Work that went on beside a question that ended the run.
    if (this.#over) void this.undo();
  }

  /** Undoes, last first, what this run took. One that throws is reported; the others still run. */
  protected async undo(): Promise<void> {
    const releases = this.#releases;
    this.#over = true;
    this.#releases = this.release = undefined;
    for (const release of releases?.reverse() ?? []) {
      try {
        await release();
      } catch (thrown) {
        this.failures?.alarm(thrown, { ...placeOf(this.inbound.request), what: 'release' });
      }
    }
  }

  override checkNeeds(needs: readonly Need[]): void {
    for (const need of needs) {
      const [method, params] = kinds[need];
      const missing = missingForQuestion(method, params, this.capabilities, this.rules);
      if (missing) throw missing;
    }
  }

  elicit<const S extends Form>(
    message: string,
    form: S,
    options?: QuestionOptions,
  ): Promise<FormAnswer<FormContent<S>>> {
    return this.ask(formQuestion(message, form, options));
  }

  elicitUrl(message: string, url: string, options?: UrlQuestionOptions): Promise<UrlAnswer> {
    return this.ask(urlQuestion(message, url, options));
  }

  sample(params: CreateMessageRequestParams, options?: QuestionOptions): Promise<CreateMessageResult> {
    return this.ask(sampleQuestion(params, options));
  }

  roots(options?: QuestionOptions): Promise<Root[]> {
    return this.ask(rootsQuestion(options));
  }

  /**
   * Calls `leave` when the run is left behind for its next round; only the modern era has rounds.
   */
  onLeave(_leave: () => void): void {}

  override settle<R>(outcome: Outcome<R>): R | Promise<R> {
    return isGenerator<R>(outcome) ? drive(outcome, this) : outcome;
  }
}

function isGenerator<R>(outcome: Outcome<R>): outcome is QuestionGenerator<R> {
  if (typeof outcome !== 'object' || outcome === null || !('next' in outcome)) return false;
  return Symbol.iterator in outcome || Symbol.asyncIterator in outcome;
}

/**
 * Asks what a generator yields. A run that is left behind is ended by `return()`:
 * `finally` runs, `catch` does not.
 */
async function drive<R>(generator: QuestionGenerator<R>, exchange: AskingExchange): Promise<R> {
  exchange.onLeave(() => void Promise.resolve(generator.return(undefined as R)).catch(() => {}));
  let step = await generator.next();
  while (step.done !== true) {
    const asked = step.value;
    let answer: unknown;
    try {
      answer = await (isList(asked)
        ? Promise.all(asked.map((one) => exchange.ask(one)))
        : exchange.ask(asked));
    } catch (thrown) {
      step = await generator.throw(thrown);
      continue;
    }
    step = await generator.next(answer as never);
  }
  return step.value;
}

function isList(asked: Question | readonly Question[]): asked is readonly Question[] {
  return Array.isArray(asked);
}
