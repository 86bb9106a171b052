import type { Bag, Params } from '../jsonrpc/message.ts';
import { missingForQuestion } from '../protocol/capabilities.ts';
import type { InputRequest, InputRequests } from '../protocol/result-type.ts';
import type { ClientCapabilities } from '../protocol/lifecycle.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { Root } from '../protocol/roots.ts';
import type { CreateMessageRequestParams, CreateMessageResult } from '../protocol/sampling.ts';
import type { Form, FormContent } from '../protocol/form.ts';
import type { Context, Outcome, QuestionGenerator } from './context.ts';
import { Exchange } from './exchange.ts';
import { placeOf, ToolError } from './errors.ts';
import { formQuestion, urlQuestion } from './elicitation.ts';
import type { FormAnswer, FormQuestionOptions, UrlAnswer, UrlQuestionOptions } from './elicitation.ts';
import type { Need } from './registry.ts';
import { rootsQuestion } from './roots.ts';
import { sampleQuestion } from './sampling.ts';

/** The result of reading an answer: its value, or the problem with it, in words for the person who is asked again. */
export type Reading<T> = { value: T } | { problem: string };

/** One question to the client: its parameters in each revision, and how its answer is read. */
export interface Question<T = unknown> {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  /** Distinguishes this question from others of the same request. Undefined: its position among questions of the same method is used. */
  readonly key: string | undefined;
  /** The answer to use if the client did not declare that it answers such questions. */
  readonly otherwise?: Readonly<Record<string, unknown>> | undefined;
  /** The parameters of the request. Throws if the revision does not allow the question. `problem`: what was wrong with the last answer. */
  params(revision: Revision, problem?: string, capabilities?: ClientCapabilities): Params;
  /** Reads the client's answer. */
  read(answer: Record<string, unknown>): Reading<T>;
}

/** Options of every question. */
export interface QuestionOptions {
  /** A name for this question, unique within the request: identifies its answer in the next round. */
  readonly key?: string | undefined;
}

/** A function given to `ctx.defer`. */
type Release = () => unknown;

/** Attempts per question. After that many unusable answers the question rejects. */
export const defaultMaxAsks = 3;

/** The error after three unusable answers. If the handler does not catch it, the client reads it, since it is about its answers. */
export const unanswered = ({ method }: Question, problem: string | undefined): ToolError =>
  new ToolError(`${method}: no usable answer after ${defaultMaxAsks} attempts: ${problem}`);

/** An example question for each need, to check the client's capabilities. */
const kinds: Readonly<Record<Need, readonly [method: Question['method'], params: Params]>> = {
  'elicitation': ['elicitation/create', {}],
  'elicitation.url': ['elicitation/create', { mode: 'url' }],
  'sampling': ['sampling/createMessage', {}],
  'sampling.tools': ['sampling/createMessage', { tools: [] }],
  'roots': ['roots/list', {}],
};

/** The abort reason of `ctx.signal` when a run ends with questions to the client. The handler runs again with the answers. */
export class LeftBehind extends Error {
  constructor() {
    super('The run ended with a question to the client; the handler runs again with its answer');
    this.name = 'LeftBehind';
  }
}

/** The exchange of a handler that may ask. `LegacyExchange` sends requests; a `RepeatedExchange` runs the handler again. */
export abstract class AskingExchange extends Exchange implements Context {
  /** The values that `once` has made so far, by key. JSON values. */
  protected made: Record<string, unknown> | undefined;
  /** Pending calls of `once`, by key. */
  protected making: Map<string, Promise<unknown>> | undefined;
  #releases: Release[] | undefined;
  /** True after the run has ended: from then on `defer` calls its function at once. */
  #over = false;

  /** Asks the client. Rejects if the client lacks the capability, or after three unusable answers. */
  abstract ask<T>(question: Question<T>): Promise<T>;

  /** The value of the question's `otherwise`, for a client that lacks the capability. Undefined: ask the client. */
  protected instead<T>(question: Question<T>): Reading<T> | undefined {
    const { method, otherwise = {} } = question;
    return missingForQuestion(method, {}, this.capabilities, this.revision) && question.read(otherwise);
  }

  /** The parameters of a question, as sent. Throws if the client lacks the capability. */
  protected put(question: Question, problem?: string): Params {
    const put = question.params(this.revision, problem, this.capabilities);
    const missing = missingForQuestion(question.method, put, this.capabilities, this.revision);
    if (missing) throw missing;
    return put;
  }

  /**
   * Returns the value of `make`, which is called once for this request, also across its rounds. The value passes through JSON at
   * once, so that the round that makes it sees the same value as later rounds.
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
    // The run has ended with a question, but other work of the handler went on.
    if (this.#over) void this.undo();
  }

  /** Calls the functions given to `defer`, last first. If one throws, the error is reported and the others still run. */
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

  /** Calls `leave` when the run ends with a question and the handler will run again. Never for a legacy request, which runs once. */
  onLeave(_leave: () => void): void {}

  override resolveOutcome<R>(outcome: Outcome<R>): R | Promise<R> {
    return isGenerator<R>(outcome) ? drive(outcome, this) : outcome;
  }
}

/** The record of one question from earlier runs of the handler. */
export interface AskedBefore {
  /** The client's answers to it, oldest first. */
  readonly given: readonly Bag[];
  /** How often it was asked. */
  readonly times: number;
  /** The key under which it was last sent, if that key has no answer yet. */
  readonly open?: string | undefined;
}

/**
 * The questions of a request and their answers, kept between the runs of its handler: in the sealed state of a 2026-07-28 request,
 * or in the journal of a task.
 */
export interface AnswerStore {
  /**
   * Whether a question with an explicit key takes a number too: then the next question without a key is `elicitation/create#2`.
   * Sealed states and journals differ here, and existing ones must stay readable.
   */
  readonly numbersKeyed: boolean;
  /** The record of the question with this name; `digest` is the hash of its text (`digestOf`). */
  find(name: string, digest: string): AskedBefore | Promise<AskedBefore>;
  /** Records that the question is asked, for the `times`th time. Returns the key under which it is sent to the client. */
  put(name: string, digest: string, times: number): string | Promise<string>;
}

/**
 * An exchange whose handler runs again from its top when the client has answered. The answers are in a store; a question without a
 * stored answer ends the run.
 */
export abstract class RepeatedExchange extends AskingExchange {
  /** Throws if the handler may not ask. */
  protected abstract readonly answers: AnswerStore;
  /** The questions to send when this run ends, by key. Created at the first question: most handlers ask nothing. */
  protected questions: InputRequests | undefined;
  /** The keys of all questions that this run waits for. Undefined: it waits for none. */
  protected waiting: Set<string> | undefined;
  /** Settles when the run has ended with its questions and its `defer` functions have run. Undefined: the run goes on. */
  protected left: Promise<void> | undefined;
  #positions: Map<string, number> | undefined;
  #leave: (() => void)[] | undefined;

  /** Ends the run with its open questions. */
  protected abstract suspend(): Promise<void>;

  /** Calls `run` after the handler had time to ask further questions, so that all of them are sent together. */
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

  /** Never settles: this run ends, and the next one finds the answer. `request`: the question to send now. */
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
    // The next run needs the values of pending `once` calls.
    while (this.making?.size) await Promise.allSettled(this.making.values());
    await this.suspend();
  }

  override onLeave(leave: () => void): void {
    (this.#leave ??= []).push(leave);
  }

  /** Ends the run: aborts its signal, calls the functions given to `onLeave`, then those given to `defer`. */
  protected leaveBehind(): Promise<void> {
    this.inbound.abort(() => new LeftBehind());
    for (const leave of this.#leave ?? []) leave();
    return this.undo();
  }
}

/**
 * An object without inherited members: keys come from handlers and clients, and may be `__proto__`. Its prototype is an empty
 * object: as safe as no prototype, and creating, filling and serializing it takes a third of the time. `from`: an object to copy
 * the members from.
 */
export function dictionary(from?: unknown): Bag {
  nameless ??= Object.freeze(Object.create(null)) as object;
  return Object.assign(Object.create(nameless) as Bag, from);
}

let nameless: object | undefined;

/**
 * Two FNV-1a hashes with different multipliers: tells the questions of one handler apart. Not a protection against forgery, and
 * need not be: a client that wants to lie about an answer does not need a collision.
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

/**
 * Asks the questions that a generator yields. When a run ends with a question, `return()` runs the generator's `finally`, not its
 * `catch`.
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
