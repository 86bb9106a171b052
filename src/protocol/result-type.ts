import { quote } from '../bounds/quote.ts';
import type { RequestParams, Result } from './base.ts';
import type { ElicitRequest, ElicitResult } from './elicitation.ts';
import type { Implementation } from './lifecycle.ts';
import { serverInfoKey } from './meta.ts';
import type { ListRootsRequest, ListRootsResult } from './roots.ts';
import type { CreateMessageRequest, CreateMessageResult } from './sampling.ts';

/** The common members of all modern results. */
export interface ModernResult {
  resultType?: string;
  _meta?: Record<string, unknown>;
}

/**
 * Adds `resultType` and the server's info to a modern result, if it lacks them. 2026-07-28 basic/index#result-responses:
 * every result has both.
 */
export function stamped<R extends object>(result: R & ModernResult, info: Implementation): R & Required<ModernResult> {
  // No spread: with members after it, V8 creates an object that is slow to create and to serialize (bench/NOTES.md).
  return Object.assign({}, result, {
    resultType: result.resultType ?? 'complete',
    _meta: { [serverInfoKey]: info, ...result._meta },
  });
}

/** The type of a result that was received. 2026-07-28 basic/index#resulttype: a result without a type is `complete`. */
export const typeOf = ({ resultType = 'complete' }: Record<string, unknown>): unknown => resultType;

/** Throws for a result of a type that the client does not know: it is invalid. 2026-07-28 basic/index#resulttype. */
export function refuseType(method: string, type: unknown): never {
  throw new Error(`${method}: the result has the unknown type ${quote(type)}`);
}

/**
 * Throws a TypeError for a result type outside the core protocol. 2026-07-28 basic/index#resulttype: other types need an
 * extension that both sides have.
 */
export function checkCoreType(type: unknown): void {
  if (type !== 'complete' && type !== 'input_required') throw new TypeError(`the handler returned a result of the unknown type ${quote(type)}`);
}

// Since 2026-07-28 the server puts its requests for input into a result, and the client repeats its request with the
// responses (2026-07-28 basic/patterns/mrtr).

/** Since 2026-07-28. A request of the server for input. */
export type InputRequest = CreateMessageRequest | ListRootsRequest | ElicitRequest;

/** Since 2026-07-28. The response to an InputRequest. */
export type InputResponse = CreateMessageResult | ListRootsResult | ElicitResult;

/** Since 2026-07-28. The requests for input, by keys that the server chose. */
export interface InputRequests {
  [key: string]: InputRequest;
}

/** Since 2026-07-28. The responses, by the keys of their requests. */
export interface InputResponses {
  [key: string]: InputResponse;
}

/** Since 2026-07-28. Sent instead of the final result if the server needs input first. */
export interface InputRequiredResult extends Result {
  resultType: 'input_required';
  inputRequests?: InputRequests | undefined;
  /** Opaque to the client, which returns it unchanged. */
  requestState?: string | undefined;
}

/** The parameters of a request that is repeated with the responses. */
export interface InputResponseRequestParams extends RequestParams {
  /** Since 2026-07-28. */
  inputResponses?: InputResponses | undefined;
  /** Since 2026-07-28. The `requestState` of the InputRequiredResult. */
  requestState?: string | undefined;
}
