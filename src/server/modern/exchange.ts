import { isObject } from '../../jsonrpc/codec.ts';
import type { Inbound } from '../../jsonrpc/inbound.ts';
import type { InputRequests } from '../../protocol/input-required.ts';
import type { RequestMeta } from '../../protocol/meta.ts';
import { mayAsk } from '../../protocol/methods.ts';
import type { Auth } from '../../transport/auth.ts';
import { AskingExchange, defaultMaxAsks, unanswered } from '../asking-exchange.ts';
import type { Server } from '../server.ts';
import { ToolError } from '../failure.ts';
import type { Question } from '../question.ts';
import type { RequestStateSealer } from './request-state.ts';

/**
 * `signal.reason` of a run that was left behind: its questions went out, and a new run will have the answers.
 */
export class LeftBehind extends Error {
  constructor() {
    super('The run ended with a question to the client; the handler runs again with its answer');
    this.name = 'LeftBehind';
  }
}

/**
 * What a request remembers between its rounds; sealed into `requestState`. Short names: it travels each time.
 */
interface Memory {
  /** Answers so far: key to the digest of what was asked, and the answer. */
  a: Record<string, [digest: string, answer: Record<string, unknown>]>;
  /** Questions that are open: key to the digest of what was asked, and how often. */
  q: Record<string, [digest: string, asked: number]>;
  /** What `once` made. */
  o: Record<string, unknown>;
}

/**
 * Ends a round after its first question, but late enough that questions opened together go together. Where there are ticks,
 * that is once no microtask is left; elsewhere it is the next turn of the event loop. A tick spares each round that turn.
 */
function nextTurn(run: () => void): unknown {
  const { setImmediate, setTimeout } = globalThis;
  // A tick that a microtask asks for comes when no microtask is left.
  if (typeof globalThis.process?.nextTick === 'function') {
    return Promise.resolve().then(() => globalThis.process.nextTick(run));
  }
  if (typeof setImmediate === 'function') return setImmediate(run);
  return typeof setTimeout === 'function' ? setTimeout(run, 0) : Promise.resolve().then(run);
}

/**
 * A modern request that may ask: the answers come in with the request, and a question without one ends the
 * run with an `input_required` result. Nothing is held between the rounds. 2026-07-28 basic/patterns/mrtr.
 */
export class ModernExchange extends AskingExchange {
  readonly #sealer: RequestStateSealer;
  /** Made at the first question: most handlers ask nothing. */
  #memory: Memory | undefined;
  /** The client brought a state, so that each answer is known to belong to what was asked. */
  #resumed = false;
  #open: InputRequests | undefined;
  #positions: Record<string, number> | undefined;
  #end: { resolve(result: object): void; reject(error: unknown): void } | undefined;
  #leave: (() => void)[] | undefined;
  #mayAsk = false;
  /** Fulfilled when a run that was left behind has given back what it took; undefined: none was. */
  protected left: Promise<void> | undefined;

  constructor(inbound: Inbound, meta: RequestMeta, auth: Auth | undefined, sealer: RequestStateSealer) {
    super(inbound, meta, auth);
    this.#sealer = sealer;
  }

  /** What this request was told and has made so far, by key: for what goes on with it, such as a task. */
  get remembered(): { answers: Readonly<Record<string, unknown>>; made: Readonly<Record<string, unknown>> } {
    const answers = Object.entries(this.#memory?.a ?? {}).map(([key, [, answer]]) => [key, answer] as const);
    return { answers: Object.fromEntries(answers), made: { ...this.made } };
  }

  /**
   * Runs a handler of a request that may ask, after what the client brought back has been opened. It gets
   * arguments of its own: what it changes in them must not change what the state belongs to.
   */
  override begin(server: Server): object | Promise<object> {
    const { method, params = {} } = this.inbound.request;
    if (!mayAsk(method)) return server.handle(method, params, this);
    this.#mayAsk = true;
    const token = params['requestState'];
    const own = { ...params, arguments: copy(params['arguments']) };
    if (token !== undefined) return this.#resume(token).then(() => this.#race(server.handle(method, own, this)));
    return this.#race(server.handle(method, own, this));
  }

  async #resume(token: unknown): Promise<void> {
    const opened = await this.#sealer.open(token, this.#bound());
    this.#resumed = true;
    const memory = this.#memory = {
      a: dictionary(opened['a']) as Memory['a'],
      q: dictionary(opened['q']) as Memory['q'],
      o: dictionary(opened['o']),
    };
    this.made = memory.o;
    // An answer belongs to what was asked under its key. Answers to anything else are ignored, as mrtr says.
    for (const [key, [digest]] of Object.entries(memory.q)) this.#take(key, digest);
  }

  #remember(): Memory {
    return this.#memory ??= { a: dictionary(), q: dictionary(), o: dictionary() };
  }

  /**
   * Keeps the answer that the client brought under this key, if it did, as one to what the digest stands for.
   */
  #take(key: string, digest: string): void {
    const given = this.inbound.request.params?.['inputResponses'];
    const answer = isObject(given) && Object.hasOwn(given, key) ? given[key] : undefined;
    if (isObject(answer)) this.#remember().a[key] = [digest, answer];
  }

  /** What the state belongs to. Parameters are put in order, since a client may write them in another. */
  #bound(): string {
    const { method, params } = this.inbound.request;
    const { _meta, inputResponses, requestState, ...own } = params ?? {};
    return canonical([this.auth?.principal ?? null, method, own]);
  }

  /** The handler's result, or `input_required` when the run ends with open questions before there is one. */
  #race(result: object | Promise<object>): object | Promise<object> {
    if (!(result instanceof Promise)) return result;
    return new Promise((resolve, reject) => {
      this.#end = { resolve, reject };
      result.then(resolve, reject).finally(() => {
        this.#end = undefined;
      });
    });
  }

  override onLeave(leave: () => void): void {
    (this.#leave ??= []).push(leave);
  }

  async ask<T>(question: Question<T>): Promise<T> {
    // 2026-07-28 basic/patterns/mrtr#supported-requests: no other request may end with questions.
    if (!this.#mayAsk) throw new ToolError(`${this.inbound.request.method} may not ask`);
    const { method } = question;
    const params = this.put(question);
    const positions = this.#positions ??= dictionary() as Record<string, number>;
    const key = question.key ?? `${method}#${positions[method] = (positions[method] ?? 0) + 1}`;
    const digest = digestOf(JSON.stringify([method, params]));
    const { a, q } = this.#remember();
    // mrtr allows a retry without state: there is only the key to tell what an answer is for.
    if (!this.#resumed && a[key] === undefined) this.#take(key, digest);
    const [askedBefore, answer] = a[key] ?? [];
    let problem: string | undefined;
    if (answer !== undefined && askedBefore === digest) {
      const reading = question.read(answer);
      if ('value' in reading) return reading.value;
      problem = reading.problem;
    }
    const times = q[key]?.[0] === digest ? q[key][1] : 0;
    if (problem !== undefined && times >= defaultMaxAsks) throw unanswered(question, problem);
    delete a[key];
    q[key] = [digest, times + 1];
    if (this.#open === undefined) {
      nextTurn(() => {
        this.left = this.#suspend();
      });
    }
    const open = this.#open ??= dictionary() as InputRequests;
    open[key] = {
      method,
      params: problem === undefined ? params : this.put(question, problem),
    } as InputRequests[string];
    // Never settles: this run ends here, and the next one finds the answer.
    return new Promise<T>(() => {});
  }

  async #suspend(): Promise<void> {
    try {
      // What `once` is making is kept for the next round, so it is waited for.
      while (this.making?.size) await Promise.allSettled(this.making.values());
      const end = this.#end;
      // The handler may have ended meanwhile, or the client may have cancelled: then there is nobody to ask.
      if (end !== undefined && !this.inbound.settled) {
        const { a, q } = this.#remember();
        for (const key of Object.keys(q)) if (!Object.hasOwn(this.#open ?? {}, key)) delete q[key];
        const requestState = await this.#sealer.seal({ a, q, o: this.made ?? {} }, this.#bound());
        end.resolve({ resultType: 'input_required', inputRequests: this.#open, requestState });
      }
    } catch (thrown) {
      this.#end?.reject(thrown);
    }
    this.inbound.abort(() => new LeftBehind());
    for (const leave of this.#leave ?? []) leave();
    await this.undo();
  }
}

/**
 * An object without names of its own: keys come from handlers and clients, and may be called `__proto__`. An empty
 * prototype is as safe as none, and such an object takes a third of the time to make, to fill and to write as JSON.
 */
function dictionary(from: unknown = {}): Record<string, unknown> & Memory['a'] & Memory['q'] {
  nameless ??= Object.freeze(Object.create(null)) as object;
  return Object.assign(Object.create(nameless), isObject(from) ? from : {}) as ReturnType<typeof dictionary>;
}

let nameless: object | undefined;

/** Copies what contains, and shares what is contained: a long text costs nothing. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isObject(value)) return value;
  // A key `__proto__` of the value's own is its own here too, and is set like every other.
  const own = { ...value };
  for (const key of Object.keys(own)) if (typeof own[key] === 'object') own[key] = copy(own[key]);
  return own;
}

/** JSON with the keys of objects in order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value) || typeof value['toJSON'] === 'function') return JSON.stringify(value) ?? 'null';
  return `{${Object.keys(value).sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
}

/**
 * FNV-1a twice, with two multipliers: tells two questions of one handler apart. It stands against no forger, since a
 * client that wants to lie about an answer needs no collision.
 */
export function digestOf(text: string): string {
  let high = 0x811c9dc5;
  let low = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x85ebca6b);
  }
  return `${high},${low}`;
}
