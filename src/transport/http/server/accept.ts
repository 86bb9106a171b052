/** What a POST's `Accept` allows as its answer. */
export interface Accepted {
  readonly json: boolean;
  readonly sse: boolean;
}

/** The header that was read last, and what it allows: a client says the same with each request. */
let lastHeader: string | undefined;
let lastAccepted: Accepted | undefined;

/**
 * Reads an `Accept` header; one that is missing accepts everything. Undefined: neither JSON nor a stream is
 * accepted. RFC 9110, 12.5.1, without its weights.
 */
export function readAccept(header: string | undefined): Accepted | undefined {
  if (header !== undefined && header === lastHeader) return lastAccepted;
  const text = header?.toLowerCase() ?? '*/*';
  const any = text.includes('*/*');
  const json = any || text.includes('application/json') || text.includes('application/*');
  const sse = any || text.includes('text/event-stream') || text.includes('text/*');
  lastHeader = header;
  return lastAccepted = json || sse ? { json, sse } : undefined;
}

/** Whether a `Content-Type` says JSON, with parameters or without. */
export function isJson(contentType: string | undefined): boolean {
  return contentType === 'application/json' || /^application\/json\s*(?:;|$)/i.test(contentType ?? '');
}
