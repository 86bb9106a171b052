import type { Timer } from '../../bounds/clock.ts';
import { ConnectionError, RpcError } from '../../jsonrpc/errors.ts';
import type { InboundRequest } from '../../jsonrpc/inbound-request.ts';
import type { Params } from '../../jsonrpc/message.ts';
import type { RequestOptions } from '../../jsonrpc/pending-requests.ts';
import { stopOf } from '../../jsonrpc/stop.ts';
import type { Stop } from '../../jsonrpc/stop.ts';
import { requestsOf } from '../../protocol/progress.ts';
import type { Auth } from '../../transport/auth.ts';
import { AskingExchange, defaultMaxAsks, unanswered } from '../input-requests.ts';
import type { Question } from '../input-requests.ts';
import { ToolError } from '../errors.ts';
import type { LegacyRequester } from '../exchange.ts';
import { onReady } from '../connected-client.ts';

/** A request of a legacy client. Questions are requests to the client, on the stream of this request. */
export class LegacyExchange extends AskingExchange {
  /** Sends the questions. Undefined: `askClient`. */
  askWith: typeof askClient | undefined;
  readonly #client: LegacyRequester;
  readonly #questions: { asked: boolean };

  constructor(
    inbound: InboundRequest, client: LegacyRequester, auth: Auth | undefined,
    { questions = { asked: false } }: { readonly questions?: { asked: boolean } | undefined },
  ) {
    super(inbound, client, auth);
    this.#client = client;
    this.#questions = questions;
  }

  async ask<T>(question: Question<T>): Promise<T> {
    const instead = question.otherwise && this.instead(question);
    if (instead && 'value' in instead) return instead.value;
    const { method } = question;
    this.#questions.asked = true;
    let problem: string | undefined;
    for (let times = 0; times < defaultMaxAsks; times++) {
      const params = this.put(question, problem);
      const answer = await (this.askWith ?? askClient)(this.#client, method, params, this.inbound).catch((thrown: unknown) => {
        // The handler may catch the client's error. If it does not, the error must not become the response to the client's own
        // request, so it is not an `RpcError` any more.
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

/**
 * Sends a request to a legacy client on the stream of `inbound`, and returns its result. Waits first for
 * `notifications/initialized`. Rejects with the client's `RpcError`, with a `ConnectionError` at the timeout or when the connection
 * closes, or with the reason when `inbound` is cancelled. A function, not a method of `ConnectedClient`, so that a server whose
 * handlers do not ask does not bundle it.
 */
export async function askClient(
  client: LegacyRequester, method: string, params: Params, inbound: InboundRequest, onLate?: RequestOptions['onLate'],
): Promise<Record<string, unknown>> {
  const { connection, server: { observe, limits: { questionTimeoutMs: timeoutMs } } } = client;
  const signal = stopOf(inbound);
  await ready(client, method, signal);
  const options = { signal, timeoutMs, maxTimeoutMs: 0, onLate };
  if (!observe) return requestsOf(connection).request(method, params, options, inbound);
  return observe({ kind: 'client', method, params, peer: client }, (meta) =>
    requestsOf(connection).request(method, { ...params, _meta: { ...meta, ...params['_meta'] as object } }, options, inbound));
}

/** Resolves when the client may be asked. */
function ready(client: LegacyRequester, method: string, signal: Stop): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let timer: Timer | undefined;
    const end = (fault?: unknown): void => {
      forget?.();
      timer?.stop();
      signal.removeEventListener('abort', cancelled);
      if (fault === undefined) resolve();
      else reject(fault);
    };
    const cancelled = (): void => end(signal.reason);
    const forget = onReady(client, (isReady) => end(isReady ? undefined
      : new ConnectionError('closed', `${method}: the connection closed before the client was ready`)));
    if (forget === undefined) return resolve();
    signal.addEventListener('abort', cancelled, { once: true });
    const { clock, limits: { questionTimeoutMs: ms } } = client.server;
    if (ms > 0) {
      timer = clock.after(ms, () => end(new ConnectionError(
        'timeout', `${method}: the client sent no notifications/initialized within ${ms} ms`,
      )));
    }
  });
}
