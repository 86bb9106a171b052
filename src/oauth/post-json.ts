import { shown } from './errors.ts';
import { fetchJson } from './fetch-json.ts';
import type { FetchOptions, JsonAnswer, JsonRequest } from './fetch-json.ts';
import { secretsOf, withoutSecrets } from './request-secrets.ts';

/** The number of characters of the other side's text that an error may quote. */
const maxTold = 1000;

/** The response to a request with credentials, which the server may have written back. */
export interface PostAnswer extends JsonAnswer {
  /** A text of the response without those credentials, cut where it is long. */
  clean(text: string): string;
  /** A value of the response for an error: JSON without those credentials, cut where it is long. */
  says(value: unknown): string;
}

/**
 * Sends a request with credentials, by POST. Rejects like `fetchJson`; no error contains a credential of the request.
 */
export async function postJson(
  url: string, what: string, request: Omit<JsonRequest, 'method' | 'clean'>, options: FetchOptions = {},
): Promise<PostAnswer> {
  const clean = (text: string): string => withoutSecrets(text.slice(0, maxTold), secretsOf({ url, ...request }));
  const answer = await fetchJson(url, what, { ...request, method: 'POST', clean }, options);
  return { ...answer, clean, says: (value) => shown(typeof value === 'string' ? clean(value) : value) };
}
