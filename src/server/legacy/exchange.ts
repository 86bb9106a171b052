import { RpcError } from '../../jsonrpc/errors.ts';
import type { Inbound } from '../../jsonrpc/inbound.ts';
import type { Auth } from '../../transport/port.ts';
import { AskingExchange, defaultMaxAsks, unanswered } from '../asking-exchange.ts';
import { ToolError } from '../failure.ts';
import type { Question } from '../question.ts';
import type { LegacyRequester } from '../requester.ts';
import { askClient } from './ask-client.ts';

/**
 * A request of a legacy client: questions are requests to the client,
 * on the stream of the request that asks.
 */
export class LegacyExchange extends AskingExchange {
  /** How questions are put. Undefined: as plain requests. */
  askWith: typeof askClient | undefined;
  readonly #client: LegacyRequester;

  constructor(client: LegacyRequester, inbound: Inbound, auth: Auth | undefined) {
    super(inbound, client, auth);
    this.#client = client;
  }

  async ask<T>(question: Question<T>): Promise<T> {
    const { method } = question;
    let problem: string | undefined;
    for (let times = 0; times < defaultMaxAsks; times++) {
      const params = this.put(question, problem);
      const answer = await (this.askWith ?? askClient)(this.#client, method, params, this.inbound).catch((thrown: unknown) => {
        // The handler may catch the client's error. Uncaught, it must not pass for the answer to the
        // client's own request, so it is no `RpcError` any more.
        throw thrown instanceof RpcError
          ? new ToolError(`${method}: ${thrown.message}`, { cause: thrown })
          : thrown;
      });
      const reading = question.read(answer);
      if ('value' in reading) return reading.value;
      problem = reading.problem;
    }
    throw unanswered(question, problem);
  }
}
