import { shown } from './errors.ts';
import { fetchJson } from './fetch-json.ts';
import type { FetchOptions, JsonAnswer, JsonRequest } from './fetch-json.ts';
import { secretsOf, withoutSecrets } from './request-secrets.ts';

/** The most characters of the server's text that an error may quote. */
const maxTold = 1000;

/** The response to a request with credentials, which the server may have echoed. */
export interface PostAnswer extends JsonAnswer {
  /** A text of the response without those credentials; long texts are cut. */
  clean(text: string): string;
  /** A value of the response for an error, as JSON without those credentials; long values are cut. */
  says(value: unknown): string;
}

/** Sends a POST request with credentials. Rejects like `fetchJson`; no error contains a credential of the request. */
export async function postJson(
  url: string, what: string, request: Omit<JsonRequest, 'method' | 'clean'>, options: FetchOptions = {},
): Promise<PostAnswer> {
  const clean = (text: string): string => withoutSecrets(text.slice(0, maxTold), secretsOf({ url, ...request }));
  const answer = await fetchJson(url, what, { ...request, method: 'POST', clean }, options);
  return { ...answer, clean, says: (value) => shown(typeof value === 'string' ? clean(value) : value) };
}
