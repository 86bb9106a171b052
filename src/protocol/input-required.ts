import type { RequestParams, Result } from './base.ts';
import type { ElicitRequest, ElicitResult } from './elicitation.ts';
import type { ListRootsRequest, ListRootsResult } from './roots.ts';
import type { CreateMessageRequest, CreateMessageResult } from './sampling.ts';

// Since 2026-07-28 the server puts its questions into a result, and the client sends the request again with the answers
// (2026-07-28 basic/patterns/mrtr).

/** Since 2026-07-28. A question to the client. */
export type InputRequest = CreateMessageRequest | ListRootsRequest | ElicitRequest;

/** Since 2026-07-28. The answer to an InputRequest. */
export type InputResponse = CreateMessageResult | ListRootsResult | ElicitResult;

/** Since 2026-07-28. The questions, by keys that the server chose. */
export interface InputRequests {
  [key: string]: InputRequest;
}

/** Since 2026-07-28. The answers, by the keys of their questions. */
export interface InputResponses {
  [key: string]: InputResponse;
}

/** Since 2026-07-28. Sent in place of the final result: the server needs answers first. */
export interface InputRequiredResult extends Result {
  resultType: 'input_required';
  inputRequests?: InputRequests | undefined;
  /** Opaque to the client, which returns it unchanged. */
  requestState?: string | undefined;
}

/** What a request carries when it is sent again with the answers. */
export interface InputResponseRequestParams extends RequestParams {
  /** Since 2026-07-28. */
  inputResponses?: InputResponses | undefined;
  /** Since 2026-07-28. The `requestState` of the InputRequiredResult. */
  requestState?: string | undefined;
}
