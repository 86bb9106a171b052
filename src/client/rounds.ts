import type { Clock } from '../bounds/clock.ts';
import { isObject } from '../jsonrpc/message.ts';
import { Abortable } from '../jsonrpc/inbound-request.ts';
import type { Bag } from '../jsonrpc/message.ts';
import { mayAsk } from '../protocol/methods.ts';
import type { AnsweringLimits } from './options.ts';

/** The call, as its rounds need it. */
export interface RoundsPort {
  send(params: Bag): Promise<Bag>;
  answer(method: string, params: Bag, abortable: Abortable): Promise<object>;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly limits: AnsweringLimits;
}

/**
 * Answers the questions of a result and sends the call again with the answers, until a result has another type. Rejects if a
 * question cannot be answered, if there are too many rounds, or if a result breaks the rules of 2026-07-28 basic/patterns/mrtr.
 */
export async function playRounds(
  method: string, params: Bag | undefined, result: Bag, port: RoundsPort,
): Promise<Bag> {
  for (let round = 1; result['resultType'] === 'input_required'; round++) {
    const { maxRounds } = port.limits;
    if (!mayAsk(method)) {
      throw new Error(`${method}: the server asks for input, which it may not do here`);
    }
    if (round > maxRounds) {
      throw new Error(`${method}: the server asked for input more than ${maxRounds} times`);
    }
    const { inputRequests, requestState } = result;
    const next = { ...params };
    // Both belong only to the retry of this one result.
    delete next['inputResponses'];
    delete next['requestState'];
    if (inputRequests !== undefined) next['inputResponses'] = await gather(method, inputRequests, port);
    // A result without questions only asks for a retry: the server may be busy.
    else await pause(round, port);
    if (requestState !== undefined) {
      if (typeof requestState !== 'string') throw new Error(`${method}: "requestState" must be a string`);
      next['requestState'] = requestState;
    } else if (inputRequests === undefined) {
      throw new Error(
        `${method}: input is required, but there is neither "inputRequests" nor "requestState"`,
      );
    }
    result = await port.send(next);
  }
  return result;
}

/** Waits 100 ms, then twice as long each time, at most 5 s. Rejects if the call is cancelled meanwhile. */
function pause(round: number, { clock, signal }: Pick<RoundsPort, 'clock' | 'signal'>): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const cancelled = (): void => {
      timer?.stop();
      reject(signal?.reason);
    };
    const timer = clock.after(Math.min(100 * 2 ** (round - 1), 5000), () => {
      signal?.removeEventListener('abort', cancelled);
      resolve();
    });
    if (!timer) return resolve();
    signal?.addEventListener('abort', cancelled, { once: true });
  });
}

/** Answers all questions at once; if one cannot be answered, the others are aborted. */
export async function gather(
  method: string, requests: unknown, { answer, signal, limits }: Pick<RoundsPort, 'answer' | 'signal' | 'limits'>,
): Promise<Bag> {
  if (!isObject(requests)) throw new Error(`${method}: "inputRequests" must be an object`);
  const asked = Object.entries(requests);
  if (asked.length > limits.maxQuestions) {
    throw new Error(`${method}: the server asks ${asked.length} questions at once; the limit is ${limits.maxQuestions}`);
  }
  const abortable = new Abortable();
  let stop = (): void => {};
  signal?.throwIfAborted();
  try {
    const cancelled = new Promise<never>((_, reject) => {
      stop = () => {
        abortable.abort(() => signal?.reason);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', stop, { once: true });
    });
    const answers = asked.map(async ([key, request]) => {
      if (!isObject(request) || typeof request['method'] !== 'string' || request['method'] === 'ping') {
        throw new Error(`${method}: inputRequests[${JSON.stringify(key)}] is not an input request`);
      }
      const params = isObject(request['params']) ? request['params'] : {};
      return [key, await answer(request['method'], params, abortable)] as const;
    });
    // fromEntries defines properties and runs no setter, so `__proto__` is a key like any other.
    return Object.fromEntries(await Promise.race([Promise.all(answers), cancelled]));
  } catch (error) {
    abortable.abort(() => error);
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
