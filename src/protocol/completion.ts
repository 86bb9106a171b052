import type { BaseMetadata, RequestParams, Result } from './base.ts';

export interface PromptReference extends BaseMetadata {
  type: 'ref/prompt';
}

/** Names the resource template whose variable is completed. */
export interface ResourceTemplateReference {
  type: 'ref/resource';
  /** A URI or a URI template. */
  uri: string;
}

// completion/complete: request, client to server.
export interface CompleteRequestParams extends RequestParams {
  ref: PromptReference | ResourceTemplateReference;
  /** The argument that is being typed, and what has been typed so far. */
  argument: { name: string; value: string };
  /** Since 2025-06-18. The arguments that are settled already. */
  context?: { arguments?: Record<string, string> | undefined } | undefined;
}

export interface CompleteResult extends Result {
  completion: {
    /** At most 100. */
    values: string[];
    /** How many there are in all. */
    total?: number | undefined;
    /** Whether there are more than those given. */
    hasMore?: boolean | undefined;
  };
}
