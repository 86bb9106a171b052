import type { BaseMetadata, RequestParams, Result } from './base.ts';

export interface PromptReference extends BaseMetadata {
  type: 'ref/prompt';
}

/** The resource template with the variable to complete. */
export interface ResourceTemplateReference {
  type: 'ref/resource';
  /** A URI or a URI template. */
  uri: string;
}

// completion/complete: request, client to server.
export interface CompleteRequestParams extends RequestParams {
  ref: PromptReference | ResourceTemplateReference;
  /** The argument that the user is typing, and the text so far. */
  argument: { name: string; value: string };
  /** Since 2025-06-18. The arguments that already have a value. */
  context?: { arguments?: Record<string, string> | undefined } | undefined;
}

export interface CompleteResult extends Result {
  completion: {
    /** At most 100. */
    values: string[];
    /** The total number of completions. */
    total?: number | undefined;
    /** True if there are more completions than `values`. */
    hasMore?: boolean | undefined;
  };
}
