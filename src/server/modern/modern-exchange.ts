import { isObject } from '../../jsonrpc/message.ts';
import type { InboundRequest } from '../../jsonrpc/inbound-request.ts';
import type { Bag } from '../../jsonrpc/message.ts';
import type { RequestMeta } from '../../protocol/meta.ts';
import { mayAsk } from '../../protocol/methods.ts';
import type { Auth } from '../../transport/auth.ts';
import { dictionary, RepeatedExchange } from '../input-requests.ts';
import type { AnswerStore, AskedBefore } from '../input-requests.ts';
import type { ServerInternals } from '../server-core.ts';
import { ToolError } from '../errors.ts';
import { boundTo, requestStateSealer } from './request-state.ts';
import type { RequestStateSealer } from './request-state.ts';

/** An answer, with the digest of its question. */
type CarriedAnswer = [digest: string, answer: Bag];

/**
 * The questions and answers of a request, which travel in `requestState` between its rounds. The names of the members of the state
 * are short, since it travels each time: `a` are the answers so far, `q` the open questions with how often each was asked, `o` the
 * values of `once`.
 */
class SealedAnswers implements AnswerStore {
  readonly numbersKeyed = false;
  readonly a: Record<string, CarriedAnswer>;
  readonly q: Record<string, [digest: string, asked: number]>;
  /** The answers of a client that sent no state, which mrtr allows: only their keys connect them to questions. */
  readonly #stateless: Bag | undefined;

  /** `given`: the request's `inputResponses`. `opened`: the content of its `requestState`. */
  constructor(given: unknown, opened?: Bag) {
    const answers = dictionary(isObject(given) ? given : undefined);
    this.a = dictionary(opened?.['a']) as SealedAnswers['a'];
    this.q = dictionary(opened?.['q']) as SealedAnswers['q'];
    if (opened === undefined) this.#stateless = answers;
    // An answer belongs to the question that was asked under its key. Other answers are ignored, as mrtr says.
    for (const [key, [digest]] of Object.entries(this.q)) if (isObject(answers[key])) this.a[key] = [digest, answers[key]];
  }

  find(key: string, digest: string): AskedBefore {
    const { a, q } = this;
    const answer = this.#stateless?.[key];
    if (a[key] === undefined && isObject(answer)) a[key] = [digest, answer];
    return { given: a[key]?.[0] === digest ? [a[key][1]] : [], times: q[key]?.[0] === digest ? q[key][1] : 0 };
  }

  put(key: string, digest: string, times: number): string {
    delete this.a[key];
    this.q[key] = [digest, times];
    return key;
  }
}

/**
 * A modern request that may ask: the answers come with the request, and a question without an answer ends the run with an
 * `input_required` result. The server holds nothing between the rounds. 2026-07-28 basic/patterns/mrtr.
 */
export class ModernExchange extends RepeatedExchange {
  readonly #sealer: RequestStateSealer;
  #answers: SealedAnswers | undefined;
  #end: { resolve(result: object): void; reject(error: unknown): void } | undefined;
  #mayAsk = false;

  /** Without a `sealer`, states are sealed with a key that only this exchange has. */
  constructor(
    inbound: InboundRequest, meta: RequestMeta, auth: Auth | undefined,
    { sealer = requestStateSealer() }: { readonly sealer?: RequestStateSealer | undefined },
  ) {
    super(inbound, meta, auth);
    this.#sealer = sealer;
  }

  /** Created at the first question, unless the client sent a state: most handlers ask nothing. */
  protected override get answers(): SealedAnswers {
    // 2026-07-28 basic/patterns/mrtr#supported-requests: no other request may end with questions.
    if (!this.#mayAsk) throw new ToolError(`${this.inbound.request.method} cannot ask the client`);
    return this.#answers ??= new SealedAnswers(this.inbound.request.params?.['inputResponses']);
  }

  /** The answers and the values of `once` of this request so far, by key. A task made from this request starts with them. */
  get remembered(): { answers: Readonly<Bag>; made: Readonly<Bag> } {
    const answers = Object.entries(this.#answers?.a ?? {}).map(([key, [, answer]]) => [key, answer] as const);
    return { answers: Object.fromEntries(answers), made: { ...this.made } };
  }

  /**
   * Runs the handler of a request that may ask, after opening the state that the client sent back. The handler gets a copy of the
   * arguments: if it changes them, the state must still belong to the original ones.
   */
  override answerModern(server: ServerInternals): object | Promise<object> {
    const { method, params = {} } = this.inbound.request;
    if (!mayAsk(method)) return server.dispatch(method, params, this);
    this.#mayAsk = true;
    const token = params['requestState'];
    const own = { ...params, arguments: copy(params['arguments']) };
    if (token !== undefined) return this.#resume(token).then(() => this.#race(server.dispatch(method, own, this)));
    return this.#race(server.dispatch(method, own, this));
  }

  async #resume(token: unknown): Promise<void> {
    const opened = await this.#sealer.open(token, boundTo(this.inbound.request, this.auth));
    this.#answers = new SealedAnswers(this.inbound.request.params?.['inputResponses'], opened);
    this.made = dictionary(opened['o']);
  }

  /** The handler's result, or `input_required` if the run ends with open questions first. */
  #race(result: object | Promise<object>): object | Promise<object> {
    if (!(result instanceof Promise)) return result;
    return new Promise((resolve, reject) => {
      this.#end = { resolve, reject };
      void result.then(resolve, reject).then(() => {
        this.#end = undefined;
      });
    });
  }

  /** Calls `run` when no microtask is left, if the runtime can tell: this saves each round a turn of the event loop. */
  protected override nextTurn(run: () => void): void {
    // From a microtask, so that none is left when `run` is called.
    void Promise.resolve().then(() => this.clock.soon(run));
  }

  protected override async suspend(): Promise<void> {
    const end = this.#end;
    try {
      // The client may have cancelled meanwhile: send no questions, but end the run, so that its resources are released.
      if (this.inbound.settled) end?.resolve({});
      // Without `end`, the handler has ended already.
      else if (end !== undefined) {
        const { a, q } = this.answers;
        for (const key of Object.keys(q)) if (!this.waiting?.has(key)) delete q[key];
        const requestState = await this.#sealer.seal({ a, q, o: this.made ?? {} }, boundTo(this.inbound.request, this.auth));
        end.resolve({ resultType: 'input_required', inputRequests: this.questions, requestState });
      }
    } catch (thrown) {
      end?.reject(thrown);
    }
    await this.leaveBehind();
  }
}

/** A deep copy of objects and lists. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isObject(value)) return value;
  // If `value` has its own member `__proto__`, so has the copy, which is then set like any other member.
  const own = { ...value };
  for (const key of Object.keys(own)) if (typeof own[key] === 'object') own[key] = copy(own[key]);
  return own;
}
