import type { RequestParams, Result } from './base.ts';
import type { ElicitRequest, ElicitResult } from './elicitation.ts';
import type { ListRootsRequest, ListRootsResult } from './roots.ts';
import type { CreateMessageRequest, CreateMessageResult } from './sampling.ts';

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
