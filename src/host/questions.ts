import type { ElicitAnswer } from '../client/index.ts';
import { errorMessage } from '../jsonrpc/internal-exports.ts';
import type {
  CreateMessageRequestParams, CreateMessageResult, ElicitRequestFormParams, ElicitRequestURLParams,
} from '../protocol/index.ts';
import type { ActivityLog } from './activity-log.ts';
import { HostError } from './errors.ts';
import type { Person } from './person.ts';

/** Asks the application's model. The server's preferences are hints: the application chooses the model. */
export type Model = (
  params: CreateMessageRequestParams, context: { readonly server: string; readonly signal: AbortSignal },
) => Promise<CreateMessageResult>;

/** Passes the questions of one server to the person and the model; each is recorded. */
export class ServerQuestions {
  readonly #server: string;
  readonly #person: Person;
  readonly #log: ActivityLog;
  readonly #model: Model | undefined;
  readonly #maxTokens: number;
  #spent = 0;

  constructor(server: string, person: Person, log: ActivityLog, model: Model | undefined, maxTokens: number) {
    this.#server = server;
    this.#person = person;
    this.#log = log;
    this.#model = model;
    this.#maxTokens = maxTokens;
  }

  async elicit(question: ElicitRequestFormParams, signal: AbortSignal): Promise<ElicitAnswer> {
    const { elicit } = this.#person;
    const answer: ElicitAnswer = elicit ? await elicit.call(this.#person, question, { server: this.#server, signal }) : { action: 'decline' };
    // The log does not keep the entered values, only the action and the names of the fields.
    await this.#log.record('question', {
      server: this.#server, question: 'form', message: question.message, action: answer.action,
      fields: Object.keys(answer.content ?? {}),
    });
    return answer;
  }

  async elicitUrl(question: ElicitRequestURLParams, signal: AbortSignal): Promise<ElicitAnswer> {
    const { elicitUrl } = this.#person;
    const url = URL.canParse(question.url) ? new URL(question.url) : undefined;
    // 2025-11-25 client/elicitation#safe-url-handling: only http and https, and the person sees the address.
    const fits = url !== undefined && (url.protocol === 'https:' || url.protocol === 'http:');
    const answer: ElicitAnswer = fits && elicitUrl
      ? await elicitUrl.call(this.#person, { ...question, host: url.host }, { server: this.#server, signal })
      : { action: 'decline' };
    await this.#log.record('question', {
      server: this.#server, question: 'url', host: url?.host ?? '', message: question.message, action: answer.action,
      ...!fits && { why: 'the URL is not an http or https address' },
    });
    return answer;
  }

  /**
   * The person sees the request and the answer, and may edit or refuse both. 2025-11-25
   * client/sampling#user-interaction-model.
   */
  async sample(params: CreateMessageRequestParams, signal: AbortSignal): Promise<CreateMessageResult> {
    const refuse = async (why: string): Promise<never> => {
      await this.#log.record('sampling', { server: this.#server, outcome: 'refused', why });
      throw new HostError('refused', `sampling was refused: ${why}`);
    };
    const { samplingRequest, samplingAnswer } = this.#person;
    const context = { server: this.#server, signal };
    if (!this.#model || !samplingRequest || !samplingAnswer) return refuse('no person can be asked for consent');
    const left = this.#maxTokens - this.#spent;
    if (!(params.maxTokens > 0 && params.maxTokens <= left)) {
      return refuse(`it asks for ${params.maxTokens} tokens, and ${left} of this server's ${this.#maxTokens} are left`);
    }
    // Subtract before the question to the person, so that concurrent requests cannot use the same tokens.
    this.#spent += params.maxTokens;
    const consent = await samplingRequest.call(this.#person, params, context).catch((thrown: unknown) => {
      this.#spent -= params.maxTokens;
      throw thrown;
    });
    if (!consent.allow) {
      this.#spent -= params.maxTokens;
      return refuse(consent.reason ?? 'the person declined the request');
    }
    const asked = consent.value ?? params;
    // An edited request may ask for fewer tokens, never for more.
    const capped = { ...asked, maxTokens: Math.min(asked.maxTokens, params.maxTokens) };
    this.#spent -= params.maxTokens - capped.maxTokens;
    let answer: CreateMessageResult;
    try {
      answer = await this.#model(capped, context);
    } catch (thrown) {
      await this.#log.record('sampling', { server: this.#server, outcome: 'failed', why: errorMessage(thrown) });
      throw thrown;
    }
    const shown = await samplingAnswer.call(this.#person, answer, context);
    if (!shown.allow) return refuse(shown.reason ?? 'the person declined the answer');
    await this.#log.record('sampling', {
      server: this.#server, outcome: 'answered', maxTokens: capped.maxTokens, model: answer.model,
      edited: consent.value !== undefined || shown.value !== undefined,
    });
    return shown.value ?? answer;
  }
}
