import type { Bag, Params } from '../jsonrpc/message.ts';
import { missingForQuestion } from '../protocol/capabilities.ts';
import type { InputRequest, InputRequests } from '../protocol/input-required.ts';
import type { Root } from '../protocol/roots.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { Form, FormContent } from '../protocol/form.ts';
import type { Context, Outcome, QuestionGenerator } from './context.ts';
import { Exchange } from './exchange.ts';
import { placeOf, ToolError } from './failure.ts';
import { formQuestion, rootsQuestion, sampleQuestion, urlQuestion } from './question.ts';
import type { FormAnswer, FormQuestionOptions, Question, QuestionOptions, Reading, UrlAnswer, UrlQuestionOptions } from './question.ts';
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

/** The reason of the signal of a run that ended with questions to the client; a further run has the answers. */
export class LeftBehind extends Error {
  constructor() {
    super('The run ended with a question to the client; the handler runs again with its answer');
    this.name = 'LeftBehind';
  }
}

/** An exchange whose handler may ask. `LegacyExchange` sends requests, a `RepeatedExchange` runs the handler again. */
export abstract class AskingExchange extends Exchange implements Context {
  /** What `once` has made so far, by key. JSON values. */
  protected made: Record<string, unknown> | undefined;
  /** Steps of `once` that are under way, by key. */
  protected making: Map<string, Promise<unknown>> | undefined;
  #releases: Release[] | undefined;
  /** The run has ended: a function that is given to `defer` from now on is called at once. */
  #over = false;

  /**
   * Puts a question to the client. Rejects where it cannot answer such a question, or gives no usable answer.
   */
  abstract ask<T>(question: Question<T>): Promise<T>;

  /** What a question with `otherwise` has for a client that did not declare such questions; undefined: the client is asked. */
  protected instead<T>(question: Question<T>): Reading<T> | undefined {
    const { method, otherwise = {} } = question;
    return missingForQuestion(method, {}, this.capabilities, this.revision) && question.read(otherwise);
  }

  /** A question as it is sent. Throws where the client cannot answer such a question. */
  protected put(question: Question, problem?: string): Params {
    const put = question.params(this.revision, problem);
    const missing = missingForQuestion(question.method, put, this.capabilities, this.revision);
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
      // A key may be called `__proto__`.
      return (this.made ??= dictionary())[key] = kept;
    }).finally(() => this.making?.delete(key));
    this.making.set(key, making);
    return making as Promise<T>;
  }

  defer(release: Release): void {
    (this.#releases ??= []).push(release);
    this.runDeferred = this.undo;
    // Work that went on beside a question that ended the run.
    if (this.#over) void this.undo();
  }

  /** Undoes, last first, what this run took. One that throws is reported; the others still run. */
  protected async undo(): Promise<void> {
    const releases = this.#releases;
    this.#over = true;
    this.#releases = this.runDeferred = undefined;
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
      const missing = missingForQuestion(method, params, this.capabilities, this.revision);
      if (missing) throw missing;
    }
  }

  elicit<const S extends Form>(
    message: string,
    form: S,
    options?: FormQuestionOptions<FormContent<S>>,
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

  /** Calls `leave` when the run ends with a question, after which the handler runs again. A legacy request runs once. */
  onLeave(_leave: () => void): void {}

  override resolveOutcome<R>(outcome: Outcome<R>): R | Promise<R> {
    return isGenerator<R>(outcome) ? drive(outcome, this) : outcome;
  }
}

/** What is known of a question from earlier runs of the handler. */
export interface AskedBefore {
  /** The answers that the client gave to it, oldest first. */
  readonly given: readonly Bag[];
  /** How often it was put. */
  readonly times: number;
  /** The key under which it was put last, where that has no answer yet. */
  readonly open?: string | undefined;
}

/**
 * Remembers the questions of a request and their answers while its handler runs again and again: in the sealed state of
 * a 2026-07-28 request, or in the journal of a task.
 */
export interface AnswerStore {
  /**
   * Whether a question with a key of its author's takes a number too: then the question without a key after it is
   * `elicitation/create#2`. States and journals number differently, and those that exist must be found again.
   */
  readonly numbersKeyed: boolean;
  /** What is known of the question with this name; `digest` stands for its text (`digestOf`). */
  find(name: string, digest: string): AskedBefore | Promise<AskedBefore>;
  /** Writes down that the question is put, for the `times`th time. Returns the key under which it goes to the client. */
  put(name: string, digest: string, times: number): string | Promise<string>;
}

/**
 * An exchange whose handler runs again from its top when the client has answered: the answers are in a store, and a
 * question without one ends the run.
 */
export abstract class RepeatedExchange extends AskingExchange {
  /** Throws where the handler may not ask. */
  protected abstract readonly answers: AnswerStore;
  /** The questions that this run puts, by key. Made at the first: most handlers ask nothing. */
  protected questions: InputRequests | undefined;
  /** The keys of all questions that are open when this run ends; undefined: it has not come to one. */
  protected waiting: Set<string> | undefined;
  /** Settles when the run has ended with its questions and has given back what it took; undefined: it goes on. */
  protected left: Promise<void> | undefined;
  #positions: Map<string, number> | undefined;
  #leave: (() => void)[] | undefined;

  /** Ends the run with the questions that it waits for. */
  protected abstract suspend(): Promise<void>;

  /** Calls `run` when the handler has had time to open further questions, which then go out together. */
  protected abstract nextTurn(run: () => void): unknown;

  override async ask<T>(question: Question<T>): Promise<T> {
    const instead = question.otherwise && this.instead(question);
    if (instead && 'value' in instead) return instead.value;
    const { answers } = this;
    const { method } = question;
    const params = this.put(question);
    let name = question.key;
    if (name === undefined || answers.numbersKeyed) {
      const positions = this.#positions ??= new Map<string, number>();
      const place = (positions.get(method) ?? 0) + 1;
      positions.set(method, place);
      name ??= `${method}#${place}`;
    }
    const digest = digestOf(JSON.stringify([method, params]));
    const found = answers.find(name, digest);
    const { given, times, open } = found instanceof Promise ? await found : found;
    let problem: string | undefined;
    for (const answer of given) {
      const reading = question.read(answer);
      if ('value' in reading) return reading.value;
      problem = reading.problem;
    }
    if (open !== undefined) return this.wait(open);
    if (problem !== undefined && times >= defaultMaxAsks) throw unanswered(question, problem);
    const key = answers.put(name, digest, times + 1);
    return this.wait(key instanceof Promise ? await key : key, {
      method, params: problem === undefined ? params : this.put(question, problem),
    } as InputRequest);
  }

  /** Waits for an answer, which never comes: this run ends, and the next one finds it. `request`: is put now. */
  protected wait(key: string, request?: InputRequest): Promise<never> {
    if (!this.waiting) {
      this.waiting = new Set();
      this.nextTurn(() => {
        this.left = this.#suspend();
      });
    }
    this.waiting.add(key);
    if (request) (this.questions ??= dictionary() as InputRequests)[key] = request;
    return new Promise(() => {});
  }

  async #suspend(): Promise<void> {
    // What `once` is making is kept for the next run, so it is waited for.
    while (this.making?.size) await Promise.allSettled(this.making.values());
    await this.suspend();
  }

  override onLeave(leave: () => void): void {
    (this.#leave ??= []).push(leave);
  }

  /** Tells the handler that its run is over, and undoes what it took. */
  protected leaveBehind(): Promise<void> {
    this.inbound.abort(() => new LeftBehind());
    for (const leave of this.#leave ?? []) leave();
    return this.undo();
  }
}

/**
 * An object without names of its own: keys come from handlers and clients, and may be called `__proto__`. An empty
 * prototype is as safe as none, and such an object takes a third of the time to make, to fill and to write as JSON. `from`: an object whose members it gets.
 */
export function dictionary(from?: unknown): Bag {
  nameless ??= Object.freeze(Object.create(null)) as object;
  return Object.assign(Object.create(nameless) as Bag, from);
}

let nameless: object | undefined;

/**
 * FNV-1a twice, with two multipliers: tells two questions of one handler apart. It is no protection against forgery, and
 * needs to be none: a client that wants to lie about an answer does not need a collision.
 */
function digestOf(text: string): string {
  let high = 0x811c9dc5;
  let low = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x85ebca6b);
  }
  return `${high},${low}`;
}

function isGenerator<R>(outcome: Outcome<R>): outcome is QuestionGenerator<R> {
  if (typeof outcome !== 'object' || outcome === null || !('next' in outcome)) return false;
  return Symbol.iterator in outcome || Symbol.asyncIterator in outcome;
}

/** Asks what a generator yields. `return()` ends a run that is left behind: its `finally` runs, its `catch` does not. */
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
