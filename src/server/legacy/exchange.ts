import { RpcError } from '../../jsonrpc/errors.ts';
import type { Inbound } from '../../jsonrpc/inbound.ts';
import { AskingExchange, defaultMaxAsks, unanswered } from '../asking-exchange.ts';
import type { Question } from '../question.ts';
import type { Session } from './session.ts';

/**
 * A request in a legacy session: questions are requests to the client,
 * on the stream of the request that asks.
 */
export class LegacyExchange extends AskingExchange {
  readonly #session: Session;

  constructor(session: Session, inbound: Inbound) {
    super(inbound, session, session.options.auth);
    this.#session = session;
  }

  async ask<T>(question: Question<T>): Promise<T> {
    const { method } = question;
    const { connection, server } = this.#session;
    let problem: string | undefined;
    for (let times = 0; times < defaultMaxAsks; times++) {
      const params = this.put(question, problem);
      await this.#session.ready();
      // Without it the question goes on when the client cancels, and its answer is dropped.
      const signal = typeof AbortController === 'function' ? this.inbound.signal : undefined;
      const options = { signal, timeoutMs: server.limits.questionTimeoutMs, maxTimeoutMs: 0 };
      const answer = await connection.request(
        method, params, options, this.inbound,
      ).catch((thrown: unknown) => {
        // The client's error is the handler's to catch;
        // it must not pass for the answer to the client's own request.
        throw thrown instanceof RpcError
          ? new Error(`${method}: ${thrown.message}`, { cause: thrown })
          : thrown;
      });
      const reading = question.read(answer);
      if ('value' in reading) return reading.value;
      problem = reading.problem;
    }
    throw unanswered(question, problem);
  }
}
