import { checkOptions } from '../bounds/options.ts';
import { isObject } from '../jsonrpc/message.ts';
import { InboundRequest } from '../jsonrpc/inbound-request.ts';
import type { Notification, Params, Request } from '../jsonrpc/message.ts';
import type { ClientCapabilities } from '../protocol/lifecycle.ts';
import type { InputRequest, InputResponse } from '../protocol/result-type.ts';
import { loggingLevelKind } from '../protocol/logging.ts';
import type { LoggingLevel } from '../protocol/logging.ts';
import type { RequestMeta } from '../protocol/meta.ts';
import { revisions } from '../protocol/revisions.ts';
import type { Revision } from '../protocol/revisions.ts';
import type { CallToolResult } from '../protocol/tools.ts';
import type { Auth } from '../transport/auth.ts';
import { requestStateSealer } from './modern/request-state.ts';
import { ModernExchange } from './modern/modern-exchange.ts';
import type { Context, Outcome } from './context.ts';
import type { ServerCore } from './server-core.ts';

/** The answers to a rehearsed handler's questions: by key, in the order of the questions, or from a function. */
export type RehearsalAnswers =
  | Readonly<Record<string, InputResponse>>
  | readonly InputResponse[]
  | ((key: string, question: InputRequest) => InputResponse | Promise<InputResponse>);

/** Options of `rehearse`: the client that calls the handler. */
export interface RehearsalOptions {
  /** The client's capabilities. Default: all. */
  readonly capabilities?: ClientCapabilities;
  readonly auth?: Auth;
  /** The least severe level of log messages to record. Default: `debug`. */
  readonly logLevel?: LoggingLevel;
  /** The maximum number of rounds; `rehearse` rejects after it. Default: 10. */
  readonly maxRounds?: number;
}

/** One run of the handler, from its top. */
export interface RehearsalRound {
  /** The questions with which the run ended, by key; none in the last round. */
  readonly questions: Readonly<Record<string, InputRequest>>;
  /** The keys of `ctx.once` whose values were made in this run, in order. */
  readonly made: readonly string[];
  /** The keys of `ctx.once` whose values were found from an earlier run. */
  readonly found: readonly string[];
  /** Notifications of this run: log messages and progress. */
  readonly notifications: readonly Notification[];
  /** How many functions given to `ctx.defer` ran at the end of this run. */
  readonly released: number;
  /**
   * Whether the run ended with a question inside an async function, which never continues: its `finally` does not run, and
   * resources stay open unless `ctx.defer` or `ctx.signal` releases them.
   */
  readonly leftOpen: boolean;
}

/** The result of a rehearsed call, and its rounds. */
export interface Rehearsal {
  readonly result: CallToolResult;
  /** One for each run of the handler. Each run repeats the work outside `ctx.once`, as far as it gets. */
  readonly rounds: readonly RehearsalRound[];
}

const everything: ClientCapabilities = {
  elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {},
};

/**
 * Calls a tool like a client of 2026-07-28, in as many rounds as its questions need, with fresh parameters and a sealed state each
 * time; for tests, to see which work is repeated. Rejects with the `RpcError` that a client would get; also
 * if an answer is missing, if answers are left over, and after `maxRounds`.
 */
export async function rehearse(
  server: ServerCore<Context>,
  name: string,
  args: object,
  answers: RehearsalAnswers = {},
  options: RehearsalOptions = {},
): Promise<Rehearsal> {
  checkOptions('rehearse: options', options, { capabilities: 'object', auth: 'object', logLevel: loggingLevelKind, maxRounds: 'number' });
  const { auth, capabilities = everything, logLevel = 'debug', maxRounds = 10 } = options;
  const meta: RequestMeta = { revision: revisions[0] as Revision, client: undefined, capabilities, logLevel };
  const sealer = requestStateSealer();
  const given = new RehearsedAnswers(answers);
  const rounds: RehearsalRound[] = [];
  let retry: Params = {};
  while (rounds.length < maxRounds) {
    const params = copy({ name, arguments: args, ...retry, _meta: { progressToken: rounds.length } });
    const request: Request = { jsonrpc: '2.0', id: rounds.length, method: 'tools/call', params };
    const notifications: Notification[] = [];
    const inbound = new InboundRequest(request, {
      send: (text) => void notifications.push(JSON.parse(text) as Notification),
      answer: () => {},
    });
    const exchange = new RehearsedExchange(inbound, meta, auth, { sealer });
    const result = await exchange.answerModern(server.internals) as Params;
    await exchange.over();
    const asking = result['resultType'] === 'input_required';
    const questions = asking ? copy(result['inputRequests']) as Record<string, InputRequest> : {};
    rounds.push({
      questions, made: exchange.madeNow, found: exchange.foundBefore, notifications,
      released: exchange.released, leftOpen: asking && !exchange.ended,
    });
    if (!asking) {
      given.finish();
      return { result: copy(result) as unknown as CallToolResult, rounds };
    }
    const inputResponses: Record<string, InputResponse> = {};
    for (const [key, question] of Object.entries(questions)) {
      inputResponses[key] = await given.to(key, question);
    }
    retry = { inputResponses, requestState: result['requestState'] };
  }
  throw new Error(`tool ${JSON.stringify(name)} still asks after ${maxRounds} rounds`);
}

/** All data between the rounds passes through JSON. */
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

class RehearsedExchange extends ModernExchange {
  readonly madeNow: string[] = [];
  readonly foundBefore: string[] = [];
  released = 0;
  /** The handler has ended, or is a generator, which the exchange ends. */
  ended = false;

  /** Waits until the functions given to `defer` have run after a question. */
  async over(): Promise<void> {
    await this.left;
  }

  override defer(release: () => unknown): void {
    super.defer(() => {
      this.released++;
      return release();
    });
  }

  override resolveOutcome<R>(outcome: Outcome<R>): R | Promise<R> {
    this.ended = !(outcome instanceof Promise);
    if (outcome instanceof Promise) void outcome.then(() => this.ended = true, () => this.ended = true);
    return super.resolveOutcome(outcome);
  }

  override once<T>(key: string, make: () => T | Promise<T>): Promise<T> {
    const seen = this.madeNow.includes(key) || this.foundBefore.includes(key);
    if (!seen && this.made && Object.hasOwn(this.made, key)) this.foundBefore.push(key);
    return super.once(key, () => {
      this.madeNow.push(key);
      return make();
    });
  }
}

class RehearsedAnswers {
  readonly #answers: RehearsalAnswers;
  readonly #used = new Set<string>();

  constructor(answers: RehearsalAnswers) {
    this.#answers = answers;
  }

  async to(key: string, question: InputRequest): Promise<InputResponse> {
    const answers = this.#answers;
    if (typeof answers === 'function') return answers(key, question);
    const at = Array.isArray(answers) ? `${this.#used.size}` : key;
    const answer = Object.hasOwn(answers, at)
      ? (answers as Readonly<Record<string, InputResponse>>)[at]
      : undefined;
    if (!isObject(answer)) {
      throw new Error(`no answer to the question ${JSON.stringify(key)}: ${JSON.stringify(question)}`);
    }
    this.#used.add(at);
    return answer as InputResponse;
  }

  finish(): void {
    const left = Object.keys(this.#answers).filter((key) => !this.#used.has(key));
    if (left.length > 0) throw new Error(`answers without a question: ${left.join(', ')}`);
  }
}
